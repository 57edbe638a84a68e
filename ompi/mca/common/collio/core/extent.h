/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_EXTENT_H
#define COLLIO_EXTENT_H

#include <stddef.h>
#include <stdint.h>

/** Contiguous bytes: [offset, offset + length). */
typedef struct collio_extent_t {
    int64_t offset; /* first byte */
    int64_t length; /* number of bytes */
} collio_extent_t;

/** Contiguous bytes in a range of less than 4 GiB, such as a piece of a request in one window. */
typedef struct collio_fragment_t {
    uint32_t offset; /* bytes from the start of the lowest fragment of the range */
    uint32_t length; /* number of bytes */
} collio_fragment_t;

/** A growable list of extents. All-zero is a valid empty list. */
typedef struct collio_extents_t {
    collio_extent_t *at; /* the extents; the list owns them */
    size_t count;        /* number of extents */
    size_t capacity;     /* number of extents that `at` has room for */
} collio_extents_t;

/** Frees the storage; the list is empty and usable afterwards. Idempotent. */
void collio_extents_fini(collio_extents_t *list);

/** Reserves memory for `capacity` extents in total. Returns 0 or -ENOMEM. */
int collio_extents_reserve(collio_extents_t *list, size_t capacity);

/** Appends an extent that is not empty, without joining it. Returns 0 or -ENOMEM. */
int collio_extents_push(collio_extents_t *list, int64_t offset, int64_t length);

/** Appends an extent. An empty extent is dropped; an extent that begins at the end of the last one
 *  is joined to it. Returns 0, -ENOMEM or -EINVAL (negative offset or length, end beyond
 *  INT64_MAX). */
int collio_extents_append(collio_extents_t *list, int64_t offset, int64_t length);

#endif /* COLLIO_EXTENT_H */
