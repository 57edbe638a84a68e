/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PUT_H
#define COLLIO_PUT_H

#include "compat/compat.h"

/**
 * One-sided access to collective buffers: the buffers of an aggregator lie in an MPI window,
 * requesters put into them (write) or get from them (read). There is one MPI window per buffer,
 * because a fence epoch belongs to a whole window. They are created once per file, have size zero
 * on ranks that do not aggregate, and are freed at close. Creating and using them blocks, so
 * nonblocking collectives do not use them.
 *
 *   MPI window   |   collective buffer   | room for packed messages |limit|
 *
 * Large pieces are put directly to their places in the buffer. Small ones (plan->packed) travel as
 * one message to the room, from where the aggregator scatters them; for reads it gathers them
 * there. The room counts towards the memory limit of the user, so such plans have windows of half
 * the size.
 */

struct collio_file_t;
struct collio_exchange_t;
struct collio_transport_t;

/** The transports (file/transports.h) that use these windows. */
extern const struct collio_transport_t collio_transport_put_fence;
extern const struct collio_transport_t collio_transport_put_lock;

/** put_fence: behind each buffer its aggregator stores the local coordinate where the data end. */
enum { COLLIO_PUT_LIMIT_BYTES = 64 };

/** Makes so many windows with room for slot_bytes on every aggregator (`mine`: this rank is one).
 *  With a stamp they are for the plan that has it, and made anew for any other. Collective,
 *  blocking. False, on all ranks, if they cannot be created. */
bool collio_put_open(struct collio_file_t *file, int64_t slot_bytes, int buffers, bool mine,
                     uint32_t stamp);
void collio_put_close(struct collio_file_t *file);

/** Puts or gets one window's packed message between `message` and the aggregator's buffer `number`,
 *  or the room beside it; only pieces below `limit`. To be called inside an epoch. Returns the
 *  bytes, or -1. */
int64_t collio_put_window(struct collio_exchange_t *ex, size_t window, int number, int64_t limit,
                          char *message);

/** Packed messages, once per plan and blocking: each aggregator sends its requesters the places of
 *  their messages in the room. */
int collio_put_send_places(struct collio_exchange_t *ex);

struct collio_slot_t;
/** Scatters one message, or all, from the room to the buffer (write), or gathers it (read). */
void collio_put_copy(struct collio_exchange_t *ex, const struct collio_slot_t *slot, size_t source);
void collio_put_copy_all(struct collio_exchange_t *ex, const struct collio_slot_t *slot);

#endif /* COLLIO_PUT_H */
