/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_PROCESS_H
#define MCA_COMMON_COLLIO_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Is another process of this machine still alive? A process number alone does not tell: numbers are
 * reused, mean something else in another pid namespace, and a zombie still has one. No MPI in here.
 */
typedef struct mca_common_collio_process_t {
    int64_t pid;
    int64_t start; /* time of its start as /proc/PID/stat tells it; 0: /proc cannot be used */
    int64_t space; /* its pid and time namespaces; 0: unknown */
} mca_common_collio_process_t;

/** This process, to be told to others. */
mca_common_collio_process_t mca_common_collio_process_self(void);

/** True only if the process has certainly ended. A process of another namespace, or of an
 *  unknown one, is never said to have. thorough: also look for zombies and reused numbers, by one
 *  read of /proc; otherwise a single system call. */
bool mca_common_collio_process_ended(const mca_common_collio_process_t *process,
                                     const mca_common_collio_process_t *self, bool thorough);

#endif /* MCA_COMMON_COLLIO_PROCESS_H */
