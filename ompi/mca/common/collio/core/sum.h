/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SUM_H
#define COLLIO_SUM_H

#include <stdint.h>

/** Returns a + b, at most INT64_MAX, for numbers that are not negative. Flattening checks the
 *  offsets of one rank, but a sum over ranks can pass INT64_MAX: 16 ranks that each span 2^60
 *  bytes. The result does not depend on the order of additions, so it is equal on all ranks. */
static inline int64_t collio_sum(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

#endif /* COLLIO_SUM_H */
