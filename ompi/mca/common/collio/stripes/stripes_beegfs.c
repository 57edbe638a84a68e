/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Stripes of BeeGFS: chunks on targets. Uses ioctls of the client, which are the same in BeeGFS 7
 * and 8, and no library.
 *
 *   read     GET_STRIPEINFO on the file: chunk size and number of targets
 *   create   MKFILE_STRIPEHINTS on the directory: exclusive, and for ordinary users. 0 is the
 *            default of the directory; chunks are a power of 2, at least 64 KiB; a number of
 *            targets above the existing number means all
 */
#define _GNU_SOURCE
#include "stripes/stripes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct stripe_info_t {
    unsigned pattern;     /* RAID0, RAID10, buddy mirror */
    unsigned chunk_bytes; /* bytes of a chunk */
    uint16_t targets;     /* number of targets */
} stripe_info_t;
_Static_assert(12 == sizeof(stripe_info_t), "as the kernel has it");

typedef struct make_file_t {
    const char *name;     /* name in the directory, without a slash */
    unsigned mode;        /* S_IFREG and permissions */
    unsigned targets;     /* number of targets; 0: default */
    unsigned chunk_bytes; /* bytes of a chunk; 0: default */
} make_file_t;
_Static_assert(8 != sizeof(void *) || 24 == sizeof(make_file_t), "as the kernel has it");

#define GET_STRIPEINFO     _IOR('f', 25, stripe_info_t)
#define MKFILE_STRIPEHINTS _IOW('f', 27, make_file_t)

enum { ALL_TARGETS = UINT16_MAX };

static bool beegfs_stripes_read(int fd, collio_stripes_t *stripes)
{
    stripe_info_t info = {0};

    if (0 != ioctl(fd, GET_STRIPEINFO, &info)) {
        return false;
    }
    stripes->count = info.targets;
    stripes->bytes = info.chunk_bytes;
    return true;
}

/* Creates the file. Returns 0 or -errno. Open MPI has removed the bits of the umask from perm. */
static int make_file(const char *path, int perm, const collio_stripes_t *wanted)
{
    const char *slash = strrchr(path, '/');
    make_file_t request = {.name = NULL == slash ? path : slash + 1,
                           .mode = S_IFREG | (unsigned) perm,
                           .targets = (unsigned) (0 > wanted->count ? ALL_TARGETS : wanted->count),
                           .chunk_bytes = (unsigned) wanted->bytes};
    char directory[PATH_MAX];
    int fd;
    int rc;

    if (!collio_stripes_directory(path, directory, sizeof(directory))) {
        return -ENAMETOOLONG;
    }
    fd = collio_stripes_open_plain(directory, O_RDONLY | O_DIRECTORY, 0);
    if (0 > fd) {
        return fd;
    }
    rc = 0 == ioctl(fd, MKFILE_STRIPEHINTS, &request) ? 0 : -errno;
    close(fd);
    return rc;
}

static bool beegfs_stripes_possible(const collio_stripes_t *wanted)
{
    return 0 > wanted->first && '\0' == wanted->pool[0] && UINT16_MAX >= wanted->count
           && UINT_MAX >= wanted->bytes;
}

static int beegfs_stripes_create(const char *path, int flags, int perm, collio_stripes_t *wanted,
                                 const char **why_not)
{
    int rc = beegfs_stripes_possible(wanted) ? make_file(path, perm, wanted) : -EINVAL;

    if (0 == rc) {
        flags &= ~(O_CREAT | O_EXCL);
    } else if (-EEXIST == rc) {
        *wanted = COLLIO_STRIPES_NONE;
    } else if (-EINVAL == rc) {
        *why_not =
            "BeeGFS takes a number of targets, and chunks of a power of 2 of at least 64 KiB; "
            "no first target and no pool";
    } else {
        *why_not = strerror(-rc);
    }
    return collio_stripes_open_plain(path, flags, perm);
}

const collio_stripes_provider_t collio_stripes_beegfs = {
    .magic = COLLIO_STRIPES_BEEGFS, .read = beegfs_stripes_read, .create = beegfs_stripes_create};
