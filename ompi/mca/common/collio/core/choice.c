/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The choices of `auto`. See choice.h.
 *
 * Problem: a measurement costs a slow call, so only ways that may be the fastest are measured.
 * Method:  rules by piece size. With a page cache an exchange is one more copy, so large pieces use
 *          direct access. Tiny interleaved pieces cost a system call each, or a locked
 *          read-modify-write if writes are sieved, so they are exchanged. Pieces between these
 *          sizes are measured both ways. Tiny pieces of ranks whose ranges do not interleave are
 *          measured both ways as well, except unsieved writes whose pieces an exchange may join:
 *          these are exchanged.
 *
 *   average piece   2 KiB     32 KiB (*)             256 KiB
 *        exchange     |  try both  | direct, try later   |  direct       (one node, interleaved)
 *
 *   (*) 8 KiB for writes to a file system in memory, 2 KiB for reads; 256 bytes, for both borders,
 *       if the nodes are containers of one machine
 *
 *          On a file system whose servers give locks to clients (Lustre) interleaved pieces are
 *          always exchanged if there are several clients: direct writes revoke each other's locks.
 *
 *          Where every access takes a lock of the server (NFS), small accesses of ranks whose
 *          ranges do not interleave are exchanged first: aggregators make fewer accesses.
 *
 *          Each schedule's row (core/schedule.c) has the condition under which it is measured. In
 *          the study of schedules (docs/studies/overlap.md) write_comm loses least where it is not
 *          the best; write_comm2 and write win elsewhere; comm, which needs no background access,
 *          never won. Puts are not measured: Open MPI does not report whether a window is served by
 *          hardware or emulated by messages, and nonblocking calls cannot use them.
 * Cost:    the first exchange makes a plan and shared memory. If direct access is the first choice,
 *          it serves PATIENCE calls before the exchange is measured, so that programs with few
 *          calls do not pay this cost.
 */
#include "choice.h"

enum {
    MESSAGE_PIECE = 256,     /* bytes: on one machine, larger pieces may be accessed directly */
    TINY_PIECE = 2 << 10,    /* bytes: smaller interleaved pieces are never accessed directly */
    MIDDLE_PIECE = 32 << 10, /* bytes: on one node, larger pieces are first written directly */
    MEMORY_PIECE = 8 << 10,  /* bytes: MIDDLE_PIECE for a file system in memory */
    LARGE_PIECE = 256 << 10, /* bytes: on one node, larger pieces are never exchanged */
    SMALL_CALL = 64 << 10,   /* bytes of all ranks: smaller calls are not measured */
    TRIES = 2,               /* measurements of each way */
    TOO_SLOW = 2,            /* a way that is this many times slower than the best is dropped */
    NEAR = 8,                /* a schedule with an old plan is dropped if it is 1/8 slower */
    PATIENCE = 32,           /* calls that direct access serves before other ways are measured */
    HIDEABLE = 8             /* overlap is measured if it may hide at least 1/8 of the time */
};

/* Places in the list of schedules, which is the order of the trials. */
enum { NONE, FIRST_OVERLAP };

static int choice_row_of(int candidate)
{
    return COLLIO_CANDIDATE_DIRECT == candidate
               ? NONE
               : (candidate - COLLIO_CANDIDATE_SHM) % COLLIO_SCHEDULES;
}

const collio_schedule_t *collio_choice_schedule(collio_candidate_t candidate)
{
    return collio_schedules[choice_row_of(candidate)];
}

collio_buffers_t collio_choice_buffers(collio_candidate_t candidate)
{
    return COLLIO_CANDIDATE_DIRECT == candidate || COLLIO_CANDIDATE_ISEND <= candidate
               ? COLLIO_BUFFERS_PRIVATE
               : COLLIO_BUFFERS_SHARED;
}

collio_candidate_t collio_choice_candidate(collio_buffers_t buffers,
                                           const collio_schedule_t *schedule)
{
    int candidate = COLLIO_BUFFERS_SHARED == buffers ? COLLIO_CANDIDATE_SHM
                                                     : COLLIO_CANDIDATE_ISEND;

    while (schedule != collio_schedules[choice_row_of(candidate)]) {
        ++candidate;
    }
    return (collio_candidate_t) candidate;
}

static int64_t piece_bytes(const collio_facts_t *facts)
{
    return facts->bytes / (facts->pieces > 0 ? facts->pieces : 1);
}

/* True if bytes of other ranks can fill the holes between the pieces of a rank. Ranks of different
 * nodes may interleave although their ranges seem to be apart (core/interleave.h). The holes must
 * be at least as large as the pieces, and all ranks together must have enough bytes to fill them.
 */
static bool fillable(const collio_facts_t *facts)
{
    return facts->spans / 2 >= facts->bytes && facts->spans / facts->ranks <= facts->bytes;
}

/* True if this is a write of many tiny pieces, with a system call for each, that an exchange may
 * join. */
static bool is_scattered_write(const collio_facts_t *facts)
{
    return facts->write && !facts->sieve_writes && piece_bytes(facts) < TINY_PIECE
           && facts->pieces > facts->ranks && fillable(facts);
}

static bool direct_worth(const collio_facts_t *facts)
{
    if (!facts->interleaved) {
        return !is_scattered_write(facts);
    }
    if (facts->contended) {
        return false;
    }
    if (facts->one_machine) {
        return piece_bytes(facts) >= MESSAGE_PIECE;
    }
    return facts->nodes == 1 ? piece_bytes(facts) >= TINY_PIECE : piece_bytes(facts) >= LARGE_PIECE;
}

/* True if the accesses of the ranks are small and more than those of one aggregator per node, and
 * each takes a lock of the server: the messages for locks cost more than those of an exchange. */
static bool many_locks(const collio_facts_t *facts)
{
    return facts->locks && facts->pieces > facts->nodes && piece_bytes(facts) < MIDDLE_PIECE;
}

static bool exchange_worth(const collio_facts_t *facts)
{
    if (facts->ranks < 2) {
        return false;
    }
    if (!facts->interleaved) {
        return many_locks(facts)
               || (piece_bytes(facts) < TINY_PIECE && facts->pieces > facts->ranks);
    }
    return facts->contended || (facts->nodes > 1 && !facts->one_machine)
           || piece_bytes(facts) < LARGE_PIECE;
}

static int64_t least_direct(const collio_facts_t *facts)
{
    if (facts->one_machine) {
        return MESSAGE_PIECE;
    }
    if (!facts->write && !facts->locks) {
        return TINY_PIECE;
    }
    return facts->in_memory ? MEMORY_PIECE : MIDDLE_PIECE;
}

static collio_candidate_t first_candidate(const collio_facts_t *facts, unsigned set)
{
    int64_t least = least_direct(facts);
    bool direct = 0 != (set >> COLLIO_CANDIDATE_DIRECT & 1);

    if (direct && (1u << COLLIO_CANDIDATE_DIRECT == set || piece_bytes(facts) >= least)) {
        return COLLIO_CANDIDATE_DIRECT;
    }
    return facts->may_shm ? COLLIO_CANDIDATE_SHM : COLLIO_CANDIDATE_ISEND;
}

/* Returns the bits of an exchange without overlap and, if `overlap`, of those with overlap. */
static unsigned exchanges(collio_candidate_t candidate, bool overlap)
{
    unsigned schedules = 1u << NONE;

    for (int row = FIRST_OVERLAP; overlap && row < COLLIO_SCHEDULES; ++row) {
        schedules |= (unsigned) collio_schedules[row]->measured << row;
    }
    return schedules << candidate;
}

collio_candidates_t collio_choice_candidates(const collio_facts_t *facts)
{
    bool overlap = facts->many_cycles && facts->may_overlap;
    bool exchange = facts->may_exchange && (!facts->may_skip || exchange_worth(facts));
    bool direct = facts->may_skip && (!exchange || direct_worth(facts));
    collio_candidates_t candidates = {0};

    if (direct) {
        candidates.set |= 1u << COLLIO_CANDIDATE_DIRECT;
    }
    if (exchange && facts->may_shm) {
        candidates.set |= exchanges(COLLIO_CANDIDATE_SHM, overlap);
    }
    /* on one node messages are two copies and shared memory is one: only if transport is isend */
    if (exchange && facts->may_isend && (!facts->may_shm || facts->nodes > 1)) {
        candidates.set |= exchanges(COLLIO_CANDIDATE_ISEND, overlap);
    }
    candidates.first = first_candidate(facts, candidates.set);
    if (facts->bytes < SMALL_CALL) {
        candidates.set = 1u << candidates.first; /* latency dominates with every candidate */
    }
    candidates.patience = COLLIO_CANDIDATE_DIRECT == candidates.first ? PATIENCE : 0;
    return candidates;
}

static bool choice_has(unsigned set, int candidate)
{
    return 0 != (set >> candidate & 1);
}

static int best_of(const collio_measured_t *measured, unsigned set)
{
    int best = -1;

    for (int candidate = 0; candidate < COLLIO_CANDIDATES; ++candidate) {
        if (choice_has(set, candidate) && measured->tried[candidate] > 0
            && (best < 0 || measured->best[candidate] < measured->best[best])) {
            best = candidate;
        }
    }
    return best;
}

static bool faster(const collio_measured_t *measured, int candidate, int other)
{
    return measured->tried[candidate] > 0 && measured->tried[other] > 0
           && measured->best[candidate] < measured->best[other];
}

/* True if the schedule of a candidate that was not measured may be the fastest: there was time to
 * hide, the condition of its row holds, and hiding half of the time would beat direct access. */
static bool schedule_worth(const collio_measured_t *measured, int candidate)
{
    const collio_schedule_t *schedule = collio_choice_schedule((collio_candidate_t) candidate);
    collio_buffers_t buffers = collio_choice_buffers((collio_candidate_t) candidate);
    int none = candidate - choice_row_of(candidate);

    if (0 == measured->tried[none]) {
        return true;
    }
    if (measured->hideable < measured->best[none] / HIDEABLE
        || (measured->tried[COLLIO_CANDIDATE_DIRECT] > 0
            && measured->best[COLLIO_CANDIDATE_DIRECT] < measured->best[none] / 2)) {
        return false;
    }
    return NULL == schedule->faster
           || faster(measured, collio_choice_candidate(buffers, schedule->faster),
                     collio_choice_candidate(buffers, schedule->slower));
}

/* True if a candidate that was not measured may be the fastest. */
static bool candidate_worth(const collio_measured_t *measured, unsigned set, int candidate)
{
    unsigned shared = set & exchanges(COLLIO_CANDIDATE_SHM, true);

    if (COLLIO_CANDIDATE_ISEND <= candidate && 0 != shared) {
        return choice_row_of(candidate) == choice_row_of(best_of(measured, shared));
    }
    return NONE == choice_row_of(candidate) || schedule_worth(measured, candidate);
}

/* True if this candidate needs no further measurement: it was measured enough, is far slower than
 * the best, or cannot be the fastest. */
static bool settled(const collio_measured_t *measured, unsigned set, int candidate, int best)
{
    bool planned = FIRST_OVERLAP < choice_row_of(candidate) && COLLIO_CANDIDATE_ISEND > candidate;

    if (measured->tried[candidate] >= TRIES) {
        return true;
    }
    if (best < 0) {
        return false;
    }
    if (measured->tried[candidate] > 0) {
        return planned
                   ? measured->best[candidate] > measured->best[best] + measured->best[best] / NEAR
                   : measured->best[candidate] / TOO_SLOW > measured->best[best];
    }
    return !candidate_worth(measured, set, candidate);
}

collio_candidate_t collio_choice_next(const collio_measured_t *measured,
                                      const collio_candidates_t *candidates, bool *probing)
{
    unsigned set = candidates->set;
    int best = best_of(measured, set);

    *probing = false;
    if (0 == (set & (set - 1)) || measured->served < candidates->patience) {
        return candidates->first;
    }
    *probing = true;
    if (measured->tried[candidates->first] < TRIES) {
        return candidates->first;
    }
    for (int candidate = 0; candidate < COLLIO_CANDIDATES; ++candidate) {
        if (choice_has(set, candidate) && !settled(measured, set, candidate, best)) {
            return (collio_candidate_t) candidate;
        }
    }
    *probing = false;
    return (collio_candidate_t) best;
}

static int64_t per_mib(int64_t nanoseconds, int64_t bytes)
{
    return (int64_t) ((double) nanoseconds * 1048576.0 / (double) bytes);
}

void collio_choice_record(collio_measured_t *measured, collio_candidate_t candidate, int64_t bytes,
                          int64_t nanoseconds, int64_t hideable)
{
    int64_t cost;

    if (bytes < SMALL_CALL) {
        return; /* the time of a small call does not predict larger calls */
    }
    cost = per_mib(nanoseconds, bytes) + 1;
    hideable = per_mib(hideable, bytes);
    if (0 == measured->tried[candidate] || cost < measured->best[candidate]) {
        measured->best[candidate] = cost;
    }
    if (COLLIO_CANDIDATE_DIRECT != candidate && NONE == choice_row_of(candidate)
        && hideable > measured->hideable) {
        measured->hideable = hideable;
    }
    ++measured->tried[candidate];
}

bool collio_choice_alike(int64_t bytes, int64_t pieces, int64_t last_bytes, int64_t last_pieces)
{
    enum { TOLERANCE = 8 }; /* sizes of pieces may differ by 1/8 */
    int64_t piece, last;

    if (bytes == last_bytes && pieces == last_pieces) {
        return true;
    }
    if (0 == pieces || 0 == last_pieces) {
        return false;
    }
    piece = bytes / pieces;
    last = last_bytes / last_pieces;
    return piece >= TINY_PIECE && last >= TINY_PIECE && piece >= last - last / TOLERANCE
           && piece <= last + last / TOLERANCE;
}

collio_reason_t collio_choice_why_exchange(const collio_facts_t *facts,
                                           const collio_measured_t *measured,
                                           collio_candidate_t candidate, bool probing)
{
    if (probing) {
        return COLLIO_REASON_MEASURING;
    }
    if (measured->tried[candidate] > 0) {
        return COLLIO_REASON_FASTEST;
    }
    if (facts->ranks < 2) {
        return COLLIO_REASON_ONE_RANK;
    }
    if (COLLIO_CANDIDATE_DIRECT == candidate) {
        return facts->interleaved ? COLLIO_REASON_LARGE_PIECES : COLLIO_REASON_APART;
    }
    return facts->contended && facts->interleaved ? COLLIO_REASON_LOCKS
                                                  : COLLIO_REASON_SMALL_PIECES;
}

collio_reason_t collio_choice_why_transport(const collio_facts_t *facts,
                                            const collio_measured_t *measured,
                                            collio_candidate_t candidate, bool probing)
{
    if (1 == facts->nodes) {
        return COLLIO_REASON_SHARED_MEMORY;
    }
    if (probing) {
        return COLLIO_REASON_MEASURING;
    }
    return measured->tried[candidate] > 0 ? COLLIO_REASON_FASTEST : COLLIO_REASON_SHARED_MEMORY;
}

collio_reason_t collio_choice_why_schedule(const collio_facts_t *facts,
                                           const collio_measured_t *measured,
                                           collio_candidate_t candidate, bool probing)
{
    if (!facts->many_cycles) {
        return COLLIO_REASON_ONE_CYCLE;
    }
    if (probing) {
        return COLLIO_REASON_MEASURING;
    }
    if (0 == measured->tried[candidate]) {
        return COLLIO_REASON_NOT_MEASURED;
    }
    if (NONE == choice_row_of(candidate)
        && 0
               == measured
                      ->tried[FIRST_OVERLAP
                              + (facts->may_shm ? COLLIO_CANDIDATE_SHM : COLLIO_CANDIDATE_ISEND)]) {
        return COLLIO_REASON_NOTHING_HIDDEN;
    }
    return COLLIO_REASON_FASTEST;
}

int collio_choice_kind(const collio_facts_t *facts)
{
    int64_t piece = piece_bytes(facts);
    int kind = 0;

    for (; piece >= 256 && kind < COLLIO_KINDS / 2 - 1; piece /= 8) {
        ++kind;
    }
    return 2 * kind + facts->write;
}

const char *collio_reason_text(collio_reason_t reason)
{
    static const char *const texts[COLLIO_REASON_COUNT] = {
#define COLLIO_REASON_TEXT(id, text) [COLLIO_REASON_##id] = text,
        COLLIO_REASONS(COLLIO_REASON_TEXT)
#undef COLLIO_REASON_TEXT
    };

    return texts[reason];
}
