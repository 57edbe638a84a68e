/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_DEFAULTS_H
#define MCA_COMMON_COLLIO_DEFAULTS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Defaults of numbers that a user may set: how many aggregators, how large their buffers. Pure
 * functions of what all ranks of a file see alike; the reasons are beside each rule in the .c.
 * The number of cores is not among them: what a third aggregator of a node would wait for is a lock
 * of the file, not a core. Waiting ranks do look at cores: core/common_collio_wait.h.
 */
typedef struct mca_common_collio_site_t {
    int ranks;
    int nodes;
    bool network;         /* the file system is on other machines, or may be */
    bool striped;         /* the file has stripes (Lustre, BeeGFS), and they are known */
    bool lockahead;       /* locks are asked for in advance */
    int stripes;          /* 0 or 1: not striped, or not known */
    int64_t stripe_bytes; /* 0: not known */
} mca_common_collio_site_t;

/** Aggregators of a file: at least 1, at most `ranks`. */
int mca_common_collio_default_aggregators(const mca_common_collio_site_t *site);

/** Bytes that an aggregator may use for its buffers. */
int64_t mca_common_collio_default_buffer(const mca_common_collio_site_t *site);

#endif /* MCA_COMMON_COLLIO_DEFAULTS_H */
