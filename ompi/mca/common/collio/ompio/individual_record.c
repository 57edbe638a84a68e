/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The record of individual access to an open handle: the access struct and counters.
 *
 * The record is place INDIVIDUAL of the handle (hook/handle.h). OMPIO's shared file pointers have
 * handles of their own, which use the module of fbtl/mtpwrite only. The record is made at the first
 * transfer, because the descriptor is opened after the module is selected, and freed with the
 * module.
 */
#include "ompio/individual.h"

#include <pthread.h>
#include <stdlib.h>

#include "help/help.h"
#include "hook/guard.h"
#include "hook/handle.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

bool collio_individual_serves(const ompio_file_t *fh)
{
    return NONE == fh->f_fstype || UFS == fh->f_fstype || LUSTRE == fh->f_fstype
           || GPFS == fh->f_fstype;
}

static void check_engine(const ompio_file_t *fh, collio_engine_t engine)
{
    const char *why;

    (void) collio_engine_choose(engine, &why);
    if (NULL != why && 0 == fh->f_rank) {
        collio_help("fbtl/mtpwrite", fh->f_filename, COLLIO_HELP_ENGINE, collio_engine_name(engine),
                    why);
    }
}

static void check_threads(const ompio_file_t *fh, int threads)
{
    int cores;

    if (1 >= threads || 0 != fh->f_rank) {
        return;
    }
    cores = collio_cores_count(collio_pool_cores());
    if (threads > cores) {
        collio_help("fbtl/mtpwrite", NULL, COLLIO_HELP_THREADS, threads, cores);
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
static collio_individual_t *get_or_make(ompio_file_t *fh)
{
    collio_individual_t *file = collio_handle_get(fh, COLLIO_PLACE_INDIVIDUAL);
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
    check_threads(fh, file->access.tuning.threads);
    check_sieving(fh, &file->access);
    collio_counters_enter(&collio_individual_counters, &file->tally,
                          (const uint64_t *) &file->stats);
    handle->place[COLLIO_PLACE_INDIVIDUAL] = file;
    return file;
}

collio_individual_t *collio_individual_get(ompio_file_t *fh)
{
    collio_individual_t *file = collio_handle_get(fh, COLLIO_PLACE_INDIVIDUAL);
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

void collio_individual_end(ompio_file_t *fh)
{
    collio_individual_t *file;

    pthread_mutex_lock(&mutex);
    file = collio_handle_get(fh, COLLIO_PLACE_INDIVIDUAL);
    if (NULL != file) {
        collio_counters_leave(&collio_individual_counters, &file->tally);
    }
    collio_handle_clear(fh, COLLIO_PLACE_INDIVIDUAL);
    pthread_mutex_unlock(&mutex);
    free(file);
}
