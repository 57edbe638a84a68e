/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The profile in the Trace Event format, for ui.perfetto.dev and the like. A rank is a process;
 * a thread of it has two rows, MPI-IO and POSIX, each with a thread's number of its own. A call is
 * a complete event (X). A nonblocking one lasts until its completion, and others may begin and end
 * meanwhile: it is a pair of events (b, e). Memory and bandwidth of all ranks are counters (C) of a
 * process after the last rank. Times are in microseconds since the job began. */
#include "report/json.h"
#include "report/report.h"
#include "report/rows.h"

#include <string.h>

#define MAX_THREADS 64 /* of a rank that have names */

struct trace {
    struct ioprof_sink json;
    uint64_t job_start;
    uint64_t ids;                   /* pairs of events so far */
    uint64_t rows[2 * MAX_THREADS]; /* of the rank: those that were named */
};

/** Begins an event with what all events have; the caller closes it. */
static void begin_event(struct trace *t, const char *phase, const char *name, uint64_t rank,
                        uint64_t row)
{
    fputc('\n', t->json.out);
    ioprof_json_open(&t->json, NULL, '{');
    ioprof_json_text(&t->json, "ph", phase);
    ioprof_json_text(&t->json, "name", name);
    ioprof_json_number(&t->json, "pid", rank);
    ioprof_json_number(&t->json, "tid", row);
}

static void put_time(struct trace *t, const char *key, uint64_t ns)
{
    ioprof_json_decimal(&t->json, key, ns / 1000, (unsigned) (ns % 1000));
}

static uint64_t since_start(const struct trace *t, uint64_t ns)
{
    if (ns > t->job_start) {
        return ns - t->job_start;
    }
    return 0;
}

static void put_name(struct trace *t, const char *what, uint64_t rank, uint64_t row,
                     const char *name)
{
    begin_event(t, "M", what, rank, row);
    ioprof_json_open(&t->json, "args", '{');
    ioprof_json_text(&t->json, "name", name);
    ioprof_json_close(&t->json, '}');
    ioprof_json_close(&t->json, '}');
}

static void put_process(struct trace *t, uint64_t rank, const char *name)
{
    put_name(t, "process_name", rank, 0, name);
    begin_event(t, "M", "process_sort_index", rank, 0);
    ioprof_json_open(&t->json, "args", '{');
    ioprof_json_number(&t->json, "sort_index", rank);
    ioprof_json_close(&t->json, '}');
    ioprof_json_close(&t->json, '}');
}

/** The row of a call; it is named when it is used for the first time. */
static uint64_t row_of(struct trace *t, uint64_t rank, const struct ioprof_event *event)
{
    uint64_t posix = event->class >= IOPROF_POSIX, row = 2 * event->thread + posix;
    char name[64];

    if (row < 2 * MAX_THREADS && 0 == t->rows[row]) {
        t->rows[row] = 1;
        snprintf(name, sizeof(name), "%s", posix ? "POSIX" : "MPI-IO");
        if (0 != event->thread) {
            snprintf(name + strlen(name), sizeof(name) - strlen(name), ", thread %llu",
                     (unsigned long long) event->thread);
        }
        put_name(t, "thread_name", rank, 1 + row, name);
    }
    return 1 + row;
}

/** Whether other calls may begin and end in it without being a part of it. */
static int is_asynchronous(const struct ioprof_event *event)
{
    static const char *const begins[] = {"MPI_File_iread", "MPI_File_iwrite", "aio_", "libaio_",
                                         "io_uring_"};
    size_t length = strlen(event->func);

    for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
        if (0 == strncmp(event->func, begins[i], strlen(begins[i]))) {
            return 1;
        }
    }
    return length > 6 && 0 == strcmp(event->func + length - 6, "_begin");
}

static void put_arguments(struct trace *t, const struct ioprof_event *event)
{
    ioprof_json_open(&t->json, "args", '{');
    if (NULL != event->path) {
        ioprof_json_text(&t->json, "path", event->path);
    }
    if (IOPROF_UNSET != event->offset) {
        ioprof_json_number(&t->json, "offset", event->offset);
    }
    if (IOPROF_READ == event->kind || IOPROF_WRITE == event->kind) {
        ioprof_json_number(&t->json, "bytes", event->bytes);
    }
    ioprof_json_close(&t->json, '}');
}

static void put_event(struct trace *t, uint64_t rank, const struct ioprof_event *event)
{
    uint64_t row = row_of(t, rank, event), start = since_start(t, event->start_ns);
    int pair = is_asynchronous(event);

    for (int end = 0; end <= pair; end++) {
        begin_event(t, !pair ? "X" : (end ? "e" : "b"), event->func, rank, row);
        ioprof_json_text(&t->json, "cat", ioprof_class_key(event->class));
        put_time(t, "ts", start + (end ? event->ns : 0));
        if (pair) {
            ioprof_json_number(&t->json, "id", t->ids);
        } else {
            put_time(t, "dur", event->ns);
        }
        if (!end) {
            put_arguments(t, event);
        }
        ioprof_json_close(&t->json, '}');
    }
    t->ids += (uint64_t) pair;
}

static void put_ranks(struct trace *t, const struct ioprof_profile *p)
{
    for (size_t i = 0; i < p->nchunks; i++) {
        struct ioprof_events *events = ioprof_events_open(&p->chunks[i]);
        struct ioprof_event event;
        char name[64];

        memset(t->rows, 0, sizeof(t->rows));
        snprintf(name, sizeof(name), "rank %llu", (unsigned long long) p->chunks[i].rank);
        put_process(t, p->chunks[i].rank, name);
        while (NULL != events && ioprof_events_next(events, &event)) {
            put_event(t, p->chunks[i].rank, &event);
        }
        ioprof_events_close(events);
    }
}

static void put_counter(struct trace *t, const char *name, uint64_t process, uint64_t ns,
                        const char *const *keys, const uint64_t *values, int n)
{
    begin_event(t, "C", name, process, 0);
    put_time(t, "ts", since_start(t, ns));
    ioprof_json_open(&t->json, "args", '{');
    for (int i = 0; i < n; i++) {
        ioprof_json_number(&t->json, keys[i], values[i]);
    }
    ioprof_json_close(&t->json, '}');
    ioprof_json_close(&t->json, '}');
}

/** A counter has its value until the next one: each bin has one, even if nothing happened. */
static void put_counters(struct trace *t, const struct ioprof_profile *p, uint64_t process)
{
    static const char *const directions[2] = {"read", "write"};
    static const char *const memory_keys[2] = {"greatest", "mean"};
    static const char *const names[2] = {"MPI-IO, bytes/s", "POSIX, bytes/s"};
    double seconds = (double) p->time.width_ns / 1e9;
    int last = -1;

    for (int bin = 0; bin < IOPROF_BINS; bin++) {
        for (int layer = 0; layer < IOPROF_BIN_LAYERS; layer++) {
            if (0
                != p->time.bin[bin][layer][IOPROF_READ].bytes
                       + p->time.bin[bin][layer][IOPROF_WRITE].bytes) {
                last = bin;
            }
        }
        if (ioprof_has_memory(&p->time, bin)) {
            last = bin;
        }
    }
    for (int bin = 0; bin <= last + 1 && bin < IOPROF_BINS && seconds > 0; bin++) {
        const struct ioprof_memory *memory = &p->time.memory[bin];
        uint64_t ns = p->time.start_ns + (uint64_t) bin * p->time.width_ns;

        for (int layer = 0; layer < IOPROF_BIN_LAYERS; layer++) {
            const struct ioprof_bin *row = p->time.bin[bin][layer];
            uint64_t rates[2] = {(uint64_t) ((double) row[IOPROF_READ].bytes / seconds),
                                 (uint64_t) ((double) row[IOPROF_WRITE].bytes / seconds)};

            put_counter(t, names[layer], process, ns, directions, rates, 2);
        }
        if (0 != memory->samples) {
            uint64_t values[2] = {memory->max, memory->sum / memory->samples};

            put_counter(t, "resident memory of a rank, bytes", process, ns, memory_keys, values, 2);
        }
    }
}

int ioprof_report_trace(struct ioprof_profile *p, FILE *out)
{
    struct trace t = {.json = ioprof_json_sink(out), .job_start = ioprof_job_start(p)};
    uint64_t process = 0;

    for (size_t i = 0; i < p->nranks; i++) {
        if (p->ranks[i].rank >= process) {
            process = p->ranks[i].rank + 1;
        }
    }
    ioprof_json_open(&t.json, NULL, '{');
    ioprof_json_text(&t.json, "displayTimeUnit", "ns");
    ioprof_json_open(&t.json, "otherData", '{');
    ioprof_json_facts(&t.json, p);
    ioprof_json_close(&t.json, '}');
    ioprof_json_open(&t.json, "traceEvents", '[');
    put_ranks(&t, p);
    put_process(&t, process, "all ranks");
    put_counters(&t, p, process);
    ioprof_json_close(&t.json, ']');
    ioprof_json_close(&t.json, '}');
    fputc('\n', out);
    if (ferror(out)) {
        return -1;
    }
    return 0;
}
