/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Whether the requests of ranks interleave, on one node and on several. */
#include "interleave.h"

#include "unit.h"

enum { RANKS = 48, KIB = 1024, FAR = 1 << 30 };

typedef collio_rank_range_t range_t;

/* A pattern: the range of each rank, and what a picture of it shows. */
typedef struct pattern_t {
    const char *name;
    range_t (*range)(int rank, int ranks);
    bool interleaved;
    bool by_sum; /* what the sum of the spans says */
} pattern_t;

/* Each rank has a part of its own. */
static range_t segments(int rank, int ranks)
{
    (void) ranks;
    return (range_t){(int64_t) rank * KIB, (int64_t) (rank + 1) * KIB, 1};
}

static range_t descending(int rank, int ranks)
{
    return segments(ranks - 1 - rank, ranks);
}

/* All ranks in turn. */
static range_t in_turn(int rank, int ranks)
{
    return (range_t){(int64_t) rank * KIB, (int64_t) (99 * ranks + rank + 1) * KIB, 100};
}

/* All ranks read the same block. */
static range_t the_same(int rank, int ranks)
{
    (void) rank, (void) ranks;
    return (range_t){0, KIB, 1};
}

/* Groups of four ranks, far from each other; the ranks of a group in turn. */
static range_t distant_groups(int rank, int ranks)
{
    range_t in_group = in_turn(rank % 4, 4);
    int64_t far = (int64_t) (rank / 4) * FAR;

    (void) ranks;
    return (range_t){far + in_group.lo, far + in_group.hi, in_group.pieces};
}

/* Rank 0 has a header and a trailer, the others a part each. */
static range_t one_around_all(int rank, int ranks)
{
    return 0 == rank ? (range_t){0, (int64_t) (ranks + 1) * KIB, 2} : segments(rank, ranks);
}

/* Pieces of rank 0 lie between those of the others, which are apart. */
static range_t one_among_all(int rank, int ranks)
{
    range_t part = segments(rank, ranks);

    return 0 == rank ? (range_t){0, (int64_t) ranks * KIB, 100 * (ranks - 1)}
                     : (range_t){part.lo, part.hi, 100};
}

static const pattern_t patterns[] = {
    {"segments", segments, false, false},
    {"descending segments", descending, false, false},
    {"in turn", in_turn, true, true},
    {"the same", the_same, true, true},
    {"distant groups", distant_groups, true, false},
    {"one around all", one_around_all, false, true},
    {"one among all", one_among_all, true, true},
};
enum { PATTERNS = sizeof(patterns) / sizeof(patterns[0]) };

/* The judgement of ranks on nodes: rank r is on node node_of[r]. */
static bool judge(const range_t *range, int ranks, const int *node_of, int nodes)
{
    collio_crossing_t all = {0};
    int64_t lo = INT64_MAX, hi = 0, pieces = 0;
    range_t part[RANKS];

    for (int node = 0; node < nodes; ++node) {
        size_t count = 0;

        for (int r = 0; r < ranks; ++r) {
            if (node == node_of[r]) {
                part[count++] = range[r];
            }
        }
        collio_crossing_add(&all, part, count);
    }
    for (int r = 0; r < ranks; ++r) {
        lo = range[r].lo < lo ? range[r].lo : lo;
        hi = range[r].hi > hi ? range[r].hi : hi;
        pieces += range[r].pieces;
    }
    return collio_interleaved(&all, hi - lo, pieces);
}

static bool judge_by_sum(const range_t *range, int ranks)
{
    int64_t lo = INT64_MAX, hi = 0, spans = 0;

    for (int r = 0; r < ranks; ++r) {
        lo = range[r].lo < lo ? range[r].lo : lo;
        hi = range[r].hi > hi ? range[r].hi : hi;
        spans += range[r].hi - range[r].lo;
    }
    return spans > hi - lo;
}

static void make(const pattern_t *pattern, range_t *range, int ranks)
{
    for (int r = 0; r < ranks; ++r) {
        range[r] = pattern->range(r, ranks);
    }
}

static void shuffle_ranks(range_t *range, int ranks)
{
    for (int r = ranks - 1; 0 < r; --r) {
        int other = (int) unit_below(r + 1);
        range_t kept = range[r];

        range[r] = range[other];
        range[other] = kept;
    }
}

/* The sum misjudges two of the patterns, one each way. */
UNIT_TEST(interleave_sum_of_spans_misjudges)
{
    int wrong[2] = {0};

    for (int i = 0; i < PATTERNS; ++i) {
        range_t range[RANKS];

        make(&patterns[i], range, RANKS);
        ck_assert_msg(patterns[i].by_sum == judge_by_sum(range, RANKS), "%s", patterns[i].name);
        wrong[patterns[i].interleaved] += patterns[i].by_sum != patterns[i].interleaved;
    }
    ck_assert_int_eq(1, wrong[false]);
    ck_assert_int_eq(1, wrong[true]);
}

/* On one node every pattern is judged right, whatever the order of the ranks. */
UNIT_TEST(interleave_on_one_node_random_order)
{
    static const int node_of[RANKS];

    for (int round = 0; round < unit_rounds(200); ++round) {
        for (int i = 0; i < PATTERNS; ++i) {
            range_t range[RANKS];
            int ranks = (int) unit_between(2, RANKS / 4) * 4;

            make(&patterns[i], range, ranks);
            shuffle_ranks(range, ranks);
            ck_assert_msg(patterns[i].interleaved == judge(range, ranks, node_of, 1),
                          "%s, %d ranks", patterns[i].name, ranks);
        }
    }
}

/* On several nodes, with ranks placed in blocks and in turn. Distant groups are found if some ranks
 * of a group are on one node. */
UNIT_TEST(interleave_on_several_nodes)
{
    for (int nodes = 2; nodes <= 8; nodes *= 2) {
        for (int i = 0; i < PATTERNS; ++i) {
            for (int turn = 0; turn < 2; ++turn) {
                range_t range[RANKS];
                int node_of[RANKS];
                bool split = distant_groups == patterns[i].range && 1 == turn && 4 <= nodes;

                make(&patterns[i], range, RANKS);
                for (int r = 0; r < RANKS; ++r) {
                    node_of[r] = 1 == turn ? r % nodes : r * nodes / RANKS;
                }
                ck_assert_msg((patterns[i].interleaved && !split)
                                  == judge(range, RANKS, node_of, nodes),
                              "%s, %d nodes, %s", patterns[i].name, nodes,
                              1 == turn ? "in turn" : "in blocks");
            }
        }
    }
}

/* With one rank on each node the sum decides. */
UNIT_TEST(interleave_with_one_rank_on_a_node)
{
    int node_of[RANKS];

    for (int r = 0; r < RANKS; ++r) {
        node_of[r] = r;
    }
    for (int i = 0; i < PATTERNS; ++i) {
        range_t range[RANKS];

        make(&patterns[i], range, RANKS);
        ck_assert_msg(patterns[i].by_sum == judge(range, RANKS, node_of, RANKS), "%s",
                      patterns[i].name);
    }
}

/* Oracle: a rank crosses if the range with the next or the previous first byte overlaps its own.
 * Ranks that cross nobody are apart from all others that cross nobody. */
UNIT_TEST(interleave_random_ranges)
{
    for (int round = 0; round < unit_rounds(2000); ++round) {
        range_t range[RANKS];
        size_t ranks = (size_t) unit_between(1, RANKS);
        int64_t most = INT64_C(1) << unit_between(3, 40), pieces = 0, spans = 0;
        int64_t spans_of_all = 0;
        collio_crossing_t crossing = {0};

        for (size_t r = 0; r < ranks; ++r) {
            range[r].lo = unit_below(most);
            range[r].hi = range[r].lo + 1 + unit_below(1 + most / (int64_t) ranks);
            range[r].pieces = 1 + unit_below(100);
        }
        for (size_t r = 0; r < ranks; ++r) {
            const range_t *next = NULL, *before = NULL;
            bool crosses;

            for (size_t other = 0; other < ranks; ++other) {
                const range_t *candidate = &range[other];
                bool later = candidate->lo > range[r].lo
                             || (candidate->lo == range[r].lo && other > r);

                if (other == r) {
                    continue;
                }
                if (later && (NULL == next || candidate->lo < next->lo)) {
                    next = candidate;
                }
                if (!later && (NULL == before || candidate->lo >= before->lo)) {
                    before = candidate;
                }
            }
            crosses = (NULL != next && next->lo < range[r].hi)
                      || (NULL != before && range[r].lo < before->hi);
            pieces += crosses ? range[r].pieces : 0;
            spans_of_all += range[r].hi - range[r].lo;
            spans += crosses ? 0 : range[r].hi - range[r].lo;
        }
        collio_crossing_add(&crossing, range, ranks);
        ck_assert_int_eq(pieces, crossing.pieces);
        ck_assert_int_eq(spans, crossing.spans);
        ck_assert_int_eq(spans_of_all, crossing.spans + crossing.crossing_spans);
    }
}

/* Spans that add up to more than INT64_MAX. */
UNIT_TEST(interleave_far_ranges)
{
    collio_crossing_t crossing = {0};
    range_t far = {0, INT64_MAX - 1, 1};

    for (int i = 0; i < 4; ++i) {
        collio_crossing_add(&crossing, &far, 1);
    }
    ck_assert_int_eq(INT64_MAX, crossing.spans);
    ck_assert(collio_interleaved(&crossing, far.hi, 4));
}
