/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The calls that move data, and what this rank checks of each. */
#include "fuzz_run.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 48, GUARD = 0xA6 };

const char *fuzz_call_name(const fuzz_op *op)
{
    static const char *const names[2][2][3] = {
        {{"read", "iread", "read"}, {"write", "iwrite", "write"}},
        {{"read_all", "iread_all", "read_all_begin"},
         {"write_all", "iwrite_all", "write_all_begin"}}};

    return names[op->collective][op->write][op->how];
}

unsigned char *fuzz_buffer_origin(const fuzz_run *run, const fuzz_call *call)
{
    if (0 == call->part[run->rank].count && 0 != (call->op.seed & 4)) {
        return NULL; /* who has nothing may have no memory either */
    }
    return call->memory + ROOM - call->part[run->rank].low;
}

/** The user's memory: written data have a value in every byte, also in those between them. */
void fuzz_buffer_make(fuzz_run *run, fuzz_call *call)
{
    const fuzz_part *part = &call->part[run->rank];
    int64_t bytes = part->high - part->low;

    call->memory = t_alloc((size_t) bytes + 2 * ROOM);
    memset(call->memory, GUARD, (size_t) bytes + 2 * ROOM);
    for (int64_t i = 0; call->op.write && i < bytes; i++) {
        call->memory[ROOM + i] = fuzz_value(run, call, run->rank, part->low + i);
    }
    call->type = fuzz_type_make(part->type);
}

static t_call call_of(const fuzz_op *op)
{
    return (t_call){op->write, op->collective, op->at, op->how};
}

/* What a thread needs to make a call. */
typedef struct fuzz_work {
    MPI_File file;
    const fuzz_part *part;
    void *buffer;
    fuzz_call *call;
} fuzz_work;

static void *make_call(void *argument)
{
    fuzz_work *work = argument;
    fuzz_call *call = work->call;
    t_call made = call_of(&call->op);

    call->rc = t_call_start(work->file, &made, work->part->offset, work->buffer, work->part->count,
                            call->type, &call->status, &call->request);
    return NULL;
}

static void start(fuzz_run *run, fuzz_call *call, fuzz_work *work, bool thread)
{
    const fuzz_part *part = &call->part[run->rank];
    MPI_File file = run->handle[call->op.handle].file;

    fuzz_buffer_make(run, call);
    if (!part->takes_part) {
        call->done = true;
        return;
    }
    work->file = file;
    work->part = part;
    work->buffer = fuzz_buffer_origin(run, call);
    work->call = call;
    call->done = T_BLOCK == call->op.how;
    call->has_thread = thread && 0 == pthread_create(&call->thread, NULL, make_call, work);
    if (!call->has_thread) {
        make_call(work);
        fuzz_ok(run, call->rc, fuzz_call_name(&call->op));
    }
}

/** True if a thread may make this call, beside the others of the step: one collective call per
 *  handle, and nobody moves a file pointer beside it. */
static bool may_thread(const fuzz_run *run, const fuzz_step *step, const fuzz_call *call)
{
    if (!step->threads || !FUZZ_HAS(run->features, THREADS) || T_BLOCK != call->op.how
        || !call->op.at) {
        return false;
    }
    for (int i = 0; call->op.collective && i < step->ops; i++) {
        int other = FUZZ_HAS(run->features, SECOND) ? step->op[i].handle : 0;

        if (i != call->number && other == call->op.handle
            && (step->op[i].collective || !FUZZ_HAS(run->features, INDIVIDUAL))) {
            return false;
        }
    }
    return true;
}

/** Split calls end here; requests are waited for in one of four ways. */
static void complete(fuzz_run *run, const fuzz_step *step, fuzz_call call[], int calls)
{
    MPI_Request request[FUZZ_OPS];
    MPI_Status status[FUZZ_OPS];

    for (int i = 0; i < calls; i++) {
        if (call[i].has_thread) {
            pthread_join(call[i].thread, NULL);
            fuzz_ok(run, call[i].rc, fuzz_call_name(&call[i].op));
        }
    }
    for (int i = 0; i < calls; i++) {
        MPI_File file = run->handle[call[i].op.handle].file;
        void *buffer = fuzz_buffer_origin(run, &call[i]);

        if (T_BEGIN == call[i].op.how) {
            t_call made = call_of(&call[i].op);

            fuzz_ok(run, t_call_end(file, &made, buffer, &call[i].status, NULL), "..._end");
            call[i].done = true;
        }
    }
    for (int i = 0; i < calls; i++) {
        fuzz_call *c = &call[1 == step->completion ? calls - 1 - i : i];
        int flag = c->done;

        while (!flag && 2 == step->completion) {
            fuzz_ok(run, MPI_Test(&c->request, &flag, &c->status), "MPI_Test");
        }
        if (!flag && 0 != step->completion) {
            fuzz_ok(run, MPI_Wait(&c->request, &c->status), "MPI_Wait");
        }
        request[i] = c->request;
    }
    if (0 == step->completion) {
        fuzz_ok(run, MPI_Waitall(calls, request, status), "MPI_Waitall");
        for (int i = 0; i < calls; i++) {
            if (!call[i].done) {
                call[i].status = status[i];
            }
        }
    }
}

/** False when a byte is wrong; the rest of the memory is not looked at then. */
static bool check_read(fuzz_run *run, const fuzz_call *call)
{
    const fuzz_part *part = &call->part[run->rank];
    const fuzz_view *view = &run->handle[call->op.handle].view[run->rank];
    unsigned char *memory = fuzz_buffer_origin(run, call);
    int64_t whole = part->there, i = 0;

    if (view->external) { /* a part of an element cannot be converted */
        whole -= whole % fuzz_leaf_size(view->etype);
    }
    for (int s = 0; s < part->file.count; s++) {
        fuzz_segment segment = part->file.segment[s];

        for (int64_t b = 0; b < segment.length; b++, i++) {
            unsigned char want = run->bytes[segment.at - run->plan->far + b];
            unsigned char have = memory[part->memory[i]];

            if (i < whole && want != have) {
                fuzz_fail(run, "%s: byte %lld of %lld (file offset %lld) is %02x, not %02x",
                          fuzz_call_name(&call->op), (long long) i, (long long) part->bytes,
                          (long long) (segment.at + b), have, want);
                return false;
            }
            memory[part->memory[i]] = GUARD; /* what is left is around the data */
        }
    }
    return true;
}

void fuzz_buffer_check(fuzz_run *run, const fuzz_call *call)
{
    const fuzz_part *part = &call->part[run->rank];
    int64_t bytes = part->high - part->low;
    int count = -1;

    if (part->takes_part) {
        MPI_Get_count(&call->status, MPI_BYTE, &count);
        if (count != part->there) {
            fuzz_fail(run, "%s: status counts %d bytes, not %lld (of %lld)",
                      fuzz_call_name(&call->op), count, (long long) part->there,
                      (long long) part->bytes);
        }
    }
    if (!call->op.write && !check_read(run, call)) {
        return;
    }
    for (int64_t i = 0; i < bytes + 2 * ROOM; i++) {
        bool inside = call->op.write && ROOM <= i && i < ROOM + bytes;
        unsigned char want = inside ? fuzz_value(run, call, run->rank, part->low + i - ROOM)
                                    : GUARD;

        if (want != call->memory[i]) {
            fuzz_fail(run, "%s: the memory at %lld of [0,%lld) was changed to %02x",
                      fuzz_call_name(&call->op), (long long) (i - ROOM), (long long) bytes,
                      call->memory[i]);
            return;
        }
    }
}

/** Between many calls ranks do different things: one looks at a request, another comes late. */
static void linger(fuzz_run *run, const fuzz_step *step, fuzz_call call[], int calls)
{
    uint64_t draw = t_mix(step->seed + (uint64_t) (calls * FUZZ_RANKS + run->who[run->rank]));
    fuzz_call *c = &call[draw / 64 % (uint64_t) calls];
    int flag = 0;

    if (FUZZ_MANY != step->kind) {
        return;
    }
    if (0 == draw % 64) {
        usleep((useconds_t) (draw >> 32) % 400);
    } else if (0 == draw % 5 && T_START == c->op.how && !c->done) {
        fuzz_ok(run, MPI_Test(&c->request, &flag, &c->status), "MPI_Test");
        c->done = flag;
    }
}

static int most_calls(const fuzz_run *run, const fuzz_step *step)
{
    int most = FUZZ_HAS(run->features, MANY) ? FUZZ_OPS : FUZZ_BURST;

    most = FUZZ_HAS(run->features, BURST) ? most : 1;
    return step->ops < most ? step->ops : most;
}

void fuzz_call_make(fuzz_run *run, const fuzz_step *step, fuzz_call call[], int calls)
{
    fuzz_work work[FUZZ_OPS];

    for (int i = 0; i < calls; i++) {
        start(run, &call[i], &work[i], may_thread(run, step, &call[i]));
        linger(run, step, call, i + 1);
    }
    complete(run, step, call, calls);
}

void fuzz_data(fuzz_run *run, const fuzz_step *step)
{
    int calls = most_calls(run, step);
    fuzz_call *call = t_alloc((size_t) calls * sizeof(*call));
    int made = 0;

    fuzz_touch_clear(run);
    for (int i = 0; i < calls; i++) {
        if (fuzz_call_prepare(run, step, i, &call[made])) {
            fuzz_call_show(run, &call[made]);
            made++;
        }
    }
    fuzz_call_make(run, step, call, made);
    for (int i = 0; i < made; i++) {
        fuzz_call_apply(run, &call[i]);
    }
    for (int i = 0; i < made; i++) {
        fuzz_buffer_check(run, &call[i]);
        MPI_Type_free(&call[i].type);
        fuzz_call_free(&call[i]);
    }
    free(call);
}
