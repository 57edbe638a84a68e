/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the operating system knows: the clock, whether all ranks share it, and memory.
 */
#define _GNU_SOURCE
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/** Processor time of all threads of this process. */
double bench_cpu_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/** A virtual cluster whose costs are off (vcluster costs off) has them while its first word is
 *  above 0: each rank adds 1 at the start of a step and takes it away at the end. The first rank
 *  that comes out of the barrier would slow it for the others, so all wait before they start. */
void bench_count_in(int change)
{
    static _Atomic int *active;
    const struct timespec barrier = {.tv_nsec = 50 * 1000 * 1000};
    const char *path = getenv("VCLUSTER_COSTS");
    int fd;

    if (NULL == path) {
        return;
    }
    if (NULL == active) {
        fd = open(path, O_RDWR | O_CLOEXEC);
        active = fd < 0 ? MAP_FAILED
                        : mmap(NULL, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (MAP_FAILED == (void *) active) {
            bench_die("%s: %s", path, strerror(errno));
        }
        close(fd);
    }
    if (0 < change) {
        nanosleep(&barrier, NULL);
    }
    atomic_fetch_add(active, change);
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
