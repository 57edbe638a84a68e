/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/*
 * Regular sections: (start, length, stride, count) for runs of equal pieces at equal distances.
 *
 * Problem: a plan, or a report, wants the shape of a list, not its millions of extents.
 * Method:  greedy: a section takes extents as long as length and stride stay the same.
 * Cost:    O(n) both ways.
 */
#include <errno.h>
#include <stdlib.h>

#include "common_collio_grow.h"
#include "common_collio_wire.h"

void mca_common_collio_sections_fini(mca_common_collio_sections_t *sections)
{
    free(sections->at);
    *sections = (mca_common_collio_sections_t){0};
}

static int append(mca_common_collio_sections_t *sections, mca_common_collio_section_t section)
{
    if (sections->count == sections->capacity) {
        void *at = mca_common_collio_grow(sections->at, &sections->capacity, sizeof(*sections->at));

        if (NULL == at) {
            return -ENOMEM;
        }
        sections->at = at;
    }
    sections->at[sections->count++] = section;
    return 0;
}

int mca_common_collio_sections_from_extents(const mca_common_collio_extent_t *extents, size_t count,
                                            mca_common_collio_sections_t *sections)
{
    size_t end;

    for (size_t i = 0; i < count; i = end) {
        mca_common_collio_section_t section = {extents[i].offset, extents[i].length, 0, 1};
        int rc;

        end = i + 1;
        if (end < count && extents[end].length == section.length) {
            section.stride = extents[end].offset - section.start;
        }
        while (end < count && extents[end].length == section.length
               && extents[end].offset - extents[end - 1].offset == section.stride) {
            ++end;
        }
        section.count = (int64_t) (end - i);
        rc = append(sections, section);
        if (0 != rc) {
            return rc;
        }
    }
    return 0;
}

int mca_common_collio_sections_to_extents(const mca_common_collio_sections_t *sections,
                                          mca_common_collio_extents_t *list)
{
    for (size_t i = 0; i < sections->count; ++i) {
        const mca_common_collio_section_t *section = &sections->at[i];
        uint64_t start = (uint64_t) section->start;

        for (int64_t n = 0; n < section->count; ++n) {
            int rc = mca_common_collio_extents_append(list, (int64_t) start, section->length);

            if (0 != rc) {
                return rc;
            }
            start += (uint64_t) section->stride; /* what wraps to negative is -EINVAL */
        }
    }
    return 0;
}
