/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ARENA_H
#define COLLIO_ARENA_H

#include <stddef.h>
#include <stdint.h>

/**
 * Memory that is taken once and reused by every call on a file: it only grows, so that a call
 * which repeats an earlier one cannot run out of memory in the middle of its communication.
 */
typedef struct collio_arena_t {
    char *at;      /* the memory; NULL: none */
    int64_t bytes; /* size of the memory */
} collio_arena_t;

/** At least `bytes` bytes, page-aligned; old content is lost when it grows. Returns the growth in
 *  bytes (0 if it was large enough), or -ENOMEM (then the old memory is still there). */
int64_t collio_arena_reserve(collio_arena_t *arena, int64_t bytes);
void collio_arena_fini(collio_arena_t *arena);
/** The same, and gives the memory back to the kernel: the C library would keep it. */
void collio_arena_discard(collio_arena_t *arena);

#endif /* COLLIO_ARENA_H */
