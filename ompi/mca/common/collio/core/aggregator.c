/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Aggregators: which ranks of which nodes access the file for other ranks.
 *
 * Problem: aggregators share their node's network card and memory, so they must be spread over
 *          the nodes, even if nodes have different numbers of ranks or ranks are assigned to
 *          nodes in turn.
 * Method:  a node map (ranks sorted by node), from which every placement is computed.
 * Cost:    map O(ranks) once per process set; placement O(nodes + count).
 *
 *   2 nodes of 4 ranks, 4 aggregators     spread        0 2 | 4 6
 *                                         round_robin   0 4 1 5
 */
#include "aggregator.h"

#include <errno.h>
#include <stdlib.h>

#include "number.h"

size_t collio_nodes_bytes(int ranks, int nodes)
{
    return 1 == nodes ? 0 : (3 * (size_t) ranks + (size_t) nodes + 1) * sizeof(int);
}

void collio_nodes_place(collio_nodes_t *nodes, int ranks, int count, void *tables)
{
    *nodes = (collio_nodes_t){.ranks = ranks, .nodes = count};
    if (1 < count) {
        nodes->node_of = tables;
        nodes->local_rank = nodes->node_of + ranks;
        nodes->member = nodes->local_rank + ranks;
        nodes->first = nodes->member + ranks;
    }
}

void collio_nodes_fill(collio_nodes_t *nodes)
{
    int seen = 0;

    for (int node = 0; node <= nodes->nodes; ++node) {
        nodes->first[node] = 0;
    }
    for (int rank = 0; rank < nodes->ranks; ++rank) {
        int lowest = nodes->node_of[rank];
        int node = lowest == rank ? seen++ : nodes->node_of[lowest];

        nodes->node_of[rank] = node;
        nodes->local_rank[rank] = nodes->first[node + 1]++;
    }
    for (int node = 0; node < nodes->nodes; ++node) {
        nodes->first[node + 1] += nodes->first[node];
    }
    for (int rank = 0; rank < nodes->ranks; ++rank) {
        nodes->member[nodes->first[nodes->node_of[rank]] + nodes->local_rank[rank]] = rank;
    }
}

/* floor(i * total / parts) */
static int even_place(int i, int total, int parts)
{
    return (int) ((int64_t) i * total / parts);
}

/* Places up to `count` aggregators on a node, spread over its ranks. Returns their number. */
static int place_on_node(const collio_nodes_t *nodes, int node, int count, int *list)
{
    int size = collio_node_size(nodes, node);

    count = count < size ? count : size;
    for (int i = 0; i < count; ++i) {
        list[i] = collio_node_member(nodes, node, even_place(i, size, count));
    }
    return count;
}

/* Places fewer aggregators than nodes: the first rank of every (nodes/count)-th node. */
static void place_few(const collio_nodes_t *nodes, int count, int *list)
{
    for (int i = 0; i < count; ++i) {
        list[i] = collio_node_member(nodes, even_place(i, nodes->nodes, count), 0);
    }
}

/* Sum over all nodes of min(size, level); *larger = nodes of more than `level` ranks. */
static int64_t fill_to(const collio_nodes_t *nodes, int level, int *larger)
{
    int64_t sum = 0;

    *larger = 0;
    for (int node = 0; node < nodes->nodes; ++node) {
        int size = collio_node_size(nodes, node);

        sum += collio_min(size, level);
        *larger += size > level;
    }
    return sum;
}

/* Returns the level of `count` aggregators: each node has this number of them, or its ranks if it
 * has fewer. *extra = how many remain for *larger, the nodes of more ranks. */
static int even_level(const collio_nodes_t *nodes, int count, int *extra, int *larger)
{
    int level = 0, top = nodes->ranks;

    while (level < top) { /* bisection for the highest level with at most `count` aggregators */
        int middle = level + (top - level + 1) / 2;

        if (fill_to(nodes, middle, larger) <= count) {
            level = middle;
        } else {
            top = middle - 1;
        }
    }
    *extra = count - (int) fill_to(nodes, level, larger);
    return level;
}

static void place_spread(const collio_nodes_t *nodes, int count, int *list)
{
    int extra, larger, level = even_level(nodes, count, &extra, &larger);
    int seen = 0, n = 0;

    for (int node = 0; node < nodes->nodes; ++node) {
        int size = collio_node_size(nodes, node);
        int here = (int) collio_min(size, level);

        if (size > level) {
            here += even_place(seen + 1, extra, larger) - even_place(seen, extra, larger);
            ++seen;
        }
        n += place_on_node(nodes, node, here, &list[n]);
    }
}

static void place_round_robin(const collio_nodes_t *nodes, int count, int *list)
{
    int n = 0;

    for (int round = 0; n < count; ++round) {
        for (int node = 0; node < nodes->nodes && n < count; ++node) {
            if (round < collio_node_size(nodes, node)) {
                list[n++] = collio_node_member(nodes, node, round);
            }
        }
    }
}

int collio_aggregators_per_node(const collio_nodes_t *nodes, int per_node, int *list)
{
    int count = 0;

    for (int node = 0; node < nodes->nodes; ++node) {
        count += place_on_node(nodes, node, per_node < 1 ? 1 : per_node, &list[count]);
    }
    return count;
}

int collio_aggregators_place(const collio_nodes_t *nodes, int count, collio_placement_t placement,
                             int *list)
{
    count = (int) collio_clamp(count, 1, nodes->ranks);
    if (count < nodes->nodes) {
        place_few(nodes, count, list);
    } else if (COLLIO_PLACEMENT_SPREAD == placement) {
        place_spread(nodes, count, list);
    } else {
        place_round_robin(nodes, count, list);
    }
    return count;
}

static int aggregator_compare_ranks(const void *a, const void *b)
{
    int x = *(const int *) a, y = *(const int *) b;

    return (x > y) - (x < y);
}

void collio_aggregators_sort(int *list, int count)
{
    qsort(list, (size_t) count, sizeof(*list), aggregator_compare_ranks);
}

/* Reads a number at *text that is at most `max`, and moves *text past the number. */
static bool read_number(const char **text, int max, int *value)
{
    bool digit = '0' <= **text && '9' >= **text;
    char *end;
    long long number = digit ? strtoll(*text, &end, 10) : INT64_MAX;

    if (number > max) {
        return false;
    }
    *text = end;
    *value = (int) number;
    return true;
}

/* Reads one element, "4", "8-11" or "12-20:4". After an error *text is the place of the error. */
static bool read_range(const char **text, int ranks, int *from, int *to, int *step)
{
    const char *at = *text;

    *step = 1;
    if (!read_number(text, ranks - 1, from)) {
        return false;
    }
    *to = *from;
    if ('-' != **text) {
        return true;
    }
    ++*text;
    if (!read_number(text, ranks - 1, to)) {
        return false;
    }
    if (*to < *from) {
        *text = at;
        return false;
    }
    if (':' != **text) {
        return true;
    }
    ++*text;
    return read_number(text, INT32_MAX, step) && 0 < *step;
}

static int parse(const char **text, int ranks, int *list, unsigned char *taken)
{
    int n = 0;

    for (;;) {
        const char *element = *text;
        int from, to, step;

        if (!read_range(text, ranks, &from, &to, &step)) {
            return -EINVAL;
        }
        for (int64_t rank = from; rank <= to; rank += step) {
            if (taken[rank]) {
                *text = element;
                return -EINVAL;
            }
            taken[rank] = 1;
            if (NULL != list) {
                list[n] = (int) rank;
            }
            ++n;
        }
        if ('\0' == **text) {
            return n;
        }
        if (',' != **text) {
            return -EINVAL;
        }
        ++*text;
    }
}

int collio_aggregators_parse(const char *text, int ranks, int *list, const char **bad)
{
    unsigned char *taken = calloc((size_t) ranks, 1);
    int rc;

    if (NULL == taken) {
        return -ENOMEM;
    }
    rc = parse(&text, ranks, list, taken);
    free(taken);
    if (0 > rc && NULL != bad) {
        *bad = text;
    }
    return rc;
}

/* True if the text is a list of counts of at least 1, separated by commas. */
static bool is_list(const char *text)
{
    int number;

    while (read_number(&text, INT32_MAX, &number) && 0 < number) {
        if ('\0' == *text) {
            return true;
        }
        if (',' != *text++) {
            return false;
        }
    }
    return false;
}

/* Stores the first node of each node's rack in first_of[]. Returns the number of racks. */
static int divide_racks(const char *text, int nodes, int *first_of)
{
    int racks = 0, left = 0, length = 0;

    for (int node = 0; node < nodes; ++node) {
        if (0 == left) {
            ++racks;
            (void) read_number(&text, INT32_MAX, &length); /* end of the list: keeps the last one */
            text += ',' == *text;
            left = length;
        }
        first_of[node] = left == length ? node : first_of[node - 1];
        --left;
    }
    return racks;
}

int collio_racks_init(collio_nodes_t *racks, const collio_nodes_t *nodes, const char *text)
{
    int *first_of, *tables, count;

    if (!is_list(text)) {
        return -EINVAL;
    }
    first_of = malloc((size_t) nodes->nodes * sizeof(int));
    if (NULL == first_of) {
        return -ENOMEM;
    }
    count = divide_racks(text, nodes->nodes, first_of);
    tables = 1 == count ? NULL : malloc(collio_nodes_bytes(nodes->ranks, count));
    if (1 < count && NULL == tables) {
        free(first_of);
        return -ENOMEM;
    }
    collio_nodes_place(racks, nodes->ranks, count, tables);
    for (int rank = 0; 1 < count && rank < nodes->ranks; ++rank) {
        racks->node_of[rank] = collio_node_member(nodes, first_of[collio_node_of(nodes, rank)], 0);
    }
    if (1 < count) {
        collio_nodes_fill(racks);
    }
    free(first_of);
    return 0;
}

int collio_local_aggregator(int q, int c, int i)
{
    int large = q % c; /* local aggregators with one more rank */

    return q / c * i + (i < large ? i : large);
}

int collio_local_number(int q, int c, int r)
{
    int small = q / c, large = q % c, border = (small + 1) * large;

    return r < border ? r / (small + 1) : large + (r - border) / small;
}

int collio_local_aggregators_on(const collio_nodes_t *nodes, collio_local_count_t count, int node)
{
    return (int) collio_min(count.level + (node < count.until), collio_node_size(nodes, node));
}

collio_local_count_t collio_local_aggregators_divide(const collio_nodes_t *nodes, int total)
{
    collio_local_count_t count = {0, 0};
    int extra, larger;

    count.level = even_level(nodes, (int) collio_clamp(total, nodes->nodes, nodes->ranks), &extra,
                             &larger);
    for (int node = 0; extra > 0; ++node) {
        extra -= collio_node_size(nodes, node) > count.level;
        count.until = node + 1;
    }
    return count;
}

collio_local_t collio_local_of(const collio_nodes_t *nodes, collio_local_count_t count, int rank)
{
    int node = collio_node_of(nodes, rank), ranks = collio_node_size(nodes, node);
    int here = collio_local_aggregators_on(nodes, count, node);
    int number = collio_local_number(ranks, here, collio_node_local(nodes, rank));
    int first = collio_local_aggregator(ranks, here, number);

    return (collio_local_t){.rank = collio_node_member(nodes, node, first),
                            .number = number,
                            .count = here,
                            .members = collio_local_aggregator(ranks, here, number + 1) - first};
}
