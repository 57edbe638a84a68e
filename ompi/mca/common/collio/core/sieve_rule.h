/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SIEVE_RULE_H
#define COLLIO_SIEVE_RULE_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Is data sieving cheaper? Costs are counted in bytes moved; a system call counts as
 * COLLIO_SIEVE_CALL_BYTES bytes.
 *
 *   plain        runs * CALL +     bytes
 *   sieved read     1 * CALL +     span + bytes     (read the window, copy the requested bytes)
 *   sieved write    4 * CALL + 2 * span + bytes     (lock, read, copy, write, unlock)
 *
 * 64-byte pieces every 1,024 bytes are sieved (the calls cost 4 times the window); 2 KiB pieces
 * with 10 KiB holes (as in BTIO) are not.
 */
#define COLLIO_SIEVE_CALL_BYTES INT64_C(4096)

/** The shape of a request in one sieve window. */
typedef struct collio_sieve_window_t {
    int64_t runs;  /* number of contiguous extents: system calls without sieving */
    int64_t bytes; /* requested bytes */
    int64_t span;  /* bytes from the first requested byte to the last, holes included */
} collio_sieve_window_t;

/** False for a window without a hole. */
static inline bool collio_sieve_pays(const collio_sieve_window_t *window, bool write)
{
    int64_t calls = window->runs - (write ? 4 : 1); /* system calls that sieving saves */

    return 1 < window->runs && window->span > window->bytes
           && (write ? 2 : 1) * window->span < calls * COLLIO_SIEVE_CALL_BYTES;
}

#endif /* COLLIO_SIEVE_RULE_H */
