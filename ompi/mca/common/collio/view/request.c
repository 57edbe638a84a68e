/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests: from the arguments of a call to the bytes of file and memory. See request.h.
 */
#include "view/request.h"

#include <errno.h>

int collio_request_check_mode(const ompio_file_t *fh, bool write)
{
    if (write && 0 != (fh->f_amode & MPI_MODE_RDONLY)) {
        return MPI_ERR_READ_ONLY;
    }
    if (!write && 0 != (fh->f_amode & MPI_MODE_WRONLY)) {
        return MPI_ERR_ACCESS;
    }
    return MPI_SUCCESS;
}

/* Sets the memory of the request: the user buffer, or a copy packed by the convertor. */
static int prepare_memory(collio_request_t *request, ompio_file_t *fh, collio_flat_cache_t *cache,
                          const collio_call_t *call)
{
    size_t type_bytes;
    int rc;

    opal_datatype_type_size(&call->type->super, &type_bytes);
    if (__builtin_mul_overflow(type_bytes, call->count, &request->bytes)) {
        return -EOVERFLOW;
    }
    if (!collio_stage_needed(fh, call->buffer, call->count, call->type)) {
        request->base = call->buffer;
        return collio_flat_type(cache, call->type, &request->memory);
    }
    rc = collio_stage_new(fh, call->write, call->buffer, call->count, call->type, &request->stage);
    if (0 != rc) {
        return rc;
    }
    request->base = request->stage->packed;
    request->bytes = (int64_t) request->stage->bytes;
    return collio_flat_type(cache, MPI_BYTE, &request->memory);
}

/* Sets the view of the request, and the position of its first byte. */
static int prepare_view(collio_request_t *request, ompio_file_t *fh, collio_flat_cache_t *cache,
                        const collio_call_t *call)
{
    int rc = collio_flat_view(fh, cache, &request->shape);

    if (0 != rc) {
        return rc;
    }
    request->view = request->shape->tiling;
    request->view.base = (int64_t) COLLIO_FVIEW(fh).f_disp;
    if (!call->explicit_offset) {
        request->stream = collio_view_position(fh);
        return 0;
    }
    if (0 > call->offset
        || __builtin_mul_overflow(call->offset, COLLIO_FVIEW(fh).f_etype_size, &request->stream)) {
        return -EOVERFLOW;
    }
    return 0;
}

int collio_request_init(collio_request_t *request, collio_handle_t *handle,
                        const collio_call_t *call)
{
    collio_flat_cache_t *cache = collio_flat_cache(handle);
    ompio_file_t *fh = handle->fh;
    int rc = prepare_view(request, fh, cache, call);

    if (0 != rc) {
        return rc;
    }
    rc = prepare_memory(request, fh, cache, call);
    if (0 != rc) {
        return rc;
    }
    if (0 < request->bytes && 0 == request->view.size) {
        return -EINVAL; /* a view without bytes */
    }
    /* later code computes offsets without checks */
    rc = collio_tiling_range(&request->view, request->stream, request->bytes, &request->lo,
                             &request->hi);
    if (0 == rc && !call->explicit_offset) {
        collio_view_advance(fh, request->bytes);
    }
    return rc;
}

int collio_request_unpack(collio_request_t *request, int64_t bytes)
{
    return NULL == request->stage ? 0 : collio_stage_unpack(request->stage, (size_t) bytes);
}

void collio_request_fini(collio_request_t *request)
{
    collio_stage_free(request->stage);
    collio_flat_release(request->shape);
    collio_flat_release(request->memory);
    request->stage = NULL;
    request->shape = request->memory = NULL;
}

void collio_request_job(const collio_request_t *request, ompio_file_t *fh, bool write,
                        collio_access_t *access, collio_lockahead_covered_t *covered,
                        collio_job_t *job)
{
    job->access = access;
    job->write = write;
    job->file = &request->view;
    job->first = request->stream;
    job->bytes = request->bytes;
    job->memory = &request->memory->tiling;
    job->base = request->base;
    collio_lockahead_pieces(fh, job, covered);
}
