/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors in the middle: file access fails on one aggregator, in the third of seven cycles, with
 * every schedule and transport, blocking and not; every errno that has a class of its own; reads;
 * aggregators without memory. Runs with libfault preloaded.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/t_call.h"
#include "t_fault.h"

/* Two aggregators, 7 windows each: see hints_for. */
static const t_request request = {1000, 300, 77, 28};
static char path[512];

enum { WRITE, READ, IWRITE, IREAD };

static int64_t file_bytes(void)
{
    return t_request_end(&request) + 999;
}

/** Rank 0 and the middle rank aggregate; a window is a seventh of a domain. */
static void hints_for(char *hints, size_t bytes, const char *more)
{
    int64_t domain = (t_request_end(&request) - request.first) / (t_size > 1 ? 2 : 1);
    int buffers = NULL == strstr(more, "schedule=none") ? 2 : 1;

    snprintf(hints, bytes, "exchange=on,aggregator_list=%s,buffer_bytes=%lld,partition=even,%s",
             1 < t_size ? "0-1" : "0", (long long) (buffers * (domain / 7 + 1)), more);
}

static bool open_with(const char *more, MPI_File *file)
{
    char hints[512];
    t_blocks mine = t_request_blocks(&request, t_rank);

    hints_for(hints, sizeof(hints), more);
    if (0 == t_rank) {
        t_prefill(path, file_bytes());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, hints, file) && t_blocks_view(*file, &mine);
}

static bool writes(int how)
{
    return WRITE == how || IWRITE == how;
}

static int transfer(MPI_File file, int how, void *data, int bytes, MPI_Status *status)
{
    t_call call = {writes(how), true, true, how < IWRITE ? T_BLOCK : T_START};

    return t_call_make(file, &call, 0, data, bytes, MPI_BYTE, status);
}

/** The next call, without faults, must do everything. */
static void next_call_works(MPI_File file)
{
    t_blocks mine = t_request_blocks(&request, t_rank);

    t_blocks_write(file, &mine, t_rank);
    t_blocks_read(file, &mine, t_rank);
    t_request_check(&request, 0, path, file_bytes());
}

/** One failing call. spec is for all ranks; it names the rank it is meant for. */
static void fails_with(const char *what, const char *more, int how, const char *spec, int class)
{
    t_blocks mine = t_request_blocks(&request, t_rank);
    unsigned char *data = t_blocks_data(&mine, writes(how) ? t_rank : -1);
    int bytes = (int) t_blocks_bytes(&mine), rc;
    MPI_Count count = 0;
    MPI_Status status;
    MPI_File file;
    int happened, any;

    if (open_with(more, &file)) {
        memset(&status, 0, sizeof(status));
        t_fault_set(spec);
        rc = transfer(file, how, data, bytes, &status);
        happened = 0 < t_fault_count();
        t_fault_set(NULL);
        MPI_Allreduce(&happened, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        t_fail_if(!any && 0 == t_rank, "the fault never happened: %s", spec);
        t_same_class(rc, class, what);
        count = t_elements(&status, MPI_BYTE);
        t_fail_if(0 > count || count > bytes, "%s: count %lld of %d", what, (long long) count,
                  bytes);
        t_check_partial(path, &request, writes(how) ? (int64_t) count : 0, file_bytes());
        next_call_works(file);
        t_ok(MPI_File_close(&file), "close");
    }
    free(data);
    t_verdict("%s_%d_%s", what, how, more);
}

/** The accesses of a rank (-1: of all) fail with an errno, `when` says from which on. */
static void fails(const char *what, const char *more, int how, int rank, int error,
                  const char *when, int class)
{
    char spec[128];

    snprintf(spec, sizeof(spec), "op=%s,match=errors,rank=%d,errno=%d,%s",
             writes(how) ? "write" : "read", rank, error, when);
    fails_with(what, more, how, spec, class);
}

static void every_pipeline(void)
{
    static const char *const schedules[] = {"none", "comm", "write", "write_comm", "write_comm2"};
    static const char *const transports[] = {"isend", "put_fence", "put_lock", "shm"};
    const char *what = "fails_in_cycle_3";
    char more[128];

    for (size_t s = 0; s < sizeof(schedules) / sizeof(schedules[0]); s++) {
        for (size_t t = 0; t < sizeof(transports) / sizeof(transports[0]); t++) {
            snprintf(more, sizeof(more), "schedule=%s,transport=%s", schedules[s], transports[t]);
            fails(what, more, WRITE, 1 < t_size ? 1 : 0, ENOSPC, "at=3", MPI_ERR_NO_SPACE);
            fails(what, more, READ, 0, EIO, "at=3", MPI_ERR_IO);
        }
        snprintf(more, sizeof(more), "schedule=%s,transport=isend", schedules[s]);
        fails(what, more, IWRITE, 0, EDQUOT, "at=3", MPI_ERR_QUOTA);
        fails(what, more, IREAD, 0, EIO, "at=3", MPI_ERR_IO);
    }
}

static void every_errno(void)
{
    static const struct {
        int value, class;
        const char *name;
    } table[] = {
        {ENOSPC, MPI_ERR_NO_SPACE, "ENOSPC"},
        {EDQUOT, MPI_ERR_QUOTA, "EDQUOT"},
        {EFBIG, MPI_ERR_QUOTA, "EFBIG"},
        {EACCES, MPI_ERR_ACCESS, "EACCES"},
        {EPERM, MPI_ERR_ACCESS, "EPERM"},
        {EROFS, MPI_ERR_READ_ONLY, "EROFS"},
        {EIO, MPI_ERR_IO, "EIO"},
        {ENXIO, MPI_ERR_IO, "ENXIO"},
    };
    const char *what = "disk_full_after_some_bytes";

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        fails(table[i].name, "schedule=none", WRITE, -1, table[i].value, "at=1", table[i].class);
        fails(table[i].name, "exchange=off", WRITE, t_size - 1, table[i].value, "at=1",
              table[i].class);
    }
    fails(what, "schedule=none", WRITE, 0, ENOSPC, "after=3333", MPI_ERR_NO_SPACE);
    fails(what, "schedule=write_comm2", WRITE, 0, ENOSPC, "after=3333", MPI_ERR_NO_SPACE);
    fails("EIO", "exchange=off", READ, 0, EIO, "at=1", MPI_ERR_IO);
}

/** One access fails, and the same one would work a moment later: it is not tried again in secret,
 *  all ranks are told, and the next call works. */
static void fails_once(void)
{
    static const char *const ways[] = {"exchange=off", "schedule=none,transport=isend",
                                       "schedule=write_comm2,transport=shm"};

    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        for (int how = WRITE; how <= IREAD; how++) {
            fails("single_EIO", ways[i], how, 0, EIO, "at=1,times=1", MPI_ERR_IO);
        }
    }
}

/** Fails many times: nothing may be left behind. Open MPI's lists of messages grow at times by a
 *  block; what a call leaves behind shows in every part. */
static void no_leak(const char *more, const char *name)
{
    enum { WARM = 20, TIMES = 50, PARTS = 4, LIMIT = 64 };
    t_blocks mine = t_request_blocks(&request, t_rank);
    unsigned char *data = t_blocks_data(&mine, t_rank);
    int bytes = (int) t_blocks_bytes(&mine);
    double before = 0, least = 1e9;
    char spec[128];
    MPI_Status status;
    MPI_File file;

    snprintf(spec, sizeof(spec), "op=write,match=errors,rank=0,errno=%d,at=3", EIO);
    if (open_with(more, &file)) {
        for (int i = 0; i <= WARM + TIMES * PARTS; i++) {
            if (i >= WARM && 0 == (i - WARM) % TIMES) {
                double used = t_memory_used();

                least = i > WARM && used - before < least ? used - before : least;
                before = used;
            }
            t_fault_set(spec);
            transfer(file, 0 == i % 2 ? WRITE : IWRITE, data, bytes, &status);
            t_fault_set(NULL);
        }
        t_fail_if(least > LIMIT * TIMES, "a failed call leaves %.0f bytes behind", least / TIMES);
        t_ok(MPI_File_close(&file), "close");
    }
    free(data);
    t_verdict("%s", name);
}

/** An aggregator, and a rank that is none, without memory for anything large. */
static void no_memory(void)
{
    const char *more = "schedule=none,transport=isend,keep=false", *fault = "rank=0,malloc=4000";

    fails_with("aggregator_cannot_allocate", more, WRITE, fault, MPI_ERR_NO_MEM);
    fails_with("aggregator_cannot_allocate", more, READ, fault, MPI_ERR_NO_MEM);
    fails_with("nobody_can_allocate", "schedule=write_comm,transport=isend", WRITE, "malloc=4000",
               MPI_ERR_NO_MEM);
}

/** Close frees the staging of a large exchange and keeps its plan. A rank that cannot allocate the
 *  staging for the next file ends the call with an error on all ranks. */
static void second_file(void)
{
    enum { BLOCK = 4096, WINDOW = 48 << 20 };
    int blocks = WINDOW / BLOCK / t_size, rc;
    unsigned char *data = calloc(2 * BLOCK, (size_t) blocks);
    MPI_Datatype view, memory;
    char hints[256];
    MPI_File file;

    snprintf(hints, sizeof(hints),
             "exchange=on,transport=isend,schedule=none,aggregator_list=0,buffer_bytes=%d", WINDOW);
    MPI_Type_vector(blocks, BLOCK, BLOCK * t_size, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    MPI_Type_vector(blocks, BLOCK, 2 * BLOCK, MPI_BYTE, &memory); /* so a message is packed */
    MPI_Type_commit(&memory);
    for (int round = 0; round < 2 && 1 < t_size; round++) {
        if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, hints, &file)) {
            break;
        }
        t_ok(MPI_File_set_view(file, (MPI_Offset) t_rank * BLOCK, MPI_BYTE, view, "native",
                               MPI_INFO_NULL),
             "set_view");
        t_fault_set(1 == round ? "rank=1,malloc=1000000" : NULL);
        rc = MPI_File_write_at_all(file, 0, data, 1, memory, MPI_STATUS_IGNORE);
        t_fault_set(NULL);
        t_same_class(rc, 1 == round ? MPI_ERR_NO_MEM : MPI_SUCCESS, "write");
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Type_free(&view);
    MPI_Type_free(&memory);
    free(data);
    t_verdict("second_file_cannot_allocate");
}

/** After `calls` writes, or reads, the node's segment can be enlarged no more. `auto` measures
 *  schedules with one and two collective buffers, because accesses take time that overlap may hide;
 *  so a call that reuses a plan needs a larger segment. */
static void segment_cannot_grow(const char *partition, bool write, int calls)
{
    enum { CALLS = 6, SLOW_MS = 2 };
    const t_request large = {700, 50, 33, 200}; /* `auto` measures it, and a write has marks */
    t_blocks mine = t_request_blocks(&large, t_rank);
    char hints[128], spec[64];
    MPI_File file;

    /* `auto` keeps no measurements for files with another buffer size */
    snprintf(hints, sizeof(hints),
             "exchange=on,transport=shm,keep=false,buffer_bytes=%dK,partition=%s", 32 + 4 * calls,
             partition);
    if (t_create(path, hints, &file)) {
        t_blocks_view(file, &mine);
        for (int i = 0; i < CALLS; i++) {
            snprintf(spec, sizeof(spec), "match=errors,delay_ms=%d,shm_errno=%d", SLOW_MS,
                     i < calls ? 0 : ENOSPC);
            t_fault_set(0 == i ? NULL : spec);
            if (write || 0 == i) {
                t_blocks_write(file, &mine, t_rank);
            } else {
                t_blocks_read(file, &mine, t_rank);
            }
        }
        t_fault_set(NULL);
        t_ok(MPI_File_close(&file), "close");
        t_request_check(&large, 0, path, 0);
    }
}

static void segments_cannot_grow(void)
{
    static const char *const partitions[] = {"memory", "even", "static_cyclic"};

    for (size_t p = 0; p < sizeof(partitions) / sizeof(partitions[0]); p++) {
        for (int calls = 0; calls < 5; calls++) {
            segment_cannot_grow(partitions[p], true, calls);
            segment_cannot_grow(partitions[p], false, calls);
        }
        t_verdict("segment_cannot_grow_%s", partitions[p]);
    }
}

/** GlusterFS returns EEXIST without O_EXCL while another node creates the file. */
static void created_by_others(void)
{
    MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_File file;

    for (int i = 0; i < 2; i++) {
        t_fault_set("match=errors,exists=3");
        t_same_class(
            MPI_File_open(comms[i], path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
            MPI_SUCCESS, "open while another node creates the file");
        t_fail_if((0 == t_rank || 1 == i) && 3 != t_fault_count(), "%lld opens failed",
                  t_fault_count());
        t_fault_set(NULL);
        if (MPI_FILE_NULL != file) {
            t_ok(MPI_File_close(&file), "close");
        }
        MPI_Barrier(MPI_COMM_WORLD);
        t_same_class(MPI_File_open(comms[i], path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR,
                                   MPI_INFO_NULL, &file),
                     MPI_ERR_FILE_EXISTS, "MPI_MODE_EXCL");
    }
    t_verdict("created_by_others");
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "errors");
    if (!t_fault_there()) {
        return t_skip_all("errors", "libfault is not preloaded");
    }
    every_errno();
    fails_once();
    every_pipeline();
    no_memory();
    second_file();
    segments_cannot_grow();
    created_by_others();
    no_leak("schedule=none,transport=isend", "failed_calls_leave_nothing_behind");
    no_leak("schedule=write_comm2,transport=shm", "failed_calls_leave_nothing_behind_shm");
    t_remove(path);
    return t_finish();
}
