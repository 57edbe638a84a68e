/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_STATS_H
#define MCA_COMMON_COLLIO_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opal/mca/mca.h"

#include "core/common_collio_clock.h"

/**
 * The figures: one list, from which come the fields, the MPI_T performance variables
 * fcoll_<component>_<name> and the report.
 *
 * X(name, kind, layers, help): kind is time (nanoseconds of the calling rank), bytes, count, or
 * high (a high-water mark in bytes). layers is two for figures of components with two layers, else
 * one. help is the description of the variable; its unit is put behind it.
 */
#define MCA_COMMON_COLLIO_STATS(X)                                                                 \
    X(calls_write, count, one, "collective writes")                                                \
    X(calls_read, count, one, "collective reads")                                                  \
    X(calls_skipped, count, one,                                                                   \
      "calls that skipped the exchange: every rank accessed its own pieces")                       \
    X(bytes_written, bytes, one, "data this rank asked to write")                                  \
    X(bytes_read, bytes, one, "data this rank asked to read")                                      \
    X(requests_in, count, one, "pieces this rank asked for, after joining neighbours")             \
    X(requests_gathered, count, two, "pieces a local aggregator received from its node")           \
    X(requests_merged, count, two, "pieces after layer 1: what a local aggregator passed on")      \
    X(requests_received, count, one,                                                               \
      "pieces (some reads: outlines) that arrived at this aggregator")                             \
    X(requests_out, count, one, "contiguous runs left after merging: what was accessed")           \
    X(cycles, count, one, "cycles of this aggregator: fills of its collective buffer")             \
    X(messages, count, one, "data messages sent by this rank")                                     \
    X(message_bytes, bytes, one, "data in the messages sent by this rank")                         \
    X(messages_between_nodes, count, one, "data messages sent to other nodes")                     \
    X(bytes_between_nodes, bytes, one, "data in messages sent to other nodes")                     \
    X(meta_messages, count, one, "messages with offset lists sent by this rank")                   \
    X(meta_bytes, bytes, one, "size of the messages with offset lists")                            \
    X(copied_bytes, bytes, one,                                                                    \
      "data this rank copied between user, staging and collective buffers")                        \
    X(shm_bytes, bytes, one, "data moved through shared memory, without a message")                \
    X(shm_missing, count, one,                                                                     \
      "1: no shared memory for this file on this rank's node, so messages")                        \
    X(put_bytes, bytes, one, "data moved by one-sided puts")                                       \
    X(holes, count, one, "holes between the runs of this aggregator's windows")                    \
    X(plan_hits, count, one, "calls that reused a plan")                                           \
    X(plan_misses, count, one, "calls that had to plan")                                           \
    X(files_kept, count, one,                                                                      \
      "files that found the context of an earlier one of the same processes")                      \
    X(plan_memory, count, one, "plans not offered again because their node has lost memory")       \
    X(probes, count, one, "calls spent on measuring choices")                                      \
    X(errors, count, one, "calls that ended with an error")                                        \
    X(memory_high, high, one, "most held at once: plans, buffers, staging, shared segments")       \
    X(memory_budget, high, one, "partition memory: most that this rank announced for its buffers") \
    X(buffer_high, high, one, "partition memory: most held in buffers and their staging")          \
    X(time_flatten, time, one, "flattening view and buffer")                                       \
    X(time_agree, time, one, "agreeing on range, plan and errors")                                 \
    X(time_gather, time, two, "layer 1: gathering offset lists inside the node")                   \
    X(time_gather_merge, time, two, "layer 1: merging them")                                       \
    X(time_gather_move, time, two, "layer 1: moving data inside the node")                         \
    X(time_split, time, one, "splitting requests by aggregator and cycle")                         \
    X(time_route, time, one, "sending offset lists to their aggregators")                          \
    X(time_merge, time, one, "merging offset lists at the aggregator")                             \
    X(time_exchange, time, one, "cycles with a shuffle under way")                                 \
    X(time_io, time, one, "file access itself, whether waited for or not")                         \
    X(time_hidden, time, one, "part of time_io during which a shuffle was under way")              \
    X(time_wait, time, one, "cycles with nothing to do but wait for file access")                  \
    X(time_settle, time, one, "agreeing on the result")                                            \
    X(time_total, time, one, "whole calls")

#define MCA_COMMON_COLLIO_STAT_ID(name, kind, layers, help) MCA_COMMON_COLLIO_STAT_##name,
enum { MCA_COMMON_COLLIO_STATS(MCA_COMMON_COLLIO_STAT_ID) MCA_COMMON_COLLIO_STAT_COUNT };
#undef MCA_COMMON_COLLIO_STAT_ID

typedef struct mca_common_collio_stats_t {
    uint64_t at[MCA_COMMON_COLLIO_STAT_COUNT];
} mca_common_collio_stats_t;

typedef enum mca_common_collio_stat_kind_t {
    MCA_COMMON_COLLIO_STAT_KIND_count,
    MCA_COMMON_COLLIO_STAT_KIND_bytes,
    MCA_COMMON_COLLIO_STAT_KIND_time,
    MCA_COMMON_COLLIO_STAT_KIND_high
} mca_common_collio_stat_kind_t;

const char *mca_common_collio_stat_name(int stat);
mca_common_collio_stat_kind_t mca_common_collio_stat_kind(int stat);

/** Registers one performance variable for each figure, on this storage. Figures of two layers only
 *  for components that have them. */
void mca_common_collio_stats_register(mca_common_collio_stats_t *stats, bool two_layers,
                                      const mca_base_component_t *mca);

#endif /* MCA_COMMON_COLLIO_STATS_H */
