/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Ranks and files in the text report. */
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

#define WIDTH     96 /* columns of a paragraph */
#define MAX_RANKS 32 /* more ranks get the compact table */
#define TOP_RANKS 8
#define TOP_FILES 24

void ioprof_text_heading(FILE *out, const char *text)
{
    fprintf(out, "\n%s\n", text);
    for (size_t i = 0; i < strlen(text); i++) {
        fputc('-', out);
    }
    fputc('\n', out);
}

void ioprof_text_paragraph(FILE *out, const char *text, const char *prefix)
{
    int column = 0;

    while ('\0' != *text) {
        int length = (int) strcspn(text, " ");

        if (column > 0 && column + 1 + length > WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        if (0 == column) {
            column = fprintf(out, "%s%.*s", prefix, length, text);
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
    char *text = ioprof_next_text();

    if (value > 0 && value < 0.0005) {
        return "<0.001";
    }
    snprintf(text, 32, "%.3f", value);
    return text;
}

const char *ioprof_text_ms(double ns)
{
    return number(ns / 1e6);
}

const char *ioprof_text_mib(double bytes)
{
    return number(bytes / 1048576);
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
        fprintf(out, " %12s",
                i < R_MPI_BYTES ? ioprof_text_ms((double) value[i])
                                : ioprof_text_mib((double) value[i]));
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

    if (x < y) {
        return -1;
    }
    return x > y;
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

void ioprof_text_ranks(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_rank **order;

    ioprof_text_heading(
        out, "Ranks (time by class; bytes: MPI-IO as asked for, read and written in files; "
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
    order = ioprof_ranks_by_bytes(p);
    fprintf(out, "ranks with most bytes in files\n");
    for (size_t i = 0; NULL != order && i < TOP_RANKS; i++) {
        show_one_rank(out, order[i]);
    }
    free(order);
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
    fprintf(out, " %12s %12s %12s", mpi ? ioprof_text_ms(line->mpi_ns) : "-",
            mpi ? ioprof_text_mib(line->mpi_read) : "-",
            mpi ? ioprof_text_mib(line->mpi_written) : "-");
    fprintf(out, " %12s %12s %12s %9llu  %s\n", ioprof_text_ms(line->posix_ns),
            ioprof_text_mib(line->read), ioprof_text_mib(line->written),
            (unsigned long long) line->unaligned, name);
}

/** The functions of MPI-IO that read and write the file, and how many accesses go forward. */
static void show_access(FILE *out, const struct ioprof_file *file)
{
    uint64_t accesses = 0;
    const char *name, *before = "calls ";

    for (int class = IOPROF_POSIX; class <= IOPROF_INSIDE; class ++) {
        accesses += file->cell[class][IOPROF_READ].calls + file->cell[class][IOPROF_WRITE].calls;
    }
    if (0 == accesses && 0 == file->functions) {
        return;
    }
    fprintf(out, "%8s ", "");
    for (int bit = 0; NULL != (name = ioprof_data_function(bit)); bit++) {
        if (0 != (file->functions >> bit & 1)) {
            fprintf(out, "%s%s", before, name);
            before = ", ";
        }
    }
    if (0 != accesses) {
        fprintf(out, "%s%.0f%% of %llu POSIX accesses go forward", 0 == file->functions ? "" : "; ",
                100 * (double) file->sequential / (double) accesses, (unsigned long long) accesses);
    }
    fputc('\n', out);
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
    show_access(out, file);
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

/** True if a directory of the path is the session directory of a job: "ompi.HOST.USER". */
static int in_session(const char *path)
{
    const char *at, *end;

    for (at = strstr(path, "/ompi."); NULL != at; at = strstr(at + 1, "/ompi.")) {
        end = strchr(at + 1, '/');
        if (NULL != end && end[-1] >= '0' && end[-1] <= '9') {
            return 1;
        }
    }
    return 0;
}

int ioprof_is_openmpis(const struct ioprof_file *file)
{
    static const char *const parts[] = {"/openmpi-sessions-", "/share/openmpi/", "/etc/openmpi/",
                                        "/.openmpi/",         "/share/pmix/",    "/prte.",
                                        "/vader_segment.",    "/sm_segment."};

    if (0 != file->comm_size) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (NULL != strstr(file->path, parts[i])) {
            return 1;
        }
    }
    return in_session(file->path);
}

/** Those of the other files that are Open MPI's own in one line, the rest in another, and all files
 *  in the last. */
static void show_other_files(const struct ioprof_profile *p, FILE *out, struct ioprof_file **order,
                             size_t shown)
{
    struct file_line sum[2] = {{0}}, all = {0}; /* [1]: Open MPI's own */
    static const char *const names[2] = {"files more", "files of Open MPI"};
    size_t n[2] = {0};
    char name[64];

    for (size_t i = 0; i < p->nfiles; i++) {
        int own = ioprof_is_openmpis(order[i]);

        add_file(&all, order[i]);
        if (own || 0 == shown) {
            add_file(&sum[own], order[i]);
            n[own]++;
        } else {
            shown--;
        }
    }
    for (int own = 0; own < 2; own++) {
        if (0 != n[own]) {
            snprintf(name, sizeof(name), "%zu %s", n[own], names[own]);
            show_file_line(out, &sum[own], 1, p->nranks, name);
        }
    }
    if (p->nfiles > 1) {
        snprintf(name, sizeof(name), "total of %zu files", p->nfiles);
        show_file_line(out, &all, 1, p->nranks, name);
    }
}

void ioprof_text_files(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_file **order = ioprof_files_by_bytes(p);
    size_t shown = 0;

    if (NULL == order || 0 == p->nfiles) {
        free(order);
        return;
    }
    ioprof_text_heading(out, "Files (most bytes first; time is summed over ranks)");
    fprintf(out, "%8s %12s %12s %12s %12s %12s %12s\n", "", "MPI-IO", "read", "written", "POSIX",
            "read", "written");
    fprintf(out, "%8s %12s %12s %12s %12s %12s %12s %9s  %s\n", "ranks", "ms", "MiB", "MiB", "ms",
            "MiB", "MiB", "unaligned", "file");
    for (size_t i = 0; i < p->nfiles && shown < TOP_FILES; i++) {
        if (!ioprof_is_openmpis(order[i])) {
            show_file(out, order[i]);
            shown++;
        }
    }
    show_other_files(p, out, order, shown);
    free(order);
}
