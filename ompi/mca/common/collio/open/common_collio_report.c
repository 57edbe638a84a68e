/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The report at close: what was used, what moved, how long each phase took.
 */
#include "open/common_collio_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "exchange/common_collio_kept.h"
#include "file/common_collio_file.h"
#include "tuner/common_collio_tuner.h"

#include "opal/util/output.h"

enum { LISTED_AGGREGATORS = 16 };

typedef struct text_t {
    char *at;
    size_t used;
    size_t room;
} text_t;

static void add(text_t *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(text_t *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text->at + text->used, text->room - text->used, format, arguments);
    va_end(arguments);
    if (length > 0) {
        text->used += (size_t) length;
        text->used = text->used < text->room ? text->used : text->room - 1;
    }
}

static void add_aggregators(text_t *text, const mca_common_collio_file_t *file)
{
    add(text, "  aggregators   %d of %d ranks on %d node%s:", file->aggregator_count, file->size,
        file->nodes.nodes, 1 == file->nodes.nodes ? "" : "s");
    for (int i = 0; i < file->aggregator_count && i < LISTED_AGGREGATORS; ++i) {
        int rank = file->aggregators[i];

        add(text, " %d@node%d", rank, file->nodes.node_of[rank]);
    }
    add(text, "%s\n", file->aggregator_count > LISTED_AGGREGATORS ? " ..." : "");
}

static void add_layers(text_t *text, const mca_common_collio_file_t *file)
{
    int count = 0;

    if (!file->two_layers) {
        return;
    }
    if (0 == file->kept->layers_used) {
        add(text, "  local aggr.   every rank: one layer\n");
        return;
    }
    for (int node = 0; node < file->nodes.nodes; ++node) {
        count += mca_common_collio_local_aggregators_on(&file->nodes, file->kept->local_used, node);
    }
    add(text, "  local aggr.   %d, inside nodes by %s\n", count,
        MCA_COMMON_COLLIO_SHARED_READY == file->kept->relay_shared.state ? "shm" : "isend");
}

/* Partition memory: the layout of the last new plan, and why. */
static void add_memory(text_t *text, const mca_common_collio_file_t *file)
{
    const mca_common_collio_file_memory_t *memory = &file->memory;
    const uint64_t *available = memory->records
                                + (size_t) file->nodes.nodes * (size_t) (1 + memory->words);

    if (!memory->used || 0 == memory->parts) {
        return;
    }
    add(text, "  memory        %d group%s, %d leaves, %d merged, %d domains\n", memory->groups,
        1 == memory->groups ? "" : "s", memory->leaves, memory->merges, memory->parts);
    for (int n = 0; n < file->nodes.nodes && n < LISTED_AGGREGATORS; ++n) {
        int64_t buffers = 0;
        int parts = 0;

        for (int i = 0; i < memory->parts; ++i) {
            int rank = file->aggregators[memory->part[i].aggregator];

            parts += file->nodes.node_of[rank] == n;
            buffers += file->nodes.node_of[rank] == n ? memory->part[i].buffer_bytes : 0;
        }
        add(text, "    node%-6d can give %" PRIu64 " bytes; %d domains, %" PRId64 " bytes\n", n,
            available[n], parts, buffers);
    }
    for (int i = 0; i < memory->parts && i < LISTED_AGGREGATORS; ++i) {
        const mca_common_collio_memory_part_t *part = &memory->part[i];
        int rank = file->aggregators[part->aggregator];

        add(text,
            "    domain %-3d group %d, %" PRId64 " bytes wanted: rank %d@node%d, buffer %" PRId64
            ", %s",
            i, part->group, part->bytes, rank, file->nodes.node_of[rank], part->buffer_bytes,
            part->reduced ? "no node fits, smaller windows" : "most memory of its nodes");
        if (part->merged > 0) {
            add(text, ", took over %d leaves", part->merged);
        }
        add(text, "\n");
    }
}

/* Where the time went, in the components of the TAM paper. */
static void add_breakdown(text_t *text, const uint64_t *most, const uint64_t *sum)
{
#define MS(name)  ((double) most[MCA_COMMON_COLLIO_STAT_##name] / 1e6)
#define SUM(name) sum[MCA_COMMON_COLLIO_STAT_##name]
    add(text, "  breakdown: slowest rank, ms; extents and messages of all ranks\n");
    add(text, "    intra-node  gather %.3f, merge %.3f, move %.3f\n", MS(time_gather),
        MS(time_gather_merge), MS(time_gather_move));
    add(text, "    inter-node  split %.3f, route %.3f, merge %.3f, communicate %.3f\n",
        MS(time_split), MS(time_route), MS(time_merge), MS(time_exchange));
    add(text, "    i/o         access %.3f, hidden %.3f, waited for %.3f\n", MS(time_io),
        MS(time_hidden), MS(time_wait));
    add(text,
        "    extents     %" PRIu64 " asked for; layer 1: %" PRIu64 " -> %" PRIu64
        "; layer 2: %" PRIu64 " -> %" PRIu64 "\n",
        SUM(requests_in), SUM(requests_gathered), SUM(requests_merged), SUM(requests_received),
        SUM(requests_out));
    add(text,
        "    messages    %" PRIu64 " of %" PRIu64 " bytes inside nodes, %" PRIu64 " of %" PRIu64
        " bytes between them\n",
        SUM(messages) - SUM(messages_between_nodes), SUM(message_bytes) - SUM(bytes_between_nodes),
        SUM(messages_between_nodes), SUM(bytes_between_nodes));
#undef MS
#undef SUM
}

static void add_figures(text_t *text, const uint64_t *least, const uint64_t *most,
                        const uint64_t *sum, int ranks, mca_common_collio_stat_kind_t kind)
{
    double unit = MCA_COMMON_COLLIO_STAT_KIND_time == kind ? 1e6 : 1;
    int digits = MCA_COMMON_COLLIO_STAT_KIND_time == kind ? 3 : 0;

    for (int i = 0; i < MCA_COMMON_COLLIO_STAT_COUNT; ++i) {
        if (mca_common_collio_stat_kind(i) != kind || 0 == most[i]) {
            continue;
        }
        add(text, "  %-24s %16.*f %16.*f %16.*f %18.*f\n", mca_common_collio_stat_name(i), digits,
            (double) least[i] / unit, digits, (double) sum[i] / ranks / unit, digits,
            (double) most[i] / unit, digits, (double) sum[i] / unit);
    }
}

static void print(mca_common_collio_file_t *file, const uint64_t *least, const uint64_t *most,
                  const uint64_t *sum)
{
    char choices[256];
    char buffer[16384];
    text_t text = {buffer, 0, sizeof(buffer)};

    mca_common_collio_tuner_describe(file->tuner, sum, file->size, choices, sizeof(choices));
    add(&text, "\nfcoll/%s report: %s\n", file->component->name, file->fh->f_filename);
    add_aggregators(&text, file);
    add_layers(&text, file);
    add(&text, "  buffers       %" PRId64 " bytes per aggregator\n", file->buffer_bytes);
    add(&text, "  alignment     %" PRId64 " bytes, %s\n", file->align.unit,
        mca_common_collio_align_source_name(file->align.source));
    add_memory(&text, file);
    add(&text, "  choices       %s\n", choices);
    add_breakdown(&text, most, sum);
    add(&text, "  %-24s %16s %16s %16s %18s\n", "count (per rank)", "min", "avg", "max", "sum");
    add_figures(&text, least, most, sum, file->size, MCA_COMMON_COLLIO_STAT_KIND_count);
    add_figures(&text, least, most, sum, file->size, MCA_COMMON_COLLIO_STAT_KIND_high);
    add(&text, "  %-24s %16s %16s %16s %18s\n", "time in ms (per rank)", "min", "avg", "max",
        "sum");
    add_figures(&text, least, most, sum, file->size, MCA_COMMON_COLLIO_STAT_KIND_time);
    opal_output(0, "%s", buffer);
}

void mca_common_collio_report(mca_common_collio_file_t *file)
{
    uint64_t least[MCA_COMMON_COLLIO_STAT_COUNT], most[MCA_COMMON_COLLIO_STAT_COUNT],
        sum[MCA_COMMON_COLLIO_STAT_COUNT];
    const uint64_t *mine = file->stats.at;

    if (!file->settings.report) {
        return;
    }
    if (OMPI_SUCCESS
            != mca_common_collio_allreduce(mine, least, MCA_COMMON_COLLIO_STAT_COUNT, MPI_UINT64_T,
                                           MPI_MIN, file->comm)
        || OMPI_SUCCESS
               != mca_common_collio_allreduce(mine, most, MCA_COMMON_COLLIO_STAT_COUNT,
                                              MPI_UINT64_T, MPI_MAX, file->comm)
        || OMPI_SUCCESS
               != mca_common_collio_allreduce(mine, sum, MCA_COMMON_COLLIO_STAT_COUNT, MPI_UINT64_T,
                                              MPI_SUM, file->comm)) {
        return;
    }
    if (0 == file->rank) {
        print(file, least, most, sum);
    }
}
