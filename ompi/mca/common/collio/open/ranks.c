/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The communicators of a file: all its ranks, and those of this node.
 */
#include "open/attach.h"

/* Do all ranks run on this node? Then all of them know it, without a word. */
static bool one_node(const collio_file_t *file)
{
    for (int i = 0; i < file->size; ++i) {
        if (!OPAL_PROC_ON_LOCAL_NODE(ompi_comm_peer_lookup(file->comm, i)->super.proc_flags)) {
            return false;
        }
    }
    return true;
}

/* The communicator may be kept after the file is closed, so it has nothing of the user's: a split
 * copies no attributes and no topology, as MPI_Comm_dup would, and errors return to us. */
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
