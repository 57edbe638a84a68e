/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TRANSPORTS_H
#define COLLIO_TRANSPORTS_H

#include <stdbool.h>

struct collio_delivery_t;
struct collio_exchange_t;
struct collio_move_t;
struct collio_slot_t;

/** Where the collective buffers of a transport lie. */
typedef enum collio_buffers_t {
    COLLIO_BUFFERS_PRIVATE = 0, /* memory of the aggregator alone, filled from messages */
    COLLIO_BUFFERS_SHARED,      /* the segment that the ranks of a node share */
    COLLIO_BUFFERS_WINDOW       /* RMA windows, for one-sided communication */
} collio_buffers_t;

/**
 * A transport: how the bytes of one window move between a requester and the aggregator that owns
 * the window. It is one row, in a file of its own (transport/transport_<name>.c), and a line of the
 * table in cycles/transports.c. Other code reads the row and never compares transports. Both sides
 * start the move of the same window and poll it; start and test never wait, unless `waits` is set.
 */
typedef struct collio_transport_t {
    const char *name;         /* value of the setting `transport` */
    const char *help;         /* description of the transport in ompi_info */
    collio_buffers_t buffers; /* memory of the collective buffers */
    bool waits;               /* start or test waits for other ranks: for blocking calls only */
    bool rounds;              /* all ranks step through numbered rounds, in the driver `fence`; the
                                 functions of this row are then not used */
    bool aggregator_packed;   /* data arrive packed at the aggregator, which needs staging unless a
                                 message is one contiguous piece */
    bool requester_packed;    /* the requester packs or unpacks, and needs staging unless its bytes
                                 are contiguous in memory */
    /** True if the transport serves this pair of ranks, with the same result on both sides;
     *  messages serve all other pairs. NULL: the transport serves every pair. */
    bool (*serves)(const struct collio_exchange_t *ex, int aggregator, int requester);
    /** Starts the move of one requester's bytes, on the aggregator. */
    void (*aggregator_start)(struct collio_exchange_t *ex, struct collio_slot_t *slot,
                             struct collio_move_t *move);
    /** Polls the aggregator's move; true when it is complete. */
    bool (*aggregator_test)(struct collio_exchange_t *ex, struct collio_slot_t *slot,
                            struct collio_move_t *move);
    /** Starts the move of this rank's bytes of one window, on the requester. */
    void (*requester_start)(struct collio_exchange_t *ex, struct collio_delivery_t *delivery);
    /** Polls the requester's move; true when it is complete. */
    bool (*requester_test)(struct collio_exchange_t *ex, struct collio_delivery_t *delivery);
} collio_transport_t;

#endif /* COLLIO_TRANSPORTS_H */
