/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Who may sieve writes: a small list of the handles that fbtl/mtpwrite serves. Here, because the
 * fcolls and the fbtl do not know each other.
 */
#include "hook/common_collio_guard.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <strings.h>

#include "access/common_collio_lock.h"
#include "hook/common_collio_reach.h"
#include "hook/common_collio_spare.h"

#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

typedef struct handle_t {
    struct handle_t *next;
    ompio_file_t *fh;
    bool asked;                        /* sieving writes, by parameter or hint */
    bool settled;                      /* the ranks have decided on sieving writes */
    bool on;                           /* the decision */
    mca_common_collio_access_t wanted; /* by the settings of the fbtl */
    uint64_t flushed;                  /* bytes of individual writes that guard_flush() has seen */
    const mca_common_collio_access_t *individual; /* of the fbtl; NULL before its first transfer */
} handle_t;

/* Why not. The largest of all ranks counts; 0 is a yes. */
enum { YES = 0, NOT_ASKED, NO_LOCKS, LOCAL_LOCKS, NO_FBTL, REASONS };
static const char *const reasons[REASONS] = {
    [NOT_ASKED] = "it was not asked for on every rank",
    [NO_LOCKS] = "the file system gives no byte-range locks",
    [LOCAL_LOCKS] = "byte-range locks of this file system do not reach other nodes",
    [NO_FBTL] = "fbtl/mtpwrite is not in use on every rank, so individual writes take no locks",
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static handle_t *handles;
static mca_common_collio_spare_t spare = {.bytes = sizeof(handle_t)};

void mca_common_collio_guard_reserve(void)
{
    pthread_mutex_lock(&mutex);
    mca_common_collio_spare_fill(&spare);
    pthread_mutex_unlock(&mutex);
}

void mca_common_collio_guard_unreserve(void)
{
    pthread_mutex_lock(&mutex);
    mca_common_collio_spare_drop(&spare);
    pthread_mutex_unlock(&mutex);
}

static void idle(void)
{
    (void) opal_progress();
}

static handle_t *find(ompio_file_t *fh)
{
    handle_t *handle = handles;

    while (NULL != handle && fh != handle->fh) {
        handle = handle->next;
    }
    return handle;
}

/* Does the file system give a lock, or is it only held by somebody else? */
static bool locks_work(mca_common_collio_access_t *access)
{
    int rc = mca_common_collio_access_try_lock(access, false, 0, 1);

    if (0 == rc) {
        mca_common_collio_access_unlock(access, 0, 1);
    }
    return 0 == rc || -EAGAIN == rc;
}

static void use_wanted(ompio_file_t *fh, mca_common_collio_access_t *access)
{
    const handle_t *handle;

    pthread_mutex_lock(&mutex);
    handle = find(fh);
    if (NULL != handle) {
        access->method = handle->wanted.method;
        access->sieve_read = handle->wanted.sieve_read;
        access->sieve_read_bytes = handle->wanted.sieve_read_bytes;
        access->sieve_write_bytes = handle->wanted.sieve_write_bytes;
        access->stage_bytes = handle->wanted.stage_bytes;
        access->threads = handle->wanted.threads;
        access->serial_below = handle->wanted.serial_below;
        access->pin = handle->wanted.pin;
    }
    pthread_mutex_unlock(&mutex);
}

static void open_access(const ompio_file_t *fh, mca_common_collio_access_t *access,
                        mca_common_collio_access_stats_t *stats)
{
    mca_common_collio_access_open(access, fh->fd, stats);
    access->coherence = mca_common_collio_coherence_choose(
        access->file_system, access->network && mca_common_collio_spans_nodes(fh->f_comm));
}

void mca_common_collio_guard_access(ompio_file_t *fh, mca_common_collio_access_t *access,
                                    mca_common_collio_access_stats_t *stats)
{
    open_access(fh, access, stats);
    use_wanted(fh, access);
    mca_common_collio_lock_set_idle(idle);
    if (MCA_COMMON_COLLIO_COHERENCE_FLUSH == access->coherence) {
        (void) mca_common_collio_access_refresh(fh->fd); /* pages of an earlier handle */
    }
    if (MCA_COMMON_COLLIO_COHERENCE_LOCK == access->coherence && 0 == fh->f_rank
        && !locks_work(access)) {
        opal_output(0,
                    "collio: %s: this NFS mount gives no byte-range locks, without which nodes "
                    "would overwrite each other's data. Reads and writes of this file fail. Start "
                    "rpc.statd on this node, or mount with nolock.",
                    fh->f_filename);
    }
}

int mca_common_collio_guard_offer(ompio_file_t *fh, bool asked,
                                  const mca_common_collio_access_t *wanted)
{
    handle_t *handle;

    pthread_mutex_lock(&mutex);
    handle = find(fh);
    if (NULL == handle) {
        handle = mca_common_collio_spare_take(&spare);
        if (NULL != handle) {
            handle->fh = fh;
            handle->asked = asked;
            handle->wanted = *wanted;
            handle->next = handles;
            handles = handle;
        }
    }
    pthread_mutex_unlock(&mutex);
    return NULL == handle ? -ENOMEM : 0;
}

void mca_common_collio_guard_end(ompio_file_t *fh)
{
    handle_t **at = &handles, *handle;

    pthread_mutex_lock(&mutex);
    while (NULL != *at && fh != (*at)->fh) {
        at = &(*at)->next;
    }
    handle = *at;
    if (NULL != handle) {
        *at = handle->next;
    }
    pthread_mutex_unlock(&mutex);
    free(handle);
}

/* Where there is no fbtl of ours to say so: do the hints ask for it? */
static bool asked_by_hint(ompio_file_t *fh)
{
    char value[MPI_MAX_INFO_VAL + 1];

    if (mca_common_collio_hint_get(fh->f_info, "collio_sieve_write", value, sizeof(value))) {
        return 0 == strcasecmp(value, "on");
    }
    return mca_common_collio_hint_get(fh->f_info, "romio_ds_write", value, sizeof(value))
           && 0 == strcasecmp(value, "enable");
}

static int reason_of(ompio_file_t *fh, mca_common_collio_access_t *access, const handle_t *handle)
{
    if (NULL == handle) {
        return NO_FBTL;
    }
    if (!handle->asked || (fh->f_amode & MPI_MODE_RDONLY)) {
        return NOT_ASKED;
    }
    return locks_work(access) ? YES : NO_LOCKS;
}

void mca_common_collio_guard_ask(ompio_file_t *fh, mca_common_collio_access_t *access,
                                 int64_t fields[MCA_COMMON_COLLIO_GUARD_FIELDS])
{
    handle_t *handle;

    mca_common_collio_lock_set_idle(idle);
    pthread_mutex_lock(&mutex);
    handle = find(fh);
    fields[0] = NULL == handle ? asked_by_hint(fh) : handle->asked;
    if (fh->f_amode & MPI_MODE_RDONLY) {
        fields[0] = 0;
    }
    fields[1] = reason_of(fh, access, handle);
    pthread_mutex_unlock(&mutex);
}

const char *mca_common_collio_guard_settle(ompio_file_t *fh, mca_common_collio_access_t *access,
                                           const int64_t fields[MCA_COMMON_COLLIO_GUARD_FIELDS])
{
    handle_t *handle;
    int64_t reason = fields[1];

    if (YES == reason && !mca_common_collio_locks_reach(fh)) {
        reason = LOCAL_LOCKS;
    }
    access->sieve_writes = YES == reason;
    pthread_mutex_lock(&mutex);
    handle = find(fh);
    if (NULL != handle) {
        handle->settled = true;
        handle->on = access->sieve_writes;
    }
    pthread_mutex_unlock(&mutex);
    if (0 == fields[0] || access->sieve_writes) {
        return NULL;
    }
    mca_common_collio_hint_set(fh->f_info, "romio_ds_write", "disable");
    return reasons[reason];
}

/* With a stock fbtl nothing is known of individual writes. */
int mca_common_collio_guard_flush(ompio_file_t *fh, const mca_common_collio_access_t *access)
{
    bool written = true;
    handle_t *handle;

    if (MCA_COMMON_COLLIO_COHERENCE_FLUSH != access->coherence || (fh->f_amode & MPI_MODE_RDONLY)) {
        return 0;
    }
    pthread_mutex_lock(&mutex);
    handle = find(fh);
    if (NULL != handle) {
        uint64_t bytes = NULL == handle->individual
                             ? 0
                             : __atomic_load_n(&handle->individual->stats->bytes_written,
                                               __ATOMIC_RELAXED);

        written = bytes != handle->flushed;
        handle->flushed = bytes;
    }
    pthread_mutex_unlock(&mutex);
    return written ? mca_common_collio_access_flush(fh->fd) : 0;
}

void mca_common_collio_guard_refresh(ompio_file_t *fh)
{
    mca_common_collio_access_stats_t stats = {0};
    mca_common_collio_access_t access;

    open_access(fh, &access, &stats);
    if (MCA_COMMON_COLLIO_COHERENCE_FLUSH == access.coherence) {
        (void) mca_common_collio_access_refresh(fh->fd);
    }
}

bool mca_common_collio_guard_serves_all(const int64_t fields[MCA_COMMON_COLLIO_GUARD_FIELDS])
{
    return NO_FBTL != fields[1];
}

const char *mca_common_collio_guard_use(ompio_file_t *fh, mca_common_collio_access_t *access)
{
    const char *why = NULL;
    handle_t *handle;
    int reason;

    mca_common_collio_lock_set_idle(idle);
    pthread_mutex_lock(&mutex);
    handle = find(fh);
    if (NULL != handle && !handle->settled) {
        reason = reason_of(fh, access, handle);
        handle->settled = true;
        handle->on = YES == reason && 1 == ompi_comm_size(fh->f_comm);
        if (handle->asked && !handle->on && !(fh->f_amode & MPI_MODE_RDONLY)) {
            why = YES == reason ? "the ranks agree on it only with fcoll/overlap or fcoll/tam"
                                : reasons[reason];
        }
    }
    access->sieve_writes = NULL != handle && handle->on;
    if (NULL != handle) {
        handle->individual = access;
    }
    pthread_mutex_unlock(&mutex);
    return why;
}
