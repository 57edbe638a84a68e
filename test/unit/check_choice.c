/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* What `auto` tries, and what it keeps. */
#include "choice.h"

#include "unit.h"

typedef collio_facts_t facts_t;
typedef collio_measured_t measured_t;
typedef collio_candidates_t candidates_t;
typedef collio_way_t way_t;

static unsigned bit(way_t way)
{
    return 1u << way;
}

/* 8 ranks, interleaved pieces of `piece` bytes, everything left to us. */
static facts_t interleaved(int nodes, int64_t piece)
{
    return (facts_t){.write = true,
                     .bytes = INT64_C(64) << 20,
                     .pieces = (INT64_C(64) << 20) / piece,
                     .span = INT64_C(64) << 20,
                     .spans = INT64_C(512) << 20,
                     .ranks = 8,
                     .nodes = nodes,
                     .may_skip = true,
                     .may_exchange = true,
                     .may_overlap = true,
                     .may_shm = true,
                     .may_isend = true};
}

UNIT_TEST(choice_tiny_pieces_are_exchanged)
{
    facts_t facts = interleaved(1, 8);
    candidates_t candidates = collio_choice_candidates(&facts);

    ck_assert_uint_eq(bit(COLLIO_WAY_SHM), candidates.ways);
    ck_assert_int_eq(COLLIO_WAY_SHM, candidates.first);
}

UNIT_TEST(choice_large_pieces_go_direct_on_one_node)
{
    facts_t facts = interleaved(1, 1 << 20);

    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), collio_choice_candidates(&facts).ways);
}

/* Clients that would revoke each other's locks. Ranges that do not interleave stay as they are. */
UNIT_TEST(choice_clients_with_locks_exchange)
{
    for (int64_t piece = 8; piece <= 8 << 20; piece *= 8) {
        for (int nodes = 1; nodes <= 2; ++nodes) {
            facts_t facts = interleaved(nodes, piece);
            candidates_t candidates;

            facts.contended = true;
            candidates = collio_choice_candidates(&facts);
            ck_assert_uint_eq(0, candidates.ways & bit(COLLIO_WAY_DIRECT));
            ck_assert_int_eq(0, candidates.patience);
            facts.may_exchange = false;
            ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), collio_choice_candidates(&facts).ways);
            facts.may_exchange = true;
            facts.spans = facts.span;
            facts.pieces = facts.ranks;
            ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), collio_choice_candidates(&facts).ways);
        }
    }
}

UNIT_TEST(choice_between_both_are_tried)
{
    facts_t facts = interleaved(1, 4 << 10);

    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT) | bit(COLLIO_WAY_SHM),
                      collio_choice_candidates(&facts).ways);
    facts.many_cycles = true;
    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT) | bit(COLLIO_WAY_SHM) | bit(COLLIO_WAY_SHM_WRITE_COMM2)
                          | bit(COLLIO_WAY_SHM_WRITE_COMM),
                      collio_choice_candidates(&facts).ways);
}

UNIT_TEST(choice_obeys_the_user)
{
    facts_t facts = interleaved(1, 1 << 20);
    candidates_t candidates;

    facts.may_skip = false;
    candidates = collio_choice_candidates(&facts);
    ck_assert_uint_eq(0, candidates.ways & bit(COLLIO_WAY_DIRECT));
    facts.may_shm = false;
    candidates = collio_choice_candidates(&facts);
    ck_assert_uint_eq(bit(COLLIO_WAY_ISEND), candidates.ways);
    ck_assert_int_eq(COLLIO_WAY_ISEND, candidates.first);
    facts = interleaved(4, 8);
    facts.may_exchange = false;
    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), collio_choice_candidates(&facts).ways);
}

/* Whatever the facts, there is a way, and the first choice is one of them. */
UNIT_TEST(choice_random_facts_have_a_way)
{
    for (int i = 0; i < 20000; ++i) {
        bool exchange = unit_below(2), shm = unit_below(2);
        facts_t facts = {.write = unit_below(2),
                         .bytes = 1 + unit_below(INT64_C(1) << (1 + unit_below(40))),
                         .pieces = unit_below(INT64_C(1) << (1 + unit_below(30))),
                         .span = unit_below(INT64_C(1) << (1 + unit_below(40))),
                         .spans = unit_below(INT64_C(1) << (1 + unit_below(41))),
                         .ranks = 1 + (int) unit_below(100),
                         .nodes = 1 + (int) unit_below(4),
                         .sieve_writes = unit_below(2),
                         .many_cycles = unit_below(2),
                         .may_skip = !exchange || unit_below(2),
                         .may_exchange = exchange,
                         .may_overlap = unit_below(2),
                         .may_shm = shm,
                         .may_isend = !shm || unit_below(2)};
        candidates_t candidates = collio_choice_candidates(&facts);
        int kind = collio_choice_kind(&facts);

        unit_assert(0 != (candidates.ways & bit(candidates.first)));
        unit_assert(0 <= kind && kind < COLLIO_KINDS);
    }
}

/* Runs calls whose ways take `cost` ms each, and of the exchanges `hideable` ms could be hidden;
 * returns the way of the last call. */
static way_t settle(const int64_t *cost, int64_t hideable, candidates_t candidates, int calls,
                    int *tries)
{
    measured_t measured = {{0}, 0, {0}, 0};
    way_t way = candidates.first;

    for (int i = 0; i < calls; ++i) {
        bool probing;

        way = collio_choice_next(&measured, &candidates, &probing);
        ck_assert_uint_ne(0, candidates.ways & bit(way));
        if (probing) {
            collio_choice_record(&measured, way, 1 << 20, cost[way] * 1000000, hideable * 1000000);
        } else {
            ++measured.served;
        }
        ++tries[way];
    }
    return way;
}

static const candidates_t three = {
    .ways = 1u << COLLIO_WAY_DIRECT | 1u << COLLIO_WAY_SHM | 1u << COLLIO_WAY_SHM_WRITE_COMM2,
    .first = COLLIO_WAY_SHM,
};

UNIT_TEST(choice_keeps_the_fastest)
{
    static const int64_t slow_disk[COLLIO_WAYS] = {90, 60, 40, 0, 70, 45, 0};
    static const int64_t slow_exchange[COLLIO_WAYS] = {10, 60, 50, 0, 70, 55, 0};
    int tries[COLLIO_WAYS] = {0};

    ck_assert_int_eq(COLLIO_WAY_SHM_WRITE_COMM2, settle(slow_disk, 20, three, 20, tries));
    ck_assert_int_eq(COLLIO_WAY_DIRECT, settle(slow_exchange, 20, three, 20, tries));
}

/* A hopeless way costs one call, not two. */
UNIT_TEST(choice_drops_the_hopeless)
{
    static const int64_t cost[COLLIO_WAYS] = {900, 10, 10, 0};
    int tries[COLLIO_WAYS] = {0};

    ck_assert_int_eq(COLLIO_WAY_SHM, settle(cost, 5, three, 20, tries));
    ck_assert_int_eq(1, tries[COLLIO_WAY_DIRECT]);
    ck_assert_int_eq(2, tries[COLLIO_WAY_SHM_WRITE_COMM2]);
}

/* Without anything to hide no overlap is tried, however fast it would be. */
UNIT_TEST(choice_overlap_needs_something_to_hide)
{
    static const int64_t cost[COLLIO_WAYS] = {70, 64, 10, 0};
    int tries[COLLIO_WAYS] = {0};

    ck_assert_int_eq(COLLIO_WAY_SHM, settle(cost, 7, three, 20, tries));
    ck_assert_int_eq(0, tries[COLLIO_WAY_SHM_WRITE_COMM2]);
    ck_assert_int_eq(COLLIO_WAY_SHM_WRITE_COMM2, settle(cost, 9, three, 20, tries));
}

/* Schedule write_comm is tried where write_comm2 was faster than no overlap, and only there. */
UNIT_TEST(choice_tries_write_comm_where_overlap_pays)
{
    static const int64_t pays[COLLIO_WAYS] = {90, 60, 40, 30};
    static const int64_t does_not[COLLIO_WAYS] = {90, 60, 61, 30};
    candidates_t four = three;
    int tries[COLLIO_WAYS] = {0};

    four.ways |= bit(COLLIO_WAY_SHM_WRITE_COMM);
    ck_assert_int_eq(COLLIO_WAY_SHM, settle(does_not, 20, four, 20, tries));
    ck_assert_int_eq(0, tries[COLLIO_WAY_SHM_WRITE_COMM]);
    ck_assert_int_eq(COLLIO_WAY_SHM_WRITE_COMM, settle(pays, 20, four, 20, tries));
}

UNIT_TEST(choice_ways_have_an_overlap_and_a_transport)
{
    static const collio_overlap_t overlap[COLLIO_WAYS] = {
        [COLLIO_WAY_SHM_WRITE_COMM2] = COLLIO_OVERLAP_WRITE_COMM2,
        [COLLIO_WAY_SHM_WRITE_COMM] = COLLIO_OVERLAP_WRITE_COMM,
        [COLLIO_WAY_ISEND_WRITE_COMM2] = COLLIO_OVERLAP_WRITE_COMM2,
        [COLLIO_WAY_ISEND_WRITE_COMM] = COLLIO_OVERLAP_WRITE_COMM,
    };

    for (int way = 0; way < COLLIO_WAYS; ++way) {
        ck_assert_int_eq(overlap[way], collio_choice_overlap((way_t) way));
        ck_assert(collio_choice_shares((way_t) way) == (way < COLLIO_WAY_ISEND));
    }
}

/* Where direct access is a good first choice it serves some calls before the exchange is tried. */
UNIT_TEST(choice_is_patient_with_a_good_first_choice)
{
    static const int64_t cost[COLLIO_WAYS] = {70, 30, 0};
    facts_t facts = interleaved(1, 64 << 10);
    candidates_t candidates = collio_choice_candidates(&facts);
    int tries[COLLIO_WAYS] = {0};

    ck_assert_int_eq(COLLIO_WAY_DIRECT, candidates.first);
    ck_assert_int_eq(COLLIO_WAY_DIRECT, settle(cost, 0, candidates, 32, tries));
    ck_assert_int_eq(0, tries[COLLIO_WAY_SHM]);
    ck_assert_int_eq(COLLIO_WAY_SHM, settle(cost, 0, candidates, 40, tries));
}

UNIT_TEST(choice_begins_by_direction_and_file_system)
{
    facts_t facts = interleaved(1, 16 << 10);

    ck_assert_int_eq(COLLIO_WAY_SHM, collio_choice_candidates(&facts).first);
    facts.in_memory = true;
    ck_assert_int_eq(COLLIO_WAY_DIRECT, collio_choice_candidates(&facts).first);
    facts.pieces *= 4;
    ck_assert_int_eq(COLLIO_WAY_SHM, collio_choice_candidates(&facts).first);
    facts.write = facts.in_memory = false;
    ck_assert_int_eq(COLLIO_WAY_DIRECT, collio_choice_candidates(&facts).first);
}

/* Containers of one machine: a page cache needs no messages, but for the smallest pieces. */
UNIT_TEST(choice_one_machine_of_many_nodes)
{
    facts_t facts = interleaved(4, 300);
    candidates_t candidates;

    ck_assert_uint_eq(0, collio_choice_candidates(&facts).ways & bit(COLLIO_WAY_DIRECT));
    facts.one_machine = true;
    candidates = collio_choice_candidates(&facts);
    ck_assert_int_eq(COLLIO_WAY_DIRECT, candidates.first);
    ck_assert_uint_ne(0, candidates.ways & bit(COLLIO_WAY_SHM));
    facts.pieces *= 4;
    candidates = collio_choice_candidates(&facts);
    ck_assert_uint_eq(0, candidates.ways & bit(COLLIO_WAY_DIRECT));
    facts.pieces = 16;
    candidates = collio_choice_candidates(&facts);
    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), candidates.ways);
}

/* 8 ranks, pieces of 8 bytes, each rank in a part of the file of its own, which it fills to one
 * part in `sparse`. */
static facts_t apart(int64_t sparse)
{
    facts_t facts = interleaved(1, 8);

    facts.spans = facts.bytes * sparse;
    facts.span = facts.spans;
    return facts;
}

/* Without sieving a direct write is a system call for each piece. Where other ranks may fill the
 * gaps, an exchange joins the pieces: direct access is not even tried. */
UNIT_TEST(choice_unsieved_tiny_writes_are_not_tried_directly)
{
    facts_t facts = apart(4);

    ck_assert_uint_eq(bit(COLLIO_WAY_SHM), collio_choice_candidates(&facts).ways);
    facts.sieve_writes = true;
    ck_assert_uint_ne(0, collio_choice_candidates(&facts).ways & bit(COLLIO_WAY_DIRECT));
    facts.sieve_writes = facts.write = false;
    ck_assert_uint_ne(0, collio_choice_candidates(&facts).ways & bit(COLLIO_WAY_DIRECT));
}

/* Where direct access is right, it stays so: nobody can fill the gaps, there are few pieces, they
 * are not tiny, or it is all the user allows. */
UNIT_TEST(choice_unsieved_writes_that_stay_direct)
{
    facts_t facts = apart(4);

    facts.spans = facts.bytes * 3 / 2;
    ck_assert_uint_ne(0, collio_choice_candidates(&facts).ways & bit(COLLIO_WAY_DIRECT));
    facts = apart(512);
    ck_assert_uint_ne(0, collio_choice_candidates(&facts).ways & bit(COLLIO_WAY_DIRECT));
    facts = apart(4);
    facts.bytes = 64;
    facts.pieces = 8;
    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), collio_choice_candidates(&facts).ways);
    facts = apart(4);
    facts.pieces = facts.bytes / (4 << 10);
    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), collio_choice_candidates(&facts).ways);
    facts = apart(4);
    facts.may_exchange = false;
    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), collio_choice_candidates(&facts).ways);
}

UNIT_TEST(choice_small_calls_teach_nothing)
{
    measured_t measured = {{0}, 0, {0}, 0};
    facts_t facts = interleaved(1, 64 << 10);

    collio_choice_record(&measured, COLLIO_WAY_SHM, 100, 5, 5);
    ck_assert_int_eq(0, measured.tried[COLLIO_WAY_SHM]);
    facts.bytes = 32 << 10;
    facts.pieces = 1;
    ck_assert_uint_eq(bit(COLLIO_WAY_DIRECT), collio_choice_candidates(&facts).ways);
}

/* What `auto` did not measure has a reason of its own; what was measured is the fastest. */
UNIT_TEST(choice_has_a_reason)
{
    static const struct {
        int64_t piece;
        int nodes;
        bool contended, apart;
        collio_reason_t why;
    } rows[] = {
        {8, 1, false, false, COLLIO_REASON_SMALL_PIECES},
        {1 << 20, 1, false, false, COLLIO_REASON_LARGE_PIECES},
        {1 << 20, 1, false, true, COLLIO_REASON_APART},
        {1 << 20, 2, true, false, COLLIO_REASON_LOCKS},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        facts_t facts = interleaved(rows[i].nodes, rows[i].piece);
        measured_t measured = {.served = 0};
        way_t way;

        facts.contended = rows[i].contended;
        facts.spans = rows[i].apart ? facts.span : facts.spans;
        way = collio_choice_candidates(&facts).first;
        ck_assert_int_eq(rows[i].why, collio_choice_why_exchange(&facts, &measured, way, false));
        ck_assert_int_eq(COLLIO_REASON_MEASURING,
                         collio_choice_why_exchange(&facts, &measured, way, true));
        measured.tried[way] = 2;
        ck_assert_int_eq(COLLIO_REASON_FASTEST,
                         collio_choice_why_exchange(&facts, &measured, way, false));
    }
}

UNIT_TEST(choice_of_transport_and_schedule_has_a_reason)
{
    facts_t facts = interleaved(2, 8);
    measured_t measured = {.served = 0};
    way_t way = COLLIO_WAY_SHM;

    ck_assert_int_eq(COLLIO_REASON_SHARED_MEMORY,
                     collio_choice_why_transport(&facts, &measured, way, false));
    ck_assert_int_eq(COLLIO_REASON_ONE_CYCLE,
                     collio_choice_why_schedule(&facts, &measured, way, false));
    facts.many_cycles = true;
    ck_assert_int_eq(COLLIO_REASON_NOT_MEASURED,
                     collio_choice_why_schedule(&facts, &measured, way, false));
    ck_assert_int_eq(COLLIO_REASON_MEASURING,
                     collio_choice_why_schedule(&facts, &measured, way, true));
    measured.tried[way] = 2;
    ck_assert_int_eq(COLLIO_REASON_NOTHING_HIDDEN,
                     collio_choice_why_schedule(&facts, &measured, way, false));
    measured.tried[COLLIO_WAY_SHM_WRITE_COMM2] = 2;
    ck_assert_int_eq(COLLIO_REASON_FASTEST,
                     collio_choice_why_schedule(&facts, &measured, way, false));
    ck_assert_int_eq(COLLIO_REASON_FASTEST,
                     collio_choice_why_transport(&facts, &measured, way, false));
    facts.nodes = 1;
    ck_assert_int_eq(COLLIO_REASON_SHARED_MEMORY,
                     collio_choice_why_transport(&facts, &measured, way, true));
    for (int reason = 0; reason < COLLIO_REASON_COUNT; ++reason) {
        ck_assert_ptr_nonnull(collio_reason_text((collio_reason_t) reason));
    }
    ck_assert_int_le(COLLIO_REASON_COUNT, 64);
}

UNIT_TEST(choice_requests_that_are_alike)
{
    ck_assert(collio_choice_alike(800, 100, 800, 100)); /* tiny: only the same */
    ck_assert(!collio_choice_alike(808, 101, 800, 100));
    ck_assert(collio_choice_alike(0, 0, 0, 0));
    ck_assert(!collio_choice_alike(0, 0, 4096, 1));
    ck_assert(!collio_choice_alike(4096, 1, 0, 0));
    /* 11 components, then 1, of rows of 7 KiB; a row more or less */
    ck_assert(collio_choice_alike(17 * 7168, 17, 11 * 17 * 7168, 11 * 17));
    ck_assert(collio_choice_alike(50 * 4096, 1, 51 * 4096, 1));
    ck_assert(!collio_choice_alike(50 * 4096, 1, 100 * 4096, 1));
    ck_assert(!collio_choice_alike(100 * 4096, 1, 50 * 4096, 1));
}
