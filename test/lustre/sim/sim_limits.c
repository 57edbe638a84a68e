/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * What the servers refuse: quota and full OSTs.
 *
 * Quota and OSTs count bytes written since the last reset, also those that are written twice. A
 * client with grant caches that much although the quota is used up, as a real one does.
 */

#include "sim_manager.h"

#include <errno.h>

static int refused(sim_space_t *space, uint32_t client, const sim_span_t *span, size_t count,
                   uint64_t bytes)
{
    const sim_config_t *config = &space->config;

    for (size_t s = 0; 0 != config->ost_bytes && s < count; ++s) {
        if (space->used_ost[span[s].ost] + (span[s].end - span[s].start + 1) > config->ost_bytes) {
            return -ENOSPC;
        }
    }
    if (0 != config->quota_bytes && space->used_bytes + bytes > config->quota_bytes) {
        if (space->used_grant[client] + bytes > config->grant_bytes) {
            return -EDQUOT;
        }
        space->used_grant[client] += bytes;
    }
    return 0;
}

int sim_charge(sim_space_t *space, uint32_t client, const sim_layout_t *layout, uint64_t start,
               uint64_t end)
{
    sim_span_t span[SIM_OBJECTS];
    size_t count;
    int rc;

    if (0 == space->config.ost_bytes && 0 == space->config.quota_bytes) {
        return 0;
    }
    count = sim_spans(layout, start, end, span);
    sim_enter(space);
    rc = refused(space, client, span, count, end - start + 1);
    if (0 == rc) {
        space->used_bytes += end - start + 1;
        for (size_t s = 0; s < count; ++s) {
            space->used_ost[span[s].ost] += span[s].end - span[s].start + 1;
        }
    } else {
        SIM_COUNT(space, refused, 1);
    }
    sim_leave(space);
    return rc;
}
