/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * What avoids defects of osc components. See put_defects.h.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* dladdr */
#endif
#include "transport/put_defects.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "opal/util/proc.h"

#include "transport/put.h"

#include "core/number.h"

bool collio_put_all_well(collio_file_t *file, bool mine)
{
    int bad = !mine, any = 1;

    return OMPI_SUCCESS == collio_allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, file->context->comm)
           && 0 == any;
}

/* Returns true if osc/ucx made the RMA window. A window does not name its osc component; the names
 * of its functions and of their library do. */
static bool is_ucx(const collio_win_t *win)
{
    Dl_info info;

    return 0 != dladdr((void *) (intptr_t) win->w_osc_module->osc_fence, &info)
           && ((NULL != info.dli_sname && NULL != strstr(info.dli_sname, "ucx"))
               || NULL != strstr(info.dli_fname, "osc_ucx"));
}

/* UCX 1.13.1 in shared memory: a flush of all targets, as in MPI_Win_fence, returns before the
 * bytes of large gets and puts (about 1 MB) have arrived; a flush of one target, as in
 * MPI_Win_unlock, waits for them, and so do fences over TCP. */
bool collio_put_choose_fences(const collio_exchange_t *ex, int i)
{
    collio_file_t *file = ex->file;
    collio_put_t *put = &file->context->kept->put;
    collio_win_t *win = put->win[i];

    if (!ex->way.can.rounds || file->size == file->nodes.nodes) {
        return true;
    }
    put->by_flush = !collio_put_all_well(file, !is_ucx(win));
    put->locked[i] = put->by_flush
                     && OMPI_SUCCESS == win->w_osc_module->osc_lock_all(MPI_MODE_NOCHECK, win);
    return !put->by_flush || put->locked[i];
}

int collio_put_flush(const collio_exchange_t *ex, int peer, int number)
{
    const collio_put_t *put = &ex->file->context->kept->put;

    return put->by_flush ? put->win[number]->w_osc_module->osc_flush(peer, put->win[number])
                         : OMPI_SUCCESS;
}

int collio_put_fence(const collio_exchange_t *ex, int number)
{
    collio_win_t *win = ex->file->context->kept->put.win[number];
    ompi_communicator_t *comm = ex->file->context->comm;
    int rc, barrier;

    if (!ex->file->context->kept->put.by_flush) {
        return collio_win_fence(win);
    }
    rc = win->w_osc_module->osc_sync(win);
    /* also after an error: the other ranks wait in the barrier */
    barrier = comm->c_coll->coll_barrier(comm, comm->c_coll->coll_barrier_module);
    rc = OMPI_SUCCESS == rc ? barrier : rc;
    return OMPI_SUCCESS == rc ? win->w_osc_module->osc_sync(win) : rc;
}

/* Tries to lock the file of this job and node; *fd = its descriptor, or -1. Returns false if
 * another group of ranks has the lock. */
static bool try_turn(int *fd)
{
    char *path;

    *fd = -1;
    if (NULL == opal_process_info.job_session_dir
        || 0 > asprintf(&path, "%s/collio-window-%s", opal_process_info.job_session_dir,
                        opal_process_info.nodename)) {
        return true;
    }
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    free(path);
    return 0 > *fd || 0 == flock(*fd, LOCK_EX | LOCK_NB) || EWOULDBLOCK != errno;
}

void collio_put_end_turn(int fd)
{
    if (0 <= fd) {
        (void) flock(fd, LOCK_UN); /* a child of this process may have the descriptor, too */
        (void) close(fd);
    }
}

/* osc/rdma of Open MPI 4.1 names a segment of the node by the job and the number of the
 * communicator, which disjoint groups have in common; at the same time they would use one segment,
 * and put bytes to addresses of each other. A group that does not get the locks of all its nodes
 * returns them, so that groups do not wait for each other forever; all its ranks then pause for the
 * same random time, longer after each attempt. */
int collio_put_take_turn(const collio_file_t *file)
{
    enum { BUSY, RANDOM, FIELDS };
    enum { PAUSE_US = 200, DOUBLED_MAX = 10 };
    int fd = -1;

    if (!COLLIO_WINDOWS_COLLIDE || file->size == file->nodes.nodes) {
        return fd; /* osc/rdma has no segment on a node with one rank */
    }
    for (int tries = 0;; ++tries) {
        int64_t mine[FIELDS] = {[RANDOM] = (int64_t) (collio_now() % 1000003)}, all[FIELDS];
        int64_t range = (int64_t) PAUSE_US << collio_min(tries, DOUBLED_MAX);

        if (0 == ompi_comm_rank(file->context->node_comm)) {
            mine[BUSY] = !try_turn(&fd);
        }
        if (OMPI_SUCCESS
                != collio_allreduce(mine, all, FIELDS, MPI_INT64_T, MPI_MAX, file->context->comm)
            || 0 == all[BUSY]) {
            return fd;
        }
        collio_put_end_turn(fd);
        (void) usleep((useconds_t) (PAUSE_US + all[RANDOM] % range));
    }
}
