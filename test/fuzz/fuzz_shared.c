/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Shared file pointers: ordered calls, and others one rank after the other, so that the order is
 * known. They need the same view on all ranks; elsewhere such a step is left out. */
#include "fuzz_run.h"

#include <stdlib.h>

static bool possible(const fuzz_run *run, const fuzz_handle *handle)
{
    for (int a = 1; a < run->ranks; a++) {
        if (!fuzz_view_equal(&handle->view[0], &handle->view[a])) {
            return false;
        }
    }
    return FUZZ_HAS(run->features, SHARED)
           && (FUZZ_HAS(run->features, SHARED_SECOND) || MPI_FILE_NULL == run->handle[1].file);
}

/** The parts follow each other in the file, in the order of the turns. */
static void prepare(fuzz_run *run, const fuzz_step *step, const int turn[], fuzz_call *call)
{
    fuzz_handle *handle = &run->handle[0];
    int64_t element = fuzz_leaf_size(handle->view[0].etype);

    *call = (fuzz_call){.request = MPI_REQUEST_NULL, .op = step->op[0]};
    call->op.handle = 0;
    call->op.at = false;
    call->op.collective = FUZZ_ORDERED == step->kind;
    if (MPI_MODE_WRONLY & handle->mode) {
        call->op.write = true;
    } else if (MPI_MODE_RDONLY & handle->mode) {
        call->op.write = false;
    }
    call->op.memory = FUZZ_HAS(run->features, MEMORY) ? call->op.memory : 0;
    fuzz_touch_clear(run);
    for (int i = 0; i < run->ranks; i++) {
        fuzz_part_make(run, call, turn[i], handle->shared, INT64_MAX);
        call->part[turn[i]].takes_part = true;
        handle->shared += call->part[turn[i]].bytes / element;
    }
    fuzz_buffer_make(run, call);
}

static void finish(fuzz_run *run, fuzz_call *call)
{
    fuzz_call_apply(run, call);
    fuzz_buffer_check(run, call);
    MPI_Type_free(&call->type);
    fuzz_call_free(call);
}

static int ordered(MPI_File file, fuzz_call *call, void *buffer, int count)
{
    int rc;

    if (T_BEGIN != call->op.how) {
        return call->op.write
                   ? MPI_File_write_ordered(file, buffer, count, call->type, &call->status)
                   : MPI_File_read_ordered(file, buffer, count, call->type, &call->status);
    }
    if (call->op.write) {
        rc = MPI_File_write_ordered_begin(file, buffer, count, call->type);
        return MPI_SUCCESS != rc ? rc : MPI_File_write_ordered_end(file, buffer, &call->status);
    }
    rc = MPI_File_read_ordered_begin(file, buffer, count, call->type);
    return MPI_SUCCESS != rc ? rc : MPI_File_read_ordered_end(file, buffer, &call->status);
}

void fuzz_ordered(fuzz_run *run, const fuzz_step *step)
{
    int turn[FUZZ_RANKS];
    fuzz_call call;

    if (!possible(run, &run->handle[0])) {
        return;
    }
    for (int i = 0; i < run->ranks; i++) {
        turn[i] = i;
    }
    prepare(run, step, turn, &call);
    call.op.how = FUZZ_HAS(run->features, SPLIT) ? call.op.how : T_BLOCK;
    fuzz_show(run, "    %s_ordered%s", call.op.write ? "write" : "read",
              T_BEGIN == call.op.how ? "_begin" : "");
    fuzz_call_show(run, &call);
    fuzz_ok(run,
            ordered(run->handle[0].file, &call, fuzz_buffer_origin(run, &call),
                    call.part[run->rank].count),
            "..._ordered");
    finish(run, &call);
}

static int one_shared(MPI_File file, fuzz_call *call, void *buffer, int count)
{
    int rc;

    if (T_START != call->op.how) {
        return call->op.write
                   ? MPI_File_write_shared(file, buffer, count, call->type, &call->status)
                   : MPI_File_read_shared(file, buffer, count, call->type, &call->status);
    }
    rc = call->op.write ? MPI_File_iwrite_shared(file, buffer, count, call->type, &call->request)
                        : MPI_File_iread_shared(file, buffer, count, call->type, &call->request);
    return MPI_SUCCESS != rc ? rc : MPI_Wait(&call->request, &call->status);
}

void fuzz_in_turn(fuzz_run *run, const fuzz_step *step)
{
    int turn[FUZZ_RANKS];
    fuzz_call call;

    if (!possible(run, &run->handle[0])) {
        return;
    }
    for (int i = 0; i < run->ranks; i++) {
        turn[i] = (int) ((i + step->seed % (unsigned) run->ranks) % (unsigned) run->ranks);
    }
    prepare(run, step, turn, &call);
    call.op.how = FUZZ_HAS(run->features, NONBLOCKING) ? call.op.how : T_BLOCK;
    fuzz_show(run, "    %s_shared, first rank %d", call.op.write ? "write" : "read", turn[0]);
    fuzz_call_show(run, &call);
    for (int i = 0; i < run->ranks; i++) {
        if (run->rank == turn[i]) {
            fuzz_ok(run,
                    one_shared(run->handle[0].file, &call, fuzz_buffer_origin(run, &call),
                               call.part[run->rank].count),
                    "..._shared");
        }
        MPI_Barrier(run->comm);
    }
    finish(run, &call);
}

void fuzz_seek_shared(fuzz_run *run, const fuzz_step *step)
{
    fuzz_handle *handle = &run->handle[0];
    MPI_Offset to = step->value % 500, position = -1;

    if (!possible(run, handle) || !FUZZ_HAS(run->features, SEEK)) {
        return;
    }
    fuzz_show(run, "    seek_shared %lld %s", (long long) to, step->whence & 1 ? "CUR" : "SET");
    fuzz_ok(run,
            MPI_File_seek_shared(handle->file, to, step->whence & 1 ? MPI_SEEK_CUR : MPI_SEEK_SET),
            "seek_shared");
    handle->shared = to + (step->whence & 1 ? handle->shared : 0);
    MPI_Barrier(run->comm);
    fuzz_ok(run, MPI_File_get_position_shared(handle->file, &position), "get_position_shared");
    if (position != handle->shared) {
        fuzz_fail(run, "the shared pointer is at %lld, not %lld", (long long) position,
                  (long long) handle->shared);
    }
    MPI_Barrier(run->comm);
}
