/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Jobs on a queue of the kernel from which nothing can be collected, as with a filter that was
 * installed while requests were in flight; without MPI. The queue is the test's, and so is the
 * clock, which goes on in each attempt to collect.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "access/engine_queue.h"

enum { RECORD = 64, STEP = 2 * RECORD, FIRST = 120, SECOND = 20, ATTEMPTS_MAX = 100000 };

static int64_t clock_ns = 1000000000;
static collio_kernel_op_t *taken[COLLIO_QUEUE_DEPTH];
static size_t taken_count;
static int attempts, collects, closed, failed_tests;

static void verdict(int fine, const char *name)
{
    printf("%s %s\n", fine ? "ok" : "not ok", name);
    failed_tests += !fine;
}

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void) clock;
    *now = (struct timespec){.tv_sec = clock_ns / 1000000000, .tv_nsec = clock_ns % 1000000000};
    return 0;
}

static int stuck_open(void)
{
    return 0;
}

static void stuck_close(void)
{
    closed++;
}

static size_t stuck_push(collio_kernel_op_t *ops, size_t count, bool write, int fd)
{
    (void) write;
    (void) fd;
    for (size_t i = 0; i < count; i++) {
        taken[taken_count++] = &ops[i];
    }
    return count;
}

static bool stuck_pop(int64_t wait_ns, collio_kernel_op_t **op, int64_t *result)
{
    clock_ns += 1000000;
    if (ATTEMPTS_MAX < ++attempts) {
        verdict(0, "a queue that is stuck is left"); /* for ever, otherwise */
        exit(1);
    }
    (void) wait_ns;
    if (!collects || 0 == taken_count) {
        return false;
    }
    *op = taken[--taken_count];
    *result = -EAGAIN; /* so the ordinary call does it */
    return true;
}

static collio_kernel_queue_t queue = {.open = stuck_open,
                                      .close = stuck_close,
                                      .push = stuck_push,
                                      .pop = stuck_pop,
                                      .mutex = PTHREAD_MUTEX_INITIALIZER};

static collio_job_t job_of(collio_access_t *access, collio_segment_t *segments, size_t count,
                           int64_t first, char *data)
{
    for (size_t i = 0; i < count; i++) {
        segments[i] = (collio_segment_t){
            .offset = first + (int64_t) i * STEP, .addr = data, .length = RECORD};
    }
    return (collio_job_t){.access = access, .write = true, .segments = segments, .count = count};
}

/* Returns how many of the records are in the file. */
static int records(int fd, int64_t first, int count, const char *data)
{
    char there[RECORD];
    int found = 0;

    for (int i = 0; i < count; i++) {
        found += RECORD == pread(fd, there, RECORD, first + (int64_t) i * STEP)
                 && 0 == memcmp(there, data, RECORD);
    }
    return found;
}

int main(int argc, char **argv)
{
    static collio_segment_t segments[3][FIRST];
    char path[512], data[RECORD];
    collio_access_t access;
    collio_job_t first, second, third;
    int fd, started;

    snprintf(path, sizeof(path), "%s/stuck", argc > 1 ? argv[1] : "/tmp");
    fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0600);
    unlink(path);
    memset(data, 'x', RECORD);
    collio_access_open(&access, fd);
    access.tuning.engine = COLLIO_ENGINE_IO_URING;
    first = job_of(&access, segments[0], FIRST, 0, data);
    second = job_of(&access, segments[1], SECOND, FIRST * STEP, data);
    third = job_of(&access, segments[2], SECOND, (FIRST + SECOND) * STEP, data);
    started = collio_kernel_start(&queue, &first);
    verdict(0 == started && FIRST == taken_count && 0 == attempts,
            "a job that fits is not collected");
    started = collio_kernel_start(&queue, &second);
    verdict(0 == started && COLLIO_QUEUE_DEPTH == taken_count,
            "a job that fits in part is submitted in part");
    verdict(SECOND - (COLLIO_QUEUE_DEPTH - FIRST) == records(fd, FIRST * STEP, SECOND, data),
            "the rest of it is transferred at once");
    verdict(-EAGAIN == collio_kernel_start(&queue, &third), "a job that does not fit is refused");
    collio_kernel_finalize(&queue);
    verdict(queue.is_open && 0 == closed && COLLIO_QUEUE_DEPTH == queue.in_flight,
            "the end of the process does not wait for it");
    collects = 1;
    collio_kernel_drive(&queue, true);
    verdict(1 == first.done && 1 == second.done
                && FIRST + SECOND == records(fd, 0, FIRST + SECOND, data),
            "what is in flight is collected later");
    collio_kernel_finalize(&queue);
    verdict(!queue.is_open && 1 == closed, "an empty queue is closed");
    close(fd);
    return 0 == failed_tests ? 0 : 1;
}
