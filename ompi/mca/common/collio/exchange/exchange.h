/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_EXCHANGE_H
#define COLLIO_EXCHANGE_H

#include "compat/error.h"
#include "exchange/kept.h"
#include "file/file.h"
#include "node/agreement.h"
#include "view/request.h"

#include "core/cycle.h"
#include "core/schedule.h"
#include "core/wire.h"

/**
 * The state of one exchange: what planning, transports, cycles and the two layers share. A call
 * (call/op.h) owns one; code below `call/` sees nothing else of the call.
 *
 * An exchange has two sides, and a rank may be on both:
 *
 *   requester    has bytes for (write) or wants bytes from (read) aggregators: `requester`
 *   aggregator   has windows of its own in this call: `aggregator`
 *
 * Errors are noted with exchange_fail and do not stop the exchange: other ranks wait for this one.
 */

/** Which shares go through local aggregators. */
typedef enum collio_layers_t {
    COLLIO_LAYERS_ONE = 0, /* none */
    COLLIO_LAYERS_BETWEEN, /* those of aggregators on other nodes */
    COLLIO_LAYERS_ALL,     /* all but an aggregator's share of its own domain */
    COLLIO_LAYERS_ORDERED  /* that one too: atomic mode */
} collio_layers_t;

/** Progress of a move that is common to all transports. Transports number their own states from 0;
 *  the engine sets COUNTED once it has seen the end. */
enum { COLLIO_MOVE_COUNTED = 2 };

/** One move: the bytes of one window between a requester and the aggregator, seen from one side. */
typedef struct collio_move_t {
    const collio_transport_t *transport;
    const collio_window_t *window;
    const collio_piece_t *piece; /* the first piece of the window */
    int peer;                    /* rank on the other side */
    int tag;                     /* tag of its messages: a COLLIO_TAG_* */
    ompi_request_t *request;     /* the message under way */
    char *staging;               /* the packed message; NULL if no copy is needed */
    int64_t bytes;   /* length of the message; self: bytes already copied of a large piece */
    int64_t extra;   /* isend: bytes that may follow the window's in a message to this rank */
    uint64_t ticket; /* shm: number of the grant this move waits for */
    struct {         /* put_lock: the requester may use the buffer */
        int64_t limit;
        int64_t number;
    } grant;
    ompi_request_t *grant_request; /* put_lock: the grant that is being sent */
    int state;                     /* a state of the transport, or MOVE_COUNTED */
    bool relayed; /* layer 1 copies the message; the transport does not use user memory */
    bool done;    /* the bytes have moved */
} collio_move_t;

/** A collective buffer: an access in flight, and the shuffle before (write) or after (read) it. A
 *  local aggregator has slots, too, without an access. */
typedef struct collio_slot_t {
    const collio_cycle_t *cycle; /* the cycle that uses the buffer */
    int number;                  /* 0 or 1 */
    int64_t local;               /* local coordinate of the buffer's first byte */
    char *buffer;                /* mirrors the window */
    char *staging;               /* for messages that cannot be received into the buffer */
    int64_t staging_used;        /* bytes of the staging that hold messages */
    size_t batch;                /* first source of those whose messages share the staging now */
    size_t next_source;          /* first source not started */
    size_t pending;              /* sources that were started and have not moved yet */
    collio_move_t *move;         /* one per source */
    int64_t own_left;            /* bytes of the aggregator itself not yet copied */
    uint64_t arrived;            /* shm: count of arrivals when all requesters have copied */
    int64_t limit;               /* reads: local coordinate from which there is no data */
    collio_segment_t *segments;  /* file ranges of the access */
    size_t segment_count;
    collio_job_t job;        /* the access */
    uint64_t exposed_before; /* timing.exposed_ns when the access started */
    bool in_order;           /* overlapping writes: unpack in rank order when all have arrived */
} collio_slot_t;

/** A window in flight between this rank, as requester, and an aggregator. */
typedef struct collio_delivery_t {
    size_t window;  /* index in plan->split; a turn of layer 1: the first window not copied */
    int aggregator; /* its number */
    int round;      /* 0 or 1: which of the two rounds in flight */
    bool started;
    collio_move_t move;
} collio_delivery_t;

/** The requests of all ranks together, as agreed. */
typedef struct collio_range_t {
    int64_t lo;     /* offset of the first byte */
    int64_t hi;     /* offset behind the last byte */
    int64_t bytes;  /* sum over the ranks */
    int64_t pieces; /* sum over the ranks, an upper bound */
    int64_t spans;  /* sum of (highest - lowest) over the ranks */
} collio_range_t;

/** How the call is carried out, chosen from agreed values: the same on all ranks. */
typedef struct collio_choices_t {
    bool exchange; /* false: each rank accesses its own pieces */
    const collio_schedule_t *schedule;
    const collio_transport_t *transport;
    bool packed; /* put_*: see plan->packed */
    bool synchronous_sends;
    bool probing; /* `auto` measures this call */
} collio_choices_t;

/** Offset lists in flight to their aggregators; see plan/route.c. */
typedef struct collio_route_t {
    collio_bytes_t *lists; /* one per share */
    ompi_request_t **sends;
    size_t send_count;
    size_t sends_done;
    bool clearing;   /* in the barrier before marks are added */
    bool in_barrier; /* in the barrier behind the sends */
    bool barrier_done;
    struct collio_arrival_t *arrivals;
    bool discarding; /* receiving and dropping a list for which there was no memory */
    ompi_request_t *discarded;
} collio_route_t;

struct collio_exchange_t;

/** Layer 1, as the cycles see it. Calls with one layer have none. */
typedef struct collio_layer1_t {
    int (*prepare)(struct collio_exchange_t *ex); /* its memory: 0 or -ENOMEM */
    void (*start)(struct collio_exchange_t *ex);
    bool (*poll)(struct collio_exchange_t *ex, bool *moved); /* true: it is over */
    /** For windows that layer 1 carries (plan_relayed): may the delivery start, where is its
     *  message, and the notice that it is done. */
    bool (*ready)(const struct collio_exchange_t *ex, size_t window);
    char *(*message)(const struct collio_exchange_t *ex, size_t window);
    void (*delivered)(struct collio_exchange_t *ex, const collio_delivery_t *delivery);
    /** The rank that orders a requester among others: in atomic mode its local aggregator's. */
    int (*leader)(const struct collio_exchange_t *ex, int rank);
    /** put_fence: has this rank as a member done what must precede the fence of this round?
     *  `closed`: rounds whose closing fence is over. */
    bool (*before_fence)(const struct collio_exchange_t *ex, size_t round, size_t closed);
    /** put_fence: notes the rounds, from the bitmap of window numbers that are in use. */
    void (*number_rounds)(struct collio_exchange_t *ex, const int64_t *bits);
} collio_layer1_t;

typedef struct collio_exchange_t {
    collio_file_t *file;
    bool write;
    bool blocking;
    bool atomic;
    uint32_t sequence; /* number of the call on this file */
    int error;         /* MPI error class: local until the agreement, then that of all ranks */
    int64_t done_bytes;

    collio_request_t request;
    collio_range_t range;
    collio_choices_t way;

    struct collio_plan_t *plan; /* first of the fields that only exchanges use */
    bool plan_new;
    int64_t *histogram;         /* NULL unless the request is sparse */
    ompi_request_t *collective; /* the reduction of histogram or stops that is under way */
    collio_route_t route;

    int64_t buffer_bytes;  /* of one collective buffer */
    int64_t staging_bytes; /* of one buffer's messages */

    struct {                            /* two layers */
        int kind;                       /* collio_layers_t */
        const collio_layer1_t *actions; /* NULL: one layer */
        collio_local_count_t local_aggregators;
        uint64_t looked_ns; /* when layer 1 was last looked at */
    } layer1;

    struct {
        collio_progress_t progress;
        collio_slot_t slot[2];
        int64_t stop_local; /* first local byte that was not transferred */
        bool access_failed;
        const int64_t *cycle_round; /* put_fence in two layers: round of each cycle; else NULL */
    } aggregator;

    struct {
        collio_delivery_t *deliveries; /* one per window, in the order of delivery */
        size_t first;                  /* first delivery that is not finished */
        size_t next;                   /* first direct delivery that was not started */
        size_t relay_next;             /* first relayed delivery that was not started */
        size_t end;                    /* behind the last delivery that was started */
        int round;                     /* 0 or 1: the round of new deliveries */
        int64_t round_index;           /* window number of that round */
        int64_t round_bytes;           /* staging of one round */
        int64_t round_used[2];         /* per round: bytes of its staging in use */
        size_t round_pending[2];       /* per round: direct deliveries under way */
    } requester;

    struct {
        uint64_t looked_ns;   /* time of the last poll of the cycles */
        bool shuffling;       /* a shuffle was in flight at that time */
        bool accessing;       /* an access was in flight at that time */
        uint64_t exposed_ns;  /* time with an access but no shuffle in flight */
        uint64_t hideable_ns; /* access time that overlap could hide; measured for `auto` */
    } timing;
} collio_exchange_t;

/** Notes an error of this rank; the first one counts. `error` is a positive errno. */
static inline void collio_exchange_fail(collio_exchange_t *ex, int error)
{
    collio_error_note(&ex->error, error);
}

/** An MPI call failed, so a message that other ranks wait for may be missing: the file is lost. */
static inline void collio_exchange_lose(collio_exchange_t *ex)
{
    collio_file_lose(ex->file, OMPI_ERROR);
}

/** Counts bytes that have reached this rank's buffer in a read. Bytes of a write are counted when
 *  the call is settled. */
static inline void collio_exchange_received(collio_exchange_t *ex, int64_t bytes)
{
    ex->done_bytes += ex->write ? 0 : bytes;
}

/** Adds to a figure of the file. */
static inline void collio_exchange_count(collio_exchange_t *ex, int stat, uint64_t amount)
{
    collio_file_count(ex->file, stat, amount);
}

/** Is the transport one-sided (put_fence, put_lock)? */
static inline bool collio_exchange_puts(const collio_exchange_t *ex)
{
    return COLLIO_BUFFERS_WINDOW == ex->way.transport->buffers;
}

/** Tags: per call, so that messages of two calls cannot be confused. */
enum {
    COLLIO_TAG_META = 0,
    COLLIO_TAG_DATA,
    COLLIO_TAG_GRANT,
    COLLIO_TAG_DATA_1, /* put_lock: of the second buffer */
    COLLIO_TAG_RELAY   /* between a rank and its local aggregator */
};

static inline int collio_exchange_tag(const collio_exchange_t *ex, int kind)
{
    return (int) ((ex->sequence & 0xfff) * 8) + kind;
}

#endif /* COLLIO_EXCHANGE_H */
