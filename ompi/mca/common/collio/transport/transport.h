/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TRANSPORT_H
#define COLLIO_TRANSPORT_H

#include "plan/plan.h"

/**
 * How the bytes of one window move between a requester and the aggregator that owns the window.
 * Both sides start the move of the same window and poll it. start and test must not wait, except
 * for the one-sided epochs of put_lock, which therefore serves blocking calls only. A transport is
 * one file with four functions; cycles_pick chooses one for each pair, the same on both sides.
 */
typedef struct collio_transport_t {
    const char *name;
    bool aggregator_packed; /* data arrive packed at the aggregator: it needs staging, unless it
                              is one contiguous piece */
    bool requester_packed;  /* the requester packs or unpacks: it needs staging, unless its bytes
                              are contiguous in memory */
    void (*aggregator_start)(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move);
    bool (*aggregator_test)(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move);
    void (*requester_start)(collio_exchange_t *ex, collio_delivery_t *delivery);
    bool (*requester_test)(collio_exchange_t *ex, collio_delivery_t *delivery);
} collio_transport_t;

extern const collio_transport_t collio_transport_self;
extern const collio_transport_t collio_transport_isend;
extern const collio_transport_t collio_transport_shm;

/** The window's message in user memory, if its bytes are contiguous there (no packing needed); else
 *  NULL. */
char *collio_message_in_memory(const collio_exchange_t *ex, size_t window);

/** Counts a data message that this rank has sent. */
void collio_count_message(collio_exchange_t *ex, int peer, int64_t bytes);

/* Copies between user memory, packed messages and collective buffers. `limit` is the local
 * coordinate where the data of a read end (end of file). Each returns the number of bytes copied.
 * */

/** Length of the part of a window's message that lies below `limit`. */
int64_t collio_valid_prefix(const collio_window_t *window, const collio_piece_t *piece,
                            int64_t limit);

/** User memory -> collective buffer (write) or back (read). */
int64_t collio_copy_window(const collio_exchange_t *ex, const collio_window_t *window,
                           const collio_piece_t *piece, char *buffer, int64_t buffer_local,
                           int64_t limit);
/** Copies the aggregator's own part of the window in `slot` between its user memory and the
 *  collective buffer, all at once. */
void collio_copy_own(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move);
/** User memory -> packed message (write) or back (read; only the first `bytes` bytes). */
int64_t collio_copy_message(const collio_exchange_t *ex, const collio_window_t *window,
                            const collio_piece_t *piece, char *message, int64_t bytes);
/** Packed message -> collective buffer (write) and back (read), at the aggregator. */
int64_t collio_copy_scatter(const collio_window_t *window, const collio_piece_t *piece,
                            char *buffer, int64_t buffer_local, const char *message);
int64_t collio_copy_gather(const collio_window_t *window, const collio_piece_t *piece,
                           const char *buffer, int64_t buffer_local, int64_t limit, char *message);

#endif /* COLLIO_TRANSPORT_H */
