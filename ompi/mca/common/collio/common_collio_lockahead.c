/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The collective side of lockahead: which ranges an owner asks for. See lockahead.h.
 */
#include "common_collio_lockahead.h"

mca_common_collio_lockahead_t *mca_common_collio_lockahead_of(ompio_file_t *fh)
{
    mca_common_collio_lockahead_t *lockahead = fh->f_fs_ptr;

    /* f_fs_ptr is another component's on any other file system: Lustre only, then the magic */
    if (LUSTRE != fh->f_fstype || NULL == lockahead
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
    if (0 == rc && ranges.count > 0) {
        lockahead->request(lockahead, ranges.at, ranges.count, write);
    }
    mca_common_collio_extents_fini(&ranges);
}
