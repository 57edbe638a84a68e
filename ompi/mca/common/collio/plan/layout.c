/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Layout: file domains and window size of a call.
 *
 * Problem: all ranks must compute the same domains and windows without a message.
 * Method:  every decision is a function of agreed values.
 * Cost:    arithmetic; requests that are sparse, and partition memory, need reductions first.
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>

enum {
    SPARSE_FACTOR = 8,        /* a request is sparse if its span exceeds 8 times its bytes */
    SPARSE_MIN = 1 << 20,     /* bytes: spans up to this size are not worth a histogram */
    BINS_PER_AGGREGATOR = 32, /* bins of the histogram per aggregator */
    BINS_MAX = 4096           /* maximum number of bins */
};

static bool striped(const collio_file_t *file)
{
    return file->derived.striped && file->fh->f_stripe_size > 0;
}

const collio_partition_t *collio_layout_partition(const collio_file_t *file, bool short_of_memory)
{
    if (0 != file->settings.partition) {
        return collio_partitions[file->settings.partition - 1];
    }
    if (short_of_memory) {
        return &collio_partition_memory;
    }
    /* without locks (BeeGFS) a contiguous part takes one access per window instead of one per
     * stripe, and data that ascends with the ranks stays on its node */
    if (striped(file) && file->derived.locks && COLLIO_LOCKAHEAD_OFF == file->derived.lockahead) {
        return &collio_partition_static_cyclic;
    }
    return &collio_partition_even;
}

/* Messages and packed puts need staging beside the collective buffer; shared memory and puts that
 * are not packed need none. Messages replace puts that cannot be used. */
static bool staging_needed(const collio_exchange_t *ex, bool packed)
{
    const collio_file_t *file = ex->file;

    if (ex->atomic) {
        return true; /* atomic mode uses messages, to apply them in the order of the ranks */
    }
    if (collio_buffers_allowed(file, COLLIO_BUFFERS_SHARED)) {
        return file->nodes.nodes > 1 || COLLIO_SHARED_FAILED == file->context->kept->shared.state;
    }
    return collio_buffers_allowed(file, COLLIO_BUFFERS_PRIVATE) || packed
           || file->context->kept->put.failed || !ex->blocking;
}

/* With partition memory `auto` has one set of collective buffers, in the node's segment, for shared
 * memory and for messages: two sets would be half as large. */
bool collio_layout_in_segment(const collio_exchange_t *ex)
{
    return COLLIO_BUFFERS_SHARED == ex->way.can.buffers
           || (ex->file->derived.partition->by_memory
               && collio_buffers_allowed(ex->file, COLLIO_BUFFERS_SHARED)
               && collio_buffers_allowed(ex->file, COLLIO_BUFFERS_PRIVATE));
}

/* Returns into how many parts the buffer memory of an aggregator is divided: collective buffers,
 * and staging if it is needed. With partition memory the announced memory must suffice for every
 * transport, so there is always staging, and memory for packed RMA windows if puts are named. */
static int parts_of_buffer(const collio_exchange_t *ex, bool packed)
{
    if (!ex->file->derived.partition->by_memory) {
        return staging_needed(ex, packed) ? 2 : 1;
    }
    return collio_buffers_allowed(ex->file, COLLIO_BUFFERS_WINDOW) ? 4 : 2;
}

/* Returns how many collective buffers an aggregator has memory for. Without messages `auto` always
 * has memory for two: larger windows would only leave the cache sooner, and one plan serves all
 * schedules. */
static int buffers_in(const collio_exchange_t *ex, bool packed)
{
    if (COLLIO_SCHEDULE_AUTO == ex->file->settings.schedule && !staging_needed(ex, packed)) {
        return 2;
    }
    return ex->way.schedule->buffers;
}

static int64_t window_in(const collio_exchange_t *ex, bool packed, int buffers,
                         int64_t buffer_bytes)
{
    int64_t bytes = buffer_bytes / parts_of_buffer(ex, packed) / buffers;

    return collio_align_window(&ex->file->derived.align, collio_min(bytes, COLLIO_WINDOW_MAX));
}

int64_t collio_layout_window_in(const collio_exchange_t *ex, int64_t buffer_bytes)
{
    return window_in(ex, ex->way.packed, buffers_in(ex, ex->way.packed), buffer_bytes);
}

int64_t collio_layout_window(const collio_exchange_t *ex)
{
    return collio_layout_window_in(ex, ex->file->derived.buffer_bytes);
}

int64_t collio_layout_window_least(const collio_exchange_t *ex)
{
    return window_in(ex, ex->way.packed, 2, ex->file->derived.buffer_bytes);
}

bool collio_layout_fits(const collio_exchange_t *ex, const collio_plan_t *plan)
{
    return plan->window_bytes
           == window_in(ex, plan->packed, buffers_in(ex, plan->packed),
                        ex->file->derived.buffer_bytes);
}

collio_shape_t collio_layout_shape(const collio_exchange_t *ex)
{
    return (collio_shape_t){
        .flat = ex->request.shape,
        .view = &ex->request.view,
        .stream = ex->request.stream,
        .bytes = ex->request.bytes,
        .shared_failed = collio_kept_unshared(ex->file->context->kept),
        .write = ex->write,
    };
}

/* Requesters in shared memory copy their pieces themselves, so an aggregator needs only the ranges
 * to access, not the lists of pieces. A read accesses whole windows if at least half of the span is
 * requested. A write accesses the exact union of all pieces, which marks give. */
void collio_layout_listing(const collio_exchange_t *ex)
{
    int64_t span = ex->range.hi - ex->range.lo;
    bool shared = collio_layout_all_shared(ex);

    ex->plan->marked = shared && ex->write
                       && collio_marks_pay(span, ex->range.bytes, ex->range.pieces, ex->file->size);
    ex->plan->outlined = ex->plan->marked || (shared && !ex->write && span / 2 <= ex->range.bytes);
}

bool collio_layout_all_shared(const collio_exchange_t *ex)
{
    return 1 == ex->file->nodes.nodes && COLLIO_BUFFERS_SHARED == ex->way.can.buffers
           && COLLIO_SHARED_READY == ex->file->context->kept->shared.state;
}

bool collio_layout_reduces(const collio_exchange_t *ex)
{
    const collio_partition_t *partition = ex->file->derived.partition;
    int64_t span = ex->range.hi - ex->range.lo;
    bool sparse = span > SPARSE_MIN && span / SPARSE_FACTOR > ex->range.bytes;

    return partition->by_memory
           || (partition->by_bytes && sparse && ex->file->derived.aggregator_count > 1);
}

int collio_layout_bins(const collio_file_t *file)
{
    int aggregators = file->derived.aggregator_count;

    if (file->derived.partition->by_memory) {
        return collio_memory_bins(aggregators, file->nodes.nodes);
    }
    return aggregators < BINS_MAX / BINS_PER_AGGREGATOR ? aggregators * BINS_PER_AGGREGATOR
                                                        : BINS_MAX;
}

int collio_layout_sums(const collio_file_t *file)
{
    return collio_layout_bins(file)
           + (file->derived.partition->by_memory ? 2 * file->nodes.nodes : 0);
}

/* Contiguous domains begin at multiples of this. */
static int64_t layout_unit_of(const collio_exchange_t *ex)
{
    return collio_align_domains(&ex->file->derived.align, ex->range.hi - ex->range.lo,
                                ex->file->derived.aggregator_count);
}

static void fill_bins(collio_exchange_t *ex)
{
    collio_pieces_t pieces = {0};
    int64_t lo = ex->file->memory.origin, width = ex->file->memory.width;

    if (0
        != collio_tiling_pieces(&ex->request.view, ex->request.stream, ex->request.bytes,
                                &pieces)) {
        collio_exchange_fail(ex, ENOMEM);
    }
    for (size_t i = 0; i < pieces.count; ++i) {
        int64_t at = pieces.at[i].offset - lo, end = at + pieces.at[i].length;

        while (at < end) {
            int64_t bin = at / width;
            int64_t stop = end - bin * width < width ? end : bin * width + width;

            ex->histogram[bin] += stop - at;
            at = stop;
        }
    }
    collio_pieces_fini(&pieces);
}

void collio_layout_histogram(collio_exchange_t *ex)
{
    collio_file_t *file = ex->file;
    bool by_memory = file->derived.partition->by_memory;
    int bins = collio_layout_bins(file), count = collio_layout_sums(file);

    if (by_memory) {
        collio_layout_memory_start(ex);
    }
    ex->histogram = file->context->kept->histogram;
    memset(ex->histogram, 0, (size_t) count * sizeof(*ex->histogram));
    collio_memory_cut(ex->range.lo, ex->range.hi, by_memory ? layout_unit_of(ex) : 1, bins,
                      &file->memory.origin, &file->memory.width);
    if (ex->request.bytes > 0) {
        fill_bins(ex);
    }
    if (by_memory) {
        collio_layout_memory_sums(ex, ex->histogram + bins);
    }
    if (OMPI_SUCCESS
        != collio_iallreduce(ex->histogram, ex->histogram + count, count, MPI_INT64_T, MPI_SUM,
                             file->context->comm, &ex->collective)) {
        ex->collective = MPI_REQUEST_NULL;
        collio_exchange_lose(ex);
    }
}

bool collio_layout_reduces_more(collio_exchange_t *ex)
{
    if (!ex->file->derived.partition->by_memory) {
        return false;
    }
    collio_layout_memory_records(ex);
    return true;
}

static collio_division_t division_of(const collio_exchange_t *ex)
{
    const collio_file_t *file = ex->file;
    const ompio_file_t *fh = file->fh;

    return (collio_division_t){
        .lo = ex->range.lo,
        .hi = ex->range.hi,
        .aggregators = file->derived.aggregator_count,
        .unit = layout_unit_of(ex),
        /* a new plan costs more than a block that two aggregators write */
        .loose = !file->derived.align.strict,
        .stripe = striped(file) ? (int64_t) fh->f_stripe_size : collio_layout_window(ex),
        .stripe_count = fh->f_stripe_count > 0 ? fh->f_stripe_count : file->nodes.nodes,
        .bytes = NULL == ex->histogram ? NULL : ex->histogram + collio_layout_sums(file),
        .bins = collio_layout_bins(file),
    };
}

int collio_layout_domains(collio_exchange_t *ex)
{
    collio_file_t *file = ex->file;
    const collio_partition_t *partition = file->derived.partition;
    collio_division_t division = division_of(ex);
    collio_plan_t *plan = ex->plan;
    int64_t most = collio_domains_most(partition, &division), window = collio_layout_window(ex);

    plan->slot_bytes = (collio_min(most, window) + 63) / 64 * 64;
    plan->aggregates = file->derived.my_aggregator >= 0;
    plan->regions = -1;
    if (partition->by_memory) {
        return collio_layout_memory(ex, &division);
    }
    return collio_domains_make(partition, &division, &plan->domains);
}
