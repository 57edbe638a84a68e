/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PROCESS_H
#define COLLIO_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Is another process of this machine still alive? A process number alone is not enough: numbers are
 * reused, mean something else in another pid namespace, and a zombie still has one. No MPI in here.
 */
typedef struct collio_process_t {
    int64_t pid;   /* process number */
    int64_t start; /* time of the start in /proc/PID/stat; 0: /proc cannot be used */
    int64_t space; /* pid and time namespaces of the process; 0: unknown */
} collio_process_t;

/** This process, as others need it. */
collio_process_t collio_process_self(void);

/** True only if the process has certainly ended. A process of another namespace, or of an
 *  unknown one, is never said to have. thorough: also look for zombies and reused numbers, by one
 *  read of /proc; otherwise a single system call. */
bool collio_process_ended(const collio_process_t *process, const collio_process_t *self,
                          bool thorough);

#endif /* COLLIO_PROCESS_H */
