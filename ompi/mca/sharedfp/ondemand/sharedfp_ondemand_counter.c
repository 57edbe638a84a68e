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
#include <unistd.h>

#include "ompi/mca/common/collio/access/access_transfer.h"
#include "ompi/mca/common/collio/compat/clock.h"
#include "ompi/mca/common/collio/compat/repeat.h"

typedef mca_sharedfp_ondemand_counter_t counter_t;

enum { BYTES = MCA_SHAREDFP_ONDEMAND_SLOTS * sizeof(int64_t) };
_Static_assert(4096 == BYTES, "all numbers are one block, so that the file never grows");

void mca_sharedfp_ondemand_counter_init(counter_t *counter, char *path, bool mapped, bool locks)
{
    *counter = (counter_t){.path = path, .mapped = mapped, .locks = locks, .fd = -1};
}

/* Rejects a file with several links, and a file of another user. The owner is checked only for
 * names that can be guessed, in the session directory; beside the data, servers may report other
 * owners. Returns 0 or an errno. */
static int check_owner(int fd, bool guessable)
{
    struct stat about;

    if (0 != fstat(fd, &about)) {
        return errno;
    }
    if (!S_ISREG(about.st_mode) || 1 != about.st_nlink
        || (guessable && geteuid() != about.st_uid)) {
        return EACCES;
    }
    return 0;
}

/* Maps the file. Allocates its space first, because a store to memory returns no error if the disk
 * is full. All ranks set the same size, so no rank truncates the file. */
static int counter_map(counter_t *counter)
{
    void *numbers;
    int error;

    do {
        error = posix_fallocate(counter->fd, 0, BYTES);
    } while (EINTR == error);
    if (0 != error) {
        return error;
    }
    numbers = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, counter->fd, 0);
    if (MAP_FAILED == numbers) {
        return errno;
    }
    counter->numbers = numbers;
    return 0;
}

/* Allocates the block for transfers. Every rank sets the same size, because a node with a FUSE
 * mount that had not set it would read an empty file for a second. */
static int get_block(counter_t *counter)
{
    void *block;
    int error = posix_memalign(&block, BYTES, BYTES);

    if (0 != error) {
        return error;
    }
    counter->numbers = block;
    COLLIO_REPEAT(error, ftruncate(counter->fd, BYTES));
    return 0 == error ? 0 : errno;
}

static void counter_drop(counter_t *counter)
{
    if (counter->mapped && NULL != counter->numbers) {
        (void) munmap(counter->numbers, BYTES);
    } else {
        free(counter->numbers);
    }
    counter->numbers = NULL;
    if (-1 != counter->fd) {
        (void) close(counter->fd);
        counter->fd = -1;
    }
}

/* Retries EEXIST, which GlusterFS returns without O_EXCL while another node creates the file.
 * BeeGFS accepts O_DIRECT only at the open; tmpfs refuses O_DIRECT. */
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

static int counter_use(counter_t *counter, int create)
{
    int error;

    if (-1 != counter->fd) {
        return 0;
    }
    if (NULL == counter->path) {
        return ENOMEM;
    }
    counter->fd = open_file(counter->path, create | (counter->mapped ? 0 : O_DIRECT));
    if (-1 == counter->fd) {
        return errno;
    }
    collio_access_open(&counter->access, counter->fd);
    error = check_owner(counter->fd, counter->mapped);
    if (0 == error) {
        error = counter->mapped ? counter_map(counter) : get_block(counter);
    }
    if (0 != error) {
        counter_drop(counter);
    }
    return error;
}

static char *turn_path(const counter_t *counter)
{
    char *path;

    return 0 > asprintf(&path, "%s.turn", counter->path) ? NULL : path;
}

/* Makes a directory, which only one rank at a time can do. A waiting rank makes MPI progress, since
 * others may wait for its messages, and sleeps longer after each attempt; a part of the sleep is
 * random, so that ranks do not stay synchronized. A turn is a read and a write of one block, so a
 * rank that keeps the same directory for a minute was killed. No call waits for the directory of
 * such a rank again. */
static int make_turn(counter_t *counter, const char *path)
{
    enum { PAUSE_FIRST = 50000, PAUSE_MAX = 5000000 }; /* ns */
    const uint64_t LOOK = UINT64_C(1000000000), DEAD = 60 * LOOK;
    struct stat first = counter->dead;
    uint64_t since = 0 == first.st_ino ? collio_now() : 0, looked = since, pause = PAUSE_FIRST;

    while (0 != mkdir(path, 0700)) {
        uint64_t now = collio_now();
        collio_lock_retry_t retry = {.next_ns = now + pause / 2 + now % (pause / 2)};

        if (EEXIST != errno && EINTR != errno) {
            return errno;
        }
        if (now - looked >= LOOK) { /* the directory may have been replaced */
            struct stat is = {.st_ino = 0};

            looked = now;
            if (0 != stat(path, &is) || is.st_ino != first.st_ino
                || is.st_mtim.tv_sec != first.st_mtim.tv_sec
                || is.st_mtim.tv_nsec != first.st_mtim.tv_nsec) {
                first = is;
                since = now;
            } else if (now - since >= DEAD) {
                counter->dead = is;
                return EOWNERDEAD;
            }
        }
        collio_lock_pause(&retry);
        pause = 2 * pause < PAUSE_MAX ? 2 * pause : PAUSE_MAX;
    }
    return 0;
}

static int counter_take_turn(counter_t *counter, bool begin)
{
    char *path = turn_path(counter);
    int error;

    if (NULL == path) {
        return ENOMEM;
    }
    if (begin) {
        error = make_turn(counter, path);
    } else {
        COLLIO_REPEAT(error, rmdir(path));
        error = 0 == error ? 0 : errno;
    }
    free(path);
    return error;
}

static int counter_lock(counter_t *counter, bool begin)
{
    if (!counter->locks) {
        return counter_take_turn(counter, begin);
    }
    if (begin) {
        return -collio_access_lock(&counter->access, true, 0, BYTES, true);
    }
    return -collio_access_unlock(&counter->access, 0, BYTES);
}

/* Switches direct I/O off. Returns false if it was off. */
static bool leave_direct(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return 0 != (flags & O_DIRECT) && 0 == fcntl(fd, F_SETFL, flags & ~O_DIRECT);
}

/* Reads or writes all numbers, by direct I/O if the file system has it: FUSE does not check whether
 * another node has changed a file, even if the file is locked. GlusterFS keeps a direct write, too,
 * and sends it after the lock was given back, unless it is flushed. An empty file holds zeros. */
static int counter_transfer(counter_t *counter, bool write)
{
    int64_t bytes;
    int error;

    do {
        bytes = collio_transfer_block(&counter->access, write, 0, (char *) counter->numbers, BYTES,
                                      &error);
    } while (EINVAL == error && leave_direct(counter->fd));
    if (0 != error) {
        return error;
    }
    if (0 == bytes && !write) {
        memset(counter->numbers, 0, BYTES);
        return 0;
    }
    if (BYTES != bytes) {
        return EIO;
    }
    return write ? collio_access_flush(counter->fd) : 0;
}

static int add_unlocked(counter_t *counter, int slot, int64_t bytes, int64_t *before)
{
    int error = counter_transfer(counter, false);

    *before = counter->numbers[slot];
    if (0 != error || 0 == bytes) {
        return error;
    }
    counter->numbers[slot] += bytes;
    return counter_transfer(counter, true);
}

int mca_sharedfp_ondemand_counter_add(counter_t *counter, int slot, int64_t bytes, int64_t *before)
{
    int error = counter_use(counter, O_CREAT), unlocked;

    if (0 != error) {
        return error;
    }
    if (counter->mapped) {
        *before = __atomic_fetch_add(&counter->numbers[slot], bytes, __ATOMIC_SEQ_CST);
        return 0;
    }
    error = counter_lock(counter, true);
    if (0 != error) {
        return error;
    }
    error = add_unlocked(counter, slot, bytes, before);
    unlocked = counter_lock(counter, false);
    return 0 != error ? error : unlocked;
}

/* Creates a file beside the data even if no rank has used it: another node may have created the
 * file without this node finding it. The lock makes some file systems update caches of nodes. */
int mca_sharedfp_ondemand_counter_clear(counter_t *counter)
{
    int error = counter_use(counter, counter->mapped ? 0 : O_CREAT), unlocked;

    if (counter->mapped && ENOENT == error) {
        return 0;
    }
    if (0 == error && !counter->mapped) {
        error = counter_lock(counter, true);
    }
    if (0 != error) {
        return error;
    }
    memset(counter->numbers, 0, BYTES);
    if (counter->mapped) {
        return 0;
    }
    error = counter_transfer(counter, true);
    unlocked = counter_lock(counter, false);
    return 0 != error ? error : unlocked;
}

void mca_sharedfp_ondemand_counter_fini(counter_t *counter, bool last)
{
    counter_drop(counter);
    if (last && NULL != counter->path) {
        char *turn = counter->locks ? NULL : turn_path(counter);
        int rc;

        if (NULL != turn) { /* the rank that had the turn may have been killed */
            COLLIO_REPEAT(rc, rmdir(turn));
            free(turn);
        }
        COLLIO_REPEAT(rc, unlink(counter->path));
    }
    free(counter->path);
    counter->path = NULL;
}
