/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Figures of two runs, and the sentences about what changed. */
#include "report/compare.h"
#include "report/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SENTENCES 64
#define MAX_HINTS     12   /* changed hints and files that get a sentence */
#define NOISE         0.03 /* two runs of the same program differ by as much */

/** Figures of one run, from which both the table and the sentences are made. */
struct side {
    const struct ioprof_profile *p;
    struct ioprof_figures f;
    double ranks;            /* number of ranks */
    double wall;             /* of the run, from the first start to the last end */
    double io;               /* of a rank, on average */
    double accesses, bytes;  /* POSIX reads and writes */
    double read, written;    /* bytes that reach files */
    double asked;            /* bytes that the program asked for */
    double workers;          /* ranks that read or write files */
    double opens;            /* POSIX */
    uint64_t missing, early; /* ranks without a record, ranks that did not finalize */
};

static void measure(struct side *s, const struct ioprof_profile *p)
{
    uint64_t ranks = strtoull(ioprof_fact(p, "ranks"), NULL, 10);

    *s = (struct side){.p = p, .ranks = p->nranks > 0 ? (double) p->nranks : 1};
    ioprof_figure(p, &s->f);
    s->wall = s->f.run_ns;
    s->io = s->f.io_ns / s->ranks;
    s->asked = s->f.mpi_bytes + s->f.posix_bytes;
    s->missing = 0;
    if (ranks > p->nranks) {
        s->missing = ranks - p->nranks;
    }
    for (size_t i = 0; i < p->nranks; i++) {
        s->workers += ioprof_rank_bytes(&p->ranks[i]) > 0;
        s->early += IOPROF_FINALIZED != p->ranks[i].end;
    }
    for (int class = IOPROF_POSIX; class <= IOPROF_INSIDE; class ++) {
        struct ioprof_cell rd = ioprof_sum(p, (enum ioprof_class) class, IOPROF_READ);
        struct ioprof_cell wr = ioprof_sum(p, (enum ioprof_class) class, IOPROF_WRITE);

        s->read += (double) rd.bytes;
        s->written += (double) wr.bytes;
        s->accesses += (double) (rd.calls + wr.calls);
        s->opens += (double) ioprof_sum(p, (enum ioprof_class) class, IOPROF_OPEN).calls;
    }
    s->bytes = s->read + s->written;
}

static double share(double part, double whole)
{
    if (whole > 0) {
        return part / whole;
    }
    return 0;
}

static int add_pair(struct ioprof_pair *pairs, int n, const char *name, enum ioprof_unit unit,
                    double a, double b)
{
    if (0 == a && 0 == b) {
        return n;
    }
    pairs[n] = (struct ioprof_pair){name, unit, a, b};
    return n + 1;
}

static int add_kinds(struct ioprof_pair *pairs, int n, const struct side *a, const struct side *b)
{
    static const char *const names[IOPROF_KINDS] = {"  in open",  "  in close", "  in read",
                                                    "  in write", "  in sync",  "  in meta",
                                                    "  in seek",  "  in wait"};

    for (int kind = 0; kind < IOPROF_KINDS; kind++) {
        n = add_pair(pairs, n, names[kind], IOPROF_TIME, a->f.kind_ns[kind] / a->ranks,
                     b->f.kind_ns[kind] / b->ranks);
    }
    return n;
}

int ioprof_pairs(const struct ioprof_profile *first, const struct ioprof_profile *second,
                 struct ioprof_pair *pairs)
{
    struct side sides[2], *a = &sides[0], *b = &sides[1];
    int n = 0;

    measure(a, first);
    measure(b, second);
    n = add_pair(pairs, n, "run time", IOPROF_TIME, a->wall, b->wall);
    n = add_pair(pairs, n, "I/O time per rank", IOPROF_TIME, a->io, b->io);
    n = add_kinds(pairs, n, a, b);
    n = add_pair(pairs, n, "  MPI-IO", IOPROF_TIME, a->f.mpi_ns / a->ranks, b->f.mpi_ns / b->ranks);
    n = add_pair(pairs, n, "  < POSIX inside MPI-IO", IOPROF_TIME, a->f.inside_ns / a->ranks,
                 b->f.inside_ns / b->ranks);
    n = add_pair(pairs, n, "  POSIX of the program", IOPROF_TIME, a->f.posix_ns / a->ranks,
                 b->f.posix_ns / b->ranks);
    n = add_pair(pairs, n, "I/O share of the run", IOPROF_PERCENT,
                 100 * share(a->f.io_ns, a->f.wall_ns), 100 * share(b->f.io_ns, b->f.wall_ns));
    n = add_pair(pairs, n, "bytes asked for", IOPROF_BYTES, a->asked, b->asked);
    n = add_pair(pairs, n, "read from files", IOPROF_BYTES, a->read, b->read);
    n = add_pair(pairs, n, "written to files", IOPROF_BYTES, a->written, b->written);
    n = add_pair(pairs, n, "accesses to files", IOPROF_COUNT, a->accesses, b->accesses);
    n = add_pair(pairs, n, "size of an access", IOPROF_BYTES, share(a->bytes, a->accesses),
                 share(b->bytes, b->accesses));
    n = add_pair(pairs, n, "opens of files", IOPROF_COUNT, a->opens, b->opens);
    n = add_pair(pairs, n, "ranks", IOPROF_COUNT, (double) a->p->nranks, (double) b->p->nranks);
    n = add_pair(pairs, n, "ranks that access files", IOPROF_COUNT, a->workers, b->workers);
    return add_pair(pairs, n, "files", IOPROF_COUNT, (double) a->p->nfiles, (double) b->p->nfiles);
}

const char *ioprof_show_pair(const struct ioprof_pair *pair, double value)
{
    char *text = ioprof_next_text();

    switch (pair->unit) {
    case IOPROF_TIME:
        return ioprof_show_time(value);
    case IOPROF_BYTES:
        return ioprof_show_bytes(value);
    case IOPROF_PERCENT:
        snprintf(text, 32, "%.1f%%", value);
        return text;
    default:
        snprintf(text, 32, "%.0f", value);
        return text;
    }
}

const char *ioprof_show_change(const struct ioprof_pair *pair)
{
    char *text = ioprof_next_text();
    double ratio = pair->a > 0 ? pair->b / pair->a : 0;

    if (pair->a == pair->b) {
        return "same";
    }
    if (0 == pair->a) {
        return "new";
    }
    if (0 == pair->b) {
        return "gone";
    }
    if (IOPROF_PERCENT == pair->unit) {
        snprintf(text, 32, "%+.1f points", pair->b - pair->a);
    } else if (ratio >= 2) {
        snprintf(text, 32, "x %.1f", ratio);
    } else if (ratio <= 0.5) {
        snprintf(text, 32, "/ %.1f", 1 / ratio);
    } else {
        snprintf(text, 32, "%+.1f%%", 100 * (ratio - 1));
    }
    return text;
}

struct list {
    char **texts;
    int n;
    struct side a, b;
};

static void add(struct list *list, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct list *list, const char *format, ...)
{
    va_list args;

    if (list->n == MAX_SENTENCES) {
        return;
    }
    va_start(args, format);
    if (vasprintf(&list->texts[list->n], format, args) >= 0) {
        list->n++;
    }
    va_end(args);
}

/** Whether b differs from a by more than two runs of the same program do. */
static int differs(double a, double b)
{
    double greater = a > b ? a : b;

    return greater > 0 && (a > b ? a - b : b - a) > NOISE * greater;
}

static void add_incomplete(struct list *list, const struct side *s, const char *name)
{
    if (0 != s->missing + s->early) {
        add(list,
            "%s is not complete: %llu ranks left no record, %llu ended before MPI_Finalize. "
            "Times and bytes below are of what is known.",
            name, (unsigned long long) s->missing, (unsigned long long) s->early);
    }
}

static void add_run(struct list *list)
{
    const struct side *a = &list->a, *b = &list->b;

    if (!differs(a->wall, b->wall)) {
        add(list, "The run takes the same time within %.0f%%: %s in A, %s in B.", 100 * NOISE,
            ioprof_show_time(a->wall), ioprof_show_time(b->wall));
    } else if (b->wall < a->wall) {
        add(list, "B is %.2f times as fast as A: the run takes %s, not %s.",
            share(a->wall, b->wall), ioprof_show_time(b->wall), ioprof_show_time(a->wall));
    } else {
        add(list, "B takes %.2f times as long as A: the run takes %s, not %s.",
            share(b->wall, a->wall), ioprof_show_time(b->wall), ioprof_show_time(a->wall));
    }
}

/** The kind of call whose time changed most. */
static int changed_kind(const struct list *list)
{
    double most = 0;
    int kind = 0;

    for (int i = 0; i < IOPROF_KINDS; i++) {
        double change = list->b.f.kind_ns[i] / list->b.ranks - list->a.f.kind_ns[i] / list->a.ranks;

        if (change < 0) {
            change = -change;
        }
        if (change > most) {
            most = change;
            kind = i;
        }
    }
    return kind;
}

static void add_io(struct list *list)
{
    const struct side *a = &list->a, *b = &list->b;
    int kind = changed_kind(list);

    if (!differs(a->io, b->io)) {
        add(list, "I/O takes the same time per rank: %s in A, %s in B.", ioprof_show_time(a->io),
            ioprof_show_time(b->io));
        return;
    }
    add(list, "I/O takes %s per rank, not %s (%.0f%% of the run, it was %.0f%%).",
        ioprof_show_time(b->io), ioprof_show_time(a->io), 100 * share(b->f.io_ns, b->f.wall_ns),
        100 * share(a->f.io_ns, a->f.wall_ns));
    add(list, "Most of the difference is in %s: %s per rank, not %s.",
        ioprof_kind_name((uint64_t) kind), ioprof_show_time(b->f.kind_ns[kind] / b->ranks),
        ioprof_show_time(a->f.kind_ns[kind] / a->ranks));
}

static void add_work(struct list *list)
{
    const struct side *a = &list->a, *b = &list->b;

    if (a->p->nranks != b->p->nranks) {
        add(list, "A has %zu ranks and B has %zu: times are compared as averages per rank.",
            a->p->nranks, b->p->nranks);
    }
    if (differs(a->asked, b->asked)) {
        add(list,
            "The runs do not do the same work: the program moves %s in B and %s in A. Compare "
            "times with care.",
            ioprof_show_bytes(b->asked), ioprof_show_bytes(a->asked));
    }
    if (differs(a->f.mpi_bytes, b->f.mpi_bytes) && !differs(a->asked, b->asked)) {
        add(list, "MPI-IO moves %s of it in B, %s in A; the rest is POSIX.",
            ioprof_show_bytes(b->f.mpi_bytes), ioprof_show_bytes(a->f.mpi_bytes));
    }
}

static void add_pattern(struct list *list)
{
    const struct side *a = &list->a, *b = &list->b;
    double size_a = share(a->bytes, a->accesses), size_b = share(b->bytes, b->accesses);

    if (differs(a->accesses, b->accesses)) {
        add(list, "Files are accessed in %.0f reads and writes of %s on average, not %.0f of %s.",
            b->accesses, ioprof_show_bytes(size_b), a->accesses, ioprof_show_bytes(size_a));
    }
    if (differs(a->bytes, b->bytes)) {
        add(list, "%s reach files, not %s.", ioprof_show_bytes(b->bytes),
            ioprof_show_bytes(a->bytes));
    }
    if (a->workers != b->workers) {
        add(list, "%.0f of %zu ranks access files, it was %.0f of %zu.", b->workers, b->p->nranks,
            a->workers, a->p->nranks);
    }
    if (differs(a->opens, b->opens)) {
        add(list, "Files are opened %.0f times, not %.0f.", b->opens, a->opens);
    }
}

/** The file of `p` that stands for `file`: the same path, or the only one with MPI-IO. */
static const struct ioprof_file *same_file(const struct ioprof_profile *p,
                                           const struct ioprof_file *file)
{
    const struct ioprof_file *only = NULL;
    int n = 0;

    for (size_t i = 0; i < p->nfiles; i++) {
        if (0 == strcmp(p->files[i].path, file->path)) {
            return &p->files[i];
        }
        if (0 != p->files[i].comm_size) {
            only = &p->files[i];
            n++;
        }
    }
    if (1 == n) {
        return only;
    }
    return NULL;
}

/** The value of a hint, with its length; NULL if there is none of that key. */
static const char *hint_value(const char *hints, const char *key, size_t key_length, size_t *length)
{
    for (; NULL != hints && '\0' != *hints; hints += *length + ('\n' == hints[*length])) {
        *length = strcspn(hints, "\n");
        if (*length > key_length && '=' == hints[key_length]
            && 0 == strncmp(hints, key, key_length)) {
            *length -= key_length + 1;
            return hints + key_length + 1;
        }
    }
    return NULL;
}

/** Hints of a file that `other` does not have, in one sentence; with `changed`, also a sentence for
 *  each that has another value there. The number of the latter. */
static int add_hints(struct list *list, const struct ioprof_file *file,
                     const struct ioprof_file *other, const char *run, int changed)
{
    char *text = NULL;
    size_t size, bytes, fresh = 0;
    int n = 0;
    FILE *out = open_memstream(&text, &size);

    for (const char *line = file->hints; NULL != out && NULL != line && '\0' != *line;
         line += bytes + ('\n' == line[bytes])) {
        size_t key = strcspn(line, "=\n"), length = 0, value;
        const char *was = hint_value(other->hints, line, key, &length);

        bytes = strcspn(line, "\n");
        value = bytes - key - ('=' == line[key]);
        if (NULL == was && '=' == line[key]) {
            fprintf(out, "%s%.*s", 0 == fresh++ ? "" : ", ", (int) bytes, line);
        } else if (NULL != was && changed && n < MAX_HINTS
                   && (length != value || 0 != strncmp(was, line + key + 1, length))) {
            add(list, "Hint %.*s of %s is %.*s, it was %.*s.", (int) key, line, file->path,
                (int) value, line + key + 1, (int) length, was);
            n++;
        }
    }
    if (NULL != out) {
        fclose(out);
    }
    if (NULL != text && fresh > 0) {
        add(list, "Hints of %s that only %s has: %s.", file->path, run, text);
    }
    free(text);
    return n;
}

static void add_all_hints(struct list *list)
{
    int added = 0;

    for (size_t i = 0; i < list->b.p->nfiles && added < MAX_HINTS; i++) {
        const struct ioprof_file *file = &list->b.p->files[i];
        const struct ioprof_file *was = 0 == file->comm_size ? NULL : same_file(list->a.p, file);

        if (NULL != was) {
            added += 1 + add_hints(list, file, was, "B", 1);
            (void) add_hints(list, was, file, "A", 0);
        }
    }
}

/** Findings of `one` that `other` does not have. Findings with the same advice are of one sort. */
static void add_findings(struct list *list, const struct ioprof_profile *one,
                         const struct ioprof_profile *other, const char *prefix)
{
    struct ioprof_finding *mine = NULL, *theirs = NULL;
    int n = ioprof_findings(one, &mine), m = ioprof_findings(other, &theirs);

    for (int i = 0; i < n; i++) {
        int found = 0;

        for (int j = 0; j < m; j++) {
            found |= 0 == strcmp(mine[i].advice, theirs[j].advice);
        }
        if (!found) {
            add(list, "%s %s", prefix, mine[i].text);
        }
    }
    ioprof_findings_free(mine, n);
    ioprof_findings_free(theirs, m);
}

int ioprof_changes(const struct ioprof_profile *a, const struct ioprof_profile *b,
                   char ***sentences)
{
    struct list list = {.texts = calloc(MAX_SENTENCES, sizeof(*list.texts))};

    *sentences = list.texts;
    if (NULL == list.texts) {
        return -1;
    }
    measure(&list.a, a);
    measure(&list.b, b);
    add_run(&list);
    add_io(&list);
    add_incomplete(&list, &list.a, "A");
    add_incomplete(&list, &list.b, "B");
    add_work(&list);
    add_pattern(&list);
    add_findings(&list, a, b, "No longer found:");
    add_findings(&list, b, a, "New finding:");
    add_all_hints(&list);
    return list.n;
}

void ioprof_changes_free(char **sentences, int n)
{
    for (int i = 0; i < n; i++) {
        free(sentences[i]);
    }
    free(sentences);
}
