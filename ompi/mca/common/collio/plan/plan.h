/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PLAN_H
#define COLLIO_PLAN_H

#include "exchange/exchange.h"

/**
 * Planning: what depends on the shape of a request, and the plans that are kept for later calls.
 * layout*.c computes the file domains from agreed values, route.c sends offset lists to the
 * aggregators, numbers.c sends a number per window back, and plan.c finds, makes and frees plans.
 * The cycles (cycles/) and intra-node aggregation (twolayer/) read the plan of their exchange.
 */

/** A number for each window, which its aggregator sends to the requester (numbers.c). */
typedef struct collio_numbers_t {
    int64_t *received;         /* requester: the number of each window of plan->split */
    int64_t *sent;             /* aggregator: the number of each window of each requester */
    size_t *first;             /* aggregator: index in `sent` of each requester's first window */
    ompi_request_t **messages; /* requests of the exchange: receives, then sends */
    bool complete;             /* the numbers have been sent and received */
} collio_numbers_t;

/**
 * A plan: everything about a collective call that depends only on its shape. It is in local
 * coordinates (core/domain.h), so the next variable or time step, which has the same shape at
 * another offset, reuses it: only the domains move.
 */
typedef struct collio_plan_t {
    bool valid;           /* later calls may use the plan */
    collio_flat_t *view;  /* shape of this rank's request: a reference; NULL: no data */
    int64_t phase;        /* shape: stream position in a repetition of the view */
    int64_t bytes;        /* shape: bytes of this rank's request */
    int64_t anchor;       /* file offset that the plan moves with */
    int64_t window_bytes; /* bytes of a window, unless `domains` has one per aggregator */
    bool packed;          /* put_*: small pieces are packed, into staging beside the buffer */
    /** Shared memory: aggregators have the bounding range of each window of a requester, not its
     *  pieces. */
    bool outlined;
    /** Aggregators took the exact runs of outlined windows from marks. An outlined plan without
     *  marks serves reads only. */
    bool marked;
    /** Bytes of a collective buffer: a window, or less for small domains. The same on all ranks, or
     *  on the ranks of a node with partition memory. */
    int64_t slot_bytes;
    bool aggregates; /* this rank has collective buffers */
    int regions;     /* collective buffers of the node; -1: one for each of its aggregators */
    uint64_t used;   /* sequence number of the last call that used the plan */

    /** Partition memory. */
    struct {
        int64_t announced;      /* bytes of memory for the buffers of this rank */
        int64_t node_announced; /* bytes of memory for the buffers of this rank's node */
        bool withheld;          /* this rank does not offer the plan: its node has lost memory */
        uint32_t stamp;         /* number of the call that made the plan and its RMA windows */
    } memory;

    collio_domains_t domains; /* file domains of all aggregators */

    collio_split_t split; /* requester: pieces by aggregator and window */
    /** Requester: windows by (index, aggregator), the order of delivery. Windows that a local
     *  aggregator forwards are last. */
    size_t *order;
    int *share_of; /* requester: the share of each window */

    /** Two layers; see twolayer/. */
    struct {
        int kind;                     /* collio_layers_t of the call that made the plan */
        int level;                    /* its local aggregators of every node; 0: one layer */
        struct collio_relay_t *relay; /* the relay (relay.h), one per kept plan; NULL: one layer */
        const collio_split_t *own;    /* this rank's request; `split` has the pieces it delivers */
        int64_t memory_bytes;         /* bytes of the relay's lists */
    } layer1;

    size_t requester_count; /* aggregator: requesters of its domain */
    /** Aggregator: ranks of the requesters, by leader and then by rank: the order in which
     *  overlapping writes apply. */
    int *requester;
    int *leader;              /* aggregator: each requester's local aggregator, or the requester */
    collio_split_t *requests; /* aggregator: the pieces of each requester by window */
    collio_collect_t collect; /* aggregator: the cycles */
    int64_t source_bytes;     /* aggregator: bytes of the largest message */
    size_t sources_max;       /* aggregator: maximum number of sources of a cycle */
    size_t runs_max;          /* aggregator: maximum number of runs of a cycle */

    /** put_fence: rounds that all ranks step through together. */
    struct {
        size_t rounds;       /* maximum number of cycles of an aggregator */
        bool numbered;       /* `of` has the rounds */
        collio_numbers_t of; /* round of each window */
        int64_t *windows;    /* scratch, 3 numbers per share */
        int64_t bytes;       /* bytes of staging for one round */
    } fence;

    collio_numbers_t places; /* packed puts: place of each window's message in staging; -1: none */

    /** Memory of the cycles, allocated once for a file, so that a call that reuses the plan cannot
     *  fail. */
    struct {
        unsigned ways;                 /* bits of the prepared transports and buffer counts */
        bool shared_failed;            /* the node had no shared memory: a change voids the plan */
        collio_move_t *move[2];        /* moves of each collective buffer */
        collio_segment_t *segments[2]; /* file segments of each collective buffer */
        collio_move_t *deliveries;     /* moves of this rank as requester */
    } prepared;

    int64_t memory_bytes; /* bytes of memory that the plan is accounted for */
} collio_plan_t;

enum { COLLIO_PLANS_MAX = 8 };
/** A set of plans with one bit per plan: all plans. */
enum { COLLIO_PLAN_ALL = (1 << COLLIO_PLANS_MAX) - 1 };

/** The plans of a file context. */
typedef struct collio_plans_t {
    collio_plan_t plan[COLLIO_PLANS_MAX];
} collio_plans_t;

/** The shape of a request, by which its plan is found. */
typedef struct collio_shape_t {
    collio_flat_t *flat;         /* the flattened view; the request owns the reference */
    const collio_tiling_t *view; /* the tiling of `flat` at the place of this request */
    int64_t stream;              /* position in the view where the request begins */
    int64_t bytes;               /* bytes of the request */
    bool shared_failed;          /* this node has no shared memory for the file */
    bool write;                  /* the request writes, so it requires exact runs */
} collio_shape_t;

/** Layout (layout.c): functions of agreed values, with the same result on all ranks. */
const collio_partition_t *collio_layout_partition(const collio_file_t *file, bool short_of_memory);
int collio_layout_bins(const collio_file_t *file);
/** True if a new plan needs a histogram of all requests. collio_layout_histogram starts that
 *  reduction; collio_layout_reduces_more then starts a second one, or returns false if none is
 *  needed. */
bool collio_layout_reduces(const collio_exchange_t *ex);
void collio_layout_histogram(collio_exchange_t *ex);
bool collio_layout_reduces_more(collio_exchange_t *ex);
/** Fills in the domains of ex->plan and the size of its collective buffers. The size is set even if
 *  the domains fail, so that all ranks have it (not with partition memory). 0 or -ENOMEM. */
int collio_layout_domains(collio_exchange_t *ex);
int64_t collio_layout_window(const collio_exchange_t *ex);
/** The window of a schedule with two collective buffers, even if the call has another schedule. */
int64_t collio_layout_window_least(const collio_exchange_t *ex);
/** True if the plan has this schedule's window size. */
bool collio_layout_fits(const collio_exchange_t *ex, const collio_plan_t *plan);
/** The window of an aggregator that may use `buffer_bytes` of memory. */
int64_t collio_layout_window_in(const collio_exchange_t *ex, int64_t buffer_bytes);
/** Number of values in the reduction of the histogram: its bins, and two per node with partition
 *  memory. */
int collio_layout_sums(const collio_file_t *file);
collio_shape_t collio_layout_shape(const collio_exchange_t *ex);
/** True if collective buffers are in the node's segment, if there is a segment. */
bool collio_layout_in_segment(const collio_exchange_t *ex);
/** True if all ranks can access every collective buffer through shared memory. */
bool collio_layout_all_shared(const collio_exchange_t *ex);
/** Sets plan->outlined and plan->marked: whether requesters send pieces or bounding ranges. */
void collio_layout_listing(const collio_exchange_t *ex);
/** Withholds plans whose buffers exceed the memory of this rank's node. Local. */
void collio_layout_withhold(collio_file_t *file);

/** Partition memory (layout_memory.c), called by layout.c. collio_layout_memory_start starts the
 *  reduction beside the histogram, collio_layout_memory_sums fills in this rank's values for the
 *  histogram's, collio_layout_memory_records starts the reduction after it, collio_layout_memory
 *  makes the domains. */
void collio_layout_memory_start(collio_exchange_t *ex);
void collio_layout_memory_sums(collio_exchange_t *ex, int64_t *sums);
void collio_layout_memory_records(collio_exchange_t *ex);
int collio_layout_memory(collio_exchange_t *ex, collio_division_t *division);
/** Frees buffers that exceed the memory of the node, after all ranks have the domains. Local. */
void collio_layout_memory_give_back(collio_exchange_t *ex);

/** Inbox (inbox.c). collio_inbox_poll starts to receive all messages of a tag that have arrived,
 *  and returns a list of the messages that are complete; the caller frees each of them. A message
 *  for which there is no memory is received truncated, because its sender may wait, and fails the
 *  exchange. */
collio_arrival_t *collio_inbox_poll(collio_exchange_t *ex, collio_inbox_t *inbox, int tag);
/** Frees a message and returns the next one. */
collio_arrival_t *collio_arrival_free(collio_exchange_t *ex, collio_arrival_t *arrival);
/** Returns true if no message is being received. */
static inline bool collio_inbox_empty(const collio_inbox_t *inbox)
{
    return NULL == inbox->arrivals && NULL == inbox->discarded;
}

/** Route (route.c): sends each aggregator the offset lists of its domain. collio_route_poll returns
 *  true when all lists have arrived. Ranks with an error take part. */
void collio_route_start(collio_exchange_t *ex);
/** Sends the lists again after marks were refused: the pieces of windows with refused marks, the
 *  bounding ranges of other windows. */
void collio_route_again(collio_exchange_t *ex);
bool collio_route_poll(collio_exchange_t *ex);

/** Numbers (numbers.c). collio_numbers_prepare allocates, before the agreement on memory, and
 *  returns 0 or -ENOMEM. collio_numbers_exchange is blocking and collective, and returns an error
 *  of Open MPI or OMPI_SUCCESS. */
int collio_numbers_prepare(collio_plan_t *plan, collio_numbers_t *numbers);
int collio_numbers_exchange(collio_exchange_t *ex, collio_numbers_t *numbers, int kind);
void collio_numbers_fini(collio_numbers_t *numbers);

/** Address at which an aggregator stores the number for a window of one of its cycles. */
static inline int64_t *collio_numbers_of(const collio_numbers_t *numbers,
                                         const collio_source_t *source)
{
    return &numbers->sent[numbers->first[source->requester] + source->window];
}

/** Returns the plan that fits on every rank and suits the way of this call, or NULL. `fits`: the
 *  bits of collio_plans_match that all ranks have set. All plans in `fits` are shifted by `delta`,
 *  so that plans of one shape for different ways stay together. */
collio_plan_t *collio_plans_agreed(collio_exchange_t *ex, int64_t fits, int64_t delta);

/** Returns a set of plans: bit i is set if kept plan i has the shape of this rank's request
 *  and can be shifted to it. The first such plan sets the shift *delta, and plans that need another
 *  shift are excluded. A request without data fits every plan in which this rank has none, and
 *  leaves *delta undefined. */
int64_t collio_plans_match(const collio_plans_t *plans, const collio_shape_t *shape,
                           int64_t *delta);

/** Empties and returns the record for a new plan: a free one, or the least recently used one. The
 *  same on all ranks. */
collio_plan_t *collio_plans_evict(collio_file_t *file);

/** Begins a plan with this shape and these windows. */
void collio_plan_begin(collio_plan_t *plan, const collio_shape_t *shape, int64_t window_bytes);

/** Splits this rank's request by the plan's domains. 0 or -ENOMEM. */
int collio_plan_split(collio_plan_t *plan, const collio_shape_t *shape, int64_t *piece_count);

/** Computes plan->order and plan->share_of. 0 or -ENOMEM. */
int collio_plan_index(collio_plan_t *plan);

/** This rank's whole request, including the pieces that layer 1 delivers. */
const collio_split_t *collio_plan_request(const collio_plan_t *plan);

/** The window of an aggregator in this plan. */
static inline int64_t collio_plan_window(const collio_plan_t *plan, int aggregator)
{
    return collio_domains_window(&plan->domains, aggregator, plan->window_bytes);
}

/** Adds the extents that a requester has in the domain of this rank, which is `aggregator`.
 *  `leader` is the rank of the requester's local aggregator, or its own. 0 or -ENOMEM. */
int collio_plan_add(collio_plan_t *plan, int aggregator, int requester, int leader,
                    const collio_extents_t *local);

/** Sorts the requesters, merges their lists into cycles and computes the sizes. Call it after all
 *  requesters were added. 0 or -ENOMEM. */
int collio_plan_merge(collio_exchange_t *ex);

/** The marks of an aggregator's windows, in its collective buffers. */
collio_marks_t collio_plan_marks(const collio_exchange_t *ex, int aggregator);

/** Frees the requesters' lists, the cycles and the memory that was prepared for cycles. */
void collio_plan_free_requests(collio_plan_t *plan);

void collio_plan_fini(collio_plan_t *plan);

#endif /* COLLIO_PLAN_H */
