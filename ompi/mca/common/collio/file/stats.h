/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STATS_H
#define COLLIO_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opal/mca/mca.h"

#include "compat/clock.h"
#include "report/report_out.h"

/**
 * The counters: one list, which generates the indices, the MPI_T performance variables
 * fcoll_<component>_<name> and the report.
 *
 * X(id, name, kind, layers, help): COLLIO_STAT_<id> is the index of the counter. kind is TIME
 * (nanoseconds of the calling rank), BYTES, COUNT, or HIGH (a high-water mark in bytes). layers is
 * two for counters of components with two layers, else one. help is the description of the
 * variable; the unit is appended to it.
 */
#define COLLIO_STATS(X)                                                                            \
    X(CALLS_WRITE, calls_write, COUNT, one, "collective writes of this rank")                      \
    X(CALLS_READ, calls_read, COUNT, one, "collective reads of this rank")                         \
    X(CALLS_DIRECT, calls_direct, COUNT, one,                                                      \
      "direct calls: collective calls in which every rank accessed its own pieces")                \
    X(BYTES_WRITTEN, bytes_written, BYTES, one,                                                    \
      "data that this rank asked to write in collective calls")                                    \
    X(BYTES_READ, bytes_read, BYTES, one, "data that this rank asked to read in collective calls") \
    X(REQUESTS_IN, requests_in, COUNT, one,                                                        \
      "pieces that this rank asked for, after joining adjacent ones")                              \
    X(REQUESTS_GATHERED, requests_gathered, COUNT, two,                                            \
      "pieces that this local aggregator received from its node")                                  \
    X(REQUESTS_MERGED, requests_merged, COUNT, two,                                                \
      "pieces that this local aggregator sent on after merging")                                   \
    X(REQUESTS_RECEIVED, requests_received, COUNT, one,                                            \
      "pieces (in shared memory also bounding ranges) that arrived at this aggregator")            \
    X(REQUESTS_OUT, requests_out, COUNT, one,                                                      \
      "extents that this aggregator accessed: pieces after merging")                               \
    X(CYCLES, cycles, COUNT, one, "cycles of this aggregator: fills of its collective buffer")     \
    X(MESSAGES, messages, COUNT, one, "data messages sent by this rank")                           \
    X(MESSAGE_BYTES, message_bytes, BYTES, one, "data in the messages sent by this rank")          \
    X(MESSAGES_BETWEEN_NODES, messages_between_nodes, COUNT, one,                                  \
      "data messages that this rank sent to other nodes")                                          \
    X(MESSAGES_BETWEEN_RACKS, messages_between_racks, COUNT, two,                                  \
      "data messages that this rank sent to other racks, if the setting racks is used")            \
    X(BYTES_BETWEEN_NODES, bytes_between_nodes, BYTES, one,                                        \
      "data in messages that this rank sent to other nodes")                                       \
    X(META_MESSAGES, meta_messages, COUNT, one, "messages with offset lists sent by this rank")    \
    X(META_BYTES, meta_bytes, BYTES, one,                                                          \
      "size of the messages with offset lists sent by this rank")                                  \
    X(COPIED_BYTES, copied_bytes, BYTES, one,                                                      \
      "data this rank copied between user, staging and collective buffers")                        \
    X(SHM_BYTES, shm_bytes, BYTES, one,                                                            \
      "data that this rank moved through shared memory, without a message")                        \
    X(SHM_MISSING, shm_missing, COUNT, one,                                                        \
      "files for which shared memory was not available on this rank's node")                       \
    X(PUT_BYTES, put_bytes, BYTES, one, "data that this rank moved by one-sided puts")             \
    X(HOLES, holes, COUNT, one, "holes between the extents of this aggregator's windows")          \
    X(PLAN_HITS, plan_hits, COUNT, one, "collective calls that reused a plan")                     \
    X(PLAN_MISSES, plan_misses, COUNT, one, "collective calls that had to plan")                   \
    X(FILES_REUSED, files_reused, COUNT, one,                                                      \
      "files that reused the context of an earlier file of the same processes")                    \
    X(PLAN_MEMORY, plan_memory, COUNT, one,                                                        \
      "plans not reused because a node has less memory available than before")                     \
    X(PROBES, probes, COUNT, one, "calls used as trials for auto")                                 \
    X(ERRORS, errors, COUNT, one, "collective calls that ended with an error")                     \
    X(MEMORY_HIGH, memory_high, HIGH, one,                                                         \
      "most memory held at once: plans, offset lists, buffers, staging, shared segments, views")   \
    X(MEMORY_BUDGET, memory_budget, HIGH, one,                                                     \
      "partition memory: most memory that this rank announced for its buffers")                    \
    X(BUFFER_HIGH, buffer_high, HIGH, one,                                                         \
      "partition memory: most memory held in collective and staging buffers")                      \
    X(TIME_FLATTEN, time_flatten, TIME, one, "time to flatten views and user buffers")             \
    X(TIME_AGREE, time_agree, TIME, one, "time of agreements on range, plan and errors of calls")  \
    X(TIME_GATHER, time_gather, TIME, two,                                                         \
      "time to gather and merge offset lists inside the node")                                     \
    X(TIME_GATHER_MERGE, time_gather_merge, TIME, two,                                             \
      "part of time_gather in which this local aggregator merged offset lists")                    \
    X(TIME_GATHER_MOVE, time_gather_move, TIME, two,                                               \
      "time to move data inside the node to and from local aggregators")                           \
    X(TIME_SPLIT, time_split, TIME, one, "time to split requests by aggregator and cycle")         \
    X(TIME_ROUTE, time_route, TIME, one, "time to send offset lists to their aggregators")         \
    X(TIME_MERGE, time_merge, TIME, one, "time to merge offset lists at this aggregator")          \
    X(TIME_EXCHANGE, time_exchange, TIME, one, "time in which data was under way between ranks")   \
    X(TIME_IO, time_io, TIME, one, "time of file access, whether this rank waited for it or not")  \
    X(TIME_HIDDEN, time_hidden, TIME, one,                                                         \
      "part of the time of file access in which data was under way between ranks")                 \
    X(TIME_WAIT, time_wait, TIME, one, "time in which this rank only waited for file access")      \
    X(TIME_COMPLETE, time_complete, TIME, one, "time of agreements on the results of calls")       \
    X(TIME_TOTAL, time_total, TIME, one, "time of whole collective calls")

#define COLLIO_STAT_ID(id, name, kind, layers, help) COLLIO_STAT_##id,
enum { COLLIO_STATS(COLLIO_STAT_ID) COLLIO_STAT_COUNT };
#undef COLLIO_STAT_ID

typedef struct collio_stats_t {
    uint64_t at[COLLIO_STAT_COUNT]; /* values of the counters, by COLLIO_STAT_* */
} collio_stats_t;

/** Sets the counters of a component. */
void collio_stats_init(collio_counters_t *counters, const char *component);

#endif /* COLLIO_STATS_H */
