/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Aggregators: which ranks of which nodes do the work for the others.
 *
 * Problem: aggregators share their node's network card and memory, so they must be spread over
 *          the nodes, also when nodes have different numbers of ranks or ranks are dealt out to
 *          nodes in turn.
 * Method:  a node map (ranks sorted by node), from which every placement is read off.
 * Cost:    map O(ranks log ranks) once per file; placement O(nodes + count).
 *
 *   2 nodes of 4 ranks, 4 aggregators     spread        0 2 | 4 6
 *                                         round_robin   0 4 1 5
 */
#include "aggregator.h"

#include <errno.h>
#include <stdlib.h>

/* Sort key: a rank and the key of its node; later the node's lowest rank. */
typedef struct collio_keyed_t {
    int key;
    int rank;
} keyed_t;

static int by_key(const void *left, const void *right)
{
    const keyed_t *a = left;
    const keyed_t *b = right;

    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int allocate(collio_nodes_t *nodes, size_t ranks)
{
    nodes->node_of = malloc(ranks * sizeof(int));
    nodes->member = malloc(ranks * sizeof(int));
    nodes->local_rank = malloc(ranks * sizeof(int));
    nodes->first = malloc((ranks + 1) * sizeof(int));
    if (NULL == nodes->node_of || NULL == nodes->member || NULL == nodes->local_rank
        || NULL == nodes->first) {
        return -ENOMEM;
    }
    return 0;
}

int collio_nodes_init(collio_nodes_t *nodes, const int *key, int ranks)
{
    keyed_t *sorted;

    *nodes = (collio_nodes_t){.ranks = ranks};
    sorted = malloc((size_t) ranks * sizeof(*sorted));
    if (NULL == sorted || 0 != allocate(nodes, (size_t) ranks)) {
        free(sorted);
        collio_nodes_fini(nodes);
        return -ENOMEM;
    }
    for (int rank = 0; rank < ranks; ++rank) {
        sorted[rank] = (keyed_t){key[rank], rank};
    }
    qsort(sorted, (size_t) ranks, sizeof(*sorted), by_key);
    /* give every rank its node's lowest rank as the key, so that nodes sort by it */
    for (int i = 0, lowest = 0; i < ranks; ++i) {
        if (0 == i || key[sorted[i].rank] != key[sorted[i - 1].rank]) {
            lowest = sorted[i].rank;
        }
        sorted[i].key = lowest;
    }
    qsort(sorted, (size_t) ranks, sizeof(*sorted), by_key);
    for (int i = 0; i < ranks; ++i) {
        int rank = sorted[i].rank;

        if (0 == i || sorted[i].key != sorted[i - 1].key) {
            nodes->first[nodes->nodes++] = i;
        }
        nodes->node_of[rank] = nodes->nodes - 1;
        nodes->member[i] = rank;
        nodes->local_rank[rank] = i - nodes->first[nodes->nodes - 1];
    }
    nodes->first[nodes->nodes] = ranks;
    free(sorted);
    return 0;
}

void collio_nodes_fini(collio_nodes_t *nodes)
{
    free(nodes->node_of);
    free(nodes->first);
    free(nodes->member);
    free(nodes->local_rank);
    *nodes = (collio_nodes_t){0};
}

static int node_size(const collio_nodes_t *nodes, int node)
{
    return nodes->first[node + 1] - nodes->first[node];
}

/* floor(i * total / parts) */
static int even_place(int i, int total, int parts)
{
    return (int) ((int64_t) i * total / parts);
}

/* Fewer aggregators than nodes: the first rank of every (nodes/count)-th node. */
static void place_few(const collio_nodes_t *nodes, int count, int *list)
{
    for (int i = 0; i < count; ++i) {
        list[i] = nodes->member[nodes->first[even_place(i, nodes->nodes, count)]];
    }
}

/* Nodes that have more than `level` ranks, and the sum over all nodes of min(size, level). */
static int64_t fill_to(const collio_nodes_t *nodes, int level, int *larger)
{
    int64_t sum = 0;

    *larger = 0;
    for (int node = 0; node < nodes->nodes; ++node) {
        int size = node_size(nodes, node);

        sum += size < level ? size : level;
        *larger += size > level;
    }
    return sum;
}

static void place_spread(const collio_nodes_t *nodes, int count, int *list)
{
    int level = 0; /* aggregators that every node with that many ranks has at least */
    int top = nodes->ranks;
    int larger;
    int extra; /* of the larger nodes have one more */
    int seen = 0;
    int n = 0;

    while (level < top) { /* the highest level that is not too much */
        int middle = level + (top - level + 1) / 2;

        if (fill_to(nodes, middle, &larger) <= count) {
            level = middle;
        } else {
            top = middle - 1;
        }
    }
    extra = count - (int) fill_to(nodes, level, &larger);
    for (int node = 0; node < nodes->nodes; ++node) {
        int size = node_size(nodes, node);
        int here = size < level ? size : level;

        if (size > level) {
            here += even_place(seen + 1, extra, larger) - even_place(seen, extra, larger);
            ++seen;
        }
        for (int i = 0; i < here; ++i) {
            list[n++] = nodes->member[nodes->first[node] + even_place(i, size, here)];
        }
    }
}

static void place_round_robin(const collio_nodes_t *nodes, int count, int *list)
{
    int n = 0;

    for (int round = 0; n < count; ++round) {
        for (int node = 0; node < nodes->nodes && n < count; ++node) {
            if (round < node_size(nodes, node)) {
                list[n++] = nodes->member[nodes->first[node] + round];
            }
        }
    }
}

int collio_aggregators_per_node(const collio_nodes_t *nodes, int per_node, int *list)
{
    int count = 0;

    for (int node = 0; node < nodes->nodes; ++node) {
        int size = node_size(nodes, node);
        int here = per_node < 1 ? 1 : per_node;

        here = here < size ? here : size;
        for (int i = 0; i < here; ++i) {
            list[count++] = nodes->member[nodes->first[node] + even_place(i, size, here)];
        }
    }
    return count;
}

int collio_aggregators_place(const collio_nodes_t *nodes, int count, collio_placement_t placement,
                             int *list)
{
    count = 1 > count ? 1 : count;
    count = nodes->ranks < count ? nodes->ranks : count;
    if (count < nodes->nodes) {
        place_few(nodes, count, list);
    } else if (COLLIO_PLACEMENT_SPREAD == placement) {
        place_spread(nodes, count, list);
    } else {
        place_round_robin(nodes, count, list);
    }
    return count;
}

/* Reads a number at *text that is at most `max`; moves *text behind it. */
static bool read_number(const char **text, int max, int *value)
{
    const char *at = *text;
    int64_t sum = 0;

    if ('0' > *at || '9' < *at) {
        return false;
    }
    for (; '0' <= *at && '9' >= *at; ++at) {
        sum = 10 * sum + (*at - '0');
        if (sum > max) {
            return false;
        }
    }
    *text = at;
    *value = (int) sum;
    return true;
}

/* One element, "4", "8-11" or "12-20:4". *text stays where the error is. */
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
        int from;
        int to;
        int step;

        if (!read_range(text, ranks, &from, &to, &step)) {
            return -EINVAL;
        }
        for (int64_t rank = from; rank <= to; rank += step) {
            if (taken[rank]) {
                *text = element;
                return -EINVAL;
            }
            taken[rank] = 1;
            list[n++] = (int) rank;
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

int collio_local_aggregator(int q, int c, int i)
{
    int small = q / c;
    int large = small + (0 != q % c);
    int e = q % c;

    return i < e ? large * i : large * e + small * (i - e);
}

int collio_local_aggregator_of(int q, int c, int r)
{
    int small = q / c;
    int large = small + (0 != q % c);
    int border = large * (q % c); /* below it groups are large */

    return r < border ? r - r % large : border + (r - border) / small * small;
}

int collio_local_aggregators_on(const collio_nodes_t *nodes, collio_local_count_t count, int node)
{
    int wanted = count.level + (node < count.until);
    int ranks = node_size(nodes, node);

    return wanted < ranks ? wanted : ranks;
}

/* Level by level, as water fills vessels of different heights. */
collio_local_count_t collio_local_aggregators_divide(const collio_nodes_t *nodes, int total)
{
    collio_local_count_t count = {1, 0};
    int left = total - nodes->nodes;

    while (0 < left) {
        int higher = 0;

        for (int node = 0; node < nodes->nodes; ++node) {
            higher += node_size(nodes, node) > count.level;
            if (higher == left) {
                count.until = node + 1;
                break;
            }
        }
        if (0 == higher || higher == left) {
            break;
        }
        left -= higher;
        ++count.level;
    }
    return count;
}
