/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The record of an open file: who is where, who aggregates, what is in force.
 */
#include "file/common_collio_file.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "call/common_collio_op.h"
#include "file/common_collio_report.h"
#include "ompio/common_collio_fcoll.h"
#include "ompio/common_collio_guard.h"
#include "ompio/common_collio_hook.h"
#include "ompio/common_collio_request.h"
#include "tuner/common_collio_tuner.h"
#include "twolayer/common_collio_relay.h"

#include "opal/util/output.h"

static void file_construct(mca_common_collio_file_t *file)
{
    memset((char *) file + sizeof(file->super), 0, sizeof(*file) - sizeof(file->super));
    file->comm = MPI_COMM_NULL;
    file->node_comm = MPI_COMM_NULL;
    file->my_owner = -1;
    atomic_flag_clear(&file->progressing);
    OBJ_CONSTRUCT(&file->lock, opal_mutex_t);
    OBJ_CONSTRUCT(&file->ops, opal_list_t);
}

static void file_destruct(mca_common_collio_file_t *file)
{
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

static mca_common_collio_file_t *file_take(void)
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

mca_common_collio_file_t *mca_common_collio_file_find(ompio_file_t *fh)
{
    mca_common_collio_file_t *file, *found = NULL;

    pthread_once(&files_once, files_construct);
    pthread_mutex_lock(&files_lock);
    OPAL_LIST_FOREACH(file, &files, mca_common_collio_file_t)
    {
        if (file->fh == fh) {
            found = file;
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

/* Takes a record out of the list when nobody visits it any more. */
static void take_out(mca_common_collio_file_t *file)
{
    bool out = false;

    while (!out) {
        pthread_mutex_lock(&files_lock);
        out = 0 == file->visitors;
        if (out) {
            opal_list_remove_item(&files, &file->super);
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
    file->stats.at[stat] += amount;
    file->component->stats.at[stat] += amount;
}

void mca_common_collio_file_memory(mca_common_collio_file_t *file, int64_t bytes)
{
    uint64_t *high = &file->stats.at[MCA_COMMON_COLLIO_STAT_memory_high];
    uint64_t *component_high = &file->component->stats.at[MCA_COMMON_COLLIO_STAT_memory_high];

    file->memory_bytes += bytes;
    if (file->memory_bytes > (int64_t) *high) {
        *high = (uint64_t) file->memory_bytes;
    }
    if (*high > *component_high) {
        *component_high = *high;
    }
}

/* Do all ranks run on this node? Then all of them know it, without a word. */
static bool one_node(const mca_common_collio_file_t *file)
{
    for (int i = 0; i < file->size; ++i) {
        if (!OPAL_PROC_ON_LOCAL_NODE(ompi_comm_peer_lookup(file->comm, i)->super.proc_flags)) {
            return false;
        }
    }
    return true;
}

static int map_one_node(mca_common_collio_file_t *file)
{
    int *keys = calloc((size_t) file->size, sizeof(*keys));
    int rc = NULL == keys ? OMPI_ERR_OUT_OF_RESOURCE
                          : mca_common_collio_nodes_init(&file->nodes, keys, file->size);

    free(keys);
    file->node_comm = file->comm;
    return rc;
}

/* Which rank is on which node: the key of a node is its first rank. */
static int map_nodes(mca_common_collio_file_t *file)
{
    int *keys = malloc(sizeof(*keys) * (size_t) file->size);
    int key = file->rank, mine = NULL != keys, all = 0;
    int rc = mca_common_collio_allreduce(&file->rank, &key, 1, MPI_INT, MPI_MIN, file->node_comm);

    if (OMPI_SUCCESS == rc) { /* a rank without memory cannot take part in what follows */
        rc = mca_common_collio_allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, file->comm);
    }
    if (OMPI_SUCCESS == rc && !all) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_collio_allgather(&key, keys, 1, MPI_INT, file->comm);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_collio_nodes_init(&file->nodes, keys, file->size);
    }
    free(keys);
    return rc;
}

/* On one node with a local file system the buffer is a stop on the way to the page cache: small
 * enough for the cores' caches it is as fast as a large one, and its pages are sooner had. */
static int64_t resolve_buffer(const mca_common_collio_file_t *file)
{
    enum { DEFAULT_BUFFER = 32 << 20, NODE_BUFFER = 2 << 20 };
    int64_t allowed = file->fh->f_bytes_per_agg;

    if (0 != file->settings.buffer_bytes) {
        return (int64_t) file->settings.buffer_bytes;
    }
    if (allowed > 0 && DEFAULT_BUFFER != allowed) {
        return allowed; /* somebody has set io_ompio_bytes_per_agg */
    }
    return 1 == file->nodes.nodes && UFS == file->fh->f_fstype && !file->access.network
               ? NODE_BUFFER
               : DEFAULT_BUFFER;
}

static int make_agreement(mca_common_collio_file_t *file)
{
    int rc = ompi_datatype_create_contiguous(MCA_COMMON_COLLIO_AGREE_FIELDS, MPI_INT64_T,
                                             &file->agree_type);

    if (OMPI_SUCCESS == rc) {
        rc = ompi_datatype_commit(&file->agree_type);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_collio_op_create(mca_common_collio_agree_reduce, &file->agree_op);
    }
    return rc;
}

/* Everything that needs the other ranks. */
static int connect_ranks(mca_common_collio_file_t *file)
{
    ompi_communicator_t *comm = file->fh->f_comm;
    int rc = ompi_comm_dup(comm, &file->comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    file->rank = ompi_comm_rank(comm);
    file->size = ompi_comm_size(comm);
    if (one_node(file)) {
        return map_one_node(file);
    }
    rc = ompi_comm_split_type(file->comm, MPI_COMM_TYPE_SHARED, 0, NULL, &file->node_comm);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return map_nodes(file);
}

/* Settings, and the other numbers that decide who owns which part of the file: parameters, hints
 * and file systems differ between nodes more often than one thinks. */
static int agree_on_settings(mca_common_collio_file_t *file)
{
    enum { LAYERS, FILE_SYSTEM, STRIPE_BYTES, STRIPES, LOCKAHEAD, BUFFER, FACTS };
    const mca_common_collio_lockahead_t *lockahead = mca_common_collio_lockahead_of(file->fh);
    ompio_file_t *fh = file->fh;
    mca_common_collio_fact_t facts[FACTS] = {
        [LAYERS] = {"number of layers", file->component->two_layers ? 2 : 1},
        [FILE_SYSTEM] = {"kind of file system", (int64_t) fh->f_fstype},
        [STRIPE_BYTES] = {"stripe size", (int64_t) fh->f_stripe_size},
        [STRIPES] = {"stripe count", (int64_t) fh->f_stripe_count},
        [LOCKAHEAD] = {"lockahead mode", NULL == lockahead ? 0 : (int64_t) lockahead->collective},
        [BUFFER] = {"io_ompio_bytes_per_agg", (int64_t) fh->f_bytes_per_agg},
    };
    int rc;

    mca_common_collio_settings_resolve(file->component, fh, &file->settings);
    rc = mca_common_collio_settings_set_agree(&file->component->set, file->comm, fh->f_info,
                                              &file->settings, facts, FACTS);
    file->settings_hash = mca_common_collio_settings_set_hash(&file->component->set,
                                                              &file->settings);
    file->two_layers = 2 == facts[LAYERS].value;
    fh->f_fstype = (int) facts[FILE_SYSTEM].value;
    fh->f_stripe_size = (size_t) facts[STRIPE_BYTES].value;
    fh->f_stripe_count = (int) facts[STRIPES].value;
    file->lockahead = (mca_common_collio_lockahead_mode_t) facts[LOCKAHEAD].value;
    fh->f_bytes_per_agg = (int) facts[BUFFER].value;
    return rc;
}

static void prepare_access(mca_common_collio_file_t *file)
{
    mca_common_collio_access_t *access = &file->access;

    mca_common_collio_access_open(access, file->fh->fd, &file->access_stats);
    access->stripe_bytes = file->fh->f_stripe_size > 0 ? (int64_t) file->fh->f_stripe_size : 0;
    access->jobs = 2; /* a schedule has two buffers */
}

static void on_close(ompio_file_t *fh, void *data)
{
    (void) data;
    mca_common_collio_file_detach(fh);
}

static void file_free(mca_common_collio_file_t *file)
{
    if (0 != file->lost) {
        return; /* messages may still arrive, and communicators end by communication: see lost.c */
    }
    mca_common_collio_meet_fini(file);
    mca_common_collio_shared_fini(&file->shared);
    mca_common_collio_shared_fini(&file->relay_shared);
    mca_common_collio_arena_fini(&file->relay);
    mca_common_collio_put_close(file);
    mca_common_collio_arena_fini(&file->buffers);
    mca_common_collio_arena_fini(&file->staging);
    if (NULL != file->plans) {
        for (int i = 0; i < MCA_COMMON_COLLIO_PLAN_SLOTS; ++i) {
            mca_common_collio_plan_fini(&file->plans->slot[i]);
            free(file->plans->slot[i].layer1.relay);
        }
        free(file->plans);
    }
    if (NULL != file->spare) {
        OBJ_RELEASE(file->spare);
    }
    if (NULL != file->spare_request) {
        OBJ_RELEASE(file->spare_request);
    }
    mca_common_collio_tuner_close(file);
    mca_common_collio_nodes_fini(&file->nodes);
    mca_common_collio_file_memory_close(file);
    free(file->histogram);
    free(file->stops);
    free(file->aggregators);
    free(file->owner_slot);
    if (NULL != file->agree_op) {
        mca_common_collio_op_free(&file->agree_op);
    }
    if (NULL != file->agree_type) {
        ompi_datatype_destroy(&file->agree_type);
    }
    if (MPI_COMM_NULL != file->node_comm && file->comm != file->node_comm) {
        ompi_comm_free(&file->node_comm);
    }
    if (MPI_COMM_NULL != file->comm) {
        ompi_comm_free(&file->comm);
    }
    OBJ_RELEASE(file);
}

static void settle_guard(mca_common_collio_file_t *file, const int64_t *fields)
{
    const char *why = mca_common_collio_guard_settle(file->fh, &file->access, fields);

    if (NULL != why && 0 == file->rank) {
        mca_common_collio_file_say(file,
                                   "data sieving of writes was asked for (romio_ds_write, "
                                   "collio_sieve_write or fbtl_mtpwrite_sieve_write), but %s. "
                                   "Writes to this file are not sieved.",
                                   why);
    }
}

/* All ranks must come out of here with the same answer, and with the same facts to decide by. */
static int agree_on_record(mca_common_collio_file_t *file, int rc)
{
    enum {
        ERROR,
        LEARNT,
        MINUS_LEARNT,
        FILE_SYSTEM,
        MINUS_FILE_SYSTEM,
        MINUS_BUFFER,
        NETWORK,
        AGGREGATORS,
        MINUS_AGGREGATORS,
        GUARD,
        FIELDS = GUARD + MCA_COMMON_COLLIO_GUARD_FIELDS
    };
    int64_t mine[FIELDS], all[FIELDS];

    mine[ERROR] = OMPI_SUCCESS == rc ? OMPI_SUCCESS : MPI_ERR_NO_MEM;
    mine[LEARNT] = mca_common_collio_tuner_hash(file->tuner);
    mine[MINUS_LEARNT] = -mine[LEARNT];
    mine[FILE_SYSTEM] = file->access.file_system;
    mine[MINUS_FILE_SYSTEM] = -mine[FILE_SYSTEM];
    mine[MINUS_BUFFER] = -file->buffer_bytes;
    mine[NETWORK] = file->access.network;
    mine[AGGREGATORS] = mca_common_collio_file_aggregators_hash(file);
    mine[MINUS_AGGREGATORS] = -mine[AGGREGATORS];
    mca_common_collio_guard_ask(file->fh, &file->access, &mine[GUARD]);
    rc = mca_common_collio_allreduce(mine, all, FIELDS, MPI_INT64_T, MPI_MAX, file->comm);
    if (OMPI_SUCCESS != rc) {
        mca_common_collio_file_lose(file, rc);
        return file->lost;
    }
    file->access.file_system = all[FILE_SYSTEM] == -all[MINUS_FILE_SYSTEM]
                                   ? (uint32_t) all[FILE_SYSTEM]
                                   : 0;
    file->access.network = 0 != all[NETWORK]; /* one rank may be on the server itself */
    file->buffer_bytes = -all[MINUS_BUFFER];  /* what everybody allows */
    settle_guard(file, &all[GUARD]);
    if (all[LEARNT] != -all[MINUS_LEARNT]) { /* the ranks remember different things: begin anew */
        mca_common_collio_tuner_forget(file->tuner);
    }
    if (OMPI_SUCCESS == all[ERROR] && all[AGGREGATORS] != -all[MINUS_AGGREGATORS]) {
        if (0 == file->rank) {
            mca_common_collio_file_say(file, "the ranks come to different lists of aggregators: "
                                             "are they of one build? Collective calls on this "
                                             "file fail on all of them.");
        }
        return MPI_ERR_NOT_SAME;
    }
    return (int) all[ERROR];
}

static mca_common_collio_file_t *file_make(ompio_file_t *fh,
                                           mca_common_collio_component_t *component)
{
    mca_common_collio_file_t *file = file_take();
    int rc;

    if (NULL == file) {
        return NULL;
    }
    file->fh = fh;
    file->component = component;
    rc = connect_ranks(file);
    if (MPI_COMM_NULL == file->comm) {
        file_free(file);
        return NULL;
    }
    if (OMPI_SUCCESS != agree_on_settings(file) && OMPI_SUCCESS == rc) {
        rc = OMPI_ERROR;
    }
    file->plans = calloc(1, sizeof(*file->plans));
    for (int i = 0; NULL != file->plans && file->two_layers && i < MCA_COMMON_COLLIO_PLAN_SLOTS;
         ++i) {
        rc = OMPI_SUCCESS == rc && 0 != mca_common_collio_relay_open(&file->plans->slot[i])
                 ? OMPI_ERR_OUT_OF_RESOURCE
                 : rc;
    }
    file->spare_request = mca_common_collio_request_make();
    if (OMPI_SUCCESS == rc
        && (NULL == file->plans || NULL == file->spare_request
            || !mca_common_collio_op_reserve(file))) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_collio_file_aggregators(file);
    }
    prepare_access(file);
    file->buffer_bytes = resolve_buffer(file);
    if (OMPI_SUCCESS != mca_common_collio_file_memory_decide(file, file->buffer_bytes)
        && OMPI_SUCCESS == rc) {
        rc = OMPI_ERROR;
    }
    if (OMPI_SUCCESS == rc && file->memory.used) {
        rc = mca_common_collio_file_aggregators(file);
    }
    if (OMPI_SUCCESS == rc) {
        rc = mca_common_collio_file_memory_open(file, mca_common_collio_layout_bins(file));
    }
    if (OMPI_SUCCESS == rc) {
        rc = make_agreement(file);
    }
    if (OMPI_SUCCESS == rc) {
        file->histogram = malloc(2 * sizeof(*file->histogram)
                                 * (size_t) mca_common_collio_layout_sums(file));
        file->stops = malloc(2 * sizeof(*file->stops) * (size_t) file->aggregator_count);
        rc = NULL == file->histogram || NULL == file->stops ? OMPI_ERR_OUT_OF_RESOURCE
                                                            : OMPI_SUCCESS;
    }
    file->tuner = mca_common_collio_tuner_open(file);
    if (OMPI_SUCCESS == rc && NULL == file->tuner) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    file->refused = agree_on_record(file, rc);
    if (OMPI_SUCCESS != file->refused) {
        return file; /* it only tells, from now on, that collective calls cannot be made */
    }
    mca_common_collio_meet_init(file);
    return file;
}

mca_common_collio_file_t *mca_common_collio_file_attach(ompio_file_t *fh,
                                                        mca_common_collio_component_t *component)
{
    mca_common_collio_file_t *file = mca_common_collio_file_find(fh);
    mca_common_collio_hook_t *hook;

    if (NULL != file) {
        return file;
    }
    file = file_make(fh, component);
    if (NULL == file) {
        return NULL;
    }
    mca_common_collio_file_reserve();
    pthread_mutex_lock(&files_lock);
    opal_list_append(&files, &file->super);
    pthread_mutex_unlock(&files_lock);
    if (OMPI_SUCCESS == file->refused) {
        mca_common_collio_settings_publish(component, &file->settings, fh, file->aggregator_count,
                                           file->buffer_bytes);
    }
    hook = mca_common_collio_hook_get(fh);
    if (NULL != hook) {
        (void) mca_common_collio_hook_on_close(hook, on_close, NULL);
        mca_common_collio_fcoll_patch(hook);
    }
    return file;
}

void mca_common_collio_file_detach(ompio_file_t *fh)
{
    mca_common_collio_file_t *file = mca_common_collio_file_find(fh);

    if (NULL == file) {
        return;
    }
    if (OMPI_SUCCESS == file->refused) {
        mca_common_collio_report(file);
    }
    take_out(file);
    file_free(file);
}
