/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The map of ranks and nodes. See map.h.
 *
 *   first rank of a node   gathers the ranks of its node, marks them in the table of all ranks,
 *                          and takes the maxima of these tables over all nodes
 *   other ranks            attach the result
 *
 * Only the first rank of each node allocates memory for all ranks, unless no memory can be shared.
 */
#include "node/map.h"

#include <errno.h>
#include <stdlib.h>

#include "file/file.h"
#include "node/agreement.h"

void collio_map_free(collio_map_t *map)
{
    if (NULL == map) {
        return;
    }
    if (NULL == map->segment.at) {
        free(map->tables);
    }
    collio_shm_fini(&map->segment);
    free(map);
}

/* Returns the error code: the file handle has failed, or a rank has no memory. */
static int refuse(const collio_file_t *file)
{
    return 0 != file->lost ? OMPI_ERROR : OMPI_ERR_OUT_OF_RESOURCE;
}

/* The first rank of a node allocates the tables, in shared memory if possible. All ranks agree on
 * the number of nodes and on whether every rank has its memory. */
static int take_tables(collio_file_t *file, int64_t key[COLLIO_SHM_KEY])
{
    enum { NODES, FAILED, FIELDS };
    collio_map_t *map = file->map = calloc(1, sizeof(*map));
    ompi_communicator_t *leaders = file->context->agreement->leaders;
    int64_t mine[FIELDS] = {0}, all[FIELDS] = {0};

    if (NULL != map && MPI_COMM_NULL != leaders) {
        size_t bytes = collio_nodes_bytes(file->size, ompi_comm_size(leaders));

        mine[NODES] = ompi_comm_size(leaders);
        map->tables = 0 == collio_shm_make(&map->segment, bytes, key) ? map->segment.at
                                                                      : calloc(1, bytes);
    }
    mine[FAILED] = NULL == map || (MPI_COMM_NULL != leaders && NULL == map->tables);
    if (0 != collio_agreement_wait(file, COLLIO_SCOPE_FILE, mine, all, FIELDS) || all[FAILED]) {
        return refuse(file);
    }
    collio_nodes_place(&file->nodes, file->size, (int) all[NODES], map->tables);
    return OMPI_SUCCESS;
}

/* Fills the tables of the nodes' first ranks. During the reduction 0 is a rank of another node. */
static int fill_tables(collio_file_t *file)
{
    collio_nodes_t *nodes = &file->nodes;
    ompi_communicator_t *leaders = file->context->agreement->leaders,
                        *node = file->context->node_comm;
    int rc = node->c_coll->coll_gather(&file->rank, 1, MPI_INT, nodes->member, 1, MPI_INT, 0, node,
                                       node->c_coll->coll_gather_module);

    if (OMPI_SUCCESS != rc || MPI_COMM_NULL == leaders) {
        return rc;
    }
    for (int i = 0; i < ompi_comm_size(node); ++i) {
        nodes->node_of[nodes->member[i]] = 1 + file->rank;
    }
    rc = collio_allreduce(MPI_IN_PLACE, nodes->node_of, file->size, MPI_INT, MPI_MAX, leaders);
    for (int rank = 0; rank < file->size; ++rank) {
        --nodes->node_of[rank];
    }
    if (OMPI_SUCCESS == rc) {
        collio_nodes_fill(nodes);
    }
    return rc;
}

/* Gives every rank its own copy of the tables, because not all ranks could attach the segment. */
static int copy_tables(collio_file_t *file)
{
    collio_map_t *map = file->map;
    size_t bytes = collio_nodes_bytes(file->size, file->nodes.nodes);
    int64_t missing, any;

    if (MPI_COMM_NULL == file->context->agreement->leaders) {
        collio_shm_fini(&map->segment);
        map->tables = malloc(bytes);
    }
    missing = NULL == map->tables;
    if (0 != collio_agreement_wait(file, COLLIO_SCOPE_FILE, &missing, &any, 1) || 0 != any) {
        return refuse(file);
    }
    return collio_bcast(map->tables, (int) (bytes / sizeof(int)), MPI_INT,
                        file->context->node_comm);
}

/* Attaches the tables of the node's first rank on its other ranks. */
static int share_tables(collio_file_t *file, const int64_t key[COLLIO_SHM_KEY])
{
    collio_map_t *map = file->map;
    int rc = OMPI_SUCCESS;
    bool shared;

    if (0
        != collio_agreement_attach(file, &map->segment,
                                   collio_nodes_bytes(file->size, file->nodes.nodes), key, true,
                                   &shared)) {
        return OMPI_ERROR;
    }
    if (!shared) {
        rc = copy_tables(file);
    } else {
        map->tables = map->segment.at;
    }
    collio_nodes_place(&file->nodes, file->size, file->nodes.nodes, map->tables);
    return rc;
}

int collio_map_make(collio_file_t *file)
{
    int64_t key[COLLIO_SHM_KEY] = {0};
    int rc;

    if (file->context->comm == file->context->node_comm) {
        collio_nodes_place(&file->nodes, file->size, 1, NULL);
        return OMPI_SUCCESS;
    }
    rc = take_tables(file, key);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = fill_tables(file);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return share_tables(file, key);
}
