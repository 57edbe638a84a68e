/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_PATTERN_H
#define T_PATTERN_H

#include "t_list.h"
#include "t_util.h"

/**
 * Access patterns, each told twice, independently:
 *   shape   which bytes of the file rank r touches, in which order, by plain arithmetic (any rank
 *           can compute it for any other: no MPI in it; this is the oracle's side)
 *   view    the displacement, etype and filetype a program would give to MPI_File_set_view
 */

typedef struct t_shape {
    t_list list;   /* bytes of the view from its beginning to the end of the request */
    int64_t start; /* bytes of the view before the request (a multiple of etype) */
    int64_t etype; /* bytes of one etype */
    int64_t unit;  /* bytes of the basic type: 1 MPI_BYTE, 4 MPI_INT, 8 MPI_DOUBLE */
} t_shape;

typedef struct t_view {
    bool set; /* false: the default view, nothing to set */
    MPI_Offset disp;
    MPI_Datatype etype, filetype;
    const char *datarep;
} t_view;

enum {
    T_WRITE = 1,      /* may be written */
    T_READ = 2,       /* may be read */
    T_SHORT = 4,      /* may be read from a file that ends too early */
    T_ATOMIC = 8,     /* in atomic mode; the ranks overlap */
    T_APPEND = 16,    /* opened with MPI_MODE_APPEND */
    T_SWAP = 32,      /* external32: bytes of a unit are reversed in the file */
    T_REFUSABLE = 64, /* MPI_File_set_view may say MPI_ERR_TYPE: the standard forbids such views */
    T_EMPTIES = 128,  /* the filetype has empty pieces between the others */
};

/** Which ranks have bytes. */
typedef enum t_who { T_ALL, T_ODD, T_LAST, T_NOBODY } t_who;

/** `count` blocks of each rank by turns. One block: a view without a filetype of its own. */
typedef struct t_row {
    int64_t first, step;       /* the first block of rank r is at first + r * step */
    int64_t block, gap;        /* bytes of a block; bytes between the last rank and the first */
    int64_t stride;            /* between blocks of a rank; 0: ranks * step + gap */
    int64_t unit;              /* bytes of the basic type */
    int64_t start, start_step; /* bytes of the view before the request: start + r * start_step */
    int count;
    t_who who;
} t_row;

typedef struct t_pattern {
    const char *name;
    unsigned flags;
    void (*shape)(int rank, int size, t_shape *shape); /* NULL: row */
    void (*view)(int rank, int size, t_view *view);    /* NULL: row, or the pieces of the shape */
    t_row row;
} t_pattern;

extern const t_pattern t_patterns[];
extern const int t_pattern_count;
const t_pattern *t_pattern_find(const char *name);

enum { T_APPEND_BASE = 5000 }; /* size of the file that the append pattern finds */

void t_pattern_shape(const t_pattern *pattern, int rank, int size, t_shape *shape);
void t_pattern_view(const t_pattern *pattern, int rank, int size, t_view *view);

MPI_Datatype t_unit_type(int64_t unit);
void t_view_free(t_view *view);
void t_shape_free(t_shape *shape);

/* Regular patterns (t_pattern_regular.c), arrays (t_pattern_grid.c), lists (t_pattern_lists.c). */
#define T_DECLARE(name)                                      \
    void t_shape_##name(int rank, int size, t_shape *shape); \
    void t_view_##name(int rank, int size, t_view *view)
T_DECLARE(tiles);
T_DECLARE(block3d);
T_DECLARE(btio);
T_DECLARE(darray);
T_DECLARE(repeated_read);
void t_shape_e3sm(int rank, int size, t_shape *shape);
void t_shape_ragged(int rank, int size, t_shape *shape);
void t_shape_far(int rank, int size, t_shape *shape);
void t_shape_overlap_read(int rank, int size, t_shape *shape);
void t_shape_unsorted_read(int rank, int size, t_shape *shape);
void t_row_shape(const t_row *row, int rank, int size, t_shape *shape);
void t_row_view(const t_row *row, int rank, int size, t_view *view);
/* A filetype of exactly the pieces of a shape, in its order; with an empty one after each. */
void t_list_view(const t_shape *shape, bool empties, t_view *view);

#endif
