/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Faults of one process, told by its environment (mpirun -x gives them to chosen ranks):
 *
 *   LUSTRESIM_FAIL_CLOSE=E        close of a simulated file returns errno E (and closes)
 *   LUSTRESIM_FAIL_ADVICE=E,K,N   lockahead advices K to K + N - 1 fail with errno E (from 1)
 *   LUSTRESIM_EINTR=1             every second open, fsync and ftruncate is interrupted
 *   LUSTRESIM_FAIL_CALLOC=BYTES   calloc of one element of exactly that size fails
 */

#include "sim_preload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int sim_fault_close(int fd)
{
    const char *text = getenv("LUSTRESIM_FAIL_CLOSE");

    return NULL == text || NULL == sim_open_of(fd) ? 0 : atoi(text);
}

bool sim_fault_interrupt(bool simulated)
{
    static int calls;

    if (!simulated || NULL == getenv("LUSTRESIM_EINTR")
        || 0 != __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED) % 2) {
        return false;
    }
    errno = EINTR;
    return true;
}

int sim_fault_advice(void)
{
    static int asked;
    const char *text = getenv("LUSTRESIM_FAIL_ADVICE");
    int error = 0;
    int first = 1;
    int count = 1;
    int now;

    if (NULL == text || 3 != sscanf(text, "%d,%d,%d", &error, &first, &count)) {
        return 0;
    }
    now = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    return now >= first && now < first + count ? error : 0;
}

void *__libc_calloc(size_t count, size_t size);

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    static long long wanted = -1;

    if (-1 == wanted) {
        const char *text = getenv("LUSTRESIM_FAIL_CALLOC");

        wanted = NULL == text ? 0 : atoll(text);
    }
    return 0 < wanted && 1 == count && (size_t) wanted == size ? NULL : __libc_calloc(count, size);
}
