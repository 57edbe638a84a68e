/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Failed file handles: communication has failed or a process has died, so the ranks cannot agree.
 * call/lost.c ends the calls of such a handle.
 */
#include "file/file.h"

/* Sends a notice to every rank, because this rank cannot find out which ranks wait. The sends are
 * not completed. */
static void send_notices(collio_file_t *file)
{
    ompi_request_t *request;

    file->noticed = file->lost;
    for (int i = 0; MPI_COMM_NULL != file->context->comm && i < file->size; ++i) {
        if (i != file->rank
            && OMPI_SUCCESS
                   == collio_isend(&file->noticed, sizeof(file->noticed), i, COLLIO_FILE_TAG_NOTICE,
                                   false, file->context->comm, &request)) {
            ompi_request_free(&request);
        }
    }
}

bool collio_file_set_lost(collio_file_t *file, int class)
{
    int none = 0;

    if (!atomic_compare_exchange_strong(&file->lost, &none, class)) {
        return false;
    }
    file->refused = class;
    return true;
}

bool collio_file_fail(collio_file_t *file, int class)
{
    bool first = collio_file_set_lost(file, class);

    if (first) {
        send_notices(file);
    }
    return first;
}

void collio_file_lose(collio_file_t *file, int error)
{
    int class = collio_error_class_of_mpi(error);

    if (collio_file_fail(file, class)) {
        collio_help_rank(file->component->title, file->fh->f_filename, file->rank,
                         COLLIO_HELP_HANDLE_FAILED, ompi_mpi_errnum_get_string(class));
    }
}

/* A notice contains the error class, so that all ranks return the same one. */
void collio_file_poll_notices(collio_file_t *file)
{
    ompi_status_public_t status;
    int matched = 0, error = MPI_SUCCESS;

    if (MPI_COMM_NULL == file->context->comm) {
        return; /* the file is being opened and has no communicator yet */
    }
    if (NULL == file->notice
        && (OMPI_SUCCESS
                != collio_iprobe(COLLIO_FILE_TAG_NOTICE, file->context->comm, &matched, &status)
            || !matched
            || OMPI_SUCCESS
                   != collio_irecv(&file->noticed, sizeof(file->noticed), status.MPI_SOURCE,
                                   COLLIO_FILE_TAG_NOTICE, file->context->comm, &file->notice))) {
        file->notice = NULL;
        return;
    }
    if (collio_request_test(&file->notice, NULL, &error)) {
        file->notice = NULL;
        (void) collio_file_set_lost(file, MPI_SUCCESS == error && file->noticed > MPI_SUCCESS
                                                  && file->noticed < MPI_ERR_LASTCODE
                                              ? file->noticed
                                              : MPI_ERR_OTHER);
    }
}
