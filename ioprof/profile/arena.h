/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Memory of decoded profiles: blocks that are freed together with the profile. */
#ifndef IOPROF_PROFILE_ARENA_H
#define IOPROF_PROFILE_ARENA_H

#include <stddef.h>

/** Zeroed memory that belongs to *arena; NULL if there is none. */
void *ioprof_arena_new(void **arena, size_t bytes);
/** *arena takes over memory from malloc. 0, or -1 without memory: then it stays the caller's. */
int ioprof_arena_adopt(void **arena, void *memory);
/** *arena takes over what `other` owns. */
void ioprof_arena_join(void **arena, void *other);
void ioprof_arena_free(void *arena);

#endif /* IOPROF_PROFILE_ARENA_H */
