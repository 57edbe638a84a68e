/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Makes the profile of a job that never ran, for tests of the tools with thousands of ranks: every
 * rank's record is encoded, and the records are decoded and merged in a binomial tree as
 * MPI_Finalize of a real job does it.
 *
 *   ioprof_simulate RANKS FILE [AGGREGATORS [EVENT_RANKS [EVENTS]]]
 *
 * Each rank takes part in STEPS collective writes of one file; aggregators write 4 MiB pieces for
 * their group of ranks. Each rank also writes a small file of its own with POSIX calls. */
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS      10
#define BLOCK      (1ULL << 20) /* bytes of a rank in a step */
#define PIECE      (4ULL << 20) /* bytes of a write of an aggregator */
#define SHARED     "/scratch/run/shared.dat"
#define START_NS   1767225600000000000ULL
#define MS         1000000ULL
#define RESIDENT   (100ULL << 20) /* memory of a rank */
#define BUFFERS    (64ULL << 20)  /* of an aggregator */
#define MAX_EVENTS 100000

struct job {
    uint64_t ranks, aggregators, group, event_ranks;
    uint64_t events; /* of each of these ranks: at least as many */
};

struct state {
    struct job job;
    uint64_t rank, start_ns;
    struct ioprof_profile profile;
    struct ioprof_rank me;
    struct ioprof_func funcs[8];
    struct ioprof_file files[2];
    char host[32], own_path[64];
    struct ioprof_event *events;
    size_t nevents;
    struct ioprof_chunk chunk;
    struct ioprof_buffer event_data;
};

static char ranks_text[24], simulated[] = "simulated";
static struct ioprof_fact facts[] = {
    {"ioprof", simulated}, {"program", simulated}, {"command", simulated}, {"job", "0"},
    {"mpi", simulated},    {"level", "files"},     {"ranks", ranks_text}};

static const struct {
    const char *name;
    uint64_t kind, class;
} functions[8] = {{"MPI_File_open", IOPROF_OPEN, IOPROF_COLLECTIVE},
                  {"MPI_File_write_at_all", IOPROF_WRITE, IOPROF_COLLECTIVE},
                  {"MPI_File_close", IOPROF_CLOSE, IOPROF_COLLECTIVE},
                  {"open", IOPROF_OPEN, IOPROF_POSIX},
                  {"write", IOPROF_WRITE, IOPROF_POSIX},
                  {"close", IOPROF_CLOSE, IOPROF_POSIX},
                  {"open", IOPROF_OPEN, IOPROF_INSIDE},
                  {"pwrite", IOPROF_WRITE, IOPROF_INSIDE}};

static void count_time(struct state *s, int layer, uint64_t kind, uint64_t at, uint64_t ns,
                       uint64_t bytes)
{
    uint64_t width = s->profile.time.width_ns, from = at, end = at + ns;

    s->profile.time.bin[at / width % IOPROF_BINS][layer][kind].calls++;
    do {
        struct ioprof_bin *bin = &s->profile.time.bin[from / width % IOPROF_BINS][layer][kind];
        uint64_t to = (from / width + 1) * width < end ? (from / width + 1) * width : end;

        /* The bytes of a long call are spread; differences of quotients add up to all of them. */
        bin->ns += to - from;
        bin->bytes += 0 == ns ? bytes : bytes * (to - at) / ns - bytes * (from - at) / ns;
        from = to;
    } while (from < end);
}

/** Records a call that begins `at` ns after the start of the rank. */
static void call(struct state *s, int index, int file, uint64_t at, uint64_t ns, uint64_t offset,
                 uint64_t bytes)
{
    struct ioprof_func *func = &s->funcs[index];
    struct ioprof_file *f = &s->files[file];
    struct ioprof_cell *cells[2] = {&s->me.cell[func->class][func->kind],
                                    &f->cell[func->class][func->kind]};

    func->calls++;
    func->ns += ns;
    if (ns > func->max_ns) {
        func->max_ns = ns;
    }
    func->bytes += bytes;
    func->top_rank_ns += ns;
    for (int i = 0; i < 2; i++) {
        cells[i]->calls++;
        cells[i]->ns += ns;
        cells[i]->bytes += bytes;
    }
    if (IOPROF_WRITE == func->kind) {
        func->sizes[ioprof_size_bucket(bytes)]++;
        f->sizes[func->class][1][ioprof_size_bucket(bytes)]++;
        if (func->class >= IOPROF_POSIX) {
            if (offset < f->low) {
                f->low = offset;
            }
            if (offset + bytes > f->high) {
                f->high = offset + bytes;
            }
            f->top_rank_bytes += bytes;
            f->low_rank_bytes += bytes;
        }
        f->writers[func->class] = 1;
    }
    if (func->kind < IOPROF_SPAN_KINDS) {
        count_time(s, func->class >= IOPROF_POSIX, func->kind, at, ns, bytes);
        if (at < s->me.first_ns[func->kind]) {
            s->me.first_ns[func->kind] = at;
        }
        s->me.last_ns[func->kind] = at + ns;
        f->first_ns[func->kind] = s->start_ns + s->me.first_ns[func->kind];
        f->last_ns[func->kind] = s->start_ns + at + ns;
    }
    s->me.own_calls++;
    s->me.own_ns += 80;
    if (s->rank < s->job.event_ranks && s->nevents < MAX_EVENTS) {
        s->events[s->nevents++] = (struct ioprof_event){.start_ns = s->start_ns + at,
                                                        .ns = ns,
                                                        .offset = offset,
                                                        .bytes = bytes,
                                                        .kind = (uint64_t) index,
                                                        .class = (uint64_t) file};
    }
}

/** A sample of resident memory; it grows with each step, and aggregators have buffers. */
static void sample(struct state *s, int step, uint64_t at, uint64_t aggregator)
{
    uint64_t buffers = aggregator ? BUFFERS : 0,
             bytes = RESIDENT + (uint64_t) step * BLOCK + buffers;
    struct ioprof_memory *memory =
        &s->profile.time.memory[at / s->profile.time.width_ns % IOPROF_BINS];

    memory->samples++;
    memory->sum += bytes;
    if (bytes > memory->max) {
        memory->max = bytes;
    }
    s->me.memory_samples++;
    s->me.memory_sum += bytes;
    s->me.memory_max = s->me.memory_peak = bytes;
    s->me.memory_io = buffers;
}

/** What an aggregator does in a step: its group's blocks, in pieces. */
static void aggregate(struct state *s, int step, uint64_t at, uint64_t ns)
{
    uint64_t first = (uint64_t) step * s->job.ranks * BLOCK + s->rank * BLOCK;
    uint64_t ranks = s->job.ranks - s->rank < s->job.group ? s->job.ranks - s->rank : s->job.group;
    uint64_t end = first + ranks * BLOCK, pieces = (end - first + PIECE - 1) / PIECE;

    for (uint64_t i = 0; i < pieces; i++) {
        uint64_t from = first + i * PIECE;

        call(s, 7, 0, at + i * ns / pieces, ns / pieces, from,
             end - from < PIECE ? end - from : PIECE);
    }
}

static void play(struct state *s)
{
    uint64_t at = 2 * MS + s->rank % 7 * MS / 8, aggregator = 0 == s->rank % s->job.group;

    call(s, 6, 0, at + MS, 3 * MS, IOPROF_UNSET, 0);
    call(s, 0, 0, at, 5 * MS, IOPROF_UNSET, 0);
    for (int step = 0; step < STEPS; step++) {
        uint64_t ns = 60 * MS + s->rank * 7919 % 97 * MS / 10;

        at = 100 * MS * ((uint64_t) step + 1);
        if (aggregator) {
            aggregate(s, step, at + 8 * MS, 45 * MS);
        }
        call(s, 1, 0, at, ns, ((uint64_t) step * s->job.ranks + s->rank) * BLOCK, BLOCK);
        sample(s, step, at + ns, aggregator);
    }
    call(s, 2, 0, 1100 * MS, 4 * MS, IOPROF_UNSET, 0);
    call(s, 3, 1, 1110 * MS, MS / 10, IOPROF_UNSET, 0);
    for (uint64_t i = 0; i < 20; i++) {
        call(s, 4, 1, 1111 * MS + i * MS, MS / 50, 200 * i, 200);
    }
    call(s, 5, 1, 1140 * MS, MS / 20, IOPROF_UNSET, 0);
    for (uint64_t i = 0; s->rank < s->job.event_ranks && s->nevents < s->job.events; i++) {
        call(s, 4, 1, 1141 * MS + i * MS / 40, MS / 50 + i % 31, 4000 + 200 * i, 200);
    }
}

/** The payload of the EVNT section: see ioprof/format.md. */
static void encode_events(struct state *s)
{
    struct ioprof_buffer *out = &s->event_data;
    uint64_t last = s->start_ns;

    ioprof_put(out, s->rank);
    ioprof_put(out, s->start_ns);
    ioprof_put(out, 0);
    ioprof_put(out, 8);
    for (int i = 0; i < 8; i++) {
        ioprof_put_string(out, functions[i].name);
        ioprof_put(out, functions[i].kind);
        ioprof_put(out, functions[i].class);
    }
    ioprof_put(out, 2);
    ioprof_put_string(out, SHARED);
    ioprof_put_string(out, s->own_path);
    ioprof_put(out, s->nevents);
    for (size_t i = 0; i < s->nevents; i++) {
        ioprof_put_signed(out, (int64_t) (s->events[i].start_ns - last));
        ioprof_put(out, s->events[i].ns);
        ioprof_put(out, s->events[i].kind);
        ioprof_put(out, s->events[i].class + 1);
        ioprof_put(out, s->events[i].offset + 1);
        ioprof_put(out, s->events[i].bytes);
        ioprof_put(out, 0);
        last = s->events[i].start_ns;
    }
    s->chunk = (struct ioprof_chunk){s->rank, out->data, out->bytes};
    s->profile.chunks = &s->chunk;
    s->profile.nchunks = 1;
    s->me.events = s->nevents;
}

static void begin_rank(struct state *s, uint64_t rank)
{
    struct ioprof_profile *p = &s->profile;

    s->rank = rank;
    s->start_ns = START_NS + rank % 13 * 100000;
    snprintf(s->host, sizeof(s->host), "node%04u", (unsigned) (rank / 32));
    snprintf(s->own_path, sizeof(s->own_path), "/scratch/run/log.%05u", (unsigned) rank);
    s->me.host = s->host;
    s->me.rank = rank;
    s->me.start_ns = s->start_ns;
    s->me.wall_ns = 1500 * MS;
    s->me.max_threads = 1;
    for (int i = 0; i < 8; i++) {
        s->funcs[i].name = (char *) functions[i].name;
        s->funcs[i].kind = functions[i].kind;
        s->funcs[i].class = functions[i].class;
        s->funcs[i].top_rank = rank;
    }
    for (int i = 0; i < 2; i++) {
        s->files[i].path = 0 == i ? (char *) SHARED : s->own_path;
        s->files[i].ranks = s->files[i].files = s->files[i].open_ranks = 1;
        s->files[i].block = 4096;
        s->files[i].low = IOPROF_UNSET;
        s->files[i].top_rank = rank;
        memset(s->files[i].first_ns, 0xff, sizeof(s->files[i].first_ns));
    }
    memset(s->me.first_ns, 0xff, sizeof(s->me.first_ns));
    s->files[0].comm_size = s->job.ranks;
    s->files[0].hints = NULL;
    if (0 == rank) {
        s->files[0].hints = (char *) "cb_nodes=4\ncb_buffer_size=4194304\n";
    }
    snprintf(ranks_text, sizeof(ranks_text), "%llu", (unsigned long long) s->job.ranks);
    *p = (struct ioprof_profile){.facts = facts,
                                 .nfacts = sizeof(facts) / sizeof(facts[0]),
                                 .ranks = &s->me,
                                 .nranks = 1,
                                 .funcs = s->funcs,
                                 .nfuncs = 8,
                                 .files = s->files,
                                 .nfiles = 2};
    p->time.start_ns = s->start_ns;
    p->time.width_ns = 8 * MS;
}

/** The profile of one rank, through its encoding. */
static struct ioprof_profile *simulate_rank(struct job job, uint64_t rank)
{
    struct state *s = calloc(1, sizeof(*s));
    struct ioprof_buffer encoded = {0};
    struct ioprof_profile *result = NULL;
    size_t used = 0;
    char why[256] = "no memory";

    if (NULL == s) {
        return NULL;
    }
    s->events = calloc(rank < job.event_ranks ? MAX_EVENTS : 1, sizeof(*s->events));
    if (NULL == s->events) {
        free(s);
        return NULL;
    }
    s->job = job;
    begin_rank(s, rank);
    play(s);
    for (int i = 0; i < 8; i++) {
        s->funcs[i].ranks = 1;
        if (0 != s->funcs[i].calls) {
            s->funcs[used++] = s->funcs[i];
        }
    }
    s->profile.nfuncs = used;
    if (rank < job.event_ranks) {
        encode_events(s);
    }
    if (ioprof_encode(&s->profile, &encoded) < 0
        || ioprof_decode(encoded.data, encoded.bytes, &result, why, sizeof(why)) < 0) {
        fprintf(stderr, "ioprof_simulate: %s\n", why);
    }
    ioprof_buffer_free(&encoded);
    ioprof_buffer_free(&s->event_data);
    free(s->events);
    free(s);
    return result;
}

/** Ranks first..first+ranks-1 as one profile: halves are merged as in the tree of a real job. */
static struct ioprof_profile *simulate(struct job job, uint64_t first, uint64_t ranks)
{
    struct ioprof_profile *low, *high;
    char why[256];

    if (1 == ranks) {
        return simulate_rank(job, first);
    }
    low = simulate(job, first, ranks - ranks / 2);
    high = simulate(job, first + ranks - ranks / 2, ranks / 2);
    if (NULL == low || NULL == high) {
        ioprof_free(low);
        ioprof_free(high);
        return NULL;
    }
    if (ioprof_merge(low, high, why, sizeof(why)) < 0) {
        fprintf(stderr, "ioprof_simulate: %s\n", why);
        ioprof_free(low);
        return NULL;
    }
    return low;
}

int main(int argc, char **argv)
{
    struct job job = {0};
    struct ioprof_buffer out = {0};
    struct ioprof_profile *p;
    FILE *stream;

    if (argc < 3 || argc > 6 || (job.ranks = strtoull(argv[1], NULL, 10)) < 1) {
        fprintf(stderr, "usage: ioprof_simulate RANKS FILE [AGGREGATORS [EVENT_RANKS [EVENTS]]]\n");
        return 2;
    }
    job.aggregators = argc > 3 ? strtoull(argv[3], NULL, 10) : (job.ranks + 31) / 32;
    if (0 == job.aggregators) {
        job.aggregators = 1;
    }
    job.group = (job.ranks + job.aggregators - 1) / job.aggregators;
    job.event_ranks = 0;
    if (argc > 4) {
        job.event_ranks = strtoull(argv[4], NULL, 10);
    }
    job.events = 0;
    if (argc > 5) {
        job.events = strtoull(argv[5], NULL, 10);
    }
    if (job.events >= MAX_EVENTS) {
        job.events = MAX_EVENTS;
    }
    p = simulate(job, 0, job.ranks);
    if (NULL == p || ioprof_encode(p, &out) < 0) {
        fprintf(stderr, "ioprof_simulate: no memory\n");
        return 1;
    }
    stream = fopen(argv[2], "wb");
    if (NULL == stream || 1 != fwrite(out.data, out.bytes, 1, stream) || 0 != fclose(stream)) {
        perror(argv[2]);
        return 1;
    }
    ioprof_buffer_free(&out);
    ioprof_free(p);
    return 0;
}
