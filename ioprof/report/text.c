/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The report as text. */
#include "report/text.h"
#include "profile/printable.h"
#include "report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** Peaks of all ranks, and what MPI-IO has added. Nothing if the profile has no memory. */
static void show_memory(const struct ioprof_profile *p, FILE *out)
{
    double sum = 0;
    uint64_t io = 0;
    size_t top = 0;

    for (size_t i = 0; i < p->nranks; i++) {
        sum += (double) p->ranks[i].memory_peak;
        if (p->ranks[i].memory_peak > p->ranks[top].memory_peak) {
            top = i;
        }
        if (p->ranks[i].memory_io > io) {
            io = p->ranks[i].memory_io;
        }
    }
    if (sum > 0) {
        fprintf(out, "  memory     peak %s per rank on average, %s on rank %llu",
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
    fprintf(out, ", Lustre read %s, written %s",
            ioprof_show_bytes((double) sum[IOPROF_NODE_LUSTRE_READ]),
            ioprof_show_bytes((double) sum[IOPROF_NODE_LUSTRE_WRITTEN]));
    fprintf(out, " in %" PRIu64 " and %" PRIu64 " requests\n", sum[IOPROF_NODE_LUSTRE_READS],
            sum[IOPROF_NODE_LUSTRE_WRITES]);
    if (0 != sum[IOPROF_NODE_LNET_SENDS]) {
        fprintf(out, "  lnet       sent %s in %" PRIu64 " messages, received %s in %" PRIu64 "\n",
                ioprof_show_bytes((double) sum[IOPROF_NODE_LNET_SENT]), sum[IOPROF_NODE_LNET_SENDS],
                ioprof_show_bytes((double) sum[IOPROF_NODE_LNET_RECEIVED]),
                sum[IOPROF_NODE_LNET_RECEIVES]);
    }
}

static void show_run(const struct ioprof_profile *p, FILE *out)
{
    static const char *const ends[] = {"finalized", "exited without MPI_Finalize",
                                       "called MPI_Abort", "were ended by a signal"};
    size_t count[4] = {0};
    struct ioprof_figures f;
    unsigned long expected = strtoul(ioprof_fact(p, "ranks"), NULL, 10);

    ioprof_figure(p, &f);
    fprintf(out, "ioprof: %s, job %s\n", ioprof_fact(p, "program"), ioprof_fact(p, "job"));
    fprintf(out, "  command    %s\n", ioprof_fact(p, "command"));
    fprintf(out, "  ranks      %s on %zu host%s, %s, level %s\n", ioprof_fact(p, "ranks"),
            ioprof_hosts(p), 1 == ioprof_hosts(p) ? "" : "s", ioprof_fact(p, "mpi"),
            ioprof_fact(p, "level"));
    fprintf(out, "  run        %s\n", ioprof_show_time(f.run_ns));
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
    ioprof_text_heading(out, "Four questions");
    for (int i = 0; i < IOPROF_QUESTIONS; i++) {
        char *text = ioprof_answer(p, i);

        fprintf(out, "%s\n", ioprof_questions[i]);
        ioprof_text_paragraph(out, NULL == text ? "?" : text, "    ");
        free(text);
    }
}

static void show_findings(const struct ioprof_profile *p, FILE *out)
{
    struct ioprof_finding *findings;
    int n = ioprof_findings(p, &findings);

    ioprof_text_heading(out, "Findings");
    if (n <= 0) {
        fprintf(out, "Nothing that would be worth a change.\n");
    }
    for (int i = 0; i < n; i++) {
        fprintf(out, "%d.\n", i + 1);
        ioprof_text_paragraph(out, findings[i].text, "    ");
        ioprof_text_paragraph(out, findings[i].advice, "      ");
    }
    ioprof_findings_free(findings, n);
}

static void show_functions(const struct ioprof_profile *p, FILE *out)
{
    uint64_t class = IOPROF_CLASSES;

    ioprof_text_heading(out, "Functions (time is summed over ranks; < is POSIX called by MPI-IO)");
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
                (unsigned long long) func->calls, ioprof_text_ms((double) func->ns),
                ioprof_text_ms((double) func->max_ns));
        fprintf(out, " %12s %12s %6llu %6llu\n",
                0 == func->span_ns ? "-" : ioprof_text_ms((double) func->span_ns),
                0 == func->bytes ? "-" : ioprof_text_mib((double) func->bytes),
                (unsigned long long) func->errors, (unsigned long long) func->ranks);
    }
}

static void show_sizes(const struct ioprof_profile *p, FILE *out)
{
    static const char *const names[IOPROF_SIZES] = {"0",   "<512", "<4K",   "<32K", "<256K", "<1M",
                                                    "<4M", "<16M", "<128M", "<1G",  ">=1G"};

    ioprof_text_heading(out, "Sizes of reads and writes (calls)");
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

/* The unit of a performance variable: at the end of its description, or part of its name. */
enum { V_TIME, V_BYTES, V_COUNT, V_UNITS };

static int unit_of(const struct ioprof_pvar *v)
{
    if (NULL != strstr(v->text, "[nanoseconds]") || NULL != strstr(v->name, "_time_")) {
        return V_TIME;
    }
    if (NULL != strstr(v->text, "[bytes]") || NULL != strstr(v->name, "bytes")) {
        return V_BYTES;
    }
    return V_COUNT;
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
        fprintf(out, " %12s %12s", ioprof_text_ms((double) v->sum),
                ioprof_text_ms((double) v->max));
    } else {
        fprintf(out, " %12s %12s", ioprof_text_mib((double) v->sum),
                ioprof_text_mib((double) v->max));
    }
    fprintf(out, "  %.*s\n", length, v->text);
}

static void show_components(const struct ioprof_profile *p, FILE *out)
{
    static const char *const titles[V_UNITS] = {"time, ms", "data, MiB", "count"};

    if (0 == p->npvars) {
        return;
    }
    ioprof_text_heading(out, "Components (performance variables of MPI_T, those that are not 0)");
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
    ioprof_text_heading(out, "ioprof itself");
    fprintf(out, "%llu calls recorded, about %s of rank time: %.3f%% of the run. ",
            (unsigned long long) calls, ioprof_show_time((double) ns),
            wall > 0 ? 100 * (double) ns / (double) wall : 0);
    fprintf(out, "%llu samples took %s. Merging at MPI_Finalize took %s.\n",
            (unsigned long long) samples, ioprof_show_time((double) sample_ns),
            ioprof_show_time(strtod(ioprof_fact(p, "reduce_ns"), NULL)));
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
    ioprof_text_ranks(profile, out);
    ioprof_text_files(profile, out);
    show_components(profile, out);
    show_own(profile, out);
    if (ferror(out)) {
        return -1;
    }
    return 0;
}
