/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_RELAY_H
#define COLLIO_RELAY_H

#include "plan/plan.h"

/**
 * twolayer/: two-layer aggregation (fcoll/tam). Some ranks of each group of ranks (a node, or a
 * rack) are *local aggregators*; each rank is a member of one local aggregator, itself included.
 * The data of members for distant aggregators go through the local aggregator, so that aggregators
 * exchange fewer and larger messages:
 *
 *   member ==.
 *   member ==+==> staging of the local aggregator == one message ==> aggregator
 *   itself ==='   merged and coalesced                per window
 *
 * A window that goes through layer 1 is *relayed*; other windows are *direct*, as in one layer. All
 * windows of one number are a round. In a round the relayed windows of all aggregators lie end to
 * end in the staging, so every byte has a fixed *place* in the staging, and a member that has the
 * places of its bytes can copy them to (from) the staging itself (shm). The staging has two halves,
 * so two rounds may be in flight.
 *
 *   write:  free -> handing (from members) -> delivering (to aggregators) -> free
 *   read:   free -> delivering (from aggregators) -> handing (to members) -> free
 *
 * In shared memory a member copies its bytes of a window of a read as soon as the window has
 * arrived, while other windows of the round are still in flight: the round is granted at its start,
 * and members poll the limit of each window. Reads take 2 to 8 % longer if members wait for the
 * whole round (E3SM G and S3D, 16 ranks on four virtual nodes, medians).
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

/** The bytes that a rank hands over in one round. */
typedef struct collio_turn_t {
    int64_t index;       /* window number of the round */
    int64_t bytes;       /* bytes of the turn */
    size_t window;       /* first window, a position in part->list.window; sorted by aggregator */
    size_t window_count; /* number of windows of the turn */
    int64_t end;         /* place behind the last piece */
    bool straight;       /* the places of the bytes in the staging are contiguous */
} collio_turn_t;

/** The relayed bytes of one rank, by round, aggregator and local coordinate. */
typedef struct collio_part_t {
    /** Pieces by turn and aggregator, without shares. The index of a window is the number of its
     *  aggregator; its coordinates are places in the round's staging, or, for a member that sends
     *  its bytes by messages, local coordinates of the aggregator. */
    collio_split_t list;
    collio_turn_t *turn; /* turns, in the order of the rounds */
    size_t turn_count;   /* number of turns */
    size_t next;         /* in a call: first turn not begun; as member: first turn not done */
} collio_part_t;

/** A round of a local aggregator. */
typedef struct collio_round_t {
    int64_t index;  /* window number of the round */
    size_t windows; /* number of relayed windows of the round */
    int64_t bytes;  /* bytes of staging that the round uses */
    int64_t room;   /* maximum bytes of the messages of all members: see collio_turn_room */
} collio_round_t;

typedef enum collio_half_state_t {
    COLLIO_HALF_FREE = 0,   /* no round uses the half */
    COLLIO_HALF_HANDING,    /* bytes move between members and the half */
    COLLIO_HALF_DELIVERING, /* bytes move between the half and aggregators */
    COLLIO_HALF_DELIVERED   /* read: all windows have arrived; rounds are handed in order */
} collio_half_state_t;

/** Value of a limit while the aggregator's window has not arrived. */
enum { COLLIO_LIMIT_PENDING = -1 };

/** One half of a local aggregator's staging. */
typedef struct collio_half_t {
    collio_slot_t slot; /* buffer: this half; staging: room for messages; a source is a member */
    collio_half_state_t state; /* state of the half */
    size_t round;              /* number of the round that uses the half */
    size_t windows;            /* number of windows not delivered yet */
    bool whole;                /* read: no window is short */
    const collio_turn_t *own;  /* turn of the local aggregator itself in this round, or NULL */
} collio_half_t;

/** Precedes each list in the message of a member. */
typedef struct collio_list_head_t {
    int64_t aggregator; /* number of the aggregator that the list is for */
    int64_t bytes;      /* bytes of the list */
} collio_list_head_t;

/** Layer 1 of a plan, on one rank. The plan owns it, and both are reused together. */
typedef struct collio_relay_t {
    bool active;        /* this rank's group has layer 1 */
    collio_split_t own; /* whole request of this rank; plan->split: the part it delivers */
    int aggregator;     /* rank of this rank's local aggregator */
    int slot;           /* number of this rank's local aggregator in the group */
    int aggregators;    /* number of local aggregators in the group */
    int member_count;   /* members of the local aggregator; member 0 is the local aggregator */
    collio_part_t mine; /* relayed bytes of this rank */

    /* as local aggregator */
    collio_part_t *part;   /* per member: its relayed bytes */
    size_t *round_of;      /* per relayed window of plan->split: its round */
    collio_round_t *round; /* rounds, by ascending window number */
    size_t round_count;    /* number of rounds */
    bool overlapping;      /* requests of members overlap */
    int64_t staging_bytes; /* bytes of one half of the staging */
    int64_t message_bytes; /* bytes of the messages of one half; as member: of one message */

    /* while a call is in its cycles */
    bool shared;               /* shm: members copy to and from the staging themselves */
    size_t next_round;         /* as local aggregator: first round not opened */
    size_t handed;             /* as local aggregator: number of rounds whose handing has begun */
    collio_half_t half[2];     /* as local aggregator: halves of the staging */
    size_t started_turn;       /* as member: first turn not started */
    collio_delivery_t turn[2]; /* as member: the turns under way */

    /* while layer 1 is being made: see gather.c */
    struct {
        size_t stage;            /* step of gather.c */
        collio_bytes_t list;     /* lists of a member, or places for a member, that are sent */
        ompi_request_t *request; /* MPI request of `list` */
        collio_inbox_t inbox;    /* messages that are being received */
        collio_arrival_t *lists; /* messages that have been received; owned */
        int replied;             /* last member that places were sent to */
        int64_t bytes[2];        /* staging bytes: this rank's, largest on the node */
        bool segment;            /* the node's segment is being made */
    } making;
} collio_relay_t;

/** Decides from agreed values whether this call has two layers, and the number of local
 *  aggregators. */
void collio_layers_decide(collio_exchange_t *ex);
/** Returns true if members may copy their bytes to and from the staging themselves (shm): not in
 *  atomic mode, where their bytes are applied in order. The same on all ranks of a node. */
bool collio_relay_may_share(const collio_exchange_t *ex);

/** Returns true if this rank's share for that aggregator goes through layer 1. The same for all
 *  members of a local aggregator, except that the aggregator's own share goes through layer 1 in
 *  atomic mode only. */
bool collio_relayed(const collio_exchange_t *ex, int aggregator);

/** The phase GATHER: exchanges layer 1's offset lists, and reduces plan->split to the windows that
 *  this rank delivers. poll returns true when the phase is over. */
void collio_gather_start(collio_exchange_t *ex);
bool collio_gather_poll(collio_exchange_t *ex);
/** At a local aggregator: merges the offset lists of its members. Returns 0 or -errno. */
int collio_gather_merge(collio_exchange_t *ex, const collio_arrival_t *lists);
/** Replaces plan->split by the windows that this rank delivers: its direct shares and, at a local
 *  aggregator, `merged`, the merged shares per aggregator; NULL: none. plan->layer1.own keeps the
 *  request of this rank. Returns 0 or -ENOMEM. */
int collio_gather_split(collio_exchange_t *ex, const collio_collect_t *merged);

/** Makes relay->mine, without places, from plan->split, which is still the request of this rank.
 *  Returns 0 or -ENOMEM. */
int collio_part_mine(collio_exchange_t *ex);
/** Sets the places of a part from a list of places in the order of its pieces. An empty list leaves
 *  the part without places. Returns 0, or -EBADMSG if the list does not fit. */
int collio_part_places(collio_part_t *part, const collio_extents_t *places);
/** Building a part: reserve() allocates and returns 0 or -ENOMEM; turn() precedes a new window, and
 *  begins a turn if the window number `index` differs from the last one; piece() adds a piece to
 *  the last window. memory() returns the bytes of a part. */
int collio_part_reserve(collio_part_t *part, size_t pieces, size_t windows);
void collio_part_turn(collio_part_t *part, int64_t index);
void collio_part_piece(collio_part_t *part, int64_t place, int64_t length);
void collio_part_fini(collio_part_t *part);
int64_t collio_part_memory(const collio_part_t *part);
/** Returns all bytes of a turn. */
collio_content_t collio_turn_content(const collio_part_t *part, const collio_turn_t *turn);
/** Returns the maximum length of the turn's message: its bytes and, for reads, a length per window.
 */
int64_t collio_turn_room(const collio_turn_t *turn);

/** The functions of layer 1; the exchange of a call with two layers points to them. */
extern const collio_layer1_t collio_relay_actions;

/** Allocates the layer 1 of a plan, when the file is opened. Returns 0 or -ENOMEM. */
int collio_relay_open(collio_plan_t *plan);

/** Returns a member's rank in the file. */
int collio_relay_rank(const collio_exchange_t *ex, int member);
/** Advances a member's turns. Sets *moved if a turn was started or done; returns true when all
 *  turns are over. */
bool collio_relay_member(collio_exchange_t *ex, bool *moved);
/** Returns true if this rank is a local aggregator. */
static inline bool collio_relay_is_aggregator(const collio_exchange_t *ex)
{
    return ex->plan->layer1.relay->aggregator == ex->file->rank;
}

/** Copies this rank's bytes of a turn between user memory and their places in a half, window by
 *  window starting at *next. Returns false if a window of a read has not arrived. */
bool collio_relay_copy(collio_exchange_t *ex, int half, const collio_turn_t *turn, size_t *next);

/** The memory of a local aggregator has the limits of both halves, then the halves. A half has one
 *  limit per aggregator: the place where the data of a read end, or PENDING. Returns the bytes of
 *  all limits. */
int64_t collio_relay_limits_bytes(const collio_file_t *file);

#endif /* COLLIO_RELAY_H */
