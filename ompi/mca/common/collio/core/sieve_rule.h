/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SIEVE_RULE_H
#define COLLIO_SIEVE_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "number.h"

/**
 * Data sieving pays if it costs less than a system call for each piece. Costs are counted in bytes
 * moved; a system call counts as CALL bytes.
 *
 *   plain        runs * CALL +     bytes
 *   sieved read     1 * CALL +     span + bytes     (read the window, copy the requested bytes)
 *   sieved write    4 * CALL + 2 * span + bytes     (lock, read, copy, write, unlock)
 *
 * CALL is 4 KiB in memory (tmpfs), 8 KiB on a local disk and 16 KiB on a network, where a call may
 * be a round trip. With 64-byte pieces in a cached file of 256 MiB, or in 256 pieces on GlusterFS
 * after caches were dropped, sieving was measured to be faster below these distances of the pieces:
 *
 *                          read      write
 *   tmpfs                  4 KiB     2.5 KiB
 *   ext4                   10 KiB    18 KiB
 *   GlusterFS              50 KiB    28 KiB
 *   GlusterFS, 1 Gbit/s    16 KiB    16 KiB
 *
 * 2 KiB pieces with 10 KiB holes are those of BTIO, where sieving lost on 3 of 5 machines of its
 * authors. They are sieved in no write, and in reads from a network only: 3.0 to 4.6 times as fast.
 */

/** Returns CALL. */
static inline int64_t collio_sieve_call_bytes(bool in_memory, bool network)
{
    return in_memory ? 4096 : network ? 16384 : 8192;
}

/** The shape of a request in one sieve window. */
typedef struct collio_sieve_window_t {
    int64_t runs;       /* number of contiguous extents: system calls without sieving */
    int64_t bytes;      /* requested bytes */
    int64_t span;       /* bytes from the first requested byte to the last, holes included */
    int64_t call_bytes; /* CALL */
} collio_sieve_window_t;

/** True if sieving is cheaper. False for a window without a hole. */
static inline bool collio_sieve_pays(const collio_sieve_window_t *window, bool write)
{
    int64_t calls = window->runs - (write ? 4 : 1); /* system calls that sieving saves */

    return 1 < window->runs && window->span > window->bytes
           && window->span < calls * window->call_bytes / (write ? 2 : 1);
}

/** Returns the cost of the pieces of a view, in bytes per GiB of the file; 0 if the view has no
 *  holes. The sum over ranks is the cost of the pieces that a collective call brings together. */
static inline int64_t collio_sieve_density(int64_t pieces, int64_t bytes, int64_t span,
                                           int64_t call_bytes)
{
    if (bytes >= span) {
        return 0;
    }
    return collio_min(pieces, INT64_MAX >> 30) * (INT64_C(1) << 30) / span * call_bytes;
}

/** True if sieved writes may pay where the pieces have this cost: reading and writing a long window
 *  costs less. */
static inline bool collio_sieve_dense(int64_t density)
{
    return density > INT64_C(2) << 30;
}

/** Returns the end of a window of about `bytes` bytes that starts at `lo`: a stripe border if the
 *  file has stripes (0: none), so that no stripe is in two windows. At most INT64_MAX. */
static inline int64_t collio_sieve_window_end(int64_t lo, int64_t bytes, int64_t stripe)
{
    if (0 < stripe && bytes >= stripe) {
        return collio_sum(lo - lo % stripe, bytes - bytes % stripe);
    }
    return collio_sum(lo, bytes);
}

#endif /* COLLIO_SIEVE_RULE_H */
