/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided transports with pieces that are packed and pieces that are not: tiny ones, large ones,
 * both in one call. Every byte is compared with POSIX; counters show that tiny pieces were packed,
 * that large ones were not, and that neither takes another buffer.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 65536, BUFFER = 65536 }; /* of each rank; of the aggregator */
static const char *const schedules[] = {"none", "comm", "write", "write_comm2"};
enum { SCHEDULES = sizeof(schedules) / sizeof(schedules[0]) };
static char path[512];

typedef struct counted {
    double copied, put, memory;
} counted;

/* Blocks of the ranks take turns. */
static t_blocks turns(int rank, int64_t block)
{
    return (t_blocks){rank * block, block, t_size * block, (int) (BYTES / block)};
}

/* Even ranks have 8 bytes, odd ones 8,192; one after the other. */
static t_blocks mixed(int rank, int64_t block)
{
    int64_t length = rank % 2 ? 1024 * block : block;

    return (t_blocks){(int64_t) rank * 4 * BYTES, length, 2 * length, (int) (BYTES / length)};
}

static MPI_File open_file(const char *transport, const char *schedule)
{
    MPI_File file = MPI_FILE_NULL;
    char hints[256];

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=%s,schedule=%s,aggregators=1,buffer_bytes=%d", transport,
             schedule, BUFFER);
    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
    return file;
}

/* Writes, reads back, compares; twice, so that the plan and its places are used again. */
static counted round_trip(const char *transport, const char *schedule,
                          t_blocks (*make)(int rank, int64_t block), int64_t block)
{
    t_blocks mine = make(t_rank, block);
    t_expected all = {0};
    MPI_File file = open_file(transport, schedule);
    counted count = {0};

    t_blocks_view(file, &mine);
    for (int i = 0; i < 2; i++) {
        double copied = t_pvar_read("copied_bytes", file), put = t_pvar_read("put_bytes", file);

        t_blocks_write(file, &mine, t_rank + 100 * i);
        count.copied = t_pvar_read("copied_bytes", file) - copied;
        count.put = t_pvar_read("put_bytes", file) - put;
        t_blocks_read(file, &mine, t_rank + 100 * i);
    }
    count.memory = t_pvar_read("memory_high", file);
    MPI_File_close(&file);
    for (int r = 0; r < t_size; r++) {
        t_expect(&all, make(r, block), r + 100);
    }
    t_expected_check(&all, 0 == t_rank ? path : NULL, 0);
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    return count;
}

/* What the aggregator copied: all bytes if they were packed; else its own, if it does not put those
 * too. */
static void check_packed(const char *what, const counted *count, bool packed, bool fence)
{
    double own = BYTES, all = (double) t_size * BYTES;

    t_fail_if(0 == t_rank && (packed ? count->copied < all : !fence && count->copied > own),
              "%s: the aggregator copied %.0f bytes of %.0f", what, count->copied, all);
    t_fail_if(0 != t_rank && count->put != BYTES, "%s: %.0f bytes were put, expected %d", what,
              count->put, BYTES);
}

static void run(const char *transport, const char *schedule, bool works)
{
    bool fence = 0 == strcmp(transport, "put_fence");
    counted messages = round_trip("isend", schedule, turns, 8);
    counted tiny = round_trip(transport, schedule, turns, 8);
    counted large = round_trip(transport, schedule, turns, 8192);

    if (works) {
        check_packed("tiny pieces", &tiny, true, fence);
        check_packed("large pieces", &large, false, fence);
    }
    t_fail_if(tiny.memory > messages.memory + BUFFER / 2
                  || large.memory > messages.memory + BUFFER / 2,
              "%.0f and %.0f bytes of memory, with messages %.0f", tiny.memory, large.memory,
              messages.memory);
    (void) round_trip(transport, schedule, mixed, 8);
    t_verdict("%s_%s%s", transport, schedule, works ? "" : "_by_messages");
}

/* A transport may be impossible here: then everything goes by messages, and a line was printed. */
static bool puts_work(const char *transport)
{
    counted count = round_trip(transport, "none", turns, 8192);
    double all = 0;

    MPI_Allreduce(&count.put, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return 0 < all;
}

/* Large transfers, several in one round: fences of UCX return before these have arrived. Every rank
 * is an aggregator and has a part of each domain. */
static void large_transfers(const char *transport)
{
    enum { BLOCK = 2 << 20, TIMES = 4 };
    t_blocks mine = {(int64_t) t_rank * BLOCK, BLOCK, (int64_t) t_size * BLOCK, t_size};
    MPI_File file = MPI_FILE_NULL;
    t_expected all = {0};
    char hints[256];

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=%s,schedule=write,aggregators=%d,buffer_bytes=%d", transport,
             t_size, 2 * t_size * BLOCK);
    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
    t_blocks_view(file, &mine);
    for (int i = 0; i < TIMES; i++) {
        t_blocks_write(file, &mine, t_rank + 100 * i);
        t_blocks_read(file, &mine, t_rank + 100 * i);
    }
    MPI_File_close(&file);
    for (int r = 0; r < t_size; r++) {
        mine.first = (int64_t) r * BLOCK;
        t_expect(&all, mine, r + 100 * (TIMES - 1));
    }
    t_expected_check(&all, 0 == t_rank ? path : NULL, 0);
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    t_verdict("large_transfers_%s", transport);
}

/* A tiny buffer of the aggregator, one half of which is for packed pieces if these are put. Each
 * cycle moves what fits and takes an epoch, so such a call is slow, but it ends after as many
 * cycles as there are buffers in the data. */
static void many_cycles(const char *transport, bool works)
{
    enum { TINY = 100, EACH = 5000 };
    int expected = t_size * EACH / (works ? TINY / 2 : TINY);
    t_blocks mine = {(int64_t) t_rank * TINY, TINY, (int64_t) t_size * TINY, EACH / TINY};
    MPI_File file = MPI_FILE_NULL;
    t_expected all = {0};
    char hints[128];
    double cycles, sum = 0;

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=%s,schedule=none,cb_nodes=1,cb_buffer_size=%d", transport,
             TINY);
    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
    t_blocks_view(file, &mine);
    cycles = t_pvar_read("cycles", file);
    t_blocks_write(file, &mine, t_rank);
    cycles = t_pvar_read("cycles", file) - cycles;
    MPI_Allreduce(&cycles, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    t_fail_if(sum != (double) expected, "%.0f cycles, expected %d", sum, expected);
    t_blocks_read(file, &mine, t_rank);
    MPI_File_close(&file);
    for (int r = 0; r < t_size; r++) {
        mine.first = (int64_t) r * TINY;
        t_expect(&all, mine, r);
    }
    t_expected_check(&all, 0 == t_rank ? path : NULL, 0);
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    t_verdict("many_cycles_%s", transport);
}

/* Two groups of ranks create RMA windows at the same time, each over and over, because every file
 * has its own. Open MPI 4.1 lets them share a segment of the node by mistake. */
static void two_groups(void)
{
    enum { FILES = 100 };
    t_blocks mine = turns(t_rank, 8192);
    char own[600];
    MPI_Comm group;
    int on_node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &group);
    MPI_Comm_size(group, &on_node);
    MPI_Comm_free(&group);
    if (on_node < t_size) {
        return; /* windows between nodes take seconds on a virtual cluster */
    }
    MPI_Comm_split(MPI_COMM_WORLD, 2 * t_rank / t_size, t_rank, &group);
    snprintf(own, sizeof(own), "%s.%d", path, 2 * t_rank / t_size);
    for (int i = 0; i < FILES; i++) {
        MPI_File file = MPI_FILE_NULL;

        t_open(group, own, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
               i % 2 ? "exchange=on,transport=put_fence" : "exchange=on,transport=put_lock", &file);
        t_blocks_view(file, &mine);
        MPI_Barrier(MPI_COMM_WORLD); /* the next call creates the windows */
        t_blocks_write(file, &mine, t_rank + i);
        t_blocks_read(file, &mine, t_rank + i);
        MPI_File_close(&file);
    }
    MPI_Comm_free(&group);
    t_verdict("two_groups");
}

int main(int argc, char *argv[])
{
    const char *network = getenv("COLLIO_NETWORK");
    bool fence, lock;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "put");
    t_first_open(path);
    if (1 == t_size) {
        return t_skip_all("put", "there is nobody to put to");
    }
    if (!t_pvar_exists("put_bytes") || !t_pvar_exists("memory_high")) {
        return t_skip_all("put", "the component has no counters for it");
    }
    fence = puts_work("put_fence");
    lock = puts_work("put_lock");
    t_fail_if(!fence && NULL != network && NULL != strstr(network, "ucx"),
              "put_fence does not serve osc/ucx");
    if (!fence && !lock) {
        return t_skip_all("put", "no one-sided windows can be made here");
    }
    for (size_t i = 0; i < SCHEDULES; i++) {
        run("put_fence", schedules[i], fence);
        run("put_lock", schedules[i], lock);
    }
    large_transfers("put_fence");
    large_transfers("put_lock");
    many_cycles("put_fence", fence);
    many_cycles("put_lock", lock);
    two_groups();
    return t_finish();
}
