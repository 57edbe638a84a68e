/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/** 0 for a file or a free name, 1 for a device, -1 with errno for what is not written to. */
static int look_at(const char *path)
{
    struct stat st;

    if (0 != syscall(SYS_newfstatat, AT_FDCWD, path, &st, AT_SYMLINK_NOFOLLOW)) {
        if (ENOENT == errno) {
            return 0;
        }
        return -1;
    }
    if (S_ISREG(st.st_mode)) {
        return 0;
    }
    if (S_ISCHR(st.st_mode)) {
        return 1;
    }
    errno = EINVAL;
    if (S_ISLNK(st.st_mode)) {
        errno = ELOOP;
    }
    if (S_ISDIR(st.st_mode)) {
        errno = EISDIR;
    }
    return -1;
}

int ioprof_output_open(struct ioprof_output *output, const char *path, const char *unfinished)
{
    int device = look_at(path);

    *output = (struct ioprof_output){path, device ? NULL : unfinished};
    if (device < 0) {
        return -1;
    }
    if (device) {
        return (int) syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_NOFOLLOW | O_NOCTTY);
    }
    /* What an earlier run may have left; a link is removed, not what it names. */
    (void) syscall(SYS_unlinkat, AT_FDCWD, unfinished, 0);
    return (int) syscall(SYS_openat, AT_FDCWD, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW,
                         0666);
}

int ioprof_output_end(const struct ioprof_output *output, int whole)
{
    int saved;

    if (NULL == output->unfinished) {
        if (whole) {
            return 0;
        }
        return -1;
    }
    if (whole && look_at(output->path) >= 0
        && 0 == syscall(SYS_renameat2, AT_FDCWD, output->unfinished, AT_FDCWD, output->path, 0)) {
        return 0;
    }
    saved = errno;
    (void) syscall(SYS_unlinkat, AT_FDCWD, output->unfinished, 0);
    errno = saved;
    return -1;
}

const char *ioprof_output_error(int error)
{
    switch (error) {
    case ELOOP:
        return "it is a symbolic link, which ioprof does not follow";
    case EINVAL:
        return "it is neither a file nor a device";
    default:
        return strerror(error);
    }
}
