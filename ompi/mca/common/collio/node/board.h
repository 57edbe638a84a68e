/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_BOARD_H
#define COLLIO_BOARD_H

#include "compat/compat.h"
#include "node/shm.h"

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
 * All ranks of the set must use it in the same order: see open/set.h.
 */
enum { COLLIO_BOARD_FIELDS = 64, COLLIO_BOARD_KEY_FIELDS = 3 };

struct collio_board_page_t;

typedef struct collio_board_t {
    int ranks;                    /* of this node */
    int me;                       /* among them */
    int nodes;                    /* of the set */
    ompi_communicator_t *leaders; /* first rank of each node, where there are several; else NULL */
    collio_shm_t segment;
    struct collio_board_page_t *page; /* NULL: not connected, or a set of one process */
    uint32_t round;
} collio_board_t;

/** The node's first rank makes the memory; key: what the others of the node need, zeros elsewhere
 *  (key[2] is an errno). Local. */
void collio_board_make(collio_board_t *board, int64_t key[COLLIO_BOARD_KEY_FIELDS]);
/** Attaches it by the key of this node. True when this rank has it. Local. */
bool collio_board_attach(collio_board_t *board, const int64_t key[COLLIO_BOARD_KEY_FIELDS]);
/** All ranks of the node have it: removes its name. Local. */
void collio_board_unlink(collio_board_t *board);
/** Frees everything. Local, but for what freeing a communicator takes. Idempotent. */
void collio_board_fini(collio_board_t *board);

/** all[i] = the maximum of mine[i] over the ranks of the set. Blocks. OMPI_SUCCESS, or the error of
 *  the communication between nodes, on all ranks of this node. */
int collio_board_reduce(collio_board_t *board, const int64_t *mine, int64_t *all, int fields);

#endif /* COLLIO_BOARD_H */
