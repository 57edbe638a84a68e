/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_RELAY_H
#define MCA_COMMON_COLLIO_RELAY_H

#include "plan/common_collio_plan.h"

/**
 * Two-layer aggregation. On each node some ranks are *local aggregators*; each rank has one, and
 * what it has for distant owners goes through it:
 *
 *   member ==.
 *   member ==+==> staging of the local aggregator == one message ==> owner (global aggregator)
 *   itself ==='   merged and coalesced                per window
 *
 * A window that goes this way is *relayed*; others are *direct*, as in one layer. All windows of
 * one number are a round; in a round the relayed windows of all owners lie end to end in the
 * staging, so a byte has a *place* there that never changes, and a rank that knows its places can
 * copy its bytes to them itself (shm). Two rounds may be in flight: the staging has two halves.
 *
 *   write:  free -> hand (members give) -> deliver (owners take) -> free
 *   read:   free -> deliver (owners give) -> hand (members take) -> free
 *
 * In shared memory members take a window of a read as soon as it is there, while others are still
 * on their way: they are granted the round from the beginning, and watch the windows' limits.
 *
 * Everybody goes up by window number, so the lowest unfinished one always has what it needs.
 *
 * Atomic mode: writes that overlap must come out as if the ranks had written one after the other.
 * The order is that of the local aggregators' ranks, and of the members' ranks among those of one:
 * a local aggregator takes its members' bytes in that order (those that overlap, only), and owners
 * take local aggregators' requests, and direct ones of members, in the same. What an owner has for
 * itself goes through its local aggregator, too: in between its neighbours' bytes.
 */

/** What a rank hands over in one round. */
typedef struct mca_common_collio_turn_t {
    int64_t index; /* window number of the round */
    size_t window; /* part->window[window .. window + window_count), by owner */
    size_t window_count;
    size_t piece;
    size_t piece_count;
    int64_t bytes;
    bool straight;    /* its places follow each other */
    bool consecutive; /* its bytes follow each other in the request */
    size_t fence;     /* put_fence: its round */
} mca_common_collio_turn_t;

/** The relayed bytes of one rank, by round, owner and local coordinate. */
typedef struct mca_common_collio_part_t {
    mca_common_collio_piece_t *piece;   /* offset = place in the round's staging */
    mca_common_collio_window_t *window; /* index = owner */
    mca_common_collio_turn_t *turn;
    size_t piece_count;
    size_t window_count;
    size_t turn_count;
} mca_common_collio_part_t;

/** A round of a local aggregator. */
typedef struct mca_common_collio_round_t {
    int64_t index;
    size_t windows; /* relayed ones */
    int64_t bytes;  /* of staging */
} mca_common_collio_round_t;

typedef enum mca_common_collio_half_state_t {
    MCA_COMMON_COLLIO_HALF_FREE = 0,
    MCA_COMMON_COLLIO_HALF_HANDING,
    MCA_COMMON_COLLIO_HALF_DELIVERING,
    MCA_COMMON_COLLIO_HALF_DELIVERED /* read: may be handed out when it is its turn */
} mca_common_collio_half_state_t;

/** A limit: this owner's window is not there yet. */
enum { MCA_COMMON_COLLIO_LIMIT_PENDING = -1 };

/** One half of a local aggregator's staging. */
typedef struct mca_common_collio_half_t {
    mca_common_collio_half_state_t state;
    size_t round;
    size_t windows;                        /* still to be delivered */
    int64_t used;                          /* of the room for messages */
    uint64_t arrived;                      /* shm: count of arrivals when all members are through */
    bool whole;                            /* read: no window is short */
    int granted;                           /* in order: the last member that had its turn */
    const mca_common_collio_turn_t **turn; /* per member: what it hands over now, or NULL */
    ompi_request_t **request;              /* per member */
    char **message;                        /* per member; NULL when it moves straight */
    _Atomic int64_t *limit; /* per owner: place from which a read has no data, or PENDING */
} mca_common_collio_half_t;

/** Layer 1 of a plan, on one rank. It is part of the plan: reused with it. */
typedef struct mca_common_collio_relay_t {
    bool active;                   /* this rank's node has layer 1 */
    mca_common_collio_split_t own; /* my whole request; plan->split has what I deliver myself */
    int aggregator;                /* my local aggregator: its rank, */
    int slot;                      /* its number on the node, */
    int aggregators;               /* of so many there */
    int member_count;              /* ranks it serves, itself included; member 0 */
    mca_common_collio_part_t mine;

    /* as local aggregator */
    mca_common_collio_part_t *part; /* per member */
    size_t *round_of;               /* per window */
    mca_common_collio_round_t *round;
    size_t round_count;
    bool overlapping;      /* members want the same bytes */
    int64_t staging_bytes; /* of a half */
    int64_t message_bytes; /* of a half's messages */

    /* while a call is in its cycles */
    bool shared;       /* members place their bytes themselves */
    size_t next_round; /* as local aggregator: the first not opened */
    size_t handed;     /* the first not handed out or in */
    size_t *next_turn; /* per member */
    mca_common_collio_half_t half[2];
    size_t first_turn;   /* as member: the first not done */
    size_t started_turn; /* the first not started */
    uint64_t ticket[2];
    size_t turn_window[2]; /* shm: the turn's first window that was not copied */
    ompi_request_t *request[2];
    bool turn_done[2];

    /* while it is being made: see gather.c */
    struct {
        int stage;
        mca_common_collio_bytes_t list; /* as member: my offset lists */
        ompi_request_t *request;
        struct mca_common_collio_gathered_t *arrivals;
        int arrived;
        ompi_request_t *discarded;
        mca_common_collio_bytes_t *reply; /* per member: its places */
        ompi_request_t **reply_request;
        int replied;
        mca_common_collio_extents_t places; /* mine */
        int64_t bytes[2];                   /* staging: mine, the most on the node */
    } making;
} mca_common_collio_relay_t;

/** Ranks of the file on a node. */
int mca_common_collio_ranks_on(const mca_common_collio_file_t *file, int node);

/** Does this call have two layers, and with how many local aggregators? From agreed values. */
void mca_common_collio_layers_decide(mca_common_collio_exchange_t *ex);
/** May the members of this node place their bytes themselves? The same on all ranks of a node. */
bool mca_common_collio_relay_may_share(const mca_common_collio_exchange_t *ex);
/** Local aggregators on that node. */
int mca_common_collio_layers_on_node(const mca_common_collio_exchange_t *ex, int node);
/** By whom a requester is ordered among others: in atomic mode its local aggregator. */
int mca_common_collio_layers_leader(const mca_common_collio_exchange_t *ex, int rank);

/** Is this rank's share of that owner relayed? The same for all members of a local aggregator, but
 *  for the owner itself, where that is only in atomic mode. */
bool mca_common_collio_relayed(const mca_common_collio_exchange_t *ex, int owner);

/** The phase GATHER: layer 1's offset lists. Changes plan->split to what this rank delivers. */
void mca_common_collio_gather_start(mca_common_collio_exchange_t *ex);
bool mca_common_collio_gather_poll(mca_common_collio_exchange_t *ex);
/** Its part at a local aggregator: lists[m] = what member m sent. 0 or -errno. */
typedef struct mca_common_collio_gathered_t {
    struct mca_common_collio_gathered_t *next;
    ompi_request_t *request;
    int member;
    size_t bytes;
    unsigned char list[];
} mca_common_collio_gathered_t;
int mca_common_collio_gather_merge(mca_common_collio_exchange_t *ex,
                                   const mca_common_collio_gathered_t *lists);
/** Appends a share of `own` to a split that has room for it. */
void mca_common_collio_gather_keep(mca_common_collio_split_t *split,
                                   const mca_common_collio_split_t *own,
                                   const mca_common_collio_share_t *share);
/** My own part, from my request and my places (an empty list where nobody needs them). */
int mca_common_collio_gather_mine(mca_common_collio_exchange_t *ex,
                                  const mca_common_collio_extents_t *places);

/** Parts. reserve() makes room; window() begins a window (and a turn, when the index is another
 *  one than before); piece() adds to it. */
int mca_common_collio_part_reserve(mca_common_collio_part_t *part, size_t pieces, size_t windows);
void mca_common_collio_part_window(mca_common_collio_part_t *part, int64_t index, int owner);
void mca_common_collio_part_piece(mca_common_collio_part_t *part, int64_t place, int64_t length,
                                  int64_t stream);
void mca_common_collio_part_fini(mca_common_collio_part_t *part);
int64_t mca_common_collio_part_memory(const mca_common_collio_part_t *part);
/** Room for the largest message: its bytes and, for reads, how much of each window is data. */
int64_t mca_common_collio_turn_room(const mca_common_collio_turn_t *turn);

/** Layer 1 as the cycles see it; the exchange of a call with two layers points to it. */
extern const mca_common_collio_layer1_t mca_common_collio_relay_actions;

/** Gives a plan's slot its layer 1, when the file is opened: 0 or -ENOMEM. */
int mca_common_collio_relay_open(mca_common_collio_plan_t *plan);

/** A member's rank. */
int mca_common_collio_relay_rank(const mca_common_collio_exchange_t *ex, int member);
/** A member's side of the cycles; true when all its turns are over. */
bool mca_common_collio_relay_member(mca_common_collio_exchange_t *ex, bool *moved);
/** Where the shared staging of a local aggregator is. */
char *mca_common_collio_relay_shared(const mca_common_collio_exchange_t *ex, int half);
_Atomic int64_t *mca_common_collio_relay_limits(const mca_common_collio_exchange_t *ex, int half);

#endif /* MCA_COMMON_COLLIO_RELAY_H */
