/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fbtl module: OMPIO hands in lists of (address, offset, length), already built, and gets them
 * transferred. Stock fcolls, shared file pointers and everything else that does not pass our own
 * entries of the file's table come this way.
 *
 * A list is cut into runs of ascending offsets: one run is what file access takes (sorted, without
 * overlap), and a list that is not sorted is simply several of them.
 */
#include "fbtl_mtpwrite_internal.h"

#include <errno.h>
#include <stdlib.h>

#include "ompi/mca/common/collio/access/lock.h"
#include "ompi/mca/common/collio/compat/error.h"
#include "ompi/mca/common/collio/compat/verbose.h"
#include "ompi/mca/common/collio/hook/guard.h"
#include "ompi/mca/fbtl/base/base.h"

static int module_init(ompio_file_t *fh)
{
    mca_fbtl_mtpwrite_settings_t settings;
    collio_access_t wanted = {0};

    mca_fbtl_mtpwrite_settings_agree(fh, &settings); /* first: nothing local may skip it */
    wanted.method = settings.method;
    wanted.sieve_read = settings.sieve_read;
    wanted.sieve_read_bytes = (int64_t) settings.sieve_read_bytes;
    wanted.sieve_write_bytes = (int64_t) settings.sieve_write_bytes;
    wanted.stage_bytes = (int64_t) settings.stage_bytes;
    wanted.threads = settings.num_threads;
    wanted.serial_below = settings.serial_below;
    wanted.pin = settings.pin;
    if (0 != collio_guard_offer(fh, COLLIO_SETTING_ON == settings.sieve_write, &wanted)
        || 0 != mca_fbtl_mtpwrite_individual_install(fh, &settings)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    COLLIO_SHOW_ROOT(fbtl, SELECT, fh, "fbtl/mtpwrite: %s: selected", fh->f_filename);
    if (OMPIO_ROOT == fh->f_rank && COLLIO_VERBOSE(fbtl, FILE)) {
        mca_fbtl_mtpwrite_settings_show(fh, &settings);
    }
    return OMPI_SUCCESS;
}

static int module_finalize(ompio_file_t *fh)
{
    mca_fbtl_mtpwrite_file_end(fh);
    return OMPI_SUCCESS;
}

static collio_segment_t *make_segments(ompio_file_t *fh)
{
    size_t count = (size_t) fh->f_num_of_io_entries;
    collio_segment_t *segments = malloc((0 == count ? 1 : count) * sizeof(*segments));

    for (size_t i = 0; NULL != segments && i < count; ++i) {
        segments[i].offset = (int64_t) (intptr_t) fh->f_io_array[i].offset;
        segments[i].length = (int64_t) fh->f_io_array[i].length;
        segments[i].addr = fh->f_io_array[i].memory_address;
    }
    return segments;
}

/* How many segments from the first on ascend without overlap. */
static size_t sorted_run(const collio_segment_t *segments, size_t count)
{
    size_t run = 1;

    while (run < count
           && segments[run].offset >= segments[run - 1].offset + segments[run - 1].length) {
        ++run;
    }
    return run;
}

static ssize_t transfer(ompio_file_t *fh, bool write)
{
    size_t count = (size_t) fh->f_num_of_io_entries;
    mca_fbtl_mtpwrite_file_t *file = mca_fbtl_mtpwrite_file_get(fh);
    collio_segment_t *segments = make_segments(fh);
    ssize_t total = 0;
    size_t at = 0;

    if (NULL == file || NULL == segments) {
        free(segments);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    collio_lockahead_segments(fh, segments, count, write);
    while (at < count) {
        collio_job_t job = {.access = &file->access,
                            .write = write,
                            .segments = &segments[at],
                            .count = sorted_run(&segments[at], count - at)};

        collio_access_run(&job);
        total += (ssize_t) job.outcome.bytes;
        if (0 != job.outcome.error) {
            /* what is above us knows only "bytes" or "failed" */
            total = OMPI_ERROR;
            break;
        }
        at += job.count;
    }
    free(segments);
    return total;
}

static ssize_t module_preadv(ompio_file_t *fh)
{
    return transfer(fh, false);
}

static ssize_t module_pwritev(ompio_file_t *fh)
{
    return transfer(fh, true);
}

static bool progress(mca_ompio_request_t *request)
{
    mca_fbtl_mtpwrite_transfer_t *transfer = request->req_data;
    size_t bytes;

    if (NULL == transfer || !collio_access_test(&transfer->job)) {
        return false;
    }
    request->req_ompi.req_status.MPI_ERROR = mca_fbtl_mtpwrite_transfer_finish(transfer, &bytes);
    request->req_ompi.req_status._ucount = bytes;
    return true;
}

static void request_free(mca_ompio_request_t *request)
{
    mca_fbtl_mtpwrite_transfer_free(request->req_data);
    request->req_data = NULL;
}

/* An unsorted list cannot be one job: it goes at once, and the request is complete. */
static ssize_t start(ompio_file_t *fh, mca_ompio_request_t *request, bool write)
{
    mca_fbtl_mtpwrite_file_t *file = mca_fbtl_mtpwrite_file_get(fh);
    mca_fbtl_mtpwrite_transfer_t *transfer_data = mca_fbtl_mtpwrite_transfer_new();
    size_t count = (size_t) fh->f_num_of_io_entries;

    if (NULL == file || NULL == transfer_data) {
        goto out_free;
    }
    transfer_data->segments = make_segments(fh);
    if (NULL == transfer_data->segments) {
        goto out_free;
    }
    transfer_data->job.access = &file->access;
    transfer_data->job.write = write;
    transfer_data->job.segments = transfer_data->segments;
    transfer_data->job.count = count;
    if (0 < count && count == sorted_run(transfer_data->segments, count)) {
        collio_lockahead_segments(fh, transfer_data->segments, count, write);
        mca_fbtl_mtpwrite_transfer_start(transfer_data);
    } else {
        ssize_t moved = transfer(fh, write);

        transfer_data->job.outcome.error = 0 > moved ? EIO : 0;
        transfer_data->job.outcome.bytes = 0 > moved ? 0 : (int64_t) moved;
        transfer_data->job.done = 1;
    }
    request->req_data = transfer_data;
    request->req_progress_fn = progress;
    request->req_free_fn = request_free;
    return OMPI_SUCCESS;

out_free:
    mca_fbtl_mtpwrite_transfer_free(transfer_data);
    return OMPI_ERR_OUT_OF_RESOURCE;
}

static ssize_t module_ipreadv(ompio_file_t *fh, ompi_request_t *request)
{
    return start(fh, (mca_ompio_request_t *) request, false);
}

static ssize_t module_ipwritev(ompio_file_t *fh, ompi_request_t *request)
{
    return start(fh, (mca_ompio_request_t *) request, true);
}

#if COLLIO_HAVE_CHECK_ATOMICITY
/* Whole requests are locked, so atomic mode works wherever locks do. */
static bool check_atomicity(ompio_file_t *fh)
{
    mca_fbtl_mtpwrite_file_t *file = mca_fbtl_mtpwrite_file_get(fh);

    return NULL != file && collio_lock_works(&file->access);
}
#endif

mca_fbtl_base_module_t mca_fbtl_mtpwrite_module = {
    .fbtl_module_init = module_init,
    .fbtl_module_finalize = module_finalize,
    .fbtl_preadv = module_preadv,
    .fbtl_ipreadv = module_ipreadv,
    .fbtl_pwritev = module_pwritev,
    .fbtl_ipwritev = module_ipwritev,
    .fbtl_progress = progress,
    .fbtl_request_free = request_free,
#if COLLIO_HAVE_CHECK_ATOMICITY
    .fbtl_check_atomicity = check_atomicity,
#endif
};
