/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_DEFAULTS_H
#define COLLIO_DEFAULTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Defaults of numbers that a user may set: how many aggregators, how large their buffers. Pure
 * functions of what all ranks of a file see alike; the reasons are beside each rule in the .c.
 * The number of cores is not among them: what a third aggregator of a node would wait for is a lock
 * of the file, not a core. Waiting ranks do look at cores: core/wait.h.
 */
typedef struct collio_site_t {
    int ranks;
    int nodes;
    bool network;         /* the file system is on other machines, or may be */
    bool striped;         /* the file has stripes (Lustre, BeeGFS), and they are known */
    bool lockahead;       /* locks are asked for in advance */
    int stripes;          /* 0 or 1: not striped, or not known */
    int64_t stripe_bytes; /* 0: not known */
} collio_site_t;

/** Aggregators of a file: at least 1, at most `ranks`. */
int collio_default_aggregators(const collio_site_t *site);

/** Bytes that an aggregator may use for its buffers. */
int64_t collio_default_buffer(const collio_site_t *site);

/** Of the messages that a rank sends to an aggregator, one in so many is a synchronous send.
 *  short_of_memory: the nodes are. */
int64_t collio_default_synchronous_each(int64_t window_bytes, int64_t buffer_bytes,
                                        bool short_of_memory);

#endif /* COLLIO_DEFAULTS_H */
