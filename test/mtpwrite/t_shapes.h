/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_SHAPES_H
#define T_SHAPES_H

#include <mpi.h>
#include <stddef.h>

/** Views and buffers, each both as an MPI datatype and as a plain list of pieces: the datatype goes
 *  to MPI, the list is what the expected bytes are computed from. */
typedef struct shape {
    size_t count; /* pieces in a repetition */
    long long *offset;
    long long *length;
    long long extent;
    long long size;    /* bytes of data in a repetition */
    long long disp;    /* of a view */
    MPI_Datatype type; /* committed */
} shape;

enum { T_VIEWS = 7, T_MEMORIES = 5 };
extern const char *const t_view_names[T_VIEWS];
extern const char *const t_memory_names[T_MEMORIES];

/** View `number` of a rank; the ranks' views never overlap. */
void t_view(shape *view, int number, int rank, int ranks);
void t_memory(shape *memory, int number);
void t_shape_free(shape *shape);

/** Where byte `stream` of the shape lies (from disp, or from the buffer's start). */
long long t_locate(const shape *shape, long long stream);

unsigned long long t_random(void);
void t_seed(unsigned long long seed);

#endif /* T_SHAPES_H */
