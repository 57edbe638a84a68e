/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * When does data sieving pay? The decision depends on the holes of each window.
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
#include "sieve_rule.h"

/* Bytes' worth of work: one access per run. */
static int64_t plain_cost(const collio_sieve_window_t *window)
{
    return window->runs * COLLIO_SIEVE_CALL_BYTES + window->bytes;
}

/* Bytes' worth of work: the window as a whole, and the wanted bytes copied. A write reads it
 * first, writes it back, and locks and unlocks it. */
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
