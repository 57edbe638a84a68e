/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/** Creates a file with a progressive layout: [0, 4 MiB) in one stripe of 1 MiB, the rest in four
 *  stripes of 2 MiB. Runs on the simulator and on a real Lustre. */

#include <lustre/lustreapi.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct llapi_layout *layout = llapi_layout_alloc();
    int fd;

    if (2 != argc || NULL == layout || 0 != llapi_layout_comp_extent_set(layout, 0, 4 << 20)
        || 0 != llapi_layout_stripe_count_set(layout, 1)
        || 0 != llapi_layout_stripe_size_set(layout, 1 << 20) || 0 != llapi_layout_comp_add(layout)
        || 0 != llapi_layout_comp_extent_set(layout, 4 << 20, LUSTRE_EOF)
        || 0 != llapi_layout_stripe_count_set(layout, 4)
        || 0 != llapi_layout_stripe_size_set(layout, 2 << 20)) {
        fprintf(stderr, "usage: make_composite FILE\n");
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
