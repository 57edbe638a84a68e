/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_PUT_H
#define MCA_COMMON_COLLIO_PUT_H

#include "compat/common_collio_compat.h"

/**
 * One-sided access to collective buffers: an owner's buffers lie in an MPI window, requesters put
 * into them (write) or get from them (read). One window per buffer (fence epochs belong to a whole
 * window), made once per file, zero-sized on ranks that own nothing, freed at close. Making and
 * using them blocks, so nonblocking collectives do not use them.
 *
 *   MPI window   |   collective buffer   | room for packed messages |limit|
 *
 * Large pieces go straight to their places in the buffer. Small ones (plan->packed) travel as one
 * message to the room, and the owner scatters it; reads the other way. The room is part of what the
 * user allowed: such plans have windows of half the size.
 */
typedef struct mca_common_collio_put_t {
    bool open;
    bool failed;        /* windows cannot be had with this osc component: said once */
    char *base[2];      /* this rank's buffers, each with its room and its limit */
    bool allocated;     /* they belong to the windows */
    int64_t slot_bytes; /* of a buffer and its room */
    bool mine;          /* this rank has one */
    uint32_t stamp;     /* of the plan that they were made for; 0: for all plans */
    int buffers;
    mca_common_collio_win_t *win[2];
} mca_common_collio_put_t;

struct mca_common_collio_file_t;
struct mca_common_collio_exchange_t;
struct mca_common_collio_transport_t;

/** The transport put_lock, see transport_put_lock.c. */
extern const struct mca_common_collio_transport_t mca_common_collio_transport_put_lock;

/** Behind each buffer its owner keeps, for put_fence, the local coordinate where the data ends. */
enum { MCA_COMMON_COLLIO_PUT_LIMIT_BYTES = 64 };

/** Makes so many windows with room for slot_bytes on every owner (`mine`: this rank is one). With a
 *  stamp they are for the plan that has it, and made anew for any other. Collective, blocking.
 *  False, on all ranks, when they cannot be had. */
bool mca_common_collio_put_open(struct mca_common_collio_file_t *file, int64_t slot_bytes,
                                int buffers, bool mine, uint32_t stamp);
void mca_common_collio_put_close(struct mca_common_collio_file_t *file);

/** Transfers one window's packed message between `message` and the owner's buffer `number`, or the
 *  room beside it; only pieces below `limit`. Inside an epoch. Returns the bytes, or -1. */
int64_t mca_common_collio_put_window(struct mca_common_collio_exchange_t *ex, size_t window,
                                     int number, int64_t limit, char *message);

/** Packed messages. Before READY: their memory, 0 or -ENOMEM. Then, once per plan, each owner tells
 *  its requesters where theirs go; blocking. */
struct mca_common_collio_plan_t;
int mca_common_collio_put_prepare_places(struct mca_common_collio_plan_t *plan);
int mca_common_collio_put_tell_places(struct mca_common_collio_exchange_t *ex);

/** Where the message of a source of slot's cycle is, in the room; NULL: it goes straight. */
struct mca_common_collio_slot_t;
char *mca_common_collio_put_message(const struct mca_common_collio_exchange_t *ex,
                                    const struct mca_common_collio_slot_t *slot, size_t source);

/** Between the buffer and one message in the room, or all of them: scatters (write), gathers. */
void mca_common_collio_put_copy(struct mca_common_collio_exchange_t *ex,
                                const struct mca_common_collio_slot_t *slot, size_t source);
void mca_common_collio_put_copy_all(struct mca_common_collio_exchange_t *ex,
                                    const struct mca_common_collio_slot_t *slot);

#endif /* MCA_COMMON_COLLIO_PUT_H */
