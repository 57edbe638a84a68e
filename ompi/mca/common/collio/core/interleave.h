/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_INTERLEAVE_H
#define COLLIO_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Whether the requests of the ranks interleave.
 *
 * Sort the ranges of the ranks by their first bytes. A rank crosses a neighbor if the next range
 * begins before this one ends, or if this one begins before the previous one ends. Ranks interleave
 * if most pieces belong to ranks that cross a neighbor. The order of the ranks does not matter, nor
 * do gaps between distant groups of ranks, nor one rank with a few pieces around the ranges of all
 * others.
 *
 * The test needs all ranges in one place. The ranges of a node are in shared memory. Between nodes
 * they are not: whether two nodes with n ranks each have ranges that overlap is the problem of
 * disjoint sets, whose answer takes about n bits of communication, whatever the method. So nodes
 * add up three numbers only, and ranks that cross no neighbor of their node are judged by the sum
 * of their spans. With one rank on each node that sum is the whole test.
 */
enum { COLLIO_INTERLEAVE_RANKS = 256 }; /* maximum number of ranks in one comparison */

/** The request of a rank that is not empty. */
typedef struct collio_rank_range_t {
    int64_t lo;     /* offset of the first byte */
    int64_t hi;     /* offset past the last byte */
    int64_t pieces; /* number of pieces, or an upper bound */
} collio_rank_range_t;

/** Numbers of a set of ranks, which nodes add up. */
typedef struct collio_crossing_t {
    int64_t pieces;         /* pieces of the ranks that cross a neighbor of their node */
    int64_t crossing_spans; /* bytes from first to last byte of each of these ranks, summed */
    int64_t spans;          /* the same of the other ranks */
} collio_crossing_t;

/** Compares the ranges of at most COLLIO_INTERLEAVE_RANKS ranks, and adds their numbers. */
void collio_crossing_add(collio_crossing_t *sum, const collio_rank_range_t *rank, size_t count);

/** True if ranks interleave. all: sums of all nodes. span: bytes from the first to the last byte of
 *  all ranks. pieces: of all ranks. */
bool collio_interleaved(const collio_crossing_t *all, int64_t span, int64_t pieces);

#endif /* COLLIO_INTERLEAVE_H */
