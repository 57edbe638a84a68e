/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SIEVE_RULE_H
#define COLLIO_SIEVE_RULE_H

#include <stdbool.h>
#include <stdint.h>

/** The shape of a request in one sieve window. */
typedef struct collio_sieve_window_t {
    int64_t runs;  /* number of contiguous extents: system calls without sieving */
    int64_t bytes; /* requested bytes */
    int64_t span;  /* bytes from the first requested byte to the last, holes included */
} collio_sieve_window_t;

/** A system call costs as much as moving this many bytes. */
#define COLLIO_SIEVE_CALL_BYTES INT64_C(4096)

/** Is sieving cheaper? False for a window without a hole. */
bool collio_sieve_pays(const collio_sieve_window_t *window, bool write);

#endif /* COLLIO_SIEVE_RULE_H */
