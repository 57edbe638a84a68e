/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * What `auto` chooses: the facts of a call go to core/choice, its answer to the operation. What was
 * learnt outlives the file, because many programs open a new one for every checkpoint: at open the
 * ranks compare what they remember, and use it only if it is the same everywhere.
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

/* What is remembered is for files of the same kind only. */
typedef struct setting_t {
    int size;
    int nodes;
    uint32_t file_system;
    int aggregators;
    int64_t buffer_bytes;
    uint64_t settings_hash;
} setting_t;

/* The last call in a direction. It may have been made in the file before this one: programs write
 * the same into a new file. */
typedef struct last_t {
    bool used;                           /* there was such a call */
    bool here;                           /* it was made in this file: the report has it */
    bool exchange;                       /* bytes were exchanged */
    bool settled;                        /* the call was no measurement */
    int kind;                            /* kind of the call (core/choice.h) */
    int until;                           /* calls of this kind after which another way is tried */
    int64_t bytes;                       /* bytes of this rank */
    int64_t pieces;                      /* pieces of this rank, at most */
    const collio_schedule_t *schedule;   /* schedule of an exchange */
    const collio_transport_t *transport; /* transport of an exchange */
    const char *why;                     /* reason of the decision: collio_tuner_reason */
} last_t;

struct collio_tuner_t {
    collio_learnt_t learnt[COLLIO_KINDS]; /* what calls of each kind have shown */
    last_t last[2];                       /* the last read, the last write */
    int64_t hash;                         /* of `learnt` and `last`; 0: they have changed since */
    int kind;                             /* kind of the call that was decided last */
    collio_way_t way;                     /* way of the call that was decided last */
};

/* What a file has left for the next one with the same setting. */
typedef struct memory_t {
    bool valid;
    setting_t setting;
    collio_tuner_t tuner;
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

/* Of what must be the same on all ranks. Not 0. */
static int64_t hash_of(const collio_tuner_t *tuner)
{
    uint64_t hash = collio_hash(COLLIO_HASH_BASIS, tuner->learnt, sizeof(tuner->learnt));

    for (int i = 0; i < 2; ++i) {
        const last_t *last = &tuner->last[i];
        const int agreed[] = {last->used, last->exchange, last->settled, last->kind, last->until};

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
        tuner->last[0].here = tuner->last[1].here = false;
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
        tuner->hash = hash_of(tuner);
    }
    return tuner->hash;
}

void collio_tuner_forget(collio_tuner_t *tuner)
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

static bool buffers_allowed(const collio_exchange_t *ex, collio_buffers_t buffers)
{
    const collio_transport_t *named = collio_transport_named(ex->file);

    return NULL == named || buffers == named->buffers;
}

/* File systems that only one machine can have mounted. */
static bool is_local(uint32_t file_system)
{
    static const uint32_t magics[] = {
        0xef53,     /* ext2, ext3, ext4 */
        0x58465342, /* XFS */
        0x9123683e, /* Btrfs */
        0xf2f52010, /* F2FS */
        0x794c7630, /* overlayfs, of containers */
    };

    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); ++i) {
        if (magics[i] == file_system) {
            return true;
        }
    }
    return collio_file_system_in_memory(file_system);
}

static collio_facts_t facts_of(const collio_exchange_t *ex, int64_t window_bytes)
{
    const collio_file_t *file = ex->file;
    int wanted = wanted_exchange(ex);
    int64_t share = ex->range.bytes / file->derived.aggregator_count;
    collio_facts_t facts = {
        .write = ex->write,
        .bytes = ex->range.bytes,
        .pieces = ex->range.pieces,
        .span = ex->range.hi - ex->range.lo,
        .spans = ex->range.spans,
        .ranks = file->size,
        .nodes = file->nodes.nodes,
        .in_memory = collio_file_system_in_memory(file->access.file_system),
        .one_machine = file->nodes.nodes > 1 && is_local(file->access.file_system),
        .contended = file->derived.several_clients
                     && (ex->write || COLLIO_LOCKAHEAD_OFF != file->derived.lockahead),
        .sieve_writes = file->access.sieve_writes,
        .many_cycles = share > window_bytes,
        .may_skip = COLLIO_SETTING_ON != wanted,
        .may_exchange = COLLIO_SETTING_OFF != wanted,
        .may_overlap = COLLIO_SCHEDULE_AUTO == file->settings.schedule,
        .may_shm = buffers_allowed(ex, COLLIO_BUFFERS_SHARED) && !ex->atomic,
        .may_isend = buffers_allowed(ex, COLLIO_BUFFERS_PRIVATE) || ex->atomic,
    };

    /* a named transport that is not measured is recorded in place of messages */
    facts.may_isend |= !facts.may_shm;
    return facts;
}

/* A transport was named, and messages must stand in for it. */
static const collio_transport_t *use_messages(collio_file_t *file, bool *said, const char *what)
{
    if (!*said && 0 == file->rank) {
        collio_file_help(file, COLLIO_HELP_NO_RANK, COLLIO_HELP_TRANSPORT_LIMITED,
                         collio_transport_named(file)->name, what);
    }
    *said = true;
    return collio_transport_with(file, COLLIO_BUFFERS_PRIVATE);
}

/* What serves a call for which no transport is named. */
static const collio_transport_t *choose_transport(const collio_exchange_t *ex, collio_way_t way)
{
    bool shared = collio_choice_shares(way) && !ex->atomic;

    return collio_transport_with(ex->file, shared ? COLLIO_BUFFERS_SHARED : COLLIO_BUFFERS_PRIVATE);
}

static const collio_transport_t *transport_of(collio_exchange_t *ex, collio_way_t way)
{
    collio_file_t *file = ex->file;
    const collio_transport_t *named = collio_transport_named(file);

    if (NULL == named) {
        return choose_transport(ex, way);
    }
    if (COLLIO_BUFFERS_PRIVATE == named->buffers) {
        return named;
    }
    if (COLLIO_BUFFERS_WINDOW == named->buffers && file->kept->put.failed) {
        return collio_transport_with(file, COLLIO_BUFFERS_PRIVATE);
    }
    if (ex->atomic) { /* overlapping bytes are put in order from where the messages lie */
        return use_messages(file, &file->kept->said_atomic, "calls in atomic mode");
    }
    if (named->waits && !ex->blocking) { /* nothing may wait inside progress */
        return use_messages(file, &file->kept->said_nonblocking,
                            "nonblocking and split collectives");
    }
    return named;
}

static const collio_schedule_t *schedule_of(const collio_exchange_t *ex, collio_way_t way)
{
    static const collio_schedule_t *const tried[COLLIO_OVERLAPS] = {
        [COLLIO_OVERLAP_NONE] = &collio_schedule_none,
        [COLLIO_OVERLAP_WRITE_COMM2] = &collio_schedule_write_comm2,
        [COLLIO_OVERLAP_WRITE_COMM] = &collio_schedule_write_comm,
    };
    int wanted = ex->file->settings.schedule;

    if (COLLIO_SCHEDULE_AUTO != wanted) {
        return collio_schedules[wanted - COLLIO_SCHEDULE_FIRST];
    }
    return tried[collio_choice_overlap(way)];
}

static int64_t piece_bound(const collio_exchange_t *ex)
{
    if (0 == ex->request.bytes) {
        return 0;
    }
    return collio_tiling_piece_bound(&ex->request.view, ex->request.stream, ex->request.bytes);
}

/* Did the last call in this direction skip the exchange, and is nothing to be tried now? The same
 * on all ranks. */
static bool last_was_direct(const collio_exchange_t *ex)
{
    const collio_tuner_t *tuner = ex->file->tuner;
    const last_t *last = &tuner->last[ex->write];

    return COLLIO_SETTING_AUTO == wanted_exchange(ex) && last->used && !last->exchange
           && last->settled && tuner->learnt[last->kind].served < last->until;
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

/* A call that tried nothing. All ranks count the same ones. */
static void count_served(collio_learnt_t *learnt)
{
    learnt->served += learnt->served < INT_MAX;
}

void collio_tuner_served(collio_exchange_t *ex, bool by_all)
{
    collio_tuner_t *tuner = ex->file->tuner;

    tuner->hash = 0;
    tuner->last[ex->write].used = tuner->last[ex->write].here = true;
    if (COLLIO_SETTING_AUTO == wanted_exchange(ex)) {
        count_served(&tuner->learnt[tuner->last[ex->write].kind]);
        /* this call was not like the last one for everybody: the next one is decided on anew */
        tuner->last[ex->write].used = by_all;
    }
}

void collio_tuner_choose(collio_exchange_t *ex, int64_t window_bytes)
{
    collio_tuner_t *tuner = ex->file->tuner;
    collio_facts_t facts = facts_of(ex, window_bytes);
    collio_candidates_t candidates = collio_choice_candidates(&facts);
    int kind = collio_choice_kind(&facts);
    collio_learnt_t *learnt = &tuner->learnt[kind];

    tuner->hash = 0;
    tuner->kind = kind;
    tuner->way = collio_choice_next(learnt, &candidates, &ex->way.probing);
    ex->way.exchange = COLLIO_WAY_DIRECT != tuner->way;
    ex->way.transport = transport_of(ex, tuner->way);
    ex->way.schedule = schedule_of(ex, tuner->way);
    collio_file_count(ex->file, COLLIO_STAT_PROBES, ex->way.probing);
    tuner->last[ex->write] = (last_t){
        .used = true,
        .here = true,
        .exchange = ex->way.exchange,
        .settled = !ex->way.probing,
        .kind = kind,
        .until = learnt->served < candidates.patience ? candidates.patience : INT_MAX,
        .bytes = ex->request.bytes,
        .pieces = piece_bound(ex),
        .why = collio_tuner_reason(ex),
        .schedule = ex->way.schedule,
        .transport = ex->way.transport,
    };
    if (!ex->way.probing) {
        count_served(learnt);
    }
}

void collio_tuner_learn(collio_exchange_t *ex, int64_t nanoseconds, int64_t hideable)
{
    collio_tuner_t *tuner = ex->file->tuner;

    if (0 == ex->error && ex->way.probing) {
        tuner->hash = 0;
        collio_choice_learn(&tuner->learnt[tuner->kind], tuner->way, ex->range.bytes, nanoseconds,
                            hideable);
    }
}

void collio_tuner_used(collio_exchange_t *ex)
{
    ex->file->tuner->last[ex->write].transport = ex->way.transport;
}

const char *collio_tuner_reason(const collio_exchange_t *ex)
{
    const collio_tuner_t *tuner = ex->file->tuner;

    if (COLLIO_SETTING_AUTO != wanted_exchange(ex)) {
        return "as set";
    }
    if (ex->way.probing) {
        return "auto measures it";
    }
    if (0 == tuner->learnt[tuner->kind].tried[tuner->way]) {
        return "auto, not measured";
    }
    return "the fastest that auto measured";
}

/* shm is chosen for all, but moves bytes only where ranks have memory in common. */
static void describe_transport(const collio_transport_t *transport, const uint64_t *sum, int ranks,
                               char *text, size_t size)
{
    int missing = (int) sum[COLLIO_STAT_SHM_MISSING];

    if (COLLIO_BUFFERS_SHARED != transport->buffers) {
        snprintf(text, size, "%s", transport->name);
    } else if (missing >= ranks) {
        snprintf(text, size, "isend (no shared memory)");
    } else if (missing > 0) {
        snprintf(text, size, "shm, isend on %d of %d ranks (no shared memory there)", missing,
                 ranks);
    } else if (0 == sum[COLLIO_STAT_MESSAGES_BETWEEN_NODES]) {
        snprintf(text, size, "shm");
    } else if (0 == sum[COLLIO_STAT_SHM_BYTES]) {
        snprintf(text, size, "isend between nodes");
    } else {
        snprintf(text, size, "shm, isend between nodes");
    }
}

static void describe_last(const last_t *last, const uint64_t *sum, int ranks, char *text,
                          size_t size)
{
    char transport[96];

    if (!last->exchange) {
        snprintf(text, size, "no exchange");
        return;
    }
    describe_transport(last->transport, sum, ranks, transport, sizeof(transport));
    snprintf(text, size, "schedule %s, transport %s", last->schedule->name, transport);
}

/* Adds "write: <words>" or "read: <words>" behind what the text has. */
static void add_direction(bool write, const char *words, char *text, size_t size)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, "%s%s: %s", used > 0 ? "; " : "", write ? "write" : "read",
             words);
}

void collio_tuner_describe(const collio_tuner_t *tuner, const uint64_t *sum, int ranks, char *text,
                           size_t size)
{
    char words[160];

    text[0] = '\0';
    for (int write = 1; write >= 0; --write) {
        if (tuner->last[write].here) {
            describe_last(&tuner->last[write], sum, ranks, words, sizeof(words));
            add_direction(write, words, text, size);
        }
    }
}

void collio_tuner_reasons(const collio_tuner_t *tuner, char *text, size_t size)
{
    char words[96];

    text[0] = '\0';
    for (int write = 1; write >= 0; --write) {
        const last_t *last = &tuner->last[write];

        if (last->here && NULL != last->why) {
            snprintf(words, sizeof(words), "%s (%s)", last->exchange ? "exchange" : "direct",
                     last->why);
            add_direction(write, words, text, size);
        }
    }
}
