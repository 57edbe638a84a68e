/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_RUN_H
#define FUZZ_RUN_H

#include "fuzz_plan.h"

#include <pthread.h>

/**
 * A sequence under way: the model that every rank keeps of the file and of everybody's pointers and
 * views, and this rank's handles. "actor" is a rank of the running communicator; `who` gives the
 * rank of the plan that it plays, which differs when ranks are left out.
 */
enum { FUZZ_MODEL = 512 * 1024 };

typedef struct fuzz_handle {
    MPI_Comm comm;
    MPI_File file;
    int mode;
    bool atomic;
    int order[FUZZ_RANKS];       /* actor -> rank in comm */
    fuzz_view view[FUZZ_RANKS];  /* of each actor */
    int64_t pointer[FUZZ_RANKS]; /* etypes */
    int64_t shared;              /* etypes */
} fuzz_handle;

/* What one actor does in one call. */
typedef struct fuzz_part {
    bool takes_part; /* makes the call */
    int64_t offset;  /* etypes */
    int count;       /* of the memory type */
    int64_t bytes;
    int64_t there;     /* a read gets so many of them */
    fuzz_type *type;   /* in memory */
    fuzz_flat file;    /* places in the file */
    int64_t *memory;   /* place of each byte of the file's stream in memory */
    int64_t low, high; /* range of the places in memory */
} fuzz_part;

/* One call, ready to be made. */
typedef struct fuzz_call {
    fuzz_op op; /* as it is done, after all that was left out */
    int number;
    fuzz_part part[FUZZ_RANKS];
    unsigned char *memory; /* this rank's, with room around it */
    MPI_Datatype type;
    MPI_Request request;
    MPI_Status status;
    bool done;
    pthread_t thread; /* makes the call, if has_thread */
    bool has_thread;
    int rc;
    bool overlap;   /* ranks may write the same bytes */
    bool end_moves; /* another call of the step may write past the end: no read looks there */
} fuzz_call;

typedef struct fuzz_run {
    const fuzz_plan *plan;
    uint64_t features;
    uint32_t hints;
    uint32_t steps; /* bits: those that are done */
    MPI_Comm comm, opposite;
    int rank, ranks;
    int who[FUZZ_RANKS];
    const char *path;
    int fd; /* rank 0: the file, by POSIX */
    fuzz_handle handle[FUZZ_HANDLES];
    MPI_File other[FUZZ_OTHERS];
    unsigned char *bytes; /* from plan->far on */
    unsigned char *touched;
    int64_t size; /* of the file */
    int64_t touched_low, touched_high;
    int step;
    int failures;
    bool show, check_all;
    bool weak;  /* nodes keep caches of their own: every step ends with sync, barrier, sync */
    int damage; /* after this step rank 0 changes a byte of the file: a test of the test */
} fuzz_run;

/* Notes a failure; prints the first few. */
void fuzz_fail(fuzz_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool fuzz_ok(fuzz_run *run, int rc, const char *what);
void fuzz_show(const fuzz_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* fuzz_part.c: what each actor does, and what that makes of the model */
/* False when the call is left out. */
bool fuzz_call_prepare(fuzz_run *run, const fuzz_step *step, int number, fuzz_call *call);
/* Call 0 of the step, whose ranks may write the same bytes. */
void fuzz_call_prepare_overlap(fuzz_run *run, const fuzz_step *step, fuzz_call *call);
/* What the actor does from this offset on, with so many bytes at most. */
void fuzz_part_make(fuzz_run *run, const fuzz_call *call, int actor, int64_t offset, int64_t most);
void fuzz_touch_clear(fuzz_run *run);
void fuzz_call_apply(fuzz_run *run, const fuzz_call *call);
void fuzz_call_free(fuzz_call *call);
void fuzz_call_show(const fuzz_run *run, const fuzz_call *call);
unsigned char fuzz_value(const fuzz_run *run, const fuzz_call *call, int actor, int64_t place);

/* fuzz_call.c: the calls */
void fuzz_buffer_make(fuzz_run *run, fuzz_call *call);
unsigned char *fuzz_buffer_origin(const fuzz_run *run, const fuzz_call *call);
void fuzz_buffer_check(fuzz_run *run, const fuzz_call *call);
/* Makes and completes calls that are prepared. */
void fuzz_call_make(fuzz_run *run, const fuzz_step *step, fuzz_call call[], int calls);
void fuzz_data(fuzz_run *run, const fuzz_step *step);
const char *fuzz_call_name(const fuzz_op *op);

/* fuzz_overlap.c: atomic mode */
void fuzz_overlap(fuzz_run *run, const fuzz_step *step);

/* fuzz_other.c: other files of the same processes */
void fuzz_other(fuzz_run *run, const fuzz_step *step);
void fuzz_other_close(fuzz_run *run, int number);

/* fuzz_shared.c: shared file pointers */
void fuzz_ordered(fuzz_run *run, const fuzz_step *step);
void fuzz_in_turn(fuzz_run *run, const fuzz_step *step);
void fuzz_seek_shared(fuzz_run *run, const fuzz_step *step);

/* fuzz_steps.c: all other steps, and the whole sequence; false when something was wrong */
bool fuzz_sequence(fuzz_run *run);
/* The hints of a handle, or MPI_INFO_NULL. */
MPI_Info fuzz_info_make(const fuzz_run *run, int h);

#endif
