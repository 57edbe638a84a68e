/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_RELAY_H
#define COLLIO_RELAY_H

#include "plan/plan.h"

/**
 * Two-layer aggregation (fcoll/tam). Some ranks of each group of ranks (a node, or a rack) are
 * *local aggregators*; each rank is a member of one local aggregator, itself included. The data of
 * members for distant aggregators go through the local aggregator, so that aggregators exchange
 * fewer and larger messages:
 *
 *   member ==.
 *   member ==+==> buffer of the local aggregator == one message ==> aggregator
 *   itself ==='   merged and coalesced               per window
 *
 * A window that goes through layer 1 is *relayed*; other windows are *direct*, as in one layer. A
 * cycle of a local aggregator is a round: the relayed windows of one number, of all aggregators.
 * They lie end to end in its buffer, so every byte has a fixed *place* in the buffer, and a member
 * that has the places of its bytes can copy them to (from) the buffer itself (shm). twolayer/ makes
 * the plan of layer 1, and the cycles (cycles/) carry it out like the cycles of an aggregator: with
 * two buffers, and instead of an access the windows of the round are delivered to (from) the
 * aggregators.
 *
 * No deadlock: all ranks process windows in ascending number, so the lowest unfinished window never
 * waits for a later one.
 *
 * Atomic mode: writes that overlap must have the result of ranks that write one after the other.
 * The order is by rank of the local aggregator, then by rank of the member: a local aggregator
 * applies its members' bytes in that order (if members overlap), and aggregators apply the requests
 * of local aggregators, and the direct requests of members, in the same order. An aggregator's own
 * bytes also go through its local aggregator, so that they are applied in the order of the members.
 */

/** Layer 1 of a plan, on one rank. The plan owns it, and both are reused together. */
typedef struct collio_relay_t {
    bool active;        /* this rank's group has layer 1 */
    collio_split_t own; /* whole request of this rank; plan->split: the part it delivers */
    int aggregator;     /* rank of this rank's local aggregator */
    int region;         /* number of this rank's local aggregator in the group */
    int aggregators;    /* number of local aggregators in the group */
    int member_count;   /* members of the local aggregator; member 0 is the local aggregator */

    /** The relayed bytes of this rank. A share is a round, and its `aggregator` the number of the
     *  round; the index of a window is the number of its aggregator. Coordinates are places in the
     *  buffer, or, for a member that sends its bytes by messages, those of the aggregator. */
    collio_split_t mine;

    /* as local aggregator */
    collio_split_t *requests; /* per member, except this rank: its relayed bytes by place */
    collio_collect_t rounds;  /* the rounds: cycles whose runs are forwarded windows, from number
                                `run`; sources are a member and a share of its bytes */
    size_t forwarded;         /* number of forwarded windows, which are last in plan->order */
    int64_t *place;           /* place of each forwarded window in the buffer */
    int64_t buffer_bytes;     /* bytes of one buffer */
    int64_t message_bytes;    /* bytes of the messages of one round; as member: of one message */
    collio_move_t *move[2];   /* moves of each buffer */

    /* while layer 1 is being made: see twolayer/gather.c */
    struct {
        size_t stage;            /* step of gather.c */
        collio_bytes_t list;     /* lists of a member, or places for a member, that are sent */
        ompi_request_t *request; /* MPI request of `list` */
        collio_inbox_t inbox;    /* messages that are being received */
        collio_arrival_t *lists; /* messages that have been received; owned */
        int replied;             /* last member that places were sent to */
        int64_t bytes[2];        /* bytes of a buffer: this rank's, largest on the node */
        bool segment;            /* the node's segment is being made */
    } making;
} collio_relay_t;

/** Returns the bytes of the lists of layer 1. */
int64_t collio_relay_memory(const collio_relay_t *relay);
/** Frees the lists of layer 1. */
void collio_relay_fini(collio_relay_t *relay);

/** Returns true if members may copy their bytes to and from the buffers themselves (shm): not in
 *  atomic mode, where their bytes are applied in order. The same on all ranks of a node. */
bool collio_relay_may_share(const collio_exchange_t *ex);

/** Returns a member's rank in the file. */
int collio_relay_rank(const collio_exchange_t *ex, int member);

/** Returns true if this rank is a local aggregator. */
static inline bool collio_relay_is_aggregator(const collio_exchange_t *ex)
{
    return ex->plan->layer1.relay->aggregator == ex->file->rank;
}

/** Returns the number of windows of plan->split that this rank does not forward; they are first in
 *  plan->order. */
static inline size_t collio_relay_direct(const collio_plan_t *plan)
{
    return plan->split.window_count
           - (NULL == plan->layer1.relay ? 0 : plan->layer1.relay->forwarded);
}

/** Returns the number of messages between this rank, as a member, and its local aggregator. */
static inline size_t collio_relay_messages(const collio_exchange_t *ex)
{
    const collio_relay_t *relay = ex->plan->layer1.relay;

    return NULL == relay || !relay->active || collio_relay_is_aggregator(ex)
               ? 0
               : relay->mine.share_count;
}

/** Returns the maximum bytes that follow the bytes of a message of layer 1: for reads, a length per
 *  window. */
static inline int64_t collio_relay_lengths(size_t windows)
{
    return (int64_t) (windows * sizeof(int64_t));
}

/** The memory of a local aggregator has the limits of both buffers, then the buffers. A buffer has
 *  one limit per aggregator: the place where the data of a read end, or PENDING. Returns the bytes
 *  of all limits. */
int64_t collio_relay_limits_bytes(const collio_file_t *file);

#endif /* COLLIO_RELAY_H */
