/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_UTIL_H
#define T_UTIL_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "t_compat.h"

/**
 * What every test program needs: who am I, computed bytes, and a way to fail that does not hang.
 *
 * The bytes of a test file are computed, so nothing has to be remembered:
 *     0          a hole that nobody wrote
 *     even       t_pre(offset): what POSIX put there before the call under test
 *     odd        t_val(offset, writer): what that writer wrote there
 * so a lost byte, a damaged gap and a byte of the wrong rank are told apart.
 */

extern int t_rank, t_size; /* in MPI_COMM_WORLD */
extern uint64_t t_seed;    /* of all computed bytes and random shapes; printed on failure */

enum { T_SKIP = 77 }; /* exit code: this test cannot run here */

uint64_t t_mix(uint64_t x); /* splitmix64's finaliser: a hash with no visible pattern */
uint64_t t_random(uint64_t *state);
unsigned char t_pre(int64_t offset);
unsigned char t_val(int64_t offset, int writer);

/* The bytes of a writer from an offset on; whether a buffer holds them. */
void t_fill(unsigned char *data, int64_t offset, int64_t bytes, int writer);
bool t_holds(const unsigned char *data, int64_t offset, int64_t bytes, int writer);

/* Allocates or ends the program: a test cannot go on without memory. */
void *t_alloc(size_t bytes);

/* MPI_Init (or _thread), the seed from T_SEED, errors returned instead of aborting. */
void t_init(int *argc, char ***argv);
int t_init_thread(int *argc, char ***argv, int wanted); /* returns the level provided */

/* Directory of the test files: T_DIR, else TMPDIR, else /tmp. t_path gives "<dir>/<name>". */
void t_path(char *path, size_t bytes, const char *name);
/* Rank 0 removes the file. */
void t_remove(const char *path);

/* The node of this rank: the ranks that share memory with it. */
typedef struct t_node {
    int nodes; /* of the job */
    int ranks; /* of this node */
    int rank;  /* of this process among them */
    int first; /* lowest rank in MPI_COMM_WORLD of this node */
} t_node;
t_node t_node_here(void); /* collective */

/* Notes a failure of this rank and prints it with rank and seed (the first 20 only). */
void t_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
#define t_fail_if(wrong, ...)    \
    do {                         \
        if (wrong) {             \
            t_fail(__VA_ARGS__); \
        }                        \
    } while (0)
int t_failures(void);
const char *t_first_failure(void); /* its text; empty without a failure */
void t_failures_reset(void);
/* Fails unless the call returned MPI_SUCCESS; returns true when it did. */
bool t_ok(int rc, const char *what);
/* The class of an error code, and its name for messages. */
int t_class(int rc);
const char *t_class_name(int class);

/* Collective over MPI_COMM_WORLD: "ok NAME" or "not ok NAME" from rank 0; true when all passed. */
bool t_verdict(const char *name, ...) __attribute__((format(printf, 1, 2)));
/* Collective: ends MPI; the exit code is 0 when every verdict so far was ok. */
int t_finish(void);
/* Bytes that malloc has given to this process; its open descriptors. */
double t_memory_used(void);
int t_descriptors(void);
/* The number after "NAME:" in a file of /proc; its unit may be kB. -1: there is none. */
double t_proc(const char *file, const char *name);
/* Threads of this process; and, when MPI is over, whether some are left after some seconds. */
int t_threads(void);
bool t_threads_left(void);
/* Collective: "skip NAME # reason" and exit code 77 (0 when something else was already tested). */
int t_skip_all(const char *name, const char *reason);

#endif
