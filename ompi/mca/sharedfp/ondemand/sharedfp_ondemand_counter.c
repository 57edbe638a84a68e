/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/** See counter.h. */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* O_DIRECT */
#endif
#include "sharedfp_ondemand_counter.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = MCA_SHAREDFP_ONDEMAND_SLOTS * sizeof(int64_t) };
_Static_assert(4096 == BYTES, "all numbers are one block, so that the file never grows");

void mca_sharedfp_ondemand_counter_init(mca_sharedfp_ondemand_counter_t *counter, char *path,
                                        bool mapped)
{
    *counter = (mca_sharedfp_ondemand_counter_t){.path = path, .mapped = mapped, .fd = -1};
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

static int get_block(mca_sharedfp_ondemand_counter_t *counter)
{
    void *block;
    int error = posix_memalign(&block, BYTES, BYTES);

    if (0 == error) {
        counter->block = block;
        memset(block, 0, BYTES);
        (void) fcntl(counter->fd, F_SETFL, fcntl(counter->fd, F_GETFL) | O_DIRECT);
    }
    return error;
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

/* GlusterFS refuses a file that another node is making at the moment as if it had to be new. */
static int open_file(const char *path, int create)
{
    enum { TRIES = 100 };
    int fd = -1;

    for (int i = 0; - 1 == fd && i < TRIES; ++i) {
        fd = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC | create, 0600);
        if (-1 == fd && EEXIST != errno && EINTR != errno) {
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
    counter->fd = open_file(counter->path, create);
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

static int lock(int fd, short type)
{
    struct flock range = {.l_type = type, .l_whence = SEEK_SET, .l_len = BYTES};
    int rc;

    do {
        rc = fcntl(fd, F_SETLKW, &range);
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

static int add_locked(int fd, int64_t *block, int slot, int64_t bytes, int64_t *before)
{
    int error = lock(fd, F_WRLCK), unlocked;

    if (0 != error) {
        return error;
    }
    error = load(fd, block);
    *before = block[slot];
    if (0 == error && 0 != bytes) {
        block[slot] += bytes;
        error = store(fd, block);
    }
    unlocked = lock(fd, F_UNLCK);
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
    return add_locked(counter->fd, counter->block, slot, bytes, before);
}

/* With the lock, because that makes some file systems bring the other nodes' caches up to date. */
static int clear_locked(int fd, int64_t *block)
{
    int error = lock(fd, F_WRLCK), unlocked;

    if (0 != error) {
        return error;
    }
    memset(block, 0, BYTES);
    error = store(fd, block);
    unlocked = lock(fd, F_UNLCK);
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
    return clear_locked(counter->fd, counter->block);
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
