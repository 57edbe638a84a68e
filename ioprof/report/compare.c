/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* ioprof compare: two runs side by side, as text and as a page. */
#include "report/compare.h"
#include "profile/printable.h"
#include "report/report.h"
#include "report/text.h"

#include <stdlib.h>
#include <string.h>

#define TOP_FILES 24

static void show_sentences(const struct ioprof_profile *a, const struct ioprof_profile *b,
                           FILE *out)
{
    char **texts;
    int n = ioprof_changes(a, b, &texts);

    fprintf(out, "\nWhat changed\n------------\n");
    for (int i = 0; i < n; i++) {
        fprintf(out, "  - %s\n", texts[i]);
    }
    ioprof_changes_free(texts, n);
}

static void show_figures(const struct ioprof_profile *a, const struct ioprof_profile *b, FILE *out)
{
    struct ioprof_pair pairs[IOPROF_PAIRS];
    int n = ioprof_pairs(a, b, pairs);

    fprintf(out, "\n%-26s %12s %12s %14s\n", "", "A", "B", "change");
    for (int i = 0; i < n; i++) {
        fprintf(out, "%-26s %12s", pairs[i].name, ioprof_show_pair(&pairs[i], pairs[i].a));
        fprintf(out, " %12s %14s\n", ioprof_show_pair(&pairs[i], pairs[i].b),
                ioprof_show_change(&pairs[i]));
    }
}

/** A function of both runs; what one of them does not have is all 0. */
static void show_function(FILE *out, const struct ioprof_func *x, const struct ioprof_func *y)
{
    struct ioprof_pair pair = {"", IOPROF_TIME, (double) x->ns, (double) y->ns};
    const struct ioprof_func *any = x;

    if (NULL == any->name) {
        any = y;
    }
    if (IOPROF_INSIDE == any->class) {
        fprintf(out, "<%-27s", any->name);
    } else {
        fprintf(out, "%-28s", any->name);
    }
    fprintf(out, " %10llu %10llu %10s %10s", (unsigned long long) x->calls,
            (unsigned long long) y->calls, ioprof_show_time(pair.a), ioprof_show_time(pair.b));
    fprintf(out, " %12s\n", ioprof_show_change(&pair));
}

/** Both lists are sorted alike: they are walked side by side. */
static void show_functions(const struct ioprof_profile *a, const struct ioprof_profile *b,
                           FILE *out)
{
    static const struct ioprof_func none;
    size_t i = 0, j = 0;

    fprintf(out, "\n%-28s %10s %10s %10s %10s %12s\n", "function (sums over ranks)", "calls A",
            "calls B", "time A", "time B", "change");
    while (i < a->nfuncs || j < b->nfuncs) {
        const struct ioprof_func *x = &none, *y = &none;
        int order = -1;

        if (i == a->nfuncs) {
            order = 1;
        } else if (j < b->nfuncs) {
            order = ioprof_by_function(&a->funcs[i], &b->funcs[j]);
        }
        if (order <= 0) {
            x = &a->funcs[i];
        }
        if (order >= 0) {
            y = &b->funcs[j];
        }
        show_function(out, x, y);
        i += order <= 0;
        j += order >= 0;
    }
}

static struct ioprof_bin file_values(const struct ioprof_file *file)
{
    struct ioprof_bin sum = {0};

    for (int class = 0; NULL != file && class < IOPROF_CLASSES; class ++) {
        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            const struct ioprof_cell *cell = &file->cell[class][kind];
            int data = class >= IOPROF_POSIX && (IOPROF_READ == kind || IOPROF_WRITE == kind);

            if (IOPROF_INSIDE != class) {
                sum.ns += cell->ns;
            }
            if (data) {
                sum.calls += cell->calls;
                sum.bytes += cell->bytes;
            }
        }
    }
    return sum;
}

static void show_file(FILE *out, const struct ioprof_file *x, const struct ioprof_file *y)
{
    struct ioprof_bin a = file_values(x), b = file_values(y);

    if (NULL == x) {
        fprintf(out, "%s (only in B)\n", y->path);
    } else if (NULL == y) {
        fprintf(out, "%s (only in A)\n", x->path);
    } else {
        fprintf(out, "%s\n", x->path);
    }
    if (NULL != x) {
        fprintf(out, "    A %10s in %9llu accesses, I/O time %10s\n",
                ioprof_show_bytes((double) a.bytes), (unsigned long long) a.calls,
                ioprof_show_time((double) a.ns));
    }
    if (NULL != y) {
        fprintf(out, "    B %10s in %9llu accesses, I/O time %10s\n",
                ioprof_show_bytes((double) b.bytes), (unsigned long long) b.calls,
                ioprof_show_time((double) b.ns));
    }
}

/** A file of both runs; one of them may not have it. */
struct file_pair {
    const struct ioprof_file *a, *b;
};

static uint64_t pair_bytes(const struct file_pair *pair)
{
    return file_values(pair->a).bytes + file_values(pair->b).bytes;
}

static int by_bytes(const void *x, const void *y)
{
    uint64_t p = pair_bytes(x), q = pair_bytes(y);

    if (p > q) {
        return -1;
    }
    return p < q;
}

/** Both lists are sorted by path. The number of pairs. */
static size_t pair_files(const struct ioprof_profile *a, const struct ioprof_profile *b,
                         struct file_pair *pairs)
{
    size_t i = 0, j = 0, n = 0;

    while (i < a->nfiles || j < b->nfiles) {
        int order = -1;

        if (i == a->nfiles) {
            order = 1;
        } else if (j < b->nfiles) {
            order = strcmp(a->files[i].path, b->files[j].path);
        }
        pairs[n] = (struct file_pair){NULL, NULL};
        if (order <= 0) {
            pairs[n].a = &a->files[i++];
        }
        if (order >= 0) {
            pairs[n].b = &b->files[j++];
        }
        n++;
    }
    return n;
}

static void show_files(const struct ioprof_profile *a, const struct ioprof_profile *b, FILE *out)
{
    struct file_pair *pairs = calloc(a->nfiles + b->nfiles + 1, sizeof(*pairs));
    size_t n, shown = 0;

    if (NULL == pairs) {
        return;
    }
    n = pair_files(a, b, pairs);
    qsort(pairs, n, sizeof(*pairs), by_bytes);
    fprintf(out, "\nfiles (most bytes first: those that reach them; time summed over ranks)\n");
    while (shown < n && shown < TOP_FILES && pair_bytes(&pairs[shown]) > 0) {
        show_file(out, pairs[shown].a, pairs[shown].b);
        shown++;
    }
    if (n > shown) {
        fprintf(out, "and %zu files %s\n", n - shown,
                pair_bytes(&pairs[shown]) > 0 ? "more" : "that are not read or written");
    }
    free(pairs);
}

int ioprof_compare_text(struct ioprof_profile *a, struct ioprof_profile *b, FILE *out)
{
    if (ioprof_make_printable(a) < 0 || ioprof_make_printable(b) < 0) {
        return -1;
    }
    fprintf(out, "A  %s, job %s, %zu ranks, %s\n   %s\n", ioprof_fact(a, "program"),
            ioprof_fact(a, "job"), a->nranks, ioprof_fact(a, "mpi"), ioprof_fact(a, "command"));
    fprintf(out, "B  %s, job %s, %zu ranks, %s\n   %s\n", ioprof_fact(b, "program"),
            ioprof_fact(b, "job"), b->nranks, ioprof_fact(b, "mpi"), ioprof_fact(b, "command"));
    show_sentences(a, b, out);
    show_figures(a, b, out);
    show_functions(a, b, out);
    show_files(a, b, out);
    if (ferror(out)) {
        return -1;
    }
    return 0;
}
