/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Decides which ranges are requested: an aggregator's file domain, stripes or window in a
 * collective call, the pieces of a request or of a view in individual access. See lockahead.h.
 */
#include "access/lockahead.h"

#include "help/help.h"

#include "opal/mca/mca.h"

/* The fs component that stores a provider in f_fs_ptr; other components store other data. */
static const mca_base_component_t *provider;

void collio_lockahead_register(const mca_base_component_t *component)
{
    provider = component;
}

collio_lockahead_t *collio_lockahead_of(ompio_file_t *fh)
{
    return NULL != provider && provider == fh->f_fs_component ? fh->f_fs_ptr : NULL;
}

void collio_lockahead_guard(ompio_file_t *fh, collio_access_t *access)
{
    collio_lockahead_t *lockahead = collio_lockahead_of(fh);

    access->advice = lockahead;
    access->withdraw = NULL == lockahead ? NULL : lockahead->withdraw;
}

enum {
    PAGE = 4096,
    BATCH = 1023,       /* ranges of one request; the provider's limit is the same */
    PIECES_MAX = 16384, /* pieces of one access; more locks would cost more than they save */
    AT_ONCE = 1 << 20   /* bytes of an access (of each of its threads) that follow at once */
};

/** Ascending ranges, passed to the provider in batches. */
typedef struct batch_t {
    collio_lockahead_t *lockahead; /* the provider */
    bool write;                    /* direction of the access */
    bool now;                      /* the access follows at once */
    int64_t end;                   /* first byte past all stripes that were added */
    size_t count;                  /* number of ranges */
    collio_extent_t range[BATCH];  /* ranges to request */
} batch_t;

static void lockahead_begin(batch_t *batch, collio_lockahead_t *lockahead, bool write)
{
    batch->lockahead = lockahead;
    batch->write = write;
    batch->now = true;
    batch->end = 0;
    batch->count = 0;
}

static void lockahead_flush(batch_t *batch)
{
    if (batch->count > 0) {
        batch->lockahead->request(batch->lockahead, batch->range, batch->count, batch->write,
                                  batch->now);
    }
    batch->count = 0;
}

static void lockahead_append(batch_t *batch, int64_t offset, int64_t length)
{
    if (BATCH == batch->count) {
        lockahead_flush(batch);
    }
    batch->range[batch->count++] = (collio_extent_t){offset, length};
}

/* Adds the file ranges of local [local, end): whole stripes, each once, joined where they touch. */
static void add_stripes(batch_t *batch, const collio_domains_t *domains, int aggregator,
                        int64_t local, int64_t end)
{
    int64_t size = collio_domains_size(domains, aggregator), unit = domains->unit;

    end = collio_min(end, size);
    while (local < end) {
        int64_t run, offset = collio_domains_offset(domains, aggregator, local, &run);
        int64_t length = collio_min(run, end - local);
        int64_t first = offset / unit * unit, last = (offset + length + unit - 1) / unit * unit;

        first = collio_max(first, batch->end);
        local += length;
        if (first >= last) {
            continue;
        }
        if (first == batch->end && 0 < batch->count) {
            batch->range[batch->count - 1].length += last - first;
        } else {
            lockahead_append(batch, first, last - first);
        }
        batch->end = last;
    }
}

void collio_lockahead_window(collio_lockahead_t *lockahead, const collio_domains_t *domains,
                             int aggregator, const collio_cycle_t *cycle, size_t number,
                             size_t count, bool write)
{
    batch_t batch;

    if (COLLIO_LOCKAHEAD_CYCLE != lockahead->collective) {
        return;
    }
    lockahead_begin(&batch, lockahead, write);
    if (!lockahead->async_collective || 0 == number) {
        add_stripes(&batch, domains, aggregator, cycle[number].lo, cycle[number].hi);
        lockahead_flush(&batch);
    }
    if (lockahead->async_collective && number + 1 < count) {
        batch.now = false;
        batch.end = 0;
        add_stripes(&batch, domains, aggregator, cycle[number + 1].lo, cycle[number + 1].hi);
        lockahead_flush(&batch);
    }
}

/* Adds the ranges that the mode requests in local [lo, hi) of a file domain. */
static void add_domain(batch_t *batch, const collio_domains_t *domains, int aggregator,
                       const collio_extents_t *runs, int64_t lo, int64_t hi)
{
    if (COLLIO_LOCKAHEAD_GLOBAL == batch->lockahead->collective && domains->partition->contiguous) {
        add_stripes(batch, domains, aggregator, lo, hi);
        return;
    }
    /* a cyclic domain has as many ranges as stripes: request only stripes with data, because a
     * sparse request would otherwise need millions of ranges */
    for (size_t i = 0; i < runs->count; ++i) {
        int64_t start = runs->at[i].offset, end = start + runs->at[i].length;

        add_stripes(batch, domains, aggregator, collio_max(start, lo), collio_min(end, hi));
    }
}

void collio_lockahead_domain(collio_lockahead_t *lockahead, const collio_domains_t *domains,
                             int aggregator, const collio_extents_t *runs,
                             const collio_cycle_t *cycle, size_t count, bool write)
{
    int64_t border = lockahead->async_collective && count > 0 ? cycle[0].hi : INT64_MAX;
    batch_t batch;

    if (0 == runs->count
        || (COLLIO_LOCKAHEAD_GLOBAL != lockahead->collective
            && COLLIO_LOCKAHEAD_STRIPE != lockahead->collective)) {
        return;
    }
    lockahead_begin(&batch, lockahead, write);
    add_domain(&batch, domains, aggregator, runs, 0, border);
    lockahead_flush(&batch);
    batch.now = false;
    add_domain(&batch, domains, aggregator, runs, border, INT64_MAX);
    lockahead_flush(&batch);
}

/* True if the access has too many pieces. Rank 0 prints a line; other ranks have similar requests.
 */
static bool too_many(ompio_file_t *fh, collio_lockahead_t *lockahead, int64_t pieces)
{
    if (PIECES_MAX >= pieces) {
        return false;
    }
    if (!lockahead->reported_many && 0 == fh->f_rank) {
        collio_help("fs/lustre_lla", fh->f_filename, COLLIO_HELP_LOCKAHEAD_PIECES, PIECES_MAX);
    }
    lockahead->reported_many = true;
    return true;
}

/* Returns false without lock-ahead, or if the access has too many pieces (ordinary locks serve). */
static bool begin_individual(batch_t *batch, ompio_file_t *fh, bool write, int64_t pieces)
{
    collio_lockahead_t *lockahead = collio_lockahead_of(fh);

    if (NULL == lockahead || COLLIO_LOCKAHEAD_OFF == lockahead->individual
        || too_many(fh, lockahead, pieces)) {
        return false;
    }
    lockahead_begin(batch, lockahead, write);
    return true;
}

/* Adds a piece. Lustre locks whole pages, so pieces less than a page apart share one range, which
 * is requested as its first piece is. `now`: the access to the piece follows at once. */
static void lockahead_add_piece(batch_t *batch, int64_t offset, int64_t length, bool now)
{
    if (batch->count > 0) {
        collio_extent_t *last = &batch->range[batch->count - 1];
        int64_t end = last->offset + last->length;

        if (offset >= last->offset && offset < end + PAGE && offset % PAGE != 0) {
            end = collio_max(offset + length, end);
            last->length = end - last->offset;
            return;
        }
        if (offset < last->offset || now != batch->now) {
            lockahead_flush(batch);
        }
    }
    batch->now = now;
    lockahead_append(batch, offset, length);
}

/* Adds the pieces of stream positions [from, to). Requests wait for the locks of pieces that begin
 * before `soon`, and of a later piece that shares a page with the last of them. A piece is never
 * split, because a system call that accesses all of it would not match two locks. */
static void add_stream(batch_t *batch, const collio_tiling_t *file, int64_t from, int64_t to,
                       int64_t soon)
{
    collio_cursor_t cursor;

    if (from >= to) {
        return;
    }
    collio_cursor_seek(&cursor, file, from);
    while (from < to) {
        int64_t run, offset = collio_cursor_run(&cursor, &run);
        int64_t length = collio_min(run, to - from);

        lockahead_add_piece(batch, offset, length, from < soon);
        collio_cursor_advance(&cursor, length, run);
        from += length;
    }
}

/* Narrows [*from, *to) to the part, in whole repetitions of the view, that was not requested yet.
 * The covered part only grows, so accesses in any order request a repetition once or twice. */
static void uncovered(const collio_tiling_t *file, bool write, collio_lockahead_covered_t *covered,
                      int64_t *from, int64_t *to)
{
    collio_lockahead_covered_t view = {.base = file->base,
                                       .extent = file->extent,
                                       .size = file->size,
                                       .count = file->count,
                                       .write = write};

    *from = *from / file->size * file->size;
    *to = (*to + file->size - 1) / file->size * file->size;
    view.from = view.to = *from;
    if (covered->base != view.base || covered->extent != view.extent || covered->size != view.size
        || covered->count != view.count || (write && !covered->write)) {
        *covered = view;
    }
    if (*from < covered->from || *from > covered->to) {
        covered->from = *from;
        covered->to = *to;
    } else if (*to > covered->to) {
        *from = covered->to;
        covered->to = *to;
    } else {
        *from = *to; /* all of it was requested */
    }
}

/* Returns the number of bytes whose access follows their lock request at once: long enough for the
 * locks of later bytes to arrive. Each thread of an access starts with a cycle of its own, and all
 * first cycles together are at most a quarter of the access (or 256 KiB per thread). */
static int64_t bytes_at_once(const collio_job_t *job)
{
    int threads = job->access->tuning.threads;

    return 1 < threads ? collio_max(threads * AT_ONCE, job->bytes / 4 + threads) : AT_ONCE;
}

void collio_lockahead_pieces(ompio_file_t *fh, const collio_job_t *job,
                             collio_lockahead_covered_t *covered)
{
    const collio_tiling_t *file = job->file;
    int64_t from = job->first, to = job->first + job->bytes, soon = INT64_MAX;
    batch_t batch;

    if (0 == file->size || NULL == fh->f_fs_ptr
        || !begin_individual(&batch, fh, job->write,
                             collio_tiling_piece_bound(file, job->first, job->bytes))) {
        return;
    }
    if (COLLIO_LOCKAHEAD_VIEW == batch.lockahead->individual && !file->dense) {
        uncovered(file, job->write, covered, &from, &to);
    }
    if (batch.lockahead->async_individual) {
        int64_t start = collio_max(from, job->first);

        add_stream(&batch, file, start, to,
                   job->first + collio_min(bytes_at_once(job), job->bytes));
        to = collio_min(to, start); /* what is left precedes the access */
        soon = from;
    }
    add_stream(&batch, file, from, to, soon);
    lockahead_flush(&batch);
}

bool collio_lockahead_at_view(ompio_file_t *fh)
{
    collio_lockahead_t *lockahead = collio_lockahead_of(fh);

    return NULL != lockahead && COLLIO_LOCKAHEAD_VIEW == lockahead->individual;
}

void collio_lockahead_segments(ompio_file_t *fh, const collio_segment_t *segments, size_t count,
                               bool write)
{
    int64_t before = 0; /* bytes of the segments before */
    batch_t batch;

    if (!begin_individual(&batch, fh, write, (int64_t) count)) {
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        if (segments[i].length > 0) {
            lockahead_add_piece(&batch, segments[i].offset, segments[i].length,
                                !batch.lockahead->async_individual || before < AT_ONCE);
        }
        before += segments[i].length;
    }
    lockahead_flush(&batch);
}
