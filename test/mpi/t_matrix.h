/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_MATRIX_H
#define T_MATRIX_H

#include "lib/t_call.h"
#include "lib/t_mem.h"
#include "lib/t_pattern.h"
#include "lib/t_util.h"

/**
 * The matrix: a case is one value of every dimension. Its name spells them, so that any case can
 * be run alone:  pattern/op/how/mem/fill/open/aggregators/buffer/mode
 */
enum {
    D_PATTERN,
    D_OP,   /* write, read */
    D_HOW,  /* which MPI call */
    D_MEM,  /* layout of the buffer */
    D_FILL, /* write: fresh or filled file; read: whole or short file */
    D_OPEN, /* rdwr, or only what the operation needs */
    D_AGG,  /* aggregators: 1, 2, all */
    D_BUF,  /* collective buffer: tiny, default */
    D_MODE, /* set of hints */
    D_NP,   /* number of ranks; not in the name */
    DIMENSIONS
};

enum { OP_WRITE, OP_READ };
enum { HOW_ALL, HOW_AT, HOW_MULTI, HOW_SEEK, HOW_IALL, HOW_IAT, HOW_SPLIT, HOW_SPLIT_AT };
enum { HOW_ONE = HOW_SPLIT_AT + 1, HOWS = HOW_ONE + 4 }; /* from HOW_ONE on: not collective */
enum { MAX_MODES = 4096, MAX_NP = 16 };

extern const t_call t_hows[HOWS]; /* HOW_MULTI and HOW_ONE to the last make three calls in a row */

typedef struct t_case {
    short v[DIMENSIONS];
} t_case;

typedef struct t_space {
    int n[DIMENSIONS];      /* number of values */
    char *modes[MAX_MODES]; /* "schedule=none,exchange=on": hints without collio_ */
    int np[MAX_NP];         /* the rank counts of the whole run */
    bool individual;        /* calls that are not collective, else those that are */
} t_space;

typedef struct t_cases {
    t_case *v;
    size_t n, cap;
} t_cases;

/* cases */
void t_space_init(t_space *space);
bool t_space_read_modes(t_space *space, const char *path);
bool t_case_valid(const t_space *space, const t_case *c);
void t_case_name(const t_space *space, const t_case *c, char *name, size_t bytes);
bool t_case_parse(t_space *space, const char *name, t_case *c);
void t_cases_add(t_cases *cases, const t_case *c);
/* Every pair of values of two dimensions is in some case; the same list every time. */
void t_cases_pairwise(const t_space *space, t_cases *cases);
/* Everything over pattern, op, aggregators, buffer and mode; the others take turns. */
void t_cases_full(const t_space *space, t_cases *cases);

/* run */
typedef struct t_run_options {
    const char *dir;
    const char *mutate; /* NULL, or which deliberate error to make (the test of the test) */
    int tiny_bytes;
    bool atomic; /* every file is in atomic mode */
} t_run_options;
enum { CASE_OK, CASE_FAILED, CASE_SKIPPED };
/* Collective; the same answer on every rank. why: reason of a skip. */
int t_case_run(const t_space *space, const t_case *c, const t_run_options *options, char *why,
               size_t why_bytes);

#endif
