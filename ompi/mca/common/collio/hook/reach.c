/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The test: rank 0 holds a lock, and the first rank on another node tries to get it.
 *
 *   rank 0                               rank t, on another node
 *   lock a byte far behind all data
 *   --- broadcast: t, or "no lock" --->
 *                                        try the same lock
 *   <--- broadcast: reaches, or not ---
 *   unlock
 *
 * What was found is kept for the file system, by its device number.
 */
#include "hook/reach.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "access/access.h"
#include "access/lock.h"

enum { UNKNOWN = 0, REACHES, LOCAL };
enum { DEVICES = 16, TRIES = 100 };

static const int64_t test_byte = (INT64_C(1) << 60) + 1;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    dev_t device;
    int found;
} known[DEVICES]; /* the oldest is replaced */
static int next_known;

static int recall(dev_t device)
{
    int found = UNKNOWN;

    pthread_mutex_lock(&mutex);
    for (int i = 0; i < DEVICES; ++i) {
        if (UNKNOWN != known[i].found && device == known[i].device) {
            found = known[i].found;
        }
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

static void remember(dev_t device, int found)
{
    pthread_mutex_lock(&mutex);
    known[next_known].device = device;
    known[next_known].found = found;
    next_known = (next_known + 1) % DEVICES;
    pthread_mutex_unlock(&mutex);
}

/* The first rank that does not run on this rank's node; -1 if there is none. */
static int first_elsewhere(ompi_communicator_t *comm)
{
    for (int i = 0; i < ompi_comm_size(comm); ++i) {
        ompi_proc_t *proc = ompi_comm_peer_lookup(comm, i);

        if (NULL != proc && !OPAL_PROC_ON_LOCAL_NODE(proc->super.proc_flags)) {
            return i;
        }
    }
    return -1;
}

/* Rank 0's part. Another file's test may have the lock for a moment. */
static bool hold(collio_access_t *access)
{
    collio_lock_retry_t retry = {0};
    int rc = -EAGAIN;

    for (int i = 0; i < TRIES && -EAGAIN == rc; ++i) {
        rc = collio_access_try_lock(access, true, test_byte, 1);
        if (-EAGAIN == rc && collio_lock_again(&retry, rc, false)) {
            collio_lock_pause(&retry);
        }
    }
    return 0 == rc;
}

static int try_elsewhere(collio_access_t *access)
{
    int rc = collio_access_try_lock(access, true, test_byte, 1);

    if (0 == rc) {
        (void) collio_access_unlock(access, test_byte, 1);
    }
    return -EAGAIN == rc ? REACHES : LOCAL;
}

static int bcast(int *value, int root, ompi_communicator_t *comm)
{
    return comm->c_coll->coll_bcast(value, 1, MPI_INT, root, comm, comm->c_coll->coll_bcast_module);
}

static int test(ompio_file_t *fh)
{
    ompi_communicator_t *comm = fh->f_comm;
    collio_access_stats_t stats = {0};
    collio_access_t access;
    int tester = -1, found = LOCAL;
    bool held = false;

    collio_access_open(&access, fh->fd, &stats);
    if (0 == fh->f_rank) {
        held = hold(&access);
        tester = held ? first_elsewhere(comm) : -1;
    }
    if (OMPI_SUCCESS == bcast(&tester, 0, comm) && 0 <= tester) {
        found = tester == fh->f_rank ? try_elsewhere(&access) : LOCAL;
        found = OMPI_SUCCESS == bcast(&found, tester, comm) ? found : LOCAL;
    }
    if (held) {
        (void) collio_access_unlock(&access, test_byte, 1);
    }
    return found;
}

bool collio_locks_reach(ompio_file_t *fh)
{
    struct stat about;
    int mine[2], all[2]; /* this rank has no answer; its answer is LOCAL */
    bool seen = 0 == fstat(fh->fd, &about);
    int found = seen ? recall(about.st_dev) : UNKNOWN;

    if (!ompi_group_have_remote_peers(fh->f_comm->c_local_group)) {
        return true;
    }
    mine[0] = UNKNOWN == found;
    mine[1] = LOCAL == found;
    if (OMPI_SUCCESS != collio_allreduce(mine, all, 2, MPI_INT, MPI_MAX, fh->f_comm)) {
        return false;
    }
    if (!all[0]) {
        return !all[1];
    }
    if (fh->f_amode & MPI_MODE_RDONLY) { /* the same on all ranks; a test needs exclusive locks */
        return false;
    }
    found = test(fh);
    if (seen) {
        remember(about.st_dev, found);
    }
    return REACHES == found;
}
