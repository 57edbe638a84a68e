/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Meetings of a node's ranks at a shared page. See reduction.h.
 *
 * A rank can be at most one reduction ahead of the slowest: it enters reduction n + 1 only when it
 * has read the result of n. So lines and results need two places each, used in turn.
 */
#include "node/reduction.h"

#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "file/file.h"

#include "core/wait.h"

enum {
    LINE = 64,
    YIELDS = 16 /* between two looks for messages */
};

typedef int64_t fields_t[COLLIO_REDUCTION_FIELDS];

typedef struct seat_t {
    _Alignas(LINE) fields_t line[2];
    collio_process_t process; /* whose seat it is; written before the first reduction */
} seat_t;

typedef struct collio_reduction_page_t {
    _Alignas(LINE) _Atomic uint32_t arrived; /* in all reductions so far, modulo 2^32 */
    _Alignas(LINE) _Atomic uint32_t reduced; /* reductions whose lines are reduced */
    _Alignas(LINE) _Atomic uint32_t gate;    /* reductions whose result is there */
    int64_t first[2];                        /* the first field of each result, beside the gate */
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

static void reduce_lines(const collio_reduction_t *reduction)
{
    int turn = (int) (reduction->round & 1), one = 1;
    int64_t *to = reduction->page->result[turn];

    memcpy(to, reduction->page->seat[0].line[turn], sizeof(fields_t));
    for (int i = 1; i < reduction->ranks; ++i) {
        if (reduction->agreement) {
            reduction->reduce(reduction->page->seat[i].line[turn], to, &one, NULL);
        } else {
            take_maximum(reduction->page->seat[i].line[turn], to, reduction->fields);
        }
    }
    reduction->page->first[turn] = to[0];
}

/* Lets everybody see that a reduction has come so far, and wakes those who sleep. */
static void announce(page_t *page, _Atomic uint32_t *word, uint32_t value)
{
    atomic_store(word, value);
    if (0 != atomic_load(&page->sleepers)) {
        (void) syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static int reduce_by_messages(collio_file_t *file, const int64_t *mine, ompi_communicator_t *comm)
{
    collio_reduction_t *reduction = file->reduction;

    return reduction->agreement
               ? collio_iallreduce(mine, reduction->all, 1, file->agree_type, file->agree_op, comm,
                                   &reduction->request)
               : collio_iallreduce(mine, reduction->all, reduction->fields, MPI_INT64_T, MPI_MAX,
                                   comm, &reduction->request);
}

/* agreement, alone, attentive and wanted are set. */
static int start(collio_file_t *file, const int64_t *mine, int64_t *result, int fields)
{
    collio_reduction_t *reduction = file->reduction;
    page_t *page = reduction->page;
    int rc = OMPI_SUCCESS;

    reduction->fields = fields;
    reduction->result = result;
    reduction->under_way = true;
    if (reduction->crowded) { /* only there ranks sleep */
        reduction->begun_ns = collio_now();
    }
    if (NULL == page) {
        memcpy(reduction->mine, mine, sizeof(*mine) * (size_t) fields);
        rc = reduce_by_messages(file, reduction->mine,
                                reduction->alone ? file->node_comm : file->comm);
        if (OMPI_SUCCESS != rc) {
            reduction->under_way = false;
            collio_file_lose(file, rc);
        }
        return rc;
    }
    memcpy(page->seat[reduction->me].line[reduction->round & 1], mine,
           sizeof(*mine) * (size_t) fields);
    if (atomic_fetch_add(&page->arrived, 1) + 1
        == (reduction->round + 1) * (uint32_t) reduction->ranks) {
        reduce_lines(reduction);
        announce(page, reduction->alone ? &page->gate : &page->reduced, reduction->round + 1);
    }
    return OMPI_SUCCESS;
}

int collio_reduction_start(collio_file_t *file, const int64_t *mine, int64_t *result, int fields)
{
    file->reduction->agreement = false;
    file->reduction->alone = 1 == file->nodes.nodes;
    file->reduction->attentive = false;
    file->reduction->wanted = fields;
    return start(file, mine, result, fields);
}

int collio_reduction_agree(collio_file_t *file, const int64_t *mine, int64_t *result, int wanted)
{
    file->reduction->agreement = true;
    file->reduction->alone = 1 == file->nodes.nodes;
    file->reduction->attentive = false;
    file->reduction->wanted = wanted;
    return start(file, mine, result, COLLIO_REDUCTION_FIELDS);
}

int collio_reduction_on_node(collio_file_t *file, const int64_t *mine, int64_t *result, int fields,
                             bool attentive)
{
    file->reduction->agreement = false;
    file->reduction->alone = true;
    file->reduction->attentive = attentive;
    file->reduction->wanted = fields;
    return start(file, mine, result, fields);
}

int collio_reduction_barrier(collio_file_t *file)
{
    const int64_t nothing = 0;
    int rc = collio_reduction_start(file, &nothing, &file->reduction->nothing, 1);

    file->reduction->attentive = true;
    return rc;
}

/* The first rank of a node, when there are several: reduces over the nodes, opens the gate. */
static void lead(collio_file_t *file)
{
    collio_reduction_t *reduction = file->reduction;
    page_t *page = reduction->page;
    int64_t *node = page->result[reduction->round & 1];
    int rc;

    if (NULL == reduction->request) {
        if (atomic_load(&page->reduced) != reduction->round + 1
            || atomic_load(&page->gate) == reduction->round + 1) {
            return;
        }
        memcpy(reduction->mine, node, sizeof(fields_t));
        rc = reduce_by_messages(file, reduction->mine, reduction->leaders);
        if (OMPI_SUCCESS != rc) {
            reduction->request = NULL;
            collio_file_lose(file, rc);
            return;
        }
    }
    if (collio_request_done(file, &reduction->request, NULL)) {
        reduction->request = NULL;
        if (0 != file->lost) {
            return; /* the gate stays shut: the others of the node are told by a notice */
        }
        memcpy(node, reduction->all, sizeof(*node) * (size_t) reduction->fields);
        page->first[reduction->round & 1] = node[0];
        announce(page, &page->gate, reduction->round + 1);
    }
}

bool collio_reduction_poll(collio_file_t *file)
{
    collio_reduction_t *reduction = file->reduction;
    const int64_t *all = reduction->all;

    if (!reduction->under_way) {
        return true;
    }
    if (NULL == reduction->page) {
        if (!collio_request_done(file, &reduction->request, NULL)) {
            return false;
        }
        reduction->request = NULL;
        if (0 != file->lost) {
            return false;
        }
    } else {
        if (MPI_COMM_NULL != reduction->leaders && !reduction->alone) {
            lead(file);
        }
        if (atomic_load(&reduction->page->gate) != reduction->round + 1) {
            return false;
        }
        all = 1 == reduction->wanted ? &reduction->page->first[reduction->round & 1]
                                     : reduction->page->result[reduction->round & 1];
    }
    memcpy(reduction->result, all, sizeof(*all) * (size_t) reduction->wanted);
    if (reduction->crowded && !reduction->attentive) {
        reduction->waited_ns[reduction->agreement] = (int64_t) (collio_now() - reduction->begun_ns);
    }
    reduction->under_way = false;
    ++reduction->round;
    return true;
}

static void sleep_at(page_t *page, _Atomic uint32_t *word, uint32_t seen, int64_t nanoseconds)
{
    struct timespec moment = {.tv_nsec = nanoseconds};

    atomic_fetch_add(&page->sleepers, 1);
    (void) syscall(SYS_futex, word, FUTEX_WAIT, seen, &moment, NULL, 0);
    atomic_fetch_sub(&page->sleepers, 1);
}

bool collio_reduction_rest(collio_file_t *file)
{
    collio_reduction_t *reduction = file->reduction;
    int64_t last = reduction->waited_ns[reduction->agreement];
    bool behind = collio_file_background();
    _Atomic uint32_t *word;

    if (!reduction->under_way || NULL == reduction->page || !reduction->crowded
        || reduction->attentive || NULL != reduction->request) {
        return false;
    }
    word = MPI_COMM_NULL != reduction->leaders && !reduction->alone ? &reduction->page->reduced
                                                                    : &reduction->page->gate;
    for (int i = 0; i < YIELDS; ++i) {
        /* read before the sleep: a futex does not sleep if the word has changed since */
        uint32_t seen = atomic_load(word);
        int64_t sleep;

        if (collio_wait_reached(seen, reduction->round)) {
            return true;
        }
        /* also between yields: one alone can take long */
        sleep = collio_wait_sleep((int64_t) (collio_now() - reduction->begun_ns), last,
                                  reduction->crowd, behind);
        if (0 != sleep) {
            sleep_at(reduction->page, word, seen, sleep);
            return collio_wait_reached(atomic_load(word), reduction->round);
        }
        sched_yield();
    }
    return collio_wait_reached(atomic_load(word), reduction->round);
}

enum { KEY, KEY_ERRNO = 2, KEY_FIELDS = COLLIO_REDUCTION_KEY_FIELDS };

static size_t page_bytes(const collio_reduction_t *reduction)
{
    return sizeof(page_t) + sizeof(seat_t) * (size_t) reduction->ranks;
}

/* The page of this node: its first rank makes it, and tells the others the key. */
static void make_page(collio_reduction_t *reduction, int64_t mine[KEY_FIELDS])
{
    memset(mine, 0, sizeof(*mine) * KEY_FIELDS);
    if (0 == reduction->me) {
        mine[KEY_ERRNO] = collio_shm_make(&reduction->segment, page_bytes(reduction), &mine[KEY]);
    }
}

static void attach_page(collio_reduction_t *reduction, const int64_t key[KEY_FIELDS])
{
    if (0 != reduction->me && 0 == key[KEY_ERRNO]) {
        (void) collio_shm_attach(&reduction->segment, page_bytes(reduction), &key[KEY]);
    }
    reduction->page = reduction->segment.at;
    if (NULL != reduction->page) {
        reduction->page->seat[reduction->me].process = reduction->self = collio_process_self();
    }
}

void collio_reduction_offer(collio_file_t *file, int64_t mine[KEY_FIELDS])
{
    memset(mine, 0, sizeof(*mine) * KEY_FIELDS);
    if (NULL != file->reduction && 1 == file->nodes.nodes) {
        make_page(file->reduction, mine);
    }
}

static int share_page(collio_file_t *file, const int64_t *key)
{
    int64_t mine[KEY_FIELDS], node[KEY_FIELDS];
    int rc = OMPI_SUCCESS;

    if (file->nodes.nodes > 1) {
        make_page(file->reduction, mine);
        rc = collio_file_allreduce(file, file->node_comm, mine, node, KEY_FIELDS);
        key = node;
    }
    if (OMPI_SUCCESS == rc) {
        attach_page(file->reduction, key);
    }
    return rc;
}

static void disconnect(collio_reduction_t *reduction)
{
    collio_shm_fini(&reduction->segment);
    reduction->page = NULL;
    if (MPI_COMM_NULL != reduction->leaders) {
        ompi_comm_free(&reduction->leaders);
    }
    reduction->leaders = MPI_COMM_NULL;
}

/* The first ranks of the nodes, and whether all ranks have their page: with pages, or nobody. */
static int connect_pages(collio_file_t *file, const int64_t *key)
{
    collio_reduction_t *reduction = file->reduction;
    int rc = share_page(file, key);
    int64_t missing = NULL == reduction->page, any = 1;

    if (OMPI_SUCCESS == rc) {
        rc = collio_file_allreduce(file, file->node_comm, &missing, &any, 1);
    }
    /* all ranks of the node have it: nothing is left behind whatever happens later */
    collio_shm_unlink(&reduction->segment);
    if (OMPI_SUCCESS == rc && file->nodes.nodes > 1) {
        missing = any;
        rc = ompi_comm_split(file->comm, 0 == reduction->me ? 0 : MPI_UNDEFINED, 0,
                             &reduction->leaders, false);
        if (OMPI_SUCCESS == rc) {
            rc = collio_file_allreduce(file, file->comm, &missing, &any, 1);
        }
    }
    if (0 != any) {
        disconnect(file->reduction);
    }
    return rc;
}

static int ranks_per_core(int ranks)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : (int) ((ranks + cores - 1) / cores);
}

int collio_reduction_open(collio_file_t *file, collio_reduction_function_t reduce)
{
    collio_reduction_t *reduction = file->reduction = calloc(1, sizeof(*reduction));

    if (NULL == reduction) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    reduction->reduce = reduce;
    reduction->leaders = MPI_COMM_NULL;
    reduction->me = ompi_comm_rank(file->node_comm);
    reduction->ranks = ompi_comm_size(file->node_comm);
    reduction->crowd = ranks_per_core(reduction->ranks);
    reduction->crowded = reduction->crowd > 1;
    return OMPI_SUCCESS;
}

void collio_reduction_connect(collio_file_t *file, const int64_t key[KEY_FIELDS])
{
    int rc = connect_pages(file, key);

    if (OMPI_SUCCESS != rc) {
        collio_file_lose(file, rc);
    }
}

bool collio_reduction_peer_ended(const collio_file_t *file)
{
    const collio_reduction_t *reduction = file->reduction;

    for (int i = 1; NULL != reduction->page && i < reduction->ranks; ++i) {
        /* zombies and reused numbers take a look into /proc: each rank looks for the next one */
        if (collio_process_ended(
                &reduction->page->seat[(reduction->me + i) % reduction->ranks].process,
                &reduction->self, 1 == i)) {
            return true;
        }
    }
    return false;
}

void collio_reduction_close(collio_file_t *file)
{
    if (NULL != file->reduction) {
        disconnect(file->reduction);
        free(file->reduction);
        file->reduction = NULL;
    }
}
