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
    FULL_ENTRIES = 2,      /* number of entries whose contexts keep plans and memory of exchanges */
    KEPT_BYTES = 64 << 20, /* upper bound on kept memory of exchanges on a node, in bytes */
    ENTRIES = COLLIO_SET_ENTRIES
};

/* The order matters: the ranks compare states by maxima and minima. */
typedef enum state_t {
    EMPTY = 0, /* no context */
    BARE,      /* free context, without plans and memory of exchanges */
    FULL,      /* free context, with plans and memory of exchanges */
    TAKEN      /* an open file uses the entry, or the entry cannot be used */
} state_t;

typedef struct entry_t {
    state_t state;  /* state on this rank */
    uint64_t freed; /* value of `freed_count` when the entry became free: smallest is oldest */
    collio_context_t *context; /* the context, if the state is BARE or FULL */
} entry_t;

struct collio_set_t {
    struct collio_set_t *next;    /* the next older set of this process */
    ompi_group_t *group;          /* the processes, in the order of their ranks */
    collio_nodes_t nodes;         /* which rank is on which node */
    collio_map_t *map;            /* memory of `nodes`; owned by the set */
    collio_costs_t costs;         /* costs of messages; zeros: unknown */
    bool measured;                /* a file has measured `costs` */
    collio_agreement_t agreement; /* agreement of files that are being opened */
    collio_context_t opening;     /* context of files that are being opened: only `agreement` */
    entry_t entry[ENTRIES];       /* contexts of the set's files */
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

/* Frees the context of a entry and marks it taken. Then no rank can use the entry, because a entry
 * must be free or empty on all ranks. */
static void entry_end(collio_set_t *set, int entry)
{
    if (BARE == set->entry[entry].state || FULL == set->entry[entry].state) {
        collio_context_free(set->entry[entry].context);
    }
    set->entry[entry].state = TAKEN;
}

/* Callback at the start of MPI_Finalize. Callbacks that follow may use and open files, so open
 * files keep their contexts, and the sets stay with their agreements. Ranks need not call this at
 * the same time: a rank with `ended` still takes part in opens. Any two ranks that share two sets
 * free them in the same order, newest first. */
static void at_finalize(void)
{
    ended = true;
    for (collio_set_t *set = sets; NULL != set; set = set->next) {
        for (int i = 0; i < ENTRIES; ++i) {
            entry_end(set, i);
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
    set->entry[0].state = TAKEN;
    set->next = sets;
    sets = set;
    ++set_count;
    file->set = set;
    file->entry = 0;
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
    for (int i = 0; i < ENTRIES; ++i) {
        mine[2 * i] = NULL == set ? EMPTY : (int64_t) set->entry[i].state;
        mine[2 * i + 1] = -mine[2 * i];
    }
}

bool collio_set_take(collio_set_t *set, const int64_t all[COLLIO_SET_FIELDS], collio_file_t *file)
{
    int empty = -1;

    for (int i = 0; i < ENTRIES; ++i) {
        int64_t most = all[2 * i], least = -all[2 * i + 1];

        if (EMPTY != least && TAKEN != most) {
            collio_context_take(set->entry[i].context, FULL == least, file);
            set->entry[i].state = TAKEN;
            file->entry = i;
            return true;
        }
        empty = EMPTY == most && -1 == empty ? i : empty;
    }
    if (-1 != empty) {
        set->entry[empty].state = TAKEN;
        file->entry = empty;
    }
    return false;
}

static int64_t charge_of(const entry_t *entry)
{
    return entry->context->charge + collio_context_staging(entry->context);
}

static void shed_entry(entry_t *entry)
{
    collio_context_shed(entry->context);
    entry->state = BARE;
}

/* Returns the FULL entry that has been free for the longest time, or NULL. *sum = bytes that are
 * charged to this rank for all FULL entries. */
static entry_t *least_recent(int64_t *sum)
{
    entry_t *oldest = NULL;

    *sum = 0;
    for (collio_set_t *set = sets; NULL != set; set = set->next) {
        for (int i = 0; i < ENTRIES; ++i) {
            entry_t *entry = &set->entry[i];

            if (FULL == entry->state) {
                *sum += charge_of(entry);
                oldest = NULL == oldest || entry->freed < oldest->freed ? entry : oldest;
            }
        }
    }
    return oldest;
}

/* Frees memory until at most `most` bytes are charged to this rank. Local: ranks may keep different
 * entries and compare them at the next open. True if any memory was freed. */
static bool shed(int64_t most)
{
    bool any = false;
    int64_t sum;

    for (entry_t *entry = least_recent(&sum); NULL != entry && sum > most;
         entry = least_recent(&sum)) {
        shed_entry(entry);
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
static void bound_memory(entry_t *entry)
{
    int64_t most = KEPT_BYTES / (1 + (int64_t) opal_process_info.num_local_peers);

    entry->freed = ++freed_count;
    if (charge_of(entry) > most) {
        collio_context_drop_staging(entry->context);
    }
    if (charge_of(entry)
        > most) { /* keeping the entry would free all older ones, and then itself */
        shed_entry(entry);
    }
    (void) shed(most);
}

bool collio_set_give(collio_file_t *file)
{
    entry_t *entry;

    if (NULL == file->set) {
        return false;
    }
    entry = -1 == file->entry ? NULL : &file->set->entry[file->entry];
    if (&file->set->opening == file->context) { /* the open has failed */
        if (NULL != entry && !ended) {
            entry->state = EMPTY;
        }
        return true;
    }
    if (NULL == entry || ended || file->context->agreement->under_way || 0 < file->calls) {
        return false; /* closed with calls in progress: the entry stays taken */
    }
    collio_context_give(file, file->entry < FULL_ENTRIES);
    entry->context = file->context;
    entry->state = NULL == entry->context->kept ? BARE : FULL;
    bound_memory(entry);
    return true;
}
