/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PLAN_H
#define COLLIO_PLAN_H

#include "exchange/exchange.h"

/** A number for each window, which its aggregator sends to the requester (numbers.c). */
typedef struct collio_numbers_t {
    int64_t *received; /* as requester: per window of plan->split */
    int64_t *sent;     /* as aggregator: per window of each requester */
    size_t *first;     /* as aggregator: per requester, its first number in `sent` */
    ompi_request_t **messages;
    bool complete; /* the numbers have been sent and received */
} collio_numbers_t;

/**
 * A plan: everything about a collective call that depends on its shape only. It is in local
 * coordinates (core/domain.h), so the next variable or time step, which is the same shape at
 * another place, reuses it by moving the domains.
 */
typedef struct collio_plan_t {
    bool valid;          /* later calls may use the plan */
    collio_flat_t *view; /* shape of this rank's request: a reference; NULL: it has no data */
    int64_t phase;       /* shape: stream position in a repetition of the view */
    int64_t bytes;       /* shape: bytes of this rank */
    int64_t anchor;      /* file offset that the plan moves with */
    int64_t window_bytes;
    bool packed;   /* put_*: small pieces travel as messages to a room beside the buffer */
    bool outlined; /* shared memory: aggregators have the first and last byte of windows of a
                           requester, not its pieces */
    bool marked;   /* aggregators took the exact runs of outlined windows from marks; an outlined
                           plan without marks serves reads only */
    int64_t slot_bytes;    /* size of a collective buffer: a window, or less for small domains; the
                           same on all ranks */
    bool aggregates;       /* this rank has collective buffers */
    int regions;           /* collective buffers of the node; -1: one for each of its aggregators */
    uint64_t used;         /* sequence number of the last call that used the plan */
    struct {               /* partition memory */
        int64_t announced; /* memory for the buffers of this rank */
        int64_t node_announced; /* memory for the buffers of this rank's node */
        bool withheld;          /* this rank does not offer the plan: its node has lost memory */
        uint32_t stamp; /* number of the call that made the plan and its one-sided windows */
    } memory;

    collio_domains_t domains;

    collio_split_t split; /* as requester: pieces by aggregator and window */
    size_t *order;        /* windows by (index, aggregator): the order of delivery */
    int *share_of;        /* per window: its share */

    struct {                          /* layer 1; see twolayer/ */
        int kind;                     /* collio_layers_t of the call that made the plan */
        struct collio_relay_t *relay; /* state of layer 1, one per slot; NULL with one layer */
        void (*reset)(struct collio_relay_t *relay); /* frees what the relay holds */
        const collio_split_t *own; /* this rank's whole request; `split` has what it delivers */
        int64_t *place;            /* per window of `split`: its place in the staging of this local
                           aggregator, -1: it does not go through layer 1. NULL: none does */
        int64_t memory_bytes;
    } layer1;

    size_t requester_count; /* as aggregator: requesters of this domain */
    int *requester;         /* ranks of the requesters, in the order in which overlapping writes
                               apply: by leader, then by rank */
    int *leader;            /* per requester: the rank of its local aggregator, or its own */
    collio_split_t *requests;
    collio_collect_t collect;
    int64_t source_bytes; /* largest message */
    size_t sources_max;   /* largest number of sources of a cycle */
    size_t runs_max;      /* largest number of runs of a cycle */

    struct {                 /* put_fence: rounds that all ranks take together */
        size_t rounds;       /* largest number of cycles of an aggregator */
        bool numbered;       /* windows have their rounds */
        collio_numbers_t of; /* rounds of the windows */
        int64_t *turn;       /* scratch, 3 per share */
        int64_t *index_bits; /* two layers: a bit for each window number of any aggregator; twice */
        size_t index_words;  /* two layers: words of one such bitmap */
        size_t index_rounds; /* two layers: bits that are set */
        int64_t *cycle_round; /* two layers: the round of each cycle; else NULL */
        int64_t bytes;        /* staging of one round */
    } fence;

    collio_numbers_t places; /* packed puts: where the message of a window goes in the room, -1: it
                                is not packed */

    struct { /* memory of the cycles: taken once, so that a call that reuses the plan cannot fail */
        unsigned ways;      /* bits of the ways that memory was taken for; see prepare.c */
        bool shared_failed; /* the node had no shared memory; a later change voids the plan */
        collio_move_t *move[2];
        collio_segment_t *segments[2];
        collio_delivery_t *deliveries; /* one per window of `split` */
    } prepared;

    int64_t memory_bytes;
} collio_plan_t;

enum { COLLIO_PLAN_SLOTS = 8 };
/** A bit for each of them. */
enum { COLLIO_PLAN_ALL = (1 << COLLIO_PLAN_SLOTS) - 1 };

typedef struct collio_plans_t {
    collio_plan_t slot[COLLIO_PLAN_SLOTS];
} collio_plans_t;

/** The shape of a request, to look for its plan. */
typedef struct collio_shape_t {
    collio_flat_t *flat;
    const collio_tiling_t *view; /* what flat holds */
    int64_t stream;
    int64_t bytes;
    bool shared_failed; /* this node has no shared memory for the file */
    bool write;         /* needs exact runs */
} collio_shape_t;

/** Layout (layout.c): what follows from agreed values alone, the same on all ranks. */
const collio_partition_t *collio_layout_partition(const collio_file_t *file, bool short_of_memory);
int collio_layout_bins(const collio_file_t *file);
/** Contiguous domains begin at multiples of this. */
int64_t collio_layout_unit(const collio_exchange_t *ex);
/** Must the ranks be asked where their bytes are, before a new plan? histogram starts that
 *  reduction; asks_more then starts a second one, or returns false where none is needed. */
bool collio_layout_asks(const collio_exchange_t *ex);
void collio_layout_histogram(collio_exchange_t *ex);
bool collio_layout_asks_more(collio_exchange_t *ex);
/** Fills in the domains of ex->plan, and the size of its collective buffers, which is the same on
 *  all ranks also where the domains fail. 0 or -ENOMEM. */
int collio_layout_domains(collio_exchange_t *ex);
int64_t collio_layout_window(const collio_exchange_t *ex);
/** The window of a schedule with two collective buffers, whatever schedule the call has. */
int64_t collio_layout_window_least(const collio_exchange_t *ex);
/** Has the plan the windows of this call's schedule? */
bool collio_layout_fits(const collio_exchange_t *ex, const collio_plan_t *plan);
/** The window of an aggregator that may use so much memory. */
int64_t collio_layout_window_in(const collio_exchange_t *ex, int64_t buffer_bytes);
/** Numbers in the reduction of the histogram: its bins, with partition memory two more per node. */
int collio_layout_sums(const collio_file_t *file);
collio_shape_t collio_layout_shape(const collio_exchange_t *ex);
/** Do collective buffers lie in the node's segment, where there is one? */
bool collio_layout_in_segment(const collio_exchange_t *ex);
/** Can all ranks access every collective buffer through shared memory? */
bool collio_layout_all_shared(const collio_exchange_t *ex);
/** Sets plan->outlined and plan->marked: what requesters send of their windows. */
void collio_layout_listing(const collio_exchange_t *ex);
/** Withholds the plans whose buffers this rank's node has no memory for any more. Local. */
void collio_layout_look(collio_file_t *file);

/** Partition memory (layout_memory.c), called by layout.c: the reductions beside and after the
 *  histogram, this rank's part of the histogram's, and the domains. */
void collio_layout_memory_start(collio_exchange_t *ex);
void collio_layout_memory_sums(collio_exchange_t *ex, int64_t *sums);
void collio_layout_memory_records(collio_exchange_t *ex);
int collio_layout_memory(collio_exchange_t *ex, collio_division_t *division);
/** When all ranks have the domains: gives memory back that the node has no more. Local. */
void collio_layout_memory_give_back(collio_exchange_t *ex);

/** Route (route.c): sends each aggregator the offset lists of its domain. poll returns true when
 *  all have arrived. Ranks with an error take part, too. */
void collio_route_start(collio_exchange_t *ex);
/** Sends them again, because marks were refused: pieces of these windows, outlines of others. */
void collio_route_again(collio_exchange_t *ex);
bool collio_route_poll(collio_exchange_t *ex);

/** Numbers (numbers.c). prepare allocates, before the agreement on memory: 0 or -ENOMEM. exchange
 *  is blocking and collective: all ranks wait for each other. */
int collio_numbers_prepare(collio_plan_t *plan, collio_numbers_t *numbers);
int collio_numbers_exchange(collio_exchange_t *ex, collio_numbers_t *numbers, int kind);
void collio_numbers_fini(collio_numbers_t *numbers);

/** Where an aggregator notes the number for a window of one of its cycles. */
static inline int64_t *collio_numbers_of(const collio_numbers_t *numbers,
                                         const collio_source_t *source)
{
    return &numbers->sent[numbers->first[source->requester] + source->window];
}

/** The plan that fits on every rank and suits the way of this call, or NULL. `fits`: the bits of
 *  plans_match that all ranks have set. All these plans are shifted by `delta` in the file, so that
 *  plans of one shape for different ways stay together. */
collio_plan_t *collio_plans_agreed(collio_exchange_t *ex, int64_t fits, int64_t delta);

/** Bit i is set if the plan in slot i has the shape of this rank's request and can be shifted to
 *  it: the first such slot, and others with the same shift. *delta is the shift (undefined for a
 *  request without data, which fits every plan in which this rank had none). */
int64_t collio_plans_match(const collio_plans_t *plans, const collio_shape_t *shape,
                           int64_t *delta);

/** The slot for a new plan: the least recently used. Emptied. The same on all ranks. */
collio_plan_t *collio_plans_evict(collio_file_t *file);

/** Begins a plan with this shape and these windows. */
void collio_plan_begin(collio_plan_t *plan, const collio_shape_t *shape, int64_t window_bytes);

/** Splits this rank's request by the plan's domains. 0 or -ENOMEM. */
int collio_plan_split(collio_plan_t *plan, const collio_shape_t *shape, int64_t *piece_count);

/** The order and the kinds of the windows in plan->split. 0 or -ENOMEM. */
int collio_plan_index(collio_plan_t *plan);

/** This rank's whole request, including what layer 1 delivers. */
const collio_split_t *collio_plan_request(const collio_plan_t *plan);

/** Does this window of plan->split go through layer 1? */
static inline bool collio_plan_relayed(const collio_plan_t *plan, size_t window)
{
    return NULL != plan->layer1.place && plan->layer1.place[window] >= 0;
}

/** The window of an aggregator in this plan. */
static inline int64_t collio_plan_window(const collio_plan_t *plan, int aggregator)
{
    return collio_domains_window(&plan->domains, aggregator, plan->window_bytes);
}

/** Is this rank an aggregator with at least one cycle in this call? */
static inline bool collio_plan_is_aggregator(const collio_exchange_t *ex)
{
    return ex->file->derived.my_aggregator >= 0 && ex->plan->collect.cycle_count > 0;
}

/** Room for a fence round: the windows in plan->split that are not relayed, at most. */
void collio_plan_measure_fence(collio_plan_t *plan);

/** Adds the extents that a requester has in the domain of this rank, which is `aggregator`.
 *  Requesters are ordered by their leaders' ranks, then by their own. Takes over the content of
 *  `local`. 0 or -ENOMEM. */
int collio_plan_add(collio_plan_t *plan, int aggregator, int requester, int leader,
                    const collio_extents_t *local);

/** After the last one: sorts the requesters, merges, computes the sizes. 0 or -ENOMEM. */
int collio_plan_merge(collio_exchange_t *ex);

/** The marks of an aggregator's windows, in its collective buffers. */
collio_marks_t collio_plan_marks(const collio_exchange_t *ex, int aggregator);

/** Frees what the aggregator has of its requesters, and what was prepared for it. */
void collio_plan_forget_requests(collio_plan_t *plan);

void collio_plan_fini(collio_plan_t *plan);

#endif /* COLLIO_PLAN_H */
