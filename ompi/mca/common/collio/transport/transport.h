/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TRANSPORT_H
#define COLLIO_TRANSPORT_H

#include "plan/plan.h"

/** The transports (file/transports.h) that need no MPI window. `self`, which cannot be named, moves
 *  an aggregator's own bytes. */
extern const collio_transport_t collio_transport_self;
extern const collio_transport_t collio_transport_isend;
extern const collio_transport_t collio_transport_shm;

/** The window's message in user memory, if its bytes are contiguous there (no packing needed); else
 *  NULL. */
char *collio_message_in_memory(const collio_exchange_t *ex, const collio_window_t *window,
                               const collio_piece_t *piece);

/** Starts to send a message to the peer of a move. */
void collio_message_send(collio_exchange_t *ex, collio_move_t *move, const char *message,
                         int64_t bytes);

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
