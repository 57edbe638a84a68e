/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * File contexts: creation, use by one file after another, end. See context.h.
 */
#include "open/context.h"

#include <stdlib.h>

#include "call/op.h"
#include "plan/relay.h"
#include "transport/put.h"

/* The record of a context. An open has reserved memory for few records: see hook/handle.h. */
typedef struct record_t {
    collio_context_t context;
    collio_agreement_t agreement; /* agreement of `context` */
} record_t;

/* True if all ranks run on this node. The result is the same on all ranks, without a message. */
static bool one_node(ompi_communicator_t *comm)
{
    for (int i = 0; i < ompi_comm_size(comm); ++i) {
        if (!OPAL_PROC_ON_LOCAL_NODE(ompi_comm_peer_lookup(comm, i)->super.proc_flags)) {
            return false;
        }
    }
    return true;
}

/* The communicator may be kept after the file is closed, so it must not refer to objects of the
 * user. A split, unlike MPI_Comm_dup, copies no attributes and no topology. Errors are returned. */
static int make_comm(const collio_file_t *file, ompi_communicator_t **comm)
{
    int rc = ompi_comm_split(file->fh->f_comm, 0, file->rank, comm, false);

    if (OMPI_SUCCESS == rc) {
        OBJ_RELEASE((*comm)->error_handler);
        (*comm)->error_handler = &ompi_mpi_errors_return.eh;
        OBJ_RETAIN((*comm)->error_handler);
    }
    return rc;
}

static int make_comms(const collio_file_t *file, collio_context_t *context)
{
    int rc = make_comm(file, &context->comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (1 == file->nodes.nodes || (0 == file->nodes.nodes && one_node(context->comm))) {
        context->node_comm = context->comm;
        return OMPI_SUCCESS;
    }
    return ompi_comm_split_type(context->comm, MPI_COMM_TYPE_SHARED, 0, NULL, &context->node_comm);
}

int collio_context_connect(collio_file_t *file)
{
    record_t *record = collio_spare_take(sizeof(*record));
    int rc;

    if (NULL == record) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    record->context.comm = record->context.node_comm = MPI_COMM_NULL;
    record->context.agreement = &record->agreement;
    rc = make_comms(file, &record->context);
    if (MPI_COMM_NULL == record->context.comm) {
        free(record);
        return rc;
    }
    file->context = &record->context;
    collio_agreement_init(file, &record->agreement);
    return OMPI_SUCCESS == rc ? collio_agreement_connect(file) : rc;
}

int collio_context_new(collio_file_t *file)
{
    enum { ERROR, PAGE, FIELDS = PAGE + COLLIO_SHM_KEY };
    int64_t mine[FIELDS], all[FIELDS];
    collio_context_t *before = file->context;
    int rc = collio_context_connect(file);

    if (OMPI_SUCCESS != rc) {
        collio_file_lose(file, rc);
        return file->lost;
    }
    rc = collio_agreement_set_rule(file->context->agreement, &collio_agree_rule);
    if (OMPI_SUCCESS == rc) {
        rc = collio_context_keep_open(file);
    }
    mine[ERROR] = OMPI_SUCCESS == rc ? MPI_SUCCESS : MPI_ERR_NO_MEM;
    collio_agreement_offer(file, &mine[PAGE]);
    if (0 != collio_agreement_wait(file, COLLIO_SCOPE_FILE, mine, all, FIELDS)) {
        collio_shm_unlink(&file->context->agreement->segment);
        return file->lost;
    }
    if (MPI_SUCCESS != all[ERROR]) {
        collio_context_close(file);
        file->context = before;
        return (int) all[ERROR];
    }
    return collio_agreement_share(file, file->context->agreement, &all[PAGE]);
}

int collio_context_keep_open(collio_file_t *file)
{
    collio_kept_t *kept = file->context->kept = calloc(1, sizeof(*kept));

    if (NULL == kept) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    kept->plans = calloc(1, sizeof(*kept->plans));
    kept->histogram = malloc(2 * sizeof(*kept->histogram) * (size_t) collio_layout_sums(file));
    kept->stops = malloc(2 * sizeof(*kept->stops) * (size_t) file->derived.aggregator_count);
    if (NULL == kept->plans || NULL == kept->histogram || NULL == kept->stops) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    for (int i = 0; file->derived.two_layers && i < COLLIO_PLANS_MAX; ++i) {
        kept->plans->plan[i].layer1.relay = calloc(1, sizeof(collio_relay_t));
        if (NULL == kept->plans->plan[i].layer1.relay) {
            return OMPI_ERR_OUT_OF_RESOURCE;
        }
    }
    return collio_kept_memory_open(file, collio_layout_bins(file));
}

/* Frees everything except RMA windows, because freeing these communicates. */
static void free_kept(collio_context_t *context)
{
    collio_kept_t *kept = context->kept;

    if (NULL == kept) {
        return;
    }
    collio_shared_fini(&kept->shared);
    collio_shared_fini(&kept->relay_shared);
    collio_arena_fini(&kept->relay);
    collio_arena_fini(&kept->buffers);
    collio_arena_fini(&kept->staging);
    for (int i = 0; NULL != kept->plans && i < COLLIO_PLANS_MAX; ++i) {
        collio_plan_fini(&kept->plans->plan[i]);
        free(kept->plans->plan[i].layer1.relay);
    }
    free(kept->plans);
    free(kept->histogram);
    free(kept->stops);
    free(kept);
    context->kept = NULL;
    context->memory_bytes = context->charge = 0;
}

void collio_context_keep_close(collio_file_t *file)
{
    if (NULL != file->context->kept) {
        collio_put_close(file);
        free_kept(file->context);
        collio_kept_memory_close(file);
    }
}

/* Traits are agreed values only, so all ranks get the same result when they compare them. */
static void find_traits(const collio_file_t *file, int64_t *traits)
{
    const int64_t found[] = {file->derived.settings_hash,
                             file->derived.buffer_bytes,
                             file->derived.aggregator_count,
                             collio_file_aggregators_hash(file),
                             file->access.file_system,
                             file->access.network,
                             collio_align_pack(&file->derived.align)};

    _Static_assert(sizeof(found) == sizeof(*traits) * COLLIO_CONTEXT_TRAITS, "one trait each");
    memcpy(traits, found, sizeof(found));
}

/* True if another file can use `kept`. False if it has RMA windows, which are freed with their
 * file; if shared memory or windows have failed, because the next file must try again; and with
 * partition memory, because the nodes are short of memory. Nodes may differ: the ranks compare at
 * the next open. */
static bool can_serve(const collio_file_t *file)
{
    const collio_kept_t *kept = file->context->kept;

    return NULL != kept && !file->derived.partition->by_memory && !kept->put.open
           && !kept->put.failed && !collio_kept_unshared(kept);
}

/* Clears the values for messages and the report of the last file. */
static void reset_kept(collio_kept_t *kept)
{
    memset(&kept->covered, 0, sizeof(kept->covered));
    memset(&kept->local_used, 0, sizeof(kept->local_used));
    kept->layers_used = 0;
    kept->printed = 0;
}

void collio_context_give(collio_file_t *file, bool memory)
{
    if (!memory || !can_serve(file)) {
        collio_context_keep_close(file);
    } else {
        reset_kept(file->context->kept);
        find_traits(file, file->context->traits);
        file->context->charge = collio_kept_charge(file);
    }
}

/* Makes the next call of each plan confirm its memory again: a rank may have dropped its staging
 * since the last file (collio_context_drop_staging), and may not get it again. */
static void unprepare(collio_kept_t *kept)
{
    for (int i = 0; NULL != kept && i < COLLIO_PLANS_MAX; ++i) {
        kept->plans->plan[i].prepared.ways = 0;
    }
}

void collio_context_take(collio_context_t *context, bool memory, collio_file_t *file)
{
    int64_t traits[COLLIO_CONTEXT_TRAITS];

    find_traits(file, traits);
    file->context = context;
    if (memory && !file->derived.partition->by_memory
        && 0 == memcmp(traits, context->traits, sizeof(traits))) {
        unprepare(context->kept);
        collio_file_memory(file, 0);
    } else {
        free_kept(context);
    }
}

int64_t collio_context_staging(const collio_context_t *context)
{
    return NULL == context->kept ? 0 : context->kept->staging.bytes + context->kept->relay.bytes;
}

void collio_context_drop_staging(collio_context_t *context)
{
    if (NULL != context->kept) {
        context->memory_bytes -= collio_context_staging(context);
        collio_arena_discard(&context->kept->staging);
        collio_arena_discard(&context->kept->relay);
    }
}

void collio_context_shed(collio_context_t *context)
{
    collio_context_drop_staging(context);
    if (NULL != context->kept) {
        collio_shared_discard(&context->kept->shared);
        collio_shared_discard(&context->kept->relay_shared);
        collio_arena_discard(&context->kept->buffers);
        free_kept(context);
    }
}

void collio_context_close(collio_file_t *file)
{
    collio_context_keep_close(file);
    collio_context_free(file->context);
}

void collio_context_free(collio_context_t *context)
{
    collio_agreement_fini(context->agreement);
    free_kept(context);
    if (MPI_COMM_NULL != context->node_comm && context->comm != context->node_comm) {
        ompi_comm_free(&context->node_comm);
    }
    ompi_comm_free(&context->comm);
    free(context); /* with the agreement: see record_t */
}
