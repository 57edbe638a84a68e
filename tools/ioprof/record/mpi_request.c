/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking MPI-IO calls under way, and the functions that complete them. */
#include "record/mpi.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 65536 /* requests under way at a time; more are not followed */

struct slot {
    MPI_Request request;
    bool used;
    struct ioprof_mpi call;
};
static struct slot *slots;
static int under_way;
static bool locked;

static void lock(void)
{
    while (__atomic_exchange_n(&locked, true, __ATOMIC_ACQUIRE)) {
        sched_yield(); /* its holder may wait for this core */
    }
}

static void unlock(void)
{
    __atomic_store_n(&locked, false, __ATOMIC_RELEASE);
}

static unsigned home(MPI_Request request)
{
    uint64_t key = 0;

    memcpy(&key, &request, sizeof(request) < sizeof(key) ? sizeof(request) : sizeof(key));
    return (unsigned) ((key * 0x9e3779b97f4a7c15U) >> 48);
}

void ioprof_request_add(MPI_Request request, const struct ioprof_mpi *c)
{
    unsigned at = home(request);
    bool placed = false;

    lock();
    slots = NULL == slots ? calloc(SLOTS, sizeof(*slots)) : slots;
    for (int tries = 0; NULL != slots && tries < 64 && !placed; tries++, at = (at + 1) % SLOTS) {
        if (!slots[at].used) {
            slots[at] = (struct slot){request, true, *c};
            under_way++;
            placed = true;
        }
    }
    unlock();
    if (!placed) {
        IOPROF_ADD(ioprof_me.requests_dropped, 1);
    }
}

static bool request_find(MPI_Request request, bool take, struct ioprof_mpi *c)
{
    unsigned at = home(request);
    bool found = false;

    if (MPI_REQUEST_NULL == request) {
        return false;
    }
    lock();
    for (int tries = 0; tries < 64 && !found; tries++, at = (at + 1) % SLOTS) {
        if (slots[at].used && slots[at].request == request) {
            found = true;
            *c = slots[at].call;
            slots[at].used = !take;
            under_way -= take;
        }
    }
    unlock();
    return found;
}

/** A completion function with n requests: which of them are MPI-IO's. */
struct wait {
    enum ioprof_id id;
    uint64_t begin;
    bool io;               /* some are */
    MPI_Request *requests; /* handles before the call, which sets them to null */
    MPI_Request few[64];
    MPI_Status *own; /* where the program gave none */
    int rc, completed;
};

/** False: nothing to follow, the call goes through as it is. */
static bool wait_begin(struct wait *w, enum ioprof_id id, int n, const MPI_Request *requests)
{
    struct ioprof_mpi unused;

    if (0 == __atomic_load_n(&under_way, __ATOMIC_RELAXED) || !ioprof_active
        || ioprof_thread.in_mpi_file > 0 || ioprof_thread.in_library > 0) {
        return false;
    }
    w->id = id;
    w->io = false;
    w->own = NULL;
    w->completed = 0;
    w->requests = n <= 64 ? w->few : malloc((size_t) n * sizeof(*requests));
    if (NULL == w->requests) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        w->requests[i] = requests[i];
        w->io = w->io || request_find(requests[i], false, &unused);
    }
    /* Even without an MPI-IO request in the list, progress may work for one. */
    ioprof_thread.in_mpi_file++;
    w->begin = ioprof_now();
    return true;
}

/** Statuses to read: the program's, or own ones where it does not want any. */
static MPI_Status *wait_statuses(struct wait *w, int n, MPI_Status *statuses, bool ignored)
{
    if (!w->io || !ignored) {
        return statuses;
    }
    w->own = malloc((size_t) (n > 0 ? n : 1) * sizeof(*w->own));
    return NULL == w->own ? statuses : w->own;
}

/** Request i is complete. Without a status, its bytes are not known. */
static void wait_one(struct wait *w, int i, const MPI_Status *status)
{
    struct ioprof_mpi c;
    bool failed = MPI_SUCCESS != w->rc;

    if (!w->io || !request_find(w->requests[i], true, &c)) {
        return;
    }
    w->completed++;
    if (MPI_ERR_IN_STATUS == w->rc && NULL != status) {
        failed = MPI_SUCCESS != status->MPI_ERROR;
    }
    ioprof_record(&(struct ioprof_call){.id = c.id,
                                        .file = c.file,
                                        .failed = failed,
                                        .hidden_time = true,
                                        .begin = c.begin,
                                        .end = ioprof_now(),
                                        .offset = c.offset,
                                        .bytes = NULL == status ? 0 : ioprof_mpi_bytes(status)});
}

static void wait_end(struct wait *w, int rc)
{
    ioprof_thread.in_mpi_file--;
    if (w->io) {
        ioprof_record(&(struct ioprof_call){.id = w->id,
                                            .file = IOPROF_NO_FILE,
                                            .failed = MPI_SUCCESS != rc,
                                            .no_event = 0 == w->completed,
                                            .begin = w->begin,
                                            .end = ioprof_now(),
                                            .offset = IOPROF_UNSET});
    }
    if (w->requests != w->few) {
        free(w->requests);
    }
    free(w->own);
}

/* statuses that exist: MPI_STATUS(ES)_IGNORE only stays where there was no memory for own ones */
#define AT(statuses, i) (MPI_STATUSES_IGNORE == (statuses) ? NULL : &(statuses)[i])

IOPROF_WRAP(Wait, (MPI_Request * request, MPI_Status *status), (request, status), {
    struct wait w;
    int rc;

    if (!wait_begin(&w, IOPROF_ID_Wait, 1, request)) {
        return real(request, status);
    }
    status = wait_statuses(&w, 1, status, MPI_STATUS_IGNORE == status);
    rc = w.rc = real(request, status);
    wait_one(&w, 0, MPI_STATUS_IGNORE == status ? NULL : status);
    wait_end(&w, rc);
    return rc;
})

IOPROF_WRAP(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status), {
    struct wait w;
    int rc;

    if (!wait_begin(&w, IOPROF_ID_Test, 1, request)) {
        return real(request, flag, status);
    }
    status = wait_statuses(&w, 1, status, MPI_STATUS_IGNORE == status);
    rc = w.rc = real(request, flag, status);
    if (*flag) {
        wait_one(&w, 0, MPI_STATUS_IGNORE == status ? NULL : status);
    }
    wait_end(&w, rc);
    return rc;
})

IOPROF_WRAP(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]),
            (n, requests, statuses), {
                struct wait w;
                int rc;

                if (!wait_begin(&w, IOPROF_ID_Waitall, n, requests)) {
                    return real(n, requests, statuses);
                }
                statuses = wait_statuses(&w, n, statuses, MPI_STATUSES_IGNORE == statuses);
                rc = w.rc = real(n, requests, statuses);
                for (int i = 0; i < n; i++) {
                    /* After an error some may still be under way: their handles remain. */
                    if (MPI_REQUEST_NULL == requests[i]) {
                        wait_one(&w, i, AT(statuses, i));
                    }
                }
                wait_end(&w, rc);
                return rc;
            })

IOPROF_WRAP(Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
            (n, requests, flag, statuses), {
                struct wait w;
                int rc;

                if (!wait_begin(&w, IOPROF_ID_Testall, n, requests)) {
                    return real(n, requests, flag, statuses);
                }
                statuses = wait_statuses(&w, n, statuses, MPI_STATUSES_IGNORE == statuses);
                rc = w.rc = real(n, requests, flag, statuses);
                for (int i = 0; i < n && *flag; i++) {
                    wait_one(&w, i, AT(statuses, i));
                }
                wait_end(&w, rc);
                return rc;
            })

IOPROF_WRAP(Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status),
            (n, requests, index, status), {
                struct wait w;
                int rc;

                if (!wait_begin(&w, IOPROF_ID_Waitany, n, requests)) {
                    return real(n, requests, index, status);
                }
                status = wait_statuses(&w, 1, status, MPI_STATUS_IGNORE == status);
                rc = w.rc = real(n, requests, index, status);
                if (MPI_SUCCESS == rc && MPI_UNDEFINED != *index) {
                    wait_one(&w, *index, MPI_STATUS_IGNORE == status ? NULL : status);
                }
                wait_end(&w, rc);
                return rc;
            })

IOPROF_WRAP(Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
            (n, requests, index, flag, status), {
                struct wait w;
                int rc;

                if (!wait_begin(&w, IOPROF_ID_Testany, n, requests)) {
                    return real(n, requests, index, flag, status);
                }
                status = wait_statuses(&w, 1, status, MPI_STATUS_IGNORE == status);
                rc = w.rc = real(n, requests, index, flag, status);
                if (MPI_SUCCESS == rc && *flag && MPI_UNDEFINED != *index) {
                    wait_one(&w, *index, MPI_STATUS_IGNORE == status ? NULL : status);
                }
                wait_end(&w, rc);
                return rc;
            })

#define SOME(name)                                                                                 \
    IOPROF_WRAP(name,                                                                              \
                (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]), \
                (n, requests, count, indices, statuses), {                                         \
                    struct wait w;                                                                 \
                    int rc;                                                                        \
                                                                                                   \
                    if (!wait_begin(&w, IOPROF_ID_##name, n, requests)) {                          \
                        return real(n, requests, count, indices, statuses);                        \
                    }                                                                              \
                    statuses = wait_statuses(&w, n, statuses, MPI_STATUSES_IGNORE == statuses);    \
                    rc = w.rc = real(n, requests, count, indices, statuses);                       \
                    for (int i = 0; MPI_UNDEFINED != *count && i < *count; i++) {                  \
                        wait_one(&w, indices[i], AT(statuses, i));                                 \
                    }                                                                              \
                    wait_end(&w, rc);                                                              \
                    return rc;                                                                     \
                })
SOME(Waitsome)
SOME(Testsome)

/** A request that is freed is complete at an unknown time, with an unknown count. */
IOPROF_WRAP(Request_free, (MPI_Request * request), (request), {
    struct wait w;
    struct ioprof_mpi c;
    int rc;

    if (!wait_begin(&w, IOPROF_ID_Request_free, 1, request)) {
        return real(request);
    }
    rc = w.rc = real(request);
    if (w.io && request_find(w.requests[0], true, &c)) {
        IOPROF_ADD(ioprof_me.requests_dropped, 1);
    }
    wait_end(&w, rc);
    return rc;
})
