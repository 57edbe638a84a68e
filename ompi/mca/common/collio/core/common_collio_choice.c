/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The choices of `auto`. See choice.h.
 *
 * The rules say what is worth a measurement, not what wins: on a page cache an exchange is one more
 * copy, so large pieces go direct; tiny interleaved pieces cost a system call or a locked
 * read-modify-write each, so they are exchanged; in between both are tried.
 */
#include "common_collio_choice.h"

enum {
    TINY_PIECE = 2 << 10,    /* below, interleaved: never direct */
    LARGE_PIECE = 256 << 10, /* above, on one node: never exchanged */
    SMALL_CALL = 64 << 10,   /* in all: not worth measuring */
    TRIES = 2,
    HOPELESS = 2 /* times slower than the best: once is enough */
};

static int64_t piece_bytes(const mca_common_collio_facts_t *facts)
{
    return facts->bytes / (facts->pieces > 0 ? facts->pieces : 1);
}

static bool interleaved(const mca_common_collio_facts_t *facts)
{
    return facts->spans > facts->span;
}

static bool direct_worth(const mca_common_collio_facts_t *facts)
{
    if (!interleaved(facts)) {
        return true;
    }
    return facts->nodes == 1 ? piece_bytes(facts) >= TINY_PIECE : piece_bytes(facts) >= LARGE_PIECE;
}

static bool exchange_worth(const mca_common_collio_facts_t *facts)
{
    if (facts->ranks < 2) {
        return false;
    }
    if (!interleaved(facts)) {
        return piece_bytes(facts) < TINY_PIECE && facts->pieces > facts->ranks;
    }
    return facts->nodes > 1 || piece_bytes(facts) < LARGE_PIECE;
}

unsigned mca_common_collio_choice_ways(const mca_common_collio_facts_t *facts,
                                       mca_common_collio_way_t *first)
{
    bool overlap = facts->many_cycles && facts->may_overlap;
    bool exchange = facts->may_exchange && (!facts->may_skip || exchange_worth(facts));
    bool direct = facts->may_skip && (!exchange || direct_worth(facts));
    unsigned ways = 0;

    if (direct) {
        ways |= 1u << MCA_COMMON_COLLIO_WAY_DIRECT;
    }
    if (exchange && facts->may_shm) {
        ways |= 1u << MCA_COMMON_COLLIO_WAY_SHM;
        ways |= overlap ? 1u << MCA_COMMON_COLLIO_WAY_SHM_OVERLAP : 0;
    }
    /* on one node messages are two copies where shared memory is one: only where it is asked for */
    if (exchange && facts->may_isend && (!facts->may_shm || facts->nodes > 1)) {
        ways |= 1u << MCA_COMMON_COLLIO_WAY_ISEND;
        ways |= overlap && !facts->may_shm ? 1u << MCA_COMMON_COLLIO_WAY_ISEND_OVERLAP : 0;
    }
    *first = MCA_COMMON_COLLIO_WAY_DIRECT;
    if (!direct || (exchange && piece_bytes(facts) < LARGE_PIECE / 8)) {
        *first = facts->may_shm ? MCA_COMMON_COLLIO_WAY_SHM : MCA_COMMON_COLLIO_WAY_ISEND;
    }
    return ways;
}

static bool has(unsigned ways, int way)
{
    return 0 != (ways >> way & 1);
}

static int best_of(const mca_common_collio_learnt_t *learnt, unsigned ways)
{
    int best = -1;

    for (int way = 0; way < MCA_COMMON_COLLIO_WAYS; ++way) {
        if (has(ways, way) && learnt->tried[way] > 0
            && (best < 0 || learnt->best[way] < learnt->best[best])) {
            best = way;
        }
    }
    return best;
}

mca_common_collio_way_t mca_common_collio_choice_next(const mca_common_collio_learnt_t *learnt,
                                                      unsigned ways, mca_common_collio_way_t first,
                                                      bool *probing)
{
    int best = best_of(learnt, ways), candidate = -1;

    if (0 == (ways & (ways - 1))) { /* no choice, nothing to measure */
        *probing = false;
        return (mca_common_collio_way_t) __builtin_ctz(ways);
    }
    *probing = true;
    if (learnt->tried[first] < TRIES && has(ways, (int) first)) {
        return first;
    }
    for (int way = 0; way < MCA_COMMON_COLLIO_WAYS; ++way) {
        bool hopeless = best >= 0 && learnt->tried[way] > 0
                        && learnt->best[way] / HOPELESS > learnt->best[best];

        if (has(ways, way) && learnt->tried[way] < TRIES && !hopeless) {
            candidate = way;
            break;
        }
    }
    if (candidate < 0) {
        *probing = false;
        candidate = best;
    }
    return (mca_common_collio_way_t) candidate;
}

void mca_common_collio_choice_learn(mca_common_collio_learnt_t *learnt, mca_common_collio_way_t way,
                                    int64_t bytes, int64_t nanoseconds)
{
    int64_t cost;

    if (bytes < SMALL_CALL) {
        return; /* all latency: it says nothing about larger calls, and no choice matters */
    }
    cost = (int64_t) ((double) nanoseconds * 1048576.0 / (double) bytes) + 1;
    if (0 == learnt->tried[way] || cost < learnt->best[way]) {
        learnt->best[way] = cost;
    }
    ++learnt->tried[way];
}

int mca_common_collio_choice_kind(const mca_common_collio_facts_t *facts)
{
    int64_t piece = piece_bytes(facts);
    int kind = 0;

    for (; piece >= 256 && kind < MCA_COMMON_COLLIO_KINDS / 2 - 1; piece /= 8) {
        ++kind;
    }
    return 2 * kind + facts->write;
}
