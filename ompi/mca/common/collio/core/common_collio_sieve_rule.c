/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * When does data sieving pay? "Intelligent" sieving looks at the holes before it decides.
 *
 * Everything is counted in bytes moved; a system call counts as CALL_BYTES of them.
 *
 *   plain        runs * CALL +     bytes
 *   sieved read     1 * CALL +     span + bytes     (read the window, copy what is wanted)
 *   sieved write    4 * CALL + 2 * span + bytes     (lock, read, copy, write, unlock)
 *
 * So 64-byte pieces every 1,024 bytes are sieved (a call each costs 4 times the window), and 2 KiB
 * pieces with 10 KiB holes (BTIO's ratio) are not. Cost of the decision: O(1).
 */
#include "common_collio_sieve_rule.h"

int64_t mca_common_collio_sieve_plain_cost(const mca_common_collio_sieve_window_t *window)
{
    return window->runs * MCA_COMMON_COLLIO_SIEVE_CALL_BYTES + window->bytes;
}

int64_t mca_common_collio_sieve_cost(const mca_common_collio_sieve_window_t *window, bool write)
{
    if (write) {
        return 4 * MCA_COMMON_COLLIO_SIEVE_CALL_BYTES + 2 * window->span + window->bytes;
    }
    return MCA_COMMON_COLLIO_SIEVE_CALL_BYTES + window->span + window->bytes;
}

bool mca_common_collio_sieve_pays(const mca_common_collio_sieve_window_t *window, bool write)
{
    if (2 > window->runs || window->span <= window->bytes) {
        return false;
    }
    return mca_common_collio_sieve_cost(window, write) < mca_common_collio_sieve_plain_cost(window);
}
