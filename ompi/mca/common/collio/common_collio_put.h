/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_PUT_H
#define MCA_COMMON_COLLIO_PUT_H

#include "common_collio_compat.h"

/**
 * One-sided access to collective buffers: an owner's buffers lie in an MPI window, requesters put
 * into them (write) or get from them (read). One window per buffer (fence epochs belong to a whole
 * window), made once per file, zero-sized on ranks that own nothing, freed at close. Making and
 * using them blocks, so nonblocking collectives do not use them.
 */
typedef struct mca_common_collio_put_t {
    bool open;
    bool failed; /* windows cannot be had with this osc component: said once */
    char *base;  /* this rank's two buffers, each with its limit */
    int64_t slot_bytes;
    mca_common_collio_win_t *win[2];
} mca_common_collio_put_t;

struct mca_common_collio_file_t;
struct mca_common_collio_op_t;

/** Behind each buffer its owner keeps, for put_fence, the local coordinate where the data ends. */
enum { MCA_COMMON_COLLIO_PUT_LIMIT_BYTES = 64 };

/** Makes windows with room for slot_bytes on every owner. Collective, blocking. False, on all
 *  ranks, when they cannot be had. */
bool mca_common_collio_put_open(struct mca_common_collio_file_t *file, int64_t slot_bytes);
void mca_common_collio_put_close(struct mca_common_collio_file_t *file);

/** Transfers one window's packed message between `message` and the owner's buffer `number`; only
 *  pieces below `limit`. Inside an epoch. Returns the bytes, or -1. */
int64_t mca_common_collio_put_window(struct mca_common_collio_op_t *op, size_t window, int number,
                                     int64_t limit, char *message);

#endif /* MCA_COMMON_COLLIO_PUT_H */
