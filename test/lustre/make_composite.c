/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/** Creates a file with a composite layout; of every mirror, [0, 4 MiB) and the rest:
 *
 *    make_composite FILE        1 stripe of 1 MiB, then 4 of 2 MiB
 *    make_composite FILE wide   the second on all OSTs (-c -1)
 *    make_composite FILE dom    the first on the MDT
 *    make_composite FILE mirror two mirrors, the second with 2 stripes of 4 MiB at its end
 *    make_composite FILE stale  the same; the first mirror is stale (simulator only)
 */

#include <lustre/lustreapi.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool add_mirror(struct llapi_layout *layout, bool on_mdt, uint64_t stripes, uint64_t size)
{
    return 0 == llapi_layout_comp_extent_set(layout, 0, 4 << 20)
           && 0 == llapi_layout_stripe_count_set(layout, 1)
           && 0 == llapi_layout_stripe_size_set(layout, on_mdt ? 4 << 20 : 1 << 20)
           && (!on_mdt || 0 == llapi_layout_pattern_set(layout, LLAPI_LAYOUT_MDT))
           && 0 == llapi_layout_comp_add(layout)
           && 0 == llapi_layout_comp_extent_set(layout, 4 << 20, LUSTRE_EOF)
           && 0 == llapi_layout_stripe_count_set(layout, stripes)
           && 0 == llapi_layout_stripe_size_set(layout, size);
}

int main(int argc, char **argv)
{
    struct llapi_layout *layout = llapi_layout_alloc();
    const char *kind = argc > 2 ? argv[2] : "";
    bool stale = 0 == strcmp(kind, "stale");
    int fd;

    if (2 > argc || NULL == layout
        || !add_mirror(layout, 0 == strcmp(kind, "dom"),
                       0 == strcmp(kind, "wide") ? LLAPI_LAYOUT_WIDE : 4, 2 << 20)
        || (stale && 0 != llapi_layout_comp_flags_set(layout, LCME_FL_STALE))
        || ((stale || 0 == strcmp(kind, "mirror"))
            && (0 != llapi_layout_add_first_comp(layout)
                || !add_mirror(layout, false, 2, 4 << 20)))) {
        fprintf(stderr, "usage: make_composite FILE [wide|dom|mirror|stale]\n");
        return EXIT_FAILURE;
    }
    fd = llapi_layout_file_open(argv[1], O_CREAT | O_EXCL | O_RDWR, 0644, layout);
    llapi_layout_free(layout);
    if (0 > fd) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    close(fd);
    return EXIT_SUCCESS;
}
