/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TRANSPORT_RULE_H
#define COLLIO_TRANSPORT_RULE_H

#include "reason.h"

#include <stdbool.h>

/**
 * What a transport can do, and which calls it can serve. Decisions read these values and never ask
 * which transport it is.
 */

/** Where the collective buffers of a transport lie. */
typedef enum collio_buffers_t {
    COLLIO_BUFFERS_PRIVATE = 0, /* memory of the aggregator alone, filled from messages */
    COLLIO_BUFFERS_SHARED,      /* the segment that the ranks of a node share */
    COLLIO_BUFFERS_WINDOW       /* RMA windows, for one-sided communication */
} collio_buffers_t;

/** A set of kinds of buffers: bit 1 << COLLIO_BUFFERS_*. */
typedef unsigned collio_buffers_set_t;

typedef struct collio_abilities_t {
    collio_buffers_t buffers; /* memory of the collective buffers */
    bool waits;               /* start or test waits for other ranks: for blocking calls only */
    bool rounds;              /* all ranks step through numbered rounds: the driver `fence` */
    bool owner_packed;        /* data arrive packed at the owner, which needs staging unless a
                                 message is one contiguous piece */
    bool requester_packed;    /* the requester packs or unpacks, and needs staging unless its bytes
                                 are contiguous in memory */
} collio_abilities_t;

/** What a call asks of its transport. */
typedef struct collio_transport_need_t {
    bool atomic;    /* overlapping bytes are applied in the order of the ranks */
    bool blocking;  /* the call is blocking */
    bool no_window; /* RMA windows cannot be made */
} collio_transport_need_t;

/** Returns REASON_SET if a named transport can serve the call, otherwise why messages do. An
 *  aggregator applies bytes in order from staging, so atomic mode requires packed messages. The
 *  progress engine must not wait, so a nonblocking call refuses a transport that waits. */
static inline collio_reason_t collio_transport_limit(const collio_abilities_t *can,
                                                     const collio_transport_need_t *need)
{
    if (COLLIO_BUFFERS_WINDOW == can->buffers && need->no_window) {
        return COLLIO_REASON_NO_WINDOW;
    }
    if (need->atomic && !can->owner_packed) {
        return COLLIO_REASON_ATOMIC;
    }
    if (!need->blocking && can->waits) {
        return COLLIO_REASON_NONBLOCKING;
    }
    return COLLIO_REASON_SET;
}

#endif /* COLLIO_TRANSPORT_RULE_H */
