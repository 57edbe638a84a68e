/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_PLAN_H
#define FUZZ_PLAN_H

#include "fuzz_view.h"
#include "lib/t_call.h"

/**
 * What all ranks of a sequence do, from a seed and the number of ranks alone: every rank computes
 * the whole plan and needs no message to know what the others do. The plan does not depend on what
 * happens when it runs, so steps and ranks can be left out to make a failing sequence shorter.
 */
enum {
    FUZZ_RANKS = 16,
    FUZZ_STEPS = 32,
    FUZZ_OPS = 48,  /* calls of a step */
    FUZZ_BURST = 4, /* of most steps */
    FUZZ_HINTS = 16,
    FUZZ_HANDLES = 2,
    FUZZ_OTHERS = 4 /* a power of two */
};

/* What a sequence may use. Left-out features make the sequence simpler: a failure is shrunk that
 * way, and what a stock component is known to get wrong is kept from it. */
#define FUZZ_FEATURES(X)                                                                \
    X(HINTS, "hints")               /* else no hints */                                 \
    X(VIEW_HINTS, "view_hints")     /* hints given to set_view, too */                  \
    X(MEMORY, "memory")             /* memory types that are not contiguous */          \
    X(ETYPE, "etype")               /* etypes other than bytes */                       \
    X(BOUND, "bound")               /* lower bounds of filetypes other than 0 */        \
    X(EXTERNAL, "external32")       /* the other representation of data */              \
    X(INDIVIDUAL, "individual")     /* calls that are not collective */                 \
    X(NONBLOCKING, "nonblocking")   /* else blocking */                                 \
    X(SPLIT, "split")               /* split collective calls, else blocking */         \
    X(BURST, "burst")               /* several calls in flight, else the first alone */ \
    X(MANY, "many")                 /* dozens in flight, else a few */                  \
    X(POINTER, "pointer")           /* the file pointer, else explicit offsets */       \
    X(PAST_END, "past_end")         /* reads past the end of the file */                \
    X(PAST_END_OWN, "past_end_own") /* the same by calls that are not collective */     \
    X(PREALLOCATE, "preallocate")                                                       \
    X(SET_SIZE, "set_size")                                                             \
    X(ATOMIC, "atomic")                                                                 \
    X(OVERLAP, "overlap")             /* atomic mode: ranks write the same bytes */     \
    X(OVERLAP_OWN, "overlap_own")     /* the same by calls that are not collective */   \
    X(THREADS, "threads")             /* calls of one step by threads of their own */   \
    X(SHARED, "shared")               /* shared file pointers */                        \
    X(SHARED_SECOND, "shared_second") /* shared pointers while two handles are open */  \
    X(SECOND, "second")               /* a second handle of the file */                 \
    X(REVERSED, "reversed")           /* whose ranks are in the opposite order */       \
    X(MODES, "modes")                 /* open modes other than reading and writing */   \
    X(REOPEN, "reopen")                                                                 \
    X(OTHER, "other")       /* other files of the same processes */                     \
    X(FAR, "far")           /* a file of more than 4 GiB */                             \
    X(GAP, "gap")           /* calls that aim between the bytes of others */            \
    X(IDLE, "idle")         /* ranks that take part with nothing */                     \
    X(PREFILL, "prefill")   /* a file that is there before */                           \
    X(SEEK_END, "seek_end") /* seeks relative to the end of the file */                 \
    X(SEEK, "seek")                                                                     \
    X(SYNC, "sync")                                                                     \
    X(WRITE, "write")                                                                   \
    X(READ, "read")

enum fuzz_feature_number {
#define NUMBER(name, text) FUZZ_NUMBER_##name,
    FUZZ_FEATURES(NUMBER)
#undef NUMBER
        FUZZ_FEATURE_COUNT
};
#define FUZZ_HAS(features, name) (0 != ((uint64_t) (features) >> FUZZ_NUMBER_##name & 1))

/* One call of all ranks. Ranks differ in what a few numbers say. */
typedef struct fuzz_op {
    int handle;
    bool write, collective, at;
    bool gap; /* into bytes that the calls before it in the step left out */
    t_how how;
    int64_t offset; /* etypes, in the view */
    int stagger;    /* rank r begins r * stagger * amount later */
    int amount;     /* bytes of a rank, roughly */
    bool ragged;    /* each rank has another amount */
    int odd_rank;   /* has `odd` etypes more (or less) */
    int odd;
    unsigned idle; /* ranks with nothing, as bits */
    int memory;    /* form of the memory type */
    uint64_t seed;
} fuzz_op;

typedef enum fuzz_step_kind {
    FUZZ_DATA,
    FUZZ_SET_VIEW,
    FUZZ_SET_SIZE,
    FUZZ_PREALLOCATE,
    FUZZ_SYNC,
    FUZZ_ATOMICITY,
    FUZZ_SEEK,
    FUZZ_ORDERED,
    FUZZ_IN_TURN, /* write_shared and read_shared, one rank after the other */
    FUZZ_SEEK_SHARED,
    FUZZ_REOPEN,
    FUZZ_OTHER,   /* a file of the same processes beside this one */
    FUZZ_OVERLAP, /* atomic mode: all ranks write, some of them the same bytes */
    FUZZ_MANY,    /* small collective calls that look alike, without a barrier between them */
    FUZZ_STEP_KINDS
} fuzz_step_kind;

typedef struct fuzz_step {
    fuzz_step_kind kind;
    int handle;
    fuzz_views views;
    fuzz_op op[FUZZ_OPS];
    int ops;
    int completion; /* how requests are waited for */
    int64_t value;  /* a size, an offset, a switch */
    int whence;     /* seek */
    uint64_t seed;
    bool threads; /* blocking calls are made by threads, where that is allowed */
    bool hints;   /* set_view gets the hints of the open, in another order */
    bool check;   /* compare the file afterwards */
} fuzz_step;

typedef struct fuzz_hint {
    const char *name;
    char value[24];
} fuzz_hint;

typedef struct fuzz_plan {
    uint64_t seed;
    int size;
    int handles;
    bool reversed;          /* the second handle's communicator */
    int mode[FUZZ_HANDLES]; /* MPI_MODE_* */
    int64_t prefill;        /* bytes; -1: the file is not there */
    int64_t far;            /* the whole sequence happens from here on */
    fuzz_hint hint[FUZZ_HINTS];
    int hints;
    int plain_handle; /* handle that gets no hints; -1 */
    fuzz_step step[FUZZ_STEPS];
    int steps;
} fuzz_plan;

void fuzz_plan_make(uint64_t seed, int size, fuzz_plan *plan);
const char *fuzz_feature_name(int feature);

#endif
