/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* The report as text. */
#include "report/text.h"
#include "profile/printable.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH     96
#define MAX_RANKS 32 /* more ranks get the compact table */
#define TOP_RANKS 8
#define TOP_FILES 24

static void heading(FILE *out, const char *text)
{
    fprintf(out, "\n%s\n", text);
    for (size_t i = 0; i < strlen(text); i++) {
        fputc('-', out);
    }
    fputc('\n', out);
}

/** Prints words in lines of WIDTH, each line after `indent` blanks. */
static void paragraph(FILE *out, const char *text, int indent)
{
    int column = 0;

    while ('\0' != *text) {
        int length = (int) strcspn(text, " ");

        if (column > 0 && column + 1 + length > WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        if (0 == column) {
            column = fprintf(out, "%*s%.*s", indent, "", length, text);
        } else {
            column += fprintf(out, " %.*s", length, text);
        }
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* Tables have one unit in each column, which its heading names: the same as in the reports of the
 * collective components. Up to eight results can be in use at a time. */
static const char *number(double value)
{
    static char texts[8][32];
    static int at;
    char *text = texts[at = (at + 1) % 8];

    if (value > 0 && value < 0.0005) {
        snprintf(text, sizeof(texts[0]), "<0.001");
    } else {
        snprintf(text, sizeof(texts[0]), "%.3f", value);
    }
    return text;
}

static const char *ms(double ns)
{
    return number(ns / 1e6);
}

static const char *mib(double bytes)
{
    return number(bytes / 1048576);
}

static const char *fact(const struct ioprof_profile *p, const char *key)
{
    const char *value = ioprof_fact(p, key);

    return NULL == value ? "?" : value;
}

static size_t count_hosts(const struct ioprof_profile *p)
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

/** Peaks of all ranks, and what MPI-IO has added. Nothing if the profile has no memory. */
static void show_memory(const struct ioprof_profile *p, FILE *out)
{
    double sum = 0;
    uint64_t io = 0;
    size_t top = 0;

    for (size_t i = 0; i < p->nranks; i++) {
        sum += (double) p->ranks[i].memory_peak;
        top = p->ranks[i].memory_peak > p->ranks[top].memory_peak ? i : top;
        io = p->ranks[i].memory_io > io ? p->ranks[i].memory_io : io;
    }
    if (sum > 0) {
        fprintf(out, "  memory     peak %s a rank on average, %s on rank %llu",
                ioprof_show_bytes(sum / (double) p->nranks),
                ioprof_show_bytes((double) p->ranks[top].memory_peak),
                (unsigned long long) p->ranks[top].rank);
        fprintf(out, "; MPI-IO calls added up to %s\n", ioprof_show_bytes((double) io));
    }
}

/** Totals of the counters of hosts, if they were sampled. */
static void show_node(const struct ioprof_profile *p, FILE *out)
{
    uint64_t sum[IOPROF_NODE_COUNTERS] = {0};

    for (int i = 0; i < IOPROF_BINS * IOPROF_NODE_COUNTERS; i++) {
        sum[i % IOPROF_NODE_COUNTERS] +=
            p->time.node[i / IOPROF_NODE_COUNTERS][i % IOPROF_NODE_COUNTERS];
    }
    if (0 == sum[IOPROF_NODE_CPU]) {
        return;
    }
    fprintf(out, "  hosts      CPU %s, network in %s, out %s",
            ioprof_show_time((double) sum[IOPROF_NODE_CPU]),
            ioprof_show_bytes((double) sum[IOPROF_NODE_RECEIVED]),
            ioprof_show_bytes((double) sum[IOPROF_NODE_SENT]));
    fprintf(out, ", disks read %s, written %s",
            ioprof_show_bytes((double) sum[IOPROF_NODE_DISK_READ]),
            ioprof_show_bytes((double) sum[IOPROF_NODE_DISK_WRITTEN]));
    fprintf(out, ", Lustre read %s, written %s\n",
            ioprof_show_bytes((double) sum[IOPROF_NODE_LUSTRE_READ]),
            ioprof_show_bytes((double) sum[IOPROF_NODE_LUSTRE_WRITTEN]));
}

static void show_run(const struct ioprof_profile *p, FILE *out)
{
    static const char *const ends[] = {"finalized", "exited without MPI_Finalize",
                                       "called MPI_Abort", "were ended by a signal"};
    size_t count[4] = {0};
    struct ioprof_figures f;
    unsigned long expected = strtoul(fact(p, "ranks"), NULL, 10);

    ioprof_figure(p, &f);
    fprintf(out, "ioprof: %s, job %s\n", fact(p, "program"), fact(p, "job"));
    fprintf(out, "  command    %s\n", fact(p, "command"));
    fprintf(out, "  ranks      %s on %zu host%s, %s, level %s\n", fact(p, "ranks"), count_hosts(p),
            1 == count_hosts(p) ? "" : "s", fact(p, "mpi"), fact(p, "level"));
    fprintf(out, "  run        %s\n",
            ioprof_show_time(p->nranks > 0 ? f.wall_ns / (double) p->nranks : 0));
    show_memory(p, out);
    show_node(p, out);
    for (size_t i = 0; i < p->nranks; i++) {
        count[p->ranks[i].end < 4 ? p->ranks[i].end : 1]++;
    }
    for (int i = 1; i < 4; i++) {
        if (0 != count[i]) {
            fprintf(out, "  early end  %zu ranks %s\n", count[i], ends[i]);
        }
    }
    if (expected > p->nranks) {
        fprintf(out, "  missing    %lu of %lu ranks left no record\n", expected - p->nranks,
                expected);
    }
}

static void show_answers(const struct ioprof_profile *p, FILE *out)
{
    heading(out, "Four questions");
    for (int i = 0; i < IOPROF_QUESTIONS; i++) {
        char *text = ioprof_answer(p, i);

        fprintf(out, "%s\n", ioprof_questions[i]);
        paragraph(out, NULL == text ? "?" : text, 4);
        free(text);
    }
}

static void show_findings(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_finding *findings;
    int n = ioprof_findings(p, &findings);

    heading(out, "Findings");
    if (n <= 0) {
        fprintf(out, "Nothing that would be worth a change.\n");
    }
    for (int i = 0; i < n; i++) {
        fprintf(out, "%d.\n", i + 1);
        paragraph(out, findings[i].text, 4);
        paragraph(out, findings[i].advice, 6);
    }
    ioprof_findings_free(findings, n < 0 ? 0 : n);
}

static void show_functions(const struct ioprof_profile *p, FILE *out)
{
    uint64_t class = IOPROF_CLASSES;

    heading(out, "Functions (time is summed over ranks; < is POSIX called by MPI-IO)");
    fprintf(out, "%-30s %-5s %9s %12s %12s %12s %12s %6s %6s\n", "", "kind", "calls", "time, ms",
            "longest, ms", "to end, ms", "MiB", "errors", "ranks");
    for (size_t i = 0; i < p->nfuncs; i++) {
        const struct ioprof_func *func = &p->funcs[i];

        if (func->class != class) {
            class = func->class;
            fprintf(out, "%s\n", ioprof_class_name(class));
        }
        fprintf(out, "  %s%-*s %-5s %9llu %12s %12s", IOPROF_INSIDE == class ? "<" : "",
                IOPROF_INSIDE == class ? 27 : 28, func->name, ioprof_kind_name(func->kind),
                (unsigned long long) func->calls, ms((double) func->ns), ms((double) func->max_ns));
        fprintf(out, " %12s %12s %6llu %6llu\n",
                0 == func->span_ns ? "-" : ms((double) func->span_ns),
                0 == func->bytes ? "-" : mib((double) func->bytes),
                (unsigned long long) func->errors, (unsigned long long) func->ranks);
    }
}

static void show_sizes(const struct ioprof_profile *p, FILE *out)
{
    static const char *const names[IOPROF_SIZES] = {"0",   "<512", "<4K",   "<32K", "<256K", "<1M",
                                                    "<4M", "<16M", "<128M", "<1G",  ">=1G"};

    heading(out, "Sizes of reads and writes (calls)");
    fprintf(out, "%-26s", "");
    for (int i = 0; i < IOPROF_SIZES; i++) {
        fprintf(out, " %8s", names[i]);
    }
    fputc('\n', out);
    for (int class = 0; class < IOPROF_CLASSES; class ++) {
        for (uint64_t kind = IOPROF_READ; kind <= IOPROF_WRITE; kind++) {
            uint64_t sizes[IOPROF_SIZES] = {0}, all = 0;

            for (size_t i = 0; i < p->nfuncs; i++) {
                const struct ioprof_func *func = &p->funcs[i];

                for (int j = 0;
                     func->class == (uint64_t) class && func->kind == kind && j < IOPROF_SIZES;
                     j++) {
                    sizes[j] += func->sizes[j];
                    all += func->sizes[j];
                }
            }
            if (0 == all) {
                continue;
            }
            fprintf(out, "%-20s %-5s", ioprof_class_name((uint64_t) class), ioprof_kind_name(kind));
            for (int i = 0; i < IOPROF_SIZES; i++) {
                fprintf(out, " %8.0llu", (unsigned long long) sizes[i]);
            }
            fputc('\n', out);
        }
    }
}

/* Columns of the table of ranks. */
enum {
    R_IO,
    R_COLLECTIVE,
    R_OTHER_MPI,
    R_POSIX,
    R_INSIDE,
    R_MPI_BYTES,
    R_READ,
    R_WRITTEN,
    R_MEMORY,
    R_N
};
static const char *const rank_columns[2][R_N] = {
    {"I/O", "collective", "other MPI-IO", "POSIX", "<POSIX", "MPI-IO", "read", "written",
     "peak memory"},
    {"ms", "ms", "ms", "ms", "ms", "MiB", "MiB", "MiB", "MiB"}};

static uint64_t class_ns(const struct ioprof_rank *r, int class)
{
    uint64_t ns = 0;

    for (int kind = 0; kind < IOPROF_KINDS; kind++) {
        ns += r->cell[class][kind].ns;
    }
    return ns;
}

static uint64_t both_bytes(const struct ioprof_rank *r, int class)
{
    return r->cell[class][IOPROF_READ].bytes + r->cell[class][IOPROF_WRITE].bytes;
}

static void rank_values(const struct ioprof_rank *r, uint64_t *value)
{
    value[R_IO] = ioprof_rank_ns(r);
    value[R_COLLECTIVE] = class_ns(r, IOPROF_COLLECTIVE);
    value[R_OTHER_MPI] = class_ns(r, IOPROF_INDEPENDENT) + class_ns(r, IOPROF_COMPLETION);
    value[R_POSIX] = class_ns(r, IOPROF_POSIX);
    value[R_INSIDE] = class_ns(r, IOPROF_INSIDE);
    value[R_MPI_BYTES] = both_bytes(r, IOPROF_COLLECTIVE) + both_bytes(r, IOPROF_INDEPENDENT);
    value[R_READ] = r->cell[IOPROF_POSIX][IOPROF_READ].bytes
                    + r->cell[IOPROF_INSIDE][IOPROF_READ].bytes;
    value[R_WRITTEN] = r->cell[IOPROF_POSIX][IOPROF_WRITE].bytes
                       + r->cell[IOPROF_INSIDE][IOPROF_WRITE].bytes;
    value[R_MEMORY] = r->memory_peak;
}

static void show_rank_row(FILE *out, const char *name, const uint64_t *value)
{
    fprintf(out, "%-16s", name);
    for (int i = 0; i < R_N; i++) {
        fprintf(out, " %12s", i < R_MPI_BYTES ? ms((double) value[i]) : mib((double) value[i]));
    }
    fputc('\n', out);
}

static void show_one_rank(FILE *out, const struct ioprof_rank *r)
{
    uint64_t value[R_N];
    char name[32];

    snprintf(name, sizeof(name), "%llu", (unsigned long long) r->rank);
    rank_values(r, value);
    show_rank_row(out, name, value);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *) a, y = *(const uint64_t *) b;

    return x < y ? -1 : x > y;
}

/** Least, median and greatest of each column. */
static void show_spread(const struct ioprof_profile *p, FILE *out)
{
    uint64_t *column = calloc(p->nranks, sizeof(*column)), rows[3][R_N], value[R_N];
    static const char *const names[3] = {"least", "median", "most"};

    if (NULL == column) {
        return;
    }
    for (int c = 0; c < R_N; c++) {
        for (size_t i = 0; i < p->nranks; i++) {
            rank_values(&p->ranks[i], value);
            column[i] = value[c];
        }
        qsort(column, p->nranks, sizeof(*column), by_value);
        rows[0][c] = column[0];
        rows[1][c] = column[p->nranks / 2];
        rows[2][c] = column[p->nranks - 1];
    }
    for (int i = 0; i < 3; i++) {
        show_rank_row(out, names[i], rows[i]);
    }
    free(column);
}

static int by_bytes_down(const void *a, const void *b)
{
    const struct ioprof_rank *x = *(struct ioprof_rank *const *) a,
                             *y = *(struct ioprof_rank *const *) b;
    uint64_t p = ioprof_rank_bytes(x), q = ioprof_rank_bytes(y);

    return p > q ? -1 : (p < q ? 1 : (x->rank < y->rank ? -1 : 1));
}

static void show_ranks(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_rank **order;

    heading(out, "Ranks (time by class; bytes: MPI-IO as asked for, read and written in files; "
                 "greatest resident memory)");
    for (int line = 0; line < 2; line++) {
        fprintf(out, "%-16s", "");
        for (int i = 0; i < R_N; i++) {
            fprintf(out, " %12s", rank_columns[line][i]);
        }
        fputc('\n', out);
    }
    if (p->nranks <= MAX_RANKS) {
        for (size_t i = 0; i < p->nranks; i++) {
            show_one_rank(out, &p->ranks[i]);
        }
        return;
    }
    show_spread(p, out);
    order = calloc(p->nranks, sizeof(*order));
    if (NULL == order) {
        return;
    }
    for (size_t i = 0; i < p->nranks; i++) {
        order[i] = &p->ranks[i];
    }
    qsort(order, p->nranks, sizeof(*order), by_bytes_down);
    fprintf(out, "ranks with most bytes in files\n");
    for (size_t i = 0; i < TOP_RANKS; i++) {
        show_one_rank(out, order[i]);
    }
    free(order);
}

static uint64_t file_bytes(const struct ioprof_file *file)
{
    uint64_t bytes = 0;

    for (int class = 0; class < IOPROF_CLASSES; class ++) {
        bytes += file->cell[class][IOPROF_READ].bytes + file->cell[class][IOPROF_WRITE].bytes;
    }
    return bytes;
}

static int by_file_bytes(const void *a, const void *b)
{
    uint64_t x = file_bytes(*(struct ioprof_file *const *) a),
             y = file_bytes(*(struct ioprof_file *const *) b);

    return x > y ? -1 : x < y;
}

/* What a line of the table of files shows; also summed up. */
struct file_line {
    double mpi_ns, mpi_read, mpi_written, posix_ns, read, written;
    uint64_t unaligned;
};

static void add_file(struct file_line *line, const struct ioprof_file *file)
{
    for (int class = 0; class < IOPROF_CLASSES; class ++) {
        int posix = class > IOPROF_COMPLETION;

        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            *(posix ? &line->posix_ns : &line->mpi_ns) += (double) file->cell[class][kind].ns;
        }
        *(posix ? &line->read : &line->mpi_read) += (double) file->cell[class][IOPROF_READ].bytes;
        *(posix ? &line->written
                : &line->mpi_written) += (double) file->cell[class][IOPROF_WRITE].bytes;
    }
    line->unaligned += file->unaligned;
}

static void show_file_line(FILE *out, const struct file_line *line, int mpi, uint64_t ranks,
                           const char *name)
{
    fprintf(out, "%8llu", (unsigned long long) ranks);
    fprintf(out, " %12s %12s %12s", mpi ? ms(line->mpi_ns) : "-", mpi ? mib(line->mpi_read) : "-",
            mpi ? mib(line->mpi_written) : "-");
    fprintf(out, " %12s %12s %12s %9llu  %s\n", ms(line->posix_ns), mib(line->read),
            mib(line->written), (unsigned long long) line->unaligned, name);
}

static void show_file(FILE *out, const struct ioprof_file *file)
{
    struct file_line line = {0};
    char *hints = strdup(NULL == file->hints ? "" : file->hints), *save = NULL, *at;

    add_file(&line, file);
    show_file_line(out, &line, 0 != file->comm_size, file->ranks, file->path);
    if (NULL != file->fs && '\0' != *file->fs) {
        fprintf(out, "%8s on %s (%s)", "", file->mount, file->fs);
        if (0 != file->stripes) {
            fprintf(out, ", %llu stripe%s of %s", (unsigned long long) file->stripes,
                    1 == file->stripes ? "" : "s", ioprof_show_bytes((double) file->stripe_bytes));
        }
        fputc('\n', out);
    }
    if (0 != file->append) {
        fprintf(out, "%8s O_APPEND\n", "");
    }
    if (NULL != hints && '\0' != *hints) {
        fprintf(out, "%8s hints", "");
        for (at = strtok_r(hints, "\n", &save); NULL != at; at = strtok_r(NULL, "\n", &save)) {
            fprintf(out, " %s", at);
        }
        fputc('\n', out);
    }
    free(hints);
}

/** The files that are not listed in one line, and all of them in another. */
static void show_other_files(const struct ioprof_profile *p, FILE *out, struct ioprof_file **order,
                             size_t shown)
{
    struct file_line others = {0}, all = {0};
    char name[64];

    for (size_t i = 0; i < p->nfiles; i++) {
        add_file(&all, order[i]);
        if (i >= shown) {
            add_file(&others, order[i]);
        }
    }
    if (p->nfiles > shown) {
        snprintf(name, sizeof(name), "%zu files more", p->nfiles - shown);
        show_file_line(out, &others, 1, p->nranks, name);
    }
    if (p->nfiles > 1) {
        snprintf(name, sizeof(name), "total of %zu files", p->nfiles);
        show_file_line(out, &all, 1, p->nranks, name);
    }
}

static void show_files(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_file **order = calloc(p->nfiles + 1, sizeof(*order));
    size_t shown = p->nfiles < TOP_FILES ? p->nfiles : TOP_FILES;

    if (NULL == order || 0 == p->nfiles) {
        free(order);
        return;
    }
    heading(out, "Files (most bytes first; time is summed over ranks)");
    fprintf(out, "%8s %12s %12s %12s %12s %12s %12s\n", "", "MPI-IO", "read", "written", "POSIX",
            "read", "written");
    fprintf(out, "%8s %12s %12s %12s %12s %12s %12s %9s  %s\n", "ranks", "ms", "MiB", "MiB", "ms",
            "MiB", "MiB", "unaligned", "file");
    for (size_t i = 0; i < p->nfiles; i++) {
        order[i] = &p->files[i];
    }
    qsort(order, p->nfiles, sizeof(*order), by_file_bytes);
    for (size_t i = 0; i < shown; i++) {
        show_file(out, order[i]);
    }
    show_other_files(p, out, order, shown);
    free(order);
}

/* The unit of a performance variable: its description ends with it, or its name tells. */
enum { V_TIME, V_BYTES, V_COUNT, V_UNITS };

static int unit_of(const struct ioprof_pvar *v)
{
    if (NULL != strstr(v->text, "[nanoseconds]") || NULL != strstr(v->name, "_time_")) {
        return V_TIME;
    }
    return NULL != strstr(v->text, "[bytes]") || NULL != strstr(v->name, "bytes") ? V_BYTES
                                                                                  : V_COUNT;
}

static void show_component(const struct ioprof_pvar *v, int unit, FILE *out)
{
    const char *end = strrchr(v->text, '[');
    int length = (int) (NULL == end ? strlen(v->text) : (size_t) (end - v->text));

    while (length > 0 && ' ' == v->text[length - 1]) {
        length--;
    }
    fprintf(out, "%-38s", v->name);
    if (V_COUNT == unit) {
        fprintf(out, " %12llu %12llu", (unsigned long long) v->sum, (unsigned long long) v->max);
    } else if (V_TIME == unit) {
        fprintf(out, " %12s %12s", ms((double) v->sum), ms((double) v->max));
    } else {
        fprintf(out, " %12s %12s", mib((double) v->sum), mib((double) v->max));
    }
    fprintf(out, "  %.*s\n", length, v->text);
}

static void show_components(const struct ioprof_profile *p, FILE *out)
{
    static const char *const titles[V_UNITS] = {"time, ms", "data, MiB", "count"};

    if (0 == p->npvars) {
        return;
    }
    heading(out, "Components (performance variables of MPI_T, those that are not 0)");
    for (int unit = 0; unit < V_UNITS; unit++) {
        int titled = 0;

        for (size_t i = 0; i < p->npvars; i++) {
            if (unit_of(&p->pvars[i]) == unit) {
                if (!titled) {
                    fprintf(out, "%-38s %12s %12s\n", titles[unit], "sum", "max");
                }
                titled = 1;
                show_component(&p->pvars[i], unit, out);
            }
        }
    }
}

static void show_own(const struct ioprof_profile *p, FILE *out)
{
    uint64_t calls = 0, ns = 0, dropped[5] = {0}, wall = 0, samples = 0, sample_ns = 0;

    for (size_t i = 0; i < p->nranks; i++) {
        const struct ioprof_rank *r = &p->ranks[i];

        calls += r->own_calls;
        ns += r->own_ns;
        wall += r->wall_ns;
        samples += r->memory_samples;
        sample_ns += r->sample_ns;
        dropped[0] += r->files_dropped;
        dropped[1] += r->fds_dropped;
        dropped[2] += r->requests_dropped;
        dropped[3] += r->events_dropped;
        dropped[4] += r->forks;
    }
    heading(out, "ioprof itself");
    fprintf(out, "%llu calls recorded, about %s of rank time: %.3f%% of the run. ",
            (unsigned long long) calls, ioprof_show_time((double) ns),
            wall > 0 ? 100 * (double) ns / (double) wall : 0);
    fprintf(out, "%llu samples took %s. Merging at MPI_Finalize took %s.\n",
            (unsigned long long) samples, ioprof_show_time((double) sample_ns),
            ioprof_show_time(strtod(fact(p, "reduce_ns"), NULL)));
    fprintf(out,
            "Not kept: %llu opens of files beyond --max-files, %llu calls on descriptors, "
            "%llu completions, %llu events beyond --max-events.\n",
            (unsigned long long) dropped[0], (unsigned long long) dropped[1],
            (unsigned long long) dropped[2], (unsigned long long) dropped[3]);
    if (0 != dropped[4]) {
        fprintf(out, "%llu child processes were started; their I/O is not in this profile.\n",
                (unsigned long long) dropped[4]);
    }
}

int ioprof_report_text(struct ioprof_profile *profile, FILE *out)
{
    if (ioprof_make_printable(profile) < 0) {
        return -1;
    }
    show_run(profile, out);
    show_answers(profile, out);
    show_findings(profile, out);
    show_functions(profile, out);
    show_sizes(profile, out);
    show_ranks(profile, out);
    show_files(profile, out);
    show_components(profile, out);
    show_own(profile, out);
    return ferror(out) ? -1 : 0;
}
