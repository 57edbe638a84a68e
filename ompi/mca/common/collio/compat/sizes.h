/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SIZES_H
#define COLLIO_SIZES_H

#include <stdbool.h>
#include <stddef.h>

/** A struct of Open MPI whose size differs between the headers of the build and the libraries that
 *  were loaded. */
typedef struct collio_size_t {
    const char *name; /* name of the struct */
    size_t built;     /* bytes in the headers of the build */
    size_t running;   /* bytes in the loaded libraries */
} collio_size_t;

/**
 * Compares the sizes of Open MPI's structs with the headers of the build. Two builds of one release
 * can differ: --enable-debug makes every object larger. Open MPI's libraries contain the size of
 * each of their classes. ompio_file_t and the io table are not classes, and the class of
 * ompi_file_t is hidden, so only the release number covers them. Returns false, with the first
 * struct that differs in *other.
 */
bool collio_sizes_fit(collio_size_t *other);

#endif /* COLLIO_SIZES_H */
