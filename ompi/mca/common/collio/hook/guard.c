/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Caches and sieved writes of a handle. This file is in common/collio because the fcolls and the
 * fbtl do not include each other.
 */
#include "hook/guard.h"

#include <errno.h>
#include <pthread.h>
#include <strings.h>

#include "help/help.h"
#include "hook/handle.h"
#include "hook/reach.h"

#include "opal/runtime/opal_progress.h"

/* Reasons why writes are not sieved. The largest value of all ranks counts. */
enum { YES = 0, NOT_ASKED, NO_LOCKS, LOCAL_LOCKS, NO_FBTL, REASONS };
static const char *const reasons[REASONS] = {
    [NOT_ASKED] = "it was not requested on every rank",
    [NO_LOCKS] = "the file system does not support byte-range locks",
    [LOCAL_LOCKS] = "byte-range locks of this file system do not reach other nodes",
    [NO_FBTL] = "it requires fbtl/mtpwrite on every rank (--mca fbtl mtpwrite)",
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns the guard of a handle that fbtl/mtpwrite serves on this rank, else NULL. */
static collio_guard_t *guard_of(const ompio_file_t *fh)
{
    return collio_handle_get(fh, COLLIO_PLACE_GUARD);
}

int collio_guard_offer(ompio_file_t *fh, bool requested, const collio_tuning_t *tuning)
{
    collio_handle_t *handle = collio_handle_take(fh);

    if (NULL == handle) {
        return -ENOMEM;
    }
    if (NULL == handle->place[COLLIO_PLACE_GUARD]) {
        handle->guard = (collio_guard_t){.requested = requested, .tuning = *tuning};
        handle->place[COLLIO_PLACE_GUARD] = &handle->guard;
    }
    return 0;
}

void collio_guard_end(ompio_file_t *fh)
{
    collio_handle_clear(fh, COLLIO_PLACE_GUARD);
}

/* Without fbtl/mtpwrite: do the hints request sieved writes? */
static bool requested_by_hint(ompio_file_t *fh)
{
    char value[MPI_MAX_INFO_VAL + 1];

    if (collio_hint_get(fh->f_info, "collio_sieve_write", value, sizeof(value))) {
        return 0 == strcasecmp(value, "on");
    }
    return collio_hint_get(fh->f_info, "romio_ds_write", value, sizeof(value))
           && 0 == strcasecmp(value, "enable");
}

static int reason_of(ompio_file_t *fh, collio_access_t *access, const collio_guard_t *guard)
{
    if (NULL == guard) {
        return NO_FBTL;
    }
    if (!guard->requested || (fh->f_amode & MPI_MODE_RDONLY)) {
        return NOT_ASKED;
    }
    return collio_lock_works(access) ? YES : NO_LOCKS;
}

void collio_guard_request(ompio_file_t *fh, collio_access_t *access,
                          int64_t fields[COLLIO_GUARD_FIELDS])
{
    collio_guard_t *guard = guard_of(fh);

    pthread_mutex_lock(&mutex);
    fields[0] = !(fh->f_amode & MPI_MODE_RDONLY)
                && (NULL == guard ? requested_by_hint(fh) : guard->requested);
    fields[1] = reason_of(fh, access, guard);
    pthread_mutex_unlock(&mutex);
}

const char *collio_guard_settle(ompio_file_t *fh, collio_access_t *access,
                                const int64_t fields[COLLIO_GUARD_FIELDS])
{
    collio_guard_t *guard = guard_of(fh);
    int64_t reason = fields[1];

    if (YES == reason && !collio_locks_reach(fh)) {
        reason = LOCAL_LOCKS;
    }
    access->sieve_writes = YES == reason;
    pthread_mutex_lock(&mutex);
    if (NULL != guard) {
        guard->settled = true;
        guard->on = access->sieve_writes;
    }
    pthread_mutex_unlock(&mutex);
    if (0 == fields[0] || access->sieve_writes) {
        return NULL;
    }
    collio_hint_set(fh->f_info, "romio_ds_write", "disable");
    return reasons[reason];
}

bool collio_guard_serves_all(const int64_t fields[COLLIO_GUARD_FIELDS])
{
    return NO_FBTL != fields[1];
}

const char *collio_guard_use(ompio_file_t *fh, collio_access_t *access)
{
    const char *why = NULL;
    collio_guard_t *guard = guard_of(fh);
    int reason;

    pthread_mutex_lock(&mutex);
    if (NULL != guard && !guard->settled) {
        reason = reason_of(fh, access, guard);
        guard->settled = true;
        guard->on = YES == reason && 1 == ompi_comm_size(fh->f_comm);
        if (guard->requested && !guard->on && !(fh->f_amode & MPI_MODE_RDONLY)) {
            why = YES == reason ? "the ranks agree on it only with fcoll/overlap or fcoll/tam"
                                : reasons[reason];
        }
    }
    access->sieve_writes = NULL != guard && guard->on;
    if (NULL != guard) {
        guard->individual = access;
    }
    pthread_mutex_unlock(&mutex);
    return why;
}

static void idle(void)
{
    (void) opal_progress();
}

static void open_access(const ompio_file_t *fh, collio_access_t *access)
{
    collio_access_open(access, fh->fd);
    access->coherence = collio_coherence_choose(access->file_system,
                                                access->network && collio_spans_nodes(fh->f_comm));
}

void collio_caches_open(ompio_file_t *fh, collio_access_t *access)
{
    const collio_guard_t *guard = guard_of(fh);

    open_access(fh, access);
    if (NULL != guard) {
        access->tuning = guard->tuning;
    }
    collio_lock_set_idle(idle);
    if (COLLIO_COHERENCE_FLUSH == access->coherence) {
        (void) collio_access_refresh(fh->fd); /* drops pages of an earlier handle */
    }
    if (COLLIO_COHERENCE_LOCK == access->coherence && 0 == fh->f_rank
        && !collio_lock_works(access)) {
        collio_help("collio", fh->f_filename, COLLIO_HELP_NFS_NO_LOCKS);
    }
}

/* May there be individual writes since this function was called last? A stock fbtl does not count
 * them, so the result is true for its handles. */
static bool individual_writes(ompio_file_t *fh)
{
    collio_guard_t *guard = guard_of(fh);
    bool written = NULL == guard;

    pthread_mutex_lock(&mutex);
    if (NULL != guard && NULL != guard->individual) {
        uint64_t bytes = __atomic_load_n(&guard->individual->stats->bytes[true], __ATOMIC_RELAXED);

        written = bytes != guard->flushed;
        guard->flushed = bytes;
    }
    pthread_mutex_unlock(&mutex);
    return written;
}

int collio_caches_flush(ompio_file_t *fh, const collio_access_t *access)
{
    if (COLLIO_COHERENCE_FLUSH != access->coherence || (fh->f_amode & MPI_MODE_RDONLY)
        || !individual_writes(fh)) {
        return 0;
    }
    return collio_access_flush(fh->fd);
}

void collio_caches_written(const ompio_file_t *fh, const collio_access_t *access)
{
    if (COLLIO_COHERENCE_FLUSH == access->coherence) {
        (void) collio_access_refresh(access->fd);
    } else if (COLLIO_COHERENCE_SIZE == access->coherence && NULL == guard_of(fh)) {
        (void) collio_access_refresh_size(access->fd); /* a stock fbtl does not request the size */
    }
}

void collio_caches_refresh(ompio_file_t *fh)
{
    collio_access_t access;

    open_access(fh, &access);
    if (COLLIO_COHERENCE_FLUSH == access.coherence) {
        (void) collio_access_refresh(fh->fd);
    } else if (COLLIO_COHERENCE_SIZE == access.coherence) {
        (void) collio_access_refresh_size(fh->fd);
    }
}
