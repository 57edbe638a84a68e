/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Defaults. See defaults.h.
 */
#include "defaults.h"

#include "number.h"

enum {
    ON_ONE_NODE = 2,            /* aggregators of a job on one node */
    NODE_BUFFER = 2 << 20,      /* bytes of buffers on one node with a local file system */
    BUFFER = 32 << 20,          /* bytes of buffers elsewhere */
    LOCKAHEAD_NODE = 512 << 20, /* bytes: maximum for the buffers of a node with lock-ahead */
    WAITING = 64 << 20          /* bytes of messages that may wait at an aggregator for receives */
};

/* One aggregator per stripe, so that static_cyclic gives each server one writer. With fewer ranks
 * than stripes, a divisor of the stripe count gives each server one writer as well. */
static int per_stripe(const collio_site_t *site)
{
    int count = (int) collio_min(site->stripes, site->ranks);

    while (0 != site->stripes % count) {
        --count;
    }
    return count;
}

/* With lock-ahead the writers of one OST do not revoke each other's locks, several writers use its
 * bandwidth better, and with more aggregators more data stays in its rank: half of the ranks, as
 * published, but no more than the buffers of a node may take. */
static int with_lockahead(const collio_site_t *site)
{
    int64_t buffer = collio_or_default(site->buffer_bytes, collio_default_buffer(site));
    int64_t per_node = collio_max(1, LOCKAHEAD_NODE / buffer);
    int64_t count = collio_min(site->ranks / 2, per_node * site->nodes);

    return (int) collio_max(count, site->stripes);
}

/* One node: two aggregators, so that one writes while the data of the other arrives. More cores do
 * not change this: Linux takes one lock per file for buffered writes (ext4, XFS, tmpfs and the
 * client of NFS), so a third writer of the file would wait. One core does not change it either: an
 * aggregator that waits for a device or a server needs no core.
 * Several nodes: one aggregator per node. The traffic of a node to the file system goes through one
 * client and one network card, and a second writer of the node would wait for the file's lock. */
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
        count = site->stripes; /* another file system: one aggregator per stripe */
    }
    return (int) collio_max(1, collio_min(count, site->ranks));
}

/* One node and a local file system: data pass through the buffer to the page cache. A buffer that
 * fits the caches of the cores is as fast as a large one, and its pages are allocated faster; this
 * holds even with more ranks than cores, because all ranks touch the same buffers in turn.
 * Elsewhere an access costs a round trip to a server or between nodes, so larger accesses pay. */
int64_t collio_default_buffer(const collio_site_t *site)
{
    return 1 == site->nodes && !site->network && !site->striped ? NODE_BUFFER : BUFFER;
}

/* A synchronous send costs an acknowledgment, which takes as long as the data if the message rate
 * is the limit. A rank whose every n-th send is synchronous is at most n windows ahead of its
 * aggregator, which may have to buffer these windows. */
int64_t collio_default_synchronous_each(int64_t window_bytes, int64_t buffer_bytes,
                                        bool short_of_memory)
{
    int64_t waiting = short_of_memory ? buffer_bytes : WAITING;

    return window_bytes < waiting ? waiting / window_bytes : 1;
}
