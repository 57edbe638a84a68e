/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * RMA windows over collective buffers. See put.h.
 */
#include "transport/put.h"

#include "transport/transport.h"

#include <stdlib.h>

#include "transport/put_defects.h"

#include "core/number.h"

enum { PUT_MAX = 1 << 30 }; /* counts of one-sided calls are int in MPI-3 */

static void fail_put(const collio_exchange_t *ex)
{
    ex->file->context->kept->put.failed = true;
    if (0 == ex->file->rank) {
        collio_file_help(ex->file, COLLIO_HELP_NO_WINDOW, ex->way.transport->name);
    }
}

/* Makes RMA window i. Returns true if all ranks succeeded. Creation fails on all ranks or on none,
 * because it depends on the installed osc components. osc/sm cannot make a window over existing
 * memory, so the caller tries again with memory that the window allocates. */
static bool make_window(const collio_exchange_t *ex, int i, int64_t bytes)
{
    collio_file_t *file = ex->file;
    collio_put_t *put = &file->context->kept->put;
    bool well;
    int rc, turn;

    put->base[i] = bytes > 0 && !put->allocated ? calloc(1, (size_t) bytes) : NULL;
    if (!collio_put_all_well(file, 0 == bytes || put->allocated || NULL != put->base[i])) {
        return false;
    }
    turn = collio_put_take_turn(file);
    rc = collio_win_make(put->allocated, &put->base[i], (size_t) bytes, file->context->comm,
                         &put->win[i]);
    if (OMPI_SUCCESS != rc) {
        put->win[i] = NULL;
    }
    well = collio_put_all_well(file, OMPI_SUCCESS == rc);
    if (well) {
        well = collio_put_all_well(file, collio_put_choose_fences(ex, i));
    }
    collio_put_end_turn(turn);
    return well;
}

static bool make_windows(const collio_exchange_t *ex, int buffers, int64_t bytes, bool allocated)
{
    bool well = true;

    ex->file->context->kept->put.allocated = allocated;
    for (int i = 0; i < buffers && well; ++i) {
        well = make_window(ex, i, bytes);
    }
    if (!well) {
        collio_put_close(ex->file);
    }
    return well;
}

bool collio_put_open(collio_exchange_t *ex)
{
    collio_file_t *file = ex->file;
    collio_put_t *put = &file->context->kept->put;
    int64_t bytes, slot_bytes = ex->buffer_bytes * (ex->way.packed ? 2 : 1);
    int buffers = ex->way.schedule->buffers;
    bool mine = ex->plan->aggregates;
    uint32_t stamp = ex->plan->memory.stamp;

    if (put->failed
        || (put->open && put->slot_bytes >= slot_bytes && put->buffers >= buffers
            && put->stamp == stamp)) {
        return !put->failed;
    }
    if (put->open && 0 == stamp) { /* windows for all plans only grow */
        slot_bytes = collio_max(slot_bytes, put->slot_bytes);
        buffers = buffers > put->buffers ? buffers : put->buffers;
    }
    bytes = mine ? slot_bytes + COLLIO_PUT_LIMIT_BYTES : 0;
    collio_put_close(file);
    if (!make_windows(ex, buffers, bytes, false)
        && (file->nodes.nodes > 1 || !make_windows(ex, buffers, bytes, true))) {
        fail_put(ex);
        return false;
    }
    put->open = true;
    put->slot_bytes = slot_bytes;
    put->buffers = buffers;
    put->mine = mine;
    put->stamp = stamp;
    collio_file_memory(file, buffers * bytes);
    return true;
}

void collio_put_close(collio_file_t *file)
{
    collio_put_t *put = &file->context->kept->put;

    for (int i = 0; i < 2; ++i) {
        if (put->locked[i]) {
            (void) put->win[i]->w_osc_module->osc_unlock_all(put->win[i]);
            put->locked[i] = false;
        }
        if (NULL != put->win[i]) {
            collio_win_free(&put->win[i]);
            put->win[i] = NULL;
        }
        if (!put->allocated) {
            free(put->base[i]);
        }
        put->base[i] = NULL;
    }
    if (put->open && put->mine) {
        collio_file_memory(file, -put->buffers * (put->slot_bytes + COLLIO_PUT_LIMIT_BYTES));
    }
    put->open = put->by_flush = false;
}

static int put_transfer(collio_exchange_t *ex, char *message, int64_t bytes, int peer,
                        int64_t displacement, int number)
{
    int rc = OMPI_SUCCESS;

    while (bytes > 0 && OMPI_SUCCESS == rc) {
        int64_t some = collio_min(bytes, PUT_MAX);

        rc = collio_win_move(ex->write, message, (int) some, peer, displacement,
                             ex->file->context->kept->put.win[number]);
        message += some;
        displacement += some;
        bytes -= some;
    }
    return rc;
}

/* Runs of a window that one call puts or gets together. */
typedef struct batch_t {
    char *message;                /* packed bytes of the runs, in user memory or staging */
    int64_t bytes;                /* bytes of all runs */
    int count;                    /* number of runs */
    int length[COLLIO_WIN_RUNS];  /* bytes of each run */
    MPI_Aint at[COLLIO_WIN_RUNS]; /* displacement of each run in the RMA window */
} batch_t;

static int flush_batch(collio_exchange_t *ex, batch_t *batch, int peer, int number)
{
    int rc = OMPI_SUCCESS;

    if (1 == batch->count) {
        rc = put_transfer(ex, batch->message, batch->bytes, peer, batch->at[0], number);
    } else if (batch->count > 1) {
        rc = collio_win_runs(ex->write, batch->message, (int) batch->bytes, peer, batch->count,
                             batch->length, batch->at, ex->file->context->kept->put.win[number]);
    }
    batch->message += batch->bytes;
    batch->bytes = 0;
    batch->count = 0;
    return rc;
}

static int add_run(collio_exchange_t *ex, batch_t *batch, int64_t bytes, int64_t at, int peer,
                   int number)
{
    int rc = OMPI_SUCCESS;

    if (COLLIO_WIN_RUNS == batch->count || batch->bytes + bytes > PUT_MAX) {
        rc = flush_batch(ex, batch, peer, number);
    }
    if (OMPI_SUCCESS == rc && bytes > PUT_MAX) { /* alone in its batch, and cut by put_transfer() */
        batch->at[0] = (MPI_Aint) at;
        batch->bytes = bytes;
        batch->count = 1;
        return flush_batch(ex, batch, peer, number);
    }
    batch->length[batch->count] = (int) bytes;
    batch->at[batch->count++] = (MPI_Aint) at;
    batch->bytes += bytes;
    return rc;
}

/* Puts (gets) each run of a window to (from) its place in the collective buffer: the first `left`
 * bytes of the window's message. */
static int put_runs(collio_exchange_t *ex, size_t window, int peer, int number, int64_t left,
                    batch_t *batch)
{
    const collio_window_t *what = &ex->plan->split.window[window];
    const collio_fragment_t *piece = &ex->plan->split.piece[what->first];
    int aggregator = ex->plan->split.share[ex->plan->share_of[window]].aggregator;
    int64_t at = what->lo - what->index * collio_plan_window(ex->plan, aggregator);

    for (size_t i = 0; 0 < left;) {
        int64_t start = piece[i].offset, end = start + piece[i].length, bytes;
        int rc;

        /* pieces that are adjacent in the window are adjacent in the message: one run */
        for (++i; i < what->count && piece[i].offset == end; ++i) {
            end += piece[i].length;
        }
        bytes = collio_min(end - start, left);
        left -= bytes;
        rc = add_run(ex, batch, bytes, at + start, peer, number);
        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    return flush_batch(ex, batch, peer, number);
}

int64_t collio_put_window(collio_exchange_t *ex, size_t window, int number, int64_t limit,
                          char *message)
{
    const collio_split_t *split = &ex->plan->split;
    const collio_window_t *what = &split->window[window];
    int64_t moved = collio_window_prefix(split, what, limit);
    int peer = ex->file->derived.aggregators[split->share[ex->plan->share_of[window]].aggregator];
    batch_t batch = {.message = message};
    int rc;

    if (ex->plan->packed && ex->plan->places.received[window] >= 0) {
        rc = put_transfer(ex, message, moved, peer,
                          ex->buffer_bytes + ex->plan->places.received[window], number);
    } else {
        rc = put_runs(ex, window, peer, number, moved, &batch);
    }
    if (OMPI_SUCCESS != rc) {
        return -1;
    }
    collio_file_count(ex->file, COLLIO_STAT_PUT_BYTES, (uint64_t) moved);
    return moved;
}
