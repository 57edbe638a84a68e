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

#include "compat/common_collio_clock.h"

/**
 * The counters: one list, from which come the fields, the MPI_T performance variables
 * fcoll_<component>_<name> and the report.
 *
 * X(name, kind, layers, help): kind is time (nanoseconds of the calling rank), bytes, count, or
 * high (a high-water mark in bytes). layers is two for counters of components with two layers, else
 * one. help is the description of the variable; its unit is put behind it.
 */
#define MCA_COMMON_COLLIO_STATS(X)                                                                 \
    X(calls_write, count, one, "collective writes")                                                \
    X(calls_read, count, one, "collective reads")                                                  \
    X(calls_direct, count, one,                                                                    \
      "direct calls: collective calls in which every rank accessed its own pieces")                \
    X(bytes_written, bytes, one, "data that this rank asked to write in collective calls")         \
    X(bytes_read, bytes, one, "data that this rank asked to read in collective calls")             \
    X(requests_in, count, one, "pieces that this rank asked for, after joining adjacent ones")     \
    X(requests_gathered, count, two, "pieces that this local aggregator received from its node")   \
    X(requests_merged, count, two, "pieces that this local aggregator sent on after merging")      \
    X(requests_received, count, one,                                                               \
      "pieces (some reads: bounding ranges) that arrived at this aggregator")                      \
    X(requests_out, count, one, "extents that this aggregator accessed: pieces after merging")     \
    X(cycles, count, one, "cycles of this aggregator: fills of its collective buffer")             \
    X(messages, count, one, "data messages sent by this rank")                                     \
    X(message_bytes, bytes, one, "data in the messages sent by this rank")                         \
    X(messages_between_nodes, count, one, "data messages that this rank sent to other nodes")      \
    X(bytes_between_nodes, bytes, one, "data in messages that this rank sent to other nodes")      \
    X(meta_messages, count, one, "messages with offset lists sent by this rank")                   \
    X(meta_bytes, bytes, one, "size of the messages with offset lists sent by this rank")          \
    X(copied_bytes, bytes, one,                                                                    \
      "data this rank copied between user, staging and collective buffers")                        \
    X(shm_bytes, bytes, one, "data that this rank moved through shared memory, without a message") \
    X(shm_missing, count, one,                                                                     \
      "1 if shared memory was not available for this file on this rank's node")                    \
    X(put_bytes, bytes, one, "data that this rank moved by one-sided puts")                        \
    X(holes, count, one, "holes between the extents of this aggregator's windows")                 \
    X(plan_hits, count, one, "collective calls that reused a plan")                                \
    X(plan_misses, count, one, "collective calls that had to plan")                                \
    X(files_reused, count, one,                                                                    \
      "files that reused the context of an earlier file of the same processes")                    \
    X(plan_memory, count, one,                                                                     \
      "plans not reused because a node has less memory available than before")                     \
    X(probes, count, one, "collective calls spent on measuring choices of auto")                   \
    X(errors, count, one, "collective calls that ended with an error")                             \
    X(memory_high, high, one,                                                                      \
      "most memory held at once for plans, buffers, staging and shared segments")                  \
    X(memory_budget, high, one,                                                                    \
      "partition memory: most memory that this rank announced for its buffers")                    \
    X(buffer_high, high, one,                                                                      \
      "partition memory: most memory held in collective and staging buffers")                      \
    X(time_flatten, time, one, "flattening view and user buffer")                                  \
    X(time_agree, time, one, "agreeing on range, plan and errors of a call")                       \
    X(time_gather, time, two, "intra-node aggregation: gathering and merging offset lists")        \
    X(time_gather_move, time, two, "intra-node aggregation: moving data inside the node")          \
    X(time_split, time, one, "splitting requests by aggregator and cycle")                         \
    X(time_route, time, one, "sending offset lists to their aggregators")                          \
    X(time_merge, time, one, "merging offset lists at the aggregator")                             \
    X(time_exchange, time, one, "cycles in which data was under way between ranks")                \
    X(time_io, time, one, "file access, whether the rank waited for it or not")                    \
    X(time_hidden, time, one, "part of time_io during which data was under way between ranks")     \
    X(time_wait, time, one, "cycles in which this rank did nothing but wait for file access")      \
    X(time_complete, time, one, "agreeing on the result of a call")                                \
    X(time_total, time, one, "whole collective calls")

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
