/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SIZES_H
#define COLLIO_SIZES_H

#include <stdbool.h>
#include <stddef.h>

/** A struct of Open MPI whose size differs between the headers of the build and the libraries that
 *  were loaded. */
typedef struct collio_size_t {
    const char *name;
    size_t built;
    size_t running;
} collio_size_t;

/**
 * Compares the sizes of Open MPI's structs with those we were built with. Two builds of one release
 * can differ: --enable-debug makes every object larger. Open MPI's libraries name the size of each
 * of their classes. ompio_file_t and the io table are no classes, and the class of ompi_file_t is
 * hidden: only the release tells about them. False with the first struct that differs.
 */
bool collio_sizes_fit(collio_size_t *other);

#endif /* COLLIO_SIZES_H */
