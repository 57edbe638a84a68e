/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REASON_H
#define COLLIO_REASON_H

/**
 * Reasons of choices: a row for each reason, with its text for reports, messages and verbose
 * output. Code that decides stores a reason; only output reads the text.
 */
#define COLLIO_REASONS(ROW)                                                          \
    ROW(NONE, "not decided")                                                         \
    ROW(SET, "as set")                                                               \
    ROW(DEFAULT, "default")                                                          \
    ROW(NOT_AVAILABLE, "what was set is not available")                              \
    /* any choice of `auto` */                                                       \
    ROW(MEASURING, "being measured")                                                 \
    ROW(FASTEST, "fastest measured")                                                 \
    /* the number of aggregators */                                                  \
    ROW(AGGREGATOR_LIST, "collio_aggregator_list")                                   \
    ROW(OMPIO_AGGREGATORS, "io_ompio_num_aggregators")                               \
    ROW(MEMORY, "partition memory")                                                  \
    ROW(STRIPES, "stripes of the file")                                              \
    ROW(PER_NODE, "one per node")                                                    \
    ROW(ONE_NODE, "default on one node")                                             \
    /* exchange or direct access */                                                  \
    ROW(IMPLIED, "a mode of the exchange is set")                                    \
    ROW(EARLY, "same as the previous call; done before the ranks synchronized")      \
    ROW(ONE_RANK, "one rank")                                                        \
    ROW(APART, "the ranges of the ranks do not interleave")                          \
    ROW(LARGE_PIECES, "large pieces")                                                \
    ROW(SMALL_PIECES, "small pieces")                                                \
    ROW(LOCKS, "nodes would revoke each other's locks")                              \
    /* the transport */                                                              \
    ROW(SHARED_MEMORY, "ranks of a node share memory")                               \
    ROW(NO_SHARED_MEMORY, "no shared memory")                                        \
    ROW(NO_WINDOW, "no MPI window for the named transport")                          \
    ROW(ATOMIC, "calls in atomic mode")                                              \
    ROW(NONBLOCKING, "nonblocking and split collectives")                            \
    /* the schedule */                                                               \
    ROW(ONE_CYCLE, "the data fit in the buffers, one cycle")                         \
    ROW(NOT_MEASURED, "auto has not measured others")                                \
    ROW(NOTHING_HIDDEN, "an overlap would hide too little")                          \
    /* one or two layers */                                                          \
    ROW(ESTIMATE, "estimated to be faster; local_aggregators_per_node overrides it") \
    ROW(ONE_PER_NODE, "no node has more than one rank")                              \
    ROW(EVERY_RANK, "local_aggregators(_per_node) includes every rank")              \
    ROW(SAME_NODE, "all ranks are on one node and share its aggregators' buffers")   \
    ROW(SAME_RACK, "all ranks are in one rack")                                      \
    ROW(FENCE, "put_fence has one layer")

typedef enum collio_reason_t {
#define COLLIO_REASON_ID(id, text) COLLIO_REASON_##id,
    COLLIO_REASONS(COLLIO_REASON_ID)
#undef COLLIO_REASON_ID
        COLLIO_REASON_COUNT /* at most 64: sets of reasons are bits of a uint64_t */
} collio_reason_t;

/** Returns the text of a reason, which output prints in parentheses after the choice. */
const char *collio_reason_text(collio_reason_t reason);

#endif /* COLLIO_REASON_H */
