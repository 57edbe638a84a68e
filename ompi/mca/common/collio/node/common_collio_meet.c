/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Meetings of a node's ranks at a shared page. See meet.h.
 *
 * A rank can be at most one meeting ahead of the slowest: it enters meeting n + 1 only when it has
 * read the result of n. So lines and results need two places each, used in turn.
 */
#include "node/common_collio_meet.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "call/common_collio_op.h"
#include "file/common_collio_file.h"
#include "ompio/common_collio_request.h"

#include "core/common_collio_wait.h"

enum {
    LINE = 64,
    YIELDS = 16 /* between two looks for messages */
};

_Static_assert((int) MCA_COMMON_COLLIO_AGREE_FIELDS <= (int) MCA_COMMON_COLLIO_MEET_FIELDS,
               "an agreement fits into a meeting");

typedef int64_t fields_t[MCA_COMMON_COLLIO_MEET_FIELDS];

typedef struct seat_t {
    _Alignas(LINE) fields_t line[2];
    mca_common_collio_process_t process; /* whose seat it is; written before the first meeting */
} seat_t;

typedef struct mca_common_collio_meet_page_t {
    _Alignas(LINE) _Atomic uint32_t arrived; /* in all meetings so far, modulo 2^32 */
    _Alignas(LINE) _Atomic uint32_t reduced; /* meetings whose lines are reduced */
    _Alignas(LINE) _Atomic uint32_t gate;    /* meetings whose result is there */
    _Alignas(LINE) _Atomic uint32_t sleepers;
    _Alignas(LINE) fields_t result[2];
    _Alignas(LINE) seat_t seat[]; /* one per rank of the node */
} page_t;

static void take_maximum(const int64_t *from, int64_t *to, int fields)
{
    for (int i = 0; i < fields; ++i) {
        to[i] = from[i] > to[i] ? from[i] : to[i];
    }
}

static void reduce_lines(const mca_common_collio_meet_t *meet)
{
    int turn = (int) (meet->round & 1), one = 1;
    int64_t *to = meet->page->result[turn];

    memcpy(to, meet->page->seat[0].line[turn], sizeof(fields_t));
    for (int i = 1; i < meet->ranks; ++i) {
        if (meet->agreement) {
            mca_common_collio_agree_reduce(meet->page->seat[i].line[turn], to, &one, NULL);
        } else {
            take_maximum(meet->page->seat[i].line[turn], to, meet->fields);
        }
    }
}

/* Lets everybody see that a meeting has come so far, and wakes those who sleep. */
static void announce(page_t *page, _Atomic uint32_t *word, uint32_t value)
{
    atomic_store(word, value);
    if (0 != atomic_load(&page->sleepers)) {
        (void) syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static int reduce_by_messages(mca_common_collio_file_t *file, const int64_t *mine,
                              ompi_communicator_t *comm)
{
    mca_common_collio_meet_t *meet = &file->meet;

    return meet->agreement
               ? mca_common_collio_iallreduce(mine, meet->all, 1, file->agree_type, file->agree_op,
                                              comm, &meet->request)
               : mca_common_collio_iallreduce(mine, meet->all, meet->fields, MPI_INT64_T, MPI_MAX,
                                              comm, &meet->request);
}

/* agreement, alone and attentive are set. */
static int start(mca_common_collio_file_t *file, const int64_t *mine, int64_t *result, int fields)
{
    mca_common_collio_meet_t *meet = &file->meet;
    page_t *page = meet->page;
    int rc = OMPI_SUCCESS;

    meet->fields = fields;
    meet->result = result;
    meet->under_way = true;
    meet->begun_ns = mca_common_collio_now();
    if (NULL == page) {
        memcpy(meet->mine, mine, sizeof(*mine) * (size_t) fields);
        rc = reduce_by_messages(file, meet->mine, meet->alone ? file->node_comm : file->comm);
        if (OMPI_SUCCESS != rc) {
            meet->under_way = false;
            mca_common_collio_file_lose(file, rc);
        }
        return rc;
    }
    memcpy(page->seat[meet->me].line[meet->round & 1], mine, sizeof(*mine) * (size_t) fields);
    if (atomic_fetch_add(&page->arrived, 1) + 1 == (meet->round + 1) * (uint32_t) meet->ranks) {
        reduce_lines(meet);
        announce(page, meet->alone ? &page->gate : &page->reduced, meet->round + 1);
    }
    return OMPI_SUCCESS;
}

int mca_common_collio_meet_start(mca_common_collio_file_t *file, const int64_t *mine,
                                 int64_t *result, int fields, bool agreement)
{
    file->meet.agreement = agreement;
    file->meet.alone = 1 == file->nodes.nodes;
    file->meet.attentive = false;
    return start(file, mine, result, fields);
}

int mca_common_collio_meet_on_node(mca_common_collio_file_t *file, const int64_t *mine,
                                   int64_t *result, int fields, bool attentive)
{
    file->meet.agreement = false;
    file->meet.alone = true;
    file->meet.attentive = attentive;
    return start(file, mine, result, fields);
}

int mca_common_collio_meet_barrier(mca_common_collio_file_t *file)
{
    const int64_t nothing = 0;
    int rc = mca_common_collio_meet_start(file, &nothing, &file->meet.nothing, 1, false);

    file->meet.attentive = true;
    return rc;
}

/* The first rank of a node, when there are several: reduces over the nodes, opens the gate. */
static void lead(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;
    page_t *page = meet->page;
    int64_t *node = page->result[meet->round & 1];
    int rc;

    if (NULL == meet->request) {
        if (atomic_load(&page->reduced) != meet->round + 1
            || atomic_load(&page->gate) == meet->round + 1) {
            return;
        }
        memcpy(meet->mine, node, sizeof(fields_t));
        rc = reduce_by_messages(file, meet->mine, meet->leaders);
        if (OMPI_SUCCESS != rc) {
            meet->request = NULL;
            mca_common_collio_file_lose(file, rc);
            return;
        }
    }
    if (mca_common_collio_request_done(file, &meet->request, NULL)) {
        meet->request = NULL;
        if (0 != file->lost) {
            return; /* the gate stays shut: the others of the node are told by a notice */
        }
        memcpy(node, meet->all, sizeof(*node) * (size_t) meet->fields);
        announce(page, &page->gate, meet->round + 1);
    }
}

bool mca_common_collio_meet_poll(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;
    const int64_t *all = meet->all;

    if (!meet->under_way) {
        return true;
    }
    if (NULL == meet->page) {
        if (!mca_common_collio_request_done(file, &meet->request, NULL)) {
            return false;
        }
        meet->request = NULL;
        if (0 != file->lost) {
            return false;
        }
    } else {
        if (MPI_COMM_NULL != meet->leaders && !meet->alone) {
            lead(file);
        }
        if (atomic_load(&meet->page->gate) != meet->round + 1) {
            return false;
        }
        all = meet->page->result[meet->round & 1];
    }
    memcpy(meet->result, all, sizeof(*all) * (size_t) meet->fields);
    if (!meet->attentive) {
        meet->waited_ns[meet->agreement] = (int64_t) (mca_common_collio_now() - meet->begun_ns);
    }
    meet->under_way = false;
    ++meet->round;
    return true;
}

static void sleep_at(page_t *page, _Atomic uint32_t *word, uint32_t seen, int64_t nanoseconds)
{
    struct timespec moment = {.tv_nsec = nanoseconds};

    atomic_fetch_add(&page->sleepers, 1);
    (void) syscall(SYS_futex, word, FUTEX_WAIT, seen, &moment, NULL, 0);
    atomic_fetch_sub(&page->sleepers, 1);
}

bool mca_common_collio_meet_rest(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;
    int64_t last = meet->waited_ns[meet->agreement];
    bool behind = mca_common_collio_request_used();
    _Atomic uint32_t *word;

    if (!meet->under_way || NULL == meet->page || !meet->crowded || meet->attentive
        || NULL != meet->request) {
        return false;
    }
    word = MPI_COMM_NULL != meet->leaders && !meet->alone ? &meet->page->reduced
                                                          : &meet->page->gate;
    for (int i = 0; i < YIELDS; ++i) {
        /* read before the sleep: a futex does not sleep if the word has changed since */
        uint32_t seen = atomic_load(word);
        int64_t sleep;

        if (mca_common_collio_wait_reached(seen, meet->round)) {
            return true;
        }
        /* also between yields: one alone can take long */
        sleep = mca_common_collio_wait_sleep((int64_t) (mca_common_collio_now() - meet->begun_ns),
                                             last, meet->crowd, behind);
        if (0 != sleep) {
            sleep_at(meet->page, word, seen, sleep);
            return mca_common_collio_wait_reached(atomic_load(word), meet->round);
        }
        sched_yield();
    }
    return mca_common_collio_wait_reached(atomic_load(word), meet->round);
}

/* The page of this node: its first rank makes it, and tells the others the key. */
static int share_page(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;
    size_t bytes = sizeof(page_t) + sizeof(seat_t) * (size_t) meet->ranks;
    int64_t mine[3] = {0}, all[3] = {0}; /* the key, an errno */
    int rc;

    if (0 == meet->me) {
        mine[2] = mca_common_collio_shm_make(&meet->segment, bytes, mine);
    }
    rc = mca_common_collio_allreduce(mine, all, 3, MPI_INT64_T, MPI_MAX, file->node_comm);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 != meet->me && 0 == all[2]) {
        (void) mca_common_collio_shm_attach(&meet->segment, bytes, all);
    }
    meet->page = meet->segment.at;
    if (NULL != meet->page) {
        meet->page->seat[meet->me].process = meet->self = mca_common_collio_process_self();
    }
    return OMPI_SUCCESS;
}

/* The first ranks of the nodes, and whether all ranks have their page: with pages, or nobody. */
static int connect_pages(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;
    int rc = share_page(file), missing = NULL == meet->page, any = 1;

    if (OMPI_SUCCESS == rc) {
        rc = mca_common_collio_allreduce(&missing, &any, 1, MPI_INT, MPI_MAX, file->node_comm);
    }
    /* all ranks of the node have it: nothing is left behind whatever happens later */
    mca_common_collio_shm_unlink(&meet->segment);
    if (OMPI_SUCCESS == rc && file->nodes.nodes > 1) {
        missing = any;
        rc = ompi_comm_split(file->comm, 0 == meet->me ? 0 : MPI_UNDEFINED, 0, &meet->leaders,
                             false);
        if (OMPI_SUCCESS == rc) {
            rc = mca_common_collio_allreduce(&missing, &any, 1, MPI_INT, MPI_MAX, file->comm);
        }
    }
    if (0 != any) {
        mca_common_collio_meet_fini(file);
    }
    return rc;
}

static int ranks_per_core(int ranks)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : (int) ((ranks + cores - 1) / cores);
}

void mca_common_collio_meet_init(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;
    int rc;

    meet->leaders = MPI_COMM_NULL;
    meet->me = ompi_comm_rank(file->node_comm);
    meet->ranks = ompi_comm_size(file->node_comm);
    meet->crowd = ranks_per_core(meet->ranks);
    meet->crowded = meet->crowd > 1;
    rc = connect_pages(file);
    if (OMPI_SUCCESS != rc) {
        mca_common_collio_file_lose(file, rc);
    }
}

bool mca_common_collio_meet_peer_ended(const mca_common_collio_file_t *file)
{
    const mca_common_collio_meet_t *meet = &file->meet;

    for (int i = 1; NULL != meet->page && i < meet->ranks; ++i) {
        /* zombies and reused numbers take a look into /proc: each rank looks for the next one */
        if (mca_common_collio_process_ended(&meet->page->seat[(meet->me + i) % meet->ranks].process,
                                            &meet->self, 1 == i)) {
            return true;
        }
    }
    return false;
}

void mca_common_collio_meet_fini(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;

    mca_common_collio_shm_fini(&meet->segment);
    meet->page = NULL;
    if (NULL != meet->leaders && MPI_COMM_NULL != meet->leaders) {
        ompi_comm_free(&meet->leaders);
    }
    meet->leaders = MPI_COMM_NULL;
}
