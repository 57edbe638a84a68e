/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The test: rank 0 holds a lock, and the first rank on another node tries to get it.
 *
 *   rank 0                               rank t, on another node
 *   lock a byte far past all data
 *   --- broadcast: t, or "no lock" --->
 *                                        try the same lock
 *   <--- broadcast: reaches, or not ---
 *   unlock
 *
 * Each rank keeps the results of the last tests, by device number of the file system. The result
 * that rank 0 has kept counts for all ranks. A test that could not get the lock, because tests of
 * other jobs or a program hold it, has no result.
 */
#include "hook/reach.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "access/access.h"

enum { TRIES = 100, KEPT = 8 };
enum { NO_LOCK = -1, BUSY = -2 }; /* in place of a rank: the file has no locks; another holds it */

static const int64_t test_byte = (INT64_C(1) << 60) + 1;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    dev_t device;         /* the file system of the test */
    collio_reach_t found; /* result of the test; UNKNOWN: none was made */
} kept[KEPT];
static unsigned next; /* the place of the next result */

/* Returns the result of the device; a place to keep it, if there is none. The caller has the
 * mutex. */
static unsigned kept_at(dev_t device)
{
    for (unsigned i = 0; i < KEPT; ++i) {
        if (COLLIO_REACH_UNKNOWN != kept[i].found && device == kept[i].device) {
            return i;
        }
    }
    return next;
}

/* Keeps `found` for the file system of the handle, unless it is UNKNOWN. Returns what is kept. */
static collio_reach_t reach_keep(const ompio_file_t *fh, collio_reach_t found)
{
    struct stat about;
    unsigned at;

    if (0 != fstat(fh->fd, &about)) {
        return COLLIO_REACH_UNKNOWN;
    }
    pthread_mutex_lock(&mutex);
    at = kept_at(about.st_dev);
    if (COLLIO_REACH_UNKNOWN != found) {
        next = at == next ? (next + 1) % KEPT : next;
        kept[at].device = about.st_dev;
        kept[at].found = found;
    } else if (about.st_dev == kept[at].device) {
        found = kept[at].found;
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

/* Rank 0: takes the lock. Retries, because the test of another job may hold the lock briefly.
 * Returns 0, -EAGAIN if it is still held, or another negative errno. */
static int hold(collio_access_t *access)
{
    collio_lock_retry_t retry = {0};
    int rc = -EAGAIN;

    for (int i = 0; i < TRIES && -EAGAIN == rc; ++i) {
        rc = collio_access_try_lock(access, true, test_byte, 1);
        if (-EAGAIN == rc && collio_lock_again(&retry, rc, false)) {
            collio_lock_pause(&retry);
        }
    }
    return rc;
}

static collio_reach_t try_elsewhere(collio_access_t *access)
{
    int rc = collio_access_try_lock(access, true, test_byte, 1);

    if (0 == rc) {
        (void) collio_access_unlock(access, test_byte, 1);
    }
    return -EAGAIN == rc ? COLLIO_REACH_ALL : COLLIO_REACH_LOCAL;
}

static collio_reach_t test(ompio_file_t *fh)
{
    ompi_communicator_t *comm = fh->f_comm;
    collio_access_t access;
    int tester = NO_LOCK, found = COLLIO_REACH_UNKNOWN, held = -1;

    collio_access_open(&access, fh->fd);
    if (0 == fh->f_rank) {
        held = hold(&access);
        tester = 0 == held ? first_elsewhere(comm) : -EAGAIN == held ? BUSY : NO_LOCK;
    }
    if (OMPI_SUCCESS == collio_bcast(&tester, 1, MPI_INT, comm)) {
        if (tester == fh->f_rank) {
            found = (int) try_elsewhere(&access);
        }
        if (NO_LOCK == tester) {
            found = COLLIO_REACH_LOCAL;
        } else if (0 <= tester
                   && OMPI_SUCCESS != collio_bcast_from(tester, &found, 1, MPI_INT, comm)) {
            found = COLLIO_REACH_UNKNOWN;
        }
    }
    if (0 == held) {
        (void) collio_access_unlock(&access, test_byte, 1);
    }
    return (collio_reach_t) found;
}

/* True if ranks of several nodes have the handle and can lock exclusively, on all ranks. */
static bool can_test(const ompio_file_t *fh)
{
    return ompi_group_have_remote_peers(fh->f_comm->c_local_group)
           && 0 == (fh->f_amode & MPI_MODE_RDONLY);
}

static collio_reach_t look_at_mount(const ompio_file_t *fh, uint32_t file_system)
{
    FILE *mounts = fopen("/proc/self/mountinfo", "re");
    const char *options = NULL;
    struct stat about;
    collio_reach_t reach;
    char *line = NULL;
    size_t size = 0;

    if (NULL != mounts && 0 == fstat(fh->fd, &about)) {
        while (NULL == options && 0 < getline(&line, &size, mounts)) {
            options = collio_mount_options(line, major(about.st_dev), minor(about.st_dev));
        }
    }
    reach = collio_reach_of_mount(file_system, options);
    free(line);
    if (NULL != mounts) {
        (void) fclose(mounts);
    }
    return reach;
}

/* For a handle that cannot test it. */
static collio_reach_t guess(const ompio_file_t *fh)
{
    collio_access_t access;

    collio_access_open(&access, fh->fd);
    if (access.network) {
        return look_at_mount(fh, access.file_system);
    }
    return ompi_group_have_remote_peers(fh->f_comm->c_local_group) ? COLLIO_REACH_UNKNOWN
                                                                   : COLLIO_REACH_ALL;
}

collio_reach_t collio_locks_reach(ompio_file_t *fh)
{
    collio_reach_t found;
    int of_first;

    if (!collio_spans_nodes(fh->f_comm)) {
        return COLLIO_REACH_ALL;
    }
    found = reach_keep(fh, COLLIO_REACH_UNKNOWN);
    if (COLLIO_REACH_UNKNOWN == found && !can_test(fh)) {
        found = guess(fh);
    }
    of_first = (int) found;
    if (OMPI_SUCCESS != collio_bcast(&of_first, 1, MPI_INT, fh->f_comm)) {
        return COLLIO_REACH_UNKNOWN;
    }
    if (COLLIO_REACH_UNKNOWN == of_first && can_test(fh)) {
        of_first = (int) test(fh);
        (void) reach_keep(fh, (collio_reach_t) of_first);
    }
    return (collio_reach_t) of_first;
}

const char *collio_reach_reason(collio_reach_t reach)
{
    return COLLIO_REACH_LOCAL == reach
               ? "byte-range locks of this file system do not reach other nodes"
               : "this handle cannot test whether byte-range locks reach the other nodes of the "
                 "job";
}
