/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ASSERT_H
#define COLLIO_ASSERT_H

#include <assert.h>
#include <stdlib.h>

/**
 * Assertions check invariants of collio's code, never the input of a user or a file system. Builds
 * with --enable-asserts (implied by --enable-werror and --enable-sanitizers) check assertions and
 * abort; other builds compile them and remove them.
 */
#ifndef COLLIO_ASSERTS
#    define COLLIO_ASSERTS 0
#endif

#define COLLIO_ASSERT(condition)                                        \
    do {                                                                \
        if (COLLIO_ASSERTS && !(condition)) {                           \
            assert(!"invariant of collio: " #condition);                \
            abort(); /* NDEBUG does not switch it off: see configure */ \
        }                                                               \
    } while (0)

#endif /* COLLIO_ASSERT_H */
