/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SUM_H
#define COLLIO_SUM_H

#include <stdint.h>

/** a + b, or INT64_MAX where that is larger. For numbers that are not negative. Offsets of one rank
 *  are checked when a request is flattened, but a sum over ranks can pass INT64_MAX: 16 ranks that
 *  each span 2^60 bytes. The order of the additions does not change the result, so all ranks have
 *  the same. */
static inline int64_t collio_sum(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

#endif /* COLLIO_SUM_H */
