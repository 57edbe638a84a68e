/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PROCESS_H
#define COLLIO_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * True if another process of this machine is alive. A process number alone does not answer this:
 * numbers are reused, differ between pid namespaces, and a zombie still has one. Uses no MPI.
 */
typedef struct collio_process_t {
    int64_t pid;   /* process number */
    int64_t start; /* start time in /proc/PID/stat, in clock ticks; 0: /proc cannot be used */
    int64_t space; /* hash of pid and time namespaces of the process; 0: unknown */
} collio_process_t;

/** Returns the identity of this process, for checks by other processes. */
collio_process_t collio_process_self(void);

/** True only if the process has certainly ended, is a zombie, or another process has its number;
 *  false for a process of another or an unknown namespace. Reads a file of /proc. */
bool collio_process_ended(const collio_process_t *process, const collio_process_t *self);

#endif /* COLLIO_PROCESS_H */
