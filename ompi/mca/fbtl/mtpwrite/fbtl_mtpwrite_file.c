/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fbtl's record of an open handle: the access struct and counters.
 *
 * The record is place FBTL of the handle (hook/handle.h). OMPIO's shared file pointers have handles
 * of their own, which use the fbtl module only. The record is made at the first transfer, because
 * the descriptor is opened after the module is selected, and freed with the module.
 */
#include "fbtl_mtpwrite.h"

#include <pthread.h>
#include <stdlib.h>

#include "ompi/mca/common/collio/help/help.h"
#include "ompi/mca/common/collio/hook/guard.h"
#include "ompi/mca/common/collio/hook/handle.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static collio_access_stats_t closed; /* counters of files that are closed */

static void check_engine(const ompio_file_t *fh, collio_engine_t engine)
{
    const char *why;

    (void) collio_engine_choose(engine, &why);
    if (NULL != why && 0 == fh->f_rank) {
        collio_help("fbtl/mtpwrite", fh->f_filename, COLLIO_HELP_ENGINE, collio_engine_name(engine),
                    why);
    }
}

static void check_sieving(ompio_file_t *fh, collio_access_t *access)
{
    const char *why = collio_guard_use(fh, access);

    if (NULL != why && 0 == fh->f_rank) {
        collio_help("fbtl/mtpwrite", fh->f_filename, COLLIO_HELP_SIEVING, why);
    }
}

/* Returns the record, or NULL. The caller holds the mutex: another thread may have made the record
 * meanwhile. */
static mca_fbtl_mtpwrite_file_t *get_or_make(ompio_file_t *fh)
{
    mca_fbtl_mtpwrite_file_t *file = collio_handle_get(fh, COLLIO_PLACE_FBTL);
    collio_handle_t *handle;

    if (NULL != file) {
        return file;
    }
    file = calloc(1, sizeof(*file));
    handle = NULL == file ? NULL : collio_handle_take(fh);
    if (NULL == handle) {
        free(file);
        return NULL;
    }
    collio_caches_open(fh, &file->access);
    file->access.stats = &file->stats;
    collio_lockahead_guard(fh, &file->access);
    file->access.stripe_bytes = (int64_t) fh->f_stripe_size;
    check_engine(fh, (collio_engine_t) file->access.tuning.engine);
    check_sieving(fh, &file->access);
    handle->place[COLLIO_PLACE_FBTL] = file;
    return file;
}

mca_fbtl_mtpwrite_file_t *mca_fbtl_mtpwrite_file_get(ompio_file_t *fh)
{
    mca_fbtl_mtpwrite_file_t *file = collio_handle_get(fh, COLLIO_PLACE_FBTL);
    bool atomic = 0 != fh->f_atomicity;

    if (NULL == file) {
        pthread_mutex_lock(&mutex);
        file = get_or_make(fh);
        pthread_mutex_unlock(&mutex);
    }
    /* the mode changes between calls only: threads that are in calls of the file read it */
    if (NULL != file && file->access.atomic != atomic) {
        file->access.atomic = atomic;
    }
    return file;
}

static void add_stats(collio_access_stats_t *stats, collio_access_stats_t *sum)
{
    uint64_t *to = (uint64_t *) sum;
    uint64_t *from = (uint64_t *) stats;

    for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); ++i) {
        to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    }
}

void mca_fbtl_mtpwrite_file_end(ompio_file_t *fh)
{
    mca_fbtl_mtpwrite_file_t *file;

    pthread_mutex_lock(&mutex);
    file = collio_handle_get(fh, COLLIO_PLACE_FBTL);
    if (NULL != file) {
        add_stats(&file->stats, &closed);
    }
    collio_handle_clear(fh, COLLIO_PLACE_FBTL);
    pthread_mutex_unlock(&mutex);
    collio_guard_end(fh);
    free(file);
}

static void add_file(void *value, void *totals)
{
    mca_fbtl_mtpwrite_file_t *file = value;

    add_stats(&file->stats, totals);
}

void mca_fbtl_mtpwrite_file_totals(collio_access_stats_t *totals)
{
    pthread_mutex_lock(&mutex);
    *totals = closed;
    collio_handle_for_each(COLLIO_PLACE_FBTL, add_file, totals);
    pthread_mutex_unlock(&mutex);
}
