/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "report/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const char *const ioprof_questions[IOPROF_QUESTIONS] = {"MPI-IO or POSIX?", "Which ranks?",
                                                        "How much time, and in what?", "When?"};

static char *next_text(void)
{
    static char texts[4][32];
    static int next;

    next = (next + 1) % 4;
    return texts[next];
}

const char *ioprof_show_bytes(double bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    char *text = next_text();
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
    char *text = next_text();

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
    memset(f, 0, sizeof(*f));
    for (size_t i = 0; i < p->nranks; i++) {
        f->wall_ns += (double) p->ranks[i].wall_ns;
    }
    for (size_t i = 0; i < p->nfuncs; i++) {
        const struct ioprof_func *func = &p->funcs[i];
        double bytes = IOPROF_READ == func->kind || IOPROF_WRITE == func->kind
                           ? (double) func->bytes
                           : 0;

        if (IOPROF_INSIDE == func->class) {
            f->inside_ns += (double) func->ns;
            f->inside_bytes += bytes;
            continue;
        }
        f->io_ns += (double) func->ns;
        f->kind_ns[func->kind] += (double) func->ns;
        *(IOPROF_POSIX == func->class ? &f->posix_ns : &f->mpi_ns) += (double) func->ns;
        *(IOPROF_POSIX == func->class ? &f->posix_bytes : &f->mpi_bytes) += bytes;
    }
}

static double percent(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
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
    fprintf(out, "%.0f%% and %.0f%% the program's POSIX calls (%s).", percent(f.posix_ns, f.io_ns),
            percent(f.posix_bytes, f.mpi_bytes + f.posix_bytes), ioprof_show_bytes(f.posix_bytes));
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

    return p > q ? -1 : (p < q ? 1 : (x->rank < y->rank ? -1 : 1));
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = (*(struct ioprof_rank *const *) a)->rank,
             y = (*(struct ioprof_rank *const *) b)->rank;

    return x < y ? -1 : x > y;
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
    struct ioprof_rank **order = calloc(p->nranks + 1, sizeof(*order));
    double all = 0, inside = 0, sum = 0;
    size_t few = 0;

    if (NULL == order) {
        return;
    }
    for (size_t i = 0; i < p->nranks; i++) {
        order[i] = &p->ranks[i];
        all += (double) ioprof_rank_bytes(order[i]);
    }
    qsort(order, p->nranks, sizeof(*order), by_bytes_down);
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
        most = f.kind_ns[kind] > f.kind_ns[most] ? kind : most;
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

/** Bytes of a kind in a bin: MPI-IO's if there is any MPI-IO, else POSIX. */
static uint64_t bin_bytes(const struct ioprof_timeline *time, int bin, int layer, int kind)
{
    return time->bin[bin][layer][kind].bytes;
}

static void put_bursts(const struct ioprof_profile *p, int kind, uint64_t first, FILE *out)
{
    const struct ioprof_timeline *time = &p->time;
    double start = ((double) time->start_ns - (double) first) / 1e9;
    double width = (double) time->width_ns / 1e9;
    int from = -1, to = -1, bursts = 0, busiest = 0, on = 0;

    for (int i = 0; i < IOPROF_BINS; i++) {
        uint64_t bytes = bin_bytes(time, i, 1, kind);

        if (0 != bytes) {
            from = from < 0 ? i : from;
            to = i;
            bursts += !on;
            busiest = bytes > bin_bytes(time, busiest, 1, kind) ? i : busiest;
        }
        on = 0 != bytes;
    }
    if (from < 0) {
        return;
    }
    fprintf(out, "%ss from %.2f to %.2f s, in %d burst%s; most at %.2f s: %s/s. ",
            IOPROF_READ == kind ? "Read" : "Write", start + from * width, start + (to + 1) * width,
            bursts, 1 == bursts ? "" : "s", start + busiest * width,
            ioprof_show_bytes((double) bin_bytes(time, busiest, 1, kind) / width));
}

/** Opens, closes and metadata: how many, and from when to when. */
static void put_others(const struct ioprof_profile *p, int row, uint64_t first, FILE *out)
{
    static const char *const names[IOPROF_BIN_KINDS] = {"Opens", "Closes", "", "",
                                                        "Metadata calls"};
    const struct ioprof_timeline *time = &p->time;
    double start = ((double) time->start_ns - (double) first) / 1e9;
    double width = (double) time->width_ns / 1e9;
    uint64_t mpi = 0, posix = 0;
    int from = -1, to = -1;

    for (int i = 0; i < IOPROF_BINS; i++) {
        uint64_t n = time->bin[i][0][row].calls + time->bin[i][1][row].calls;

        mpi += time->bin[i][0][row].calls;
        posix += time->bin[i][1][row].calls;
        from = 0 != n && from < 0 ? i : from;
        to = 0 != n ? i : to;
    }
    if (from >= 0) {
        fprintf(out, "%s: %llu of MPI-IO, %llu of POSIX, from %.2f to %.2f s. ", names[row],
                (unsigned long long) mpi, (unsigned long long) posix, start + from * width,
                start + (to + 1) * width);
    }
}

static void answer_when(const struct ioprof_profile *p, FILE *out)
{
    uint64_t first = UINT64_MAX;
    struct ioprof_figures f;

    ioprof_figure(p, &f);
    for (size_t i = 0; i < p->nranks; i++) {
        first = p->ranks[i].start_ns < first ? p->ranks[i].start_ns : first;
    }
    if (0 == p->time.width_ns) {
        fprintf(out, "Nothing was read or written.");
        return;
    }
    put_bursts(p, IOPROF_READ, first, out);
    put_bursts(p, IOPROF_WRITE, first, out);
    if (0 == f.inside_bytes + f.posix_bytes) {
        fprintf(out, "Nothing was read or written. ");
    }
    put_others(p, ioprof_bin_kind(IOPROF_OPEN), first, out);
    put_others(p, ioprof_bin_kind(IOPROF_CLOSE), first, out);
    put_others(p, ioprof_bin_kind(IOPROF_META), first, out);
    fprintf(out, "The run took %s.",
            ioprof_show_time(p->nranks > 0 ? f.wall_ns / (double) p->nranks : 0));
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
