/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_RELAY_H
#define COLLIO_RELAY_H

#include "plan/plan.h"

/**
 * Two-layer aggregation. On each node some ranks are *local aggregators*. Each rank belongs to one,
 * and its data for aggregators on other nodes go through it:
 *
 *   member ==.
 *   member ==+==> staging of the local aggregator == one message ==> aggregator
 *   itself ==='   merged and coalesced                per window
 *
 * A window that goes this way is *relayed*; others are *direct*, as in one layer. All windows of
 * one number are a round. In a round the relayed windows of all aggregators lie end to end in the
 * staging, so every byte has a fixed *place* there, and a member that knows the places of its bytes
 * can copy them there itself (shm). The staging has two halves, so two rounds may be in flight.
 *
 *   write:  free -> handing (from members) -> delivering (to aggregators) -> free
 *   read:   free -> delivering (from aggregators) -> handing (to members) -> free
 *
 * In shared memory a member copies a window of a read as soon as it has arrived, while other
 * windows of the round are still in flight: the round is granted at its start, and members poll the
 * limit of each window.
 *
 * No deadlock: all ranks process windows in ascending number, so the lowest unfinished window never
 * waits for a later one.
 *
 * Atomic mode: writes that overlap must come out as if the ranks had written one after the other.
 * The order is that of the local aggregators' ranks, and of the members' ranks among those of one:
 * a local aggregator applies its members' bytes in that order (only those that overlap), and
 * aggregators apply the requests of local aggregators, and direct ones of members, in the same
 * order. An aggregator's own bytes go through its local aggregator too, so that they are applied
 * between those of its neighbours.
 */

/** What a rank hands over in one round. */
typedef struct collio_turn_t {
    collio_window_t all; /* all bytes of the turn; index: the window number of the round */
    size_t window;       /* the first of its windows in the part; by aggregator */
    size_t window_count;
    bool straight; /* its places in the staging are contiguous */
    size_t fence;  /* put_fence: its round */
} collio_turn_t;

/** The relayed bytes of one rank, by round, aggregator and local coordinate. */
typedef struct collio_part_t {
    collio_piece_t *piece;   /* offset = place in the round's staging */
    collio_window_t *window; /* index = aggregator */
    collio_turn_t *turn;
    size_t piece_count;
    size_t window_count;
    size_t turn_count;
} collio_part_t;

/** A round of a local aggregator. */
typedef struct collio_round_t {
    int64_t index;
    size_t windows; /* relayed ones */
    int64_t bytes;  /* of staging */
} collio_round_t;

typedef enum collio_half_state_t {
    COLLIO_HALF_FREE = 0,
    COLLIO_HALF_HANDING,
    COLLIO_HALF_DELIVERING,
    COLLIO_HALF_DELIVERED /* read: complete; handed out in the order of the rounds */
} collio_half_state_t;

/** Value of a limit while this aggregator's window has not arrived. */
enum { COLLIO_LIMIT_PENDING = -1 };

/** One half of a local aggregator's staging. */
typedef struct collio_half_t {
    collio_slot_t slot; /* buffer: this half; staging: room for messages; move: one per member */
    collio_half_state_t state;
    size_t round;
    size_t windows;             /* still to be delivered */
    bool whole;                 /* read: no window is short */
    int granted;                /* ordered writes: the last member that was granted the half */
    const collio_turn_t **turn; /* per member: its part of this round, or NULL */
} collio_half_t;

/** Layer 1 of a plan, on one rank. It is part of the plan: reused with it. */
typedef struct collio_relay_t {
    bool active;        /* this rank's node has layer 1 */
    collio_split_t own; /* whole request; plan->split: the part it delivers */
    int aggregator;     /* rank of this rank's local aggregator */
    int slot;           /* its number among those of the node */
    int aggregators;    /* local aggregators on the node */
    int member_count;   /* ranks it serves; member 0 is itself */
    collio_part_t mine;

    /* as local aggregator */
    collio_part_t *part; /* per member */
    size_t *round_of;    /* per window */
    collio_round_t *round;
    size_t round_count;
    bool overlapping;      /* requests of members overlap */
    int64_t staging_bytes; /* of a half */
    int64_t message_bytes; /* of a half's messages */

    /* while a call is in its cycles */
    bool shared;       /* shm: members copy to and from the staging themselves */
    size_t next_round; /* as local aggregator: first round not opened */
    size_t handed;     /* first round whose handing is not finished */
    size_t *next_turn; /* per member */
    collio_half_t half[2];
    size_t first_turn;         /* as member: first turn not done */
    size_t started_turn;       /* first turn not started */
    collio_delivery_t turn[2]; /* as member: the turns under way */

    /* while it is being made: see gather.c */
    struct {
        int stage;
        collio_bytes_t list; /* as member: its encoded offset lists */
        ompi_request_t *request;
        struct collio_gathered_t *arrivals;
        int arrived;
        ompi_request_t *discarded;
        collio_bytes_t *reply; /* per member: its places */
        ompi_request_t **reply_request;
        int replied;
        collio_extents_t places; /* of this rank */
        int64_t bytes[2];        /* staging: own, largest on the node */
    } making;
} collio_relay_t;

/** Ranks of the file in a group: a node, or a rack. */
int collio_ranks_in(const collio_file_t *file, int group);

/** Does this call have two layers, and with how many local aggregators? From agreed values. */
void collio_layers_decide(collio_exchange_t *ex);
/** May the members of this node copy their bytes to the staging themselves (shm)? The same on all
 *  ranks of a node. */
bool collio_relay_may_share(const collio_exchange_t *ex);
/** Local aggregators of that group. */
int collio_layers_in(const collio_exchange_t *ex, int group);
/** The rank that orders a requester among others: in atomic mode that of its local aggregator. */
int collio_layers_leader(const collio_exchange_t *ex, int rank);

/** Does this rank's share for that aggregator go through layer 1? The same for all members of a
 *  local aggregator, except that the aggregator's own share does so in atomic mode only. */
bool collio_relayed(const collio_exchange_t *ex, int aggregator);

/** The phase GATHER: layer 1's offset lists. Changes plan->split to what this rank delivers. */
void collio_gather_start(collio_exchange_t *ex);
bool collio_gather_poll(collio_exchange_t *ex);
/** At a local aggregator: merges the offset lists of its members. 0 or -errno. */
typedef struct collio_gathered_t {
    struct collio_gathered_t *next;
    ompi_request_t *request;
    int member;
    size_t bytes;
    unsigned char list[];
} collio_gathered_t;
int collio_gather_merge(collio_exchange_t *ex, const collio_gathered_t *lists);
/** Appends a share of `own` to a split that has room for it. */
void collio_gather_keep(collio_split_t *split, const collio_split_t *own,
                        const collio_share_t *share);
/** This rank's own part, from its request and its places (empty list: places are not needed). */
int collio_gather_mine(collio_exchange_t *ex, const collio_extents_t *places);

/** Building a part: reserve() allocates; window() begins a window, and a new turn if the window
 *  number differs from the last one; piece() adds to it. */
int collio_part_reserve(collio_part_t *part, size_t pieces, size_t windows);
void collio_part_window(collio_part_t *part, int64_t index, int aggregator);
void collio_part_piece(collio_part_t *part, int64_t place, int64_t length, int64_t stream);
void collio_part_fini(collio_part_t *part);
int64_t collio_part_memory(const collio_part_t *part);
/** Room for the largest message: its bytes and, for reads, how much of each window is data. */
int64_t collio_turn_room(const collio_turn_t *turn);

/** Layer 1 as the cycles see it; the exchange of a call with two layers points to it. */
extern const collio_layer1_t collio_relay_actions;

/** Gives a plan's slot its layer 1, when the file is opened: 0 or -ENOMEM. */
int collio_relay_open(collio_plan_t *plan);

/** A member's rank. */
int collio_relay_rank(const collio_exchange_t *ex, int member);
/** A member's side of the cycles; true when all its turns are over. */
bool collio_relay_member(collio_exchange_t *ex, bool *moved);
/** Is this rank its own local aggregator? */
static inline bool collio_relay_is_aggregator(const collio_exchange_t *ex)
{
    return ex->plan->layer1.relay->aggregator == ex->file->rank;
}

/** The memory of a local aggregator: limits of both halves, then the halves. A limit, one per
 *  aggregator, is the place where the data of a read end, or PENDING. */
int64_t collio_relay_limits_bytes(const collio_file_t *file);
_Atomic int64_t *collio_relay_limits(const collio_exchange_t *ex, int half);
char *collio_relay_staging(const collio_exchange_t *ex, int half);

#endif /* COLLIO_RELAY_H */
