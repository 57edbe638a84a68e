/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Chooses the aggregators of a file: their number from settings or from the file system, their
 * ranks from aggregator_list or by the placement (core/aggregator.h).
 */
#include "file/file.h"

#include <errno.h>
#include <stdlib.h>

#include "access/lockahead.h"

#include "core/hash.h"

collio_site_t collio_file_site(const collio_file_t *file)
{
    const ompio_file_t *fh = file->fh;

    return (collio_site_t){
        .ranks = file->size,
        .nodes = file->nodes.nodes,
        .network = UFS != fh->f_fstype || file->access.network,
        .striped = file->derived.striped,
        .lockahead = COLLIO_LOCKAHEAD_OFF != file->derived.lockahead,
        .stripes = fh->f_stripe_count,
        .stripe_bytes = (int64_t) fh->f_stripe_size,
        .buffer_bytes = file->derived.buffer_bytes,
    };
}

/* Ignores a list that does not fit the communicator. All ranks have the same list, so only rank 0
 * prints a text; a communicator of one rank has no choice, so it prints none. */
static void refuse_list(collio_file_t *file, const char *bad)
{
    if (0 == file->rank && file->size > 1) {
        collio_help("collio", file->fh->f_filename, COLLIO_HELP_AGGREGATOR_LIST,
                    file->settings.aggregator_list, bad);
    }
    file->derived.list_refused = true;
    file->derived.aggregator_count = 0;
}

/* Allocates the arrays for `count` aggregators, at most one per rank. */
static int aggregators_allocate(collio_file_t *file, int64_t count)
{
    size_t most = (size_t) (count < file->size ? count : file->size);

    file->derived.aggregators = malloc(2 * sizeof(int) * most);
    if (NULL == file->derived.aggregators) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    file->derived.aggregator_owner = file->derived.aggregators + most;
    return OMPI_SUCCESS;
}

/* Chooses by aggregator_list. If the list is refused, the number of aggregators stays 0. */
static int choose_listed(collio_file_t *file)
{
    const char *list = file->settings.aggregator_list, *bad = list;
    int count = collio_aggregators_parse(list, file->size, NULL, &bad);

    if (count < 1) {
        refuse_list(file, bad);
        return OMPI_SUCCESS;
    }
    if (OMPI_SUCCESS != aggregators_allocate(file, count)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    file->derived.aggregator_count = collio_aggregators_parse(list, file->size,
                                                              file->derived.aggregators, &bad);
    return OMPI_SUCCESS;
}

/* Returns the number that the user has set; 0: not set. */
static int number_set(const collio_file_t *file)
{
    int count = file->settings.aggregators;

    return 0 == count && file->derived.ompio_aggregators > 0 ? file->derived.ompio_aggregators
                                                             : count;
}

/* Contiguous parts follow the order of the ranks, so the aggregators are spread over the ranks.
 * Stripes that are assigned in turn go to each node in turn. */
static collio_placement_t placement_of(const collio_file_t *file)
{
    if (0 != file->settings.placement) { /* 0: auto */
        return (collio_placement_t) (file->settings.placement - 1);
    }
    return file->derived.partition->by_rank ? COLLIO_PLACEMENT_SPREAD
                                            : COLLIO_PLACEMENT_ROUND_ROBIN;
}

static int choose_aggregators(collio_file_t *file)
{
    bool by_rank = file->derived.partition->by_rank;
    int count = number_set(file), rc;

    if ('\0' != file->settings.aggregator_list[0]) {
        rc = choose_listed(file);
        if (OMPI_SUCCESS != rc || 0 < file->derived.aggregator_count) {
            return rc;
        }
    }
    if (0 == count && file->derived.partition->by_memory) {
        rc = aggregators_allocate(file, (int64_t) collio_memory_per_node(file) * file->nodes.nodes);
        if (OMPI_SUCCESS == rc) {
            file->derived.aggregator_count = collio_aggregators_per_node(
                &file->nodes, collio_memory_per_node(file), file->derived.aggregators);
        }
        return rc;
    }
    if (0 == count) {
        collio_site_t site = collio_file_site(file);

        count = collio_default_aggregators(&site);
    }
    rc = aggregators_allocate(file, count < 1 ? 1 : count);
    if (OMPI_SUCCESS == rc) {
        file->derived.aggregator_count = collio_aggregators_place(
            &file->nodes, count, placement_of(file), file->derived.aggregators);
    }
    if (OMPI_SUCCESS == rc && by_rank) {
        collio_aggregators_sort(file->derived.aggregators, file->derived.aggregator_count);
    }
    return rc;
}

/* Makes the table of racks, if the setting racks is not empty. */
static int make_racks(collio_file_t *file)
{
    const char *text = file->settings.racks;
    int rc;

    if (!file->derived.two_layers || '\0' == text[0]) {
        return OMPI_SUCCESS;
    }
    rc = collio_racks_init(&file->derived.racks, &file->nodes, text);
    if (-EINVAL == rc && 0 == file->rank) {
        collio_help("collio", file->fh->f_filename, COLLIO_HELP_RACKS, text);
    }
    return -ENOMEM == rc ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}

/* Divides local_aggregators among groups, numbers the aggregators of each node, and finds this
 * rank's index. */
static int number_aggregators(collio_file_t *file)
{
    int *seen = calloc((size_t) file->nodes.nodes, sizeof(*seen));

    if (NULL == seen) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    file->derived.local_aggregators = collio_local_aggregators_divide(
        collio_groups(file), file->settings.local_aggregators);
    for (int i = 0; i < file->derived.aggregator_count; ++i) {
        file->derived.aggregator_owner[i] =
            seen[collio_node_of(&file->nodes, file->derived.aggregators[i])]++;
        if (file->derived.aggregators[i] == file->rank) {
            file->derived.my_aggregator = i;
        }
    }
    free(seen);
    return OMPI_SUCCESS;
}

int collio_file_aggregators(collio_file_t *file)
{
    int rc = make_racks(file);

    if (OMPI_SUCCESS == rc) {
        rc = choose_aggregators(file);
    }
    return OMPI_SUCCESS == rc ? number_aggregators(file) : rc;
}

int64_t collio_file_aggregators_hash(const collio_file_t *file)
{
    return collio_hash_positive(
        collio_hash(COLLIO_HASH_BASIS, file->derived.aggregators,
                    (size_t) file->derived.aggregator_count * sizeof(*file->derived.aggregators)));
}
