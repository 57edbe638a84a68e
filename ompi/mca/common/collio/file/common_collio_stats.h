/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_STATS_H
#define MCA_COMMON_COLLIO_STATS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "opal/mca/mca.h"

/**
 * The figures: one list, from which come the fields, the MPI_T performance variables
 * fcoll_<component>_<name> and the report. Times are in nanoseconds of the calling rank.
 *
 * X(name, kind, help): kind is time, count or high (a high-water mark).
 */
#define MCA_COMMON_COLLIO_STATS(X)                                                                 \
    X(calls_write, count, "collective writes")                                                     \
    X(calls_read, count, "collective reads")                                                       \
    X(calls_skipped, count, "calls that skipped the exchange: every rank accessed its own pieces") \
    X(calls_ahead, count, "those of them that did not wait for other ranks (setting errors)")      \
    X(bytes_written, count, "bytes this rank asked to write")                                      \
    X(bytes_read, count, "bytes this rank asked to read")                                          \
    X(requests_in, count, "pieces this rank asked for, after joining neighbours")                  \
    X(requests_gathered, count, "pieces a local aggregator received from its node")                \
    X(requests_merged, count, "pieces after layer 1: what a local aggregator passed on")           \
    X(requests_received, count, "pieces (some reads: outlines) that arrived at this aggregator")   \
    X(requests_out, count, "contiguous runs left after merging: what was accessed")                \
    X(cycles, count, "cycles of this aggregator: fills of its collective buffer")                  \
    X(messages, count, "data messages sent by this rank")                                          \
    X(message_bytes, count, "bytes in them")                                                       \
    X(messages_between_nodes, count, "data messages sent to other nodes")                          \
    X(bytes_between_nodes, count, "bytes in them")                                                 \
    X(meta_messages, count, "messages with offset lists sent by this rank")                        \
    X(meta_bytes, count, "bytes in them")                                                          \
    X(copied_bytes, count, "bytes this rank copied between user, staging and collective buffers")  \
    X(shm_bytes, count, "bytes moved through shared memory, without a message")                    \
    X(shm_missing, count, "1: no shared memory for this file on this rank's node, so messages")    \
    X(put_bytes, count, "bytes moved by one-sided puts")                                           \
    X(holes, count, "holes between the runs of this aggregator's windows")                         \
    X(plan_hits, count, "calls that reused a plan")                                                \
    X(plan_misses, count, "calls that had to plan")                                                \
    X(plan_memory, count, "plans not offered again because their node has lost memory")            \
    X(probes, count, "calls spent on measuring choices")                                           \
    X(errors, count, "calls that ended with an error")                                             \
    X(memory_high, high, "most bytes held at once: plans, buffers, staging, shared segments")      \
    X(memory_budget, high, "partition memory: most that this rank announced for its buffers")      \
    X(buffer_high, high, "partition memory: most bytes held in buffers and their staging")         \
    X(time_flatten, time, "flattening view and buffer")                                            \
    X(time_agree, time, "agreeing on range, plan and errors")                                      \
    X(time_gather, time, "layer 1: gathering offset lists inside the node")                        \
    X(time_gather_merge, time, "layer 1: merging them")                                            \
    X(time_gather_move, time, "layer 1: moving data inside the node")                              \
    X(time_split, time, "splitting requests by aggregator and cycle")                              \
    X(time_route, time, "sending offset lists to their aggregators")                               \
    X(time_merge, time, "merging offset lists at the aggregator")                                  \
    X(time_exchange, time, "cycles with a shuffle under way")                                      \
    X(time_io, time, "file access itself, whether waited for or not")                              \
    X(time_hidden, time, "part of time_io during which a shuffle was under way")                   \
    X(time_wait, time, "cycles with nothing to do but wait for file access")                       \
    X(time_settle, time, "agreeing on the result")                                                 \
    X(time_total, time, "whole calls")

#define MCA_COMMON_COLLIO_STAT_ID(name, kind, help) MCA_COMMON_COLLIO_STAT_##name,
enum { MCA_COMMON_COLLIO_STATS(MCA_COMMON_COLLIO_STAT_ID) MCA_COMMON_COLLIO_STAT_COUNT };
#undef MCA_COMMON_COLLIO_STAT_ID

typedef struct mca_common_collio_stats_t {
    uint64_t at[MCA_COMMON_COLLIO_STAT_COUNT];
} mca_common_collio_stats_t;

typedef enum mca_common_collio_stat_kind_t {
    MCA_COMMON_COLLIO_STAT_KIND_count,
    MCA_COMMON_COLLIO_STAT_KIND_time,
    MCA_COMMON_COLLIO_STAT_KIND_high
} mca_common_collio_stat_kind_t;

const char *mca_common_collio_stat_name(int stat);
mca_common_collio_stat_kind_t mca_common_collio_stat_kind(int stat);

/** Registers one performance variable for each figure, on this storage. */
void mca_common_collio_stats_register(mca_common_collio_stats_t *stats,
                                      const mca_base_component_t *mca);

static inline uint64_t mca_common_collio_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t) now.tv_sec * 1000000000u + (uint64_t) now.tv_nsec;
}

#endif /* MCA_COMMON_COLLIO_STATS_H */
