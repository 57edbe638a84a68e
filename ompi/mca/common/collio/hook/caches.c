/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Coherence with the caches of other nodes, for one handle. See caches.h.
 */
#include "hook/caches.h"

#include "help/help.h"
#include "hook/guard.h"

#include "opal/runtime/opal_progress.h"

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
    const collio_guard_t *guard = collio_guard_of(fh);

    open_access(fh, access);
    access->tuning = NULL == guard ? (collio_tuning_t){0} : guard->tuning;
    collio_lock_set_idle(idle);
    if (COLLIO_COHERENCE_FLUSH == access->coherence) {
        (void) collio_access_refresh(fh->fd); /* drops pages of an earlier handle */
    }
    if (COLLIO_COHERENCE_LOCK == access->coherence && 0 == fh->f_rank
        && !collio_lock_works(access)) {
        collio_help("collio", fh->f_filename, COLLIO_HELP_NO_RANK, COLLIO_HELP_NFS_NO_LOCKS);
    }
}

int collio_caches_flush(ompio_file_t *fh, const collio_access_t *access)
{
    if (COLLIO_COHERENCE_FLUSH != access->coherence || (fh->f_amode & MPI_MODE_RDONLY)
        || !collio_guard_written(fh)) {
        return 0;
    }
    return collio_access_flush(fh->fd);
}

void collio_caches_written(const ompio_file_t *fh, const collio_access_t *access)
{
    if (COLLIO_COHERENCE_FLUSH == access->coherence) {
        (void) collio_access_refresh(access->fd);
    } else if (COLLIO_COHERENCE_SIZE == access->coherence && NULL == collio_guard_of(fh)) {
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
