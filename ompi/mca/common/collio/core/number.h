/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NUMBER_H
#define COLLIO_NUMBER_H

#include <stdint.h>

/** Small functions of numbers. */

static inline int64_t collio_min(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static inline int64_t collio_max(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/** Returns `value`, limited to [least, most]. */
static inline int64_t collio_clamp(int64_t value, int64_t least, int64_t most)
{
    return collio_min(collio_max(value, least), most);
}

/** Returns `set` if it is positive, else the default. */
static inline int64_t collio_or_default(int64_t set, int64_t by_default)
{
    return 0 < set ? set : by_default;
}

/** Returns a + b, at most INT64_MAX, for numbers that are not negative. Flattening checks the
 *  offsets of one rank, but a sum over ranks can pass INT64_MAX: 16 ranks that each span 2^60
 *  bytes. The result does not depend on the order of additions, so it is equal on all ranks. */
static inline int64_t collio_sum(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

#endif /* COLLIO_NUMBER_H */
