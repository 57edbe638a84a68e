/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The report at close: choices and their reasons, bytes moved, time of each phase; separate for
 * writes and reads. Verbose output of an open.
 */
#include "open/attach.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "call/op.h"
#include "compat/verbose.h"
#include "exchange/exchange.h"
#include "report/report_out.h"
#include "tuner/tuner.h"

#define add collio_text_add

enum { LISTED = 16, STATS = COLLIO_STAT_COUNT };

static double mib(int64_t bytes)
{
    return (double) bytes / 1048576.0;
}

/* Returns the reason for the number of aggregators, by the order of choose_aggregators() in
 * file_aggregators.c. */
static collio_reason_t why_aggregators(const collio_file_t *file)
{
    if ('\0' != file->settings.aggregator_list[0]) {
        return COLLIO_REASON_AGGREGATOR_LIST;
    }
    if (file->settings.aggregators > 0) {
        return COLLIO_REASON_SET;
    }
    if (file->derived.ompio_aggregators > 0) {
        return COLLIO_REASON_OMPIO_AGGREGATORS;
    }
    if (file->derived.partition->by_memory) {
        return COLLIO_REASON_MEMORY;
    }
    if (file->derived.striped && file->fh->f_stripe_count > 0) {
        return COLLIO_REASON_STRIPES;
    }
    return 1 < file->nodes.nodes ? COLLIO_REASON_PER_NODE : COLLIO_REASON_ONE_NODE;
}

static const char *engine_name(const collio_file_t *file)
{
    return collio_engine_name((collio_engine_t) file->access.tuning.engine);
}

static collio_reason_t why_engine(const collio_file_t *file)
{
    if (COLLIO_ENGINE_AUTO == file->settings.engine) {
        return COLLIO_REASON_DEFAULT;
    }
    if (file->settings.engine == file->access.tuning.engine) {
        return COLLIO_REASON_SET;
    }
    return COLLIO_REASON_NOT_AVAILABLE;
}

/* Adds the engine of background access, and the cores of rank 0's threads. */
static void add_engine(collio_record_t *record, const collio_file_t *file)
{
    char list[128];

    add(&record->about, "  engine        %s (%s)", engine_name(file),
        collio_reason_text(why_engine(file)));
    if (COLLIO_ENGINE_THREADS == (collio_engine_t) file->access.tuning.engine) {
        collio_cores_format(collio_pool_cores(), list, sizeof(list));
        add(&record->about, ", cores %s", list);
        add(&record->json, ",\"cores\":\"%s\"", list);
    }
    add(&record->about, "\n");
}

static void add_aggregators(collio_record_t *record, const collio_file_t *file)
{
    char align[64];

    add(&record->about,
        "  aggregators   %d of %d ranks on %d node%s (%s):", file->derived.aggregator_count,
        file->size, file->nodes.nodes, 1 == file->nodes.nodes ? "" : "s",
        collio_reason_text(why_aggregators(file)));
    add(&record->json, ",\"nodes\":%d,\"aggregators\":[", file->nodes.nodes);
    for (int i = 0; i < file->derived.aggregator_count; ++i) {
        int rank = file->derived.aggregators[i];

        if (i < LISTED) {
            add(&record->about, " %d@node%d", rank, collio_node_of(&file->nodes, rank));
        }
        add(&record->json, "%s%d", i > 0 ? "," : "", rank);
    }
    add(&record->about, "%s\n", file->derived.aggregator_count > LISTED ? " ..." : "");
    add(&record->about, "  buffers       %.3f MiB for each aggregator\n",
        mib(file->derived.buffer_bytes));
    add(&record->json, "],\"buffer_bytes\":%" PRId64, file->derived.buffer_bytes);
    collio_align_format(&file->derived.align, align, sizeof(align));
    add(&record->about, "  alignment     %s\n", align);
    add(&record->json, ",\"align_bytes\":%" PRId64, file->derived.align.unit);
    add_engine(record, file);
}

static void add_layers(collio_record_t *record, const collio_file_t *file)
{
    int count = 0;

    if (!file->derived.two_layers) {
        return;
    }
    if (COLLIO_LAYERS_ONE == file->context->kept->layers_used) {
        add(&record->json, ",\"local_aggregators\":%d", file->size);
        return;
    }
    for (int group = 0; group < collio_groups(file)->nodes; ++group) {
        count += collio_local_aggregators_on(collio_groups(file), file->context->kept->local_used,
                                             group);
    }
    add(&record->about, "  local aggr.   %d, inside %s by %s\n", count,
        collio_by_rack(file) ? "racks" : "nodes",
        COLLIO_SHARED_READY == file->context->kept->relay_shared.state ? "shm" : "isend");
    add(&record->json, ",\"local_aggregators\":%d", count);
}

static void add_node_memory(collio_record_t *record, const collio_file_t *file, int node)
{
    const collio_memory_layout_t *layout = &file->memory.layout;
    int64_t buffers = 0;
    int parts = 0;

    for (int i = 0; i < layout->parts; ++i) {
        int rank = file->derived.aggregators[layout->part[i].aggregator];

        if (collio_node_of(&file->nodes, rank) == node) {
            ++parts;
            buffers += layout->part[i].buffer_bytes;
        }
    }
    add(&record->about, "    node%-6d can give %.3f MiB; %d domains, %.3f MiB\n", node,
        mib((int64_t) file->memory.records[node]), parts, mib(buffers));
}

/* Adds the layout of the last new plan of partition memory, with reasons. */
static void add_memory(collio_record_t *record, const collio_file_t *file)
{
    const collio_memory_layout_t *layout = &file->memory.layout;

    if (0 == layout->parts) {
        return;
    }
    add(&record->about, "  memory        %d group%s, %d leaves, %d merged, %d domains\n",
        layout->groups, 1 == layout->groups ? "" : "s", layout->leaves, layout->merges,
        layout->parts);
    add(&record->json, ",\"memory\":{\"groups\":%d,\"leaves\":%d,\"merged\":%d,\"domains\":%d}",
        layout->groups, layout->leaves, layout->merges, layout->parts);
    for (int node = 0; node < file->nodes.nodes && node < LISTED; ++node) {
        add_node_memory(record, file, node);
    }
    for (int i = 0; i < layout->parts && i < LISTED; ++i) {
        const collio_memory_part_t *part = &layout->part[i];
        int rank = file->derived.aggregators[part->aggregator];

        add(&record->about,
            "    domain %-3d group %d, %.3f MiB wanted: rank %d@node%d, buffer %.3f MiB, %s", i,
            part->group, mib(part->bytes), rank, collio_node_of(&file->nodes, rank),
            mib(part->buffer_bytes),
            part->reduced ? "no node fits, smaller windows" : "most memory of its nodes");
        if (part->merged > 0) {
            add(&record->about, ", took over %d leaves", part->merged);
        }
        add(&record->about, "\n");
    }
}

/* Formats the transports that moved bytes: transport shm uses isend between nodes, and on nodes
 * where memory cannot be shared. */
static void find_transport(collio_decision_t *row, const uint64_t *sum, int ranks, char *text,
                           size_t size)
{
    int missing = (int) sum[COLLIO_STAT_SHM_MISSING];

    row->value = text;
    if (missing >= ranks) {
        snprintf(text, size, "isend");
        row->why = COLLIO_REASON_NO_SHARED_MEMORY;
    } else if (missing > 0) {
        snprintf(text, size, "shm, isend on %d of %d ranks", missing, ranks);
        row->why = COLLIO_REASON_NO_SHARED_MEMORY;
    } else if (0 == sum[COLLIO_STAT_MESSAGES_BETWEEN_NODES]) {
        snprintf(text, size, "shm");
    } else {
        snprintf(text, size, "%sisend between nodes",
                 sum[COLLIO_STAT_SHM_BYTES] > 0 ? "shm, " : "");
    }
}

static void add_decision(collio_text_t *json, const char *before, const collio_decision_t *row)
{
    add(json, "%s\"%s\":{\"value\":\"%s\",\"reason\":", before, row->name, row->value);
    collio_text_json(json, collio_reason_text(row->why));
    add(json, "}");
}

/* Adds the choices of the largest call in a direction, with reasons. */
static void add_call(collio_record_t *record, const collio_file_t *file, bool write,
                     const uint64_t *sum)
{
    const collio_way_t *way = collio_tuner_largest(file->tuner, write);
    collio_decision_t row[COLLIO_DECISIONS];
    char transport[64];
    int count;

    if (NULL == way) {
        return;
    }
    count = collio_op_decisions(way, file->derived.two_layers, row);
    if (way->exchange && COLLIO_BUFFERS_SHARED == way->can.buffers) {
        find_transport(&row[COLLIO_DECISION_TRANSPORT], sum, file->size, transport,
                       sizeof(transport));
    }
    if (write) {
        add(&record->about, "  largest write");
        add(&record->json, ",\"write\":{");
    } else {
        add(&record->about, "  largest read ");
        add(&record->json, ",\"read\":{");
    }
    for (int i = 0; i < count; ++i) {
        add(&record->about, " %s %s (%s)%s", row[i].name, row[i].value,
            collio_reason_text(row[i].why), i < count - 1 ? "," : "\n");
        add_decision(&record->json, i > 0 ? "," : "", &row[i]);
    }
    add(&record->json, "}");
}

static void add_choices(collio_record_t *record, const collio_file_t *file,
                        const collio_counted_t *all)
{
    char count[16];
    uint64_t sum[STATS];

    for (int i = 0; i < STATS; ++i) {
        sum[i] = all[i].sum + all[STATS + i].sum;
    }
    snprintf(count, sizeof(count), "%d", file->derived.aggregator_count);
    add_decision(&record->json, ",\"choices\":{",
                 &(collio_decision_t){"aggregators", count, why_aggregators(file)});
    add_decision(&record->json, ",",
                 &(collio_decision_t){"engine", engine_name(file), why_engine(file)});
    add_call(record, file, true, sum);
    add_call(record, file, false, sum);
    add(&record->json, "}");
}

static bool report_describe(collio_record_t *record, const void *owner, const collio_counted_t *all)
{
    static const int calls[] = {STATS + COLLIO_STAT_CALLS_WRITE, COLLIO_STAT_CALLS_READ};
    static const int bytes[] = {STATS + COLLIO_STAT_BYTES_WRITTEN, COLLIO_STAT_BYTES_READ};
    static const int total[] = {STATS + COLLIO_STAT_TIME_TOTAL, COLLIO_STAT_TIME_TOTAL};
    const collio_file_t *file = owner;

    for (int i = 0; i < 2; ++i) {
        record->traffic[i] = (collio_traffic_t){all[calls[i]].most, all[bytes[i]].sum,
                                                all[total[i]].most};
    }
    add_aggregators(record, file);
    add_layers(record, file);
    add_memory(record, file);
    add_choices(record, file, all);
    return true;
}

void collio_report(const collio_file_t *file)
{
    const collio_report_t report = {.fh = file->fh,
                                    .comm = file->context->comm,
                                    .values = file->stats[0].at,
                                    .mode = file->settings.report,
                                    .path = file->settings.report_file,
                                    .owner = file,
                                    .describe = report_describe};

    if (COLLIO_REPORT_OFF != file->settings.report && 0 == file->lost) {
        collio_counters_report(&file->component->counters, &report);
    }
}

void collio_open_show(const collio_file_t *file)
{
    static const char *const coherence[] = {
        [COLLIO_COHERENT] = "no action needed",
        [COLLIO_COHERENCE_SIZE] = "sizes are asked for again",
        [COLLIO_COHERENCE_LOCK] = "a lock for each transfer",
        [COLLIO_COHERENCE_FLUSH] = "writes are flushed, sizes are asked for again",
    };
    const collio_access_t *access = &file->access;
    const char *title = file->component->title, *path = file->fh->f_filename;
    collio_record_t record = {0};
    char settings[1024], *save = NULL;

    if (OMPI_SUCCESS != file->refused) {
        COLLIO_SHOW(fcoll, SELECT, "%s: %s: selected: %s; every call fails: %s", title, path,
                    file->component->why, ompi_mpi_errnum_get_string(file->refused));
        return;
    }
    COLLIO_SHOW(fcoll, SELECT, "%s: %s: selected: %s", title, path, file->component->why);
    if (!COLLIO_VERBOSE(fcoll, FILE)) {
        return;
    }
    collio_settings_set_changed(&file->component->set, &file->settings, settings, sizeof(settings));
    COLLIO_SHOW(fcoll, FILE, "%s: %s: settings: %s", title, path, settings);
    COLLIO_SHOW(fcoll, FILE,
                "%s: %s: file system 0x%" PRIx32 " (%s), %d stripes of %zu bytes%s; coherence "
                "between nodes: %s",
                title, path, access->file_system,
                access->network     ? "network"
                : access->in_memory ? "memory"
                                    : "local",
                file->derived.striped ? file->fh->f_stripe_count : 0,
                file->derived.striped ? (size_t) file->fh->f_stripe_size : 0,
                file->derived.several_clients ? ", several clients that take locks" : "",
                coherence[access->coherence]);
    if (0 < file->costs.message_ns) {
        COLLIO_SHOW(fcoll, FILE,
                    "%s: %s: measured for local aggregators: %" PRId64 " ns for a message between "
                    "nodes, %" PRId64 " ns inside a node, %" PRId64 " ns per KiB",
                    title, path, file->costs.message_ns, file->costs.local_ns, file->costs.kib_ns);
    }
    add_aggregators(&record, file);
    if (NULL != record.about.at) {
        for (char *line = strtok_r(record.about.at, "\n", &save); NULL != line;
             line = strtok_r(NULL, "\n", &save)) {
            COLLIO_SHOW(fcoll, FILE, "%s: %s:%s", title, path, line + 1);
        }
    }
    collio_text_fini(&record.about);
    collio_text_fini(&record.json);
}
