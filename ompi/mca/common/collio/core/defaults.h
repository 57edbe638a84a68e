/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_DEFAULTS_H
#define COLLIO_DEFAULTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Defaults of numbers that a user may set: the number of aggregators and the size of their buffers.
 * They are pure functions of facts that are equal on all ranks of a file; defaults.c has the reason
 * of each rule. The number of cores is not among the facts, because a third aggregator of a node
 * would wait for a lock of the file, not for a core. Waiting ranks use the number of cores
 * (core/wait.h).
 */
typedef struct collio_site_t {
    int ranks;            /* number of ranks */
    int nodes;            /* number of nodes */
    bool network;         /* the file system is on other machines, or may be */
    bool striped;         /* the stripes of the file (Lustre, BeeGFS) were read */
    bool lockahead;       /* lock-ahead is on */
    int stripes;          /* number of stripes; 0 or 1: not striped, or unknown */
    int64_t stripe_bytes; /* bytes of a stripe; 0: unknown */
    int64_t buffer_bytes; /* bytes that an aggregator may use for its buffers; 0: the default */
} collio_site_t;

/** Returns the number of aggregators of a file: at least 1, at most `ranks`. */
int collio_default_aggregators(const collio_site_t *site);

/** Returns the bytes that an aggregator may use for its buffers. */
int64_t collio_default_buffer(const collio_site_t *site);

/** Returns n: every n-th message of a rank to an aggregator is a synchronous send.
 *  `short_of_memory`: the nodes have little memory. */
int64_t collio_default_synchronous_each(int64_t window_bytes, int64_t buffer_bytes,
                                        bool short_of_memory);

#endif /* COLLIO_DEFAULTS_H */
