/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_FAULT_H
#define T_FAULT_H

#include "lib/t_file.h"

/**
 * A collective call that is meant to fail, and all that must hold afterwards: the same class on
 * every rank, counts that promise no byte too many, nothing outside the request touched, and a file
 * that works for the next call.
 */
typedef struct t_request {
    int64_t block, gap, first; /* blocks of the ranks alternate, with a gap after each round */
    int count;
} t_request;

t_blocks t_request_blocks(const t_request *request, int rank);
int64_t t_request_end(const t_request *request);
/* Collective: the file holds what all ranks have written (rank r: writer first + r), else t_pre. */
void t_request_check(const t_request *request, int first, const char *path, int64_t prefilled);

/* The shim's functions; without the shim t_fault_set fails the test. */
bool t_fault_there(void);
void t_fault_set(const char *spec);
long long t_fault_count(void);

/* Every rank must have this class (MPI_SUCCESS - 1: any error, but the same). Collective. */
void t_same_class(int rc, int wanted, const char *what);
/* After a write that failed: every byte is old (t_pre) or the writer's, gaps are old, and no rank
 * was told that more bytes are there than are. Collective. old_size: size of the prefilled file. */
void t_check_partial(const char *path, const t_request *request, int64_t my_count,
                     int64_t old_size);

#endif
