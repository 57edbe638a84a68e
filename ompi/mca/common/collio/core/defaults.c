/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Defaults. See defaults.h.
 */
#include "defaults.h"

enum {
    LOCKAHEAD_PER_STRIPE = 4, /* aggregators, at most */
    LOCKAHEAD_PER_NODE = 4,
    ON_ONE_NODE = 2,
    NODE_BUFFER = 2 << 20,
    BUFFER = 32 << 20,
    WAITING = 64 << 20 /* bytes of messages that may wait at an aggregator for their receives */
};

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* One per stripe: then static_cyclic gives each server one writer. With fewer ranks than stripes, a
 * divisor of the stripes does the same; anything else would mix the writers of a server. */
static int per_stripe(const collio_site_t *site)
{
    int count = least(site->stripes, site->ranks);

    while (0 != site->stripes % count) {
        --count;
    }
    return count;
}

/* With lockahead the writers of one OST do not disturb each other, and more of them fill it better:
 * half of the ranks, but not more than a stripe or a node can make use of. */
static int with_lockahead(const collio_site_t *site)
{
    int count = least(site->ranks / 2, LOCKAHEAD_PER_STRIPE * site->stripes);

    count = least(count, LOCKAHEAD_PER_NODE * site->nodes);
    return count > site->stripes ? count : site->stripes;
}

/* One node: two, so that one writes while the other's data arrives. Not more with more cores: Linux
 * takes one lock per file for buffered writes (ext4, XFS, tmpfs and the client of NFS alike), so a
 * third writer of the same file would wait. Two also with one core: what waits for a device or a
 * server needs no core.
 * Several nodes: one each. A node's traffic to the file system goes through one client and one
 * network card; a second writer there has the same lock against it. */
static int by_nodes(const collio_site_t *site)
{
    return site->nodes > 1 ? site->nodes : ON_ONE_NODE;
}

int collio_default_aggregators(const collio_site_t *site)
{
    int count = by_nodes(site);

    if (site->striped && site->stripe_bytes > 0 && site->stripes > 0) {
        count = site->lockahead ? with_lockahead(site) : per_stripe(site);
    } else if (site->stripes > 1) {
        count = site->stripes; /* of another file system: as many as serve it at a time */
    }
    count = least(count, site->ranks);
    return count > 0 ? count : 1;
}

/* One node and a local file system: the buffer is a stop on the way to the page cache. If it fits
 * the caches of the cores it is as fast as a large one, and its pages are sooner had; with more
 * ranks than cores, too, because the aggregators' buffers are touched by all ranks in turn.
 * Elsewhere an access costs a round trip to a server or between nodes, which a larger one hides. */
int64_t collio_default_buffer(const collio_site_t *site)
{
    return 1 == site->nodes && !site->network && !site->striped ? NODE_BUFFER : BUFFER;
}

/* A synchronous send is answered by a message: where messages limit, the answers take as long as
 * the data. A rank that sends one in n of them is at most n windows ahead of its aggregator, which
 * may have to keep them. */
int64_t collio_default_synchronous_each(int64_t window_bytes, int64_t buffer_bytes,
                                        bool short_of_memory)
{
    int64_t waiting = short_of_memory ? buffer_bytes : WAITING;

    return window_bytes < waiting ? waiting / window_bytes : 1;
}
