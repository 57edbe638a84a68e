/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Modelled time. Every client and every OST has a clock, in nanoseconds since the last reset, that
 * only the model moves: messages, transfers, and waiting for another client's lock. The model's
 * result does not depend on how fast or how busy the machine is; only the order in which clients
 * come does, and that is kept close to the model by letting a process sleep whenever its client's
 * clock has moved.
 *
 *   link of client   |==A==||==B==|            writers go on when their link is free again
 *   OST                 |===A===||===B===|     and not too much waits at the OST; a lock is clean
 *                                        ^     when the OST has what was written under it
 */

#include "sim_manager.h"

#include <errno.h>
#include <string.h>
#include <time.h>

enum { DIRTY_MIB = 32 }; /* what may wait at an OST before writers wait, too */

void sim_clock_reset(sim_space_t *space)
{
    memset(space->client_ns, 0, sizeof(space->client_ns));
    memset(space->ost_ns, 0, sizeof(space->ost_ns));
    for (size_t f = 0; f < SIM_FILES; ++f) {
        memset(space->file[f].freed_ns, 0, sizeof(space->file[f].freed_ns));
    }
    for (size_t l = 0; l < SIM_LOCKS; ++l) {
        space->lock[l].clean_ns = 0;
    }
}

void sim_clock_messages(sim_space_t *space, uint32_t client, uint64_t in_turn)
{
    space->client_ns[client] += in_turn * space->config.rpc_us * 1000;
}

void sim_clock_wait(sim_space_t *space, uint32_t client, uint64_t ns)
{
    if (ns > space->client_ns[client]) {
        space->client_ns[client] = ns;
    }
}

uint64_t sim_clock_end(const sim_space_t *space)
{
    uint64_t end = 0;

    for (size_t c = 0; c < SIM_CLIENTS; ++c) {
        end = space->client_ns[c] > end ? space->client_ns[c] : end;
    }
    for (size_t o = 0; o < SIM_OSTS; ++o) {
        end = space->ost_ns[o] > end ? space->ost_ns[o] : end;
    }
    return end;
}

void sim_clock_transfer(sim_space_t *space, uint32_t client, const sim_span_t *span, int32_t lock,
                        bool write)
{
    const sim_config_t *config = &space->config;
    uint64_t bytes = span->end - span->start + 1;
    uint64_t backlog = (uint64_t) DIRTY_MIB * config->ost_us_mib * 1000;
    uint64_t *ost = &space->ost_ns[span->ost];
    uint64_t before;
    uint64_t now;
    uint64_t done;

    sim_enter(space);
    now = before = space->client_ns[client];
    *ost = (*ost > now ? *ost : now) + ((bytes * config->ost_us_mib * 1000) >> 20);
    done = *ost;
    if (write) {
        if (-1 != lock && done > space->lock[lock].clean_ns) {
            space->lock[lock].clean_ns = done;
        }
        done = done > backlog ? done - backlog : 0;
    }
    now += (bytes * config->client_us_mib * 1000) >> 20;
    sim_clock_wait(space, client, now);
    sim_clock_wait(space, client, done);
    sim_leave(space);
    sim_clock_pace(space, client, before);
}

void sim_clock_pace(const sim_space_t *space, uint32_t client, uint64_t before)
{
    uint64_t ns = space->client_ns[client] - before;
    struct timespec time = {.tv_sec = (time_t) (ns / UINT64_C(1000000000)),
                            .tv_nsec = (long) (ns % UINT64_C(1000000000))};

    if (space->client_ns[client] > before) {
        while (-1 == nanosleep(&time, &time) && EINTR == errno) {
        }
    }
}
