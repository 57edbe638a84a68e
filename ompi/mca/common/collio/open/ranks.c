/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Who is where: a communicator of our own, and the node of every rank.
 */
#include "open/attach.h"

#include <stdlib.h>

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

static int map_one_node(collio_file_t *file)
{
    int *keys = calloc((size_t) file->size, sizeof(*keys));
    int rc = NULL == keys ? OMPI_ERR_OUT_OF_RESOURCE
                          : collio_nodes_init(&file->nodes, keys, file->size);

    free(keys);
    file->node_comm = file->comm;
    return rc;
}

/* Which rank is on which node: the key of a node is its first rank. */
static int map_nodes(collio_file_t *file)
{
    int *keys = malloc(sizeof(*keys) * (size_t) file->size);
    int key = file->rank, mine = NULL != keys, all = 0;
    int rc = collio_allreduce(&file->rank, &key, 1, MPI_INT, MPI_MIN, file->node_comm);

    if (OMPI_SUCCESS == rc) { /* a rank without memory cannot take part in what follows */
        rc = collio_allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, file->comm);
    }
    if (OMPI_SUCCESS == rc && !all) {
        rc = OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (OMPI_SUCCESS == rc) {
        rc = collio_allgather(&key, keys, 1, MPI_INT, file->comm);
    }
    if (OMPI_SUCCESS == rc) {
        rc = collio_nodes_init(&file->nodes, keys, file->size);
    }
    free(keys);
    return rc;
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

static int split_by_node(collio_file_t *file)
{
    return ompi_comm_split_type(file->comm, MPI_COMM_TYPE_SHARED, 0, NULL, &file->node_comm);
}

int collio_file_connect(collio_file_t *file)
{
    int rc = make_comm(file);

    if (OMPI_SUCCESS == rc && one_node(file)) {
        return map_one_node(file);
    }
    if (OMPI_SUCCESS == rc) {
        rc = split_by_node(file);
    }
    return OMPI_SUCCESS == rc ? map_nodes(file) : rc;
}

int collio_file_connect_comms(collio_file_t *file)
{
    int rc = make_comm(file);

    if (OMPI_SUCCESS == rc && 1 == file->nodes.nodes) {
        file->node_comm = file->comm;
        return rc;
    }
    return OMPI_SUCCESS == rc ? split_by_node(file) : rc;
}
