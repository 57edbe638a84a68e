/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Properties of a descriptor (can it be read, on which file system is the file?), and requests to
 * the file system client: flush, refresh, size.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
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

int collio_access_take_turn(int fd)
{
    const uint64_t patience = UINT64_C(10000000000); /* ns; a turn takes microseconds */
    const struct timespec pause = {.tv_nsec = 20000};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat about;
    uint64_t since = collio_now();
    int turn = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (-1 == turn || 0 != fstat(fd, &about)) {
        return turn;
    }
    /* the first byte is 0: a name without a file */
    snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "collio-%jx-%jx",
             (uintmax_t) about.st_dev, (uintmax_t) about.st_ino);
    while (0 != bind(turn, (struct sockaddr *) &address, sizeof(address)) && EADDRINUSE == errno
           && collio_now() - since < patience) {
        nanosleep(&pause, NULL);
    }
    return turn;
}

/* BeeGFS drops old pages in fsync, other clients in fadvise when all bytes are written back.
 * fadvise leaves a page that another process drops at the same moment, so processes take turns. */
int collio_access_refresh(int fd)
{
    int error = collio_access_flush(fd);
    int turn = collio_access_take_turn(fd);

    (void) posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    if (-1 != turn) {
        close(turn);
    }
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
