/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two-layer aggregation, by its counters: bytes are checked too, but here it matters who sent how
 * much to whom. All ranks write blocks that interleave, so that every rank has something for every
 * aggregator, and read them back. Works on any number of nodes.
 *
 *   t_tam             the cases below
 *   t_tam counters    one transfer with the hints of T_HINTS; prints what was counted, for the
 *                     runner to compare with another component's
 *   t_tam auto        calls that are best direct on one node, and calls that are best exchanged
 *                     there, with the same output and all messages that Open MPI sends
 */
#include "lib/t_file.h"
#include "lib/t_messages.h"
#include "lib/t_pvar.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BLOCK = 96, COUNT = 200 };

static const char *const names[] = {
    "messages",
    "message_bytes",
    "messages_between_nodes",
    "bytes_between_nodes",
    "meta_messages",
    "meta_bytes",
    "requests_in",
    "requests_gathered",
    "requests_merged",
    "copied_bytes",
    "shm_bytes",
    "cycles",
    "requests_received",
    "requests_out",
    "put_bytes",
    "calls_direct",
};
static const char *const times[] = {"time_gather", "time_gather_merge"};
enum {
    MESSAGES,
    MESSAGE_BYTES,
    BETWEEN,
    BYTES_BETWEEN,
    META,
    META_BYTES,
    PIECES,
    GATHERED,
    MERGED,
    COPIED,
    SHM,
    CYCLES,
    RECEIVED,
    OUT,
    PUT,
    DIRECT,
    COUNTERS
};

static char path[512];
static t_node here;
static int neighbours; /* ranks that follow their predecessor on the same node */

static void look_around(void)
{
    here = t_node_here();
    neighbours = t_rank > here.first && t_rank - here.first == here.rank;
    MPI_Allreduce(MPI_IN_PLACE, &neighbours, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Local aggregators in all, when there are c on each node. */
static int local_aggregators(int c)
{
    int mine = 0 == here.rank ? (c < here.ranks ? c : here.ranks) : 0, all;

    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static void read_counters(MPI_File file, double *value)
{
    for (int i = 0; i < COUNTERS; i++) {
        value[i] = t_pvar_read(names[i], file);
    }
}

/* What all ranks counted since `before`. */
static void count_since(MPI_File file, const double *before, double *sum)
{
    double now[COUNTERS];

    read_counters(file, now);
    for (int i = 0; i < COUNTERS; i++) {
        now[i] -= before[i];
    }
    MPI_Allreduce(now, sum, COUNTERS, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* Ranks take turns with their blocks. */
static t_blocks interleaved(int rank)
{
    return (t_blocks){(int64_t) rank * BLOCK, BLOCK, (int64_t) t_size * BLOCK, COUNT};
}

/* Writes and reads back `times` times. Sets *wrote and *read to the counters of the last time. */
static void transfer_shape(const char *hints, t_blocks (*shape)(int rank), int times, double *wrote,
                           double *read)
{
    t_blocks mine = shape(t_rank);
    double before[COUNTERS];
    MPI_File file;

    if (t_create(path, hints, &file)) {
        t_blocks_view(file, &mine);
        for (int i = 0; i < times; i++) {
            read_counters(file, before);
            t_blocks_write(file, &mine, t_rank);
            count_since(file, before, wrote);
            read_counters(file, before);
            t_blocks_read(file, &mine, t_rank);
            count_since(file, before, read);
        }
        t_ok(MPI_File_close(&file), "close");
    }
    t_ranks_check(path, shape, 0, 0);
}

static void transfer(const char *hints, double *wrote, double *read)
{
    transfer_shape(hints, interleaved, 1, wrote, read);
}

static void expect(bool right, const char *what, double have, double want)
{
    t_fail_if(0 == t_rank && !right, "%s: %.0f, expected %.0f", what, have, want);
}

static void same(const char *what, double have, double want)
{
    expect(have == want, what, have, want);
}

static void at_most(const char *what, double have, double want)
{
    expect(have <= want, what, have, want);
}

/* Sorting is counted apart, on local aggregators only. */
static void sorting(void)
{
    t_blocks mine = interleaved(t_rank);
    double gather, merge;
    MPI_File file;

    if (t_create(path, "exchange=on,transport=isend,aggregators=1,local_aggregators=1", &file)) {
        gather = t_pvar_read(times[0], file);
        merge = t_pvar_read(times[1], file);
        t_blocks_view(file, &mine);
        t_blocks_write(file, &mine, t_rank);
        gather = t_pvar_read(times[0], file) - gather;
        merge = t_pvar_read(times[1], file) - merge;
        t_fail_if(merge > gather || (0 < merge) != (0 == t_rank && 1 < t_size),
                  "%.0f ns of %.0f ns for merging", merge, gather);
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("sorting in the node is a part of gathering, on local aggregators");
}

/* As many local aggregators as ranks: layer 1 does not exist. */
static void plain(void)
{
    double wrote[COUNTERS], read[COUNTERS];
    char hints[128];

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=isend,aggregators=1,buffer_bytes=16384,local_aggregators=%d",
             t_size);
    transfer(hints, wrote, read);
    same("pieces gathered in layer 1", wrote[GATHERED] + read[GATHERED], 0);
    same("lists: one from every rank but the aggregator", wrote[META], t_size - 1);
    same("messages a cycle: one from every other rank", wrote[MESSAGES],
         (t_size - 1) * wrote[CYCLES]);
    same("messages a cycle: one to every other rank", read[MESSAGES], (t_size - 1) * read[CYCLES]);
    t_verdict("as many local aggregators as ranks: plain two-phase");
}

/* Between nodes: at most one message from each local aggregator to each aggregator in a cycle, and
 * no byte twice. */
static void layers(const char *transport, const char *intra, int c, const double *plain_bytes)
{
    double wrote[COUNTERS], read[COUNTERS];
    int requesters = local_aggregators(c);
    char hints[192];

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=%s,intra=%s,aggregators=3,buffer_bytes=16384,"
             "local_aggregators_per_node=%d",
             transport, intra, c);
    transfer(hints, wrote, read);
    at_most("messages between nodes, write", wrote[BETWEEN], requesters * wrote[CYCLES]);
    at_most("messages between nodes, read", read[BETWEEN], requesters * read[CYCLES]);
    same("bytes between nodes, write", wrote[BYTES_BETWEEN], plain_bytes[0]);
    same("bytes between nodes, read", read[BYTES_BETWEEN], plain_bytes[1]);
    at_most("pieces after layer 1", wrote[MERGED], wrote[GATHERED]);
    same("pieces gathered for a read: the plan is reused", read[GATHERED], 0);
    if (1 == c && here.nodes > 1 && neighbours > 0) {
        expect(wrote[MERGED] < wrote[GATHERED], "neighbours are joined, pieces", wrote[MERGED],
               wrote[GATHERED] - 1);
    }
    if (0 == strcmp(intra, "shm") && 0 == strcmp(transport, "isend") && 1 == here.nodes && c == 1
        && here.ranks > 3) {
        expect(wrote[SHM] > 0, "bytes through shared memory", wrote[SHM], 1);
    }
    t_verdict("transport %s, intra %s, %d per node: messages between nodes", transport, intra, c);
}

static void all_layers(void)
{
    static const char *const transports[] = {"isend", "shm"}, *const intras[] = {"shm", "isend"};
    double wrote[COUNTERS], read[COUNTERS], bytes[2];
    char hints[128];

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=isend,aggregators=3,buffer_bytes=16384,local_aggregators=%d",
             t_size);
    transfer(hints, wrote, read);
    bytes[0] = wrote[BYTES_BETWEEN];
    bytes[1] = read[BYTES_BETWEEN];
    for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 2; i++) {
            for (int c = 1; c <= 3; c++) {
                layers(transports[t], intras[i], c, bytes);
            }
        }
    }
}

/* One-sided: layer 1 is there, and what goes on is put. (Without windows messages go on:
 * said, and counted.) */
static void one_sided(const char *transport, const char *intra, int c)
{
    double wrote[COUNTERS], read[COUNTERS];
    char hints[192];

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=%s,intra=%s,aggregators=3,buffer_bytes=16384,"
             "local_aggregators_per_node=%d",
             transport, intra, c);
    transfer(hints, wrote, read);
    at_most("pieces after layer 1", wrote[MERGED], wrote[GATHERED]);
    if (0 == strcmp(transport, "put_fence")) {
        same("pieces gathered: put_fence has one layer", wrote[GATHERED], 0);
    } else if (local_aggregators(c) < t_size) {
        expect(wrote[GATHERED] > 0, "pieces gathered in layer 1", wrote[GATHERED], 1);
    }
    if (wrote[PUT] > 0 && 0 == strcmp(intra, "shm")) {
        same("messages with data", wrote[MESSAGES] + read[MESSAGES], 0);
    }
    t_verdict("transport %s, intra %s, %d per node: puts", transport, intra, c);
}

/* Few windows of many, and not the same at every aggregator: pieces far apart, groups of four ranks
 * each in a range of its own. */
static t_blocks far_apart(int rank)
{
    return (t_blocks){rank * INT64_C(1000) + 77 + (rank / 4) * INT64_C(40000000), 990,
                      (t_size * INT64_C(1000) + 100003) * (1 + rank / 4), 12};
}

static void sparse(const char *hints, const char *what)
{
    double wrote[COUNTERS], read[COUNTERS];

    transfer_shape(hints, far_apart, 2, wrote, read);
    t_verdict("%s", what);
}

static void other_transports(void)
{
    static const char *const intras[] = {"shm", "isend"};

    sparse("exchange=on,transport=put_lock,intra=shm,aggregators=3,buffer_bytes=16384,"
           "local_aggregators_per_node=1",
           "transport put_lock, intra shm: windows that only some aggregators have");
    sparse("exchange=on,transport=isend,intra=isend,aggregators=4,buffer_bytes=16384,"
           "partition=static_cyclic,schedule=comm,local_aggregators_per_node=1",
           "transport isend, intra isend: windows that only some aggregators have, cyclic");
    for (int i = 0; i < 2; i++) {
        for (int c = 1; c <= 2; c++) {
            one_sided("put_fence", intras[i], c);
            one_sided("put_lock", intras[i], c);
        }
    }
}

/* One node: no message at all, and every byte is copied once. */
static void one_copy(void)
{
    double wrote[COUNTERS], read[COUNTERS], bytes = (double) t_size * BLOCK * COUNT;

    transfer("exchange=on,transport=shm,intra=shm,aggregators=2,buffer_bytes=16384,"
             "local_aggregators_per_node=1",
             wrote, read);
    same("bytes copied for a write", wrote[COPIED], bytes);
    same("bytes copied for a read", read[COPIED], bytes);
    same("messages", wrote[MESSAGES] + read[MESSAGES], 0);
    t_verdict("one node with shared memory: each byte is copied once");
}

/* No file may be larger than the data and a quarter: no room for a segment, messages serve. */
static void no_room(void)
{
    int64_t bytes = (int64_t) t_size * BLOCK * COUNT;
    double wrote[COUNTERS], read[COUNTERS];
    struct rlimit limit, small;

    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = (rlim_t) (bytes + bytes / 4);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    transfer("exchange=on,transport=isend,intra=shm,aggregator_list=1,local_aggregators_per_node=1",
             wrote, read);
    setrlimit(RLIMIT_FSIZE, &limit);
    same("bytes through shared memory", wrote[SHM] + read[SHM], 0);
    t_verdict("no room for shared memory: messages inside the node");
}

/* Bytes of the blocks that lie before `stop`. */
static int64_t bytes_before(const t_blocks *mine, int64_t stop)
{
    int64_t bytes = 0;

    for (int i = 0; i < mine->count; i++) {
        int64_t left = stop - (mine->first + i * mine->stride);

        bytes += left < 0 ? 0 : (left < mine->block ? left : mine->block);
    }
    return bytes;
}

/* One block of a rank in a window. */
static t_blocks wide(int rank)
{
    return (t_blocks){rank * INT64_C(2048), 2048, t_size * INT64_C(2048), 12};
}

/* Windows of one rank. */
static t_blocks segments(int rank)
{
    return (t_blocks){rank * INT64_C(24576), 24576, 24576, 1};
}

/* The file ends in the domain of one aggregator, so windows of one round end at different places: a
 * member gets what is there, and its memory for the rest stays as it is. */
static void short_read(const char *transport, const char *intra, t_blocks (*shape)(int rank))
{
    t_blocks mine = shape(t_rank);
    int64_t bytes = mine.block * mine.count, stop = bytes * t_size / 2 + 1000;
    int64_t want = bytes_before(&mine, stop);
    unsigned char *data = t_blocks_data(&mine, t_rank), *got = t_alloc((size_t) bytes);
    char hints[192];
    MPI_Status status;
    MPI_File file;
    int count = -1;

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=%s,intra=%s,aggregators=3,buffer_bytes=16384,"
             "local_aggregators_per_node=1",
             transport, intra);
    if (t_create(path, hints, &file)) {
        t_blocks_view(file, &mine);
        t_blocks_write(file, &mine, t_rank);
        t_ok(MPI_File_set_size(file, stop), "set_size");
        memset(got, 0xEE, (size_t) bytes);
        t_ok(MPI_File_read_at_all(file, 0, got, (int) bytes, MPI_BYTE, &status), "read");
        MPI_Get_count(&status, MPI_BYTE, &count);
        t_fail_if(count != want, "%d bytes, expected %lld", count, (long long) want);
        memset(data + want, 0xEE, (size_t) (bytes - want));
        t_fail_if(0 != memcmp(got, data, (size_t) bytes), "wrong bytes");
        t_ok(MPI_File_close(&file), "close");
    }
    free(got);
    free(data);
    t_verdict("transport %s, intra %s: a read past the end of the file, blocks of %d bytes",
              transport, intra, (int) mine.block);
}

static void short_reads(t_blocks (*shape)(int rank))
{
    short_read("isend", "isend", shape);
    short_read("isend", "shm", shape);
    short_read("shm", "isend", shape);
    short_read("put_lock", "isend", shape);
}

/* The file must not grow beyond a limit: the same error everywhere, and true counts. */
static void failed_write(const char *transport, const char *intra)
{
    t_blocks mine = interleaved(t_rank);
    int64_t bytes = (int64_t) BLOCK * COUNT, stop = bytes * t_size / 2 + 1000;
    int64_t want = bytes_before(&mine, stop);
    unsigned char *data = t_blocks_data(&mine, t_rank);
    struct rlimit limit, small;
    char hints[192];
    MPI_Status status;
    MPI_File file;
    int count = -1, rc;

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=%s,intra=%s,aggregator_list=%d,buffer_bytes=16384,"
             "local_aggregators_per_node=1",
             transport, intra, t_size - 1);
    if (t_create(path, hints, &file)) {
        t_blocks_view(file, &mine);
        getrlimit(RLIMIT_FSIZE, &limit);
        small = limit;
        small.rlim_cur = (rlim_t) stop;
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &small);
        rc = MPI_File_write_at_all(file, 0, data, (int) bytes, MPI_BYTE, &status);
        setrlimit(RLIMIT_FSIZE, &limit);
        MPI_Get_count(&status, MPI_BYTE, &count);
        t_fail_if(MPI_SUCCESS == rc || count != want,
                  "write beyond the limit: %s, %d bytes, expected an error and %lld bytes",
                  t_class_name(t_class(rc)), count, (long long) want);
        MPI_File_close(&file);
    }
    free(data);
    t_verdict("transport %s, intra %s: a failed write has true counts", transport, intra);
}

static void print_transfer(const double *wrote, const double *read)
{
    for (int i = 0; 0 == t_rank && i < COUNTERS; i++) {
        printf("counter %s %.0f %.0f\n", names[i], wrote[i], read[i]);
    }
}

static void print_counters(void)
{
    double wrote[COUNTERS], read[COUNTERS];

    transfer(NULL, wrote, read);
    print_transfer(wrote, read);
    t_verdict("counters");
}

static t_blocks small(int rank)
{
    return (t_blocks){rank * INT64_C(8), 8, 8, 1};
}

static t_blocks contiguous(int rank)
{
    return (t_blocks){rank * INT64_C(1048576), 1048576, 1048576, 1};
}

/* Two columns of tiles; rows of 4 KiB. */
static t_blocks tile(int rank)
{
    return (t_blocks){rank / 2 * INT64_C(8192) * 32 + rank % 2 * 4096, 4096, 8192, 32};
}

static void print_auto(t_blocks (*shape)(int rank), bool direct, const char *what)
{
    double wrote[COUNTERS], read[COUNTERS];
    long before = t_messages(), mine, all = 0;

    transfer_shape("exchange=auto", shape, 3, wrote, read);
    mine = t_messages() - before;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    print_transfer(wrote, read);
    same("direct calls", wrote[DIRECT] + read[DIRECT], direct ? 2 * t_size : 0);
    if (0 == t_rank) {
        printf("counter all_messages %ld\n", all);
    }
    t_verdict("%s", what);
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "tam");
    look_around();
    t_first_open(path);
    if (argc > 1 && 0 == strcmp("auto", argv[1])) {
        print_auto(small, true, "calls of 8 bytes");
        print_auto(contiguous, true, "contiguous ranges of 1 MiB");
        print_auto(tile, true, "tiles with rows of 4 KiB");
        print_auto(interleaved, false, "interleaved blocks of 96 bytes");
    } else if (argc > 1) {
        print_counters();
    } else if (!t_pvar_exists("requests_gathered")) {
        return t_skip_all("t_tam", "the component has no counters of layer 1");
    } else {
        plain();
        if (1 == here.nodes) {
            sorting();
        }
        all_layers();
        other_transports();
        failed_write("isend", "shm");
        failed_write("isend", "isend");
        failed_write("put_lock", "shm");
        short_reads(interleaved);
        short_reads(wide);
        short_reads(segments);
        if (1 == here.nodes) {
            one_copy();
        }
        if (1 == here.nodes && t_size > 3) {
            no_room();
        }
    }
    t_remove(path);
    return t_finish();
}
