/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The fields of the records, in the order of ioprof/format.md: the encoder, the decoder and
 * merging are made from these lists. New fields go to the end of a list.
 *
 *   SUM(field) MAX(field) MIN(field)   how merging treats it; MIN fields are stored plus one
 *   KEEP(field)                        merging leaves it, or treats it itself
 *   ..._N(field, n)                    an array */
#ifndef IOPROF_PROFILE_FIELDS_H
#define IOPROF_PROFILE_FIELDS_H

#define IOPROF_RANK_FIELDS(SUM, SUM_N, MAX, MAX_N, MIN, MIN_N, KEEP) \
    KEEP(rank)                                                       \
    KEEP(end)                                                        \
    KEEP(end_code)                                                   \
    KEEP(start_ns)                                                   \
    KEEP(wall_ns)                                                    \
    MIN_N(first_ns, IOPROF_SPAN_KINDS)                               \
    MAX_N(last_ns, IOPROF_SPAN_KINDS)                                \
    SUM(events)                                                      \
    SUM(events_dropped)                                              \
    SUM(files_dropped)                                               \
    SUM(fds_dropped)                                                 \
    SUM(requests_dropped)                                            \
    SUM(forks)                                                       \
    SUM(own_calls)                                                   \
    SUM(own_ns)                                                      \
    SUM(max_threads)                                                 \
    SUM(memory_samples)                                              \
    SUM(memory_sum)                                                  \
    MAX(memory_max)                                                  \
    MAX(memory_peak)                                                 \
    MAX(memory_io)                                                   \
    SUM(sample_ns)

#define IOPROF_FUNC_FIELDS(SUM, SUM_N, MAX, MAX_N, MIN, MIN_N, KEEP) \
    KEEP(kind)                                                       \
    KEEP(class)                                                      \
    IOPROF_FUNC_VALUES(SUM, SUM_N, MAX, MAX_N, MIN, MIN_N, KEEP)

#define IOPROF_FUNC_VALUES(SUM, SUM_N, MAX, MAX_N, MIN, MIN_N, KEEP) \
    SUM(calls)                                                       \
    SUM(errors)                                                      \
    SUM(ns)                                                          \
    MAX(max_ns)                                                      \
    SUM(span_ns)                                                     \
    SUM(bytes)                                                       \
    SUM(ranks)                                                       \
    KEEP(top_rank)                                                   \
    KEEP(top_rank_ns)

#define IOPROF_FILE_FIELDS(SUM, SUM_N, MAX, MAX_N, MIN, MIN_N, KEEP) \
    SUM(ranks)                                                       \
    KEEP(files)                                                      \
    MAX(comm_size)                                                   \
    SUM(open_ranks)                                                  \
    SUM_N(readers, IOPROF_CLASSES)                                   \
    SUM_N(writers, IOPROF_CLASSES)                                   \
    MIN_N(first_ns, IOPROF_SPAN_KINDS)                               \
    MAX_N(last_ns, IOPROF_SPAN_KINDS)                                \
    MAX(block)                                                       \
    SUM(unaligned)                                                   \
    SUM(sequential)                                                  \
    SUM(consecutive)                                                 \
    MIN(low)                                                         \
    MAX(high)                                                        \
    SUM(views)                                                       \
    SUM(append)                                                      \
    KEEP(top_rank)                                                   \
    KEEP(top_rank_bytes)                                             \
    KEEP(low_rank_bytes)                                             \
    MAX(stripe_bytes)                                                \
    MAX(stripes)                                                     \
    SUM(stripe_unaligned)                                            \
    KEEP(functions)

#define IOPROF_PVAR_FIELDS(SUM, SUM_N, MAX, MAX_N, MIN, MIN_N, KEEP) \
    SUM(sum)                                                         \
    KEEP(min)                                                        \
    MAX(max)                                                         \
    SUM(ranks)

#endif /* IOPROF_PROFILE_FIELDS_H */
