/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Whole individual requests: Build-IO and access, by one thread or several.
 *
 *   stream   |<----------------------- bytes ----------------------->|
 *   cycles   |    0     |    1     |    2     |    3     |    4      |
 *   threads       A          B          A          C          B         the next free thread
 *
 * Cycles are independent: the prefix sums of the tilings give the place of a cycle in both lists.
 * A cycle goes one of two ways:
 *
 *   pack     memory pieces --copy--> staging buffer --large blocks--> file
 *            for memory pieces so small that a vector entry costs more than copying them
 *   match    segments (Build-IO) straight between memory and file: vectors, single calls, sieving
 *
 * Bytes are counted in stream order: a request has moved the bytes before the first byte that
 * failed, so the lowest failed position of all cycles is the result, and cycles after that
 * position are not begun.
 */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "access/access_transfer.h"
#include "access/pool.h"

enum {
    SEGMENTS_MAX = 32768, /* segments of one cycle: 768 KiB per thread */
    SERIAL_BELOW = 8192,  /* pieces + bytes / 4 KiB below which threads do not pay */
    CYCLES_PER_THREAD = 4 /* more than 1, so that one slow cycle does not delay the request */
};
static const int64_t stage_default = INT64_C(1) << 20;
static const int64_t cycle_least = INT64_C(256) << 10;

struct request {
    collio_job_t *job;     /* the whole request; its lock is held if it needs one */
    bool pack;             /* cycles go through staging buffers */
    int64_t cycle_bytes;   /* bytes of a cycle */
    size_t room;           /* capacity of a thread's segment list */
    int threads;           /* threads that share the cycles */
    _Atomic int64_t next;  /* stream position of the next cycle */
    _Atomic int64_t stop;  /* lowest stream position that was not transferred */
    pthread_mutex_t mutex; /* protects `stop` and the outcome of the job */
};

static void record_stop(struct request *request, int64_t position, const collio_outcome_t *outcome)
{
    pthread_mutex_lock(&request->mutex);
    if (position < atomic_load(&request->stop)) {
        atomic_store(&request->stop, position);
        request->job->outcome.error = outcome->error;
        request->job->outcome.stop_offset = outcome->stop_offset;
    }
    pthread_mutex_unlock(&request->mutex);
}

/* Returns the bytes of the segments, in list order, before the first byte that was not moved. */
static int64_t prefix_bytes(const collio_segment_t *segments, size_t count, int64_t stop_offset)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < count; ++i) {
        if (segments[i].offset + segments[i].length > stop_offset) {
            return segments[i].offset < stop_offset ? bytes + stop_offset - segments[i].offset
                                                    : bytes;
        }
        bytes += segments[i].length;
    }
    return bytes;
}

/* Moves pieces whose file offsets do not ascend: one by one, in stream order. */
static int64_t move_unsorted(struct request *request, const collio_segment_t *segments,
                             size_t count, collio_outcome_t *outcome)
{
    for (size_t i = 0; i < count && INT64_MAX == outcome->stop_offset; ++i) {
        collio_access_segments(request->job->access, request->job->write, request->job->lock.held,
                               &segments[i], 1, outcome);
    }
    return outcome->bytes;
}

static void count_build(const collio_access_t *access, uint64_t start)
{
    COLLIO_COUNT(access, build_ns, collio_count_now(access) - start);
}

/* Moves the segments of `build`; returns the bytes before the first byte that was not moved. */
static int64_t move(struct request *request, collio_buildio_t *build, collio_segment_t *segments,
                    collio_outcome_t *outcome)
{
    int64_t moved = 0;
    int64_t wanted = build->remaining;

    while (moved < wanted && INT64_MAX == outcome->stop_offset) {
        uint64_t start = collio_count_now(request->job->access);
        size_t count = collio_buildio_next(build, segments, request->room);

        count_build(request->job->access, start);
        collio_outcome_init(outcome);
        if (request->job->file->ascending) {
            collio_access_segments(request->job->access, request->job->write,
                                   request->job->lock.held, segments, count, outcome);
            moved += prefix_bytes(segments, count, outcome->stop_offset);
        } else {
            moved += move_unsorted(request, segments, count, outcome);
        }
    }
    return moved;
}

static int64_t cycle_packed(struct request *request, int64_t position, int64_t bytes, char *stage,
                            collio_segment_t *segments, collio_outcome_t *outcome)
{
    const collio_access_t *access = request->job->access;
    collio_buildio_t build;
    uint64_t start = collio_count_now(access);
    int64_t moved;

    if (request->job->write) {
        collio_tiling_pack(request->job->memory, request->job->base, position, bytes, stage);
        count_build(access, start);
    }
    collio_buildio_init_packed(&build, request->job->file, request->job->first + position, stage,
                               bytes);
    moved = move(request, &build, segments, outcome);
    if (!request->job->write) {
        start = collio_count_now(access);
        collio_tiling_unpack(request->job->memory, request->job->base, position, moved, stage);
        count_build(access, start);
    }
    COLLIO_COUNT(access, copied_bytes, (uint64_t) moved);
    return moved;
}

static int64_t cycle_matched(struct request *request, int64_t position, int64_t bytes,
                             collio_segment_t *segments, collio_outcome_t *outcome)
{
    collio_buildio_t build;

    collio_buildio_init(&build, request->job->file, request->job->first + position,
                        request->job->memory, position, request->job->base, bytes);
    return move(request, &build, segments, outcome);
}

/* Runs on each thread: carries out cycles until none is left or one has failed. */
static void work(void *arg)
{
    struct request *request = arg;
    collio_segment_t one, *segments = &one;
    collio_outcome_t outcome;
    char *stage = NULL;

    collio_outcome_init(&outcome);
    if (1 < request->room) {
        segments = malloc(request->room * sizeof(*segments));
    }
    if (request->pack) {
        stage = malloc((size_t) request->cycle_bytes);
    }
    for (;;) {
        int64_t position = atomic_fetch_add(&request->next, request->cycle_bytes);
        int64_t bytes = request->job->bytes - position;
        int64_t moved = 0;

        if (position >= request->job->bytes || position >= atomic_load(&request->stop)) {
            break;
        }
        bytes = collio_min(bytes, request->cycle_bytes);
        collio_outcome_init(&outcome);
        if (NULL == segments || (request->pack && NULL == stage)) {
            outcome.error = ENOMEM;
        } else if (request->pack) {
            moved = cycle_packed(request, position, bytes, stage, segments, &outcome);
        } else {
            moved = cycle_matched(request, position, bytes, segments, &outcome);
        }
        if (moved < bytes) {
            record_stop(request, position + moved, &outcome);
        }
    }
    free(stage);
    if (&one != segments) {
        free(segments);
    }
}

/* Returns the bytes of a cycle: as many as fit in the staging buffer or the segment list, and fewer
 * if some threads would have no cycle. */
static int64_t choose_cycle(const struct request *request, int64_t pieces)
{
    const collio_access_t *access = request->job->access;
    int64_t cycle = request->job->bytes;

    if (request->pack) {
        cycle = collio_or_default((int64_t) access->tuning.stage_bytes, stage_default);
    } else if (pieces > SEGMENTS_MAX) {
        cycle = request->job->bytes / (pieces / SEGMENTS_MAX + 1) + 1;
    }
    if (1 < request->threads) {
        int64_t share = request->job->bytes / (request->threads * CYCLES_PER_THREAD) + 1;

        cycle = collio_min(cycle, collio_max(share, cycle_least));
    }
    return collio_clamp(cycle, 1, request->job->bytes);
}

static void plan(struct request *request)
{
    collio_access_t *access = request->job->access;
    int64_t file_pieces = collio_buildio_pieces(request->job->file, request->job->first,
                                                request->job->bytes);
    int64_t memory_pieces = collio_buildio_pieces(request->job->memory, 0, request->job->bytes);
    int64_t pieces = file_pieces + memory_pieces - 1;
    int64_t serial_below = collio_or_default(access->tuning.serial_below, SERIAL_BELOW);
    collio_method_t used = (collio_method_t) access->tuning.method;

    if (1 == pieces) {
        used = COLLIO_METHOD_DIRECT;
    } else if (COLLIO_METHOD_AUTO == used) {
        used = memory_pieces > file_pieces
                       && request->job->bytes / memory_pieces < COLLIO_PACK_BELOW
                   ? COLLIO_METHOD_PACK
                   : COLLIO_METHOD_VECTOR;
    }
    request->pack = COLLIO_METHOD_PACK == used;
    request->threads = access->tuning.threads;
    if (pieces + request->job->bytes / 4096 < serial_below) {
        request->threads = 1;
    }
    request->cycle_bytes = choose_cycle(request, pieces);
    request->room = (size_t) collio_clamp(request->pack ? file_pieces : pieces, 1, SEGMENTS_MAX);
    request->threads = (int) collio_clamp(request->threads, 1,
                                          (request->job->bytes - 1) / request->cycle_bytes + 1);
    COLLIO_COUNT(access, method_used[used], 1);
    COLLIO_COUNT(access, pieces_in, (uint64_t) pieces);
}

bool collio_job_is_piece(const collio_job_t *job, int64_t *offset, char **addr)
{
    collio_cursor_t file, memory;
    int64_t file_run, memory_run;

    collio_cursor_seek(&file, job->file, job->first);
    collio_cursor_seek(&memory, job->memory, 0);
    *offset = collio_cursor_run(&file, &file_run);
    *addr = job->base + collio_cursor_run(&memory, &memory_run);
    return file_run >= job->bytes && memory_run >= job->bytes;
}

static void carry_out(struct request *request)
{
    collio_job_t *job = request->job;

    if (1 < request->threads) {
        collio_pool_run(request->threads, work, request);
    } else {
        work(request);
    }
    job->outcome.bytes = collio_clamp(atomic_load(&request->stop), 0, job->bytes);
    collio_count_transfer(job->access, job->write, job->outcome.bytes);
}

/* Short path for one piece in the file and in memory, without locks and too small for threads: most
 * calls of many programs. Needs no Build-IO. Returns false if the job does not qualify. */
static bool carry_out_piece(collio_job_t *job)
{
    enum { PIECE_MAX = 1 << 20 };
    collio_access_t *access = job->access;
    collio_outcome_t *outcome = &job->outcome;
    int64_t offset;
    char *addr;

    if (job->bytes > PIECE_MAX || COLLIO_HELD_NONE != job->lock.held
        || collio_access_locks(access, job->write) || !collio_job_is_piece(job, &offset, &addr)) {
        return false;
    }
    outcome->bytes = collio_transfer_block(access, job->write, offset, addr, job->bytes,
                                           &outcome->error);
    if (outcome->bytes < job->bytes) {
        outcome->stop_offset = offset + outcome->bytes;
    }
    COLLIO_COUNT(access, method_used[COLLIO_METHOD_DIRECT], 1);
    COLLIO_COUNT(access, pieces_in, 1);
    collio_count_transfer(access, job->write, outcome->bytes);
    return true;
}

/* Takes the lock on the whole request if the file or several threads require it: threads cannot
 * wait for locks window by window. Returns false if the job has failed. */
static bool lock_whole(struct request *request)
{
    collio_job_t *job = request->job;

    return COLLIO_HELD_NONE != job->lock.held
           || (!collio_access_locks_whole(job->access) && 1 >= request->threads)
           || collio_job_lock_wait(job);
}

void collio_access_run_request(collio_job_t *job)
{
    struct request request = {.job = job};

    if (0 >= job->bytes || 0 == job->file->size || 0 == job->memory->size || carry_out_piece(job)) {
        return;
    }
    atomic_init(&request.stop, INT64_MAX);
    pthread_mutex_init(&request.mutex, NULL);
    plan(&request);
    if (lock_whole(&request)) {
        carry_out(&request);
    }
    pthread_mutex_destroy(&request.mutex);
}
