/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* What `auto` tries, and what it keeps. */
#include "choice.h"
#include "interleave.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

typedef collio_facts_t facts_t;
typedef collio_measured_t measured_t;
typedef collio_candidates_t candidates_t;
typedef collio_candidate_t candidate_t;

static const int64_t BYTES = INT64_C(64) << 20;

static unsigned bit(candidate_t candidate)
{
    return 1u << candidate;
}

/* 8 ranks, interleaved pieces of `piece` bytes, everything left to us. */
static facts_t interleaved(int nodes, int64_t piece)
{
    return (facts_t){.write = true,
                     .bytes = BYTES,
                     .pieces = BYTES / piece,
                     .interleaved = true,
                     .spans = 8 * BYTES,
                     .ranks = 8,
                     .nodes = nodes,
                     .may_skip = true,
                     .may_exchange = true,
                     .may_overlap = true,
                     .may_shm = true,
                     .may_isend = true};
}

/* What differs from interleaved(). */
enum {
    READ = 1,
    MEMORY = 2,
    ONE_MACHINE = 4,
    SIEVE = 8,
    CYCLES = 16,
    ALWAYS = 32,
    NEVER = 64,
    NO_SHM = 128,
    LOCKS = 256
};

static const struct {
    const char *name;
    int nodes;
    int64_t piece;
    int differs;
    int64_t spans; /* not interleaved: spans of all ranks, in halves of the bytes; 0: interleaved */
    int64_t bytes; /* of all ranks; 0: BYTES */
    unsigned set;
    candidate_t first;
} row[] = {
/* clang-format off */
#define D (1u << COLLIO_CANDIDATE_DIRECT)
#define S (1u << COLLIO_CANDIDATE_SHM)
#define I (1u << COLLIO_CANDIDATE_ISEND)
#define OVERLAPS (((1u << COLLIO_SCHEDULES) - 2) << COLLIO_CANDIDATE_SHM)
    {"tiny pieces are exchanged", 1, 8, 0, 0, 0, S, COLLIO_CANDIDATE_SHM},
    {"large pieces go direct on one node", 1, 1 << 20, 0, 0, 0, D, COLLIO_CANDIDATE_DIRECT},
    {"between both are tried", 1, 4 << 10, 0, 0, 0, D | S, COLLIO_CANDIDATE_SHM},
    {"and overlap", 1, 4 << 10, CYCLES, 0, 0, D | S | OVERLAPS, COLLIO_CANDIDATE_SHM},
    {"the user wants exchange", 1, 1 << 20, ALWAYS, 0, 0, S, COLLIO_CANDIDATE_SHM},
    {"the user wants messages", 1, 1 << 20, ALWAYS | NO_SHM, 0, 0, I, COLLIO_CANDIDATE_ISEND},
    {"the user wants no exchange", 4, 8, NEVER, 0, 0, D, COLLIO_CANDIDATE_DIRECT},
    {"a disk begins with exchange", 1, 16 << 10, 0, 0, 0, D | S, COLLIO_CANDIDATE_SHM},
    {"memory begins direct", 1, 16 << 10, MEMORY, 0, 0, D | S, COLLIO_CANDIDATE_DIRECT},
    {"smaller pieces do not", 1, 4 << 10, MEMORY, 0, 0, D | S, COLLIO_CANDIDATE_SHM},
    {"reads do", 1, 4 << 10, READ, 0, 0, D | S, COLLIO_CANDIDATE_DIRECT},
    {"many nodes exchange", 4, 300, 0, 0, 0, S | I, COLLIO_CANDIDATE_SHM},
    {"containers of one machine do not", 4, 300, ONE_MACHINE, 0, 0, D | S | I,
     COLLIO_CANDIDATE_DIRECT},
    {"but for the smallest pieces", 4, 75, ONE_MACHINE, 0, 0, S | I, COLLIO_CANDIDATE_SHM},
    {"and never for large ones", 4, 4 << 20, ONE_MACHINE, 0, 0, D, COLLIO_CANDIDATE_DIRECT},
    /* without sieving a direct write is a system call for each piece, and others may fill gaps */
    {"torn writes are not tried directly", 1, 8, 0, 8, 0, S, COLLIO_CANDIDATE_SHM},
    {"sieved ones are", 1, 8, SIEVE, 8, 0, D | S, COLLIO_CANDIDATE_SHM},
    {"and reads", 1, 8, READ, 8, 0, D | S, COLLIO_CANDIDATE_SHM},
    {"and holes that nobody can fill", 1, 8, 0, 3, 0, D | S, COLLIO_CANDIDATE_SHM},
    {"and holes that are too large", 1, 8, 0, 1024, 0, D | S, COLLIO_CANDIDATE_SHM},
    {"few pieces", 1, 8, 0, 8, 64, D, COLLIO_CANDIDATE_DIRECT},
    {"pieces that are not tiny", 1, 4 << 10, 0, 8, 0, D, COLLIO_CANDIDATE_DIRECT},
    {"torn writes, no exchange", 1, 8, NEVER, 8, 0, D, COLLIO_CANDIDATE_DIRECT},
    /* each access is a lock and its release at the server, too */
    {"records without locks", 2, 1000, 0, 2, 8000, D, COLLIO_CANDIDATE_DIRECT},
    {"records with locks are exchanged", 2, 1000, LOCKS, 2, 8000, S, COLLIO_CANDIDATE_SHM},
    {"and read by aggregators", 2, 5000, READ | LOCKS, 2, 40000, S, COLLIO_CANDIDATE_SHM},
    {"the record of one rank is not", 2, 8000, LOCKS, 2, 8000, D, COLLIO_CANDIDATE_DIRECT},
    {"many of them are measured", 2, 8 << 10, LOCKS, 2, 0, D | S | I, COLLIO_CANDIDATE_SHM},
    {"but not large ones", 2, 64 << 10, LOCKS, 2, 0, D, COLLIO_CANDIDATE_DIRECT},
    {"small calls try nothing", 1, 32 << 10, 0, 0, 32 << 10, D, COLLIO_CANDIDATE_DIRECT},
#undef D
#undef S
#undef I
#undef OVERLAPS
    /* clang-format on */
};

/* Bytes, spans and ranks are those of all ranks, even if some ranks cross. Six ranks are apart:
 * 3,200 pieces of 64 bytes each. Two ranks cross. The spans of the six alone would choose the other
 * way in both rows. */
UNIT_TEST(choice_holes_of_ranks_that_cross)
{
    enum { PIECE = 64, PIECES = 3200, APART = 6, RANKS = 8 };
    static const struct {
        const char *name;
        int64_t holes;    /* distance of the pieces of the six, in pieces */
        int64_t crossing; /* bytes from first to last byte of each of the two */
        int64_t bytes;    /* bytes of each of the two */
        bool apart, all;  /* may other ranks fill the holes: by the spans of the six, of all */
    } rows[] = {
        {"the two have holes, too", 3, 4000000, 1600000, false, true},
        {"the two are far from all", 20, 400000000, 1600000, true, false},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        collio_rank_range_t range[RANKS];
        collio_crossing_t crossing = {0};
        facts_t facts = interleaved(1, PIECE);
        int64_t at = 0;

        for (int r = 0; r < RANKS; ++r) {
            bool apart = r < APART;
            int64_t span = apart ? PIECE * PIECES * rows[i].holes : rows[i].crossing;

            range[r] = (collio_rank_range_t){at, at + span, apart ? PIECES : PIECES * 2};
            at += apart ? span : PIECE;
        }
        collio_crossing_add(&crossing, range, RANKS);
        ck_assert_int_eq(4 * PIECES, crossing.pieces);
        facts.pieces = (APART + 4) * PIECES;
        facts.bytes = APART * PIECES * PIECE + 2 * rows[i].bytes;
        facts.interleaved = false;
        facts.spans = crossing.spans;
        ck_assert_msg(rows[i].apart
                          == !(collio_choice_candidates(&facts).set & bit(COLLIO_CANDIDATE_DIRECT)),
                      "%s: by the spans of the six", rows[i].name);
        facts.spans += crossing.crossing_spans;
        ck_assert_msg(rows[i].all
                          == !(collio_choice_candidates(&facts).set & bit(COLLIO_CANDIDATE_DIRECT)),
                      "%s", rows[i].name);
    }
}

UNIT_TEST(choice_ways_that_are_tried)
{
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        facts_t facts = interleaved(row[i].nodes, row[i].piece);
        int differs = row[i].differs;
        candidates_t candidates;

        facts.bytes = row[i].bytes > 0 ? row[i].bytes : BYTES;
        facts.pieces = facts.bytes / row[i].piece;
        facts.spans = 8 * facts.bytes;
        if (row[i].spans > 0) {
            facts.interleaved = false;
            facts.spans = facts.bytes / 2 * row[i].spans;
        }
        facts.write = 0 == (differs & READ);
        facts.locks = 0 != (differs & LOCKS);
        facts.in_memory = 0 != (differs & MEMORY);
        facts.one_machine = 0 != (differs & ONE_MACHINE);
        facts.sieve_writes = 0 != (differs & SIEVE);
        facts.many_cycles = 0 != (differs & CYCLES);
        facts.may_skip = 0 == (differs & ALWAYS);
        facts.may_exchange = 0 == (differs & NEVER);
        facts.may_shm = 0 == (differs & NO_SHM);
        candidates = collio_choice_candidates(&facts);
        ck_assert_msg(row[i].set == candidates.set && row[i].first == candidates.first,
                      "%s: ways %x, first %d", row[i].name, candidates.set, candidates.first);
    }
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
            ck_assert_uint_eq(0, candidates.set & bit(COLLIO_CANDIDATE_DIRECT));
            ck_assert_int_eq(0, candidates.patience);
            facts.may_exchange = false;
            ck_assert_uint_eq(bit(COLLIO_CANDIDATE_DIRECT), collio_choice_candidates(&facts).set);
            facts.may_exchange = true;
            facts.interleaved = false;
            facts.spans = facts.bytes;
            facts.pieces = facts.ranks;
            ck_assert_uint_eq(bit(COLLIO_CANDIDATE_DIRECT), collio_choice_candidates(&facts).set);
        }
    }
}

/* Whatever the facts, there is a way, and the first choice is one of them. */
UNIT_TEST(choice_random_facts_have_a_way)
{
    for (int i = 0; i < 20000; ++i) {
        bool exchange = unit_below(2), shm = unit_below(2);
        facts_t facts = {.write = unit_below(2),
                         .bytes = 1 + unit_below(INT64_C(1) << (1 + unit_below(40))),
                         .pieces = unit_below(INT64_C(1) << (1 + unit_below(30))),
                         .interleaved = unit_below(2),
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

        unit_assert(0 != (candidates.set & bit(candidates.first)));
        unit_assert(0 <= kind && kind < COLLIO_KINDS);
    }
}

/* Runs calls whose ways take `cost` ms each, and of the exchanges `hideable` ms could be hidden;
 * returns the way of the last call. */
static candidate_t settle(const int64_t *cost, int64_t hideable, candidates_t candidates, int calls,
                          int *tries)
{
    measured_t measured = {{0}, 0, {0}, 0};
    candidate_t candidate = candidates.first;

    for (int i = 0; i < calls; ++i) {
        bool probing;

        candidate = collio_choice_next(&measured, &candidates, &probing);
        ck_assert_uint_ne(0, candidates.set & bit(candidate));
        if (probing) {
            collio_choice_record(&measured, candidate, 1 << 20, cost[candidate] * 1000000,
                                 hideable * 1000000);
        } else {
            ++measured.served;
        }
        ++tries[candidate];
    }
    return candidate;
}

/* The ways of the tests: direct access, and the rows of shared memory and of messages. */
enum { DIRECT, SHM, SHM_WC, SHM_WC2, SHM_WRITE, SHM_COMM, ISEND, ISEND_WC, ISEND_WC2 };

#define ALL_SHM   (((1u << COLLIO_SCHEDULES) - 1) << COLLIO_CANDIDATE_SHM)
#define ALL_ISEND (((1u << COLLIO_SCHEDULES) - 1) << COLLIO_CANDIDATE_ISEND)

UNIT_TEST(choice_keeps_the_fastest)
{
    static const struct {
        const char *name;
        int64_t cost[COLLIO_CANDIDATES], hideable;
        unsigned set;
        int kept;
        int tries[COLLIO_CANDIDATES]; /* -1: any number */
    } settled[] = {
        /* clang-format off */
        {"a slow disk", {90, 60, 40, 45, 70}, 20, 1 | ALL_SHM, SHM_WC, {-1, -1, -1, 2, 1, 0}},
        {"a slow exchange", {10, 60, 50, 60, 60}, 20, 1 | ALL_SHM, DIRECT, {-1, 2, 0, 0, 0, 0}},
        {"a hopeless way costs one call", {900, 10, 10}, 5, 1 | ALL_SHM, SHM, {1, -1, 2, 0}},
        {"without anything to hide no overlap is tried, however fast it would be",
         {70, 64, 10}, 7, 1 | ALL_SHM, SHM, {-1, -1, 0, 0}},
        {"with something to hide it is", {70, 64, 10, 20, 30}, 9, 1 | ALL_SHM, SHM_WC,
         {2, 2, -1, 1, 1}},
        {"background access that gains nothing: comm is tried, and no other",
         {90, 60, 61, 30, 30, 50}, 20, 1 | ALL_SHM, SHM_COMM, {-1, -1, 2, 0, 0, -1}},
        {"comm is not tried where background access gains",
         {90, 60, 50, 45, 50, 10}, 20, 1 | ALL_SHM, SHM_WC2, {-1, 2, 2, -1, 0, 0}},
        {"write is tried where write_comm2 loses to write_comm",
         {90, 60, 50, 52, 40, 10}, 20, 1 | ALL_SHM, SHM_WRITE, {-1, 2, 2, 2, -1, 0}},
        {"messages are tried with the best schedule only",
         {90, 60, 50, 45, 50, 10, 20, 10, 40, 10, 10}, 20, ALL_SHM | ALL_ISEND, ISEND_WC2,
         {0, 2, 2, 2, 0, 0, 0, 0, -1, 0, 0}},
        {"messages without shared memory take all schedules",
         {0, 0, 0, 0, 0, 0, 60, 50, 45}, 20, ALL_ISEND, ISEND_WC2,
         {0, 0, 0, 0, 0, 0, 2, 2, -1, 0, 0}},
        /* clang-format on */
    };

    for (size_t i = 0; i < sizeof(settled) / sizeof(settled[0]); ++i) {
        unsigned set = settled[i].set;
        candidates_t candidates = {
            .set = set,
            .first = 0 != (set & ALL_SHM) ? COLLIO_CANDIDATE_SHM : COLLIO_CANDIDATE_ISEND,
        };
        int tries[COLLIO_CANDIDATES] = {0};
        candidate_t kept = settle(settled[i].cost, settled[i].hideable, candidates, 20, tries);

        ck_assert_msg(settled[i].kept == (int) kept, "%s: way %d", settled[i].name, kept);
        for (int candidate = 0; candidate < COLLIO_CANDIDATES; ++candidate) {
            ck_assert_msg(settled[i].tries[candidate] < 0
                              || settled[i].tries[candidate] == tries[candidate],
                          "%s: way %d, %d tries", settled[i].name, candidate, tries[candidate]);
        }
    }
}

/* Every way but direct access is one transport with one schedule, and every schedule is there. */
UNIT_TEST(choice_ways_are_transports_with_schedules)
{
    int count = 0;

    for (int i = 0; NULL != collio_schedules[i]; ++i) {
        ck_assert_int_lt(collio_choice_candidate(COLLIO_BUFFERS_SHARED, collio_schedules[i]),
                         COLLIO_CANDIDATE_ISEND);
        ck_assert_int_lt(collio_choice_candidate(COLLIO_BUFFERS_PRIVATE, collio_schedules[i]),
                         COLLIO_CANDIDATES);
        ++count;
    }
    ck_assert_int_eq(COLLIO_SCHEDULES, count);
    for (int candidate = COLLIO_CANDIDATE_SHM; candidate < COLLIO_CANDIDATES; ++candidate) {
        ck_assert_int_eq(candidate,
                         collio_choice_candidate(collio_choice_buffers((candidate_t) candidate),
                                                 collio_choice_schedule((candidate_t) candidate)));
    }
    ck_assert_ptr_eq(&collio_schedule_none, collio_choice_schedule(COLLIO_CANDIDATE_DIRECT));
}

/* The list is the order of trials: `none` is first, and the condition of a row is known when the
 * schedule is tried. */
UNIT_TEST(choice_conditions_name_earlier_schedules)
{
    ck_assert_ptr_eq(&collio_schedule_none, collio_schedules[0]);
    for (int i = 0; i < COLLIO_SCHEDULES; ++i) {
        const collio_schedule_t *schedule = collio_schedules[i];
        candidate_t candidate = collio_choice_candidate(COLLIO_BUFFERS_SHARED, schedule);

        ck_assert((NULL == schedule->faster) == (NULL == schedule->slower));
        if (NULL != schedule->faster) {
            ck_assert(schedule->measured && schedule->faster->measured
                      && schedule->slower->measured);
            ck_assert_int_lt(collio_choice_candidate(COLLIO_BUFFERS_SHARED, schedule->faster),
                             candidate);
            ck_assert_int_lt(collio_choice_candidate(COLLIO_BUFFERS_SHARED, schedule->slower),
                             candidate);
        }
    }
}

/* Where direct access is a good first choice it serves some calls before the exchange is tried. */
UNIT_TEST(choice_is_patient_with_a_good_first_choice)
{
    static const int64_t cost[COLLIO_CANDIDATES] = {70, 30, 0};
    facts_t facts = interleaved(1, 64 << 10);
    candidates_t candidates = collio_choice_candidates(&facts);
    int tries[COLLIO_CANDIDATES] = {0};

    ck_assert_int_eq(COLLIO_CANDIDATE_DIRECT, candidates.first);
    ck_assert_int_eq(COLLIO_CANDIDATE_DIRECT, settle(cost, 0, candidates, 32, tries));
    ck_assert_int_eq(0, tries[COLLIO_CANDIDATE_SHM]);
    ck_assert_int_eq(COLLIO_CANDIDATE_SHM, settle(cost, 0, candidates, 40, tries));
}

UNIT_TEST(choice_small_calls_teach_nothing)
{
    measured_t measured = {{0}, 0, {0}, 0};

    collio_choice_record(&measured, COLLIO_CANDIDATE_SHM, 100, 5, 5);
    ck_assert_int_eq(0, measured.tried[COLLIO_CANDIDATE_SHM]);
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
        candidate_t candidate;

        facts.contended = rows[i].contended;
        facts.interleaved = !rows[i].apart;
        facts.spans = rows[i].apart ? facts.bytes : facts.spans;
        candidate = collio_choice_candidates(&facts).first;
        ck_assert_int_eq(rows[i].why,
                         collio_choice_why_exchange(&facts, &measured, candidate, false));
        ck_assert_int_eq(COLLIO_REASON_MEASURING,
                         collio_choice_why_exchange(&facts, &measured, candidate, true));
        measured.tried[candidate] = 2;
        ck_assert_int_eq(COLLIO_REASON_FASTEST,
                         collio_choice_why_exchange(&facts, &measured, candidate, false));
    }
}

UNIT_TEST(choice_of_transport_and_schedule_has_a_reason)
{
    facts_t facts = interleaved(2, 8);
    measured_t measured = {.served = 0};
    candidate_t candidate = COLLIO_CANDIDATE_SHM;

    ck_assert_int_eq(COLLIO_REASON_SHARED_MEMORY,
                     collio_choice_why_transport(&facts, &measured, candidate, false));
    ck_assert_int_eq(COLLIO_REASON_ONE_CYCLE,
                     collio_choice_why_schedule(&facts, &measured, candidate, false));
    facts.many_cycles = true;
    ck_assert_int_eq(COLLIO_REASON_NOT_MEASURED,
                     collio_choice_why_schedule(&facts, &measured, candidate, false));
    ck_assert_int_eq(COLLIO_REASON_MEASURING,
                     collio_choice_why_schedule(&facts, &measured, candidate, true));
    measured.tried[candidate] = 2;
    ck_assert_int_eq(COLLIO_REASON_NOTHING_HIDDEN,
                     collio_choice_why_schedule(&facts, &measured, candidate, false));
    measured.tried[collio_choice_candidate(COLLIO_BUFFERS_SHARED, &collio_schedule_write_comm)] = 2;
    ck_assert_int_eq(COLLIO_REASON_FASTEST,
                     collio_choice_why_schedule(&facts, &measured, candidate, false));
    ck_assert_int_eq(COLLIO_REASON_FASTEST,
                     collio_choice_why_transport(&facts, &measured, candidate, false));
    facts.nodes = 1;
    ck_assert_int_eq(COLLIO_REASON_SHARED_MEMORY,
                     collio_choice_why_transport(&facts, &measured, candidate, true));
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

/* ---- the study of schedules: bench/records/studies/overlap.json, a result on each line ---- */

enum { PATTERNS = 4, TRANSPORTS = 4, SCHEDULES = COLLIO_SCHEDULES };
static const char *const patterns[PATTERNS] = {"IOR", "tile-256", "tile-16k", "FLASH"};
static const char *const transports[TRANSPORTS] = {"shm", "isend", "put_lock", "put_fence"};

/* Seconds of a pattern and direction, summed over its two runs. */
typedef struct series_t {
    double seconds[TRANSPORTS][SCHEDULES];
} series_t;

static int index_of(const char *name, const char *const *names, int count)
{
    int i = 0;

    while (i < count && 0 != strcmp(name, names[i])) {
        ++i;
    }
    return i;
}

/* Adds a result to its series. Returns false if the line has no result of the main table. */
static bool add_result(const char *line, series_t series[2][PATTERNS])
{
    char pattern[16], schedule[16], transport[16], phase[8];
    double settled;
    int p, s = 0, t;

    if (5
        != sscanf(line, " [\"%15[^|\"]|%15[^|\"]|%15[^|\"]\", %*d, \"%7[^\"]\", 8, %*d, %*f, %lf,",
                  pattern, schedule, transport, phase, &settled)) {
        return false;
    }
    p = index_of(pattern, patterns, PATTERNS);
    t = index_of(transport, transports, TRANSPORTS);
    while (
        s < SCHEDULES
        && 0
               != strcmp(schedule,
                         collio_choice_schedule((candidate_t) (COLLIO_CANDIDATE_SHM + s))->name)) {
        ++s;
    }
    if (PATTERNS == p || TRANSPORTS == t || SCHEDULES == s) {
        return false;
    }
    series[0 == strcmp("write", phase)][p].seconds[t][s] += settled;
    return true;
}

/* Returns the way that `auto` keeps if its calls take the times of the study, and the number of
 * calls that were measured. */
static candidate_t kept_way(const series_t *series, bool write, int *trials)
{
    facts_t facts = interleaved(4, 256);
    candidates_t candidates;
    measured_t measured = {0};
    candidate_t candidate = COLLIO_CANDIDATE_DIRECT;

    facts.write = write;
    facts.many_cycles = true;
    facts.may_skip = false;
    candidates = collio_choice_candidates(&facts);
    for (int call = 0; call < 40; ++call) {
        bool probing;
        int64_t ns;

        candidate = collio_choice_next(&measured, &candidates, &probing);
        *trials += probing;
        ns = (int64_t) (1e9
                        * series->seconds[COLLIO_CANDIDATE_ISEND <= candidate]
                                         [(candidate - 1) % SCHEDULES]);
        collio_choice_record(&measured, candidate, facts.bytes, ns, ns / 2);
    }
    return candidate;
}

/* With the times of the study, `auto` ends within 5% of the fastest schedule and transport of every
 * pattern and direction, puts included, though it never tries puts, and `write` only if write_comm
 * is faster than write_comm2. */
UNIT_TEST(choice_near_the_best_of_the_study)
{
    static series_t series[2][PATTERNS];
    FILE *file = fopen(TOP_SRCDIR "/bench/records/studies/overlap.json", "r");
    char line[512];
    int count = 0;

    ck_assert_ptr_nonnull(file);
    while (NULL != fgets(line, sizeof(line), file)) {
        count += add_result(line, series);
    }
    fclose(file);
    ck_assert_int_eq(2 * 2 * PATTERNS * TRANSPORTS * SCHEDULES, count);
    for (int i = 0; i < 2 * PATTERNS; ++i) {
        const series_t *row = &series[i / PATTERNS][i % PATTERNS];
        int trials = 0;
        candidate_t candidate = kept_way(row, i / PATTERNS, &trials);
        double seconds =
            row->seconds[COLLIO_CANDIDATE_ISEND <= candidate][(candidate - 1) % SCHEDULES];

        ck_assert_int_le(trials, 12);
        for (int k = 0; k < TRANSPORTS * SCHEDULES; ++k) {
            ck_assert_msg(seconds <= 1.05 * row->seconds[k / SCHEDULES][k % SCHEDULES],
                          "%s: way %d, %s is faster: %g and %g s", patterns[i % PATTERNS],
                          candidate, transports[k / SCHEDULES], seconds / 2,
                          row->seconds[k / SCHEDULES][k % SCHEDULES] / 2);
        }
    }
}
