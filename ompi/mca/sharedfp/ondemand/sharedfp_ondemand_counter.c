/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/** See counter.h. */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* O_DIRECT */
#endif
#include "sharedfp_ondemand_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ompi/mca/common/collio/compat/clock.h"

enum { BYTES = MCA_SHAREDFP_ONDEMAND_SLOTS * sizeof(int64_t) };
_Static_assert(4096 == BYTES, "all numbers are one block, so that the file never grows");

void mca_sharedfp_ondemand_counter_init(mca_sharedfp_ondemand_counter_t *counter, char *path,
                                        bool mapped, bool locks)
{
    *counter = (mca_sharedfp_ondemand_counter_t){
        .path = path, .mapped = mapped, .locks = locks, .fd = -1};
}

/* A file of somebody else, or a link, must not be taken for ours. A name in the session folder can
 * be guessed; those beside the data cannot, and servers may show other owners than ours. */
static int check_owner(int fd, bool guessable)
{
    struct stat about;

    if (0 != fstat(fd, &about)) {
        return errno;
    }
    return S_ISREG(about.st_mode) && 1 == about.st_nlink
                   && (!guessable || geteuid() == about.st_uid)
               ? 0
               : EACCES;
}

/* The space is allocated, because a store to memory cannot tell that the disk is full. The size is
 * the same for all, so nobody makes the file shorter. */
static int map(mca_sharedfp_ondemand_counter_t *counter)
{
    void *words;
    int error;

    do {
        error = posix_fallocate(counter->fd, 0, BYTES);
    } while (EINTR == error);
    if (0 != error) {
        return error;
    }
    words = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, counter->fd, 0);
    if (MAP_FAILED == words) {
        return errno;
    }
    counter->words = words;
    return 0;
}

/* The size is the same for all, so nobody makes the file shorter. A node with a FUSE mount that had
 * not set it would take the file for empty, for a second. */
static int get_block(mca_sharedfp_ondemand_counter_t *counter)
{
    void *block;
    int error = posix_memalign(&block, BYTES, BYTES);

    if (0 != error) {
        return error;
    }
    counter->block = block;
    memset(block, 0, BYTES);
    return 0 == ftruncate(counter->fd, BYTES) ? 0 : errno;
}

static void drop(mca_sharedfp_ondemand_counter_t *counter)
{
    if (NULL != counter->words) {
        (void) munmap(counter->words, BYTES);
        counter->words = NULL;
    }
    free(counter->block);
    counter->block = NULL;
    if (-1 != counter->fd) {
        (void) close(counter->fd);
        counter->fd = -1;
    }
}

/* GlusterFS refuses a file that another node is making at the moment as if it had to be new.
 * BeeGFS ignores O_DIRECT unless it is given here; tmpfs refuses it. */
static int open_file(const char *path, int flags)
{
    enum { TRIES = 100 };
    int fd = -1;

    for (int i = 0; - 1 == fd && i < TRIES; ++i) {
        fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | flags, 0600);
        if (-1 == fd && EINVAL == errno && 0 != (flags & O_DIRECT)) {
            flags &= ~O_DIRECT;
        } else if (-1 == fd && EEXIST != errno && EINTR != errno) {
            break;
        }
    }
    return fd;
}

static int use(mca_sharedfp_ondemand_counter_t *counter, int create)
{
    int error;

    if (-1 != counter->fd) {
        return 0;
    }
    counter->fd = open_file(counter->path, create | (counter->mapped ? 0 : O_DIRECT));
    if (-1 == counter->fd) {
        return errno;
    }
    error = check_owner(counter->fd, counter->mapped);
    if (0 == error) {
        error = counter->mapped ? map(counter) : get_block(counter);
    }
    if (0 != error) {
        drop(counter);
    }
    return error;
}

/* A directory that only one rank at a time can make. A waiting rank sleeps longer after each
 * attempt, and for a random part of that, so that ranks do not keep in step. */
static int make_turn(const char *path)
{
    enum { PAUSE_FIRST = 50000, PAUSE_MOST = 5000000 }; /* ns */
    long pause = PAUSE_FIRST;

    while (0 != mkdir(path, 0700)) {
        struct timespec turn = {.tv_nsec = pause / 2 + (long) (collio_now() % (pause / 2))};

        if (EEXIST != errno && EINTR != errno) {
            return errno;
        }
        nanosleep(&turn, NULL);
        pause = 2 * pause < PAUSE_MOST ? 2 * pause : PAUSE_MOST;
    }
    return 0;
}

static int take_turn(const mca_sharedfp_ondemand_counter_t *counter, bool begin)
{
    char *path;
    int error;

    if (0 > asprintf(&path, "%s.turn", counter->path)) {
        return ENOMEM;
    }
    error = begin ? make_turn(path) : 0 == rmdir(path) ? 0 : errno;
    free(path);
    return error;
}

static int lock(const mca_sharedfp_ondemand_counter_t *counter, bool begin)
{
    struct flock range = {
        .l_type = begin ? F_WRLCK : F_UNLCK, .l_whence = SEEK_SET, .l_len = BYTES};
    int rc;

    if (!counter->locks) {
        return take_turn(counter, begin);
    }
    do {
        rc = fcntl(counter->fd, F_SETLKW, &range);
    } while (0 != rc && EINTR == errno);
    return 0 == rc ? 0 : errno;
}

/* One transfer, without the node's cache where the file system can do that: FUSE does not look
 * whether another node has changed a file, even if it is locked. */
static ssize_t transfer(int fd, bool write, void *block)
{
    ssize_t n;

    for (;;) {
        n = write ? pwrite(fd, block, BYTES, 0) : pread(fd, block, BYTES, 0);
        if (n >= 0 || (EINTR != errno && EINVAL != errno)) {
            return n;
        }
        if (EINVAL == errno) {
            if (0 == (fcntl(fd, F_GETFL) & O_DIRECT)) {
                errno = EINVAL;
                return n;
            }
            (void) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_DIRECT);
        }
    }
}

/* A file that is still empty means 0. */
static int load(int fd, int64_t *block)
{
    ssize_t n = transfer(fd, false, block);

    if (0 == n) {
        memset(block, 0, BYTES);
        return 0;
    }
    return BYTES == n ? 0 : n < 0 ? errno : EIO;
}

static int store(int fd, int64_t *block)
{
    ssize_t n = transfer(fd, true, block);

    return BYTES == n ? 0 : n < 0 ? errno : EIO;
}

static int add_locked(const mca_sharedfp_ondemand_counter_t *counter, int slot, int64_t bytes,
                      int64_t *before)
{
    int64_t *block = counter->block;
    int error = lock(counter, true), unlocked;

    if (0 != error) {
        return error;
    }
    error = load(counter->fd, block);
    *before = block[slot];
    if (0 == error && 0 != bytes) {
        block[slot] += bytes;
        error = store(counter->fd, block);
    }
    unlocked = lock(counter, false);
    return 0 != error ? error : unlocked;
}

int mca_sharedfp_ondemand_counter_add(mca_sharedfp_ondemand_counter_t *counter, int slot,
                                      int64_t bytes, int64_t *before)
{
    int error = use(counter, O_CREAT);

    if (0 != error) {
        return error;
    }
    if (counter->mapped) {
        *before = __atomic_fetch_add(&counter->words[slot], bytes, __ATOMIC_SEQ_CST);
        return 0;
    }
    return add_locked(counter, slot, bytes, before);
}

/* With the lock, because that makes some file systems bring the other nodes' caches up to date. */
static int clear_locked(const mca_sharedfp_ondemand_counter_t *counter)
{
    int error = lock(counter, true), unlocked;

    if (0 != error) {
        return error;
    }
    memset(counter->block, 0, BYTES);
    error = store(counter->fd, counter->block);
    unlocked = lock(counter, false);
    return 0 != error ? error : unlocked;
}

/* A file beside the data is made even if nobody has used it: that a node sees none does not mean
 * that there is none. */
int mca_sharedfp_ondemand_counter_clear(mca_sharedfp_ondemand_counter_t *counter)
{
    int error = use(counter, counter->mapped ? 0 : O_CREAT);

    if (0 != error) {
        return counter->mapped && ENOENT == error ? 0 : error;
    }
    if (counter->mapped) {
        memset(counter->words, 0, BYTES);
        return 0;
    }
    return clear_locked(counter);
}

void mca_sharedfp_ondemand_counter_fini(mca_sharedfp_ondemand_counter_t *counter, bool last)
{
    drop(counter);
    if (last && NULL != counter->path) {
        (void) unlink(counter->path);
    }
    free(counter->path);
    counter->path = NULL;
}
