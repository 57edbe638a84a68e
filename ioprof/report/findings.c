/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Findings: patterns that cost time, and the parameter or hint that would change each. */
#include "report/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FINDINGS 40
#define FEW_CALLS    64         /* fewer calls are not worth a finding */
#define SMALL        (64 << 10) /* bytes of a transfer that is small */
#define MANY_BLOCKS  16         /* of a transfer: it may start inside a block */

struct list {
    struct ioprof_finding *items;
    struct ioprof_finding *last; /* that was added; NULL if there was no room for it */
    int n;
    const struct ioprof_profile *p;
    struct ioprof_figures f;
};

static void add(struct list *list, const char *advice, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void add(struct list *list, const char *advice, const char *format, ...)
{
    struct ioprof_finding *item = &list->items[list->n];
    va_list args;

    list->last = NULL;
    if (list->n == MAX_FINDINGS) {
        return;
    }
    va_start(args, format);
    if (vasprintf(&item->text, format, args) < 0) {
        item->text = NULL;
    }
    va_end(args);
    item->advice = strdup(advice);
    if (NULL != item->text && NULL != item->advice) {
        list->last = item;
        list->n++;
    }
}

static void suggest(struct list *list, const struct ioprof_file *file, unsigned components,
                    const char *format, ...) __attribute__((format(printf, 4, 5)));

/** Gives the last finding settings: components, and lines "KEY VALUE" of a hint file, for a file or
 *  for all. */
static void suggest(struct list *list, const struct ioprof_file *file, unsigned components,
                    const char *format, ...)
{
    va_list args;

    if (NULL == list->last) {
        return;
    }
    list->last->file = file;
    list->last->components = components;
    va_start(args, format);
    if (vasprintf(&list->last->hints, format, args) < 0) {
        list->last->hints = NULL;
    }
    va_end(args);
}

/** Whether a time is worth a finding: 2% of the time in I/O. */
static int matters(const struct list *list, double ns)
{
    return ns >= 0.02 * list->f.io_ns;
}

/** Calls, time and bytes of the kinds in the classes of a file. */
static struct ioprof_cell sum_cells(const struct ioprof_file *file, int first_class, int last_class,
                                    int first_kind, int last_kind)
{
    struct ioprof_cell sum = {0};

    for (int class = first_class; class <= last_class; class ++) {
        for (int kind = first_kind; kind <= last_kind; kind++) {
            sum.calls += file->cell[class][kind].calls;
            sum.ns += file->cell[class][kind].ns;
            sum.bytes += file->cell[class][kind].bytes;
        }
    }
    return sum;
}

static uint64_t small_ones(const struct ioprof_file *file, int class, int write)
{
    uint64_t n = 0;

    for (int i = 0; i < IOPROF_SIZES && ioprof_size_from[i] < SMALL; i++) {
        n += file->sizes[class][write][i];
    }
    return n;
}

/** Whether collective calls move most of the file's bytes. HDF5 writes metadata collectively, even
 *  if the program writes its data by individual calls. */
static int mostly_collective(const struct ioprof_file *file, int kind)
{
    const struct ioprof_cell *collective = &file->cell[IOPROF_COLLECTIVE][kind];

    return 0 != collective->calls
           && collective->bytes >= file->cell[IOPROF_INDEPENDENT][kind].bytes;
}

/** Sum over ranks of a counter of the collective components; `end` is the end of its name. */
static double pvar(const struct ioprof_profile *p, const char *end)
{
    double sum = 0;

    for (size_t i = 0; i < p->npvars; i++) {
        size_t length = strlen(p->pvars[i].name), tail = strlen(end);

        if (0 == strncmp(p->pvars[i].name, "fcoll_", 6) && length > tail
            && 0 == strcmp(p->pvars[i].name + length - tail, end)) {
            sum += (double) p->pvars[i].sum;
        }
    }
    return sum;
}

/** Whether the component chose direct access: it has found an exchange slower, and small accesses
 *  are on purpose. */
static int is_direct(const struct list *list, const struct ioprof_file *file, int kind)
{
    return mostly_collective(file, kind) && pvar(list->p, "_calls_direct") > 0;
}

/** Whether the hints of a file have this line. */
static int has_hint(const struct ioprof_file *file, const char *line)
{
    return NULL != file->hints && NULL != strstr(file->hints, line);
}

static void small_transfers(struct list *list, const struct ioprof_file *file, int class, int write)
{
    const int kind = write ? IOPROF_WRITE : IOPROF_READ;
    const char *name = ioprof_kind_name((uint64_t) kind), *where = "";
    const struct ioprof_cell *cell = &file->cell[class][kind];
    uint64_t small = small_ones(file, class, write);
    const char *advice;

    if (small < FEW_CALLS || small * 10 < cell->calls * 9 || !matters(list, (double) cell->ns)
        || (IOPROF_INSIDE == class && is_direct(list, file, kind))) {
        return;
    }
    if (IOPROF_POSIX == class) {
        advice = "Collect them in a buffer, or write the file with MPI_File_write_all, whose "
                 "aggregators make large transfers of small ones.";
    } else if (mostly_collective(file, kind)) {
        advice = "The calls are collective, yet small pieces reach the file: switch collective "
                 "buffering on (hint romio_cb_write=enable or romio_cb_read=enable, Open MPI: "
                 "--mca fcoll overlap), and see that cb_buffer_size is not small.";
    } else {
        advice = "Use the collective call (MPI_File_write_all, MPI_File_read_all; HDF5: "
                 "H5Pset_dxpl_mpio with H5FD_MPIO_COLLECTIVE), or let data sieving join the "
                 "pieces: hints romio_ds_write=enable, romio_ds_read=enable (--mca fbtl mtpwrite "
                 "has them, too).";
    }
    if (IOPROF_INSIDE == class) {
        where = " inside MPI-IO";
    }
    add(list, advice, "%s: %llu of %llu POSIX %ss%s have less than 64 KiB (%s on average).",
        file->path, (unsigned long long) small, (unsigned long long) cell->calls, name, where,
        ioprof_show_bytes((double) cell->bytes / (double) cell->calls));
    if (IOPROF_INSIDE == class && mostly_collective(file, kind)) {
        suggest(list, file, 0, "romio_cb_%s enable\n", name);
    } else if (IOPROF_INSIDE == class) {
        suggest(list, file, IOPROF_USE_MTPWRITE, "romio_ds_%s enable\n", name);
    }
}

/** As many aggregators as stripes, or two for each host. */
static uint64_t enough_aggregators(const struct list *list, const struct ioprof_file *file)
{
    uint64_t n = file->stripes > 1 ? file->stripes : 2 * ioprof_hosts(list->p);

    if (n < file->comm_size) {
        return n;
    }
    return file->comm_size;
}

static void one_rank(struct list *list, const struct ioprof_file *file)
{
    uint64_t bytes = sum_cells(file, IOPROF_POSIX, IOPROF_INSIDE, IOPROF_WRITE, IOPROF_WRITE).bytes;
    double ns = (double) sum_cells(file, 0, IOPROF_POSIX, IOPROF_WRITE, IOPROF_WRITE).ns;

    if (list->p->nranks < 4 || bytes < (16 << 20) || !matters(list, ns)) {
        return;
    }
    if (1 == file->writers[IOPROF_INSIDE] && file->comm_size > 1) {
        add(list,
            "Use more aggregators: hint cb_nodes (Open MPI: also --mca "
            "io_ompio_num_aggregators).",
            "%s: all bytes of %llu ranks are written by rank %llu, the only aggregator.",
            file->path, (unsigned long long) file->comm_size, (unsigned long long) file->top_rank);
        suggest(list, file, 0, "cb_nodes %llu\n",
                (unsigned long long) enough_aggregators(list, file));
    } else if (1 == file->writers[IOPROF_POSIX] && 0 == file->comm_size && 1 == list->p->nfiles) {
        add(list, "Let every rank write its part of the file with MPI_File_write_at_all.",
            "%s: rank %llu writes everything, %s.", file->path, (unsigned long long) file->top_rank,
            ioprof_show_bytes((double) bytes));
    }
}

/** Small transfers fill a stripe one after the other; only larger ones are held against it. A block
 *  matters to transfers of a few blocks: of many it is a small part. */
static void unaligned(struct list *list, const struct ioprof_file *file)
{
    struct ioprof_cell sum = sum_cells(file, IOPROF_POSIX, IOPROF_INSIDE, IOPROF_READ,
                                       IOPROF_WRITE);
    int striped = 0 != file->stripe_bytes && sum.bytes >= sum.calls * (file->stripe_bytes / 4);
    uint64_t inside = file->unaligned, unit = file->block;
    const char *name = "block";

    if (striped) {
        inside = file->stripe_unaligned;
        unit = file->stripe_bytes;
        name = "stripe";
    }
    if (!striped && sum.bytes >= sum.calls * file->block * MANY_BLOCKS) {
        return;
    }
    if (sum.calls < FEW_CALLS || inside * 2 < sum.calls || !matters(list, (double) sum.ns)
        || file->sequential * 10 > sum.calls * 9) {
        return;
    }
    add(list,
        "Put the parts of ranks at multiples of the block or stripe size; for collective calls set "
        "the hint striping_unit, or cb_buffer_size to a multiple of the stripe.",
        "%s: %llu of %llu POSIX reads and writes start inside a %s of %s.", file->path,
        (unsigned long long) inside, (unsigned long long) sum.calls, name,
        ioprof_show_bytes((double) unit));
    if (mostly_collective(file, IOPROF_WRITE)) {
        suggest(list, file, 0, "collio_align_bytes %llu\n", (unsigned long long) unit);
    }
}

/** One stripe is one server: for a file of many GiB that is the limit of its bandwidth. */
static void few_stripes(struct list *list, const struct ioprof_file *file, double ns)
{
    uint64_t stripes;

    if (1 == file->stripes && list->p->nranks > 1 && file->high >= (4ULL << 30)
        && matters(list, ns)) {
        add(list,
            "Create the file with more stripes: hint striping_factor (Lustre: lfs setstripe -c for "
            "its directory, BeeGFS: beegfs-ctl --setpattern).",
            "%s: a file of %s has one stripe: one server holds all of it.", file->path,
            ioprof_show_bytes((double) file->high));
        stripes = file->high >> 32; /* one for each 4 GiB */
        if (stripes < 4) {
            stripes = 4;
        }
        if (stripes > 64) {
            stripes = 64;
        }
        suggest(list, file,
                0 == strcmp(NULL == file->fs ? "" : file->fs, "lustre") ? IOPROF_USE_LUSTRE
                                                                        : IOPROF_USE_BEEGFS,
                "striping_factor %llu\n", (unsigned long long) stripes);
    }
}

/** The greatest divisor of the stripes that is not above the number of aggregators. */
static uint64_t even_aggregators(uint64_t stripes, uint64_t aggregators)
{
    while (0 != stripes % aggregators) {
        aggregators--;
    }
    return aggregators;
}

/** Aggregators and stripes: an aggregator should have stripes of its own, and each as many. */
static void uneven_stripes(struct list *list, const struct ioprof_file *file, double ns)
{
    uint64_t aggregators = file->writers[IOPROF_INSIDE], stripes = file->stripes;

    if (stripes < 2 || aggregators < 2 || file->comm_size < 2 || !matters(list, ns)) {
        return;
    }
    if (aggregators > stripes) {
        add(list,
            "Use as many aggregators as stripes, or more stripes: hints cb_nodes, striping_factor.",
            "%s: %llu aggregators write %llu stripes: several of them use one server at a time, "
            "and "
            "may wait for each other's locks.",
            file->path, (unsigned long long) aggregators, (unsigned long long) stripes);
        suggest(list, file, 0, "cb_nodes %llu\n", (unsigned long long) stripes);
    } else if (0 != stripes % aggregators) {
        add(list,
            "Let the number of aggregators divide the stripes: hints cb_nodes, striping_factor.",
            "%s: %llu stripes are not a multiple of %llu aggregators: some aggregators write more "
            "stripes than others.",
            file->path, (unsigned long long) stripes, (unsigned long long) aggregators);
        aggregators = even_aggregators(stripes, aggregators);
        suggest(list, file, 0, "cb_nodes %llu\n",
                (unsigned long long) (aggregators > 1 ? aggregators : stripes));
    }
}

static void layout(struct list *list, const struct ioprof_file *file)
{
    double ns = (double) sum_cells(file, 0, IOPROF_POSIX, IOPROF_READ, IOPROF_WRITE).ns;

    few_stripes(list, file, ns);
    uneven_stripes(list, file, ns);
}

/** Collective calls after which every rank goes to the file itself, in small pieces. */
static void not_aggregated(struct list *list, const struct ioprof_file *file, int kind)
{
    const uint64_t *own = IOPROF_WRITE == kind ? file->writers : file->readers;
    const struct ioprof_cell *inside = &file->cell[IOPROF_INSIDE][kind];
    const struct ioprof_cell *collective = &file->cell[IOPROF_COLLECTIVE][kind];

    if (file->comm_size < 4 || collective->calls < file->comm_size || !mostly_collective(file, kind)
        || is_direct(list, file, kind) || own[IOPROF_INSIDE] < own[IOPROF_COLLECTIVE]
        || own[IOPROF_INSIDE] < 4 || inside->bytes > inside->calls * (256 << 10)
        || !matters(list, (double) inside->ns)) {
        return;
    }
    add(list,
        "Switch the exchange on: hints romio_cb_write=enable, romio_cb_read=enable, "
        "collective_buffering=true; Open MPI: --mca fcoll overlap (not individual), hint "
        "collio_exchange=on.",
        "%s: collective %ss were not aggregated: all %llu ranks accessed the file themselves, %s "
        "at a time.",
        file->path, ioprof_kind_name((uint64_t) kind), (unsigned long long) own[IOPROF_INSIDE],
        ioprof_show_bytes(inside->calls > 0 ? (double) inside->bytes / (double) inside->calls : 0));
    suggest(list, file, 0, "romio_cb_%s enable\n", ioprof_kind_name((uint64_t) kind));
}

/** Nothing is printed if libraries set the views (HDF5 and PnetCDF set one before each transfer and
 *  reset it after), because the user cannot change that, nor if most calls reused a plan. */
static void changing_views(struct list *list, const struct ioprof_file *file)
{
    uint64_t calls = sum_cells(file, 0, IOPROF_INDEPENDENT, IOPROF_READ, IOPROF_WRITE).calls;

    if (file->views < 8 * (0 == file->ranks ? 1 : file->ranks) || file->views * 10 < calls * 8
        || file->views * 10 >= calls * 18
        || pvar(list->p, "_plan_hits") > pvar(list->p, "_plan_misses")
        || !matters(list, (double) file->cell[IOPROF_COLLECTIVE][IOPROF_META].ns)) {
        return;
    }
    add(list,
        "Set the view once and move with offsets (MPI_File_write_at_all), or reuse the same "
        "datatype: plans of the exchange are kept for a view (collio_plan_reuse).",
        "%s: the view changes with nearly every call: %llu MPI_File_set_view for %llu reads and "
        "writes.",
        file->path, (unsigned long long) file->views, (unsigned long long) calls);
}

static void all_open(struct list *list, const struct ioprof_file *file)
{
    double ns = (double) sum_cells(file, IOPROF_POSIX, IOPROF_INSIDE, IOPROF_OPEN, IOPROF_OPEN).ns;

    if (file->open_ranks < 64 || file->open_ranks < list->p->nranks || !matters(list, ns)
        || (0 != file->comm_size && !has_hint(file, "romio_no_indep_rw=false\n"))) {
        return; /* the hint shows ROMIO, which MPICH uses; Open MPI returns none of ROMIO's hints */
    }
    add(list,
        0 == file->comm_size
            ? "Let one rank read it and broadcast the contents."
            : "Let aggregators alone open it: hint romio_no_indep_rw=true (ROMIO).",
        "%s: all %llu ranks open the file; that takes %s of rank time.", file->path,
        (unsigned long long) file->open_ranks, ioprof_show_time(ns));
}

static void file_per_rank(struct list *list)
{
    uint64_t single = 0;
    double ns = 0;

    for (size_t i = 0; i < list->p->nfiles; i++) {
        const struct ioprof_file *file = &list->p->files[i];

        if (1 == file->ranks && 0 != file->writers[IOPROF_POSIX]) {
            single++;
            ns += (double) file->cell[IOPROF_POSIX][IOPROF_OPEN].ns;
        }
    }
    if (list->p->nranks >= 64 && single >= list->p->nranks && matters(list, ns)) {
        add(list,
            "One file for all ranks, written with MPI-IO, HDF5 or PnetCDF, spares the metadata "
            "server; with file systems of many servers set striping_factor for it.",
            "There is a file for every rank: %llu files written by one rank each; opening them "
            "takes %s of rank time.",
            (unsigned long long) single, ioprof_show_time(ns));
    }
}

static void low_overlap(struct list *list)
{
    double span = 0, waited = 0, io = pvar(list->p, "_time_io"),
           hidden = pvar(list->p, "_time_hidden");
    uint64_t calls = 0;
    int is_set = 0;

    for (size_t i = 0; i < list->p->nfiles; i++) {
        is_set |= has_hint(&list->p->files[i], "collio_schedule=write_comm\n");
    }
    for (size_t i = 0; i < list->p->nfuncs; i++) {
        const struct ioprof_func *func = &list->p->funcs[i];

        if (0 != func->span_ns) {
            span += (double) func->span_ns;
            calls += func->calls;
            waited += (double) func->ns;
        }
        if (IOPROF_WAIT == func->kind && func->class < IOPROF_POSIX) {
            waited += (double) func->ns;
        }
    }
    if (calls >= 8 && waited > 0.8 * span && matters(list, waited)) {
        add(list, "Compute between the start and the wait: MPI_Test now and then gives progress.",
            "Nonblocking and split calls hide little: of %s from start to completion, %s were "
            "spent inside the start and the wait.",
            ioprof_show_time(span), ioprof_show_time(waited));
    }
    /* With probes, auto has measured the schedules of these calls. */
    if (pvar(list->p, "_time_exchange") > 0 && 0 == pvar(list->p, "_probes") && hidden < 0.2 * io
        && matters(list, io)) {
        add(list,
            is_set ? "Try a smaller cb_buffer_size, so that each call needs several cycles."
                   : "Try --mca fcoll_overlap_schedule write_comm (hint collio_schedule), and a "
                     "smaller cb_buffer_size, so that each call needs several cycles.",
            "The collective component hid %.0f%% of its %s of file access behind the exchange.",
            100 * hidden / io, ioprof_show_time(io));
        if (!is_set) {
            suggest(list, NULL, 0, "collio_schedule write_comm\n");
        }
    }
}

/** Bytes of the collective buffer of the file with most bytes; 0: not known. */
static uint64_t buffer_bytes(const struct list *list)
{
    const struct ioprof_file *most = NULL;
    const char *hint;

    for (size_t i = 0; i < list->p->nfiles; i++) {
        const struct ioprof_file *file = &list->p->files[i];

        if (NULL == most || ioprof_file_bytes(file) > ioprof_file_bytes(most)) {
            most = file;
        }
    }
    hint = NULL == most || NULL == most->hints ? NULL : strstr(most->hints, "cb_buffer_size=");
    if (NULL == hint) {
        return 0;
    }
    return strtoull(hint + strlen("cb_buffer_size="), NULL, 10);
}

/** Memory that MPI-IO holds: what resident memory has grown by in its calls. */
static void io_memory(struct list *list)
{
    uint64_t held = 0;
    size_t top = 0;

    for (size_t i = 0; i < list->p->nranks; i++) {
        if (list->p->ranks[i].memory_io > list->p->ranks[top].memory_io) {
            top = i;
        }
    }
    if (0 == list->p->nranks) {
        return;
    }
    held = list->p->ranks[top].memory_io;
    if (held >= (32U << 20) && 4 * held >= list->p->ranks[top].memory_peak) {
        add(list,
            "Smaller or fewer collective buffers: hints cb_buffer_size, cb_nodes. Memory for a "
            "buffer is taken once and used again.",
            "MPI-IO holds %s of the %s of memory on rank %llu: %.0f%%.",
            ioprof_show_bytes((double) held),
            ioprof_show_bytes((double) list->p->ranks[top].memory_peak),
            (unsigned long long) list->p->ranks[top].rank,
            100 * (double) held / (double) list->p->ranks[top].memory_peak);
        if (buffer_bytes(list) >= (2U << 20)) {
            suggest(list, NULL, 0, "cb_buffer_size %llu\n",
                    (unsigned long long) buffer_bytes(list) / 2);
        }
    }
}

static void other_calls(struct list *list)
{
    double sync = list->f.kind_ns[IOPROF_SYNC];
    uint64_t errors = 0, meta = 0, data = 0;

    for (size_t i = 0; i < list->p->nfuncs; i++) {
        const struct ioprof_func *func = &list->p->funcs[i];

        if (IOPROF_INSIDE != func->class) {
            errors += func->errors;
        }
        if (IOPROF_POSIX == func->class) {
            if (IOPROF_META == func->kind || IOPROF_OPEN == func->kind) {
                meta += func->calls;
            }
            if (IOPROF_READ == func->kind || IOPROF_WRITE == func->kind) {
                data += func->calls;
            }
        }
    }
    if (sync > 0.2 * list->f.io_ns) {
        add(list, "Sync once, after the last write of a checkpoint.",
            "%.0f%% of the I/O time is in sync calls (fsync, MPI_File_sync).",
            100 * sync / list->f.io_ns);
    }
    if (meta > 10 * FEW_CALLS && meta > 2 * data && matters(list, list->f.kind_ns[IOPROF_META])) {
        add(list, "Read it once and keep the result; let one rank read it and broadcast it.",
            "Opens and stats are more than twice as many as reads and writes: %llu to %llu.",
            (unsigned long long) meta, (unsigned long long) data);
    }
    if (0 != errors) {
        add(list, "The table of functions names them. A failed open is often a search for a file.",
            "%llu calls returned an error.", (unsigned long long) errors);
    }
}

int ioprof_findings(const struct ioprof_profile *profile, struct ioprof_finding **findings)
{
    struct list list = {.items = calloc(MAX_FINDINGS, sizeof(**findings)), .p = profile};

    *findings = list.items;
    if (NULL == list.items) {
        return -1;
    }
    ioprof_figure(profile, &list.f);
    for (size_t i = 0; i < profile->nfiles; i++) {
        const struct ioprof_file *file = &profile->files[i];

        for (int write = 0; write < 2; write++) {
            small_transfers(&list, file, IOPROF_POSIX, write);
            small_transfers(&list, file, IOPROF_INSIDE, write);
            not_aggregated(&list, file, write ? IOPROF_WRITE : IOPROF_READ);
        }
        one_rank(&list, file);
        unaligned(&list, file);
        layout(&list, file);
        changing_views(&list, file);
        all_open(&list, file);
    }
    file_per_rank(&list);
    low_overlap(&list);
    io_memory(&list);
    other_calls(&list);
    return list.n;
}

void ioprof_findings_free(struct ioprof_finding *findings, int n)
{
    for (int i = 0; i < n; i++) {
        free(findings[i].text);
        free(findings[i].advice);
        free(findings[i].hints);
    }
    free(findings);
}
