/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What a descriptor tells about itself: can it be read, and does its file system live elsewhere?
 */
#include <fcntl.h>
#include <string.h>
#include <sys/vfs.h>

#include "access/common_collio_access_transfer.h"

static uint32_t file_system_of(int fd)
{
    struct statfs about;

    return 0 == fstatfs(fd, &about) ? (uint32_t) about.f_type : 0;
}

static bool on_network(uint32_t file_system)
{
    static const uint32_t magics[] = {
        0x6969,     /* NFS */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB2 */
        0x00c36400, /* Ceph */
        0x65735546, /* FUSE */
        0x20030528, /* PVFS2 */
        0xaad7aaea, /* PanFS */
        0x01021997, /* 9P */
    };

    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); ++i) {
        if (magics[i] == file_system) {
            return true;
        }
    }
    return false;
}

void mca_common_collio_access_open(mca_common_collio_access_t *access, int fd,
                                   mca_common_collio_access_stats_t *stats)
{
    int flags = fcntl(fd, F_GETFL);

    memset(access, 0, sizeof(*access));
    access->fd = fd;
    access->can_read = -1 != flags && O_WRONLY != (flags & O_ACCMODE);
    access->file_system = file_system_of(fd);
    access->network = on_network(access->file_system);
    access->stats = stats;
}
