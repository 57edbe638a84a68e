/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Tuner: choices of `auto`, and their measurements.
 *
 * Problem: the fastest way of a call depends on the machine; all ranks must choose the same way.
 * Method:  core/choice decides from the agreed facts of a call and from measured times.
 *          Measurements outlive the file, because many programs open a new file for every
 *          checkpoint; at open the ranks compare hashes of their measurements, and drop them if the
 *          hashes differ.
 * Cost:    no additional message; memory for 8 kinds of file per process.
 */
#include "tuner/tuner.h"

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "exchange/exchange.h"

#include "core/choice.h"
#include "core/file_system.h"
#include "core/hash.h"

/* The kind of a file. Measurements serve files of the same kind only. */
typedef struct setting_t {
    int size;               /* number of ranks */
    int nodes;              /* number of nodes */
    uint32_t file_system;   /* magic number */
    int aggregators;        /* number of aggregators */
    int64_t buffer_bytes;   /* bytes of buffer memory per aggregator */
    uint64_t settings_hash; /* hash of all settings */
} setting_t;

/* The last call in a direction. An earlier file of the same kind may have made it: programs write
 * the same into a new file. */
typedef struct last_t {
    bool used;        /* the call predicts the next one */
    int kind;         /* kind of the call (core/choice.h) */
    int until;        /* number of served calls after which another way is tried */
    int64_t bytes;    /* bytes of this rank */
    int64_t pieces;   /* upper bound of the pieces of this rank */
    collio_way_t way; /* how the call was carried out */
} last_t;

/* The call of this file with the most bytes in a direction: metadata of libraries is small. */
typedef struct largest_t {
    bool used;        /* there was a call */
    int64_t bytes;    /* bytes of all ranks */
    collio_way_t way; /* how the call was carried out */
} largest_t;

struct collio_tuner_t {
    collio_measured_t measured[COLLIO_KINDS]; /* measurements of each kind of call */
    last_t last[2];                           /* the last read, the last write */
    largest_t largest[2];                     /* the largest read, the largest write */
    int64_t hash;                             /* hash of `measured` and `last`; 0: not computed */
    int kind;                                 /* kind of the call that was decided last */
    collio_candidate_t candidate;             /* candidate of the call that was decided last */
};

/* The tuner of a closed file, for the next file of the same kind. */
typedef struct memory_t {
    bool valid;           /* the entry is in use */
    setting_t setting;    /* kind of the file */
    collio_tuner_t tuner; /* copy of the tuner at close */
} memory_t;

enum { REMEMBERED = 8 };
static memory_t remembered[REMEMBERED];
static int oldest;
static pthread_mutex_t remembered_lock = PTHREAD_MUTEX_INITIALIZER;

static setting_t setting_of(const collio_file_t *file)
{
    setting_t setting;

    memset(&setting, 0, sizeof(setting));
    setting.size = file->size;
    setting.nodes = file->nodes.nodes;
    setting.file_system = file->access.file_system;
    setting.aggregators = file->derived.aggregator_count;
    setting.buffer_bytes = file->derived.buffer_bytes;
    setting.settings_hash = file->derived.settings_hash;
    return setting;
}

static memory_t *recall(const setting_t *setting)
{
    for (int i = 0; i < REMEMBERED; ++i) {
        if (remembered[i].valid && 0 == memcmp(&remembered[i].setting, setting, sizeof(*setting))) {
            return &remembered[i];
        }
    }
    return NULL;
}

/* Returns a hash of the values that must be the same on all ranks; never 0. */
static int64_t tuner_hash_of(const collio_tuner_t *tuner)
{
    uint64_t hash = collio_hash(COLLIO_HASH_BASIS, tuner->measured, sizeof(tuner->measured));

    for (int i = 0; i < 2; ++i) {
        const last_t *last = &tuner->last[i];
        const int agreed[] = {last->used, last->way.exchange, last->way.probing, last->kind,
                              last->until};

        hash = collio_hash(hash, agreed, sizeof(agreed));
    }
    return collio_hash_positive(hash) | 1;
}

collio_tuner_t *collio_tuner_open(collio_file_t *file)
{
    collio_tuner_t *tuner = calloc(1, sizeof(*tuner));
    setting_t setting = setting_of(file);
    memory_t *memory;

    pthread_mutex_lock(&remembered_lock);
    memory = recall(&setting);
    if (NULL != memory && NULL != tuner) {
        *tuner = memory->tuner;
        tuner->largest[0].used = tuner->largest[1].used = false;
    }
    pthread_mutex_unlock(&remembered_lock);
    return tuner;
}

int64_t collio_tuner_hash(collio_tuner_t *tuner)
{
    if (NULL == tuner) {
        return 0;
    }
    if (0 == tuner->hash) {
        tuner->hash = tuner_hash_of(tuner);
    }
    return tuner->hash;
}

void collio_tuner_reset(collio_tuner_t *tuner)
{
    if (NULL != tuner) {
        memset(tuner, 0, sizeof(*tuner));
    }
}

void collio_tuner_drop(collio_file_t *file)
{
    free(file->tuner);
    file->tuner = NULL;
}

void collio_tuner_close(collio_file_t *file)
{
    setting_t setting;
    memory_t *memory;

    if (NULL == file->tuner) {
        return;
    }
    setting = setting_of(file);
    pthread_mutex_lock(&remembered_lock);
    memory = recall(&setting);
    if (NULL == memory) {
        memory = &remembered[oldest];
        oldest = (oldest + 1) % REMEMBERED;
    }
    memory->valid = true;
    memory->setting = setting;
    memory->tuner = *file->tuner;
    pthread_mutex_unlock(&remembered_lock);
    collio_tuner_drop(file);
}

static int wanted_exchange(const collio_exchange_t *ex)
{
    return ex->write ? ex->file->settings.exchange_write : ex->file->settings.exchange_read;
}

/* True if only one machine can mount this file system. */
static bool is_local(uint32_t file_system)
{
    static const uint32_t magics[] = {
        0xef53,     /* ext2, ext3, ext4 */
        0x58465342, /* XFS */
        0x9123683e, /* Btrfs */
        0xf2f52010, /* F2FS */
        0x794c7630, /* overlayfs (containers) */
    };

    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); ++i) {
        if (magics[i] == file_system) {
            return true;
        }
    }
    return collio_file_system_in_memory(file_system);
}

static collio_facts_t facts_of(const collio_exchange_t *ex, int64_t window_bytes, bool interleaved)
{
    const collio_file_t *file = ex->file;
    int wanted = wanted_exchange(ex);
    int64_t share = ex->range.bytes / file->derived.aggregator_count;
    collio_facts_t facts = {
        .write = ex->write,
        .bytes = ex->range.bytes,
        .pieces = ex->range.pieces,
        .interleaved = interleaved,
        .spans = ex->range.spans,
        .ranks = file->size,
        .nodes = file->nodes.nodes,
        .in_memory = collio_file_system_in_memory(file->access.file_system),
        .one_machine = file->nodes.nodes > 1 && is_local(file->access.file_system),
        .contended = file->derived.several_clients
                     && (ex->write || COLLIO_LOCKAHEAD_OFF != file->derived.lockahead),
        .locks = COLLIO_COHERENCE_LOCK == file->access.coherence,
        .sieve_writes = file->access.sieve_writes,
        .many_cycles = share > window_bytes,
        .may_skip = COLLIO_SETTING_ON != wanted,
        .may_exchange = COLLIO_SETTING_OFF != wanted,
        .may_overlap = COLLIO_SCHEDULE_AUTO == file->settings.schedule,
        .may_shm = collio_buffers_allowed(file, COLLIO_BUFFERS_SHARED) && !ex->atomic,
        .may_isend = collio_buffers_allowed(file, COLLIO_BUFFERS_PRIVATE) || ex->atomic,
    };

    /* the times of a named one-sided transport are recorded as those of messages */
    facts.may_isend |= !facts.may_shm;
    return facts;
}

/* Returns why `auto` uses the transport of this candidate. */
static collio_reason_t why_transport(const collio_exchange_t *ex, const collio_facts_t *facts,
                                     const collio_measured_t *measured)
{
    return ex->atomic ? COLLIO_REASON_ATOMIC
                      : collio_choice_why_transport(facts, measured, ex->file->tuner->candidate,
                                                    ex->way.probing);
}

static collio_reason_t choose_schedule(collio_exchange_t *ex, const collio_facts_t *facts,
                                       const collio_measured_t *measured)
{
    int named = ex->file->settings.schedule;
    collio_candidate_t candidate = ex->file->tuner->candidate;

    if (COLLIO_SCHEDULE_AUTO != named) {
        ex->way.schedule = collio_schedules[named - COLLIO_SCHEDULE_FIRST];
        return COLLIO_REASON_SET;
    }
    ex->way.schedule = collio_choice_schedule(candidate);
    return collio_choice_why_schedule(facts, measured, candidate, ex->way.probing);
}

static collio_reason_t why_exchange(const collio_exchange_t *ex, const collio_facts_t *facts,
                                    const collio_measured_t *measured)
{
    int wanted = wanted_exchange(ex);

    if (COLLIO_SETTING_AUTO == wanted) {
        return collio_choice_why_exchange(facts, measured, ex->file->tuner->candidate,
                                          ex->way.probing);
    }
    return COLLIO_SETTING_ON == wanted && ex->file->settings.implied ? COLLIO_REASON_IMPLIED
                                                                     : COLLIO_REASON_SET;
}

static int64_t piece_bound(const collio_exchange_t *ex)
{
    if (0 == ex->request.bytes) {
        return 0;
    }
    return collio_tiling_piece_bound(&ex->request.view, ex->request.stream, ex->request.bytes);
}

/* True if the last call in this direction was direct, and no measurement is due. The same on all
 * ranks. */
static bool last_was_direct(const collio_exchange_t *ex)
{
    const collio_tuner_t *tuner = ex->file->tuner;
    const last_t *last = &tuner->last[ex->write];

    return COLLIO_SETTING_AUTO == wanted_exchange(ex) && last->used && !last->way.exchange
           && !last->way.probing && tuner->measured[last->kind].served < last->until;
}

bool collio_tuner_expects_direct(const collio_exchange_t *ex)
{
    const last_t *last = &ex->file->tuner->last[ex->write];

    if (COLLIO_SETTING_OFF == wanted_exchange(ex)) {
        return true;
    }
    return last_was_direct(ex)
           && collio_choice_alike(ex->request.bytes, piece_bound(ex), last->bytes, last->pieces);
}

/* Counts a call without a measurement. All ranks count the same calls. */
static void count_served(collio_measured_t *measured)
{
    measured->served += measured->served < INT_MAX;
}

/* Keeps the choices of the call, unless an earlier call had more bytes. */
static void keep_largest(const collio_exchange_t *ex)
{
    collio_tuner_t *tuner = ex->file->tuner;
    largest_t *largest = &tuner->largest[ex->write];

    if (!largest->used || ex->range.bytes >= largest->bytes) {
        *largest = (largest_t){true, ex->range.bytes, tuner->last[ex->write].way};
    }
}

void collio_tuner_served(collio_exchange_t *ex, bool by_all)
{
    collio_tuner_t *tuner = ex->file->tuner;

    tuner->hash = 0;
    tuner->last[ex->write].used = true;
    if (COLLIO_SETTING_AUTO != wanted_exchange(ex)) {
        tuner->last[ex->write].way.why[COLLIO_DECISION_EXCHANGE] = COLLIO_REASON_SET;
    } else {
        count_served(&tuner->measured[tuner->last[ex->write].kind]);
        /* a call that differs from the last one on some rank does not predict the next one */
        tuner->last[ex->write].used = by_all;
    }
    keep_largest(ex);
}

collio_buffers_t collio_tuner_choose(collio_exchange_t *ex, int64_t window_bytes, bool interleaved)
{
    collio_tuner_t *tuner = ex->file->tuner;
    collio_facts_t facts = facts_of(ex, window_bytes, interleaved);
    collio_candidates_t candidates = collio_choice_candidates(&facts);
    int kind = collio_choice_kind(&facts);
    collio_measured_t *measured = &tuner->measured[kind];

    tuner->hash = 0;
    tuner->kind = kind;
    tuner->candidate = collio_choice_next(measured, &candidates, &ex->way.probing);
    ex->way.exchange = COLLIO_CANDIDATE_DIRECT != tuner->candidate;
    ex->way.why[COLLIO_DECISION_EXCHANGE] = why_exchange(ex, &facts, measured);
    ex->way.why[COLLIO_DECISION_TRANSPORT] = why_transport(ex, &facts, measured);
    ex->way.why[COLLIO_DECISION_SCHEDULE] = choose_schedule(ex, &facts, measured);
    collio_file_count(ex->file, COLLIO_STAT_PROBES, ex->way.probing);
    tuner->last[ex->write] = (last_t){
        .used = true,
        .kind = kind,
        .until = measured->served < candidates.patience ? candidates.patience : INT_MAX,
        .bytes = ex->request.bytes,
        .pieces = piece_bound(ex),
        .way = ex->way,
    };
    if (!ex->way.probing) {
        count_served(measured);
    }
    keep_largest(ex);
    return ex->atomic ? COLLIO_BUFFERS_PRIVATE : collio_choice_buffers(tuner->candidate);
}

void collio_tuner_record(collio_exchange_t *ex, int64_t nanoseconds, int64_t hideable)
{
    collio_tuner_t *tuner = ex->file->tuner;

    if (0 == ex->error && ex->way.probing) {
        tuner->hash = 0;
        collio_choice_record(&tuner->measured[tuner->kind], tuner->candidate, ex->range.bytes,
                             nanoseconds, hideable);
    }
}

void collio_tuner_used(collio_exchange_t *ex)
{
    ex->file->tuner->last[ex->write].way = ex->way;
    keep_largest(ex);
}

const collio_way_t *collio_tuner_largest(const collio_tuner_t *tuner, bool write)
{
    return tuner->largest[write].used ? &tuner->largest[write].way : NULL;
}
