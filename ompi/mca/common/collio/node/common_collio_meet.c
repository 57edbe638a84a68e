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

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
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

typedef struct mca_common_collio_meet_page_t {
    _Alignas(LINE) _Atomic uint32_t arrived; /* in all meetings so far, modulo 2^32 */
    _Alignas(LINE) _Atomic uint32_t reduced; /* meetings whose lines are reduced */
    _Alignas(LINE) _Atomic uint32_t gate;    /* meetings whose result is there */
    _Alignas(LINE) _Atomic uint32_t sleepers;
    _Alignas(LINE) fields_t result[2];
    _Alignas(LINE) fields_t line[][2]; /* one pair per rank of the node */
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

    memcpy(to, meet->page->line[0][turn], sizeof(fields_t));
    for (int i = 1; i < meet->ranks; ++i) {
        if (meet->agreement) {
            mca_common_collio_agree_reduce(meet->page->line[i][turn], to, &one, NULL);
        } else {
            take_maximum(meet->page->line[i][turn], to, meet->fields);
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
        meet->under_way = OMPI_SUCCESS == rc;
        return rc;
    }
    memcpy(page->line[meet->me][meet->round & 1], mine, sizeof(*mine) * (size_t) fields);
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

    if (NULL == meet->request) {
        if (atomic_load(&page->reduced) != meet->round + 1
            || atomic_load(&page->gate) == meet->round + 1) {
            return;
        }
        memcpy(meet->mine, node, sizeof(fields_t));
        if (OMPI_SUCCESS != reduce_by_messages(file, meet->mine, meet->leaders)) {
            meet->request = NULL;
            return;
        }
    }
    if (mca_common_collio_request_done(&meet->request, NULL, NULL)) {
        meet->request = NULL;
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
        if (!mca_common_collio_request_done(&meet->request, NULL, NULL)) {
            return false;
        }
        meet->request = NULL;
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

static void sleep_at(page_t *page, _Atomic uint32_t *word, uint32_t from, int64_t nanoseconds)
{
    struct timespec moment = {.tv_nsec = nanoseconds};

    atomic_fetch_add(&page->sleepers, 1);
    (void) syscall(SYS_futex, word, FUTEX_WAIT, from, &moment, NULL, 0);
    atomic_fetch_sub(&page->sleepers, 1);
}

bool mca_common_collio_meet_rest(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;
    int64_t last = meet->waited_ns[meet->agreement], sleep = 0;
    bool behind = mca_common_collio_request_used();
    _Atomic uint32_t *word;

    if (!meet->under_way || NULL == meet->page || !meet->crowded || meet->attentive
        || NULL != meet->request) {
        return false;
    }
    word = MPI_COMM_NULL != meet->leaders && !meet->alone ? &meet->page->reduced
                                                          : &meet->page->gate;
    for (int i = 0; i < YIELDS && 0 == sleep; ++i) {
        /* also between yields: one alone can take long */
        sleep = mca_common_collio_wait_sleep((int64_t) (mca_common_collio_now() - meet->begun_ns),
                                             last, meet->crowd, behind);
        if (0 != sleep) {
            sleep_at(meet->page, word, meet->round, sleep);
        } else {
            sched_yield();
        }
        if (atomic_load(word) != meet->round) {
            return true;
        }
    }
    return false;
}

static void *map_page(int fd, size_t bytes)
{
    void *at = fd < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return MAP_FAILED == at ? NULL : at;
}

static void page_name(char *name, size_t size, const int64_t *key)
{
    snprintf(name, size, "/collio-meet-%lld-%lld", (long long) key[0], (long long) key[1]);
}

/* The node's first rank makes the page under a name nobody has. */
static void make_page(mca_common_collio_meet_t *meet, int64_t *key)
{
    static _Atomic int64_t counter;
    char name[64];
    int fd;

    key[0] = getpid();
    do {
        key[1] = atomic_fetch_add(&counter, 1);
        page_name(name, sizeof(name), key);
        fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
    } while (fd < 0 && EEXIST == errno);
    if (fd >= 0 && 0 == posix_fallocate(fd, 0, (off_t) meet->page_bytes)) {
        meet->page = map_page(fd, meet->page_bytes);
    }
    if (fd >= 0) {
        close(fd);
    }
}

static void find_page(mca_common_collio_meet_t *meet, const int64_t *key)
{
    char name[64];
    int fd;

    page_name(name, sizeof(name), key);
    fd = shm_open(name, O_RDWR, 0);
    meet->page = map_page(fd, meet->page_bytes);
    if (fd >= 0) {
        close(fd);
    }
}

/* The page of this node, under the name that its first rank gives to the others. */
static void share_page(mca_common_collio_file_t *file, int64_t *key)
{
    mca_common_collio_meet_t *meet = &file->meet;
    int64_t mine[2] = {INT64_MIN, INT64_MIN};

    if (0 == meet->me) {
        make_page(meet, mine);
    }
    if (OMPI_SUCCESS
            == mca_common_collio_allreduce(mine, key, 2, MPI_INT64_T, MPI_MAX, file->node_comm)
        && 0 != meet->me) {
        find_page(meet, key);
    }
}

static int ranks_per_core(int ranks)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : (int) ((ranks + cores - 1) / cores);
}

void mca_common_collio_meet_init(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;
    int64_t key[2] = {0};
    char name[64];
    int missing, any = 1;

    meet->leaders = MPI_COMM_NULL;
    meet->me = ompi_comm_rank(file->node_comm);
    meet->ranks = ompi_comm_size(file->node_comm);
    meet->crowd = ranks_per_core(meet->ranks);
    meet->crowded = meet->crowd > 1;
    meet->page_bytes = sizeof(page_t) + 2 * sizeof(fields_t) * (size_t) meet->ranks;
    share_page(file, key);
    missing = NULL == meet->page;
    if (file->nodes.nodes > 1
        && OMPI_SUCCESS
               != ompi_comm_split(file->comm, 0 == meet->me ? 0 : MPI_UNDEFINED, 0, &meet->leaders,
                                  false)) {
        missing = 1;
    }
    /* all with pages, or nobody */
    (void) mca_common_collio_allreduce(&missing, &any, 1, MPI_INT, MPI_MAX, file->comm);
    if (0 == meet->me) {
        page_name(name, sizeof(name), key);
        shm_unlink(name); /* everybody has it: nothing is left behind whatever happens later */
    }
    if (0 != any) {
        mca_common_collio_meet_fini(file);
    }
}

void mca_common_collio_meet_fini(mca_common_collio_file_t *file)
{
    mca_common_collio_meet_t *meet = &file->meet;

    if (NULL != meet->page) {
        munmap(meet->page, meet->page_bytes);
        meet->page = NULL;
    }
    if (NULL != meet->leaders && MPI_COMM_NULL != meet->leaders) {
        ompi_comm_free(&meet->leaders);
    }
    meet->leaders = MPI_COMM_NULL;
}
