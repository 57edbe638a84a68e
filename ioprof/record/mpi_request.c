/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Nonblocking MPI-IO calls under way, and the functions that complete them. */
#include "record/mpi.h"

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

    ioprof_lock(&locked);
    if (NULL == slots) {
        slots = calloc(SLOTS, sizeof(*slots));
    }
    for (int tries = 0; NULL != slots && tries < 64 && !placed; tries++, at = (at + 1) % SLOTS) {
        if (!slots[at].used) {
            slots[at] = (struct slot){request, true, *c};
            under_way++;
            placed = true;
        }
    }
    ioprof_unlock(&locked);
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
    ioprof_lock(&locked);
    for (int tries = 0; tries < 64 && !found; tries++, at = (at + 1) % SLOTS) {
        if (slots[at].used && slots[at].request == request) {
            found = true;
            *c = slots[at].call;
            slots[at].used = !take;
            under_way -= take;
        }
    }
    ioprof_unlock(&locked);
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

static bool ignored(const MPI_Status *statuses)
{
    return MPI_STATUS_IGNORE == statuses || MPI_STATUSES_IGNORE == statuses;
}

/** Statuses to read: the program's, or own ones where it does not want any. */
static MPI_Status *wait_statuses(struct wait *w, int n, MPI_Status *statuses)
{
    if (!w->io || !ignored(statuses)) {
        return statuses;
    }
    w->own = malloc((size_t) (n > 0 ? n : 1) * sizeof(*w->own));
    if (NULL == w->own) {
        return statuses;
    }
    return w->own;
}

/** Request i is complete, with the status at [at]. Without a status, its bytes are not known. */
static void wait_one(struct wait *w, int i, const MPI_Status *statuses, int at)
{
    const MPI_Status *status = ignored(statuses) ? NULL : &statuses[at];
    struct ioprof_mpi c;
    bool failed = MPI_SUCCESS != w->rc;

    if (!w->io || !request_find(w->requests[i], true, &c)) {
        return;
    }
    w->completed++;
    if (MPI_ERR_IN_STATUS == w->rc && NULL != status) {
        failed = MPI_SUCCESS != status->MPI_ERROR;
    }
    ioprof_mpi_complete(&c, failed, NULL == status ? 0 : ioprof_mpi_bytes(status));
}

/** The first n requests. After an error some may still be under way: their handles remain. */
static void wait_each(struct wait *w, int n, const MPI_Request *handles, const MPI_Status *statuses)
{
    for (int i = 0; i < n; i++) {
        if (NULL == handles || MPI_REQUEST_NULL == handles[i]) {
            wait_one(w, i, statuses, i);
        }
    }
}

static void wait_any(struct wait *w, int index, const MPI_Status *status)
{
    if (MPI_SUCCESS == w->rc && MPI_UNDEFINED != index) {
        wait_one(w, index, status, 0);
    }
}

static void wait_some(struct wait *w, int count, const int *indices, const MPI_Status *statuses)
{
    for (int i = 0; MPI_UNDEFINED != count && i < count; i++) {
        wait_one(w, indices[i], statuses, i);
    }
}

static int wait_end(struct wait *w)
{
    ioprof_thread.in_mpi_file--;
    if (w->io) {
        ioprof_record(&(struct ioprof_call){.id = w->id,
                                            .file = IOPROF_NO_FILE,
                                            .failed = MPI_SUCCESS != w->rc,
                                            .no_event = 0 == w->completed,
                                            .begin = w->begin,
                                            .end = ioprof_now(),
                                            .offset = IOPROF_UNSET});
    }
    if (w->requests != w->few) {
        free(w->requests);
    }
    free(w->own);
    return w->rc;
}

/** Defines a completion function of n requests; `done` calls wait_one for each that is complete. */
#define COMPLETION(name, PARAMS, ARGS, n, requests, statuses, done) \
    IOPROF_WRAP(name, PARAMS, ARGS, {                               \
        struct wait w;                                              \
                                                                    \
        if (!wait_begin(&w, IOPROF_ID_##name, n, requests)) {       \
            return real ARGS;                                       \
        }                                                           \
        statuses = wait_statuses(&w, n, statuses);                  \
        w.rc = real ARGS;                                           \
        done;                                                       \
        return wait_end(&w);                                        \
    })

COMPLETION(Wait, (MPI_Request * request, MPI_Status *status), (request, status), 1, request, status,
           wait_one(&w, 0, status, 0))
COMPLETION(Test, (MPI_Request * request, int *flag, MPI_Status *status), (request, flag, status), 1,
           request, status, wait_each(&w, *flag ? 1 : 0, NULL, status))
COMPLETION(Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses),
           n, requests, statuses, wait_each(&w, n, requests, statuses))
COMPLETION(Testall, (int n, MPI_Request requests[], int *flag, MPI_Status statuses[]),
           (n, requests, flag, statuses), n, requests, statuses,
           wait_each(&w, *flag ? n : 0, NULL, statuses))
COMPLETION(Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status),
           (n, requests, index, status), n, requests, status, wait_any(&w, *index, status))
COMPLETION(Testany, (int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
           (n, requests, index, flag, status), n, requests, status,
           wait_any(&w, *flag ? *index : MPI_UNDEFINED, status))
COMPLETION(Waitsome,
           (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]),
           (n, requests, count, indices, statuses), n, requests, statuses,
           wait_some(&w, *count, indices, statuses))
COMPLETION(Testsome,
           (int n, MPI_Request requests[], int *count, int indices[], MPI_Status statuses[]),
           (n, requests, count, indices, statuses), n, requests, statuses,
           wait_some(&w, *count, indices, statuses))

/** A request that is freed is complete at an unknown time, with an unknown count. */
IOPROF_WRAP(Request_free, (MPI_Request * request), (request), {
    struct wait w;
    struct ioprof_mpi c;

    if (!wait_begin(&w, IOPROF_ID_Request_free, 1, request)) {
        return real(request);
    }
    w.rc = real(request);
    if (w.io && request_find(w.requests[0], true, &c)) {
        IOPROF_ADD(ioprof_me.requests_dropped, 1);
    }
    return wait_end(&w);
})
