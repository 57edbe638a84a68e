/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The communicators of a file: all its ranks, and the ranks of this node.
 */
#include "open/attach.h"

/* Do all ranks run on this node? The result is the same on all ranks, without a message. */
static bool one_node(const collio_file_t *file)
{
    for (int i = 0; i < file->size; ++i) {
        if (!OPAL_PROC_ON_LOCAL_NODE(ompi_comm_peer_lookup(file->comm, i)->super.proc_flags)) {
            return false;
        }
    }
    return true;
}

/* The communicator may be kept after the file is closed, so it must not refer to objects of the
 * user. A split, unlike MPI_Comm_dup, copies no attributes and no topology. Errors are returned. */
static int make_comm(collio_file_t *file)
{
    int rc = ompi_comm_split(file->fh->f_comm, 0, file->rank, &file->comm, false);

    if (OMPI_SUCCESS == rc) {
        OBJ_RELEASE(file->comm->error_handler);
        file->comm->error_handler = &ompi_mpi_errors_return.eh;
        OBJ_RETAIN(file->comm->error_handler);
    }
    return rc;
}

int collio_file_connect(collio_file_t *file)
{
    int rc = make_comm(file);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (1 == file->nodes.nodes || (0 == file->nodes.nodes && one_node(file))) {
        file->node_comm = file->comm;
        return OMPI_SUCCESS;
    }
    return ompi_comm_split_type(file->comm, MPI_COMM_TYPE_SHARED, 0, NULL, &file->node_comm);
}
