/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Which ranges are requested: an aggregator's domain, stripes or window in a collective call, the
 * pieces of a request or of a view in individual access. See lockahead.h.
 */
#include "access/lockahead.h"

#include <string.h>

#include "help/help.h"

#include "opal/mca/mca.h"

/* Another fs component may have anything in f_fs_ptr. One with this name is of this build: its
 * register function has compared the sizes of structs. */
collio_lockahead_t *collio_lockahead_of(ompio_file_t *fh)
{
    if (NULL == fh->f_fs_ptr || NULL == fh->f_fs_component
        || 0 != strcmp("lustre_lla", fh->f_fs_component->mca_component_name)) {
        return NULL;
    }
    return fh->f_fs_ptr;
}

static bool withdraw(void *advice, int error)
{
    collio_lockahead_t *lockahead = advice;

    return lockahead->withdraw(lockahead, error);
}

void collio_lockahead_guard(ompio_file_t *fh, collio_access_t *access)
{
    access->advice = collio_lockahead_of(fh);
    access->withdraw = NULL == access->advice ? NULL : withdraw;
}

/* File ranges of local [local, end), whole stripes, joined where they touch. */
static int add_ranges(const collio_domains_t *domains, int aggregator, int64_t local, int64_t end,
                      collio_extents_t *ranges)
{
    int64_t size = collio_domains_size(domains, aggregator), unit = domains->unit;
    int rc = 0;

    end = end < size ? end : size;
    while (0 == rc && local < end) {
        int64_t run, offset = collio_domains_offset(domains, aggregator, local, &run);
        int64_t length = run < end - local ? run : end - local;
        int64_t first = offset / unit * unit, last = (offset + length + unit - 1) / unit * unit;
        collio_extent_t *previous = ranges->count > 0 ? &ranges->at[ranges->count - 1] : NULL;

        if (NULL != previous && first < previous->offset + previous->length) {
            first = previous->offset + previous->length;
        }
        if (first < last) {
            rc = collio_extents_append(ranges, first, last - first);
        }
        local += length;
    }
    return rc;
}

static void request(collio_lockahead_t *lockahead, collio_extents_t *ranges, int rc, bool write,
                    bool now)
{
    if (0 == rc && ranges->count > 0) {
        lockahead->request(lockahead, ranges->at, ranges->count, write, now);
    }
    collio_extents_fini(ranges);
}

void collio_lockahead_window(collio_lockahead_t *lockahead, const collio_domains_t *domains,
                             int aggregator, const collio_cycle_t *cycle, size_t number,
                             size_t count, bool write)
{
    collio_extents_t ranges = {0};
    int rc;

    if (COLLIO_LOCKAHEAD_CYCLE != lockahead->collective) {
        return;
    }
    if (!lockahead->async || 0 == number) {
        rc = add_ranges(domains, aggregator, cycle[number].lo, cycle[number].hi, &ranges);
        request(lockahead, &ranges, rc, write, true);
    }
    if (lockahead->async && number + 1 < count) {
        ranges = (collio_extents_t){0};
        rc = add_ranges(domains, aggregator, cycle[number + 1].lo, cycle[number + 1].hi, &ranges);
        request(lockahead, &ranges, rc, write, false);
    }
}

/* What the mode asks for of local [lo, hi) of a domain. */
static int add_domain(const collio_lockahead_t *lockahead, const collio_domains_t *domains,
                      int aggregator, const collio_extents_t *runs, int64_t lo, int64_t hi,
                      collio_extents_t *ranges)
{
    int rc = 0;

    if (COLLIO_LOCKAHEAD_GLOBAL == lockahead->collective && domains->partition->contiguous) {
        return add_ranges(domains, aggregator, lo, hi, ranges);
    }
    /* cyclic domains have as many ranges as stripes: only those with data, or a sparse request
     * would ask for millions */
    for (size_t i = 0; 0 == rc && i < runs->count; ++i) {
        int64_t start = runs->at[i].offset, end = start + runs->at[i].length;

        rc = add_ranges(domains, aggregator, start > lo ? start : lo, end < hi ? end : hi, ranges);
    }
    return rc;
}

/* Removes what lies below `start`. */
static void cut_below(collio_extents_t *ranges, int64_t start)
{
    size_t kept = 0;

    for (size_t i = 0; i < ranges->count; ++i) {
        int64_t end = ranges->at[i].offset + ranges->at[i].length;
        int64_t from = ranges->at[i].offset > start ? ranges->at[i].offset : start;

        if (from < end) {
            ranges->at[kept++] = (collio_extent_t){from, end - from};
        }
    }
    ranges->count = kept;
}

void collio_lockahead_domain(collio_lockahead_t *lockahead, const collio_domains_t *domains,
                             int aggregator, const collio_extents_t *runs,
                             const collio_cycle_t *cycle, size_t count, bool write)
{
    collio_extents_t first = {0}, rest = {0};
    int64_t border = lockahead->async && count > 0 ? cycle[0].hi : INT64_MAX;
    int rc;

    if (0 == runs->count
        || (COLLIO_LOCKAHEAD_GLOBAL != lockahead->collective
            && COLLIO_LOCKAHEAD_STRIPE != lockahead->collective)) {
        return;
    }
    rc = add_domain(lockahead, domains, aggregator, runs, 0, border, &first);
    if (0 == rc && INT64_MAX != border) {
        rc = add_domain(lockahead, domains, aggregator, runs, border, INT64_MAX, &rest);
        if (first.count > 0) { /* both are whole stripes and can meet in one */
            cut_below(&rest, first.at[first.count - 1].offset + first.at[first.count - 1].length);
        }
    }
    request(lockahead, &first, rc, write, true);
    request(lockahead, &rest, rc, write, false);
}

enum {
    PAGE = 4096,
    BATCH = 1023,       /* ranges of one request; the provider's limit is the same */
    PIECES_MOST = 16384 /* of one access: more locks would cost more than they save */
};

/* One rank prints it; ranks have similar requests. */
static bool too_many(ompio_file_t *fh, collio_lockahead_t *lockahead, int64_t pieces)
{
    if (PIECES_MOST >= pieces) {
        return false;
    }
    if (!lockahead->reported_many && 0 == fh->f_rank) {
        collio_help("fs/lustre_lla", fh->f_filename, COLLIO_HELP_NO_RANK,
                    COLLIO_HELP_LOCKAHEAD_PIECES, PIECES_MOST);
    }
    lockahead->reported_many = true;
    return true;
}

/* Ascending ranges, handed on in batches. Locks are in pages, so ranges less than a page apart are
 * one. */
typedef struct batch_t {
    collio_lockahead_t *lockahead; /* the provider */
    bool write;                    /* direction of the access */
    bool now;                      /* the access follows at once */
    size_t count;                  /* number of ranges */
    collio_extent_t range[BATCH];  /* ranges to request */
} batch_t;

/* False: the access has too many pieces for lock-ahead, and uses ordinary locks. */
static bool begin(batch_t *batch, ompio_file_t *fh, bool write, int64_t pieces)
{
    collio_lockahead_t *lockahead = collio_lockahead_of(fh);

    if (NULL == lockahead || COLLIO_LOCKAHEAD_OFF == lockahead->individual
        || too_many(fh, lockahead, pieces)) {
        return false;
    }
    batch->lockahead = lockahead;
    batch->write = write;
    batch->now = true;
    batch->count = 0;
    return true;
}

static void flush(batch_t *batch)
{
    if (batch->count > 0) {
        batch->lockahead->request(batch->lockahead, batch->range, batch->count, batch->write,
                                  batch->now);
    }
    batch->count = 0;
}

static void add(batch_t *batch, int64_t offset, int64_t length)
{
    if (batch->count > 0) {
        collio_extent_t *last = &batch->range[batch->count - 1];
        int64_t end = last->offset + last->length;

        if (offset >= last->offset && offset < end + PAGE && offset % PAGE != 0) {
            last->length = offset + length > end ? offset + length - last->offset : last->length;
            return;
        }
        if (BATCH == batch->count || offset < last->offset) {
            flush(batch);
        }
    }
    batch->range[batch->count++] = (collio_extent_t){offset, length};
}

static void add_stream(batch_t *batch, const collio_tiling_t *file, int64_t first, int64_t bytes)
{
    collio_cursor_t cursor;

    collio_cursor_seek(&cursor, file, first);
    while (bytes > 0) {
        int64_t run, offset = collio_cursor_run(&cursor, &run);

        run = run < bytes ? run : bytes;
        add(batch, offset, run);
        collio_cursor_advance(&cursor, run);
        bytes -= run;
    }
}

/* The part of [*first, *first + *bytes), in whole repetitions of the view, that was not asked for
 * yet; the covered part only grows, so accesses in any order ask for a repetition once or twice. */
static void uncovered(const collio_tiling_t *file, bool write, collio_lockahead_covered_t *covered,
                      int64_t *first, int64_t *bytes)
{
    int64_t from = *first / file->size * file->size;
    int64_t to = (*first + *bytes + file->size - 1) / file->size * file->size;
    collio_lockahead_covered_t view = {.base = file->base,
                                       .extent = file->extent,
                                       .size = file->size,
                                       .count = file->count,
                                       .write = write};

    if (covered->base != view.base || covered->extent != view.extent || covered->size != view.size
        || covered->count != view.count || (write && !covered->write)) {
        *covered = view;
        covered->from = covered->to = from;
    }
    if (from >= covered->from && to <= covered->to) {
        *bytes = 0;
        return;
    }
    if (from >= covered->from && from <= covered->to) {
        from = covered->to;
        covered->to = to;
    } else {
        covered->from = from;
        covered->to = to;
    }
    *first = from;
    *bytes = to - from;
}

/* Of [from, to), the pieces before and behind the access to [first, first + bytes). */
static void add_ahead(batch_t *batch, const collio_tiling_t *file, int64_t first, int64_t bytes,
                      int64_t from, int64_t to)
{
    int64_t end = first + bytes;

    batch->now = false;
    if (from < first) {
        add_stream(batch, file, from, (to < first ? to : first) - from);
    }
    if (to > end) {
        add_stream(batch, file, from > end ? from : end, to - (from > end ? from : end));
    }
    flush(batch);
    batch->now = true;
}

void collio_lockahead_pieces(ompio_file_t *fh, const collio_tiling_t *file, int64_t first,
                             int64_t bytes, bool write, collio_lockahead_covered_t *covered)
{
    int64_t from = first, to = first + bytes;
    batch_t batch;

    if (0 == file->size || NULL == fh->f_fs_ptr
        || !begin(&batch, fh, write, collio_tiling_piece_bound(file, first, bytes))) {
        return;
    }
    if (COLLIO_LOCKAHEAD_VIEW == batch.lockahead->individual && !file->dense) {
        int64_t rest = bytes;

        uncovered(file, write, covered, &from, &rest);
        to = from + rest;
        if (batch.lockahead->async) {
            add_ahead(&batch, file, first, bytes, from, to);
            from = from > first ? from : first;
            to = to < first + bytes ? to : first + bytes;
        }
    }
    add_stream(&batch, file, from, to - from);
    flush(&batch);
}

void collio_lockahead_segments(ompio_file_t *fh, const collio_segment_t *segments, size_t count,
                               bool write)
{
    batch_t batch;

    if (!begin(&batch, fh, write, (int64_t) count)) {
        return;
    }
    for (size_t i = 0; i < count; ++i) {
        if (segments[i].length > 0) {
            add(&batch, segments[i].offset, segments[i].length);
        }
    }
    flush(&batch);
}
