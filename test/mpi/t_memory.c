/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Partition memory: calls complete in the memory that was announced, however little; a plan is made
 * anew when its node has lost memory; `auto` takes it when the buffers asked for do not fit; and a
 * process with an address space limit completes, where the plain policy fails. What a node has
 * comes from files in a directory of ours (memory_root).
 *
 * With the argument "nodes", for several nodes: all but the second one have little memory, and
 * bytes stay inside a group of nodes. With "cgroups PARTITION": one call with buffers that a node
 * in a small cgroup does not have.
 *
 * Budgets are high-water marks of the process, so cases go from little memory to much.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char path[512], root[400];
static int writer_base = 0;

/* A file in the root, with the directories above it. Rank 0 alone. */
static void put_file(const char *name, const char *text)
{
    char full[512];
    FILE *file;

    snprintf(full, sizeof(full), "%s/%s", root, name);
    for (char *slash = strchr(full + 1, '/'); NULL != slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void) mkdir(full, 0700);
        *slash = '/';
    }
    file = fopen(full, "w");
    t_fail_if(NULL == file || 0 > fputs(text, file) || 0 != fclose(file), "cannot write %s", full);
}

/* What /proc/meminfo says from now on. */
static void set_available(int64_t bytes)
{
    char text[128];

    if (0 == t_rank) {
        snprintf(text, sizeof(text), "MemTotal: 999999999 kB\nMemAvailable: %lld kB\n",
                 (long long) (bytes / 1024));
        put_file("proc/meminfo", text);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static int remove_one(const char *name, const struct stat *st, int type, struct FTW *ftw)
{
    (void) st;
    (void) type;
    (void) ftw;
    return remove(name);
}

static void remove_root(void)
{
    if (0 == t_rank) {
        (void) nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
        unlink(path);
    }
}

/* Interleaved blocks of all ranks: 6 MiB in all. */
static t_blocks interleaved(int rank)
{
    int block = 16384;

    return (t_blocks){100 + rank * block, block, t_size * block, (6 << 20) / block / t_size};
}

static int transfer(MPI_File file, t_blocks (*shape)(int rank), bool read)
{
    t_blocks mine = shape(t_rank);
    unsigned char *data = t_blocks_data(&mine, writer_base + t_rank);
    int rc;

    t_blocks_view(file, &mine);
    rc = MPI_File_write_all(file, data, (int) t_blocks_bytes(&mine), MPI_BYTE, MPI_STATUS_IGNORE);
    free(data); /* a node in a small cgroup has no room for two copies */
    if (MPI_SUCCESS == rc && read) {
        t_blocks_read(file, &mine, writer_base + t_rank);
    }
    return rc;
}

static void check_file(t_blocks (*shape)(int rank))
{
    t_ranks_check(path, shape, writer_base, 0);
}

static MPI_File open_fresh(const char *more)
{
    char hints[1024];
    MPI_File file = MPI_FILE_NULL;

    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    ++writer_base;
    snprintf(hints, sizeof(hints), "exchange=on,memory_root=%s,%s", root, more);
    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
    return file;
}

static int64_t all_sum(int64_t mine)
{
    int64_t sum = 0;

    MPI_Allreduce(&mine, &sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

/* What was announced fits the node, and what was held fits what was announced. */
static void check_budget(MPI_File file, int64_t most)
{
    int64_t budget = (int64_t) t_pvar_read("memory_budget", file);
    int64_t held = (int64_t) t_pvar_read("buffer_high", file);
    int64_t sum = all_sum(budget);

    t_fail_if(held > budget, "%lld bytes held in buffers, %lld announced", (long long) held,
              (long long) budget);
    t_fail_if(sum < 1 || sum > most, "%lld bytes announced, %lld available", (long long) sum,
              (long long) most);
}

static void auto_with_plenty(void)
{
    MPI_File file = open_fresh("buffer_bytes=1M");

    if (MPI_FILE_NULL != file) {
        t_ok(transfer(file, interleaved, true), "write_all");
        t_fail_if(t_pvar_exists("memory_budget") && 0 != t_pvar_read("memory_budget", file),
                  "auto used partition memory though there is enough");
        MPI_File_close(&file);
    }
    check_file(interleaved);
    t_verdict("auto_with_plenty");
}

static void bounded(const char *more, int64_t most, const char *name)
{
    MPI_File file = open_fresh(more);

    if (MPI_FILE_NULL != file) {
        for (int i = 0; i < 6; ++i) { /* auto tries its ways */
            t_ok(transfer(file, interleaved, true), "write_all");
        }
        if (t_pvar_exists("memory_budget")) {
            check_budget(file, most);
        }
        MPI_File_close(&file);
    }
    check_file(interleaved);
    t_verdict("%s", name);
}

static int64_t change_of(const char *what, MPI_File file, int64_t before)
{
    return (int64_t) t_pvar_read(what, file) - before;
}

/* The same request three times: planned, reused, and planned anew when there is less memory. */
static void lost_memory(const char *transport, const char *name)
{
    char more[128];
    MPI_File file;
    int64_t hits, misses, lost;

    set_available(INT64_C(64) << 20);
    snprintf(more, sizeof(more),
             "partition=memory,buffer_bytes=4M,memory_domain_bytes=1M,schedule=none,transport=%s",
             transport);
    file = open_fresh(more);
    if (MPI_FILE_NULL != file && t_pvar_exists("plan_memory")) {
        t_ok(transfer(file, interleaved, false), "write_all");
        hits = (int64_t) t_pvar_read("plan_hits", file);
        misses = (int64_t) t_pvar_read("plan_misses", file);
        lost = all_sum((int64_t) t_pvar_read("plan_memory", file));
        t_ok(transfer(file, interleaved, false), "write_all");
        t_fail_if(1 != change_of("plan_hits", file, hits),
                  "the plan was not reused while there was memory");
        set_available(256 << 10);
        t_ok(transfer(file, interleaved, false), "write_all");
        t_fail_if(1 != change_of("plan_misses", file, misses),
                  "the plan was reused though its node has lost memory");
        t_fail_if(1 > all_sum((int64_t) t_pvar_read("plan_memory", file)) - lost,
                  "no rank has withheld the plan");
        set_available(INT64_C(64) << 20); /* as if what was given back were there */
        t_ok(transfer(file, interleaved, false), "write_all");
        t_fail_if(1 != change_of("plan_misses", file, misses), "the new plan was not reused");
    }
    if (MPI_FILE_NULL != file) {
        MPI_File_close(&file);
        check_file(interleaved);
    }
    t_verdict("%s", name);
}

/* Little data in a wide range, so that the buffers are as large as allowed. */
static t_blocks wide(int rank)
{
    return (t_blocks){rank * 65536, 65536, INT64_C(4) << 20, 32};
}

/* With an address space limit: the plain policy fails, with one error on all ranks; this one
 * completes. */
static void limited(const char *partition, bool completes, bool here)
{
    char hints[256];
    MPI_File file;
    struct rlimit before, limit;
    int rc, failed;

    snprintf(hints, sizeof(hints),
             "partition=%s,buffer_bytes=512M,transport=isend,schedule=write_comm2", partition);
    file = open_fresh(hints);
    if (MPI_FILE_NULL == file) {
        return;
    }
    getrlimit(RLIMIT_AS, &before);
    limit = before;
    limit.rlim_cur = (rlim_t) (1024 * t_proc("/proc/self/status", "VmSize")) + (96 << 20);
    if (here) {
        setrlimit(RLIMIT_AS, &limit);
    }
    rc = transfer(file, wide, false);
    setrlimit(RLIMIT_AS, &before);
    failed = MPI_SUCCESS != rc;
    t_fail_if(all_sum(failed) != (completes ? 0 : t_size),
              "partition %s with 96 MiB of address space: %s", partition,
              failed ? t_class_name(t_class(rc)) : "completed");
    MPI_File_close(&file);
    if (completes) {
        check_file(wide);
    }
}

/* True if this rank is on the second node, in the order of their first ranks. */
static bool on_second_node(void)
{
    int first = t_node_here().first, least = 0 == first ? t_size : first, second;

    MPI_Allreduce(&least, &second, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    return first == second;
}

/* Every node has data everywhere; only the second has memory. */
static void uneven_nodes(bool rich, const char *transport)
{
    char more[256];
    MPI_File file;

    snprintf(more, sizeof(more),
             "partition=memory,buffer_bytes=2M,memory_domain_bytes=1M,transport=%s,"
             "memory_available=%s",
             transport, rich ? "64M" : "256K");
    file = open_fresh(more);
    if (MPI_FILE_NULL != file) {
        t_ok(transfer(file, interleaved, true), "write_all");
        if (t_pvar_exists("memory_budget")) {
            check_budget(file, INT64_C(64) << 20);
            t_fail_if(!rich && 0 != t_pvar_read("memory_budget", file),
                      "an aggregator on a node without memory");
        }
        MPI_File_close(&file);
    }
    check_file(interleaved);
    t_verdict("%s", transport);
}

/* A part of the file for each node; its ranks take turns in it. */
static struct {
    int *node, *turn, *ranks; /* per rank: its node, its place in it, ranks of the node */
    int *before;              /* per rank: ranks of the nodes before its node */
    int block, rounds;
} apart;

/* With room between the parts. */
static t_blocks node_by_node(int rank)
{
    int64_t block = apart.block, most = block * apart.rounds * t_size;

    return (t_blocks){7 + apart.node[rank] * (2 * most + 4096) + apart.turn[rank] * block, block,
                      apart.ranks[rank] * block, apart.rounds};
}

/* Without room: two nodes share the bin in which one part ends and the next begins. */
static t_blocks side_by_side(int rank)
{
    int64_t block = apart.block, each = block * apart.rounds;

    return (t_blocks){7 + apart.before[rank] * each + apart.turn[rank] * block, block,
                      apart.ranks[rank] * block, apart.rounds};
}

static void find_nodes(void)
{
    t_node here = t_node_here();
    int mine[3] = {here.first, here.rank, here.ranks};
    int *all = t_alloc(3 * (size_t) t_size * sizeof(*all));

    MPI_Allgather(mine, 3, MPI_INT, all, 3, MPI_INT, MPI_COMM_WORLD);
    apart.node = t_alloc((size_t) t_size * sizeof(int));
    apart.turn = t_alloc((size_t) t_size * sizeof(int));
    apart.ranks = t_alloc((size_t) t_size * sizeof(int));
    apart.before = t_alloc((size_t) t_size * sizeof(int));
    for (int r = 0; r < t_size; ++r) {
        apart.node[r] = apart.before[r] = 0;
        for (int before = 0; before < all[3 * r]; ++before) { /* first ranks of other nodes */
            apart.node[r] += all[3 * before] == before;
            apart.before[r] += all[3 * before] == before ? all[3 * before + 2] : 0;
        }
        apart.turn[r] = all[3 * r + 1];
        apart.ranks[r] = all[3 * r + 2];
    }
}

/* Writes and reads; returns the bytes that went to other nodes. */
static int64_t moved_between(t_blocks (*shape)(int rank), const char *hints)
{
    int64_t before, between = 0;
    MPI_File file = open_fresh(hints);

    if (MPI_FILE_NULL == file) {
        return 0;
    }
    before = (int64_t) t_pvar_read("bytes_between_nodes", file);
    t_ok(transfer(file, shape, true), "write_all");
    between = all_sum((int64_t) t_pvar_read("bytes_between_nodes", file) - before);
    MPI_File_close(&file);
    check_file(shape);
    return between;
}

/* Random requests in which no two nodes want the same part of the file: every node is a group,
 * because the runner has set the parameter memory_group_bytes to 1, and no byte goes to another
 * node, wherever memory is. With groups that must be larger, bytes do. */
static void groups_keep_their_bytes(bool rich)
{
    uint64_t state = t_seed + 14;

    for (int i = 0; i < 6; ++i) {
        bool one_group = 5 == i;
        int64_t between;
        char more[256];

        apart.block = 1 + (int) (t_random(&state) % 20000);
        apart.rounds = 1 + (int) (t_random(&state) % 40);
        apart.block = one_group ? 16384 : apart.block;
        apart.rounds = one_group ? 16 : apart.rounds;
        snprintf(more, sizeof(more),
                 "partition=memory,buffer_bytes=256K,memory_domain_bytes=64K,memory_min_bytes=%s,"
                 "memory_available=%s%s",
                 one_group ? "2M" : "64K", rich ? "16M" : "1M",
                 one_group ? ",memory_group_bytes=1G" : "");
        between = moved_between(node_by_node, more);
        t_fail_if(t_pvar_exists("bytes_between_nodes") && (between > 0) != one_group,
                  "%d blocks of %d bytes, %s: %lld bytes between nodes", apart.rounds, apart.block,
                  one_group ? "one group" : "a group for each node", (long long) between);
    }
    t_verdict("groups_keep_their_bytes");
}

/* The same where parts of nodes follow each other: only bytes of the shared bins may move, one bin
 * for each border in the write and in the read. */
static void groups_share_a_bin(bool rich)
{
    uint64_t state = t_seed + 15;

    for (int i = 0; i < 6; ++i) {
        int64_t between, total, bin;
        char more[256];

        apart.block = 2000 + (int) (t_random(&state) % 20000);
        apart.rounds = 32 + (int) (t_random(&state) % 32);
        total = (int64_t) apart.block * apart.rounds * t_size;
        bin = (total / 512 / 4096 + 2) * 4096; /* bins are pages, at least 512 in the range */
        snprintf(more, sizeof(more),
                 "partition=memory,buffer_bytes=256K,memory_domain_bytes=64K,memory_min_bytes=64K,"
                 "memory_group_bytes=1,memory_available=%s",
                 rich ? "16M" : "1M");
        between = moved_between(side_by_side, more);
        t_fail_if(between > 2 * bin * apart.node[t_size - 1],
                  "%d blocks of %d bytes: %lld bytes between nodes", apart.rounds, apart.block,
                  (long long) between);
    }
    t_verdict("groups_share_a_bin");
}

/* Interleaved blocks of all ranks: 12 MiB for each, so that buffers of any size are filled. */
static t_blocks dense(int rank)
{
    int block = 65536;

    return (t_blocks){rank * block, block, t_size * block, (12 << 20) / block};
}

/* For nodes in cgroups of very different memory: the buffers that are asked for fit the large ones
 * only. */
static void in_cgroups(const char *partition)
{
    char more[256];
    MPI_File file;

    root[0] = '\0'; /* the machine itself */
    snprintf(more, sizeof(more), "partition=%s,buffer_bytes=512M,transport=isend", partition);
    file = open_fresh(more);
    if (MPI_FILE_NULL != file) {
        t_ok(transfer(file, dense, true), "write_all");
        MPI_File_close(&file);
    }
    check_file(dense);
    t_verdict("%s", partition);
}

/* One write with 1 MiB for collective buffers on each node: cycles of this rank. */
static int64_t cycles_with(const char *partition)
{
    char more[256];
    MPI_File file;
    int64_t before, cycles = 0;

    snprintf(more, sizeof(more), "partition=%s,buffer_bytes=1M,memory_available=1M", partition);
    file = open_fresh(more);
    if (MPI_FILE_NULL != file) {
        before = (int64_t) t_pvar_read("cycles", file);
        t_ok(transfer(file, interleaved, false), "write_all");
        cycles = change_of("cycles", file, before);
        MPI_File_close(&file);
    }
    check_file(interleaved);
    return cycles;
}

/* Where all nodes have the same memory, partition memory has as many aggregators as even domains of
 * that memory, and windows as large: bins may cut one more window for each aggregator. */
static void as_many_as_even(void)
{
    int64_t even, memory, even_aggregators, memory_aggregators;

    if (!t_pvar_exists("cycles")) {
        return;
    }
    even = cycles_with("even");
    memory = cycles_with("memory");
    even_aggregators = all_sum(even > 0);
    memory_aggregators = all_sum(memory > 0);
    even = all_sum(even);
    memory = all_sum(memory);
    t_fail_if(memory_aggregators < even_aggregators || memory > even + memory_aggregators,
              "memory: %lld cycles of %lld aggregators; even: %lld of %lld", (long long) memory,
              (long long) memory_aggregators, (long long) even, (long long) even_aggregators);
    t_verdict("as_many_as_even");
}

static void several_nodes(void)
{
    bool rich = on_second_node();

    uneven_nodes(rich, "isend");
    uneven_nodes(rich, "shm");
    uneven_nodes(rich, "auto");
    find_nodes();
    groups_keep_their_bytes(rich);
    groups_share_a_bin(rich);
    free(apart.node);
    free(apart.turn);
    free(apart.ranks);
    free(apart.before);
    as_many_as_even();
    limited("even", false, !rich);
    limited("memory", true, !rich);
    t_verdict("address_space");
}

int main(int argc, char *argv[])
{
    static const char *const transports[] = {"isend", "shm", "put_lock", "put_fence"};

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "memory");
    t_path(root, sizeof(root), "memory_root");
    set_available(INT64_C(1) << 40);
    if (argc > 1 && 0 == strcmp("nodes", argv[1])) {
        several_nodes();
        remove_root();
        return t_finish();
    }
    if (argc > 2 && 0 == strcmp("cgroups", argv[1])) {
        remove_root();
        in_cgroups(argv[2]);
        unlink(path);
        return t_finish();
    }
    auto_with_plenty();
    set_available(512 << 10);
    bounded("buffer_bytes=32M", 256 << 10, "auto_when_short");
    set_available(INT64_C(1) << 40);
    bounded("partition=memory,memory_available=1M,buffer_bytes=32M", 1 << 20, "one_mib");
    for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++) {
        char hints[192], name[32];

        snprintf(hints, sizeof(hints),
                 "partition=memory,memory_available=1M,memory_domain_bytes=512K,"
                 "memory_min_bytes=64K,transport=%s",
                 transports[i]);
        snprintf(name, sizeof(name), "one_mib_%s", transports[i]);
        bounded(hints, 1 << 20, name);
    }
    bounded("partition=memory,memory_available=7M,buffer_bytes=3M,memory_domain_bytes=1M", 7 << 20,
            "uneven");
    lost_memory("isend", "lost_memory");
    lost_memory("shm", "lost_memory_shm");
    set_available(INT64_C(1) << 40);
    limited("even", false, true);
    limited("memory", true, true);
    t_verdict("address_space");
    remove_root();
    return t_finish();
}
