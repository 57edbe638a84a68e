/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NODE_AVAILABLE_H
#define COLLIO_NODE_AVAILABLE_H

#include <stdint.h>

/** Returns the bytes that this process may still use: the minimum of MemAvailable, of the limits of
 *  its cgroup and all parents (version 2: memory.max and memory.high; version 1:
 *  memory.limit_in_bytes) minus their use, and of RLIMIT_AS minus the address space in use.
 *  INT64_MAX if no value can be read. `root` is a prefix for /proc and /sys; "" for the machine
 *  itself. Reads a dozen small files, about 50 us. */
int64_t collio_available_bytes(const char *root);

#endif /* COLLIO_NODE_AVAILABLE_H */
