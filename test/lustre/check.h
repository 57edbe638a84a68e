/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef CHECK_H
#define CHECK_H

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

/**
 * Tests that register themselves: CHECK(name, clients) { ... } defines one. EXPECT prints what is
 * not so, and the test goes on. `clients` is for the program's `begin`.
 */
typedef struct check_t {
    const char *name;
    void (*run)(int fd, int other);
    int clients;
    struct check_t *next;
} check_t;

/** The descriptors that a test gets; -1: none. */
typedef struct check_files_t {
    int fd, other;
} check_files_t;

extern bool failed; /* the test that runs */

#define EXPECT(condition)                                                              \
    do {                                                                               \
        if (!(condition)) {                                                            \
            printf("# %s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
            failed = true;                                                             \
        }                                                                              \
    } while (0)

#define CHECK(test, needed)                                   \
    static void test(int fd, int other);                      \
    __attribute__((constructor)) static void add_##test(void) \
    {                                                         \
        static check_t check = {#test, test, needed, NULL};   \
                                                              \
        check_add(&check);                                    \
    }                                                         \
    static void test(__attribute__((unused)) int fd, __attribute__((unused)) int other)

void check_add(check_t *check);
/** Runs all; prints "ok PREFIX_name" or "not ok PREFIX_name" for each. `begin` and `end` (or NULL)
 * prepare a test and clean up after it; `begin` returns why the test is skipped, or NULL. */
int check_all(const char *prefix, const char *(*begin)(const check_t *, check_files_t *),
              void (*end)(const check_files_t *));

#endif /* CHECK_H */
