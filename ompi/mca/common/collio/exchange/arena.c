/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Memory that a file keeps between calls. See arena.h.
 */
#include "exchange/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "file/file.h"
#include "node/shm.h"

enum { ALIGNMENT = 4096 };

int collio_arena_reserve(collio_file_t *file, collio_arena_t *arena, int64_t bytes)
{
    void *fresh = NULL;

    if (bytes <= arena->bytes) {
        return 0;
    }
    if (0 != posix_memalign(&fresh, ALIGNMENT, (size_t) bytes)
        && (!collio_shm_relieve() || 0 != posix_memalign(&fresh, ALIGNMENT, (size_t) bytes))) {
        return -ENOMEM;
    }
    free(arena->at);
    arena->at = fresh;
    collio_file_memory(file, bytes - arena->bytes);
    arena->bytes = bytes;
    return 0;
}

void collio_arena_fini(collio_arena_t *arena)
{
    free(arena->at);
    arena->at = NULL;
    arena->bytes = 0;
}

void collio_arena_discard(collio_arena_t *arena)
{
    if (NULL != arena->at) {
        (void) madvise(arena->at, (size_t) arena->bytes / ALIGNMENT * ALIGNMENT, MADV_DONTNEED);
    }
    collio_arena_fini(arena);
}
