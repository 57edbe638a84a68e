/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_EXCHANGE_H
#define COLLIO_EXCHANGE_H

#include "exchange/kept.h"
#include "file/file.h"
#include "node/agreement.h"
#include "view/request.h"

#include "core/cycle.h"
#include "core/reason.h"
#include "core/schedule.h"
#include "core/transport_rule.h"
#include "core/wire.h"

/**
 * exchange/: the state of one exchange, which planning, transports, cycles and the two layers
 * share, and the memory that exchanges keep between calls. A call (call/op.h) owns one exchange;
 * code below `call/` uses no other part of the call. No code in exchange/ communicates.
 *
 * An exchange is a chain of hops: one layer is one hop, two layers are two. A hop moves windows
 * between requesters and the two buffers of an *owner*, and from there to (from) its sink, which is
 * the file, or the next hop. A rank may be on every side:
 *
 *   requester         has bytes for an owner (write) or receives bytes from it (read): `requester`
 *   aggregator        owner of the last hop, whose sink is the file: `aggregator`
 *   local aggregator  owner of the hop inside a node or rack, whose sink is the last hop: `local`
 *
 * Errors are recorded with exchange_fail and do not stop the exchange: other ranks wait for this
 * rank.
 */

/** Which shares go through local aggregators. A share for the local aggregator itself never does.
 */
typedef enum collio_layers_t {
    COLLIO_LAYERS_ONE = 0, /* none */
    COLLIO_LAYERS_BETWEEN, /* shares for aggregators of other nodes, or of other racks */
    COLLIO_LAYERS_ALL,     /* all shares, except an aggregator's share of its own domain */
    COLLIO_LAYERS_ORDERED  /* all shares: atomic mode */
} collio_layers_t;

/** State of a move that is common to all transports: the move is done and has been counted. Lower
 *  numbers are states of the transport. */
enum { COLLIO_MOVE_COUNTED = 2 };

/** The bytes that move together: the packed messages of windows, one after the other. */
typedef struct collio_content_t {
    const collio_split_t *split;   /* the split of the windows */
    const collio_window_t *window; /* first window */
    size_t windows;                /* number of windows; more than one only in layer 1 */
    int64_t bytes;                 /* bytes of all windows */
} collio_content_t;

/** Returns the content of one window. */
static inline collio_content_t collio_content(const collio_split_t *split,
                                              const collio_window_t *window)
{
    return (collio_content_t){split, window, 1, window->bytes};
}

/** Returns the content of all windows of a share. */
static inline collio_content_t collio_content_share(const collio_split_t *split,
                                                    const collio_share_t *share)
{
    return (collio_content_t){split, &split->window[share->first], share->count, share->bytes};
}

/** One move: bytes between a requester and an owner, on one side. */
typedef struct collio_move_t {
    const struct collio_transport_t *transport; /* how the bytes move */
    collio_content_t what;                      /* the requester's part of a window, or windows */
    int peer;                                   /* rank on the other side */
    int tag;                                    /* tag of the messages: a COLLIO_TAG_* */
    ompi_request_t *request;                    /* MPI request of the message under way */
    char *staging;                              /* the packed message; NULL if no copy is needed */
    int64_t bytes;                              /* length of the message */
    int64_t extra;      /* reads in layer 1: bytes of the lengths after the bytes of a message */
    uint64_t ticket;    /* shm: number of the grant that the requester waits for */
    struct {            /* put_lock: the message that lets the requester use a buffer */
        int64_t limit;  /* reads: local coordinate from which there is no data */
        int64_t number; /* number of the buffer */
    } grant;
    ompi_request_t *grant_request; /* put_lock: MPI request of the grant that is being sent */
    int state;                     /* a state of the transport, or MOVE_COUNTED */
    bool forwarded;   /* the message is in a local aggregator's buffer, and is not in user memory */
    bool synchronous; /* isend: the sender waits until the receive is posted */
    bool done;        /* the bytes have moved */

    /* at the requester */
    size_t window;  /* index in plan->split; not used in layer 1 */
    int aggregator; /* number of the window's aggregator; -1: the local aggregator */
    int round;      /* 0 or 1: which of the two rounds in flight */
    size_t copied;  /* shm: number of windows that have been copied */
} collio_move_t;

struct collio_owner_t;

/** Value of a limit while the window has not arrived at the local aggregator. */
enum { COLLIO_LIMIT_PENDING = -1 };

/** A buffer of an owner, while a cycle uses it. It mirrors a window of local coordinates. */
typedef struct collio_buffer_t {
    char *at;      /* address */
    int64_t local; /* local coordinate of the first byte */
    int64_t limit; /* reads: local coordinate from which there is no data */
    _Atomic int64_t
        *limits; /* reads in layer 1: that limit per aggregator, or PENDING; else NULL */
} collio_buffer_t;

/** Returns the limit of a window in a buffer. */
static inline int64_t collio_buffer_limit(const collio_buffer_t *buffer,
                                          const collio_window_t *window)
{
    return NULL == buffer->limits
               ? buffer->limit
               : atomic_load_explicit(&buffer->limits[window->index], memory_order_acquire);
}

/** A buffer of an owner and its cycle: the access, and the shuffle before (write) or after (read)
 *  the access. A local aggregator's access is the delivery to (from) the aggregators. */
typedef struct collio_slot_t {
    struct collio_owner_t *owner; /* the owner of the buffer */
    const collio_cycle_t *cycle;  /* the cycle that uses the buffer */
    int number;                   /* number of the buffer: 0 or 1 */
    collio_buffer_t buffer;       /* the buffer */
    char *staging;                /* for messages that cannot be received into the buffer */
    int64_t staging_used;         /* bytes of the staging that hold messages */
    size_t batch;                 /* first source of the batch that uses the staging */
    size_t next_source;           /* first source not started */
    size_t pending;               /* sources that were started and have not moved yet */
    collio_move_t *move;          /* one per source */
    collio_reader_t own;          /* self: bytes of the owner's own window not copied yet */
    size_t own_window;            /* self: that window in the move */
    uint64_t arrived;             /* shm: count of arrivals when all requesters have copied */
    bool cut;                     /* reads in layer 1: a window is shorter than requested */
    collio_segment_t *segments;   /* file ranges of the access */
    size_t segment_count;         /* number of file ranges of the access */
    collio_job_t job;             /* the access */
    uint64_t exposed_before;      /* timing.exposed_ns when the access started */
    bool in_order; /* overlapping atomic writes: unpack in rank order after all have arrived */
} collio_slot_t;

/** The side of an exchange that has buffers: an aggregator, or a local aggregator. */
typedef struct collio_owner_t {
    const struct collio_sink_t *sink;  /* where the bytes of a buffer go to, or come from */
    const collio_schedule_t *schedule; /* order of the stages; number of buffers */
    const collio_collect_t *collect;   /* the cycles */
    collio_shared_t *shared;           /* shm: segment of the buffers; NULL: private */
    int number;                        /* shm: number of the owner in the segment */
    int64_t staging_bytes;             /* bytes of staging for the messages of one buffer */
    collio_progress_t progress;        /* cycles that have begun and ended */
    collio_slot_t slot[2];             /* the buffers */
} collio_owner_t;

/** The moves of a rank, as requester, that wait for each other. */
typedef struct collio_requester_t {
    collio_move_t *move;     /* in the order of their start */
    size_t count;            /* number of moves */
    size_t first;            /* first move that is not finished */
    size_t next;             /* first move that was not started */
    int round;               /* 0 or 1: the round of new moves */
    int64_t round_index;     /* number of the round of new moves */
    char *staging;           /* messages of two rounds */
    int64_t round_bytes;     /* staging of one round in bytes */
    int64_t round_used[2];   /* per round: bytes of its staging in use */
    size_t round_pending[2]; /* per round: moves under way */
} collio_requester_t;

/** The requesters of a rank. They do not wait for each other, except through the local aggregator.
 */
enum {
    COLLIO_DIRECT = 0, /* its own windows, to aggregators */
    COLLIO_FORWARDED,  /* windows in its buffers as a local aggregator, to aggregators */
    COLLIO_MEMBER,     /* its other windows, to its local aggregator */
    COLLIO_REQUESTERS
};

/** The requests of all ranks together, as agreed. */
typedef struct collio_range_t {
    int64_t lo;     /* offset of the first byte */
    int64_t hi;     /* offset past the last byte */
    int64_t bytes;  /* requested bytes, summed over the ranks */
    int64_t pieces; /* upper bound of the pieces, summed over the ranks */
    int64_t spans;  /* bytes from first to last byte of each rank, summed */
} collio_range_t;

/** The decisions about a call; each has a reason. A direct call has the first decision only. */
enum {
    COLLIO_DECISION_EXCHANGE = 0,
    COLLIO_DECISION_TRANSPORT,
    COLLIO_DECISION_SCHEDULE,
    COLLIO_DECISION_LAYERS,
    COLLIO_DECISIONS
};

/** How the call is carried out, chosen from agreed values: the same on all ranks. */
typedef struct collio_way_t {
    bool exchange;                              /* false: each rank accesses its own pieces */
    const collio_schedule_t *schedule;          /* how shuffles and accesses overlap */
    const struct collio_transport_t *transport; /* how bytes move between ranks */
    collio_abilities_t can;                     /* what the transport can do */
    bool two_layers;                            /* some bytes go through local aggregators */
    bool packed;                                /* put_*: see plan->packed */
    int64_t synchronous_each;              /* every n-th message is a synchronous send; 0: none */
    bool probing;                          /* `auto` measures this call */
    collio_reason_t why[COLLIO_DECISIONS]; /* reason of each decision */
} collio_way_t;

/** A message that is being received, and whose sender or size the receiver could not compute. */
typedef struct collio_arrival_t {
    struct collio_arrival_t *next; /* next message */
    ompi_request_t *request;       /* MPI request of the receive */
    int peer;                      /* rank of the sender */
    size_t bytes;                  /* length of `list` */
    unsigned char list[];          /* content of the message: encoded offset lists */
} collio_arrival_t;

/** Such messages of one tag; see plan/inbox.c. Zeros: no messages. */
typedef struct collio_inbox_t {
    collio_arrival_t *arrivals; /* messages that are being received; owned */
    ompi_request_t *discarded;  /* MPI request of a message that is dropped, or NULL */
    int matched;                /* number of messages that have been matched */
} collio_inbox_t;

/** Offset lists in flight to their aggregators; see plan/route.c. */
typedef struct collio_route_t {
    collio_bytes_t *lists;  /* one encoded list for each share */
    ompi_request_t **sends; /* one MPI request for each list that is sent */
    size_t send_count;      /* number of lists that this rank sends */
    size_t sends_done;      /* number of sent lists that have been received */
    bool clearing;          /* the agreement before marks are added is under way */
    bool in_barrier;        /* all lists of this rank have been received */
    bool barrier_done;      /* all lists of all ranks have been received */
    collio_inbox_t inbox;   /* lists that this rank receives as an aggregator */
} collio_route_t;

typedef struct collio_exchange_t {
    collio_file_t *file; /* the file */
    bool write;          /* the call writes */
    bool blocking;       /* the call is blocking */
    bool atomic;         /* the file is in atomic mode */
    uint32_t sequence;   /* number of the call on this file */
    int error;           /* MPI error class: local until the agreement, then that of all ranks */
    int64_t done_bytes;  /* bytes of this rank that have been transferred */

    collio_request_t request; /* the request of this rank */
    collio_range_t range;     /* the requests of all ranks */
    collio_way_t way;         /* how the call is carried out */

    struct collio_plan_t *plan; /* the plan; direct calls do not use it and later fields */
    bool plan_new;              /* this call makes the plan */
    int64_t *histogram;         /* histogram of a sparse request; NULL: not sparse */
    ompi_request_t *collective; /* MPI request of the reduction of histogram or stops */
    collio_route_t route;       /* offset lists under way */

    int64_t buffer_bytes; /* bytes of one collective buffer */

    struct {                                    /* two layers */
        int kind;                               /* collio_layers_t */
        collio_local_count_t local_aggregators; /* number of local aggregators on each node */
        uint64_t polled_ns;                     /* time of the last poll of layer 1 */
    } layer1;

    collio_owner_t aggregator; /* this rank as an aggregator */
    int64_t stop_local;        /* first local byte that this aggregator did not transfer */
    bool access_failed;        /* an access of this aggregator has failed */
    collio_owner_t local;      /* this rank as a local aggregator; as member: its buffers in shm */

    collio_requester_t requester[COLLIO_REQUESTERS]; /* this rank as a requester */

    struct {
        uint64_t polled_ns;   /* time of the last poll of the cycles */
        bool shuffling;       /* a shuffle was in flight at the last poll */
        bool accessing;       /* an access was in flight at the last poll */
        bool delivering;      /* this rank has moves under way as a requester */
        uint64_t exposed_ns;  /* time with an access but no shuffle in flight */
        uint64_t hideable_ns; /* access time that overlap could hide; measured for `auto` */
    } timing;
} collio_exchange_t;

/** Records an error of this rank; the first one counts. `error` is a positive errno. */
static inline void collio_exchange_fail(collio_exchange_t *ex, int error)
{
    collio_error_note(&ex->error, error);
}

/** Records rc, 0 or a negative errno, in the same way. */
static inline void collio_exchange_check(collio_exchange_t *ex, int rc)
{
    if (0 != rc) {
        collio_exchange_fail(ex, -rc);
    }
}

/** Marks the file handle as failed, after an MPI call has failed: a message that other ranks wait
 *  for may be missing. */
static inline void collio_exchange_lose(collio_exchange_t *ex)
{
    collio_file_lose(ex->file, OMPI_ERROR);
}

/** Returns true on the rank that prints a text about this reason: once per file and reason, on rank
 *  0. All ranks must call it. */
static inline bool collio_exchange_first(const collio_exchange_t *ex, collio_reason_t why)
{
    uint64_t before = ex->file->context->kept->printed;

    ex->file->context->kept->printed |= UINT64_C(1) << why;
    return 0 == ex->file->rank && before != ex->file->context->kept->printed;
}

/** Returns true if the transport is one-sided (put_fence, put_lock). */
static inline bool collio_exchange_puts(const collio_exchange_t *ex)
{
    return COLLIO_BUFFERS_WINDOW == ex->way.can.buffers;
}

/** Tags contain the number of the call, so that messages of two calls cannot be confused. */
enum {
    COLLIO_TAG_META = 0, /* offset lists */
    COLLIO_TAG_DATA,     /* data; put_lock: arrivals of the first buffer; places of packed puts */
    COLLIO_TAG_GRANT,    /* put_lock: grants; put_fence: rounds of windows */
    COLLIO_TAG_DATA_1,   /* put_lock: arrivals of the second buffer */
    COLLIO_TAG_RELAY     /* all messages between a rank and its local aggregator */
};

static inline int collio_exchange_tag(const collio_exchange_t *ex, int kind)
{
    return (int) ((ex->sequence & 0xfff) * 8) + kind;
}

#endif /* COLLIO_EXCHANGE_H */
