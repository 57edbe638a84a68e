/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_COSTS_H
#define COLLIO_COSTS_H

#include <stdint.h>

#include "number.h"

/**
 * A cost of messages is the difference of two times of one node. Several nodes measure such a pair.
 * Minima of each time over the nodes would mix nodes: a short time of many messages here and of one
 * message there give a difference that no node has. So the two times are packed into one number,
 * whose maximum over the nodes is the pair with the least time of many messages. A disturbed node
 * has a longer time and no effect.
 *
 *   |  1 bit  |     31 bits     |    31 bits     |
 *   |   -     |  time of many   |  time of few   |     ns, at most 2.1 s
 */

/** The offer of a rank that has measured nothing. */
#define COLLIO_COSTS_NO_OFFER INT64_MIN

enum { COLLIO_COSTS_BITS = 31 };

/** Returns the number of which ranks agree on the maximum. */
static inline int64_t collio_costs_offer(int64_t many_ns, int64_t few_ns)
{
    const int64_t most = (INT64_C(1) << COLLIO_COSTS_BITS) - 1;

    return -(collio_clamp(many_ns, 0, most) * (most + 1) + collio_clamp(few_ns, 0, most));
}

/** Returns the difference of the two times of an offer, at least 0. */
static inline int64_t collio_costs_difference(int64_t offer)
{
    const int64_t radix = INT64_C(1) << COLLIO_COSTS_BITS;

    return COLLIO_COSTS_NO_OFFER == offer ? 0 : collio_max(0, -offer / radix - -offer % radix);
}

#endif /* COLLIO_COSTS_H */
