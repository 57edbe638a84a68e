/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the operating system knows: the clock, whether all ranks share it, and memory.
 */
#define _GNU_SOURCE
#include "run.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/** True if all ranks run on one kernel, whatever their host names say. */
bool bench_one_clock(MPI_Comm comm)
{
    char mine[64] = "";
    char first[64];
    int same;
    FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");

    if (NULL != f) {
        if (NULL == fgets(mine, sizeof(mine), f)) {
            mine[0] = '\0';
        }
        fclose(f);
    }
    memcpy(first, mine, sizeof(first));
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, comm);
    same = '\0' != mine[0] && 0 == strcmp(first, mine);
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, comm);
    return same;
}

/** A line of /proc/self/status in KiB; 0 where there is none. */
int64_t bench_status_kib(const char *key)
{
    FILE *f = fopen("/proc/self/status", "r");
    char line[128];
    long long kib = 0;

    while (NULL != f && NULL != fgets(line, sizeof(line), f)) {
        if (0 == strncmp(line, key, strlen(key))) {
            sscanf(line + strlen(key), ": %lld", &kib);
        }
    }
    if (NULL != f) {
        fclose(f);
    }
    return kib;
}

/** Lets the peak (VmHWM) start again from what is resident now. */
void bench_reset_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");

    if (NULL != f) {
        fputs("5", f);
        fclose(f);
    }
}
