/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CORE_REACH_H
#define COLLIO_CORE_REACH_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Whether byte-range locks reach other nodes, from the options of the mount. BeeGFS in its default
 * configuration, Lustre mounted with localflock and NFS mounted with nolock grant a lock that
 * conflicts with one of another node.
 */
typedef enum collio_reach_t {
    COLLIO_REACH_UNKNOWN = 0, /* neither a test nor the mount's options tell */
    COLLIO_REACH_ALL,         /* a lock keeps ranks of other nodes out */
    COLLIO_REACH_LOCAL        /* a lock keeps ranks of its own node out */
} collio_reach_t;

/** Finds a mount in a line of /proc/self/mountinfo. Returns the options of the file system if the
 *  line is of this device, else NULL. */
const char *collio_mount_options(const char *line, unsigned device_major, unsigned device_minor);

/** Returns how far locks of a network file system reach. `options`: of its mount, separated by
 *  commas; NULL: unknown. */
collio_reach_t collio_reach_of_mount(uint32_t file_system, const char *options);

#endif /* COLLIO_CORE_REACH_H */
