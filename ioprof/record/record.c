/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Counting: totals of functions and files, and the profile of this process. */
#include "record/record.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* [1]: called inside MPI-IO */
static struct ioprof_func functions[IOPROF_IDS][2];
static int threads;
static uint64_t cost_ns; /* of one recorded call */

static int thread_number(void)
{
    if (0 == ioprof_thread.number) {
        ioprof_thread.number = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    }
    return ioprof_thread.number - 1;
}

static void count_file(const struct ioprof_call *call, const struct ioprof_func *func)
{
    struct ioprof_file *file = ioprof_file_record(call->file);
    struct ioprof_cell *cell;

    if (NULL == file) {
        return;
    }
    cell = &file->cell[func->class][func->kind];
    if (IOPROF_ID_File_read_at <= call->id && call->id <= IOPROF_ID_File_write_ordered_begin) {
        (void) __atomic_fetch_or(&file->functions, 1ULL << (call->id - IOPROF_ID_File_read_at),
                                 __ATOMIC_RELAXED);
    }
    if (!call->hidden_time) {
        IOPROF_ADD(cell->calls, 1);
        IOPROF_ADD(cell->ns, call->end - call->begin);
    }
    if (call->failed) {
        IOPROF_ADD(cell->errors, 1);
    }
    IOPROF_ADD(cell->bytes, call->bytes);
    if (func->kind < IOPROF_SPAN_KINDS) {
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
    uint64_t ns = call->end - call->begin, end = ioprof_since_start(call->end);
    uint64_t begin = ioprof_since_start(call->begin);
    int thread = thread_number(), row = ioprof_bin_kind(func->kind);

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
    if (func->kind < IOPROF_SPAN_KINDS) {
        ioprof_to_least(&ioprof_me.first_ns[func->kind], begin);
        ioprof_to_most(&ioprof_me.last_ns[func->kind], end);
    }
    if (row >= 0) {
        ioprof_count_bins(func->class >= IOPROF_POSIX, row, begin, end,
                          IOPROF_META == func->kind ? 0 : call->bytes);
    }
    count_file(call, func);
    if (ioprof_events_on && !call->no_event) {
        ioprof_event_add(call, thread);
    }
    if (ioprof_sample_due(call->end)) {
        (void) ioprof_sample(call->end);
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

    saved_time = ioprof_timeline;
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
    ioprof_timeline = saved_time;
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
    ioprof_me.start_ns = ioprof_timeline.start_ns;
    ioprof_me.wall_ns = ioprof_since_start(ioprof_now());
    ioprof_me.max_threads = (uint64_t) threads;
    ioprof_me.own_ns = ioprof_me.own_calls * cost_ns;
    ioprof_me.memory_peak = ioprof_memory_peak();
    profile->ranks = &ioprof_me;
    profile->nranks = 1;
    profile->files = ioprof_files_finish(ioprof_me.rank, &profile->nfiles);
    profile->time = ioprof_timeline;
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
    ioprof_timeline_begin(ioprof_state_begin());
    ioprof_files_init();
    ioprof_fds_init();
    cost_ns = measure_cost();
    ioprof_active = true;
}
