/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

#ifndef CHECK_FACTS_H
#define CHECK_FACTS_H

/** What the two files of check_facts share: small helpers; every test has its own file. */

#include <lustre/lustreapi.h>

#include <stdint.h>

#include "check.h"

#define MIB (UINT64_C(1) << 20)

extern char data[64 << 10];

enum { SENT = LLA_RESULT_SENT, DIFFERENT = LLA_RESULT_DIFFERENT, SAME = LLA_RESULT_SAME };

/** The test's file through the mount of the first client: 2 stripes of 1 MiB where the test needs
 * clients, else it does not exist. It is removed behind the test. */
extern char path[512];
int open_as(int client, int flags);

/** The result of one lockahead of [start, end], or -errno. */
int ahead(int fd, uint64_t start, uint64_t end, int mode, uint32_t flags);
int async_write(int fd, uint64_t start, uint64_t end);
/** The same, after a while: asynchronous requests are granted a little later on a real server. */
int settled(int fd, uint64_t start, uint64_t end);
/** LOCKNOEXPAND with these flags: 0 or -errno. */
int noexpand(int fd, uint32_t flags);

#endif /* CHECK_FACTS_H */
