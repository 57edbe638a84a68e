/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ARENA_H
#define COLLIO_ARENA_H

#include <stddef.h>
#include <stdint.h>

/**
 * Memory that is allocated once and reused by every call on a file. An arena only grows while the
 * file is open, so a call that repeats an earlier call cannot run out of memory in the middle of
 * its communication.
 */
typedef struct collio_arena_t {
    char *at;      /* memory, owned by the arena; NULL: none */
    int64_t bytes; /* size of `at` in bytes */
} collio_arena_t;

struct collio_file_t;

/** Makes an arena of the file at least `bytes` bytes large, page-aligned, and counts the memory;
 *  growth loses the old content. Returns 0, or -ENOMEM (the arena is unchanged). */
int collio_arena_reserve(struct collio_file_t *file, collio_arena_t *arena, int64_t bytes);
void collio_arena_fini(collio_arena_t *arena);
/** Like collio_arena_fini, and returns the memory to the kernel, because free() may retain it. */
void collio_arena_discard(collio_arena_t *arena);

#endif /* COLLIO_ARENA_H */
