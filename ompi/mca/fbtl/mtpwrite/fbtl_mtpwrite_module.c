/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fbtl module: transfers lists of (address, offset, length) that OMPIO has built, for stock
 * fcolls, shared file pointers and every other access that does not use collio's entries of the
 * file's table.
 *
 * A list is cut into runs of ascending offsets, because file access requires segments that are
 * sorted and do not overlap. An unsorted list becomes several runs.
 */
#include "fbtl_mtpwrite.h"

#include <stdlib.h>

#include "ompi/mca/common/collio/hook/guard.h"
#include "ompi/mca/common/collio/ompio/open.h"
#include "ompi/mca/common/ompio/common_ompio_request.h"
#include "ompi/mca/fbtl/base/base.h"

static void report(ompio_file_t *fh)
{
    collio_individual_report(fh, mca_fbtl_mtpwrite_settings.report,
                             mca_fbtl_mtpwrite_settings.report_file);
}

/* Without a hook only the module is used: no MPI file has the handle. */
static void hook_install(ompio_file_t *fh, const mca_fbtl_mtpwrite_settings_t *settings)
{
    collio_hook_t *hook = collio_hook_get(fh);

    if (NULL == hook) {
        return;
    }
    collio_individual_install(hook);
    collio_entries_install(hook);
    mca_fbtl_mtpwrite_settings_publish(fh, settings);
    if (settings->report) { /* runs when no call is in flight */
        collio_hook_on_close(hook, report);
    }
    collio_individual_watch(hook);
}

static int mtpwrite_module_init(ompio_file_t *fh)
{
    mca_fbtl_mtpwrite_settings_t settings;

    mca_fbtl_mtpwrite_settings_agree(fh, &settings); /* first, because it is collective */
    if (0 != collio_guard_offer(fh, settings.sieve_write, &settings.tuning)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    hook_install(fh, &settings);
    mca_fbtl_mtpwrite_show_selected(fh);
    return OMPI_SUCCESS;
}

static int mtpwrite_module_finalize(ompio_file_t *fh)
{
    collio_individual_end(fh);
    collio_guard_end(fh);
    return OMPI_SUCCESS;
}

/** A list that OMPIO has passed. */
typedef struct list_t {
    collio_job_t job;            /* the access to the file */
    collio_segment_t segments[]; /* transfers in the order of the list */
} list_t;

/* Makes a list, and requests the Lustre locks of the list. Returns NULL without memory. */
static list_t *list_new(ompio_file_t *fh, bool write)
{
    size_t count = (size_t) fh->f_num_of_io_entries;
    collio_individual_t *file = collio_individual_get(fh);
    list_t *list = calloc(1, sizeof(*list) + count * sizeof(list->segments[0]));

    if (NULL == file || NULL == list) {
        free(list);
        return NULL;
    }
    for (size_t i = 0; i < count; ++i) {
        list->segments[i] = (collio_segment_t){
            .offset = (int64_t) (intptr_t) fh->f_io_array[i].offset,
            .length = (int64_t) fh->f_io_array[i].length,
            .addr = fh->f_io_array[i].memory_address};
    }
    list->job.access = &file->access;
    list->job.write = write;
    list->job.segments = list->segments;
    list->job.count = count;
    collio_lockahead_segments(fh, list->segments, count, write);
    return list;
}

/* Returns the number of segments, starting at the first, that ascend without overlap. */
static size_t sorted_run(const collio_segment_t *segments, size_t count)
{
    size_t run = 1;

    while (run < count
           && segments[run].offset >= segments[run - 1].offset + segments[run - 1].length) {
        ++run;
    }
    return run;
}

/* Transfers the list run by run. */
static void list_run(list_t *list)
{
    collio_job_t *job = &list->job;
    size_t left = job->count;
    int64_t total = 0;

    while (0 < left && 0 == job->outcome.error) {
        job->count = sorted_run(job->segments, left);
        collio_access_run(job);
        total += job->outcome.bytes;
        job->segments += job->count;
        left -= job->count;
    }
    job->outcome.bytes = total;
    job->done = 1;
}

/* Returns the number of bytes, or a failure without a reason: OMPIO accepts nothing else. */
static ssize_t mtpwrite_transfer(ompio_file_t *fh, bool write)
{
    list_t *list = list_new(fh, write);
    ssize_t total;

    if (NULL == list) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    list_run(list);
    total = 0 != list->job.outcome.error ? OMPI_ERROR : (ssize_t) list->job.outcome.bytes;
    free(list);
    return total;
}

static ssize_t module_preadv(ompio_file_t *fh)
{
    return mtpwrite_transfer(fh, false);
}

static ssize_t module_pwritev(ompio_file_t *fh)
{
    return mtpwrite_transfer(fh, true);
}

static bool mtpwrite_progress(mca_ompio_request_t *request)
{
    list_t *list = request->req_data;

    if (NULL == list || !collio_access_test(&list->job)) {
        return false;
    }
    request->req_ompi.req_status.MPI_ERROR = collio_error_class(list->job.outcome.error);
    request->req_ompi.req_status._ucount = (size_t) list->job.outcome.bytes;
    return true;
}

static void mtpwrite_request_free(mca_ompio_request_t *request)
{
    list_t *list = request->req_data;

    if (NULL != list) {
        collio_access_wait(&list->job);
        free(list);
    }
    request->req_data = NULL;
}

/* Starts a list as one job. Transfers the list at once if it is unsorted and needs several jobs, or
 * if no engine and no thread can run the job. */
static ssize_t mtpwrite_start(ompio_file_t *fh, ompi_request_t *handle, bool write)
{
    mca_ompio_request_t *request = (mca_ompio_request_t *) handle;
    list_t *list = list_new(fh, write);

    if (NULL == list) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (list->job.count != sorted_run(list->segments, list->job.count)
        || 0 != collio_access_start(&list->job)) {
        list_run(list);
    }
    request->req_data = list;
    request->req_progress_fn = mtpwrite_progress;
    request->req_free_fn = mtpwrite_request_free;
    return OMPI_SUCCESS;
}

static ssize_t module_ipreadv(ompio_file_t *fh, ompi_request_t *request)
{
    return mtpwrite_start(fh, request, false);
}

static ssize_t module_ipwritev(ompio_file_t *fh, ompi_request_t *request)
{
    return mtpwrite_start(fh, request, true);
}

#if COLLIO_HAVE_CHECK_ATOMICITY
/* True if atomic mode works. It requires only locks, because whole requests are locked. */
static bool check_atomicity(ompio_file_t *fh)
{
    collio_individual_t *file = collio_individual_get(fh);

    return NULL != file && collio_lock_works(&file->access);
}
#endif

mca_fbtl_base_module_t mca_fbtl_mtpwrite_module = {
    .fbtl_module_init = mtpwrite_module_init,
    .fbtl_module_finalize = mtpwrite_module_finalize,
    .fbtl_preadv = module_preadv,
    .fbtl_ipreadv = module_ipreadv,
    .fbtl_pwritev = module_pwritev,
    .fbtl_ipwritev = module_ipwritev,
    .fbtl_progress = mtpwrite_progress,
    .fbtl_request_free = mtpwrite_request_free,
#if COLLIO_HAVE_CHECK_ATOMICITY
    .fbtl_check_atomicity = check_atomicity,
#endif
};
