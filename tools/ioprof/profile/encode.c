/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/fields.h"
#include "profile/profile.h"

#include <string.h>

const uint64_t ioprof_size_from[IOPROF_SIZES] = {
    0, 1, 512, 4096, 32768, 262144, 1 << 20, 4U << 20, 16U << 20, 128U << 20, 1U << 30};

int ioprof_size_bucket(uint64_t bytes)
{
    int bucket = 0;

    while (bucket + 1 < IOPROF_SIZES && bytes >= ioprof_size_from[bucket + 1]) {
        bucket++;
    }
    return bucket;
}

const char *ioprof_class_name(uint64_t class)
{
    static const char *const names[IOPROF_CLASSES] = {"MPI-IO collective", "MPI-IO independent",
                                                      "MPI-IO completion", "POSIX", "<POSIX"};

    return class < IOPROF_CLASSES ? names[class] : "unknown";
}

const char *ioprof_kind_name(uint64_t kind)
{
    static const char *const names[IOPROF_KINDS] = {"open", "close", "read", "write",
                                                    "sync", "meta",  "seek", "wait"};

    return kind < IOPROF_KINDS ? names[kind] : "unknown";
}

int ioprof_bin_kind(uint64_t kind)
{
    return kind < IOPROF_SPAN_KINDS ? (int) kind : (IOPROF_META == kind ? IOPROF_SPAN_KINDS : -1);
}

const char *ioprof_bin_name(int row)
{
    return ioprof_kind_name(IOPROF_SPAN_KINDS == row ? IOPROF_META : (uint64_t) row);
}

const char *ioprof_node_name(int counter)
{
    static const char *const names[IOPROF_NODE_COUNTERS] = {
        "cpu_ns",      "net_received",   "net_sent",     "disk_read",    "disk_written",
        "lustre_read", "lustre_written", "lustre_reads", "lustre_writes"};

    return names[counter];
}

#define COUNT(field)         +1
#define COUNT_N(field, n)    +(n)
#define PUT(field)           ioprof_put(out, record->field);
#define PUT_PLUS(field)      ioprof_put(out, record->field + 1);
#define PUT_N(field, n)      put_all(out, record->field, n, 0);
#define PUT_PLUS_N(field, n) put_all(out, record->field, n, 1);
#define PUT_RECORD(FIELDS)                                                                \
    do {                                                                                  \
        ioprof_put(out, 0 FIELDS(COUNT, COUNT_N, COUNT, COUNT_N, COUNT, COUNT_N, COUNT)); \
        FIELDS(PUT, PUT_N, PUT, PUT_N, PUT_PLUS, PUT_PLUS_N, PUT)                         \
    } while (0)

static void put_all(struct ioprof_buffer *out, const uint64_t *values, int n, uint64_t plus)
{
    for (int i = 0; i < n; i++) {
        ioprof_put(out, values[i] + plus);
    }
}

static void put_cells(struct ioprof_buffer *out,
                      const struct ioprof_cell cells[IOPROF_CLASSES][IOPROF_KINDS])
{
    const struct ioprof_cell *cell = &cells[0][0];
    int n = 0;

    /* Another thread may be counting: calls can become more than 0 after this, never 0 again. */
    for (int i = 0; i < IOPROF_CLASSES * IOPROF_KINDS; i++) {
        n += 0 != cell[i].calls;
    }
    ioprof_put(out, (uint64_t) n);
    for (int i = 0; i < IOPROF_CLASSES * IOPROF_KINDS && n > 0; i++) {
        if (0 != cell[i].calls) {
            ioprof_put(out, (uint64_t) i);
            ioprof_put(out, cell[i].calls);
            ioprof_put(out, cell[i].errors);
            ioprof_put(out, cell[i].ns);
            ioprof_put(out, cell[i].bytes);
            n--;
        }
    }
}

static void put_ranks(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    ioprof_put(out, p->nranks);
    for (size_t i = 0; i < p->nranks; i++) {
        const struct ioprof_rank *record = &p->ranks[i];

        ioprof_put_string(out, record->host);
        PUT_RECORD(IOPROF_RANK_FIELDS);
        put_cells(out, record->cell);
    }
}

static void put_funcs(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    ioprof_put(out, p->nfuncs);
    for (size_t i = 0; i < p->nfuncs; i++) {
        const struct ioprof_func *record = &p->funcs[i];

        ioprof_put_string(out, record->name);
        PUT_RECORD(IOPROF_FUNC_FIELDS);
        put_all(out, record->sizes, IOPROF_SIZES, 0);
    }
}

static int has_sizes(const struct ioprof_file *file, int list)
{
    const struct ioprof_cell *cell =
        &file->cell[list / 2][0 == list % 2 ? IOPROF_READ : IOPROF_WRITE];
    return 0 != cell->calls;
}

static void put_files(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    ioprof_put(out, p->nfiles);
    for (size_t i = 0; i < p->nfiles; i++) {
        const struct ioprof_file *record = &p->files[i];
        unsigned lists = 0;

        ioprof_put_string(out, record->path);
        ioprof_put_string(out, record->hints);
        PUT_RECORD(IOPROF_FILE_FIELDS);
        put_cells(out, record->cell);
        /* Another thread may be counting: what is listed is decided once. */
        for (int list = 0; list < 2 * IOPROF_CLASSES; list++) {
            lists |= has_sizes(record, list) ? 1U << list : 0;
        }
        ioprof_put(out, (uint64_t) __builtin_popcount(lists));
        for (int list = 0; list < 2 * IOPROF_CLASSES; list++) {
            if (0 != (lists & (1U << list))) {
                ioprof_put(out, (uint64_t) list);
                put_all(out, record->sizes[list / 2][list % 2], IOPROF_SIZES, 0);
            }
        }
    }
}

/** Bins of the rows [first, first + rows), numbered without the others. */
static void put_bins(struct ioprof_buffer *out, const struct ioprof_timeline *time, int first,
                     int rows)
{
    int all = IOPROF_BINS * IOPROF_BIN_LAYERS * rows, used = 0;
    const struct ioprof_bin *bin;

    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < (0 == pass ? all : used); i++) {
            bin = &time->bin[i / rows / IOPROF_BIN_LAYERS][i / rows % IOPROF_BIN_LAYERS]
                            [first + i % rows];
            if (0 == pass) {
                used = 0 != (bin->calls | bin->ns | bin->bytes) ? i + 1 : used;
            } else {
                ioprof_put(out, (uint64_t) i);
                ioprof_put(out, bin->calls);
                ioprof_put(out, bin->ns);
                ioprof_put(out, bin->bytes);
            }
        }
        if (0 == pass) {
            ioprof_put(out, (uint64_t) used);
        }
    }
}

static void put_timeline(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    ioprof_put(out, p->time.start_ns);
    ioprof_put(out, p->time.width_ns);
    put_bins(out, &p->time, 0, IOPROF_SPAN_KINDS);
}

static void put_meta(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    put_bins(out, &p->time, IOPROF_SPAN_KINDS, 1);
}

static void put_memory(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    ioprof_put(out, IOPROF_BINS);
    for (int i = 0; i < IOPROF_BINS; i++) {
        ioprof_put(out, p->time.memory[i].samples);
        ioprof_put(out, p->time.memory[i].sum);
        ioprof_put(out, p->time.memory[i].max);
    }
}

static void put_node(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    ioprof_put(out, IOPROF_BINS);
    ioprof_put(out, IOPROF_NODE_COUNTERS);
    for (int i = 0; i < IOPROF_BINS; i++) {
        put_all(out, p->time.node[i], IOPROF_NODE_COUNTERS, 0);
    }
}

/** Places of files: an entry for each that has a file system. */
static void put_places(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    uint64_t n = 0;

    for (size_t i = 0; i < p->nfiles; i++) {
        n += NULL != p->files[i].fs;
    }
    ioprof_put(out, n);
    for (size_t i = 0; i < p->nfiles && n > 0; i++) {
        if (NULL != p->files[i].fs) {
            ioprof_put(out, i);
            ioprof_put_string(out, p->files[i].fs);
            ioprof_put_string(out, p->files[i].mount);
            n--;
        }
    }
}

static void put_facts(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    ioprof_put(out, p->nfacts);
    for (size_t i = 0; i < p->nfacts; i++) {
        ioprof_put_string(out, p->facts[i].key);
        ioprof_put_string(out, p->facts[i].value);
    }
}

static void put_pvars(struct ioprof_buffer *out, const struct ioprof_profile *p)
{
    ioprof_put(out, p->npvars);
    for (size_t i = 0; i < p->npvars; i++) {
        const struct ioprof_pvar *record = &p->pvars[i];

        ioprof_put_string(out, record->name);
        ioprof_put_string(out, record->text);
        PUT_RECORD(IOPROF_PVAR_FIELDS);
    }
}

static void put_fixed(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (unsigned char) (value >> (8 * i));
    }
}

/** The header of a section is written first, and filled in when its payload is there. */
static size_t section_begin(struct ioprof_buffer *out, const char *tag)
{
    ioprof_put_bytes(out, tag, 4);
    ioprof_put_bytes(out, (const char[12]){0}, 12);
    return out->bytes;
}

/** The checksum covers the tag and the length, too. */
static void section_end(struct ioprof_buffer *out, size_t begin)
{
    unsigned char *head;

    if (out->failed) {
        return;
    }
    head = out->data + begin - 16;
    put_fixed(head + 8, out->bytes - begin, 8);
    put_fixed(head + 4, ioprof_crc(ioprof_crc(0, head, 4), head + 8, 8 + out->bytes - begin), 4);
}

int ioprof_encode(const struct ioprof_profile *p, struct ioprof_buffer *out)
{
    static const struct {
        char tag[5];
        void (*put)(struct ioprof_buffer *, const struct ioprof_profile *);
    } sections[] = {{"FACT", put_facts},    {"RANK", put_ranks},  {"FUNC", put_funcs},
                    {"FILE", put_files},    {"PLAC", put_places}, {"PVAR", put_pvars},
                    {"TIME", put_timeline}, {"META", put_meta},   {"MEMO", put_memory},
                    {"NODE", put_node}};
    enum { N = sizeof(sections) / sizeof(sections[0]) };
    unsigned char head[16] = "IOPROF\r\n";
    size_t begin;

    put_fixed(head + 8, IOPROF_VERSION, 4);
    put_fixed(head + 12, N + p->nchunks, 4);
    ioprof_put_bytes(out, head, sizeof(head));
    for (int i = 0; i < N; i++) {
        begin = section_begin(out, sections[i].tag);
        sections[i].put(out, p);
        section_end(out, begin);
    }
    for (size_t i = 0; i < p->nchunks; i++) {
        begin = section_begin(out, "EVNT");
        ioprof_put_bytes(out, p->chunks[i].data, p->chunks[i].bytes);
        section_end(out, begin);
    }
    section_end(out, section_begin(out, "END "));
    return out->failed ? -1 : 0;
}
