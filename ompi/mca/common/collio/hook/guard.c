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

#include "core/sieve_rule.h"

#include "opal/runtime/opal_progress.h"

/* A rank's contribution about sieved writes. The largest value of all ranks counts. */
enum { YES = 0, AT_VIEW, NOT_ASKED, NO_LOCKS, NO_COHERENCE, NO_FBTL, REASONS };
static const char *const reasons[REASONS] = {
    [NO_LOCKS] = "the file system does not support byte-range locks",
    [NO_COHERENCE] = "nodes cache pages of this file system without keeping them equal",
    [NO_FBTL] = "it requires fbtl/mtpwrite on every rank (--mca fbtl mtpwrite)",
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/* Returns the guard of a handle that fbtl/mtpwrite serves on this rank, else NULL. */
static collio_guard_t *guard_of(const ompio_file_t *fh)
{
    return collio_handle_get(fh, COLLIO_PLACE_GUARD);
}

int collio_guard_offer(ompio_file_t *fh, int sieve_write, const collio_tuning_t *tuning)
{
    collio_handle_t *handle = collio_handle_take(fh);

    if (NULL == handle) {
        return -ENOMEM;
    }
    if (NULL == handle->place[COLLIO_PLACE_GUARD]) {
        handle->guard = (collio_guard_t){.sieve_write = sieve_write, .tuning = *tuning};
        handle->place[COLLIO_PLACE_GUARD] = &handle->guard;
    }
    return 0;
}

void collio_guard_end(ompio_file_t *fh)
{
    collio_handle_clear(fh, COLLIO_PLACE_GUARD);
}

/* True if a parameter or hint requests sieved writes. Without fbtl/mtpwrite only hints can. */
static bool is_requested(ompio_file_t *fh, const collio_guard_t *guard)
{
    char value[MPI_MAX_INFO_VAL + 1];

    if (0 != (fh->f_amode & MPI_MODE_RDONLY)) {
        return false;
    }
    if (NULL != guard) {
        return COLLIO_SETTING_ON == guard->sieve_write;
    }
    if (collio_hint_get(fh->f_info, "collio_sieve_write", value, sizeof(value))) {
        return 0 == strcasecmp(value, "on");
    }
    return collio_hint_get(fh->f_info, "romio_ds_write", value, sizeof(value))
           && 0 == strcasecmp(value, "enable");
}

/* True if the access mode is the consent. Holes of a file that is open for writing only cannot be
 * read. */
static bool is_unique(const ompio_file_t *fh, const collio_guard_t *guard)
{
    return COLLIO_SETTING_AUTO == guard->sieve_write && 0 != (fh->f_amode & MPI_MODE_UNIQUE_OPEN)
           && 0 != (fh->f_amode & MPI_MODE_RDWR);
}

static int reason_of(ompio_file_t *fh, collio_access_t *access, const collio_guard_t *guard)
{
    if (NULL == guard) {
        return NO_FBTL;
    }
    if (COLLIO_COHERENCE_FLUSH == access->coherence) {
        return NO_COHERENCE; /* a hole that was read may be old */
    }
    if (!is_requested(fh, guard)) {
        if (!is_unique(fh, guard)) {
            return NOT_ASKED;
        }
        if (NULL != collio_hook_get(fh)) {
            return AT_VIEW;
        }
        /* a handle inside a stock sharedfp: nobody sets its view, so it takes locks at once */
    }
    return collio_lock_works(access) ? YES : NO_LOCKS;
}

/* Switches sieving on or off in the access structs of the handle. */
static void set_on(collio_guard_t *guard, collio_access_t *collective, bool on)
{
    if (NULL != collective) {
        collective->sieve_writes = on;
    }
    if (NULL != guard) {
        guard->settled = true;
        guard->at_view = false;
        guard->on = on;
        if (NULL != guard->individual) {
            guard->individual->sieve_writes = on;
        }
    }
}

int64_t collio_guard_request(ompio_file_t *fh, collio_access_t *access)
{
    return reason_of(fh, access, guard_of(fh));
}

const char *collio_guard_settle(ompio_file_t *fh, collio_access_t *access, int64_t all)
{
    collio_guard_t *guard = guard_of(fh);
    collio_reach_t reach = YES == all ? collio_locks_reach(fh) : COLLIO_REACH_UNKNOWN;

    pthread_mutex_lock(&mutex);
    set_on(guard, access, COLLIO_REACH_ALL == reach);
    if (NULL != guard) {
        guard->at_view = AT_VIEW == all;
    }
    pthread_mutex_unlock(&mutex);
    if (COLLIO_REACH_ALL == reach || !is_requested(fh, guard)) {
        return NULL;
    }
    collio_hint_set(fh->f_info, "romio_ds_write", "disable");
    return YES == all ? collio_reach_reason(reach) : reasons[all];
}

bool collio_guard_serves_all(int64_t all)
{
    return NO_FBTL != all;
}

static void open_access(const ompio_file_t *fh, collio_access_t *access)
{
    collio_access_open(access, fh->fd);
    access->coherence = collio_coherence_choose(access->file_system,
                                                access->network && collio_spans_nodes(fh->f_comm));
}

/* True if the handle waits for a view of small pieces. */
static bool waits_for_view(ompio_file_t *fh, collio_guard_t *guard)
{
    collio_access_t access;
    bool waits;

    pthread_mutex_lock(&mutex);
    if (!guard->settled && 1 == ompi_comm_size(fh->f_comm) && is_unique(fh, guard)) {
        open_access(fh, &access);
        guard->settled = true; /* a handle of one process agrees with itself */
        guard->at_view = AT_VIEW == reason_of(fh, &access, guard);
    }
    waits = guard->at_view;
    pthread_mutex_unlock(&mutex);
    return waits;
}

/* Returns the cost of the pieces of this rank's view; 0: the view has no holes. */
static int64_t view_density(const ompio_file_t *fh, const collio_access_t *access)
{
    const struct iovec *piece = COLLIO_FVIEW(fh).f_decoded_iov;
    int64_t count = (int64_t) COLLIO_FVIEW(fh).f_iov_count;
    int64_t span = (int64_t) COLLIO_FVIEW(fh).f_view_extent;

    if (NULL == piece || 0 >= count) {
        return 0;
    }
    if (1 < count) {
        span = (int64_t) ((intptr_t) piece[count - 1].iov_base - (intptr_t) piece[0].iov_base)
               + (int64_t) piece[count - 1].iov_len;
    }
    return collio_sieve_density(count, (int64_t) COLLIO_FVIEW(fh).f_view_size, span,
                                collio_sieve_call_bytes(access->in_memory, access->network));
}

int collio_guard_view(ompio_file_t *fh, collio_access_t *collective, bool set)
{
    collio_guard_t *guard = guard_of(fh);
    collio_access_t access;
    int64_t mine, all;
    bool on;
    int rc;

    if (NULL == guard || !waits_for_view(fh, guard)) {
        return OMPI_SUCCESS;
    }
    collio_access_open(&access, fh->fd);
    mine = set ? view_density(fh, &access) : 0;
    rc = collio_allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, fh->f_comm);
    if (OMPI_SUCCESS != rc || !collio_sieve_dense(all)) {
        return rc;
    }
    if (!set) {
        mine = NOT_ASKED;
    } else {
        mine = collio_lock_works(&access) ? YES : NO_LOCKS;
    }
    rc = collio_allreduce(&mine, &all, 1, MPI_INT64_T, MPI_MAX, fh->f_comm);
    if (OMPI_SUCCESS != rc || NOT_ASKED == all) {
        return rc; /* a rank has no view: the next one decides */
    }
    on = YES == all && COLLIO_REACH_ALL == collio_locks_reach(fh);
    pthread_mutex_lock(&mutex);
    set_on(guard, collective, on);
    pthread_mutex_unlock(&mutex);
    return OMPI_SUCCESS;
}

/* Decides for a handle whose ranks have not agreed. Returns NULL: writes can be sieved; else the
 * reason why not. */
static const char *decide_alone(ompio_file_t *fh, collio_access_t *access,
                                const collio_guard_t *guard)
{
    int reason = reason_of(fh, access, guard);
    collio_reach_t reach;

    if (YES != reason) {
        return reasons[reason];
    }
    if (1 != ompi_comm_size(fh->f_comm)) {
        return "the ranks agree on it only with fcoll/overlap or fcoll/tam";
    }
    reach = collio_locks_reach(fh);
    return COLLIO_REACH_ALL == reach ? NULL : collio_reach_reason(reach);
}

const char *collio_guard_use(ompio_file_t *fh, collio_access_t *access)
{
    const char *why = NULL;
    collio_guard_t *guard = guard_of(fh);

    if (NULL == guard) {
        return NULL;
    }
    pthread_mutex_lock(&mutex);
    if (!guard->settled && is_requested(fh, guard)) {
        why = decide_alone(fh, access, guard);
        set_on(guard, NULL, NULL == why);
    }
    access->sieve_writes = guard->on;
    guard->individual = access;
    pthread_mutex_unlock(&mutex);
    return why;
}

static void idle(void)
{
    (void) opal_progress();
}

void collio_locks_progress(void)
{
    collio_lock_set_idle(idle);
}

void collio_caches_open(ompio_file_t *fh, collio_access_t *access)
{
    const collio_guard_t *guard = guard_of(fh);

    open_access(fh, access);
    if (NULL != guard) {
        access->tuning = guard->tuning;
    }
    collio_locks_progress();
    if (COLLIO_COHERENCE_FLUSH == access->coherence) {
        (void) collio_access_refresh(fh->fd); /* drops pages of an earlier handle */
    }
    if (COLLIO_COHERENCE_LOCK == access->coherence && 0 == fh->f_rank
        && !collio_lock_works(access)) {
        collio_help("collio", fh->f_filename, COLLIO_HELP_NFS_NO_LOCKS);
    }
}

/* True if individual writes may have happened since the last call. A stock fbtl does not count
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
