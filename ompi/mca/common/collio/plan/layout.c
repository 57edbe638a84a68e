/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Layout: from what all ranks have agreed on to exchange or not, file domains and window size.
 * Every decision here is a function of agreed values, so that all ranks decide alike.
 */
#include "plan/plan.h"

#include <errno.h>
#include <stdlib.h>

#include "access/lockahead.h"

enum {
    SPARSE_FACTOR = 8,      /* span this many times the bytes: split by bytes, not by span */
    SPARSE_LEAST = 1 << 20, /* spans below this are not worth a histogram */
    BINS_PER_AGGREGATOR = 32,
    BINS_MOST = 4096
};

static bool striped(const collio_file_t *file)
{
    return file->derived.striped && file->fh->f_stripe_size > 0;
}

/* Messages, and puts that are packed, need a place next to the collective buffer; shared memory and
 * straight puts do not. Where puts cannot be used there are messages. */
static bool staging_needed(const collio_exchange_t *ex, bool packed)
{
    const collio_file_t *file = ex->file;
    const collio_transport_t *named = collio_transport_named(file);

    if (ex->atomic) {
        return true; /* messages, which can be applied in the order of the ranks */
    }
    if (NULL == named || COLLIO_BUFFERS_SHARED == named->buffers) {
        return file->nodes.nodes > 1 || COLLIO_SHARED_FAILED == file->kept->shared.state;
    }
    return COLLIO_BUFFERS_PRIVATE == named->buffers || packed || file->kept->put.failed
           || !ex->blocking;
}

/* Of one collective buffer's memory. With partition memory nothing may be taken beyond what was
 * announced, whatever way a call takes: private buffers, their staging, and beside them the shared
 * region that `auto` tries, or packed one-sided windows. */
static int parts_of_buffer(const collio_exchange_t *ex, bool packed)
{
    const collio_transport_t *named = collio_transport_named(ex->file);

    if (!ex->file->memory.used) {
        return staging_needed(ex, packed) ? 2 : 1;
    }
    if (NULL == named) {
        return 3;
    }
    return COLLIO_BUFFERS_WINDOW == named->buffers ? 4 : 2;
}

static int64_t window_of(const collio_exchange_t *ex, bool packed, int64_t buffer_bytes)
{
    const collio_file_t *file = ex->file;
    int parts = parts_of_buffer(ex, packed);

    /* `auto` may try schedules with two buffers, so it must always leave room for two */
    parts *= COLLIO_SCHEDULE_AUTO == file->settings.schedule
                 ? 2
                 : collio_schedules[file->settings.schedule - COLLIO_SCHEDULE_FIRST]->buffers;
    return collio_align_window(&file->derived.align, buffer_bytes / parts);
}

int64_t collio_layout_window(const collio_exchange_t *ex)
{
    return window_of(ex, ex->way.packed, ex->file->derived.buffer_bytes);
}

int64_t collio_layout_window_in(const collio_exchange_t *ex, int64_t buffer_bytes)
{
    return window_of(ex, ex->way.packed, buffer_bytes);
}

collio_shape_t collio_layout_shape(const collio_exchange_t *ex)
{
    return (collio_shape_t){
        .flat = ex->request.view,
        .view = &ex->request.view->tiling,
        .stream = ex->request.stream,
        .bytes = ex->request.bytes,
        .window_bytes = collio_layout_window(ex),
        .packed_window_bytes = window_of(ex, true, ex->file->derived.buffer_bytes),
        .shared_failed = collio_kept_unshared(ex->file->kept),
        .write = ex->write,
    };
}

/* Readers in shared memory pick their pieces themselves; an aggregator must only know what to read.
 * Where most of it is wanted that is whole windows, and the lists of pieces need not be made, sent
 * and merged. At most twice the bytes that are requested are read. */
bool collio_layout_may_outline(const collio_exchange_t *ex)
{
    int64_t span = ex->range.hi - ex->range.lo;

    return !ex->write && collio_layout_all_shared(ex) && span / 2 <= ex->range.bytes;
}

bool collio_layout_all_shared(const collio_exchange_t *ex)
{
    return 1 == ex->file->nodes.nodes && COLLIO_BUFFERS_SHARED == ex->way.transport->buffers
           && COLLIO_SHARED_READY == ex->file->kept->shared.state;
}

bool collio_layout_sparse(const collio_exchange_t *ex)
{
    int64_t span = ex->range.hi - ex->range.lo;
    int partition = ex->file->settings.partition;

    return !ex->file->memory.used && (0 == partition || 1 + COLLIO_PARTITION_EVEN == partition)
           && ex->file->derived.aggregator_count > 1 && span > SPARSE_LEAST
           && span / SPARSE_FACTOR > ex->range.bytes;
}

int collio_layout_bins(const collio_file_t *file)
{
    int bins = file->derived.aggregator_count < BINS_MOST
                   ? file->derived.aggregator_count * BINS_PER_AGGREGATOR
                   : BINS_MOST;

    if (file->memory.used) {
        return collio_memory_bins(file->derived.aggregator_count, file->nodes.nodes);
    }
    return bins < BINS_MOST ? bins : BINS_MOST;
}

int collio_layout_sums(const collio_file_t *file)
{
    return collio_layout_bins(file) + (file->memory.used ? 2 * file->nodes.nodes : 0);
}

int64_t collio_layout_unit(const collio_exchange_t *ex)
{
    return collio_align_domains(&ex->file->derived.align, ex->range.hi - ex->range.lo,
                                ex->file->derived.aggregator_count);
}

static void fill_bins(collio_exchange_t *ex)
{
    collio_pieces_t pieces = {0};
    int64_t lo = ex->file->memory.origin, width = ex->file->memory.width;

    if (0
        != collio_tiling_pieces(&ex->request.view->tiling, ex->request.stream, ex->request.bytes,
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
    int bins = collio_layout_bins(ex->file);
    int count = collio_layout_sums(ex->file);

    ex->histogram = ex->file->kept->histogram;
    memset(ex->histogram, 0, (size_t) count * sizeof(*ex->histogram));
    collio_memory_cut(ex->range.lo, ex->range.hi,
                      ex->file->memory.used ? collio_layout_unit(ex) : 1, bins,
                      &ex->file->memory.origin, &ex->file->memory.width);
    if (ex->request.bytes > 0) {
        fill_bins(ex);
    }
    if (ex->file->memory.used) {
        collio_layout_memory_sums(ex, ex->histogram + bins);
    }
    if (OMPI_SUCCESS
        != collio_iallreduce(ex->histogram, ex->histogram + count, count, MPI_INT64_T, MPI_SUM,
                             ex->file->comm, &ex->collective)) {
        ex->collective = MPI_REQUEST_NULL;
        collio_exchange_lose(ex);
    }
}

static collio_partition_t partition_of(const collio_exchange_t *ex)
{
    const collio_file_t *file = ex->file;

    if (file->memory.used) {
        return COLLIO_PARTITION_MEMORY;
    }
    if (0 != file->settings.partition) {
        return (collio_partition_t) (file->settings.partition - 1);
    }
    if (!striped(file)) {
        return COLLIO_PARTITION_EVEN;
    }
    return COLLIO_LOCKAHEAD_OFF != file->derived.lockahead ? COLLIO_PARTITION_EVEN
                                                           : COLLIO_PARTITION_STATIC_CYCLIC;
}

/* Cyclic domains change hands at multiples of this: where the file has no stripes, at windows. */
static int64_t cyclic_unit(const collio_exchange_t *ex)
{
    return striped(ex->file) ? (int64_t) ex->file->fh->f_stripe_size : collio_layout_window(ex);
}

static int even_domains(const collio_exchange_t *ex, collio_domains_t *domains)
{
    int64_t lo = ex->range.lo, hi = ex->range.hi, unit = collio_layout_unit(ex);
    int aggregators = ex->file->derived.aggregator_count, bins = collio_layout_bins(ex->file);
    int rc = NULL == ex->histogram ? collio_domains_even(lo, hi, unit, aggregators, domains)
                                   : collio_domains_by_bytes(lo, hi, unit, aggregators,
                                                             ex->histogram + bins, bins, domains);

    if (!ex->file->derived.align.strict) {
        domains->step = 1; /* to make a plan anew costs more than a block that two ranks write */
    }
    return rc;
}

int collio_layout_domains(collio_exchange_t *ex, collio_domains_t *domains)
{
    const collio_file_t *file = ex->file;
    int64_t lo = ex->range.lo, hi = ex->range.hi;
    int aggregators = file->derived.aggregator_count;

    switch (partition_of(ex)) {
    case COLLIO_PARTITION_MEMORY:
        return collio_layout_memory(ex, domains);
    case COLLIO_PARTITION_STATIC_CYCLIC:
        return collio_domains_static_cyclic(lo, hi, cyclic_unit(ex), aggregators, domains);
    case COLLIO_PARTITION_GROUP_CYCLIC:
        return collio_domains_group_cyclic(
            lo, hi, cyclic_unit(ex), aggregators,
            file->fh->f_stripe_count > 0 ? file->fh->f_stripe_count : file->nodes.nodes, domains);
    default:
        return even_domains(ex, domains);
    }
}

/* An upper bound of every domain's size, from agreed values alone: a rank that has no memory for
 * the domains must still compute the same size of the node's segment. */
int64_t collio_layout_slot(const collio_exchange_t *ex)
{
    int64_t lo = ex->range.lo;
    int64_t window = collio_layout_window(ex);
    bool even = COLLIO_PARTITION_EVEN == partition_of(ex);
    int64_t unit = even ? collio_layout_unit(ex) : cyclic_unit(ex);
    int64_t largest = ex->range.hi - (lo - lo % unit);

    if (even && NULL == ex->histogram) {
        largest = collio_domains_even_most(lo, ex->range.hi, unit,
                                           ex->file->derived.aggregator_count);
    }
    largest = largest < window ? largest : window;
    return (largest + 63) / 64 * 64;
}
