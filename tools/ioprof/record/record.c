/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Counting: function totals, the time line, and what a process knows of itself. */
#include "record/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FIRST_WIDTH_NS (1ULL << 20) /* of a bin of the time line; doubles as the run goes on */

struct ioprof_settings ioprof_settings;
__thread struct ioprof_thread ioprof_thread __attribute__((tls_model("initial-exec")));
bool ioprof_active;
struct ioprof_rank ioprof_me;

/* [1]: called inside MPI-IO */
static struct ioprof_func functions[IOPROF_IDS][2];
static struct ioprof_timeline timeline;
static uint64_t start_mono, start_unix;
static int threads;
static bool bins_busy;
static uint64_t cost_ns; /* of one recorded call */

static uint64_t read_clock(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t) t.tv_sec * 1000000000U + (uint64_t) t.tv_nsec;
}

uint64_t ioprof_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t ioprof_unix_time(uint64_t mono_ns)
{
    return start_unix + (mono_ns - start_mono);
}

static int thread_number(void)
{
    if (0 == ioprof_thread.number) {
        ioprof_thread.number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    }
    return ioprof_thread.number - 1;
}

/** Doubles the width of the bins. Calls of other threads at that moment keep their sums, but may
 *  land in a bin of the old width. */
static void widen(void)
{
    uint64_t *words = &timeline.bin[0][0][0].calls;
    const int per_bin = sizeof(timeline.bin[0]) / sizeof(*words);

    if (__atomic_exchange_n(&bins_busy, true, __ATOMIC_ACQUIRE)) {
        return;
    }
    for (int i = 0; i < IOPROF_BINS * per_bin; i++) {
        int to = i / per_bin / 2 * per_bin + i % per_bin;
        uint64_t value = i == to ? 0 : __atomic_exchange_n(&words[i], 0, __ATOMIC_RELAXED);

        IOPROF_ADD(words[to], value);
    }
    IOPROF_ADD(timeline.width_ns, timeline.width_ns);
    __atomic_store_n(&bins_busy, false, __ATOMIC_RELEASE);
}

static void count_bins(int layer, uint64_t kind, uint64_t begin, uint64_t end, uint64_t bytes)
{
    uint64_t width, first, last, all = end - begin;

    while (end / (width = __atomic_load_n(&timeline.width_ns, __ATOMIC_RELAXED)) >= IOPROF_BINS) {
        if (__atomic_load_n(&bins_busy, __ATOMIC_RELAXED)) {
            return; /* a signal handler may have interrupted widen(): never wait for it */
        }
        widen();
    }
    first = begin / width;
    last = end / width;
    IOPROF_ADD(timeline.bin[first][layer][kind].calls, 1);
    for (uint64_t i = first; i <= last; i++) {
        uint64_t from = i == first ? begin : i * width, to = i == last ? end : (i + 1) * width;
        uint64_t part = first == last
                            ? bytes
                            : (uint64_t) ((double) bytes * (double) (to - from) / (double) all);

        part = i == last ? bytes : part;
        bytes -= part;
        all -= to - from;
        IOPROF_ADD(timeline.bin[i][layer][kind].ns, to - from);
        IOPROF_ADD(timeline.bin[i][layer][kind].bytes, part);
    }
}

static void count_file(const struct ioprof_call *call, const struct ioprof_func *func)
{
    struct ioprof_file *file = ioprof_file_record(call->file);
    struct ioprof_cell *cell;

    if (NULL == file) {
        return;
    }
    cell = &file->cell[func->class][func->kind];
    if (!call->hidden_time) {
        IOPROF_ADD(cell->calls, 1);
        IOPROF_ADD(cell->ns, call->end - call->begin);
    }
    if (call->failed) {
        IOPROF_ADD(cell->errors, 1);
    }
    IOPROF_ADD(cell->bytes, call->bytes);
    if (func->kind < IOPROF_BIN_KINDS) {
        ioprof_to_least(&file->first_ns[func->kind], ioprof_unix_time(call->begin));
        ioprof_to_most(&file->last_ns[func->kind], ioprof_unix_time(call->end));
    }
    if ((IOPROF_READ == func->kind || IOPROF_WRITE == func->kind) && !call->failed) {
        IOPROF_ADD(
            file->sizes[func->class][IOPROF_WRITE == func->kind][ioprof_size_bucket(call->bytes)],
            1);
        if (func->class >= IOPROF_POSIX && IOPROF_UNSET != call->offset) {
            ioprof_file_access(call->file, call->offset, call->bytes);
        }
    }
}

void ioprof_record(const struct ioprof_call *call)
{
    struct ioprof_func *func = &functions[call->id][call->inside];
    uint64_t ns = call->end - call->begin;
    int thread = thread_number();

    if (call->hidden_time) {
        IOPROF_ADD(func->span_ns, ns);
    } else {
        IOPROF_ADD(func->calls, 1);
        IOPROF_ADD(func->ns, ns);
        ioprof_to_most(&func->max_ns, ns);
    }
    if (call->failed) {
        IOPROF_ADD(func->errors, 1);
    }
    IOPROF_ADD(func->bytes, call->bytes);
    if ((IOPROF_READ == func->kind || IOPROF_WRITE == func->kind) && !call->failed) {
        IOPROF_ADD(func->sizes[ioprof_size_bucket(call->bytes)], 1);
    }
    if (func->kind < IOPROF_BIN_KINDS) {
        uint64_t begin = call->begin > start_mono ? call->begin - start_mono : 0;
        uint64_t end = call->end - start_mono;

        ioprof_to_least(&ioprof_me.first_ns[func->kind], begin);
        ioprof_to_most(&ioprof_me.last_ns[func->kind], end);
        count_bins(func->class >= IOPROF_POSIX, func->kind, begin, end, call->bytes);
    }
    count_file(call, func);
    if (ioprof_events_on && !call->no_event) {
        ioprof_event_add(call, thread);
    }
}

void ioprof_record_start(enum ioprof_id id, int file, uint64_t begin, uint64_t end, bool failed)
{
    struct ioprof_func *func = &functions[id][0];
    struct ioprof_file *record = ioprof_file_record(file);

    (void) thread_number();
    IOPROF_ADD(func->calls, 1);
    IOPROF_ADD(func->ns, end - begin);
    IOPROF_ADD(func->errors, failed ? 1 : 0);
    ioprof_to_most(&func->max_ns, end - begin);
    if (NULL != record) {
        IOPROF_ADD(record->cell[func->class][func->kind].calls, 1);
        IOPROF_ADD(record->cell[func->class][func->kind].ns, end - begin);
        IOPROF_ADD(record->cell[func->class][func->kind].errors, failed ? 1 : 0);
    }
}

void ioprof_record_untimed(enum ioprof_id id, int file, bool inside, uint64_t bytes)
{
    struct ioprof_func *func = &functions[id][inside];
    struct ioprof_file *record = ioprof_file_record(file);

    IOPROF_ADD(func->calls, 1);
    IOPROF_ADD(func->bytes, bytes);
    IOPROF_ADD(func->sizes[ioprof_size_bucket(bytes)], 1);
    if (NULL != record) {
        IOPROF_ADD(record->cell[func->class][func->kind].calls, 1);
        IOPROF_ADD(record->cell[func->class][func->kind].bytes, bytes);
        IOPROF_ADD(
            record->sizes[func->class][IOPROF_WRITE == func->kind][ioprof_size_bucket(bytes)], 1);
    }
}

bool ioprof_counts(const struct ioprof_fd *fd, bool *inside)
{
    *inside = ioprof_thread.in_mpi_file > 0 || (NULL != fd && fd->mpi);
    return ioprof_active && (*inside || 0 == ioprof_thread.in_library);
}

/** What one recorded call costs here: counted as writes of other files before the program begins,
 *  and taken back. */
static uint64_t measure_cost(void)
{
    enum { TIMES = 500 };
    static struct ioprof_timeline saved_time;
    static struct ioprof_file saved_file;
    struct ioprof_call call = {.id = IOPROF_ID_pwrite, .file = IOPROF_NO_FILE};
    struct ioprof_file *file = ioprof_file_record(0);
    struct ioprof_func saved = functions[call.id][0];
    struct ioprof_rank me = ioprof_me;
    uint64_t begin, cost;

    saved_time = timeline;
    if (NULL != file) {
        saved_file = *file;
        call.file = 0;
    }
    begin = ioprof_now();
    for (int i = 0; i < TIMES; i++) {
        call.begin = ioprof_now();
        call.end = ioprof_now();
        ioprof_record(&call);
    }
    cost = (ioprof_now() - begin) / TIMES;
    functions[call.id][0] = saved;
    timeline = saved_time;
    ioprof_me = me;
    ioprof_thread.number = threads = 0;
    if (NULL != file) {
        *file = saved_file;
    }
    return cost;
}

static void sum_functions(struct ioprof_profile *profile, uint64_t rank)
{
    static struct ioprof_func used[2 * IOPROF_IDS];
    size_t n = 0;

    memset(ioprof_me.cell, 0, sizeof(ioprof_me.cell));
    ioprof_me.own_calls = 0;
    for (int i = 0; i < 2 * IOPROF_IDS; i++) {
        struct ioprof_func *func = &functions[i / 2][i % 2];
        struct ioprof_cell *cell = &ioprof_me.cell[func->class][func->kind];

        if (0 == func->calls) {
            continue;
        }
        func->ranks = 1;
        func->top_rank = rank;
        func->top_rank_ns = func->ns;
        cell->calls += func->calls;
        cell->errors += func->errors;
        cell->ns += func->ns;
        cell->bytes += func->bytes;
        ioprof_me.own_calls += func->calls;
        used[n++] = *func;
    }
    profile->funcs = used;
    profile->nfuncs = n;
}

void ioprof_snapshot(struct ioprof_profile *profile, enum ioprof_end end, uint64_t code)
{
    memset(profile, 0, sizeof(*profile));
    sum_functions(profile, ioprof_me.rank);
    ioprof_me.end = end;
    ioprof_me.end_code = code;
    ioprof_me.start_ns = start_unix;
    ioprof_me.wall_ns = ioprof_now() - start_mono;
    ioprof_me.max_threads = (uint64_t) threads;
    ioprof_me.own_ns = ioprof_me.own_calls * cost_ns;
    profile->ranks = &ioprof_me;
    profile->nranks = 1;
    profile->files = ioprof_files_finish(ioprof_me.rank, &profile->nfiles);
    profile->time = timeline;
}

static uint64_t number_setting(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);
    char *end;
    uint64_t value = NULL == text ? 0 : strtoull(text, &end, 10);

    return 0 == value ? otherwise : value;
}

static void read_settings(void)
{
    struct ioprof_settings *s = &ioprof_settings;
    const char *level = getenv("IOPROF_LEVEL");

    s->level = NULL == level                  ? IOPROF_LEVEL_FILES
               : 0 == strcmp(level, "totals") ? IOPROF_LEVEL_TOTALS
               : 0 == strcmp(level, "events") ? IOPROF_LEVEL_EVENTS
                                              : IOPROF_LEVEL_FILES;
    s->ranks = getenv("IOPROF_RANKS");
    s->ranks = NULL == s->ranks ? "0-15" : s->ranks;
    s->output = getenv("IOPROF_OUTPUT");
    s->text = getenv("IOPROF_TEXT");
    s->text = NULL == s->text ? "-" : s->text;
    s->exclude = getenv("IOPROF_EXCLUDE");
    if (NULL == s->exclude) {
        s->exclude = "/proc:/sys:/dev:/etc:/usr:/lib:/lib64:/bin:/sbin:/run";
    }
    s->max_files = number_setting("IOPROF_MAX_FILES", 4096);
    s->max_events = number_setting("IOPROF_MAX_EVENTS", 200000);
}

#define POSIX_ENTRY(name, kind)                                             \
    name_function(IOPROF_ID_##name, 0, #name, IOPROF_##kind, IOPROF_POSIX); \
    name_function(IOPROF_ID_##name, 1, #name, IOPROF_##kind, IOPROF_INSIDE);
#define MPI_ENTRY(name, kind, class) \
    name_function(IOPROF_ID_##name, 0, "MPI_" #name, IOPROF_##kind, IOPROF_##class);

static void name_function(int id, int inside, const char *name, enum ioprof_kind kind,
                          enum ioprof_class class)
{
    functions[id][inside].name = (char *) name;
    functions[id][inside].kind = kind;
    functions[id][inside].class = class;
}

/** Names and classes of functions, for the encoder of events. */
const struct ioprof_func *ioprof_function(int id, int inside)
{
    return &functions[id][inside];
}

static void __attribute__((constructor)) begin(void)
{
    IOPROF_POSIX_FUNCTIONS(POSIX_ENTRY)
    IOPROF_MPI_FUNCTIONS(MPI_ENTRY)
    start_mono = ioprof_now();
    start_unix = read_clock(CLOCK_REALTIME);
    timeline.start_ns = start_unix;
    timeline.width_ns = FIRST_WIDTH_NS;
    memset(ioprof_me.first_ns, 0xff, sizeof(ioprof_me.first_ns));
    read_settings();
    ioprof_files_init();
    ioprof_fds_init();
    cost_ns = measure_cost();
    ioprof_active = true;
}
