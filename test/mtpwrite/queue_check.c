/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to an engine's queue that the kernel refuses, or that fail or come short: by libfault
 * (uring, aio_*), or by a seccomp filter from the start (test/fault/refuse.c). A refused job, or
 * the rest of one, is transferred in the ordinary way. When a job is over, its memory is the
 * caller's again: nothing of it may reach the file with a later submission.
 *
 * usage: queue_check DIRECTORY io_uring|libaio [withdraw]
 *        queue_check DIRECTORY auto         large jobs go to threads, the others to io_uring
 *
 * withdraw: an advice is why requests fail with EIO. Each is made again without it, so none fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/access.h"

enum {
    JOBS = 300,
    PIECES_MAX = 300, /* of every LARGE-th job: more than a queue has room for */
    LARGE = 50,
    SUBMISSIONS = 4, /* of such a job: the queue, and half of it each time */
    BYTES = 8192,
    PAGE = 4096 /* libaio: direct access */
};

/* Pieces of a job, with gaps of the same size: an operation each. */
static int pieces_of(int number)
{
    return 0 == number % LARGE ? PIECES_MAX : 3;
}

static int64_t piece_offset(int number, int piece)
{
    return (int64_t) (number * PIECES_MAX + piece) * 2 * BYTES;
}

/* One job; its buffer is filled with other bytes and freed when it is over. */
static int write_block(collio_access_t *access, int number)
{
    collio_job_t *job = calloc(1, sizeof(*job));
    int pieces = pieces_of(number), error;
    size_t bytes = (size_t) pieces * BYTES;
    collio_segment_t *segments = calloc((size_t) pieces, sizeof(*segments));
    char *data = aligned_alloc(PAGE, bytes);

    memset(data, 1 + number % 100, bytes);
    for (int i = 0; i < pieces; ++i) {
        segments[i].offset = piece_offset(number, i);
        segments[i].length = BYTES;
        segments[i].addr = data + (ptrdiff_t) i * BYTES;
    }
    job->access = access;
    job->write = true;
    job->segments = segments;
    job->count = (size_t) pieces;
    if (0 == collio_access_start(job)) {
        collio_access_wait(job);
        error = job->outcome.error;
    } else {
        error = EAGAIN;
    }
    memset(data, 0xee, bytes);
    memset(job, 0xee, sizeof(*job));
    free(data);
    free(segments);
    free(job);
    return error;
}

static bool faulty(const char *word)
{
    const char *words = getenv("FAULT");

    return NULL != words && NULL != strstr(words, word);
}

static int check_block(int fd, int number)
{
    char have[BYTES], want[BYTES];
    int failures = 0;

    memset(want, 1 + number % 100, BYTES);
    for (int i = 0; i < pieces_of(number); ++i) {
        if (BYTES != pread(fd, have, BYTES, (off_t) piece_offset(number, i))
            || 0 != memcmp(have, want, BYTES)) {
            fprintf(stderr, "queue_check: job %d, piece %d is not in the file\n", number, i);
            failures = 1;
        }
    }
    return failures;
}

static bool withdraw(void *advice, int error)
{
    int *count = advice;

    *count += EIO == error;
    return EIO == error;
}

int main(int argc, char **argv)
{
    collio_access_stats_t stats = {0};
    collio_access_t access;
    bool written[JOBS];
    char path[4096];
    const char *why;
    collio_engine_t engine;
    int failures = 0, failed = 0, withdrawn = 0, fd;
    bool automatic;
    bool advised = 4 == argc && 0 == strcmp("withdraw", argv[3]);

    if (3 != argc && !advised) {
        fprintf(stderr, "usage: queue_check DIRECTORY io_uring|libaio [withdraw]\n");
        return 2;
    }
    engine = 0 == strcmp("libaio", argv[2]) ? COLLIO_ENGINE_LIBAIO : COLLIO_ENGINE_IO_URING;
    automatic = 0 == strcmp("auto", argv[2]);
    (void) collio_engine_choose(engine, &why);
    if (NULL != why) {
        puts(why);
        if (NULL != getenv("FAULT")) {
            return 77;
        }
    }
    snprintf(path, sizeof(path), "%s/queue_check.XXXXXX", argv[1]);
    fd = mkstemp(path);
    unlink(path);
    collio_access_open(&access, fd);
    access.stats = &stats;
    access.tuning.engine = automatic ? COLLIO_ENGINE_AUTO : engine;
    access.withdraw = advised ? withdraw : NULL;
    access.advice = &withdrawn;
    for (int i = 0; i < JOBS; ++i) {
        written[i] = 0 == write_block(&access, i);
        failed += !written[i];
    }
    collio_access_finalize();
    for (int i = 0; i < JOBS; ++i) {
        failures += written[i] && 0 != check_block(fd, i);
    }
    close(fd);
    printf("%d of %d failed, %llu submitted, %llu continued, %llu system calls\n", failed, JOBS,
           (unsigned long long) stats.submitted[engine], (unsigned long long) stats.retries,
           (unsigned long long) stats.syscalls);
    if (automatic && NULL == why) {
        failures += JOBS / LARGE != stats.submitted[COLLIO_ENGINE_THREADS];
    } else if (NULL == getenv("FAULT") && NULL == why && 0 == stats.retries
               && JOBS + JOBS / LARGE * SUBMISSIONS < stats.syscalls) {
        puts("more submissions than batches");
        return 1;
    }
    if ((0 < failed) != (faulty("aio_eio") && !advised) || advised != (0 < withdrawn)
        || (NULL == why && 0 == stats.submitted[engine])) {
        puts("not what was to be tested");
        return 1;
    }
    return 0 == failures ? 0 : 1;
}
