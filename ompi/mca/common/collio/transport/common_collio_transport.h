/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_TRANSPORT_H
#define MCA_COMMON_COLLIO_TRANSPORT_H

#include "compat/common_collio_compat.h"

#include "core/common_collio_cycle.h"

/**
 * How the bytes of one window move between a requester and the owner of the window. Both sides
 * start the move of the same window; neither ever waits. A transport is one file with four
 * functions; for each pair one transport is picked (transport_pick), the same on both sides.
 */
struct mca_common_collio_op_t;
struct mca_common_collio_slot_t;
struct mca_common_collio_delivery_t;

/** One move, on one side. */
typedef struct mca_common_collio_move_t {
    const struct mca_common_collio_transport_t *transport;
    const mca_common_collio_window_t *window;
    const mca_common_collio_piece_t *piece; /* the window's first */
    int peer;
    ompi_request_t *request;
    char *staging;   /* where the packed message is; NULL when it goes straight */
    int64_t bytes;   /* of the message; self: copied of a large piece */
    uint64_t ticket; /* shm: number of the grant that is waited for */
    struct {         /* put_lock: a buffer is the requester's */
        int64_t limit;
        int64_t number;
    } grant;
    ompi_request_t *grant_request;
    int state;    /* of the transport */
    bool relayed; /* the staging is the message: nothing is copied to or from user memory */
    bool done;
} mca_common_collio_move_t;

typedef struct mca_common_collio_transport_t {
    const char *name;
    bool owner_packed;     /* the owner meets packed messages: staging, unless it is one piece */
    bool requester_packed; /* so does the requester: staging, unless it lies in memory like that */
    void (*owner_start)(struct mca_common_collio_op_t *op, struct mca_common_collio_slot_t *slot,
                        mca_common_collio_move_t *move);
    bool (*owner_test)(struct mca_common_collio_op_t *op, struct mca_common_collio_slot_t *slot,
                       mca_common_collio_move_t *move);
    void (*requester_start)(struct mca_common_collio_op_t *op,
                            struct mca_common_collio_delivery_t *delivery);
    bool (*requester_test)(struct mca_common_collio_op_t *op,
                           struct mca_common_collio_delivery_t *delivery);
} mca_common_collio_transport_t;

extern const mca_common_collio_transport_t mca_common_collio_transport_self;
extern const mca_common_collio_transport_t mca_common_collio_transport_isend;
extern const mca_common_collio_transport_t mca_common_collio_transport_shm;
extern const mca_common_collio_transport_t mca_common_collio_transport_put_lock;

/** The transport between `owner` (its number) and `requester` (its rank). */
const mca_common_collio_transport_t *
mca_common_collio_transport_pick(const struct mca_common_collio_op_t *op, int owner, int requester);

/** A window's packed message, when it lies in user memory as it is; else NULL. */
char *mca_common_collio_message_in_memory(const struct mca_common_collio_op_t *op, size_t window);

/** Counts a data message that this rank has sent. */
void mca_common_collio_count_message(struct mca_common_collio_op_t *op, int peer, int64_t bytes);

/* What the transports share: copies between the three kinds of memory. `limit` is the local
 * coordinate from which a read has no data. Each returns the bytes that it copied. */

/** Bytes of a window's message before the first that a read has no data for. */
int64_t mca_common_collio_valid_prefix(const mca_common_collio_window_t *window,
                                       const mca_common_collio_piece_t *piece, int64_t limit);

/** User memory -> collective buffer (write) or back (read). */
int64_t mca_common_collio_copy_window(const struct mca_common_collio_op_t *op,
                                      const mca_common_collio_window_t *window,
                                      const mca_common_collio_piece_t *piece, char *buffer,
                                      int64_t buffer_local, int64_t limit);
/** An owner's own part of the window in `slot`, between its memory and the buffer, in one go. */
void mca_common_collio_copy_own(struct mca_common_collio_op_t *op,
                                struct mca_common_collio_slot_t *slot,
                                mca_common_collio_move_t *move);
/** User memory -> packed message (write) or back (read; only the first `bytes` bytes). */
int64_t mca_common_collio_copy_message(const struct mca_common_collio_op_t *op,
                                       const mca_common_collio_window_t *window,
                                       const mca_common_collio_piece_t *piece, char *message,
                                       int64_t bytes);
/** Collective buffer <-> packed message, at the owner. */
int64_t mca_common_collio_copy_scatter(const mca_common_collio_window_t *window,
                                       const mca_common_collio_piece_t *piece, char *buffer,
                                       int64_t buffer_local, const char *message);
int64_t mca_common_collio_copy_gather(const mca_common_collio_window_t *window,
                                      const mca_common_collio_piece_t *piece, const char *buffer,
                                      int64_t buffer_local, int64_t limit, char *message);

#endif /* MCA_COMMON_COLLIO_TRANSPORT_H */
