/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The per-file table: one record per MPI file that a component of ours changed.
 *
 *   ompi_file_t                             hook
 *     f_io_selected_module (by value)         original   io/ompio's entries, for calling
 *        file_close  -> hook's own            closers    callbacks, run newest first
 *        file_seek   -> entries.c
 *        file_write  -> a client's            flats      flattened views and datatypes
 *     f_io_selected_data == ompio_file_t
 *
 * The test for a real file: fh->f_fh cannot be trusted (sharedfp/individual hands in handles it
 * never initialised), so it is looked for among the MPI files that exist, and taken if its
 * f_io_selected_data IS the handle. Nothing is read through an unknown pointer, nor through those
 * of other files: other threads may be closing them.
 * Records are few (open files), so a list is enough; it has its own lock, as files may be opened
 * by several threads at once.
 */
#include "compat/common_collio_compat.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "access/common_collio_access.h"
#include "hook/common_collio_hook.h"
#include "hook/common_collio_spare.h"

/* A component has one or two. */
enum { CLOSERS = 6 };

struct closer {
    void (*callback)(ompio_file_t *fh, void *data);
    void *data;
};

struct record {
    mca_common_collio_hook_t hook;  /* first: a hook is its record */
    struct closer closers[CLOSERS]; /* in the record: an open must not fail for want of one */
    int closer_count;
    struct record *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct record *records;
static mca_common_collio_spare_t spare = {.bytes = sizeof(struct record)};

void mca_common_collio_hook_reserve(void)
{
    pthread_mutex_lock(&lock);
    mca_common_collio_spare_fill(&spare);
    pthread_mutex_unlock(&lock);
}

void mca_common_collio_hook_unreserve(void)
{
    pthread_mutex_lock(&lock);
    mca_common_collio_spare_drop(&spare);
    pthread_mutex_unlock(&lock);
}

/* What this thread found last: a call looks its hook up several times. It holds while no record has
 * been removed since. The record itself is looked at only if the file is the same one, which nobody
 * closes while it is in use. */
static _Thread_local struct {
    const ompi_file_t *file;
    const ompio_file_t *fh;
    struct record *record;
    unsigned removals;
} lately;
static _Atomic unsigned removals;

static bool lately_holds(void)
{
    return NULL != lately.record
           && lately.removals == atomic_load_explicit(&removals, memory_order_acquire);
}

/* With the lock held. */
static void note_lately(struct record *record)
{
    if (NULL != record) {
        lately.file = record->hook.file;
        lately.fh = record->hook.fh;
        lately.record = record;
        lately.removals = atomic_load_explicit(&removals, memory_order_relaxed);
    }
}

static struct record *find_by_handle(const ompio_file_t *fh)
{
    struct record *record = records;

    while (NULL != record && fh != record->hook.fh) {
        record = record->next;
    }
    return record;
}

static struct record *find_by_file(const ompi_file_t *file)
{
    struct record *record = records;

    while (NULL != record && file != record->hook.file) {
        record = record->next;
    }
    return record;
}

static bool owns(const ompi_file_t *file, const ompio_file_t *fh)
{
    return NULL != file && MCA_COMMON_COLLIO_IO_VERSION == file->f_io_version
           && (const void *) fh == (const void *) file->f_io_selected_data;
}

#if MCA_COMMON_COLLIO_HAVE_FILE_TABLE
static ompi_file_t *find_file(const ompio_file_t *fh)
{
    opal_pointer_array_t *table = &ompi_file_f_to_c_table;
    ompi_file_t *found = NULL;

    /* a file leaves the table before its memory is freed: what is in it can be read meanwhile, even
     * if an uninitialised f_fh happens to be another file */
    OPAL_THREAD_LOCK(&table->lock);
    for (int i = 0; i < table->size && NULL == found; ++i) {
        if (fh->f_fh == table->addr[i] && owns(fh->f_fh, fh)) {
            found = fh->f_fh;
        }
    }
    OPAL_THREAD_UNLOCK(&table->lock);
    return found;
}
#elif MCA_COMMON_COLLIO_HANDLES_ARE_CLEAN
/* The table is hidden, but handles that are no MPI file's have no f_fh here. */
static ompi_file_t *find_file(const ompio_file_t *fh)
{
    return owns(fh->f_fh, fh) ? fh->f_fh : NULL;
}
#else
/* The table itself is hidden; MPI's handle conversion looks into it. MPI_FILE_NULL, which it gives
 * for unused numbers, owns no handle. Numbers are reused, so open files have small ones. */
static ompi_file_t *find_file(const ompio_file_t *fh)
{
    enum { MOST_FILES = 65536 };

    for (MPI_Fint i = 0; i < MOST_FILES; ++i) {
        ompi_file_t *file = mca_common_collio_file_of(i);

        if (file == fh->f_fh) {
            return owns(file, fh) ? file : NULL;
        }
    }
    return NULL;
}
#endif

static struct record *unlink_by_file(const ompi_file_t *file)
{
    struct record **at = &records;
    struct record *record;

    while (NULL != *at && file != (*at)->hook.file) {
        at = &(*at)->next;
    }
    record = *at;
    if (NULL != record) {
        *at = record->next;
        atomic_fetch_add_explicit(&removals, 1, memory_order_release);
    }
    return record;
}

static void run_closers(struct record *record)
{
    while (0 < record->closer_count) { /* newest first */
        const struct closer *closer = &record->closers[--record->closer_count];

        closer->callback(record->hook.fh, closer->data);
    }
}

/* Replaces io/ompio's file_close. The table is restored before the original runs, which
 * must find io/ompio's own entries. */
static int file_close(ompi_file_t *file)
{
    mca_common_collio_io_table_t original;
    struct record *record;

    pthread_mutex_lock(&lock);
    record = find_by_file(file);
    pthread_mutex_unlock(&lock);
    if (NULL == record) {
        return OMPI_ERR_BAD_PARAM;
    }
    run_closers(record); /* they may still look the hook up */

    pthread_mutex_lock(&lock);
    unlink_by_file(file);
    pthread_mutex_unlock(&lock);
    original = record->hook.original;
    MCA_COMMON_COLLIO_IO_TABLE(file) = original;
    if (NULL != record->hook.flats) {
        record->hook.free_flats(record->hook.flats);
    }
    free(record);
    return original.io_module_file_close(file);
}

/* The threads and queues of file access end with MPI. */
static int at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm;
    (void) key;
    (void) value;
    (void) extra;
    mca_common_collio_access_finalize();
    return MPI_SUCCESS;
}

static struct record *make_record(ompio_file_t *fh)
{
    static bool watching;
    ompi_file_t *file = find_file(fh);
    struct record *record;

    if (NULL == file) {
        return NULL;
    }
    record = mca_common_collio_spare_take(&spare);
    if (NULL == record) {
        return NULL;
    }
    if (!watching) {
        watching = MPI_SUCCESS == mca_common_collio_call_at_finalize(at_finalize);
    }
    record->hook.file = file;
    record->hook.fh = fh;
    record->hook.original = MCA_COMMON_COLLIO_IO_TABLE(file);
    record->next = records;
    records = record;
    MCA_COMMON_COLLIO_IO_TABLE(file).io_module_file_close = file_close;
    return record;
}

mca_common_collio_hook_t *mca_common_collio_hook_get(ompio_file_t *fh)
{
    struct record *record;

    if (lately_holds() && fh == lately.fh) {
        return &lately.record->hook;
    }
    pthread_mutex_lock(&lock);
    record = find_by_handle(fh);
    if (NULL == record) {
        record = make_record(fh);
    }
    note_lately(record);
    pthread_mutex_unlock(&lock);
    return NULL == record ? NULL : &record->hook;
}

mca_common_collio_hook_t *mca_common_collio_hook_find(ompi_file_t *file)
{
    struct record *record;

    if (lately_holds() && file == lately.file) {
        return &lately.record->hook;
    }
    pthread_mutex_lock(&lock);
    record = find_by_file(file);
    note_lately(record);
    pthread_mutex_unlock(&lock);
    return NULL == record ? NULL : &record->hook;
}

mca_common_collio_hook_table_t *mca_common_collio_hook_table(mca_common_collio_hook_t *hook)
{
    return &MCA_COMMON_COLLIO_IO_TABLE(hook->file);
}

int mca_common_collio_hook_on_close(mca_common_collio_hook_t *hook,
                                    void (*callback)(ompio_file_t *fh, void *data), void *data)
{
    struct record *record = (struct record *) hook;

    for (int i = 0; i < record->closer_count; ++i) {
        if (callback == record->closers[i].callback && data == record->closers[i].data) {
            return 0;
        }
    }
    if (CLOSERS == record->closer_count) {
        return -ENOSPC;
    }
    record->closers[record->closer_count++] = (struct closer){callback, data};
    return 0;
}
