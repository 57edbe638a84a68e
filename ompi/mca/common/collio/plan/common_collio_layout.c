/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Layout: from what all ranks have agreed on to exchange or not, file domains and window size.
 * Every decision here is a function of agreed values, so that all ranks decide alike.
 */
#include "call/common_collio_op.h"

#include <errno.h>
#include <stdlib.h>

#include "access/common_collio_lockahead.h"
#include "tuner/common_collio_tuner.h"

#include "core/common_collio_put_rule.h"

enum {
    PAGE = 4096,
    SPARSE_FACTOR = 8,      /* span this many times the bytes: split by bytes, not by span */
    SPARSE_LEAST = 1 << 20, /* spans below this are not worth a histogram */
    BINS_PER_OWNER = 32,
    BINS_MOST = 4096
};

static bool striped(const mca_common_collio_file_t *file)
{
    return LUSTRE == file->fh->f_fstype && file->fh->f_stripe_size > 0;
}

/* Messages, and puts that are packed, need a place next to the collective buffer; shared memory and
 * straight puts do not. Where puts cannot be used there are messages. */
static bool staging_needed(const mca_common_collio_op_t *op, bool packed)
{
    const mca_common_collio_file_t *file = op->file;

    if (op->atomic) {
        return true; /* messages, which can be applied in the order of the ranks */
    }
    switch (file->settings.transport) {
    case MCA_COMMON_COLLIO_TRANSPORT_ISEND:
        return true;
    case MCA_COMMON_COLLIO_TRANSPORT_PUT_FENCE:
    case MCA_COMMON_COLLIO_TRANSPORT_PUT_LOCK:
        return packed || file->put.failed || !op->blocking;
    default:
        return file->nodes.nodes > 1 || MCA_COMMON_COLLIO_SHARED_FAILED == file->shared.state;
    }
}

static int64_t window_of(const mca_common_collio_op_t *op, bool packed)
{
    const mca_common_collio_file_t *file = op->file;
    int parts = staging_needed(op, packed) ? 2 : 1;
    int64_t window, unit = striped(file) ? (int64_t) file->fh->f_stripe_size : PAGE;

    /* `auto` may try schedules with two buffers, so it must always leave room for two */
    parts *= MCA_COMMON_COLLIO_SCHEDULE_AUTO == file->settings.schedule
                 ? 2
                 : mca_common_collio_schedules[file->settings.schedule
                                               - MCA_COMMON_COLLIO_SCHEDULE_FIRST]
                       ->buffers;
    window = file->buffer_bytes / parts;
    if (window > unit) {
        return window / unit * unit;
    }
    return window > 0 ? window : 1;
}

int64_t mca_common_collio_layout_window(const mca_common_collio_op_t *op)
{
    return window_of(op, op->packed);
}

mca_common_collio_shape_t mca_common_collio_layout_shape(const mca_common_collio_op_t *op)
{
    return (mca_common_collio_shape_t){
        .flat = op->view,
        .view = &op->view->tiling,
        .stream = op->stream,
        .bytes = op->bytes,
        .window_bytes = mca_common_collio_layout_window(op),
        .packed_window_bytes = window_of(op, true),
        .shared_failed = mca_common_collio_shared_failed(op->file),
        .write = op->write,
    };
}

/* Readers in shared memory pick their pieces themselves; an owner must only know what to read.
 * Where most of it is wanted that is whole windows, and the lists of pieces need not be made, sent
 * and merged. What is read in vain is never more than what is handed out. */
bool mca_common_collio_layout_may_outline(const mca_common_collio_op_t *op)
{
    int64_t span = op->all[MCA_COMMON_COLLIO_AGREE_HI] + op->all[MCA_COMMON_COLLIO_AGREE_LO];

    return !op->write && mca_common_collio_layout_all_shared(op)
           && span / 2 <= op->all[MCA_COMMON_COLLIO_AGREE_BYTES];
}

bool mca_common_collio_layout_all_shared(const mca_common_collio_op_t *op)
{
    return 1 == op->file->nodes.nodes && MCA_COMMON_COLLIO_TRANSPORT_SHM == op->transport
           && MCA_COMMON_COLLIO_SHARED_READY == op->file->shared.state;
}

bool mca_common_collio_layout_sparse(const mca_common_collio_op_t *op)
{
    int64_t span = op->all[MCA_COMMON_COLLIO_AGREE_HI] + op->all[MCA_COMMON_COLLIO_AGREE_LO];
    int partition = op->file->settings.partition;

    return (0 == partition || 1 + MCA_COMMON_COLLIO_PARTITION_EVEN == partition)
           && op->file->aggregator_count > 1 && span > SPARSE_LEAST
           && span / SPARSE_FACTOR > op->all[MCA_COMMON_COLLIO_AGREE_BYTES];
}

int mca_common_collio_layout_bins(const mca_common_collio_file_t *file)
{
    int bins = file->aggregator_count * BINS_PER_OWNER;

    return bins < BINS_MOST ? bins : BINS_MOST;
}

static void fill_bins(mca_common_collio_op_t *op, int bins)
{
    mca_common_collio_pieces_t pieces = {0};
    int64_t lo = -op->all[MCA_COMMON_COLLIO_AGREE_LO];
    int64_t span = op->all[MCA_COMMON_COLLIO_AGREE_HI] - lo;
    int64_t width = (span + bins - 1) / bins;

    if (0 != mca_common_collio_tiling_pieces(&op->view->tiling, op->stream, op->bytes, &pieces)) {
        mca_common_collio_op_fail(op, ENOMEM);
    }
    for (size_t i = 0; i < pieces.count; ++i) {
        int64_t at = pieces.at[i].offset - lo, end = at + pieces.at[i].length;

        while (at < end) {
            int64_t bin = at / width, border = (bin + 1) * width;
            int64_t stop = end < border ? end : border;

            op->histogram[bin] += stop - at;
            at = stop;
        }
    }
    mca_common_collio_pieces_fini(&pieces);
}

void mca_common_collio_layout_histogram(mca_common_collio_op_t *op)
{
    int bins = mca_common_collio_layout_bins(op->file);

    op->histogram = op->file->histogram;
    memset(op->histogram, 0, (size_t) bins * sizeof(*op->histogram));
    if (op->bytes > 0) {
        fill_bins(op, bins);
    }
    if (OMPI_SUCCESS
        != mca_common_collio_iallreduce(op->histogram, op->histogram + bins, bins, MPI_INT64_T,
                                        MPI_SUM, op->file->comm, &op->request)) {
        op->request = MPI_REQUEST_NULL;
        mca_common_collio_op_fail(op, EIO);
    }
}

static mca_common_collio_partition_t partition_of(const mca_common_collio_op_t *op)
{
    const mca_common_collio_file_t *file = op->file;

    if (0 != file->settings.partition) {
        return (mca_common_collio_partition_t) (file->settings.partition - 1);
    }
    if (!striped(file)) {
        return MCA_COMMON_COLLIO_PARTITION_EVEN;
    }
    return MCA_COMMON_COLLIO_LOCKAHEAD_OFF != file->lockahead
               ? MCA_COMMON_COLLIO_PARTITION_EVEN
               : MCA_COMMON_COLLIO_PARTITION_STATIC_CYCLIC;
}

/* Domains begin at multiples of this. Where the file has no stripes, cyclic ones are windows. */
static int64_t domain_unit(const mca_common_collio_op_t *op, bool even)
{
    if (striped(op->file)) {
        return (int64_t) op->file->fh->f_stripe_size;
    }
    return even ? 1 : mca_common_collio_layout_window(op);
}

int mca_common_collio_layout_domains(mca_common_collio_op_t *op,
                                     mca_common_collio_domains_t *domains)
{
    const mca_common_collio_file_t *file = op->file;
    int64_t lo = -op->all[MCA_COMMON_COLLIO_AGREE_LO], hi = op->all[MCA_COMMON_COLLIO_AGREE_HI];
    int owners = file->aggregator_count;
    int64_t unit = domain_unit(op, true), cyclic_unit = domain_unit(op, false);

    switch (partition_of(op)) {
    case MCA_COMMON_COLLIO_PARTITION_STATIC_CYCLIC:
        return mca_common_collio_domains_static_cyclic(lo, hi, cyclic_unit, owners, domains);
    case MCA_COMMON_COLLIO_PARTITION_GROUP_CYCLIC:
        return mca_common_collio_domains_group_cyclic(
            lo, hi, cyclic_unit, owners,
            file->fh->f_stripe_count > 0 ? file->fh->f_stripe_count : file->nodes.nodes, domains);
    default:
        if (NULL != op->histogram) {
            int bins = mca_common_collio_layout_bins(op->file);

            return mca_common_collio_domains_by_bytes(lo, hi, unit, owners, op->histogram + bins,
                                                      bins, domains);
        }
        return mca_common_collio_domains_even(lo, hi, unit, owners, domains);
    }
}

/* No domain is larger than that. From agreed values alone: a rank that cannot even make the domains
 * must still know how large the node's segment is going to be. */
int64_t mca_common_collio_layout_slot(const mca_common_collio_op_t *op)
{
    int64_t lo = -op->all[MCA_COMMON_COLLIO_AGREE_LO];
    int64_t window = mca_common_collio_layout_window(op);
    bool even = MCA_COMMON_COLLIO_PARTITION_EVEN == partition_of(op);
    int64_t unit = domain_unit(op, even);
    int64_t largest = op->all[MCA_COMMON_COLLIO_AGREE_HI] - (lo - lo % unit);

    if (even && NULL == op->histogram) {
        int64_t units = (largest + unit - 1) / unit;

        largest = (units / op->file->aggregator_count + 1) * unit;
    }
    largest = largest < window ? largest : window;
    return (largest + 63) / 64 * 64;
}

/* The plan that fits on every rank, if any. */
static mca_common_collio_plan_t *agreed_plan(mca_common_collio_op_t *op)
{
    int64_t delta = op->all[MCA_COMMON_COLLIO_AGREE_DELTA];
    int64_t fits = op->all[MCA_COMMON_COLLIO_AGREE_PLANS];
    mca_common_collio_plan_t *plan;

    for (int i = 0; i < MCA_COMMON_COLLIO_PLAN_SLOTS; ++i) {
        const mca_common_collio_plan_t *slot = &op->file->plans->slot[i];

        if (slot->layers != op->layers
            || (slot->outlined && MCA_COMMON_COLLIO_TRANSPORT_SHM != op->transport)) {
            fits &= ~(INT64_C(1) << i);
        }
    }
    if (0 == fits || delta != -op->all[MCA_COMMON_COLLIO_AGREE_NOT_DELTA]) {
        return NULL;
    }
    plan = &op->file->plans->slot[__builtin_ctzll((uint64_t) fits)];
    if (!mca_common_collio_domains_shift(&plan->domains, delta)) {
        return NULL;
    }
    plan->anchor += delta;
    return plan;
}

static bool puts_are_packed(const mca_common_collio_op_t *op)
{
    return mca_common_collio_op_puts(op)
           && mca_common_collio_put_packs(op->all[MCA_COMMON_COLLIO_AGREE_PIECES],
                                          op->all[MCA_COMMON_COLLIO_AGREE_BYTES]);
}

void mca_common_collio_layout_decide(mca_common_collio_op_t *op)
{
    mca_common_collio_tuner_choose(op);
    if (!op->exchange) {
        return;
    }
    op->packed = puts_are_packed(op);
    mca_common_collio_layers_decide(op);
    op->plan = agreed_plan(op);
    op->plan_new = NULL == op->plan;
    op->packed = op->plan_new ? op->packed : op->plan->packed;
    mca_common_collio_file_count(
        op->file,
        op->plan_new ? MCA_COMMON_COLLIO_STAT_plan_misses : MCA_COMMON_COLLIO_STAT_plan_hits, 1);
}
