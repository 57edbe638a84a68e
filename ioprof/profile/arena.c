/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/arena.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK 65536

struct block {
    struct block *next;
    size_t used, room;
    void *adopted; /* memory from malloc that goes with the block, or NULL */
};

void *ioprof_arena_new(void **arena, size_t bytes)
{
    struct block *block = *arena;
    void *result;

    bytes = (bytes + 15) & ~(size_t) 15;
    if (NULL == block || block->room - block->used < bytes) {
        size_t room = bytes > BLOCK ? bytes : BLOCK;
        struct block *fresh = calloc(1, sizeof(*fresh) + 16 + room);

        if (NULL == fresh) {
            return NULL;
        }
        fresh->room = room;
        fresh->next = block;
        *arena = fresh;
        block = fresh;
    }
    result = (char *) block + ((sizeof(*block) + 15) & ~(size_t) 15) + block->used;
    block->used += bytes;
    return result;
}

int ioprof_arena_adopt(void **arena, void *memory)
{
    struct block *fresh = calloc(1, sizeof(*fresh));

    if (NULL == fresh) {
        return -1;
    }
    fresh->adopted = memory;
    fresh->next = *arena;
    *arena = fresh;
    return 0;
}

void ioprof_arena_join(void **arena, void *other)
{
    struct block *last = other;

    if (NULL == other) {
        return;
    }
    while (NULL != last->next) {
        last = last->next;
    }
    last->next = *arena;
    *arena = other;
}

void ioprof_arena_free(void *arena)
{
    struct block *block = arena;

    while (NULL != block) {
        struct block *next = block->next;

        free(block->adopted);
        free(block);
        block = next;
    }
}
