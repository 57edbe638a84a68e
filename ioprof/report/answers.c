/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "report/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const ioprof_questions[IOPROF_QUESTIONS] = {"MPI-IO or POSIX?", "Which ranks?",
                                                        "How much time, and in what?", "When?"};

char *ioprof_next_text(void)
{
    static char texts[8][32];
    static int next;

    next = (next + 1) % 8;
    return texts[next];
}

const char *ioprof_show_bytes(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    char *text = ioprof_next_text();
    int unit = 0;

    while (bytes >= 1024 && unit < 5) {
        bytes /= 1024;
        unit++;
    }
    snprintf(text, 32, 0 == unit || bytes >= 100 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
    return text;
}

const char *ioprof_show_time(double ns)
{
    char *text = ioprof_next_text();

    if (ns < 1e3) {
        snprintf(text, 32, "%.0f ns", ns);
    } else if (ns < 1e6) {
        snprintf(text, 32, "%.1f us", ns / 1e3);
    } else if (ns < 1e9) {
        snprintf(text, 32, "%.1f ms", ns / 1e6);
    } else {
        snprintf(text, 32, "%.2f s", ns / 1e9);
    }
    return text;
}

size_t ioprof_hosts(const struct ioprof_profile *p)
{
    size_t hosts = 0;

    /* Ranks of a host mostly follow each other; where they do not, the few hosts are compared. */
    for (size_t i = 0; i < p->nranks; i++) {
        size_t j = i;

        while (j > 0 && 0 != strcmp(p->ranks[j - 1].host, p->ranks[i].host)) {
            j--;
        }
        hosts += 0 == j;
    }
    return hosts;
}

uint64_t ioprof_rank_bytes(const struct ioprof_rank *rank)
{
    uint64_t bytes = 0;

    for (int class = IOPROF_POSIX; class <= IOPROF_INSIDE; class ++) {
        bytes += rank->cell[class][IOPROF_READ].bytes + rank->cell[class][IOPROF_WRITE].bytes;
    }
    return bytes;
}

uint64_t ioprof_rank_ns(const struct ioprof_rank *rank)
{
    uint64_t ns = 0;

    for (int class = 0; class <= IOPROF_POSIX; class ++) {
        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            ns += rank->cell[class][kind].ns;
        }
    }
    return ns;
}

void ioprof_figure(const struct ioprof_profile *p, struct ioprof_figures *f)
{
    uint64_t first = UINT64_MAX, last = 0;

    memset(f, 0, sizeof(*f));
    for (size_t i = 0; i < p->nranks; i++) {
        const struct ioprof_rank *rank = &p->ranks[i];

        f->wall_ns += (double) rank->wall_ns;
        if (rank->start_ns < first) {
            first = rank->start_ns;
        }
        if (rank->start_ns + rank->wall_ns > last) {
            last = rank->start_ns + rank->wall_ns;
        }
    }
    f->run_ns = 0;
    if (p->nranks > 0) {
        f->run_ns = (double) (last - first);
    }
    for (size_t i = 0; i < p->nfuncs; i++) {
        const struct ioprof_func *func = &p->funcs[i];
        double bytes = 0;

        if (IOPROF_READ == func->kind || IOPROF_WRITE == func->kind) {
            bytes = (double) func->bytes;
        }
        if (IOPROF_INSIDE == func->class) {
            f->inside_ns += (double) func->ns;
            f->inside_bytes += bytes;
            continue;
        }
        f->io_ns += (double) func->ns;
        f->kind_ns[func->kind] += (double) func->ns;
        if (IOPROF_POSIX == func->class) {
            f->posix_ns += (double) func->ns;
            f->posix_bytes += bytes;
        } else {
            f->mpi_ns += (double) func->ns;
            f->mpi_bytes += bytes;
        }
    }
}

static double percent(double part, double whole)
{
    if (whole > 0) {
        return 100 * part / whole;
    }
    return 0;
}

static void answer_interface(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_figures f;

    ioprof_figure(p, &f);
    if (0 == f.io_ns) {
        fprintf(out, "No file was used.");
        return;
    }
    fprintf(out, "%s: ", f.mpi_ns >= f.posix_ns ? "MPI-IO" : "POSIX I/O");
    fprintf(out, "%.0f%% of the I/O time and %.0f%% of the bytes are MPI-IO (%s), ",
            percent(f.mpi_ns, f.io_ns), percent(f.mpi_bytes, f.mpi_bytes + f.posix_bytes),
            ioprof_show_bytes(f.mpi_bytes));
    if (0 == f.posix_ns) {
        fprintf(out, "none by the program's own POSIX calls.");
    } else {
        fprintf(out, "%.0f%% and %.0f%% by the program's own POSIX calls (%s).",
                percent(f.posix_ns, f.io_ns), percent(f.posix_bytes, f.mpi_bytes + f.posix_bytes),
                ioprof_show_bytes(f.posix_bytes));
    }
    if (f.mpi_ns > 0) {
        double own = f.inside_ns < f.mpi_ns ? f.inside_ns : f.mpi_ns;

        fprintf(out,
                " Of the MPI-IO time %.0f%% is in its own POSIX calls (<), the rest is "
                "communication, copying and waiting for other ranks.",
                percent(own, f.mpi_ns));
    }
}

static int by_bytes_down(const void *a, const void *b)
{
    const struct ioprof_rank *x = *(struct ioprof_rank *const *) a,
                             *y = *(struct ioprof_rank *const *) b;
    uint64_t p = ioprof_rank_bytes(x), q = ioprof_rank_bytes(y);

    if (p != q) {
        return p > q ? -1 : 1;
    }
    return x->rank < y->rank ? -1 : 1;
}

struct ioprof_rank **ioprof_ranks_by_bytes(const struct ioprof_profile *p)
{
    struct ioprof_rank **order = calloc(p->nranks + 1, sizeof(*order));

    for (size_t i = 0; NULL != order && i < p->nranks; i++) {
        order[i] = &p->ranks[i];
    }
    if (NULL != order) {
        qsort(order, p->nranks, sizeof(*order), by_bytes_down);
    }
    return order;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = (*(struct ioprof_rank *const *) a)->rank,
             y = (*(struct ioprof_rank *const *) b)->rank;

    if (x < y) {
        return -1;
    }
    return x > y;
}

static void list_ranks(struct ioprof_rank **ranks, size_t n, FILE *out)
{
    qsort(ranks, n, sizeof(*ranks), by_number);
    for (size_t i = 0; i < n && i < 12; i++) {
        fprintf(out, "%s%llu", 0 == i ? "" : ", ", (unsigned long long) ranks[i]->rank);
    }
    if (n > 12) {
        fprintf(out, ", ...");
    }
}

/** The fewest ranks that move 90% of the bytes which reach files. */
static void answer_ranks(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_rank **order = ioprof_ranks_by_bytes(p);
    double all = 0, inside = 0, sum = 0;
    size_t few = 0;

    if (NULL == order) {
        return;
    }
    for (size_t i = 0; i < p->nranks; i++) {
        all += (double) ioprof_rank_bytes(order[i]);
    }
    /* With them, those that are like the last one of them. */
    while (few < p->nranks && all > 0
           && (sum < 0.9 * all
               || 2 * ioprof_rank_bytes(order[few]) > ioprof_rank_bytes(order[few - 1]))) {
        const struct ioprof_cell *cell = order[few]->cell[IOPROF_INSIDE];

        inside += (double) (cell[IOPROF_READ].bytes + cell[IOPROF_WRITE].bytes);
        sum += (double) ioprof_rank_bytes(order[few++]);
    }
    if (0 == all) {
        fprintf(out, "No rank read or wrote a file.");
    } else if (1 == p->nranks) {
        fprintf(out, "There is one rank.");
    } else if (few <= (p->nranks + 1) / 2) {
        fprintf(out, "I/O is dominated by %zu of %zu ranks: ", few, p->nranks);
        list_ranks(order, few, out);
        fprintf(out, "%s%s. %s %.0f%% of the bytes that reach files.",
                inside > 0.5 * sum ? ": the aggregator" : "",
                inside > 0.5 * sum && few > 1 ? "s" : "", few > 1 ? "They move" : "It moves",
                percent(sum, all));
    } else {
        double most = (double) ioprof_rank_bytes(order[0]);
        double middle = (double) ioprof_rank_bytes(order[p->nranks / 2]);

        fprintf(out, "All %zu ranks take part: the busiest one (%llu) moves %s, the median %s.",
                p->nranks, (unsigned long long) order[0]->rank, ioprof_show_bytes(most),
                ioprof_show_bytes(middle));
    }
    free(order);
}

static void answer_time(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_figures f;
    int most = 0;

    ioprof_figure(p, &f);
    for (int kind = 1; kind < IOPROF_KINDS; kind++) {
        if (f.kind_ns[kind] > f.kind_ns[most]) {
            most = kind;
        }
    }
    fprintf(out, "%.1f%% of the run is I/O (%s per rank on average)", percent(f.io_ns, f.wall_ns),
            ioprof_show_time(p->nranks > 0 ? f.io_ns / (double) p->nranks : 0));
    if (f.io_ns > 0) {
        fprintf(out, ", %.0f%% of it in %s", percent(f.kind_ns[most], f.io_ns),
                ioprof_kind_name((uint64_t) most));
        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            if (kind != most && f.kind_ns[kind] >= 0.05 * f.io_ns) {
                fprintf(out, ", %.0f%% in %s", percent(f.kind_ns[kind], f.io_ns),
                        ioprof_kind_name((uint64_t) kind));
            }
        }
    }
    fprintf(out, ".");
}

/** Bins of a row of the time line in which `value` is not 0, from the first to the last. */
struct span {
    int first, last, bursts, busiest; /* first is -1: there are none */
};

static struct span find_span(const struct ioprof_timeline *time, int row, int by_bytes)
{
    struct span span = {.first = -1, .last = -2};
    uint64_t most = 0;

    for (int i = 0; i < IOPROF_BINS; i++) {
        const struct ioprof_bin *mpi = &time->bin[i][0][row], *posix = &time->bin[i][1][row];
        uint64_t value = by_bytes ? posix->bytes : mpi->calls + posix->calls;

        if (0 != value) {
            span.bursts += span.last < i - 1;
            if (span.first < 0) {
                span.first = i;
            }
            span.last = i;
            if (value > most) {
                span.busiest = i;
                most = value;
            }
        }
    }
    return span;
}

/** A bin's begin, in seconds since the job began. */
static double seconds(const struct ioprof_profile *p, int bin)
{
    return ((double) p->time.start_ns - (double) ioprof_job_start(p)
            + bin * (double) p->time.width_ns)
           / 1e9;
}

static void put_bursts(const struct ioprof_profile *p, int kind, FILE *out)
{
    struct span span = find_span(&p->time, kind, 1);

    if (span.first >= 0) {
        fprintf(out, "%ss from %.2f to %.2f s, in %d burst%s; most at %.2f s: %s/s. ",
                IOPROF_READ == kind ? "Read" : "Write", seconds(p, span.first),
                seconds(p, span.last + 1), span.bursts, 1 == span.bursts ? "" : "s",
                seconds(p, span.busiest),
                ioprof_show_bytes((double) p->time.bin[span.busiest][1][kind].bytes
                                  / ((double) p->time.width_ns / 1e9)));
    }
}

/** Opens, closes and metadata: how many, and from when to when. */
static void put_others(const struct ioprof_profile *p, int row, const char *name, FILE *out)
{
    struct span span = find_span(&p->time, row, 0);
    uint64_t calls[IOPROF_BIN_LAYERS] = {0};

    for (int i = 0; i < IOPROF_BINS; i++) {
        calls[0] += p->time.bin[i][0][row].calls;
        calls[1] += p->time.bin[i][1][row].calls;
    }
    if (span.first >= 0) {
        fprintf(out, "%s: %llu of MPI-IO, %llu of POSIX, from %.2f to %.2f s. ", name,
                (unsigned long long) calls[0], (unsigned long long) calls[1],
                seconds(p, span.first), seconds(p, span.last + 1));
    }
}

static void answer_when(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_figures f;

    ioprof_figure(p, &f);
    if (0 == p->time.width_ns) {
        fprintf(out, "Nothing was read or written.");
        return;
    }
    put_bursts(p, IOPROF_READ, out);
    put_bursts(p, IOPROF_WRITE, out);
    if (0 == f.inside_bytes + f.posix_bytes) {
        fprintf(out, "Nothing was read or written. ");
    }
    put_others(p, ioprof_bin_kind(IOPROF_OPEN), "Opens", out);
    put_others(p, ioprof_bin_kind(IOPROF_CLOSE), "Closes", out);
    put_others(p, ioprof_bin_kind(IOPROF_META), "Metadata calls", out);
    fprintf(out, "The run took %s.", ioprof_show_time(f.run_ns));
}

char *ioprof_answer(const struct ioprof_profile *profile, int question)
{
    static void (*const answers[IOPROF_QUESTIONS])(const struct ioprof_profile *, FILE *) = {
        answer_interface, answer_ranks, answer_time, answer_when};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);

    if (NULL != out) {
        answers[question](profile, out);
        fclose(out);
    }
    return text;
}
