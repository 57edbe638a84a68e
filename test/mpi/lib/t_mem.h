/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_MEM_H
#define T_MEM_H

#include "t_list.h"
#include "t_util.h"

/** How the user's buffer lies in memory. */
typedef enum t_mem_kind {
    T_MEM_CONTIG,   /* one piece, count x basic type */
    T_MEM_VECTOR,   /* three units, two units of gap, ...; count 1 of a derived type */
    T_MEM_REVERSED, /* pieces of five units, the first in the stream last in memory */
    T_MEM_SPREAD,   /* count x (one unit and a gap): count > 1 of a resized type */
    T_MEM_KINDS
} t_mem_kind;

extern const char *const t_mem_names[T_MEM_KINDS];

/** A buffer with guard bytes around and between its pieces. */
typedef struct t_mem {
    unsigned char *all; /* what was allocated */
    size_t all_bytes;
    void *addr; /* what MPI gets, with count and type */
    int count;
    MPI_Datatype type;
    bool own_type;
    t_list map; /* stream order: offsets in all */
    int64_t unit;
} t_mem;

void t_mem_make(t_mem *mem, t_mem_kind kind, int64_t bytes, int64_t unit);
void t_mem_free(t_mem *mem);
/* Stream -> memory and back; swap: reverse the bytes of every unit (external32). */
void t_mem_put(t_mem *mem, const unsigned char *stream, bool swap);
void t_mem_get(const t_mem *mem, unsigned char *stream, bool swap);
/* Fails (t_fail) when a guard byte changed. */
void t_mem_check_guards(const t_mem *mem, const char *what);

#endif
