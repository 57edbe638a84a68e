/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Process sets and the contexts that they keep. See set.h. Uses no locks: sets exist only if one
 * thread at a time is in MPI.
 */
#include "open/set.h"

#include <stdlib.h>

#include "exchange/kept.h"
#include "node/agreement.h"
#include "node/costs.h"
#include "node/map.h"
#include "open/context.h"

enum {
    SETS = 16,             /* maximum number of sets per process */
    FULL_SLOTS = 2,        /* number of slots whose contexts keep plans and memory of exchanges */
    KEPT_BYTES = 64 << 20, /* upper bound on kept memory of exchanges on a node, in bytes */
    SLOTS = COLLIO_SET_SLOTS
};

/* The order matters: the ranks compare states by maxima and minima. */
typedef enum state_t {
    EMPTY = 0, /* no context */
    BARE,      /* free context, without plans and memory of exchanges */
    FULL,      /* free context, with plans and memory of exchanges */
    TAKEN      /* an open file uses the slot, or the slot cannot be used */
} state_t;

typedef struct slot_t {
    state_t state;  /* state on this rank */
    uint64_t freed; /* value of `freed_count` when the slot became free: smallest is oldest */
    collio_context_t *context; /* the context, if the state is BARE or FULL */
} slot_t;

struct collio_set_t {
    struct collio_set_t *next;    /* the next older set of this process */
    ompi_group_t *group;          /* the processes, in the order of their ranks */
    collio_nodes_t nodes;         /* which rank is on which node */
    collio_map_t *map;            /* memory of `nodes`; owned by the set */
    collio_costs_t costs;         /* costs of messages; zeros: unknown */
    bool measured;                /* a file has measured `costs` */
    collio_agreement_t agreement; /* agreement of files that are being opened */
    collio_context_t opening;     /* context of files that are being opened: only `agreement` */
    slot_t slot[SLOTS];           /* contexts of the set's files */
};

static collio_set_t *sets;   /* list of sets, newest first */
static int set_count;        /* number of sets in the list */
static uint64_t freed_count; /* number of times that a context became free */
static bool ended;           /* MPI_Finalize has begun */

/* Duplicates of a communicator have the same group, which makes the first test true. */
static bool same_processes(ompi_group_t *set, ompi_group_t *group)
{
    if (set == group) {
        return true;
    }
    if (ompi_group_size(set) != ompi_group_size(group)) {
        return false;
    }
    for (int i = 0; i < ompi_group_size(set); ++i) {
        if (0
            != opal_compare_proc(ompi_group_get_proc_name(group, i),
                                 ompi_group_get_proc_name(set, i))) {
            return false;
        }
    }
    return true;
}

collio_set_t *collio_set_find(ompi_communicator_t *comm)
{
    collio_set_t *set = sets;

    while (NULL != set && !same_processes(set->group, comm->c_local_group)) {
        set = set->next;
    }
    return set;
}

void collio_set_drop(collio_set_t *set)
{
    if (NULL != set) {
        collio_agreement_fini(&set->agreement);
        free(set);
    }
}

/* Frees the context of a slot and marks it taken. Then no rank can use the slot, because a slot
 * must be free or empty on all ranks. */
static void slot_end(collio_set_t *set, int slot)
{
    if (BARE == set->slot[slot].state || FULL == set->slot[slot].state) {
        collio_context_free(set->slot[slot].context);
    }
    set->slot[slot].state = TAKEN;
}

/* Callback at the start of MPI_Finalize. Callbacks that follow may use and open files, so open
 * files keep their contexts, and the sets stay with their agreements. Ranks need not call this at
 * the same time: a rank with `ended` still takes part in opens. Any two ranks that share two sets
 * free them in the same order, newest first. */
static void at_finalize(void)
{
    ended = true;
    for (collio_set_t *set = sets; NULL != set; set = set->next) {
        for (int i = 0; i < SLOTS; ++i) {
            slot_end(set, i);
        }
    }
}

/* MPI has freed all communicators, including `leaders`. It may also have freed processes that a
 * group refers to, so the groups are not released. */
void collio_set_free_all(void)
{
    while (NULL != sets) {
        collio_set_t *set = sets;

        sets = set->next;
        set->agreement.leaders = MPI_COMM_NULL;
        collio_map_free(set->map);
        collio_set_drop(set);
    }
    set_count = 0;
}

static bool ends_in_time(void)
{
    static bool watching;

    watching = watching || MPI_SUCCESS == collio_call_at_finalize(at_finalize);
    return watching && !ended;
}

collio_set_t *collio_set_prepare(const collio_file_t *file)
{
    ompi_communicator_t *comm = file->fh->f_comm;
    collio_set_t *set;

    if (collio_thread_multiple() || set_count == SETS || OMPI_COMM_IS_INTER(comm)
        || !collio_comm_of_world(comm) || !collio_of_one_job(comm) || !ends_in_time()) {
        return NULL;
    }
    set = calloc(1, sizeof(*set));
    if (NULL != set) {
        collio_agreement_init(file, &set->agreement);
        set->opening.comm = set->opening.node_comm = MPI_COMM_NULL;
        set->opening.agreement = &set->agreement;
    }
    return set;
}

void collio_set_enter(collio_set_t *set, collio_file_t *file)
{
    /* collio_agreement_shared returns the same on all ranks */
    if (!collio_agreement_shared(file, file->context->agreement)
        || 0 != collio_agreement_share(file, &set->agreement, NULL)
        || !collio_agreement_shared(file, &set->agreement)) {
        collio_set_drop(set);
        return;
    }
    collio_shm_set_relief(collio_set_relieve);
    set->group = file->fh->f_comm->c_local_group;
    OBJ_RETAIN(set->group);
    set->nodes = file->nodes;
    set->map = file->map;
    set->slot[0].state = TAKEN;
    set->next = sets;
    sets = set;
    ++set_count;
    file->set = set;
    file->slot = 0;
    collio_set_costs(set, file);
}

void collio_set_costs(collio_set_t *set, collio_file_t *file)
{
    const collio_nodes_t *nodes = &file->nodes;

    if (set->measured || !file->derived.two_layers || 1 == nodes->nodes
        || file->size == nodes->nodes || 0 < file->settings.local_aggregators
        || 0 < file->settings.local_aggregators_per_node) {
        return;
    }
    collio_costs_measure(file);
    set->costs = file->costs;
    set->measured = true;
}

void collio_set_lend(collio_set_t *set, collio_file_t *file)
{
    file->nodes = set->nodes;
    file->map = set->map;
    file->costs = set->costs;
    file->context = &set->opening;
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
            collio_context_take(set->slot[i].context, FULL == least, file);
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
    return slot->context->charge + collio_context_staging(slot->context);
}

static void shed_slot(slot_t *slot)
{
    collio_context_shed(slot->context);
    slot->state = BARE;
}

/* Returns the FULL slot that has been free for the longest time, or NULL. *sum = bytes that are
 * charged to this rank for all FULL slots. */
static slot_t *least_recent(int64_t *sum)
{
    slot_t *oldest = NULL;

    *sum = 0;
    for (collio_set_t *set = sets; NULL != set; set = set->next) {
        for (int i = 0; i < SLOTS; ++i) {
            slot_t *slot = &set->slot[i];

            if (FULL == slot->state) {
                *sum += charge_of(slot);
                oldest = NULL == oldest || slot->freed < oldest->freed ? slot : oldest;
            }
        }
    }
    return oldest;
}

/* Frees memory until at most `most` bytes are charged to this rank. Local: ranks may keep different
 * slots and compare them at the next open. True if any memory was freed. */
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

/* Limits the memory that all sets of this process keep. Each rank of a node has an equal part of
 * the limit and is charged an equal part of the node's memory of a context, so the ranks of the
 * node together stay within the limit. */
static void bound_memory(slot_t *slot)
{
    int64_t most = KEPT_BYTES / (1 + (int64_t) opal_process_info.num_local_peers);

    slot->freed = ++freed_count;
    if (charge_of(slot) > most) {
        collio_context_drop_staging(slot->context);
    }
    if (charge_of(slot) > most) { /* keeping the slot would free all older ones, and then itself */
        shed_slot(slot);
    }
    (void) shed(most);
}

bool collio_set_give(collio_file_t *file)
{
    slot_t *slot;

    if (NULL == file->set) {
        return false;
    }
    slot = -1 == file->slot ? NULL : &file->set->slot[file->slot];
    if (&file->set->opening == file->context) { /* the open has failed */
        if (NULL != slot && !ended) {
            slot->state = EMPTY;
        }
        return true;
    }
    if (NULL == slot || ended || file->context->agreement->under_way || 0 < file->calls) {
        return false; /* closed with calls in progress: the slot stays taken */
    }
    collio_context_give(file, file->slot < FULL_SLOTS);
    slot->context = file->context;
    slot->state = NULL == slot->context->kept ? BARE : FULL;
    bound_memory(slot);
    return true;
}
