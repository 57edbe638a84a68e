/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NODE_AVAILABLE_H
#define COLLIO_NODE_AVAILABLE_H

#include <stdint.h>

/** Bytes that this process may still use: the least of MemAvailable, what the limits of its cgroup
 *  and of all above it leave (version 2: memory.max and memory.high; version 1:
 *  memory.limit_in_bytes), and what RLIMIT_AS leaves. INT64_MAX if nothing is known. `root` stands
 *  before /proc and /sys; "" is the machine itself. Reads a dozen small files, about 50 us. */
int64_t collio_available_bytes(const char *root);

#endif /* COLLIO_NODE_AVAILABLE_H */
