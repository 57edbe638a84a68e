/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/sections.h"
#include "profile/arena.h"
#include "profile/fields.h"

#include <string.h>

static void number(struct ioprof_codec *c, uint64_t *value)
{
    if (NULL != c->out) {
        ioprof_put(c->out, *value);
    } else {
        *value = ioprof_get(&c->in);
    }
}

static void numbers(struct ioprof_codec *c, uint64_t *values, int n)
{
    for (int i = 0; i < n; i++) {
        number(c, &values[i]);
    }
}

static void string(struct ioprof_codec *c, char **text)
{
    const char *found;
    size_t bytes;

    if (NULL != c->out) {
        ioprof_put_string(c->out, *text);
        return;
    }
    found = ioprof_get_string(&c->in, &bytes);
    *text = ioprof_arena_new(&c->p->memory, bytes + 1);
    if (NULL == *text) {
        c->in.bad = 1;
    } else {
        memcpy(*text, found, bytes);
    }
}

/** An array of *n items. One that is read has as many as the payload announces; each item takes
 *  some bytes of what is left. */
static void *array(struct ioprof_codec *c, void *items, size_t item, size_t *n)
{
    uint64_t count = *n;

    number(c, &count);
    if (NULL != c->out) {
        return items;
    }
    items = count > (uint64_t) (c->in.end - c->in.at) / 2
                ? NULL
                : ioprof_arena_new(&c->p->memory, (size_t) count * item);
    c->in.bad |= NULL == items;
    *n = NULL == items ? 0 : (size_t) count;
    return items;
}

/** A field of n numbers, each stored plus `plus`. *left: numbers of the record that follow; those
 *  that an older writer did not have are 0. */
static void field(struct ioprof_codec *c, uint64_t *left, uint64_t *values, int n, uint64_t plus)
{
    for (int i = 0; i < n; i++) {
        uint64_t value = NULL != c->out ? values[i] + plus : 0;

        if (NULL != c->out || *left > 0) {
            number(c, &value);
            *left -= *left > 0;
        }
        if (NULL == c->out) {
            values[i] = value - plus;
        }
    }
}

#define COUNT(name)           +1
#define COUNT_N(name, n)      +(n)
#define FIELD(name)           field(c, &left, &record->name, 1, 0);
#define FIELD_PLUS(name)      field(c, &left, &record->name, 1, 1);
#define FIELD_N(name, n)      field(c, &left, record->name, n, 0);
#define FIELD_PLUS_N(name, n) field(c, &left, record->name, n, 1);
#define RECORD(FIELDS)                                                                   \
    do {                                                                                 \
        uint64_t left = 0 FIELDS(COUNT, COUNT_N, COUNT, COUNT_N, COUNT, COUNT_N, COUNT); \
                                                                                         \
        number(c, &left);                                                                \
        FIELDS(FIELD, FIELD_N, FIELD, FIELD_N, FIELD_PLUS, FIELD_PLUS_N, FIELD)          \
        while (left > 0 && !c->in.bad) { /* fields of a later writer */                  \
            uint64_t unused = 0;                                                         \
                                                                                         \
            field(c, &left, &unused, 1, 0);                                              \
        }                                                                                \
    } while (0)

static int is_empty(const uint64_t *values, int n)
{
    uint64_t any = 0;

    for (int i = 0; i < n; i++) {
        any |= values[i];
    }
    return 0 == any;
}

/** A list of items of a table, each of `values` numbers: items that are not 0, with their index in
 *  front. Another thread may be counting: `dense` writes all items up to the last one that is not
 *  0, for tables whose items may become 0 again. */
static void list(struct ioprof_codec *c, uint64_t *(*item)(void *data, uint64_t index), void *data,
                 uint64_t items, int values, int dense)
{
    uint64_t n = 0;

    for (uint64_t i = 0; NULL != c->out && i < items; i++) {
        n = is_empty(item(data, i), values) ? n : (dense ? i + 1 : n + 1);
    }
    number(c, &n);
    for (uint64_t i = 0; n > 0 && i < items && !c->in.bad; i++) {
        uint64_t index = i;

        if (NULL != c->out && !dense && is_empty(item(data, i), values)) {
            continue;
        }
        number(c, &index);
        if (index < items) {
            numbers(c, item(data, index), values);
            n--;
        } else {
            c->in.bad = 1;
        }
    }
    c->in.bad |= NULL == c->out && n > 0;
}

static uint64_t *cell_of(void *cells, uint64_t index)
{
    return &((struct ioprof_cell *) cells)[index].calls;
}

static void cells(struct ioprof_codec *c, struct ioprof_cell *cell)
{
    list(c, cell_of, cell, IOPROF_CLASSES * IOPROF_KINDS, 4, 0);
}

static void facts(struct ioprof_codec *c)
{
    struct ioprof_profile *p = c->p;

    p->facts = array(c, p->facts, sizeof(*p->facts), &p->nfacts);
    for (size_t i = 0; i < p->nfacts && !c->in.bad; i++) {
        string(c, &p->facts[i].key);
        string(c, &p->facts[i].value);
    }
}

static void ranks(struct ioprof_codec *c)
{
    struct ioprof_profile *p = c->p;

    p->ranks = array(c, p->ranks, sizeof(*p->ranks), &p->nranks);
    for (size_t i = 0; i < p->nranks && !c->in.bad; i++) {
        struct ioprof_rank *record = &p->ranks[i];

        string(c, &record->host);
        RECORD(IOPROF_RANK_FIELDS);
        cells(c, &record->cell[0][0]);
    }
}

static void funcs(struct ioprof_codec *c)
{
    struct ioprof_profile *p = c->p;

    p->funcs = array(c, p->funcs, sizeof(*p->funcs), &p->nfuncs);
    for (size_t i = 0; i < p->nfuncs && !c->in.bad; i++) {
        struct ioprof_func *record = &p->funcs[i];

        string(c, &record->name);
        RECORD(IOPROF_FUNC_FIELDS);
        numbers(c, record->sizes, IOPROF_SIZES);
        c->in.bad |= record->kind >= IOPROF_KINDS || record->class >= IOPROF_CLASSES;
    }
}

static uint64_t *sizes_of(void *file, uint64_t index)
{
    return ((struct ioprof_file *) file)->sizes[index / 2][index % 2];
}

static void files(struct ioprof_codec *c)
{
    struct ioprof_profile *p = c->p;

    p->files = array(c, p->files, sizeof(*p->files), &p->nfiles);
    for (size_t i = 0; i < p->nfiles && !c->in.bad; i++) {
        struct ioprof_file *record = &p->files[i];

        string(c, &record->path);
        string(c, &record->hints);
        RECORD(IOPROF_FILE_FIELDS);
        cells(c, &record->cell[0][0]);
        list(c, sizes_of, record, 2 * IOPROF_CLASSES, IOPROF_SIZES, 0);
    }
}

static uint64_t *span_of(void *time, uint64_t index)
{
    uint64_t place = index / IOPROF_SPAN_KINDS;

    return &((struct ioprof_timeline *) time)
                ->bin[place / IOPROF_BIN_LAYERS][place % IOPROF_BIN_LAYERS]
                     [index % IOPROF_SPAN_KINDS]
                .calls;
}

static void timeline(struct ioprof_codec *c)
{
    number(c, &c->p->time.start_ns);
    number(c, &c->p->time.width_ns);
    list(c, span_of, &c->p->time, IOPROF_BINS * IOPROF_BIN_LAYERS * IOPROF_SPAN_KINDS, 3, 1);
}

static uint64_t *meta_of(void *time, uint64_t index)
{
    return &((struct ioprof_timeline *) time)
                ->bin[index / IOPROF_BIN_LAYERS][index % IOPROF_BIN_LAYERS][IOPROF_SPAN_KINDS]
                .calls;
}

static void meta(struct ioprof_codec *c)
{
    list(c, meta_of, &c->p->time, IOPROF_BINS * IOPROF_BIN_LAYERS, 3, 1);
}

static void memory(struct ioprof_codec *c)
{
    uint64_t n = IOPROF_BINS;

    number(c, &n);
    c->in.bad |= n > IOPROF_BINS;
    for (uint64_t i = 0; i < n && !c->in.bad; i++) {
        numbers(c, &c->p->time.memory[i].samples, 3);
    }
}

/** Counters that a later writer may have added are skipped. */
static void node(struct ioprof_codec *c)
{
    uint64_t n = IOPROF_BINS, counters = IOPROF_NODE_COUNTERS, unused;

    number(c, &n);
    number(c, &counters);
    c->in.bad |= n > IOPROF_BINS;
    for (uint64_t i = 0; i < n && !c->in.bad; i++) {
        for (uint64_t k = 0; k < counters && !c->in.bad; k++) {
            number(c, k < IOPROF_NODE_COUNTERS ? &c->p->time.node[i][k] : &unused);
        }
    }
}

/** File systems of the files, which an earlier section has: an entry for each file that has one. */
static void places(struct ioprof_codec *c)
{
    struct ioprof_profile *p = c->p;
    uint64_t n = 0;

    for (size_t i = 0; NULL != c->out && i < p->nfiles; i++) {
        n += NULL != p->files[i].fs;
    }
    number(c, &n);
    for (uint64_t i = 0; n > 0 && i < p->nfiles && !c->in.bad; i++) {
        uint64_t index = i;

        if (NULL != c->out && NULL == p->files[i].fs) {
            continue;
        }
        number(c, &index);
        if (index < p->nfiles) {
            string(c, &p->files[index].fs);
            string(c, &p->files[index].mount);
            n--;
        } else {
            c->in.bad = 1;
        }
    }
    c->in.bad |= NULL == c->out && n > 0;
}

static void pvars(struct ioprof_codec *c)
{
    struct ioprof_profile *p = c->p;

    p->pvars = array(c, p->pvars, sizeof(*p->pvars), &p->npvars);
    for (size_t i = 0; i < p->npvars && !c->in.bad; i++) {
        struct ioprof_pvar *record = &p->pvars[i];

        string(c, &record->name);
        string(c, &record->text);
        RECORD(IOPROF_PVAR_FIELDS);
    }
}

/** Events stay encoded, where they are: reports read them chunk by chunk. */
static void events(struct ioprof_codec *c)
{
    struct ioprof_profile *p = c->p;
    size_t bytes = (size_t) (c->in.end - c->in.at);
    const unsigned char *data = c->in.at;

    if (0 == (p->nchunks & (p->nchunks - 1))) { /* full: 1, 2, 4, ... have room */
        struct ioprof_chunk *more = ioprof_arena_new(
            &p->memory, (0 == p->nchunks ? 1 : 2 * p->nchunks) * sizeof(*more));

        if (NULL == more) {
            c->in.bad = 1;
            return;
        }
        if (0 != p->nchunks) {
            memcpy(more, p->chunks, p->nchunks * sizeof(*more));
        }
        p->chunks = more;
    }
    p->chunks[p->nchunks++] = (struct ioprof_chunk){ioprof_get(&c->in), data, bytes};
}

const struct ioprof_section ioprof_sections[IOPROF_SECTIONS] = {
    {"FACT", facts},  {"RANK", ranks}, {"FUNC", funcs},    {"FILE", files},
    {"PLAC", places}, {"PVAR", pvars}, {"TIME", timeline}, {"META", meta},
    {"MEMO", memory}, {"NODE", node},  {"EVNT", events}};
