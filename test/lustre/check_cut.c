/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/** fs/lustre_lla's cutting of ranges into lockahead pieces, against a page-by-page oracle. */

#include "ompi/mca/fs/lustre_lla/fs_lustre_lla_cut.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "check.h"

enum { PAGE = 4, BYTES = 400 };

static bool crosses(const collio_lustre_part_t *part, int64_t first, int64_t last)
{
    const collio_lustre_part_t *at = first < part[0].end ? &part[0] : &part[1];

    if (last >= at->end) {
        return true;
    }
    return 1 < at->stripe_count && first / at->stripe_bytes != last / at->stripe_bytes;
}

/* Every touched page exactly once, no other page, no piece across a border. */
CHECK(random_ranges, 0)
{
    unsigned seed = (unsigned) time(NULL);

    printf("# seed %u\n", seed);
    srand(seed);
    for (int round = 0; round < 2000; ++round) {
        collio_lustre_part_t part[2] = {
            {.start = 0, .end = 96, .stripe_bytes = 8, .stripe_count = 1 + rand() % 2},
            {.start = 96,
             .end = INT64_MAX,
             .stripe_bytes = 8 << rand() % 3,
             .stripe_count = 1 + rand() % 3}};
        collio_extent_t range[20];
        mca_fs_lustre_lla_cut_t cut = {.part = part,
                                       .part_count = 2,
                                       .range = range,
                                       .page_bytes = PAGE,
                                       .stripes = rand() % 2};
        int hit[BYTES / PAGE] = {0};
        int want[BYTES / PAGE] = {0};
        int64_t at = rand() % 10;
        int64_t first;
        int64_t last;
        int64_t before = -1;

        while (cut.range_count < 20 && at < BYTES - 60) {
            int64_t length = rand() % 50;

            range[cut.range_count++] = (collio_extent_t){.offset = at, .length = length};
            for (int64_t b = at; b < at + length; ++b) {
                want[b / PAGE] = 1;
            }
            at += length + rand() % 10;
        }
        while (mca_fs_lustre_lla_cut_next(&cut, &first, &last)) {
            EXPECT(before < first && first < last);
            EXPECT(0 == first % PAGE && PAGE - 1 == last % PAGE);
            EXPECT(!cut.stripes || !crosses(part, first, last));
            EXPECT(mca_fs_lustre_lla_cut_is_single(part, 2, first, last)
                   == !crosses(part, first, last));
            for (int64_t b = first; b < last; b += PAGE) {
                ++hit[b / PAGE];
            }
            before = last;
        }
        EXPECT(0 == memcmp(hit, want, sizeof(hit)));
        if (failed) {
            return;
        }
    }
}

CHECK(small_cases, 0)
{
    collio_lustre_part_t part = {.end = INT64_MAX, .stripe_bytes = 64, .stripe_count = 2};
    collio_extent_t one = {.offset = 63, .length = 1};
    collio_extent_t far = {.offset = INT64_MAX - 1, .length = 1};
    mca_fs_lustre_lla_cut_t cut = {
        .part = &part, .part_count = 1, .range = &one, .range_count = 1, .page_bytes = PAGE};
    int64_t first = -1;
    int64_t last = -1;

    EXPECT(mca_fs_lustre_lla_cut_next(&cut, &first, &last) && 60 == first && 63 == last);
    EXPECT(!mca_fs_lustre_lla_cut_next(&cut, &first, &last));
    cut = (mca_fs_lustre_lla_cut_t){.part = &part,
                                    .part_count = 1,
                                    .range = &far,
                                    .range_count = 1,
                                    .page_bytes = PAGE,
                                    .stripes = true};
    EXPECT(mca_fs_lustre_lla_cut_next(&cut, &first, &last) && INT64_MAX - 1 == last);
    cut = (mca_fs_lustre_lla_cut_t){.range = &one, .page_bytes = PAGE};
    EXPECT(!mca_fs_lustre_lla_cut_next(&cut, &first, &last)); /* nothing */
}

int main(void)
{
    return check_all("cut", NULL, NULL);
}
