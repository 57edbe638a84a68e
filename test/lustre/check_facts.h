/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

#ifndef CHECK_FACTS_H
#define CHECK_FACTS_H

/** What the two files of check_facts share: small helpers; every test has its own file. */

#include <lustre/lustreapi.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MIB (UINT64_C(1) << 20)

extern bool failed;
extern char data[64 << 10];

#define EXPECT(condition)                                                              \
    do {                                                                               \
        if (!(condition)) {                                                            \
            printf("# %s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
            failed = true;                                                             \
        }                                                                              \
    } while (0)

enum { SENT = LLA_RESULT_SENT, DIFFERENT = LLA_RESULT_DIFFERENT, SAME = LLA_RESULT_SAME };

/** The test's file, through the mount of a client (0 or 1). */
void path_of(char path[512], int client);
int open_as(int client, int flags);
/** A fresh file of `stripes` stripes of 1 MiB. */
void create(int stripes);
/** Closes (not below 0) and removes. */
void finish(int fd0, int fd1);

/** The result of one lockahead of [start, end], or -errno. */
int ahead(int fd, uint64_t start, uint64_t end, int mode, uint32_t flags);
int async_write(int fd, uint64_t start, uint64_t end);
/** The same, after a while: asynchronous requests are granted a little later on a real server. */
int settled(int fd, uint64_t start, uint64_t end);
/** LOCKNOEXPAND with these flags: 0 or -errno. */
int noexpand(int fd, uint32_t flags);

void group_errors(void);
void group_shared_and_refused(void);
void group_blocks_writers(void);
void close_gives_the_group_lock_back(void);
void group_lock_clears_caches(void);
void create_rules(void);
void count_defaults(void);
void existing_file_keeps_its_layout(void);
void index_alone_is_one_stripe(void);
void unknown_pool_is_refused(void);
void mdt_data_need_expansion(void);
void delayed_layouts_stay_away(void);
void library_can_be_silenced(void);

#endif /* CHECK_FACTS_H */
