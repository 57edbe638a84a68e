/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Properties of a descriptor (can it be read, on which file system is the file?), and requests to
 * the file system client: flush, refresh, size.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "access/access_transfer.h"
#include "compat/clock.h"

/* Sends no request to a server: the kernel of this node has the device number of the mount. */
int64_t collio_access_client(int fd)
{
    struct statx about;

    if (0 != statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &about)) {
        return 0;
    }
    return (int64_t) about.stx_dev_major << 32 | about.stx_dev_minor;
}

void collio_access_open(collio_access_t *access, int fd)
{
    int flags = fcntl(fd, F_GETFL);
    struct statfs about;

    memset(access, 0, sizeof(*access));
    access->fd = fd;
    access->can_read = -1 != flags && O_WRONLY != (flags & O_ACCMODE);
    access->file_system = 0 == fstatfs(fd, &about) ? (uint32_t) about.f_type : 0;
    access->network = collio_file_system_on_network(access->file_system);
    access->in_memory = collio_file_system_in_memory(access->file_system);
}

int collio_access_flush(int fd)
{
    int rc;

    do {
        rc = fdatasync(fd);
    } while (0 != rc && EINTR == errno);
    return 0 == rc ? 0 : errno;
}

/* Returns the number of pages of the file that are in the cache and equal to what was written back;
 * -1 if the kernel does not tell: cachestat() is of Linux 6.5, and some containers forbid it. */
static int64_t clean_pages(int fd)
{
    enum { CACHESTAT = 451 }; /* the system call, which headers of older kernels do not name */
    const struct {
        uint64_t offset, bytes; /* bytes 0: to the end of the file */
    } range = {0, 0};
    struct {
        uint64_t cached, dirty, writeback, evicted, recently_evicted;
    } about;

    if (0 != syscall(CACHESTAT, fd, &range, &about, 0)) {
        return -1;
    }
    return (int64_t) (about.cached - about.dirty - about.writeback);
}

/* Linux leaves a page in the cache that two processes drop at the same moment, and ranks of a node
 * do so in step. So each one repeats it until it finds no page, after pauses of different lengths.
 * Pages that another process uses or reads anew stay, so the number of tries is limited. */
static void drop_pages(int fd)
{
    enum { TRIES = 8, TRIES_BLIND = 3, PAUSE_FIRST = 10000 /* ns */ };
    uint64_t pause = PAUSE_FIRST;

    for (int i = 1; i <= TRIES; ++i, pause *= 2) {
        int64_t left;
        struct timespec some;

        (void) posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
        left = clean_pages(fd);
        if (0 == left || (0 > left && TRIES_BLIND == i)) {
            return;
        }
        some = (struct timespec){.tv_nsec = (long) (collio_now() % pause)};
        (void) nanosleep(&some, NULL);
    }
}

/* BeeGFS drops old pages in fsync, other clients in fadvise when all bytes are written back. */
int collio_access_refresh(int fd)
{
    int error = collio_access_flush(fd);

    drop_pages(fd);
    (void) collio_access_refresh_size(fd);
    return error;
}

int64_t collio_access_refresh_size(int fd)
{
    struct statx fresh;
    struct stat about;

    if (0 == statx(fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &fresh)) {
        return (int64_t) fresh.stx_size;
    }
    /* some containers forbid statx() */
    return 0 == fstat(fd, &about) ? (int64_t) about.st_size : -1;
}
