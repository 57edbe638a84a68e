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
 * Each rank keeps the result for the file system of the last test, by device number. The result
 * that rank 0 has kept counts for all ranks.
 */
#include "hook/reach.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "access/access.h"

enum { UNKNOWN = 0, REACHES, LOCAL };
enum { TRIES = 100 };

static const int64_t test_byte = (INT64_C(1) << 60) + 1;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    dev_t device; /* the file system of the last test */
    int found;    /* result of the test; UNKNOWN: none was made */
} last;

/* Keeps `found` for the file system of the handle, unless it is UNKNOWN. Returns what is kept. */
static int keep(const ompio_file_t *fh, int found)
{
    struct stat about;

    if (0 != fstat(fh->fd, &about)) {
        return UNKNOWN;
    }
    pthread_mutex_lock(&mutex);
    if (UNKNOWN != found) {
        last.device = about.st_dev;
        last.found = found;
    } else if (about.st_dev == last.device) {
        found = last.found;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}

/* Returns the first rank that does not run on this rank's node; -1 if there is none. */
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

/* Rank 0: takes the lock. Retries, because the test of another file may hold the lock briefly. */
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

static int test(ompio_file_t *fh)
{
    ompi_communicator_t *comm = fh->f_comm;
    collio_access_t access;
    int tester = -1, found = LOCAL;
    bool held = false;

    collio_access_open(&access, fh->fd);
    if (0 == fh->f_rank) {
        held = hold(&access);
        if (held) {
            tester = first_elsewhere(comm);
        }
    }
    if (OMPI_SUCCESS == collio_bcast(&tester, 1, MPI_INT, comm) && 0 <= tester) {
        if (tester == fh->f_rank) {
            found = try_elsewhere(&access);
        }
        if (OMPI_SUCCESS != collio_bcast_from(tester, &found, 1, MPI_INT, comm)) {
            found = LOCAL;
        }
    }
    if (held) {
        (void) collio_access_unlock(&access, test_byte, 1);
    }
    return found;
}

int64_t collio_locks_known(const ompio_file_t *fh)
{
    return keep(fh, UNKNOWN);
}

bool collio_locks_find(ompio_file_t *fh, int64_t known_by_first)
{
    int found = (int) known_by_first;

    if (!ompi_group_have_remote_peers(fh->f_comm->c_local_group)) {
        return true;
    }
    if (UNKNOWN == found) {
        if (fh->f_amode & MPI_MODE_RDONLY) { /* on all ranks; a test needs exclusive locks */
            return false;
        }
        found = test(fh);
        (void) keep(fh, found);
    }
    return REACHES == found;
}

bool collio_locks_reach(ompio_file_t *fh)
{
    int known = (int) collio_locks_known(fh);

    if (!ompi_group_have_remote_peers(fh->f_comm->c_local_group)) {
        return true;
    }
    return OMPI_SUCCESS == collio_bcast(&known, 1, MPI_INT, fh->f_comm)
           && collio_locks_find(fh, known);
}
