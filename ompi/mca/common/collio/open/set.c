/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Sets of processes and the contexts they keep. See set.h. No locks: sets exist only where one
 * thread at a time is in MPI.
 */
#include "open/set.h"

#include <stdlib.h>

#include "exchange/kept.h"
#include "node/board.h"
#include "node/reduction.h"
#include "open/context.h"

#include "opal/runtime/opal_progress.h"

enum {
    SETS = 16,             /* maximum number of sets per process */
    FULL_SLOTS = 2,        /* slots that keep the memory of exchanges, not only a context */
    KEPT_BYTES = 64 << 20, /* bound of that memory, for all sets of a node */
    SLOTS = COLLIO_SET_SLOTS
};

/* In this order: the ranks compare them by maxima and minima. */
typedef enum state_t {
    EMPTY = 0,
    BARE, /* free, without memory of exchanges */
    FULL, /* free, with it */
    TAKEN
} state_t;

typedef struct slot_t {
    state_t state;
    uint64_t given; /* order in which slots became free: the smallest is the least recent */
    collio_context_t context;
} slot_t;

struct collio_set_t {
    struct collio_set_t *next;
    int size;
    opal_process_name_t *process;
    collio_nodes_t nodes;
    collio_board_t board;
    slot_t slot[SLOTS];
};

static collio_set_t *sets;
static int set_count;
static uint64_t gifts; /* contexts that became free */
static bool ended;     /* MPI_Finalize has begun */

static bool same_processes(const collio_set_t *set, ompi_communicator_t *comm)
{
    if (ompi_comm_size(comm) != set->size) {
        return false;
    }
    for (int i = 0; i < set->size; ++i) {
        opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, i);

        if (0 != opal_compare_proc(name, set->process[i])) {
            return false;
        }
    }
    return true;
}

collio_set_t *collio_set_find(ompi_communicator_t *comm)
{
    collio_set_t *set = sets;

    while (NULL != set && !same_processes(set, comm)) {
        set = set->next;
    }
    return set;
}

/* A communicator that reaches into another job must end when the program disconnects the jobs, so
 * none of them can be kept. */
static bool note_processes(collio_set_t *set, ompi_communicator_t *comm)
{
    opal_process_name_t me = ompi_group_get_proc_name(comm->c_local_group, ompi_comm_rank(comm));

    for (int i = 0; i < set->size; ++i) {
        set->process[i] = ompi_group_get_proc_name(comm->c_local_group, i);
        if (set->process[i].jobid != me.jobid) {
            return false;
        }
    }
    return true;
}

static void set_free(collio_set_t *set)
{
    free(set->process);
    free(set);
}

/* No file can use this slot any more: on any rank, because a slot must be free or empty on all. */
static void slot_end(collio_set_t *set, int slot)
{
    if (BARE == set->slot[slot].state || FULL == set->slot[slot].state) {
        collio_context_fini(&set->slot[slot].context);
    }
    set->slot[slot].state = TAKEN;
}

/* MPI_Finalize has begun. Other callbacks may follow that use files and open further ones, so an
 * open file loses nothing here: its context ends with it, and the sets stay, with their boards. The
 * ranks need not come here at the same time: a rank that has not ended still agrees at the board.
 * Newest first is the same order on all ranks that have two sets in common. */
static int at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm;
    (void) key;
    (void) value;
    (void) extra;
    ended = true;
    for (collio_set_t *set = sets; NULL != set; set = set->next) {
        for (int i = 0; i < SLOTS; ++i) {
            slot_end(set, i);
        }
    }
    return MPI_SUCCESS;
}

/* MPI has freed all communicators, also the boards' own. */
void collio_set_forget(void)
{
    while (NULL != sets) {
        collio_set_t *set = sets;

        sets = set->next;
        set->board.leaders = NULL;
        collio_board_fini(&set->board);
        collio_nodes_fini(&set->nodes);
        set_free(set);
    }
    set_count = 0;
}

static bool ends_in_time(void)
{
    static bool watching;

    watching = watching || MPI_SUCCESS == collio_call_at_finalize(at_finalize);
    return watching && !ended;
}

collio_set_t *collio_set_prepare(ompi_communicator_t *comm)
{
    collio_set_t *set;

    if (collio_thread_multiple() || set_count == SETS || OMPI_COMM_IS_INTER(comm)
        || !collio_comm_of_world(comm) || !ends_in_time()) {
        return NULL;
    }
    set = calloc(1, sizeof(*set));
    if (NULL == set) {
        return NULL;
    }
    set->size = ompi_comm_size(comm);
    set->process = malloc(sizeof(*set->process) * (size_t) set->size);
    if (NULL == set->process || !note_processes(set, comm)) {
        set_free(set);
        return NULL;
    }
    return set;
}

void collio_set_drop(collio_set_t *set)
{
    if (NULL != set) {
        collio_board_fini(&set->board);
        set_free(set);
    }
}

/* A reduction of the file that was just opened, until its end. False: the file is lost. */
static bool wait_reduction(collio_file_t *file, int rc)
{
    file->looked_ns = 0;
    while (OMPI_SUCCESS == rc && !collio_reduction_poll(file)) {
        if (collio_file_watch(file)) {
            return false;
        }
        if (!collio_reduction_rest(file)) {
            opal_progress();
        }
    }
    return OMPI_SUCCESS == rc;
}

static int dup_leaders(collio_board_t *board, const collio_file_t *file)
{
    return board->nodes > 1 && 0 == board->me
               ? ompi_comm_dup(file->reduction->leaders, &board->leaders)
               : OMPI_SUCCESS;
}

/* True when all ranks of the set have the board. */
static bool make_board(collio_board_t *board, collio_file_t *file)
{
    int64_t key[COLLIO_BOARD_KEY_FIELDS], node[COLLIO_BOARD_KEY_FIELDS];
    int64_t missing, any = 1;

    board->ranks = file->reduction->ranks;
    board->me = file->reduction->me;
    board->nodes = file->nodes.nodes;
    collio_board_make(board, key);
    if (!wait_reduction(
            file, collio_reduction_on_node(file, key, node, COLLIO_BOARD_KEY_FIELDS, false))) {
        return false;
    }
    missing = !collio_board_attach(board, node);
    missing |= OMPI_SUCCESS != dup_leaders(board, file);
    if (!wait_reduction(file, collio_reduction_start(file, &missing, &any, 1))) {
        return false;
    }
    collio_board_unlink(board);
    return 0 == any;
}

void collio_set_found(collio_set_t *set, collio_file_t *file)
{
    /* all ranks have a page or none: see reduction_connect */
    if (NULL == file->reduction->page || !make_board(&set->board, file)) {
        if (0 != file->lost) {
            set->board.leaders = NULL; /* ends by communication: stays */
        }
        collio_set_drop(set);
        return;
    }
    collio_shm_set_relief(collio_set_relieve);
    set->nodes = file->nodes;
    set->slot[0].state = TAKEN;
    set->next = sets;
    sets = set;
    ++set_count;
    file->set = set;
    file->slot = 0;
}

void collio_set_nodes(const collio_set_t *set, collio_file_t *file)
{
    file->nodes = set->nodes;
}

int collio_set_reduce(collio_set_t *set, const int64_t *mine, int64_t *all, int fields)
{
    return collio_board_reduce(&set->board, mine, all, fields);
}

void collio_set_offer(const collio_set_t *set, int64_t mine[COLLIO_SET_FIELDS])
{
    for (int i = 0; i < SLOTS; ++i) {
        mine[2 * i] = NULL == set ? EMPTY : (int64_t) set->slot[i].state;
        mine[2 * i + 1] = -mine[2 * i];
    }
}

bool collio_set_take(collio_set_t *set, const int64_t all[COLLIO_SET_FIELDS], collio_file_t *file)
{
    int empty = -1;

    for (int i = 0; i < SLOTS; ++i) {
        int64_t most = all[2 * i], least = -all[2 * i + 1];

        if (EMPTY != least && TAKEN != most) {
            collio_context_take(&set->slot[i].context, FULL == least, file);
            set->slot[i].state = TAKEN;
            file->slot = i;
            return true;
        }
        empty = EMPTY == most && -1 == empty ? i : empty;
    }
    if (-1 != empty) {
        set->slot[empty].state = TAKEN;
        file->slot = empty;
    }
    return false;
}

static int64_t charge_of(const slot_t *slot)
{
    return slot->context.charge + collio_context_staging(&slot->context);
}

static void shed_slot(slot_t *slot)
{
    collio_context_shed(&slot->context);
    slot->state = BARE;
}

/* The memory that is kept longest without use. *sum = what is charged to this rank in all. */
static slot_t *least_recent(int64_t *sum)
{
    slot_t *oldest = NULL;

    *sum = 0;
    for (collio_set_t *set = sets; NULL != set; set = set->next) {
        for (int i = 0; i < SLOTS; ++i) {
            slot_t *slot = &set->slot[i];

            if (FULL == slot->state) {
                *sum += charge_of(slot);
                oldest = NULL == oldest || slot->given < oldest->given ? slot : oldest;
            }
        }
    }
    return oldest;
}

/* Frees memory until at most so much is kept. Local: ranks may differ in what they keep, and
 * compare it at the next open. True when anything was freed. */
static bool shed(int64_t most)
{
    bool any = false;
    int64_t sum;

    for (slot_t *slot = least_recent(&sum); NULL != slot && sum > most; slot = least_recent(&sum)) {
        shed_slot(slot);
        any = true;
    }
    return any;
}

bool collio_set_relieve(void)
{
    bool any = shed(-1);

    if (any) {
        collio_kept_memory_changed();
    }
    return any;
}

/* Memory that all sets of this process keep. Each rank of a node has an equal part of the bound and
 * is charged an equal part of what the node has for a context: together they stay within it. */
static void bound_memory(slot_t *slot)
{
    int64_t most = KEPT_BYTES / collio_ranks_on_node();

    slot->given = ++gifts;
    if (charge_of(slot) > most) {
        collio_context_drop_staging(&slot->context);
    }
    if (charge_of(slot) > most) { /* it would only drive out the others */
        shed_slot(slot);
    }
    (void) shed(most);
}

bool collio_set_give(collio_file_t *file)
{
    slot_t *slot;

    if (NULL == file->set || -1 == file->slot || ended) {
        return false;
    }
    if (NULL == file->reduction) { /* no rank could make a context */
        file->set->slot[file->slot].state = EMPTY;
        return false;
    }
    if (file->reduction->under_way || 0 < file->calls) {
        return false; /* closed with calls under way: the slot stays taken */
    }
    slot = &file->set->slot[file->slot];
    collio_context_give(file, file->slot < FULL_SLOTS, &slot->context);
    slot->state = NULL == slot->context.kept ? BARE : FULL;
    bound_memory(slot);
    return true;
}
