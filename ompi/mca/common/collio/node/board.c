/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Reductions of a set of processes at open. See board.h.
 *
 * A rank can be at most one reduction ahead of the slowest: it enters reduction n + 1 only when it
 * has read the result of n. So lines and results need two places each, used in turn.
 */
#include "node/board.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>

#include "opal/runtime/opal_progress.h"

enum { LINE = 64, FIELDS = COLLIO_BOARD_FIELDS, KEY_ERRNO = 2 };

typedef struct seat_t {
    _Alignas(LINE) int64_t line[2][FIELDS];
} seat_t;

typedef struct collio_board_page_t {
    _Alignas(LINE) _Atomic uint32_t arrived; /* in all reductions so far, modulo 2^32 */
    _Alignas(LINE) _Atomic uint32_t reduced; /* reductions of which this node has its maxima */
    _Alignas(LINE) _Atomic uint32_t gate;    /* reductions whose result is there */
    _Atomic int error;                       /* of the communication between nodes; it stays */
    _Alignas(LINE) int64_t result[2][FIELDS];
    _Alignas(LINE) seat_t seat[]; /* one per rank of the node */
} page_t;

static size_t page_bytes(const collio_board_t *board)
{
    return sizeof(page_t) + sizeof(seat_t) * (size_t) board->ranks;
}

static bool single(const collio_board_t *board)
{
    return 1 == board->ranks && 1 == board->nodes;
}

void collio_board_make(collio_board_t *board, int64_t key[COLLIO_BOARD_KEY_FIELDS])
{
    memset(key, 0, sizeof(*key) * COLLIO_BOARD_KEY_FIELDS);
    if (0 == board->me && !single(board)) {
        key[KEY_ERRNO] = collio_shm_make(&board->segment, page_bytes(board), key);
    }
}

bool collio_board_attach(collio_board_t *board, const int64_t key[COLLIO_BOARD_KEY_FIELDS])
{
    if (single(board)) {
        return true;
    }
    if (0 != board->me && 0 == key[KEY_ERRNO]) {
        (void) collio_shm_attach(&board->segment, page_bytes(board), key);
    }
    board->page = board->segment.at;
    return NULL != board->page;
}

void collio_board_unlink(collio_board_t *board)
{
    collio_shm_unlink(&board->segment);
}

void collio_board_fini(collio_board_t *board)
{
    collio_shm_fini(&board->segment);
    board->page = NULL;
    if (NULL != board->leaders && MPI_COMM_NULL != board->leaders) {
        ompi_comm_free(&board->leaders);
    }
    board->leaders = NULL;
}

static void wait_for(const _Atomic uint32_t *word, uint32_t value)
{
    while (atomic_load(word) != value) {
        opal_progress(); /* others may still need an answer of this rank before they come */
        sched_yield();
    }
}

static void reduce_lines(const collio_board_t *board, int fields)
{
    page_t *page = board->page;
    int turn = (int) (board->round & 1);
    int64_t *to = page->result[turn];

    memcpy(to, page->seat[0].line[turn], sizeof(*to) * (size_t) fields);
    for (int i = 1; i < board->ranks; ++i) {
        const int64_t *from = page->seat[i].line[turn];

        for (int k = 0; k < fields; ++k) {
            to[k] = from[k] > to[k] ? from[k] : to[k];
        }
    }
}

/* The first rank of a node: reduces over the nodes, opens the gate. */
static void lead(collio_board_t *board, int fields)
{
    page_t *page = board->page;
    int64_t *node = page->result[board->round & 1], all[FIELDS];
    int rc;

    wait_for(&page->reduced, board->round + 1);
    rc = collio_allreduce(node, all, fields, MPI_INT64_T, MPI_MAX, board->leaders);
    if (OMPI_SUCCESS == rc) {
        memcpy(node, all, sizeof(*all) * (size_t) fields);
    } else {
        atomic_store(&page->error, rc);
    }
    atomic_store(&page->gate, board->round + 1);
}

int collio_board_reduce(collio_board_t *board, const int64_t *mine, int64_t *all, int fields)
{
    page_t *page = board->page;
    size_t bytes = sizeof(*mine) * (size_t) fields;

    if (NULL == page) { /* a set of one process */
        memcpy(all, mine, bytes);
        return OMPI_SUCCESS;
    }
    memcpy(page->seat[board->me].line[board->round & 1], mine, bytes);
    if (atomic_fetch_add(&page->arrived, 1) + 1 == (board->round + 1) * (uint32_t) board->ranks) {
        reduce_lines(board, fields);
        atomic_store(1 == board->nodes ? &page->gate : &page->reduced, board->round + 1);
    }
    if (board->nodes > 1 && 0 == board->me) {
        lead(board, fields);
    }
    wait_for(&page->gate, board->round + 1);
    memcpy(all, page->result[board->round & 1], bytes);
    ++board->round;
    return atomic_load(&page->error);
}
