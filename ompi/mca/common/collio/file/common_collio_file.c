/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The records of open files: their table, their counters, their messages. They are made and ended
 * in open/.
 */
#include "file/common_collio_file.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "opal/util/output.h"

#include "core/common_collio_assert.h"

static void file_construct(mca_common_collio_file_t *file)
{
    memset((char *) file + sizeof(file->super), 0, sizeof(*file) - sizeof(file->super));
    file->comm = MPI_COMM_NULL;
    file->node_comm = MPI_COMM_NULL;
    file->my_aggregator = -1;
    file->slot = -1;
    atomic_flag_clear(&file->progressing);
    OBJ_CONSTRUCT(&file->lock, opal_mutex_t);
    OBJ_CONSTRUCT(&file->ops, opal_list_t);
}

static void file_destruct(mca_common_collio_file_t *file)
{
    if (NULL != file->idle) {
        OBJ_RELEASE(file->idle);
    }
    OBJ_DESTRUCT(&file->ops);
    OBJ_DESTRUCT(&file->lock);
}

static OBJ_CLASS_INSTANCE(mca_common_collio_file_t, opal_list_item_t, file_construct,
                          file_destruct);

/* All records of this process. Opens and closes may come from several threads, while others walk
 * the list to drive what is under way. A record that is being visited has visitors, and stays in
 * the list, so that the walk can go on from it; its close waits for them. */
static opal_list_t files;
static pthread_mutex_t files_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t files_once = PTHREAD_ONCE_INIT;

static void files_construct(void)
{
    OBJ_CONSTRUCT(&files, opal_list_t);
}

/* An open that finds no memory for its record would leave the other ranks waiting. */
static mca_common_collio_file_t *reserve;

void mca_common_collio_file_reserve(void)
{
    pthread_mutex_lock(&files_lock);
    if (NULL == reserve) {
        reserve = OBJ_NEW(mca_common_collio_file_t);
    }
    pthread_mutex_unlock(&files_lock);
}

void mca_common_collio_file_unreserve(void)
{
    pthread_mutex_lock(&files_lock);
    if (NULL != reserve) {
        OBJ_RELEASE(reserve);
        reserve = NULL;
    }
    pthread_mutex_unlock(&files_lock);
}

mca_common_collio_file_t *mca_common_collio_file_take(void)
{
    mca_common_collio_file_t *file = OBJ_NEW(mca_common_collio_file_t);

    if (NULL == file) {
        pthread_mutex_lock(&files_lock);
        file = reserve;
        reserve = NULL;
        pthread_mutex_unlock(&files_lock);
    }
    return file;
}

/* What this thread found last, see hook.c. */
static _Thread_local struct {
    const ompio_file_t *fh;
    mca_common_collio_file_t *file;
    unsigned removals;
} lately;
static _Atomic unsigned removals;

mca_common_collio_file_t *mca_common_collio_file_find(ompio_file_t *fh)
{
    mca_common_collio_file_t *file, *found = NULL;

    if (fh == lately.fh
        && lately.removals == atomic_load_explicit(&removals, memory_order_acquire)) {
        return lately.file;
    }
    pthread_once(&files_once, files_construct);
    pthread_mutex_lock(&files_lock);
    OPAL_LIST_FOREACH(file, &files, mca_common_collio_file_t)
    {
        if (file->fh == fh) {
            found = file;
            lately.fh = fh;
            lately.file = file;
            lately.removals = atomic_load_explicit(&removals, memory_order_relaxed);
            break;
        }
    }
    pthread_mutex_unlock(&files_lock);
    return found;
}

/* The next one to visit, with files_lock held. NULL: that was the last. */
static mca_common_collio_file_t *visit_next(mca_common_collio_file_t *file)
{
    opal_list_item_t *next = NULL == file ? opal_list_get_first(&files)
                                          : opal_list_get_next(&file->super);

    if (NULL != file) {
        MCA_COMMON_COLLIO_ASSERT(0 < file->visitors);
        --file->visitors;
    }
    if (opal_list_get_end(&files) == next) {
        return NULL;
    }
    ++((mca_common_collio_file_t *) next)->visitors;
    return (mca_common_collio_file_t *) next;
}

void mca_common_collio_file_for_each(int (*each)(mca_common_collio_file_t *file), int *sum)
{
    mca_common_collio_file_t *file = NULL;

    pthread_once(&files_once, files_construct);
    for (;;) {
        pthread_mutex_lock(&files_lock);
        file = visit_next(file);
        pthread_mutex_unlock(&files_lock);
        if (NULL == file) {
            return;
        }
        *sum += each(file); /* without the lock: what completes here may open or find files */
    }
}

void mca_common_collio_file_enter(mca_common_collio_file_t *file)
{
    pthread_once(&files_once, files_construct);
    pthread_mutex_lock(&files_lock);
    opal_list_append(&files, &file->super);
    pthread_mutex_unlock(&files_lock);
}

void mca_common_collio_file_leave(mca_common_collio_file_t *file)
{
    bool out = false;

    while (!out) {
        pthread_mutex_lock(&files_lock);
        out = 0 == file->visitors;
        if (out) {
            opal_list_remove_item(&files, &file->super);
            atomic_fetch_add_explicit(&removals, 1, memory_order_release);
        }
        pthread_mutex_unlock(&files_lock);
        if (!out) {
            sched_yield();
        }
    }
}

void mca_common_collio_file_say(const mca_common_collio_file_t *file, const char *format, ...)
{
    char text[1024];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    opal_output(0, "fcoll/%s: %s: %s", file->component->name, file->fh->f_filename, text);
}

void mca_common_collio_file_count(mca_common_collio_file_t *file, int stat, uint64_t amount)
{
    file->stats[file->writing].at[stat] += amount;
    file->component->stats.at[stat] += amount;
}

void mca_common_collio_file_memory(mca_common_collio_file_t *file, int64_t bytes)
{
    uint64_t *high = &file->stats[0].at[MCA_COMMON_COLLIO_STAT_memory_high];
    uint64_t *component_high = &file->component->stats.at[MCA_COMMON_COLLIO_STAT_memory_high];

    file->memory_bytes += bytes;
    MCA_COMMON_COLLIO_ASSERT(0 <= file->memory_bytes); /* nothing is given back twice */
    if (file->memory_bytes > (int64_t) *high) {
        *high = (uint64_t) file->memory_bytes;
    }
    if (*high > *component_high) {
        *component_high = *high;
    }
}

static _Atomic bool background;

bool mca_common_collio_file_background(void)
{
    return background;
}

bool mca_common_collio_file_set_background(bool used)
{
    return atomic_exchange(&background, used);
}

void mca_common_collio_file_high(mca_common_collio_file_t *file, int stat, int64_t value)
{
    uint64_t *high = &file->stats[0].at[stat], *component_high = &file->component->stats.at[stat];

    *high = value > (int64_t) *high ? (uint64_t) value : *high;
    *component_high = *high > *component_high ? *high : *component_high;
}
