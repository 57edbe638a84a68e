/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/arena.h"
#include "profile/fields.h"
#include "profile/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *text_of(const char *text)
{
    if (NULL == text) {
        return "";
    }
    return text;
}

static int by_rank(const void *a, const void *b)
{
    uint64_t x = ((const struct ioprof_rank *) a)->rank, y = ((const struct ioprof_rank *) b)->rank;

    if (x < y) {
        return -1;
    }
    return x > y;
}

int ioprof_by_function(const void *a, const void *b)
{
    const struct ioprof_func *x = a, *y = b;

    if (x->class != y->class) {
        return x->class < y->class ? -1 : 1;
    }
    return strcmp(x->name, y->name);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct ioprof_file *) a)->path, ((const struct ioprof_file *) b)->path);
}

static int by_variable(const void *a, const void *b)
{
    return strcmp(((const struct ioprof_pvar *) a)->name, ((const struct ioprof_pvar *) b)->name);
}

static int by_chunk(const void *a, const void *b)
{
    uint64_t x = ((const struct ioprof_chunk *) a)->rank,
             y = ((const struct ioprof_chunk *) b)->rank;

    if (x < y) {
        return -1;
    }
    return x > y;
}

static void sort_items(void *items, size_t n, size_t size,
                       int (*compare)(const void *, const void *))
{
    if (n > 1) {
        qsort(items, n, size, compare);
    }
}

void ioprof_sort(struct ioprof_profile *p)
{
    sort_items(p->ranks, p->nranks, sizeof(*p->ranks), by_rank);
    sort_items(p->funcs, p->nfuncs, sizeof(*p->funcs), ioprof_by_function);
    sort_items(p->files, p->nfiles, sizeof(*p->files), by_path);
    sort_items(p->pvars, p->npvars, sizeof(*p->pvars), by_variable);
    sort_items(p->chunks, p->nchunks, sizeof(*p->chunks), by_chunk);
}

#define ADD(field)      into->field += from->field;
#define ADD_N(field, n) add_all(into->field, from->field, n);
#define MOST(field)                  \
    if (into->field < from->field) { \
        into->field = from->field;   \
    }
#define MOST_N(field, n) most_of(into->field, from->field, n);
#define LEAST(field)                 \
    if (into->field > from->field) { \
        into->field = from->field;   \
    }
#define LEAST_N(field, n) least_of(into->field, from->field, n);
#define LEAVE(field)
#define MERGE_RECORD(FIELDS) FIELDS(ADD, ADD_N, MOST, MOST_N, LEAST, LEAST_N, LEAVE)

static void add_all(uint64_t *into, const uint64_t *from, int n)
{
    for (int i = 0; i < n; i++) {
        into[i] += from[i];
    }
}

static void most_of(uint64_t *into, const uint64_t *from, int n)
{
    for (int i = 0; i < n; i++) {
        if (into[i] <= from[i]) {
            into[i] = from[i];
        }
    }
}

static void least_of(uint64_t *into, const uint64_t *from, int n)
{
    for (int i = 0; i < n; i++) {
        if (into[i] >= from[i]) {
            into[i] = from[i];
        }
    }
}

static void merge_func(void *a, const void *b)
{
    struct ioprof_func *into = a;
    const struct ioprof_func *from = b;

    MERGE_RECORD(IOPROF_FUNC_FIELDS)
    if (from->top_rank_ns > into->top_rank_ns) {
        into->top_rank_ns = from->top_rank_ns;
        into->top_rank = from->top_rank;
    }
    add_all(into->sizes, from->sizes, IOPROF_SIZES);
}

static void merge_file(void *a, const void *b)
{
    struct ioprof_file *into = a;
    const struct ioprof_file *from = b;

    MERGE_RECORD(IOPROF_FILE_FIELDS)
    if (0 == strcmp(into->path, IOPROF_OTHER_FILES)) {
        into->files += from->files;
    }
    if (from->top_rank_bytes > into->top_rank_bytes) {
        into->top_rank_bytes = from->top_rank_bytes;
        into->top_rank = from->top_rank;
    }
    if (from->low_rank_bytes < into->low_rank_bytes) {
        into->low_rank_bytes = from->low_rank_bytes;
    }
    into->functions |= from->functions;
    if ('\0' == *text_of(into->hints)) {
        into->hints = from->hints;
    }
    if ('\0' == *text_of(into->fs)) {
        into->fs = from->fs;
        into->mount = from->mount;
    }
    add_all(&into->cell[0][0].calls, &from->cell[0][0].calls,
            IOPROF_CLASSES * IOPROF_KINDS * (int) (sizeof(struct ioprof_cell) / 8));
    add_all(&into->sizes[0][0][0], &from->sizes[0][0][0], IOPROF_CLASSES * 2 * IOPROF_SIZES);
}

static void merge_pvar(void *a, const void *b)
{
    struct ioprof_pvar *into = a;
    const struct ioprof_pvar *from = b;

    MERGE_RECORD(IOPROF_PVAR_FIELDS)
    LEAST(min)
}

/** Joins two sorted arrays. Items that compare equal are merged (without `merge`, the first stays),
 *  and counted. */
static int join(void **memory, void **items, size_t *n, const void *others, size_t nothers,
                size_t size, int (*compare)(const void *, const void *),
                void (*merge)(void *, const void *), size_t *equal)
{
    const char *a = *items, *b = others;
    const char *a_end = NULL == a ? a : a + *n * size, *b_end = NULL == b ? b : b + nothers * size;
    char *result, *out;

    if (0 == nothers) {
        return 0;
    }
    result = ioprof_arena_new(memory, (*n + nothers) * size);
    if (NULL == result) {
        return -1;
    }
    out = result;
    while (a < a_end || b < b_end) {
        int order = -1;

        if (a == a_end) {
            order = 1;
        } else if (b != b_end) {
            order = compare(a, b);
        }

        memcpy(out, order <= 0 ? a : b, size);
        if (0 == order && NULL != merge) {
            merge(out, b);
        }
        *equal += 0 == order;
        if (order <= 0) {
            a += size;
        }
        if (order >= 0) {
            b += size;
        }
        out += size;
    }
    *items = result;
    *n = (size_t) (out - result) / size;
    return 0;
}

static void add_memory(struct ioprof_memory *into, const struct ioprof_memory *from)
{
    ADD(samples)
    ADD(sum)
    MOST(max)
}

/** Adds the bins of `from`, whose start and width may differ, to those of `into`. */
static void add_timeline(struct ioprof_timeline *into, const struct ioprof_timeline *from)
{
    for (uint64_t i = 0; i < IOPROF_BINS; i++) {
        uint64_t at = from->start_ns + i * from->width_ns + from->width_ns / 2;
        uint64_t bin = (at - into->start_ns) / into->width_ns;

        if (bin >= IOPROF_BINS) {
            bin = IOPROF_BINS - 1;
        }
        add_all(&into->bin[bin][0][0].calls, &from->bin[i][0][0].calls,
                (int) (sizeof(into->bin[0]) / 8));
        add_memory(&into->memory[bin], &from->memory[i]);
        add_all(into->node[bin], from->node[i], IOPROF_NODE_COUNTERS);
    }
}

/** Width of bins that cover `ns`. */
static uint64_t width_for(uint64_t ns)
{
    return ns / IOPROF_BINS + (0 != ns % IOPROF_BINS);
}

/** Time of the end of the last bin that is used. */
static uint64_t timeline_end(const struct ioprof_timeline *time)
{
    static const struct ioprof_bin none[IOPROF_BIN_LAYERS][IOPROF_BIN_KINDS];

    for (uint64_t i = IOPROF_BINS; i > 0; i--) {
        if (0 != time->memory[i - 1].samples || 0 != memcmp(time->bin[i - 1], none, sizeof(none))) {
            return time->start_ns + i * time->width_ns;
        }
    }
    return time->start_ns;
}

static int merge_timeline(struct ioprof_timeline *into, const struct ioprof_timeline *from)
{
    struct ioprof_timeline *old = into->width_ns > 0 ? malloc(sizeof(*old)) : NULL;
    uint64_t end;

    if (0 == from->width_ns || 0 == into->width_ns) {
        if (0 == into->width_ns) {
            *into = *from;
        }
        free(old);
        return 0;
    }
    if (NULL == old) {
        return -1;
    }
    *old = *into;
    memset(into->bin, 0, sizeof(into->bin));
    memset(into->memory, 0, sizeof(into->memory));
    memset(into->node, 0, sizeof(into->node));
    LEAST(start_ns)
    MOST(width_ns)
    end = timeline_end(old);
    if (timeline_end(from) > end) {
        end = timeline_end(from);
    }
    while (into->width_ns < width_for(end - into->start_ns)) {
        into->width_ns *= 2;
    }
    add_timeline(into, old);
    add_timeline(into, from);
    free(old);
    return 0;
}

uint64_t ioprof_file_bytes(const struct ioprof_file *file)
{
    uint64_t bytes = 0;

    for (int class = 0; class < IOPROF_CLASSES; class ++) {
        bytes += file->cell[class][IOPROF_READ].bytes + file->cell[class][IOPROF_WRITE].bytes;
    }
    return bytes;
}

static int by_bytes_down(const void *a, const void *b)
{
    uint64_t x = ioprof_file_bytes(a), y = ioprof_file_bytes(b);

    if (x != y) {
        return x > y ? -1 : 1;
    }
    return by_path(a, b);
}

static int by_pointed_bytes(const void *a, const void *b)
{
    return by_bytes_down(*(struct ioprof_file *const *) a, *(struct ioprof_file *const *) b);
}

struct ioprof_file **ioprof_files_by_bytes(const struct ioprof_profile *p)
{
    struct ioprof_file **order = calloc(p->nfiles + 1, sizeof(*order));

    for (size_t i = 0; NULL != order && i < p->nfiles; i++) {
        order[i] = &p->files[i];
    }
    if (NULL != order) {
        qsort(order, p->nfiles, sizeof(*order), by_pointed_bytes);
    }
    return order;
}

uint64_t ioprof_job_start(const struct ioprof_profile *p)
{
    uint64_t start = 0 == p->nranks ? p->time.start_ns : p->ranks[0].start_ns;

    for (size_t i = 1; i < p->nranks; i++) {
        if (p->ranks[i].start_ns < start) {
            start = p->ranks[i].start_ns;
        }
    }
    return start;
}

/** Sums up the files with the least bytes, so that a profile keeps IOPROF_MAX_FILES at most. */
static void limit_files(struct ioprof_profile *p)
{
    struct ioprof_file *other;
    size_t i;

    if (p->nfiles <= IOPROF_MAX_FILES) {
        return;
    }
    qsort(p->files, p->nfiles, sizeof(*p->files), by_bytes_down);
    for (i = 0; i < IOPROF_MAX_FILES - 1; i++) {
        if (0 == strcmp(p->files[i].path, IOPROF_OTHER_FILES)) {
            struct ioprof_file swap = p->files[i];

            p->files[i] = p->files[IOPROF_MAX_FILES - 1];
            p->files[IOPROF_MAX_FILES - 1] = swap;
        }
    }
    other = &p->files[IOPROF_MAX_FILES - 1];
    other->path = (char *) IOPROF_OTHER_FILES;
    other->hints = other->fs = other->mount = NULL;
    for (i = IOPROF_MAX_FILES; i < p->nfiles; i++) {
        merge_file(other, &p->files[i]);
    }
    p->nfiles = IOPROF_MAX_FILES;
    sort_items(p->files, p->nfiles, sizeof(*p->files), by_path);
}

#define JOIN(items, compare, merge, equal)                                                    \
    join(&into->memory, (void **) &into->items, &into->n##items, from->items, from->n##items, \
         sizeof(*into->items), compare, merge, equal)

int ioprof_merge(struct ioprof_profile *into, struct ioprof_profile *from, char *why,
                 size_t why_bytes)
{
    size_t twice = 0, unused = 0;
    int rc = 0;

    ioprof_arena_join(&into->memory, from->memory);
    from->memory = NULL;
    if (0 == into->nfacts) {
        into->facts = from->facts;
        into->nfacts = from->nfacts;
    }
    rc |= JOIN(ranks, by_rank, NULL, &twice);
    rc |= JOIN(funcs, ioprof_by_function, merge_func, &unused);
    rc |= JOIN(files, by_path, merge_file, &unused);
    rc |= JOIN(pvars, by_variable, merge_pvar, &unused);
    rc |= JOIN(chunks, by_chunk, NULL, &unused);
    rc |= merge_timeline(&into->time, &from->time);
    limit_files(into);
    ioprof_free(from);
    if (rc < 0) {
        snprintf(why, why_bytes, "no memory to merge profiles");
    } else if (0 != twice) {
        snprintf(why, why_bytes, "%zu ranks are in more than one of the profiles", twice);
        rc = -1;
    }
    return rc;
}

int ioprof_read_all(char **paths, int count, struct ioprof_profile **profile, char *why,
                    size_t why_bytes)
{
    struct ioprof_profile *next;

    *profile = NULL;
    for (int i = 0; i < count; i++) {
        char reason[256];

        if (ioprof_read(paths[i], &next, why, why_bytes) < 0) {
            ioprof_free(*profile);
            *profile = NULL;
            return -1;
        }
        if (NULL == *profile) {
            *profile = next;
        } else if (ioprof_merge(*profile, next, reason, sizeof(reason)) < 0) {
            snprintf(why, why_bytes, "%s: %s", paths[i], reason);
            ioprof_free(*profile);
            *profile = NULL;
            return -1;
        }
    }
    return 0;
}

const char *ioprof_fact(const struct ioprof_profile *profile, const char *key)
{
    for (size_t i = 0; i < profile->nfacts; i++) {
        if (0 == strcmp(profile->facts[i].key, key)) {
            return profile->facts[i].value;
        }
    }
    return "?";
}

struct ioprof_cell ioprof_sum(const struct ioprof_profile *profile, enum ioprof_class class,
                              enum ioprof_kind kind)
{
    struct ioprof_cell sum = {0};

    for (size_t i = 0; i < profile->nfuncs; i++) {
        const struct ioprof_func *func = &profile->funcs[i];

        if (func->class == class && func->kind == kind) {
            sum.calls += func->calls;
            sum.errors += func->errors;
            sum.ns += func->ns;
            sum.bytes += func->bytes;
        }
    }
    return sum;
}
