/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TRANSPORT_H
#define COLLIO_TRANSPORT_H

#include "plan/plan.h"

/**
 * transport/: how the bytes of one window move between a requester and an aggregator. Each
 * transport is one row of functions (file/transports.h) in a file of its own; onesided/ has the
 * transports that use RMA windows. The cycles (cycles/) start and poll the moves.
 */

/** The transports without RMA windows. `self` moves an aggregator's own bytes and is not a value of
 *  the setting `transport`. */
extern const collio_transport_t collio_transport_self;
extern const collio_transport_t collio_transport_isend;
extern const collio_transport_t collio_transport_shm;

/** Returns the window's message in user memory if its bytes are contiguous there, so that packing
 *  is not needed; otherwise NULL. */
char *collio_message_in_memory(const collio_exchange_t *ex, const collio_content_t *what);

/** Starts to send a message of `bytes` bytes to the peer of a move. */
void collio_message_send(collio_exchange_t *ex, collio_move_t *move, const char *message,
                         int64_t bytes);

/** Starts to receive a message from the peer of a move. `tag`: a COLLIO_TAG_*. */
void collio_message_receive(collio_exchange_t *ex, collio_move_t *move, int tag, void *message,
                            int64_t bytes);

/* Copies between user memory, packed messages and collective buffers. `limit` is the local
 * coordinate where the data of a read end (end of file); `buffer_local` is the local coordinate of
 * the buffer's first byte. Copies count the copied bytes and return their number. */

/** User memory -> collective buffer (write), or collective buffer -> user memory (read); the bytes
 *  of a read count as received. */
int64_t collio_copy_window(collio_exchange_t *ex, const collio_content_t *what, char *buffer,
                           int64_t buffer_local, int64_t limit);
/** The same for the next `bytes` bytes of the reader, at most reader->left. */
int64_t collio_copy_some(collio_exchange_t *ex, const collio_window_t *window,
                         collio_reader_t *reader, int64_t bytes, char *buffer, int64_t buffer_local,
                         int64_t limit);
/** User memory -> packed message (write), or packed message -> user memory (read). Only the first
 *  `bytes` bytes of the message. */
int64_t collio_copy_message(const collio_exchange_t *ex, const collio_content_t *what,
                            char *message, int64_t bytes);
/** At the aggregator. scatter (write): packed message -> collective buffer. gather (read):
 *  collective buffer -> packed message. */
int64_t collio_copy_scatter(const collio_exchange_t *ex, const collio_content_t *what, char *buffer,
                            int64_t buffer_local, const char *message);
int64_t collio_copy_gather(const collio_exchange_t *ex, const collio_content_t *what,
                           const char *buffer, int64_t buffer_local, int64_t limit, char *message);

#endif /* COLLIO_TRANSPORT_H */
