/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * slownode: a preload that gives messages inside a node the costs of a machine.
 *
 *     SLOWNODE="COSTS MESSAGE-US BYTES-PER-SECOND"
 *
 *     sending rank              receiving rank
 *     message + n / rate  ->    message + n / rate        then the sender goes on
 *
 * It wraps the sends of Open MPI's point-to-point layer once MPI is initialized. A rank handles one
 * message at a time in each direction; the times until which ranks are taken are in the file COSTS
 * (slow.h). So a local aggregator with many members is busy in proportion to them, while other
 * local aggregators of the node work at the same time. Messages to other nodes cost nothing here
 * (slownet.c), and neither do bytes that move through shared memory without a message.
 */

#include "ompi_config.h"

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "slow.h"

static mca_pml_base_module_isend_fn_t real_isend;
static mca_pml_base_module_send_fn_t real_send;
static slow_costs_t *costs;
static double message_ns;
static double bytes_per_ns;

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Takes one side of a rank for `cost` from `from` on, or later; returns when it is done. */
static int64_t take(int side, uint32_t rank, int64_t from, int64_t cost)
{
    _Atomic int64_t *until = &costs->rank_until[side][rank % SLOW_RANKS];
    int64_t taken = atomic_load(until);
    int64_t done;

    do {
        done = (taken > from ? taken : from) + cost;
    } while (!atomic_compare_exchange_weak(until, &taken, done));
    return done;
}

static void pay(size_t count, struct ompi_datatype_t *type, int to,
                struct ompi_communicator_t *comm)
{
    struct ompi_proc_t *peer = ompi_comm_peer_lookup(comm, to);
    struct ompi_proc_t *self = ompi_proc_local();
    struct timespec t;
    size_t size;
    int64_t cost, done;

    if (0 >= atomic_load(&costs->active) || peer == self
        || !OPAL_PROC_ON_LOCAL_NODE(peer->super.proc_flags)) {
        return;
    }
    ompi_datatype_type_size(type, &size);
    cost = (int64_t) (message_ns + (double) (size * count) / bytes_per_ns);
    done = take(0, self->super.proc_name.vpid, now_ns(), cost);
    done = take(1, peer->super.proc_name.vpid, done, cost);
    t = (struct timespec){done / 1000000000, done % 1000000000};
    while (EINTR == clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) {
    }
}

static int slow_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int to,
                      int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                      struct ompi_request_t **request)
{
    pay(count, type, to, comm);
    return real_isend(buffer, count, type, to, tag, mode, comm, request);
}

static int slow_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int to,
                     int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    pay(count, type, to, comm);
    return real_send(buffer, count, type, to, tag, mode, comm);
}

static void install(void)
{
    const char *text = getenv("SLOWNODE");
    char path[512];
    double message_us, rate;

    if (NULL == text || 3 != sscanf(text, "%511s %lf %lf", path, &message_us, &rate) || 0 >= rate) {
        return;
    }
    costs = slow_map(path);
    if (NULL != costs && NULL == real_isend) {
        message_ns = 1e3 * message_us;
        bytes_per_ns = rate / 1e9;
        real_isend = mca_pml.pml_isend;
        real_send = mca_pml.pml_send;
        mca_pml.pml_isend = slow_isend;
        mca_pml.pml_send = slow_send;
    }
}

int MPI_Init(int *argc, char ***argv)
{
    int rc = PMPI_Init(argc, argv);

    install();
    return rc;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    int rc = PMPI_Init_thread(argc, argv, required, provided);

    install();
    return rc;
}
