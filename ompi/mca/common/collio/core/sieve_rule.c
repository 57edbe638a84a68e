/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Is data sieving cheaper? The decision depends on the holes of each window.
 *
 * Costs are counted in bytes moved; a system call counts as COLLIO_SIEVE_CALL_BYTES bytes.
 *
 *   plain        runs * CALL +     bytes
 *   sieved read     1 * CALL +     span + bytes     (read the window, copy the requested bytes)
 *   sieved write    4 * CALL + 2 * span + bytes     (lock, read, copy, write, unlock)
 *
 * 64-byte pieces every 1,024 bytes are sieved (the calls cost 4 times the window); 2 KiB pieces
 * with 10 KiB holes (as in BTIO) are not. Cost of the decision: O(1).
 */
#include "sieve_rule.h"

/* Returns the cost without sieving: one access per run. */
static int64_t plain_cost(const collio_sieve_window_t *window)
{
    return window->runs * COLLIO_SIEVE_CALL_BYTES + window->bytes;
}

/* Returns the cost with sieving: access to the whole window and a copy of the requested bytes. A
 * write locks, reads, writes and unlocks the window. */
static int64_t sieve_cost(const collio_sieve_window_t *window, bool write)
{
    if (write) {
        return 4 * COLLIO_SIEVE_CALL_BYTES + 2 * window->span + window->bytes;
    }
    return COLLIO_SIEVE_CALL_BYTES + window->span + window->bytes;
}

bool collio_sieve_pays(const collio_sieve_window_t *window, bool write)
{
    if (2 > window->runs || window->span <= window->bytes) {
        return false;
    }
    return sieve_cost(window, write) < plain_cost(window);
}
