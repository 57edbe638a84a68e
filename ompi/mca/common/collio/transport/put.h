/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PUT_H
#define COLLIO_PUT_H

#include "compat/compat.h"

/**
 * One-sided access to collective buffers. Each collective buffer lies in an RMA window
 * of its own, because a fence epoch covers a whole RMA window; requesters put into the buffers
 * (write) or get from them (read). RMA windows are made when first needed, have size zero on ranks
 * that are not aggregators, and are freed at close; they block, so nonblocking calls do not use
 * them.
 *
 *   RMA window   |   collective buffer   | room for packed messages |limit|
 *
 * Large pieces are put directly to their places in the buffer. The small pieces of a window
 * (plan->packed) travel as one message to the room, and the aggregator scatters the message; for
 * reads the aggregator gathers the message in the room. The room counts towards the user's memory
 * limit, so such plans have windows of half the size.
 */

struct collio_file_t;
struct collio_exchange_t;

/** put_fence: bytes after each buffer and its room, in which the aggregator of a read stores the
 *  local coordinate where the data end. */
enum { COLLIO_PUT_LIMIT_BYTES = 64 };

/** Makes the RMA windows that the call's plan needs, unless the existing windows fit. Collective
 *  and blocking. Returns false, on all ranks, if RMA windows cannot be used. */
bool collio_put_open(struct collio_exchange_t *ex);
void collio_put_close(struct collio_file_t *file);

/** put_fence: the fence of a round over RMA window `number`. Where MPI_Win_fence returns too early,
 *  it is a barrier, and the bytes of a round arrive by a flush of each rank that they went to or
 *  came from; the flush does nothing elsewhere. Return an Open MPI error code. */
int collio_put_fence(const struct collio_exchange_t *ex, int number);
int collio_put_flush(const struct collio_exchange_t *ex, int peer, int number);

/** Puts or gets the bytes of one window between `message`, where they are packed, and the
 *  aggregator's buffer `number` or its room; only bytes below `limit`. Must be called inside an
 *  epoch. Returns the bytes that are moved, or -1. */
int64_t collio_put_window(struct collio_exchange_t *ex, size_t window, int number, int64_t limit,
                          char *message);

/** Sends each requester the places of its messages in the room; once per plan, collective and
 *  blocking. Returns OMPI_SUCCESS or an Open MPI error code. */
int collio_put_send_places(struct collio_exchange_t *ex);

struct collio_slot_t;
/** Scatters the message of one source of the slot's cycle, or of all sources, from the room to the
 *  buffer (write), or gathers the message in the room (read). */
void collio_put_copy(struct collio_exchange_t *ex, const struct collio_slot_t *slot, size_t source);
void collio_put_copy_all(struct collio_exchange_t *ex, const struct collio_slot_t *slot);

#endif /* COLLIO_PUT_H */
