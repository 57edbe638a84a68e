/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TRANSPORT_H
#define COLLIO_TRANSPORT_H

#include "plan/plan.h"

/**
 * transport/: how the bytes of one window move between a requester and an aggregator. Each
 * transport is one row in a file of its own (transport_<name>.c), and a line of the table in
 * transports.c. The cycles (cycles/) start and poll the moves. Other
 * directories read only what the transport of the call can do (exchange->way.can).
 */

/** A transport. Both sides start the move of the same window and poll it; start and test never
 *  wait, unless can.waits is set. The functions of a transport with can.rounds are not used. */
typedef struct collio_transport_t {
    const char *name;       /* value of the setting `transport` */
    collio_abilities_t can; /* what the transport can do, and needs */
    /** True if the transport serves this pair of ranks, with the same result on both sides;
     *  messages serve all other pairs. NULL: the transport serves every pair. */
    bool (*serves)(const collio_exchange_t *ex, int aggregator, int requester);
    /** Starts the move of one requester's bytes, on the aggregator. */
    void (*owner_start)(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move);
    /** Polls the aggregator's move; true when it is complete. */
    bool (*owner_test)(collio_exchange_t *ex, collio_slot_t *slot, collio_move_t *move);
    /** Starts the move of this rank's bytes of one window, on the requester. */
    void (*requester_start)(collio_exchange_t *ex, collio_move_t *move);
    /** Polls the requester's move; true when it is complete. */
    bool (*requester_test)(collio_exchange_t *ex, collio_move_t *move);
} collio_transport_t;

/** `self` moves an owner's own bytes and is not a value of the setting `transport`. */
extern const collio_transport_t collio_transport_self;
extern const collio_transport_t collio_transport_isend;
extern const collio_transport_t collio_transport_shm;
extern const collio_transport_t collio_transport_put_fence;
extern const collio_transport_t collio_transport_put_lock;

/** Lists the transports that the setting `transport` can name: returns the name of number `i`, or
 *  NULL past the last. */
const char *collio_transport_value(size_t i);
/** Returns the kinds of collective buffers that calls with these settings may use. */
collio_buffers_set_t collio_transport_buffers(const collio_settings_t *settings);
/** Sets the transport of a call: the named one if it can serve the call, messages if it cannot, or
 *  the transport of the buffers that `auto` has chosen. From agreed values. */
void collio_transport_choose(collio_exchange_t *ex, collio_buffers_t wanted);
/** Makes the RMA windows of a call whose transport needs them; if that fails, the call uses
 *  messages. Collective. */
void collio_transport_open(collio_exchange_t *ex);
/** Returns the transport between an aggregator (by number, not by rank) and a requester (by rank).
 *  Both sides compute the same transport. */
const collio_transport_t *collio_transport_between(const collio_exchange_t *ex, int aggregator,
                                                   int requester);
/** Returns the transport between a local aggregator and a member; `peer`: the rank of the other
 *  side. */
const collio_transport_t *collio_transport_inside(const collio_exchange_t *ex, int peer);
/** Returns the name of the call's transport. */
const char *collio_transport_name(const collio_way_t *way);

/** Returns the window's message in user memory if its bytes are contiguous there, so that packing
 *  is not needed; otherwise NULL. */
char *collio_message_in_memory(const collio_exchange_t *ex, const collio_content_t *what);

/** Starts to send a message of `bytes` bytes to the peer of a move. */
void collio_message_send(collio_exchange_t *ex, collio_move_t *move, const char *message,
                         int64_t bytes);

/** Starts to receive a message from the peer of a move. `tag`: a COLLIO_TAG_*. */
void collio_message_receive(collio_exchange_t *ex, collio_move_t *move, int tag, void *message,
                            int64_t bytes);

/* Copies between user memory, packed messages and buffers, up to the limits of the buffer. Copies
 * count the copied bytes and return their number. */

/** User memory -> buffer (write), or buffer -> user memory (read); the bytes of a read count as
 *  received. */
int64_t collio_copy_window(collio_exchange_t *ex, const collio_content_t *what,
                           const collio_buffer_t *buffer);
/** The same for the next `bytes` bytes of the reader, at most reader->left. */
int64_t collio_copy_some(collio_exchange_t *ex, const collio_window_t *window,
                         collio_reader_t *reader, int64_t bytes, const collio_buffer_t *buffer);
/** User memory -> packed message (write), or packed message -> user memory (read). Only the first
 *  `bytes` bytes of the message. */
int64_t collio_copy_message(const collio_exchange_t *ex, const collio_content_t *what,
                            char *message, int64_t bytes);
/** At the requester: returns the packed message of a move, and packs it if the call writes; unpacks
 *  the first `bytes` bytes of it if the call reads. Messages in user memory and forwarded ones are
 *  not copied. */
char *collio_move_pack(const collio_exchange_t *ex, const collio_move_t *move);
void collio_move_unpack(const collio_exchange_t *ex, const collio_move_t *move, int64_t bytes);
/** At the owner. scatter (write): packed message -> buffer; gather (read): buffer -> message. */
int64_t collio_copy_scatter(const collio_exchange_t *ex, const collio_content_t *what,
                            const collio_buffer_t *buffer, const char *message);
int64_t collio_copy_gather(const collio_exchange_t *ex, const collio_content_t *what,
                           const collio_buffer_t *buffer, char *message);

#endif /* COLLIO_TRANSPORT_H */
