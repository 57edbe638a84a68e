/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared number of sharedfp/ondemand beside the data, without MPI: a rank that waits for a lock
 * lets MPI progress, and a rank that waits for its turn where there are no locks ends with an error
 * if the rank that has the turn was killed, but not if other ranks take their turns. After such an
 * error no call waits for the same turn. A signal does not keep a rank from giving the turn back.
 * The clock is the test's: it goes on when the rank sleeps.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "access/access_transfer.h"
#include "sharedfp_ondemand_counter.h"

enum { OTHERS_TURNS = 200 };

static int64_t clock_ns = 1000000000;
static int failed_tests, sleeps, progress_calls, others_left, interrupts;
static char path[512], turn[520];

static void verdict(int fine, const char *name)
{
    printf("%s %s\n", fine ? "ok" : "not ok", name);
    fflush(stdout);
    failed_tests += !fine;
}

/* In place of the C library's. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    (void) clock;
    *now = (struct timespec){.tv_sec = clock_ns / 1000000000, .tv_nsec = clock_ns % 1000000000};
    return 0;
}

/* Sleeps of milliseconds take seconds, so that a minute passes soon. Other ranks take their turns
 * meanwhile. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void) left;
    clock_ns += 1000 * (int64_t) time->tv_nsec;
    sleeps++;
    if (0 < others_left) {
        others_left--;
        rmdir(turn);
        if (0 < others_left) {
            struct timespec times[2] = {{clock_ns / 1000000000, 0}, {clock_ns / 1000000000, 0}};

            mkdir(turn, 0700);
            utimensat(AT_FDCWD, turn, times, 0);
        }
    }
    return 0;
}

/* Signals interrupt the first calls. */
static int removed(const char *name, int flags)
{
    if (0 < interrupts) {
        interrupts--;
        errno = EINTR;
        return -1;
    }
    return unlinkat(AT_FDCWD, name, flags);
}

int rmdir(const char *name)
{
    return removed(name, AT_REMOVEDIR);
}

int unlink(const char *name)
{
    return removed(name, 0);
}

static mca_sharedfp_ondemand_counter_t counter(bool locks)
{
    mca_sharedfp_ondemand_counter_t made;

    mca_sharedfp_ondemand_counter_init(&made, strdup(path), false, locks);
    return made;
}

static void killed_holder(void)
{
    mca_sharedfp_ondemand_counter_t mine = counter(false);
    int64_t before = -1;
    int first, rc;

    first = mca_sharedfp_ondemand_counter_add(&mine, 3, 40, &before);
    mkdir(turn, 0700);
    rc = mca_sharedfp_ondemand_counter_add(&mine, 3, 2, &before);
    printf("# %d: %s after %d sleeps\n", first, strerror(rc), sleeps);
    verdict(0 == first && EOWNERDEAD == rc, "a turn that is never given back is an error");
    sleeps = 0;
    rc = mca_sharedfp_ondemand_counter_add(&mine, 3, 2, &before);
    verdict(EOWNERDEAD == rc && 0 == sleeps, "the next call does not wait for it");
    rmdir(turn);
    rc = mca_sharedfp_ondemand_counter_add(&mine, 3, 2, &before);
    verdict(0 == rc && 40 == before, "it can be removed while the file is open");
    mkdir(turn, 0700);
    mca_sharedfp_ondemand_counter_fini(&mine, true);
    verdict(0 != access(turn, F_OK) && 0 != access(path, F_OK), "the last rank removes the turn");
}

static void living_holders(void)
{
    mca_sharedfp_ondemand_counter_t mine = counter(false);
    int64_t before = -1, start = clock_ns;
    int rc;

    mkdir(turn, 0700);
    others_left = OTHERS_TURNS;
    sleeps = progress_calls = 0;
    rc = mca_sharedfp_ondemand_counter_add(&mine, 3, 2, &before);
    printf("# %s after %d turns of others, %.0f s\n", strerror(rc), OTHERS_TURNS - others_left,
           (double) (clock_ns - start) / 1e9);
    verdict(0 == rc && 0 == before && clock_ns - start > INT64_C(120000000000),
            "turns of other ranks are waited for");
    verdict(0 < sleeps && sleeps <= progress_calls, "MPI progresses before each sleep");
    mca_sharedfp_ondemand_counter_fini(&mine, true);
}

static void interrupted(void)
{
    mca_sharedfp_ondemand_counter_t mine = counter(false);
    int64_t before = -1;
    int rc;

    interrupts = 3;
    rc = mca_sharedfp_ondemand_counter_add(&mine, 3, 2, &before);
    verdict(0 == rc && 0 != access(turn, F_OK),
            "signals do not keep a rank from giving its turn back");
    mkdir(turn, 0700);
    interrupts = 1;
    mca_sharedfp_ondemand_counter_fini(&mine, true);
    verdict(0 != access(turn, F_OK), "nor the last rank from removing a turn");
    mine = counter(true);
    (void) mca_sharedfp_ondemand_counter_add(&mine, 3, 2, &before);
    interrupts = 1;
    mca_sharedfp_ondemand_counter_fini(&mine, true);
    verdict(0 != access(path, F_OK), "nor from removing the file");
    interrupts = 0;
    rmdir(turn);
    unlink(path);
}

static int release = -1; /* end of a pipe: the holder of the lock ends when it is closed */

static void progress(void)
{
    if (3 == ++progress_calls && -1 != release) {
        close(release);
        release = -1;
        wait(NULL);
    }
}

static void held_lock(void)
{
    mca_sharedfp_ondemand_counter_t mine = counter(true);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int64_t before = -1;
    int ready[2], end[2], rc;
    char c;

    rc = mca_sharedfp_ondemand_counter_add(&mine, 3, 40, &before);
    if (0 != rc || 0 != pipe(ready) || 0 != pipe(end)) {
        verdict(0, "the counter can be used");
        return;
    }
    if (0 == fork()) {
        int fd = open(path, O_RDWR);

        close(end[1]);
        (void) !fcntl(fd, F_SETLK, &whole);
        (void) !write(ready[1], "r", 1);
        (void) !read(end[0], &c, 1);
        _exit(0);
    }
    (void) !read(ready[0], &c, 1);
    release = end[1];
    collio_lock_set_idle(progress);
    alarm(20); /* for ever, otherwise */
    rc = mca_sharedfp_ondemand_counter_add(&mine, 3, 2, &before);
    alarm(0);
    verdict(0 == rc && 40 == before && 3 <= progress_calls, "MPI progresses while a rank waits");
    mca_sharedfp_ondemand_counter_fini(&mine, true);
}

int main(int argc, char **argv)
{
    snprintf(path, sizeof(path), "%s/counter", argc > 1 ? argv[1] : "/tmp");
    snprintf(turn, sizeof(turn), "%s.turn", path);
    held_lock();
    living_holders();
    interrupted();
    sleeps = 0;
    alarm(20);
    killed_holder();
    return 0 == failed_tests ? 0 : 1;
}
