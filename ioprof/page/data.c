/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The data of the page. Ranks, files and events are reduced, so that a page of any job stays below
 * a few megabytes; the page names what was left out. */
#include "page/page.h"
#include "profile/printable.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

#define MAX_RANK_ROWS   8192 /* more ranks: a row is the maximum over some neighbours */
#define MAX_FILES       300  /* those with most bytes */
#define MAX_POINTS      16000
#define MAX_POINT_FILES 160
#define MAX_POINT_FUNCS 160
#define MAX_PATH_BYTES  400
#define MAX_HINT_BYTES  2000
#define SERIES          4

/* Numbers of a row of ranks. The page gets the host in front of them: page/ranks.js. */
enum {
    R_RANK,
    R_END,
    R_WALL,
    R_NS, /* of each series */
    R_CALLS = R_NS + SERIES,
    R_BYTES = R_CALLS + SERIES,
    R_READ = R_BYTES + SERIES,
    R_WRITTEN,
    R_PEAK,
    R_MPI_IO,
    R_COLUMNS
};

/** Series of ranks: collective, other MPI-IO, POSIX of the program, POSIX inside MPI-IO. */
static int series_of(int class)
{
    static const int series[IOPROF_CLASSES] = {0, 1, 1, 2, 3};

    return series[class];
}

static void rank_row(const struct ioprof_rank *r, uint64_t *row)
{
    memset(row, 0, R_COLUMNS * sizeof(*row));
    row[R_RANK] = r->rank;
    row[R_END] = r->end;
    row[R_WALL] = r->wall_ns;
    row[R_PEAK] = r->memory_peak;
    row[R_MPI_IO] = r->memory_io;
    for (int class = 0; class < IOPROF_CLASSES; class ++) {
        int series = series_of(class);

        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            row[R_NS + series] += r->cell[class][kind].ns;
            row[R_CALLS + series] += r->cell[class][kind].calls;
            if (IOPROF_READ == kind || IOPROF_WRITE == kind) {
                row[R_BYTES + series] += r->cell[class][kind].bytes;
            }
        }
        if (class >= IOPROF_POSIX) {
            row[R_READ] += r->cell[class][IOPROF_READ].bytes;
            row[R_WRITTEN] += r->cell[class][IOPROF_WRITE].bytes;
        }
    }
}

static void put_ranks(struct ioprof_sink *json, const struct ioprof_profile *p)
{
    size_t group = (p->nranks + MAX_RANK_ROWS - 1) / MAX_RANK_ROWS;

    if (0 == group) {
        group = 1;
    }
    ioprof_json_open(json, "ranks", '{');
    ioprof_json_number(json, "n", p->nranks);
    ioprof_json_number(json, "group", group);
    ioprof_json_open(json, "rows", '[');
    for (size_t i = 0; i < p->nranks; i += group) {
        uint64_t row[R_COLUMNS], other[R_COLUMNS];

        rank_row(&p->ranks[i], row);
        for (size_t j = i + 1; j < i + group && j < p->nranks; j++) {
            rank_row(&p->ranks[j], other);
            for (int c = R_END; c < R_COLUMNS; c++) {
                if (other[c] > row[c]) {
                    row[c] = other[c];
                }
            }
        }
        ioprof_json_open(json, NULL, '[');
        ioprof_json_text(json, NULL, p->ranks[i].host);
        for (int c = R_RANK; c < R_COLUMNS; c++) {
            ioprof_json_number(json, NULL, row[c]);
        }
        ioprof_json_close(json, ']');
    }
    ioprof_json_close(json, ']');
    ioprof_json_close(json, '}');
}

/** A long text keeps its beginning and its end. */
static void put_short(struct ioprof_sink *json, const char *key, const char *text, size_t most)
{
    size_t length = NULL == text ? 0 : strlen(text);
    char *cut = NULL;

    if (length > most) {
        if (asprintf(&cut, "%.*s ... %s", (int) (most / 2), text, text + length - most / 2) < 0) {
            cut = NULL;
        }
        text = cut;
        if (NULL == cut) {
            text = "?";
        }
    }
    ioprof_json_text(json, key, text);
    free(cut);
}

/** Sums over classes from..to: time of all kinds, calls and bytes of reads and of writes. */
static void put_sums(struct ioprof_sink *json, const struct ioprof_file *file, const char *key,
                     int from, int to)
{
    uint64_t sums[5] = {0};

    for (int class = from; class <= to; class ++) {
        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            sums[0] += file->cell[class][kind].ns;
        }
        for (int i = 0; i < 2; i++) {
            sums[1 + i] += file->cell[class][IOPROF_READ + i].calls;
            sums[3 + i] += file->cell[class][IOPROF_READ + i].bytes;
        }
    }
    ioprof_json_numbers(json, key, sums, 5);
}

static void put_file(struct ioprof_sink *json, const struct ioprof_file *f, uint64_t job_start)
{
    uint64_t first = IOPROF_UNSET, last = 0;

    for (int kind = 0; kind < IOPROF_SPAN_KINDS; kind++) {
        if (f->first_ns[kind] < first) {
            first = f->first_ns[kind];
        }
        if (f->last_ns[kind] > last) {
            last = f->last_ns[kind];
        }
    }
    ioprof_json_open(json, NULL, '{');
    put_short(json, "path", f->path, MAX_PATH_BYTES);
    put_short(json, "hints", f->hints, MAX_HINT_BYTES);
    put_short(json, "fs", f->fs, MAX_PATH_BYTES);
    put_short(json, "mount", f->mount, MAX_PATH_BYTES);
    put_sums(json, f, "mpi", IOPROF_COLLECTIVE, IOPROF_COMPLETION);
    put_sums(json, f, "posix", IOPROF_POSIX, IOPROF_INSIDE);
    ioprof_row_file_numbers(json, f);
    ioprof_json_number(json, "own", (uint64_t) ioprof_is_openmpis(f));
    ioprof_json_signed(json, "first", IOPROF_UNSET == first ? 0 : (int64_t) (first - job_start));
    ioprof_json_signed(json, "last", 0 == last ? 0 : (int64_t) (last - job_start));
    ioprof_json_close(json, '}');
}

static void put_files(struct ioprof_sink *json, const struct ioprof_profile *p, uint64_t job_start)
{
    struct ioprof_file **order = ioprof_files_by_bytes(p);
    uint64_t left = 0, n = 0;

    ioprof_json_open(json, "files", '{');
    ioprof_json_open(json, "rows", '[');
    for (size_t i = 0; NULL != order && i < p->nfiles; i++) {
        n += order[i]->files;
        if (i < MAX_FILES) {
            put_file(json, order[i], job_start);
        } else {
            left += ioprof_file_bytes(order[i]);
        }
    }
    ioprof_json_close(json, ']');
    ioprof_json_number(json, "n", n);
    ioprof_json_number(json, "bytes_left_out", left);
    ioprof_json_close(json, '}');
    free(order);
}

static void put_time(struct ioprof_sink *json, const struct ioprof_profile *p, uint64_t job_start)
{
    ioprof_json_open(json, "time", '{');
    ioprof_json_signed(json, "start", (int64_t) (p->time.start_ns - job_start));
    ioprof_json_number(json, "width", p->time.width_ns);
    ioprof_json_time(json, &p->time);
    ioprof_json_close(json, '}');
}

/** Names of the events that are shown, each once. */
struct names {
    char *text[MAX_POINT_FUNCS];
    uint64_t class[MAX_POINT_FUNCS], kind[MAX_POINT_FUNCS];
    int n;
};

static int name_index(struct names *names, int most, const char *text, uint64_t class,
                      uint64_t kind)
{
    for (int i = 0; i < names->n; i++) {
        if (names->class[i] == class && names->kind[i] == kind
            && 0 == strcmp(names->text[i], text)) {
            return i;
        }
    }
    if (names->n == most || NULL == (names->text[names->n] = strdup(text))) {
        return -1;
    }
    names->class[names->n] = class;
    names->kind[names->n] = kind;
    return names->n++;
}

/** Whether an event is a read or write whose place in its file is known. */
static int is_point(const struct ioprof_event *event)
{
    return (IOPROF_READ == event->kind || IOPROF_WRITE == event->kind)
           && IOPROF_UNSET != event->offset && NULL != event->path;
}

struct points {
    struct ioprof_sink *json;
    struct names files, funcs;
    uint64_t job_start, found, stride, seen, shown;
};

static void count_point(void *data, uint64_t rank, const struct ioprof_event *event)
{
    (void) rank;
    ((struct points *) data)->found += (uint64_t) is_point(event);
}

/** Takes one of `stride`, spread by a hash: a regular step would fall in with the program's own. */
static void put_point(void *data, uint64_t rank, const struct ioprof_event *event)
{
    struct points *points = data;
    uint64_t hash;
    int file, func;

    if (!is_point(event)) {
        return;
    }
    hash = (uint32_t) (points->seen++ * 2654435761U) >> 7;
    if (0 != hash % points->stride || points->shown >= 2 * MAX_POINTS) {
        return;
    }
    file = name_index(&points->files, MAX_POINT_FILES, event->path, 0, 0);
    func = name_index(&points->funcs, MAX_POINT_FUNCS, event->func, event->class, event->kind);
    if (file >= 0 && func >= 0) {
        uint64_t start = event->start_ns > points->job_start ? event->start_ns - points->job_start
                                                             : 0;
        uint64_t row[8] = {rank,         start,           event->ns,       event->offset,
                           event->bytes, (uint64_t) func, (uint64_t) file, event->thread};

        ioprof_json_numbers(points->json, NULL, row, 8);
        points->shown++;
    }
}

static void put_names(struct ioprof_sink *json, const char *key, struct names *names, int functions)
{
    ioprof_json_open(json, key, '[');
    for (int i = 0; i < names->n; i++) {
        if (functions) {
            ioprof_json_open(json, NULL, '[');
            ioprof_json_text(json, NULL, names->text[i]);
            ioprof_json_number(json, NULL, names->class[i]);
            ioprof_json_number(json, NULL, names->kind[i]);
            ioprof_json_close(json, ']');
        } else {
            char *shown = ioprof_printable_copy(names->text[i]);

            put_short(json, NULL, NULL == shown ? "?" : shown, MAX_PATH_BYTES);
            free(shown);
        }
        free(names->text[i]);
    }
    ioprof_json_close(json, ']');
}

static void put_events(struct ioprof_sink *json, const struct ioprof_profile *p, uint64_t job_start)
{
    struct points points = {.json = json, .job_start = job_start};
    uint64_t dropped = 0;

    for (size_t i = 0; i < p->nranks; i++) {
        dropped += p->ranks[i].events_dropped;
    }
    ioprof_each_event(p, &points, count_point);
    points.stride = points.found / MAX_POINTS + 1;
    ioprof_json_open(json, "events", '{');
    /* Each row: rank, start, ns, offset, bytes, function, file, thread. */
    ioprof_json_open(json, "rows", '[');
    ioprof_each_event(p, &points, put_point);
    ioprof_json_close(json, ']');
    ioprof_json_number(json, "recorded", points.found);
    ioprof_json_number(json, "dropped", dropped);
    ioprof_json_number(json, "ranks", p->nchunks);
    put_names(json, "functions", &points.funcs, 1);
    put_names(json, "files", &points.files, 0);
    ioprof_json_close(json, '}');
}

static void put_own(struct ioprof_sink *json, const struct ioprof_profile *p)
{
    uint64_t calls = 0, ns = 0, files = 0, fds = 0, requests = 0, forks = 0, ended[4] = {0};

    for (size_t i = 0; i < p->nranks; i++) {
        const struct ioprof_rank *r = &p->ranks[i];

        calls += r->own_calls;
        ns += r->own_ns;
        files += r->files_dropped;
        fds += r->fds_dropped;
        requests += r->requests_dropped;
        forks += r->forks;
        ended[r->end < 4 ? r->end : IOPROF_EXITED]++;
    }
    ioprof_json_open(json, "own", '{');
    ioprof_json_number(json, "calls", calls);
    ioprof_json_number(json, "ns", ns);
    ioprof_json_number(json, "files_dropped", files);
    ioprof_json_number(json, "fds_dropped", fds);
    ioprof_json_number(json, "requests_dropped", requests);
    ioprof_json_number(json, "forks", forks);
    ioprof_json_numbers(json, "ended", ended, 4);
    ioprof_json_close(json, '}');
}

void ioprof_page_run(struct ioprof_sink *json, const struct ioprof_profile *run)
{
    uint64_t job_start = ioprof_job_start(run);
    struct ioprof_figures f;

    ioprof_figure(run, &f);
    ioprof_json_open(json, NULL, '{');
    ioprof_json_facts(json, run);
    ioprof_json_number(json, "wall", (uint64_t) f.wall_ns);
    ioprof_json_number(json, "took", (uint64_t) f.run_ns);
    ioprof_json_numbers(json, "size_from", ioprof_size_from, IOPROF_SIZES);
    ioprof_json_functions(json, run);
    ioprof_json_variables(json, run);
    put_ranks(json, run);
    put_files(json, run, job_start);
    put_time(json, run, job_start);
    put_events(json, run, job_start);
    put_own(json, run);
    ioprof_json_close(json, '}');
}
