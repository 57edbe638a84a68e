/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_BOARD_H
#define MCA_COMMON_COLLIO_BOARD_H

#include "compat/common_collio_compat.h"
#include "node/common_collio_shm.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Where a set of processes agrees when it opens a file: one blocking reduction (maxima) through
 * memory that the ranks of a node share, so that it needs no message on a single node. With several
 * nodes the first ranks of the nodes reduce over `leaders` in between.
 *
 *   node/reduction   belongs to one open file, serves calls, never blocks
 *   board            belongs to a set of processes, serves opens, blocks (MPI goes on meanwhile)
 *
 * All ranks of the set must use it in the same order: see open/common_collio_set.h.
 */
enum { MCA_COMMON_COLLIO_BOARD_FIELDS = 64, MCA_COMMON_COLLIO_BOARD_KEY_FIELDS = 3 };

struct mca_common_collio_board_page_t;

typedef struct mca_common_collio_board_t {
    int ranks;                    /* of this node */
    int me;                       /* among them */
    int nodes;                    /* of the set */
    ompi_communicator_t *leaders; /* first rank of each node, where there are several; else NULL */
    mca_common_collio_shm_t segment;
    struct mca_common_collio_board_page_t *page; /* NULL: not connected, or a set of one process */
    uint32_t round;
} mca_common_collio_board_t;

/** The node's first rank makes the memory; key: what the others of the node need, zeros elsewhere
 *  (key[2] is an errno). Local. */
void mca_common_collio_board_make(mca_common_collio_board_t *board,
                                  int64_t key[MCA_COMMON_COLLIO_BOARD_KEY_FIELDS]);
/** Attaches it by the key of this node. True when this rank has it. Local. */
bool mca_common_collio_board_attach(mca_common_collio_board_t *board,
                                    const int64_t key[MCA_COMMON_COLLIO_BOARD_KEY_FIELDS]);
/** All ranks of the node have it: removes its name. Local. */
void mca_common_collio_board_unlink(mca_common_collio_board_t *board);
/** Frees everything. Local, but for what freeing a communicator takes. Idempotent. */
void mca_common_collio_board_fini(mca_common_collio_board_t *board);

/** all[i] = the maximum of mine[i] over the ranks of the set. Blocks. OMPI_SUCCESS, or the error of
 *  the communication between nodes, on all ranks of this node. */
int mca_common_collio_board_reduce(mca_common_collio_board_t *board, const int64_t *mine,
                                   int64_t *all, int fields);

#endif /* MCA_COMMON_COLLIO_BOARD_H */
