/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The ways a program can ask for its bytes: one call with a file view (levels 2 and 3), one call
 * per piece (levels 0 and 1), or plain pwrite and pread of one stretch per rank (the limit).
 *
 * A plan with one call per step sets its view once, when the file is opened: the type is as long
 * as a step, so that step n starts n * my bytes into the view (BTIO does so). A plan with several
 * variables sets a view for each, as PnetCDF does.
 */
#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add_segment(void *arg, char *mem, int64_t offset, int64_t length)
{
    bench_segments_t *segments = arg;

    if (segments->count == segments->room) {
        segments->room = segments->room > 0 ? 2 * segments->room : 64;
        segments->list = realloc(segments->list, (size_t) segments->room * sizeof(bench_segment_t));
        if (NULL == segments->list) {
            bench_die("out of memory for %lld segments", (long long) segments->room);
        }
    }
    segments->list[segments->count++] = (bench_segment_t){mem, offset, length};
}

void bench_make_segments(bench_run_t *run)
{
    int n = run->plan->call_count;

    run->segments = bench_alloc((int64_t) sizeof(bench_segments_t) * n);
    memset(run->segments, 0, sizeof(bench_segments_t) * (size_t) n);
    for (int i = 0; i < n; i++) {
        bench_walk(&run->plan->calls[i], run->buffer, add_segment, &run->segments[i]);
        run->segments[i].most = run->segments[i].count;
        MPI_Allreduce(MPI_IN_PLACE, &run->segments[i].most, 1, MPI_INT64_T, MPI_MAX, run->comm);
    }
}

void bench_free_segments(bench_run_t *run)
{
    for (int i = 0; NULL != run->segments && i < run->plan->call_count; i++) {
        free(run->segments[i].list);
    }
    free(run->segments);
}

static void wait_calls(bench_run_t *run)
{
    if (run->request_count > 0) {
        bench_mpi(MPI_Waitall(run->request_count, run->requests, MPI_STATUSES_IGNORE), "wait");
        run->request_count = 0;
    }
}

static void start_call(bench_run_t *run, bool all, int64_t offset, void *mem, int count,
                       MPI_Datatype type)
{
    MPI_Request *request = &run->requests[run->request_count++];
    int rc;

    if (run->write) {
        rc = all ? MPI_File_iwrite_at_all(run->file, offset, mem, count, type, request)
                 : MPI_File_iwrite_at(run->file, offset, mem, count, type, request);
    } else {
        rc = all ? MPI_File_iread_at_all(run->file, offset, mem, count, type, request)
                 : MPI_File_iread_at(run->file, offset, mem, count, type, request);
    }
    bench_mpi(rc, run->write ? "iwrite" : "iread");
    if (run->request_count == run->opt->outstanding) {
        wait_calls(run);
    }
}

static void at_call(bench_run_t *run, bool all, int64_t offset, void *mem, int count,
                    MPI_Datatype type)
{
    MPI_Status status;
    int rc;

    if (run->opt->outstanding > 0) {
        start_call(run, all, offset, mem, count, type);
        return;
    }
    if (run->write) {
        rc = all ? MPI_File_write_at_all(run->file, offset, mem, count, type, &status)
                 : MPI_File_write_at(run->file, offset, mem, count, type, &status);
    } else {
        rc = all ? MPI_File_read_at_all(run->file, offset, mem, count, type, &status)
                 : MPI_File_read_at(run->file, offset, mem, count, type, &status);
    }
    bench_mpi(rc, run->write ? "write" : "read");
}

static void set_view(bench_run_t *run, int64_t at, MPI_Datatype type)
{
    MPI_Datatype etype = run->plan->etype;
    double begin;

    wait_calls(run); /* MPI wants no call under way here */
    begin = bench_now();
    bench_mpi(MPI_File_set_view(run->file, at, etype, MPI_DATATYPE_NULL != type ? type : etype,
                                "native", MPI_INFO_NULL),
              "set_view");
    run->view_seconds += bench_now() - begin;
}

/** Levels 2 and 3: the whole call at once, through a view where the file part has holes. */
static void whole_call(bench_run_t *run, int step, const bench_call_t *call)
{
    int64_t start = step * run->plan->step_bytes + call->base;
    int64_t offset = 0;
    int etype_bytes;
    int count = call->bytes > 0;
    MPI_Datatype type = call->mem_type;
    bool all = 3 == run->opt->level;

    if (MPI_DATATYPE_NULL == type) {
        type = MPI_BYTE;
        count = (int) call->bytes;
    }
    MPI_Type_size(run->plan->etype, &etype_bytes);
    if (MPI_DATATYPE_NULL != run->view_type) { /* set at open, tiled over the steps */
        offset = step * call->bytes / etype_bytes;
    } else if (run->plan->view) {
        set_view(run, start, call->file_type);
    } else {
        offset = start + (call->count > 0 ? call->pieces[0].offset : 0);
    }
    at_call(run, all, offset, run->buffer + call->mem_base, count, type);
}

/** Levels 0 and 1: a call per contiguous stretch; level 1 needs all ranks in every call. */
static void piece_calls(bench_run_t *run, int step, int index)
{
    const bench_segments_t *segments = &run->segments[index];
    int64_t start = step * run->plan->step_bytes + run->plan->calls[index].base;
    bool all = 1 == run->opt->level;
    int64_t n = all ? segments->most : segments->count;

    for (int64_t i = 0; i < n; i++) {
        const bench_segment_t *s = &segments->list[i];
        bool have = i < segments->count;

        at_call(run, all, have ? start + s->offset : 0, have ? s->mem : run->buffer,
                have ? (int) s->length : 0, MPI_BYTE);
    }
}

/** The limit: one contiguous stretch per rank, repeated only if the kernel stops short. */
static void plain_call(bench_run_t *run, int step)
{
    const bench_call_t *call = &run->plan->calls[0];
    int64_t offset = step * run->plan->step_bytes + (call->count > 0 ? call->pieces[0].offset : 0);

    for (int64_t done = 0; done < call->bytes;) {
        size_t left = (size_t) (call->bytes - done);
        ssize_t n = run->write ? pwrite(run->fd, run->buffer + done, left, offset + done)
                               : pread(run->fd, run->buffer + done, left, offset + done);

        if (n <= 0) {
            bench_die("%s: %s", run->path, n < 0 ? strerror(errno) : "end of file");
        }
        done += n;
    }
}

void bench_do_step(bench_run_t *run, int step)
{
    if (BENCH_API_LIMIT == run->opt->api) {
        plain_call(run, step);
    } else {
        for (int i = 0; i < run->plan->call_count; i++) {
            if (run->opt->level >= 2) {
                whole_call(run, step, &run->plan->calls[i]);
            } else {
                piece_calls(run, step, i);
            }
        }
        wait_calls(run);
    }
    if (run->opt->sync && run->write) {
        if (BENCH_API_LIMIT == run->opt->api) {
            fsync(run->fd);
        } else {
            bench_mpi(MPI_File_sync(run->file), "sync");
        }
    }
}

/** The number of this rank's node, counted by their first ranks. */
static int node_number(MPI_Comm comm)
{
    MPI_Comm node;
    int first;
    int number = 0;

    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &first);
    first = 0 == first;
    MPI_Scan(&first, &number, 1, MPI_INT, MPI_SUM, comm); /* first ranks up to this one */
    number--;
    MPI_Bcast(&number, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    return number;
}

static void set_hint(MPI_Info info, const char *hint)
{
    char key[64];
    const char *value = strchr(hint, '=') + 1;

    snprintf(key, sizeof(key), "%.*s", (int) (value - 1 - hint), hint);
    MPI_Info_set(info, key, value);
}

static void set_node_hint(MPI_Info info, const char *hint, int node)
{
    const char *value = strchr(hint, '=') + 1;
    const char *next = strchr(value, ',');
    char key[64];
    char mine[64];

    snprintf(key, sizeof(key), "%.*s", (int) (value - 1 - hint), hint);
    for (; node > 0 && NULL != next; node--) {
        value = next + 1;
        next = strchr(value, ',');
    }
    snprintf(mine, sizeof(mine), "%.*s", (int) strcspn(value, ","), value);
    MPI_Info_set(info, key, mine);
}

static MPI_Info make_info(const bench_run_t *run)
{
    const bench_options_t *opt = run->opt;
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < opt->hint_count; i++) {
        set_hint(info, opt->hints[i]);
    }
    if (NULL != opt->read_hint && !run->write) {
        set_hint(info, opt->read_hint);
    }
    if (NULL != opt->node_hint) {
        set_node_hint(info, opt->node_hint, node_number(run->comm));
    }
    return info;
}

void bench_open_file(bench_run_t *run)
{
    int mode = run->write ? MPI_MODE_CREATE | MPI_MODE_RDWR : MPI_MODE_RDONLY;
    const bench_call_t *call = &run->plan->calls[0];
    MPI_Info info;

    if (BENCH_API_LIMIT == run->opt->api) {
        run->fd = open(run->path, (run->write ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC, 0644);
        if (run->fd < 0) {
            bench_die("%s: %s", run->path, strerror(errno));
        }
        return;
    }
    info = make_info(run);
    bench_mpi(MPI_File_open(run->comm, run->path, mode, info, &run->file), run->path);
    MPI_Info_free(&info);
    if (run->plan->view && 1 == run->plan->call_count && run->opt->level >= 2) {
        if (MPI_DATATYPE_NULL != call->file_type) {
            MPI_Type_create_resized(call->file_type, 0, run->plan->step_bytes, &run->view_type);
        } else { /* no data here, but set_view is collective */
            MPI_Type_contiguous(1, run->plan->etype, &run->view_type);
        }
        MPI_Type_commit(&run->view_type);
        set_view(run, 0, run->view_type);
    }
}

void bench_close_file(bench_run_t *run)
{
    if (BENCH_API_LIMIT == run->opt->api) {
        close(run->fd);
        return;
    }
    bench_mpi(MPI_File_close(&run->file), "close");
    if (MPI_DATATYPE_NULL != run->view_type) {
        MPI_Type_free(&run->view_type);
    }
}
