/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/*
 * The requester's half of the cycle plan: my pieces, cut by owner and by window.
 *
 * Problem: millions of tiny pieces, up to 100,000 owners; a piece may also span thousands of
 *          stripes.
 * Method:  pieces are walked in file order inside a *box*, the stretch of file that stays with one
 *          owner in one window: a piece inside the current box needs two comparisons and no
 *          search. The first walk counts the parts of each owner, the second one puts them to their
 *          final places, a last one over the result notes where windows begin.
 * Cost:    O(pieces + parts + owners) and one locate for each box entered. Where pieces overlap
 *          (reads), an owner's parts may come out of order: then these are sorted.
 *
 *   pieces   [a      ][b][c]      [d ]         boxes  |0  |1  |0  |1  |0  |1
 *   split    owner 0: a1 a3 b .. | owner 1: a2 ..
 */
#include <errno.h>
#include <stdlib.h>

#include "common_collio_cycle.h"
#include "common_collio_grow.h"

/* A stretch of the file, [lo, hi), that stays with one owner in one window. */
typedef struct mca_common_collio_box_t {
    int64_t lo;
    int64_t hi;
    int64_t shift; /* local - offset */
    int owner;
} box_t;

typedef struct mca_common_collio_splitter_t {
    const mca_common_collio_domains_t *domains;
    int64_t window_bytes;
    size_t *next; /* of each owner: number of its parts, then where the next one goes */
    box_t box;
} splitter_t;

static void enter_box(splitter_t *splitter, int64_t offset)
{
    mca_common_collio_place_t place = mca_common_collio_domains_locate(splitter->domains, offset);
    int64_t left = splitter->window_bytes - place.local % splitter->window_bytes;

    splitter->box.lo = offset;
    splitter->box.hi = offset + (place.run < left ? place.run : left);
    splitter->box.shift = place.local - offset;
    splitter->box.owner = place.owner;
}

/* The end of the part of [offset, end) that is in one box, which is entered. */
static inline int64_t part_end(splitter_t *splitter, int64_t offset, int64_t end)
{
    if (offset < splitter->box.lo || offset >= splitter->box.hi) {
        enter_box(splitter, offset);
    }
    return end < splitter->box.hi ? end : splitter->box.hi;
}

static void count_parts(splitter_t *splitter, const mca_common_collio_pieces_t *pieces)
{
    for (size_t i = 0; i < pieces->count; ++i) {
        int64_t offset = pieces->at[i].offset;
        int64_t end = offset + pieces->at[i].length;

        while (offset < end) {
            offset = part_end(splitter, offset, end);
            splitter->next[splitter->box.owner]++;
        }
    }
}

/* Counts to places. Returns the number of parts; *shares = owners that have any. */
static size_t place_owners(splitter_t *splitter, size_t *shares)
{
    size_t parts = 0;

    *shares = 0;
    for (int owner = 0; owner < splitter->domains->owners; ++owner) {
        size_t count = splitter->next[owner];

        splitter->next[owner] = parts;
        parts += count;
        *shares += 0 < count;
    }
    return parts;
}

static void fill_parts(splitter_t *splitter, const mca_common_collio_pieces_t *pieces,
                       mca_common_collio_piece_t *out)
{
    for (size_t i = 0; i < pieces->count; ++i) {
        int64_t offset = pieces->at[i].offset;
        int64_t end = offset + pieces->at[i].length;
        int64_t stream = pieces->at[i].stream - offset;

        while (offset < end) {
            int64_t to = part_end(splitter, offset, end);
            mca_common_collio_piece_t *part = &out[splitter->next[splitter->box.owner]++];

            part->offset = offset + splitter->box.shift;
            part->length = to - offset;
            part->stream = stream + offset;
            offset = to;
        }
    }
}

static int by_local(const void *left, const void *right)
{
    const mca_common_collio_piece_t *a = left;
    const mca_common_collio_piece_t *b = right;

    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return (a->stream > b->stream) - (a->stream < b->stream);
}

static void sort_if_needed(mca_common_collio_piece_t *piece, size_t count)
{
    for (size_t i = 1; i < count; ++i) {
        if (piece[i].offset < piece[i - 1].offset) {
            qsort(piece, count, sizeof(*piece), by_local);
            return;
        }
    }
}

static int add_window(mca_common_collio_split_t *split, size_t *capacity, int64_t index,
                      size_t first)
{
    if (split->window_count == *capacity) {
        void *at = mca_common_collio_grow(split->window, capacity, sizeof(*split->window));

        if (NULL == at) {
            return -ENOMEM;
        }
        split->window = at;
    }
    split->window[split->window_count++] = (mca_common_collio_window_t){index, first, 0, 0};
    return 0;
}

/* Notes the windows of piece[first .. end), which ascend, and adds their share. */
static int add_share(mca_common_collio_split_t *split, size_t *capacity, int owner, size_t first,
                     size_t end)
{
    mca_common_collio_share_t *share = &split->share[split->share_count++];
    mca_common_collio_window_t *window = NULL;
    int64_t border = 0; /* the current window's end */

    *share = (mca_common_collio_share_t){owner, split->window_count, 0, 0};
    for (size_t i = first; i < end; ++i) {
        const mca_common_collio_piece_t *piece = &split->piece[i];

        if (NULL == window || piece->offset >= border) {
            int64_t index = piece->offset / split->window_bytes;

            if (0 != add_window(split, capacity, index, i)) {
                return -ENOMEM;
            }
            window = &split->window[split->window_count - 1];
            border = index < INT64_MAX / split->window_bytes ? (index + 1) * split->window_bytes
                                                             : INT64_MAX;
        }
        window->count++;
        window->bytes += piece->length;
        share->bytes += piece->length;
    }
    share->count = split->window_count - share->first;
    return 0;
}

static int allocate(mca_common_collio_split_t *split, size_t parts, size_t shares)
{
    if (0 == parts) {
        return 0;
    }
    split->piece = mca_common_collio_resize(NULL, parts, sizeof(*split->piece));
    split->share = mca_common_collio_resize(NULL, shares, sizeof(*split->share));
    return NULL == split->piece || NULL == split->share ? -ENOMEM : 0;
}

int mca_common_collio_split_pieces(const mca_common_collio_pieces_t *pieces,
                                   const mca_common_collio_domains_t *domains, int64_t window_bytes,
                                   mca_common_collio_split_t *split)
{
    splitter_t splitter = {.domains = domains, .window_bytes = window_bytes};
    size_t capacity = 0;
    size_t shares;
    size_t first = 0;
    int rc;

    *split = (mca_common_collio_split_t){.window_bytes = window_bytes};
    splitter.next = calloc((size_t) domains->owners, sizeof(*splitter.next));
    if (NULL == splitter.next) {
        return -ENOMEM;
    }
    count_parts(&splitter, pieces);
    split->piece_count = place_owners(&splitter, &shares);
    rc = allocate(split, split->piece_count, shares);
    if (0 == rc) {
        fill_parts(&splitter, pieces, split->piece);
    }
    for (int owner = 0; 0 == rc && owner < domains->owners; ++owner) {
        size_t end = splitter.next[owner]; /* filling moved it behind the owner's last part */

        if (first < end) {
            sort_if_needed(split->piece + first, end - first);
            rc = add_share(split, &capacity, owner, first, end);
        }
        first = end;
    }
    free(splitter.next);
    if (0 != rc) {
        mca_common_collio_split_fini(split);
    }
    return rc;
}

/* Parts of the list when cut at window borders; SIZE_MAX if they cannot be counted. */
static size_t count_cut(const mca_common_collio_extents_t *local, int64_t window_bytes)
{
    size_t parts = 0;
    int64_t lo = 0;
    int64_t hi = 0; /* the current window is [lo, hi) */

    for (size_t i = 0; i < local->count; ++i) {
        int64_t offset = local->at[i].offset;
        int64_t last = offset + local->at[i].length - 1;
        size_t cuts = 0;

        if (offset < lo || last >= hi) {
            cuts = (size_t) (last / window_bytes - offset / window_bytes);
            lo = last - last % window_bytes;
            hi = lo < INT64_MAX - window_bytes ? lo + window_bytes : INT64_MAX;
        }
        if (cuts > PTRDIFF_MAX - 1 - parts) {
            return SIZE_MAX;
        }
        parts += cuts + 1;
    }
    return parts;
}

static void fill_cut(const mca_common_collio_extents_t *local, mca_common_collio_split_t *split)
{
    mca_common_collio_piece_t *part = split->piece;
    int64_t lo = 0;
    int64_t hi = 0;

    for (size_t i = 0; i < local->count; ++i) {
        int64_t offset = local->at[i].offset;
        int64_t end = offset + local->at[i].length;

        while (offset < end) {
            if (offset < lo || offset >= hi) {
                lo = offset - offset % split->window_bytes;
                hi = lo < INT64_MAX - split->window_bytes ? lo + split->window_bytes : INT64_MAX;
            }
            part->offset = offset;
            part->length = (end < hi ? end : hi) - offset;
            part->stream = part - split->piece; /* keeps the order if it must be sorted */
            offset += part->length;
            ++part;
        }
    }
}

/* Streams count the packed bytes of each window. */
static void number_streams(mca_common_collio_split_t *split)
{
    for (size_t w = 0; w < split->window_count; ++w) {
        const mca_common_collio_window_t *window = &split->window[w];
        int64_t stream = 0;

        for (size_t i = window->first; i < window->first + window->count; ++i) {
            split->piece[i].stream = stream;
            stream += split->piece[i].length;
        }
    }
}

int mca_common_collio_split_extents(const mca_common_collio_extents_t *local, int64_t window_bytes,
                                    mca_common_collio_split_t *split)
{
    size_t capacity = 0;
    int rc;

    *split = (mca_common_collio_split_t){.window_bytes = window_bytes};
    split->piece_count = count_cut(local, window_bytes);
    if (0 == split->piece_count) {
        return 0;
    }
    rc = allocate(split, split->piece_count, 1);
    if (0 == rc) {
        fill_cut(local, split);
        sort_if_needed(split->piece, split->piece_count);
        rc = add_share(split, &capacity, 0, 0, split->piece_count);
    }
    if (0 == rc) {
        number_streams(split);
    } else {
        mca_common_collio_split_fini(split);
    }
    return rc;
}

void mca_common_collio_split_fini(mca_common_collio_split_t *split)
{
    free(split->piece);
    free(split->window);
    free(split->share);
    *split = (mca_common_collio_split_t){0};
}
