/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to an engine's queue that the kernel refuses, or that fail or come short (libfault:
 * uring, aio_*). A job that could not be submitted ends with an errno, and its memory
 * is the caller's again: nothing of it may reach the file with a later submission. Jobs that say
 * they are done are in the file.
 *
 * usage: queue_check DIRECTORY io_uring|libaio [withdraw]
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

enum { JOBS = 300, BYTES = 8192, PAGE = 4096 /* libaio: direct access */ };

/* One job; its buffer is filled with other bytes and freed when it is over. */
static int write_block(collio_access_t *access, int number)
{
    collio_job_t *job = calloc(1, sizeof(*job));
    collio_segment_t *segment = calloc(1, sizeof(*segment));
    char *data = aligned_alloc(PAGE, BYTES);
    int error;

    memset(data, 1 + number % 100, BYTES);
    segment->offset = (int64_t) number * BYTES;
    segment->length = BYTES;
    segment->addr = data;
    job->access = access;
    job->write = true;
    job->segments = segment;
    job->count = 1;
    if (0 == collio_access_start(job)) {
        collio_access_wait(job);
        error = job->outcome.error;
    } else {
        error = EAGAIN;
    }
    memset(data, 0xee, BYTES);
    memset(job, 0xee, sizeof(*job));
    free(data);
    free(segment);
    free(job);
    return error;
}

static bool faulty(const char *word)
{
    const char *words = getenv("FAULT");

    return NULL != words && NULL != strstr(words, word);
}

static int check_block(int fd, int number, bool written)
{
    char have[BYTES] = {0}, want[BYTES];

    memset(want, written ? 1 + number % 100 : 0, BYTES);
    if (0 > pread(fd, have, BYTES, (off_t) number * BYTES) || 0 != memcmp(have, want, BYTES)) {
        fprintf(stderr, "queue_check: block %d: %s\n", number,
                written ? "was written, and is not there" : "failed, and was written later");
        return 1;
    }
    return 0;
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
    int failures = 0, refused = 0, withdrawn = 0, fd;
    bool advised = 4 == argc && 0 == strcmp("withdraw", argv[3]);

    if (3 != argc && !advised) {
        fprintf(stderr, "usage: queue_check DIRECTORY io_uring|libaio [withdraw]\n");
        return 2;
    }
    engine = 0 == strcmp("libaio", argv[2]) ? COLLIO_ENGINE_LIBAIO : COLLIO_ENGINE_IO_URING;
    (void) collio_engine_choose(engine, &why);
    if (NULL != why) {
        puts(why);
        return 77;
    }
    snprintf(path, sizeof(path), "%s/queue_check.XXXXXX", argv[1]);
    fd = mkstemp(path);
    unlink(path);
    collio_access_open(&access, fd);
    access.stats = &stats;
    access.tuning.engine = engine;
    access.withdraw = advised ? withdraw : NULL;
    access.advice = &withdrawn;
    for (int i = 0; i < JOBS; ++i) {
        written[i] = 0 == write_block(&access, i);
        refused += !written[i];
    }
    collio_access_finalize();
    for (int i = 0; i < JOBS; ++i) {
        if (!written[i] && faulty("aio_eio")) {
            continue; /* the shim has made a failure of a write that is there */
        }
        failures += check_block(fd, i, written[i]);
    }
    close(fd);
    printf("%d of %d refused, %llu submitted\n", refused, JOBS,
           (unsigned long long) stats.submitted[engine]);
    if ((0 == refused) != (faulty("aio_short") || advised) || advised != (0 < withdrawn)
        || 0 == stats.submitted[engine]) {
        puts("not what was to be tested");
        return 1;
    }
    return 0 == failures ? 0 : 1;
}
