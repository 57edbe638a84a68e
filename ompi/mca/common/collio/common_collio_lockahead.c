/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The collective side of lockahead: which ranges an owner asks for. See lockahead.h.
 */
#include "common_collio_lockahead.h"

#include <string.h>

#include "opal/mca/mca.h"

mca_common_collio_lockahead_t *mca_common_collio_lockahead_of(ompio_file_t *fh)
{
    mca_common_collio_lockahead_t *lockahead = fh->f_fs_ptr;

    /* f_fs_ptr is anything if another fs component has the file: its name first, then the magic */
    if (NULL == lockahead || NULL == fh->f_fs_component
        || 0 != strcmp("lustre_lla", fh->f_fs_component->mca_component_name)
        || MCA_COMMON_COLLIO_LOCKAHEAD_MAGIC != lockahead->magic
        || MCA_COMMON_COLLIO_LOCKAHEAD_VERSION != lockahead->version) {
        return NULL;
    }
    return lockahead;
}

/* File ranges of local [local, end), whole stripes, joined where they touch. */
static int add_ranges(const mca_common_collio_domains_t *domains, int owner, int64_t local,
                      int64_t end, mca_common_collio_extents_t *ranges)
{
    int64_t size = mca_common_collio_domains_size(domains, owner), unit = domains->unit;
    int rc = 0;

    end = end < size ? end : size;
    while (0 == rc && local < end) {
        int64_t run, offset = mca_common_collio_domains_offset(domains, owner, local, &run);
        int64_t length = run < end - local ? run : end - local;
        int64_t first = offset / unit * unit, last = (offset + length + unit - 1) / unit * unit;
        mca_common_collio_extent_t *previous = ranges->count > 0 ? &ranges->at[ranges->count - 1]
                                                                 : NULL;

        if (NULL != previous && first < previous->offset + previous->length) {
            first = previous->offset + previous->length;
        }
        if (first < last) {
            rc = mca_common_collio_extents_append(ranges, first, last - first);
        }
        local += length;
    }
    return rc;
}

static void request(mca_common_collio_lockahead_t *lockahead, mca_common_collio_extents_t *ranges,
                    int rc, bool write)
{
    if (0 == rc && ranges->count > 0) {
        lockahead->request(lockahead, ranges->at, ranges->count, write);
    }
    mca_common_collio_extents_fini(ranges);
}

void mca_common_collio_lockahead_window(mca_common_collio_lockahead_t *lockahead,
                                        const mca_common_collio_domains_t *domains, int owner,
                                        int64_t lo, int64_t hi, bool write)
{
    mca_common_collio_extents_t ranges = {0};

    request(lockahead, &ranges, add_ranges(domains, owner, lo, hi, &ranges), write);
}

void mca_common_collio_lockahead_domain(mca_common_collio_lockahead_t *lockahead,
                                        const mca_common_collio_domains_t *domains, int owner,
                                        const mca_common_collio_extents_t *runs, bool write)
{
    mca_common_collio_extents_t ranges = {0};
    int rc = 0;

    if (0 == runs->count) {
        return;
    }
    if (MCA_COMMON_COLLIO_LOCKAHEAD_GLOBAL == lockahead->collective) {
        rc = add_ranges(domains, owner, 0, INT64_MAX, &ranges);
    } else if (MCA_COMMON_COLLIO_LOCKAHEAD_STRIPE == lockahead->collective) {
        for (size_t i = 0; 0 == rc && i < runs->count; ++i) {
            rc = add_ranges(domains, owner, runs->at[i].offset,
                            runs->at[i].offset + runs->at[i].length, &ranges);
        }
    }
    request(lockahead, &ranges, rc, write);
}
