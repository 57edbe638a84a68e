/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/arena.h"
#include "profile/fields.h"
#include "profile/profile.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being decoded, and where a sentence about an error goes. */
struct decoder {
    struct ioprof_profile *p;
    char *why;
    size_t why_bytes;
};

static int fail(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct decoder *d, const char *format, ...)
{
    va_list args;

    if (0 != d->why_bytes) {
        va_start(args, format);
        vsnprintf(d->why, d->why_bytes, format, args);
        va_end(args);
    }
    return -1;
}

/** A reader of a record: numbers that an older writer did not have are 0. */
struct record {
    struct ioprof_cursor *in;
    uint64_t left;
};

static uint64_t next(struct record *r)
{
    if (0 == r->left) {
        return 0;
    }
    r->left--;
    return ioprof_get(r->in);
}

static void next_n(struct record *r, uint64_t *values, int n, uint64_t minus)
{
    for (int i = 0; i < n; i++) {
        values[i] = next(r) - minus;
    }
}

#define GET(field)            record->field = next(&r);
#define GET_MINUS(field)      record->field = next(&r) - 1;
#define GET_N(field, n)       next_n(&r, record->field, n, 0);
#define GET_MINUS_N(field, n) next_n(&r, record->field, n, 1);
#define GET_RECORD(FIELDS)                                          \
    do {                                                            \
        struct record r = {in, ioprof_get(in)};                     \
        FIELDS(GET, GET_N, GET, GET_N, GET_MINUS, GET_MINUS_N, GET) \
        while (r.left > 0 && !in->bad) {                            \
            (void) next(&r);                                        \
        }                                                           \
    } while (0)

static char *get_string(struct decoder *d, struct ioprof_cursor *in)
{
    size_t bytes;
    const char *text = ioprof_get_string(in, &bytes);
    char *copy = ioprof_arena_new(&d->p->memory, bytes + 1);

    if (NULL == copy) {
        in->bad = 1;
        return NULL;
    }
    memcpy(copy, text, bytes);
    return copy;
}

/** An array of as many items as the payload announces; each takes some bytes of what is left. */
static void *get_array(struct decoder *d, struct ioprof_cursor *in, size_t item, size_t *n)
{
    uint64_t count = ioprof_get(in);
    void *items;

    *n = 0;
    if (count > (uint64_t) (in->end - in->at) / 2) {
        in->bad = 1;
        return NULL;
    }
    items = ioprof_arena_new(&d->p->memory, (size_t) count * item);
    if (NULL == items) {
        in->bad = 1;
        return NULL;
    }
    *n = (size_t) count;
    return items;
}

static void get_cells(struct ioprof_cursor *in, struct ioprof_cell *cells)
{
    uint64_t n = ioprof_get(in);

    for (; n > 0 && !in->bad; n--) {
        uint64_t index = ioprof_get(in);
        struct ioprof_cell cell;

        cell.calls = ioprof_get(in);
        cell.errors = ioprof_get(in);
        cell.ns = ioprof_get(in);
        cell.bytes = ioprof_get(in);
        if (index < IOPROF_CLASSES * IOPROF_KINDS) {
            cells[index] = cell;
        } else {
            in->bad = 1;
        }
    }
}

static void get_sizes(struct ioprof_cursor *in, uint64_t *sizes)
{
    for (int i = 0; i < IOPROF_SIZES; i++) {
        sizes[i] = ioprof_get(in);
    }
}

static void get_facts(struct decoder *d, struct ioprof_cursor *in)
{
    struct ioprof_profile *p = d->p;

    p->facts = get_array(d, in, sizeof(*p->facts), &p->nfacts);
    for (size_t i = 0; i < p->nfacts && !in->bad; i++) {
        p->facts[i].key = get_string(d, in);
        p->facts[i].value = get_string(d, in);
    }
}

static void get_ranks(struct decoder *d, struct ioprof_cursor *in)
{
    struct ioprof_profile *p = d->p;

    p->ranks = get_array(d, in, sizeof(*p->ranks), &p->nranks);
    for (size_t i = 0; i < p->nranks && !in->bad; i++) {
        struct ioprof_rank *record = &p->ranks[i];

        record->host = get_string(d, in);
        GET_RECORD(IOPROF_RANK_FIELDS);
        get_cells(in, &record->cell[0][0]);
    }
}

static void get_funcs(struct decoder *d, struct ioprof_cursor *in)
{
    struct ioprof_profile *p = d->p;

    p->funcs = get_array(d, in, sizeof(*p->funcs), &p->nfuncs);
    for (size_t i = 0; i < p->nfuncs && !in->bad; i++) {
        struct ioprof_func *record = &p->funcs[i];

        record->name = get_string(d, in);
        GET_RECORD(IOPROF_FUNC_FIELDS);
        get_sizes(in, record->sizes);
        in->bad |= record->kind >= IOPROF_KINDS || record->class >= IOPROF_CLASSES;
    }
}

static void get_files(struct decoder *d, struct ioprof_cursor *in)
{
    struct ioprof_profile *p = d->p;

    p->files = get_array(d, in, sizeof(*p->files), &p->nfiles);
    for (size_t i = 0; i < p->nfiles && !in->bad; i++) {
        struct ioprof_file *record = &p->files[i];

        record->path = get_string(d, in);
        record->hints = get_string(d, in);
        GET_RECORD(IOPROF_FILE_FIELDS);
        get_cells(in, &record->cell[0][0]);
        for (uint64_t lists = ioprof_get(in); lists > 0 && !in->bad; lists--) {
            uint64_t list = ioprof_get(in);

            if (list >= 2 * IOPROF_CLASSES) {
                in->bad = 1;
            } else {
                get_sizes(in, record->sizes[list / 2][list % 2]);
            }
        }
    }
}

/** Bins of the rows [first, first + rows), numbered without the others. */
static void get_bins(struct ioprof_timeline *time, struct ioprof_cursor *in, uint64_t first,
                     uint64_t rows)
{
    for (uint64_t n = ioprof_get(in); n > 0 && !in->bad; n--) {
        uint64_t index = ioprof_get(in);
        struct ioprof_bin bin;

        bin.calls = ioprof_get(in);
        bin.ns = ioprof_get(in);
        bin.bytes = ioprof_get(in);
        if (index < IOPROF_BINS * IOPROF_BIN_LAYERS * rows) {
            uint64_t place = index / rows;

            time->bin[place / IOPROF_BIN_LAYERS][place % IOPROF_BIN_LAYERS][first + index % rows] =
                bin;
        } else {
            in->bad = 1;
        }
    }
}

static void get_timeline(struct decoder *d, struct ioprof_cursor *in)
{
    d->p->time.start_ns = ioprof_get(in);
    d->p->time.width_ns = ioprof_get(in);
    get_bins(&d->p->time, in, 0, IOPROF_SPAN_KINDS);
}

static void get_meta(struct decoder *d, struct ioprof_cursor *in)
{
    get_bins(&d->p->time, in, IOPROF_SPAN_KINDS, 1);
}

static void get_memory(struct decoder *d, struct ioprof_cursor *in)
{
    struct ioprof_memory *memory = d->p->time.memory;
    uint64_t n = ioprof_get(in);

    in->bad |= n > IOPROF_BINS;
    for (uint64_t i = 0; i < n && !in->bad; i++) {
        memory[i].samples = ioprof_get(in);
        memory[i].sum = ioprof_get(in);
        memory[i].max = ioprof_get(in);
    }
}

/** Counters that a later writer may have added are skipped. */
static void get_node(struct decoder *d, struct ioprof_cursor *in)
{
    uint64_t n = ioprof_get(in), counters = ioprof_get(in);

    in->bad |= n > IOPROF_BINS;
    for (uint64_t i = 0; i < n && !in->bad; i++) {
        for (uint64_t k = 0; k < counters && !in->bad; k++) {
            uint64_t value = ioprof_get(in);

            if (k < IOPROF_NODE_COUNTERS) {
                d->p->time.node[i][k] = value;
            }
        }
    }
}

/** File systems of the files, which an earlier section has. */
static void get_places(struct decoder *d, struct ioprof_cursor *in)
{
    struct ioprof_profile *p = d->p;

    for (uint64_t n = ioprof_get(in); n > 0 && !in->bad; n--) {
        uint64_t index = ioprof_get(in);
        char *fs = get_string(d, in), *mount = get_string(d, in);

        if (index < p->nfiles) {
            p->files[index].fs = fs;
            p->files[index].mount = mount;
        } else {
            in->bad = 1;
        }
    }
}

static void get_pvars(struct decoder *d, struct ioprof_cursor *in)
{
    struct ioprof_profile *p = d->p;

    p->pvars = get_array(d, in, sizeof(*p->pvars), &p->npvars);
    for (size_t i = 0; i < p->npvars && !in->bad; i++) {
        struct ioprof_pvar *record = &p->pvars[i];

        record->name = get_string(d, in);
        record->text = get_string(d, in);
        GET_RECORD(IOPROF_PVAR_FIELDS);
    }
}

/** Events stay encoded, where they are: reports ask for them chunk by chunk. */
static void get_events(struct decoder *d, struct ioprof_cursor *in)
{
    struct ioprof_profile *p = d->p;
    size_t bytes = (size_t) (in->end - in->at);
    const unsigned char *data = in->at;

    if (0 == (p->nchunks & (p->nchunks - 1))) { /* full: 1, 2, 4, ... have room */
        struct ioprof_chunk *more = ioprof_arena_new(
            &p->memory, (0 == p->nchunks ? 1 : 2 * p->nchunks) * sizeof(*more));

        if (NULL == more) {
            in->bad = 1;
            return;
        }
        if (0 != p->nchunks) {
            memcpy(more, p->chunks, p->nchunks * sizeof(*more));
        }
        p->chunks = more;
    }
    p->chunks[p->nchunks++] = (struct ioprof_chunk){ioprof_get(in), data, bytes};
    in->at = in->end;
}

static uint64_t get_fixed(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t) at[i] << (8 * i);
    }
    return value;
}

static int decode_payload(struct decoder *d, const char *tag, struct ioprof_cursor in)
{
    static const struct {
        char tag[5];
        void (*get)(struct decoder *, struct ioprof_cursor *);
    } sections[] = {{"FACT", get_facts},  {"RANK", get_ranks},    {"FUNC", get_funcs},
                    {"FILE", get_files},  {"TIME", get_timeline}, {"PVAR", get_pvars},
                    {"EVNT", get_events}, {"META", get_meta},     {"MEMO", get_memory},
                    {"NODE", get_node},   {"PLAC", get_places}};

    for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
        if (0 == memcmp(tag, sections[i].tag, 4)) {
            sections[i].get(d, &in);
            if (in.bad) {
                return fail(d, "damaged: section %s does not hold what it announces", tag);
            }
        }
    }
    return 0;
}

static int decode_sections(struct decoder *d, const unsigned char *at, const unsigned char *end)
{
    uint64_t sections = get_fixed(at + 12, 4);

    for (at += 16; end - at >= 16;) {
        char tag[5] = {0};
        uint64_t bytes = get_fixed(at + 8, 8);
        uint32_t crc = (uint32_t) get_fixed(at + 4, 4);

        memcpy(tag, at, 4);
        at += 16;
        if (bytes > (uint64_t) (end - at)) {
            return fail(d, "truncated: section %.4s has %llu bytes, %llu of them are there", tag,
                        (unsigned long long) bytes, (unsigned long long) (end - at));
        }
        if (crc != ioprof_crc(ioprof_crc(0, tag, 4), at - 8, 8 + bytes)) {
            return fail(d, "damaged: the checksum of section %.4s is wrong", tag);
        }
        if (0 == memcmp(tag, "END ", 4)) {
            if (0 != sections) {
                return fail(d, "damaged: %llu sections are missing", (unsigned long long) sections);
            }
            return at == end ? 0 : fail(d, "damaged: there are bytes after the end");
        }
        if (decode_payload(d, tag, (struct ioprof_cursor){at, at + bytes, 0}) < 0) {
            return -1;
        }
        sections--;
        at += bytes;
    }
    return fail(d, "truncated: its last section is missing");
}

/** The events of the profile stay in `data`. */
static int decode(const void *data, size_t bytes, struct ioprof_profile **profile, char *why,
                  size_t why_bytes)
{
    struct decoder d = {calloc(1, sizeof(*d.p)), why, why_bytes};
    const unsigned char *at = data;
    int rc;

    *profile = NULL;
    if (NULL == d.p) {
        return fail(&d, "no memory");
    }
    if (bytes < 16 && 0 == memcmp(at, "IOPROF\r\n", bytes < 8 ? bytes : 8)) {
        rc = fail(&d, "truncated: it has %zu bytes only", bytes);
    } else if (bytes < 16 || 0 != memcmp(at, "IOPROF\r\n", 8)) {
        rc = fail(&d, "not a profile of ioprof");
    } else if (get_fixed(at + 8, 4) > IOPROF_VERSION) {
        rc = fail(&d, "its format is version %u, newer than this ioprof's %d",
                  (unsigned) get_fixed(at + 8, 4), IOPROF_VERSION);
    } else {
        rc = decode_sections(&d, at, at + bytes);
    }
    if (rc < 0) {
        ioprof_free(d.p);
        return -1;
    }
    ioprof_sort(d.p);
    *profile = d.p;
    return 0;
}

int ioprof_decode_own(void *data, size_t bytes, struct ioprof_profile **profile, char *why,
                      size_t why_bytes)
{
    if (decode(data, bytes, profile, why, why_bytes) < 0) {
        free(data);
        return -1;
    }
    if (ioprof_arena_adopt(&(*profile)->memory, data) < 0) {
        free(data);
        ioprof_free(*profile);
        *profile = NULL;
        snprintf(why, why_bytes, "no memory");
        return -1;
    }
    return 0;
}

int ioprof_decode(const void *data, size_t bytes, struct ioprof_profile **profile, char *why,
                  size_t why_bytes)
{
    void *copy = malloc(bytes + 1);

    *profile = NULL;
    if (NULL == copy) {
        snprintf(why, why_bytes, "no memory");
        return -1;
    }
    memcpy(copy, data, bytes);
    return ioprof_decode_own(copy, bytes, profile, why, why_bytes);
}

void ioprof_free(struct ioprof_profile *profile)
{
    if (NULL != profile) {
        ioprof_arena_free(profile->memory);
        free(profile);
    }
}

static unsigned char *read_whole(FILE *stream, size_t *bytes)
{
    size_t room = 1 << 16, n;
    unsigned char *data = malloc(room), *more;

    *bytes = 0;
    while (NULL != data && (n = fread(data + *bytes, 1, room - *bytes, stream)) > 0) {
        *bytes += n;
        if (*bytes == room) {
            room *= 2;
            more = realloc(data, room);
            if (NULL == more) {
                free(data);
            }
            data = more;
        }
    }
    if (NULL != data && ferror(stream)) {
        free(data);
        return NULL;
    }
    return data;
}

int ioprof_read(const char *path, struct ioprof_profile **profile, char *why, size_t why_bytes)
{
    struct decoder d = {NULL, why, why_bytes};
    FILE *stream = fopen(path, "rb");
    unsigned char *data;
    char reason[256];
    size_t bytes;

    *profile = NULL;
    if (NULL == stream) {
        return fail(&d, "%s: %s", path, strerror(errno));
    }
    data = read_whole(stream, &bytes);
    fclose(stream);
    if (NULL == data) {
        return fail(&d, "%s: %s", path, strerror(errno));
    }
    if (ioprof_decode_own(data, bytes, profile, reason, sizeof(reason)) < 0) {
        return fail(&d, "%s: %s", path, reason);
    }
    return 0;
}
