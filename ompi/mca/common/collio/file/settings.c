/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The settings of the collective components: one row for each.
 */
#include "file/settings.h"

#include <stdio.h>
#include <string.h>

#include "core/naming.h"

#include "report/report_out.h"

enum {
    NO_HINT = COLLIO_SETTING_NO_HINT,
    NO_PARAMETER = COLLIO_SETTING_NO_PARAMETER,
    AGREED = COLLIO_SETTING_AGREED,
    POSITIVE = COLLIO_SETTING_POSITIVE,
    TWO_LAYERS = COLLIO_SETTING_TWO_LAYERS,
    FOR_TESTS = NO_PARAMETER /* a hint for tests and measurements only */
};

#define AT(field) offsetof(collio_settings_t, field)

static const char on_off[] = "auto,on,off";
#define SCHEDULE_CHOICE(name) "," #name
static const char schedules[] = "auto" COLLIO_SCHEDULE_LIST(SCHEDULE_CHOICE);
#define PARTITION_CHOICE(name) "," #name
static const char partitions[] = "auto" COLLIO_PARTITION_LIST(PARTITION_CHOICE);
static char transports[256] = "auto";

static const collio_setting_t rows[] = {
    {"schedule", COLLIO_CHOICE, AT(schedule), schedules, 0, 5, AGREED, NULL,
     "How an aggregator overlaps the exchange of one cycle with the file access of "
     "another; auto measures it in the first calls of a file. Set it to compare schedules, "
     "or to save the measurement in programs with few calls (docs/collective-io.md)"},
    {"transport", COLLIO_CHOICE, AT(transport), transports, 0, 5, AGREED, NULL,
     "How data moves between a rank and an aggregator; auto tries shm where memory can be "
     "shared, and isend between nodes. Set it to compare transports "
     "(docs/collective-io.md)"},
    {"exchange", COLLIO_CHOICE, AT(exchange), on_off, 0, 4, AGREED, NULL,
     "Whether data is exchanged with aggregators (on), or every rank accesses its own "
     "pieces of the file (off); auto measures both in the first calls. Set it if the "
     "report shows that auto chose the slower way (docs/collective-io.md)"},
    {"exchange_write", COLLIO_CHOICE, AT(exchange_write), on_off, 0, 4,
     NO_PARAMETER | NO_HINT | AGREED, "romio_cb_write,collective_buffering",
     "Whether data of writes is exchanged with aggregators (docs/collective-io.md)"},
    {"exchange_read", COLLIO_CHOICE, AT(exchange_read), on_off, 0, 4,
     NO_PARAMETER | NO_HINT | AGREED, "romio_cb_read,collective_buffering",
     "Whether data of reads is exchanged with aggregators (docs/collective-io.md)"},
    {"timeout", COLLIO_NUMBER, AT(timeout), NULL, 0, 6, AGREED, NULL,
     "Time limit in seconds for one step of a collective call, after which it and all "
     "later collective calls on the file return MPI_ERR_OTHER; 0: no limit. Set it on "
     "networks that may go silent, above the longest call and the largest delay between "
     "ranks (docs/guarantees.md)"},
    {"partition", COLLIO_CHOICE, AT(partition), partitions, 0, 5, AGREED, NULL,
     "How the file is divided among aggregators; auto chooses by the stripes and by the "
     "memory of the nodes. Set it to compare partitionings, or if nodes run out of memory "
     "(docs/collective-io.md)"},
    {"memory_per_node", COLLIO_NUMBER, AT(memory_per_node), NULL, 4, 7, AGREED, NULL,
     "partition memory: maximum number of aggregators of a node (N_ah). Each takes a share "
     "of the node's memory (docs/low-memory.md)"},
    {"memory_group_bytes", COLLIO_BYTES, AT(memory_group_bytes), NULL, 256 << 20, 7, AGREED, NULL,
     "partition memory: bytes of data that a group of nodes has at least (Msg_group). "
     "Reduce it if messages between nodes are costly (docs/low-memory.md)"},
    {"memory_domain_bytes", COLLIO_BYTES, AT(memory_domain_bytes), NULL, 0, 7, AGREED, NULL,
     "partition memory: bytes of data in the file domain of an aggregator at most, if "
     "there are enough aggregators (Msg_ind); 0: as with even, within limits. Reduce it if "
     "aggregators should own smaller file domains (docs/low-memory.md)"},
    {"memory_min_bytes", COLLIO_BYTES, AT(memory_min_bytes), NULL, 1 << 20, 7, AGREED, NULL,
     "partition memory: a node with less available memory than this many bytes (Mem_min) "
     "gets no aggregator while another node has more (docs/low-memory.md)"},
    {"memory_available", COLLIO_BYTES, AT(memory_available), NULL, 0, 9, FOR_TESTS, NULL,
     "Bytes that collective buffers may use on this rank's node; may differ between nodes. "
     "0 measures it (docs/low-memory.md)"},
    {"memory_root", COLLIO_TEXT, AT(memory_root), NULL, 0, 9, FOR_TESTS, NULL,
     "Directory in front of /proc and /sys where available memory is measured "
     "(docs/low-memory.md)"},
    {"aggregators", COLLIO_NUMBER, AT(aggregators), NULL, 0, 4, AGREED | POSITIVE, "cb_nodes",
     "Number of aggregators, the ranks that access the file (also hint cb_nodes); 0 "
     "chooses by nodes and stripes. Set it if your file system performs best with more or "
     "fewer clients (docs/collective-io.md)"},
    {"aggregator_list", COLLIO_TEXT, AT(aggregator_list), NULL, 0, 6, NO_PARAMETER | AGREED, NULL,
     "Ranks of the file's communicator that aggregate, such as 0,4,8-11; wins over "
     "aggregators and placement. Set it to keep aggregators away from busy ranks "
     "(docs/collective-io.md)"},
    {"placement", COLLIO_CHOICE, AT(placement), "auto,spread,round_robin", 0, 6, AGREED, NULL,
     "Which ranks aggregate: spread evenly over nodes and their ranks, or round_robin over "
     "the nodes. Set it if some ranks of a node are busier than others "
     "(docs/collective-io.md)"},
    {"buffer_bytes", COLLIO_BYTES, AT(buffer_bytes), NULL, 0, 4, AGREED | POSITIVE,
     "cb_buffer_size",
     "Bytes of memory that an aggregator may use for collective buffers (also hint "
     "cb_buffer_size); 0 chooses by nodes and file system. Enlarge it if calls have many "
     "cycles, reduce it if nodes are short of memory (docs/collective-io.md)"},
    {"align_bytes", COLLIO_BYTES, AT(align_bytes), NULL, 0, 5, AGREED, NULL,
     "File domains and windows begin at multiples of this many bytes; 0: the stripe or "
     "block of the file system, 1: no alignment. Set it if the file system locks or writes "
     "in another unit (docs/file-systems.md)"},
    {"sync_send", COLLIO_CHOICE, AT(sync_send), on_off, 0, 9, AGREED, NULL,
     "Whether data messages are synchronous sends, so that fast senders cannot flood an "
     "aggregator that is busy writing. auto: one message in so many that at most 64 MiB "
     "can wait at an aggregator (docs/collective-io.md)"},
    {"engine", COLLIO_CHOICE, AT(engine), "auto,threads,libaio,io_uring", 0, 5, NO_HINT, NULL,
     "What runs the accesses of aggregators in the background; auto is threads. Set it to "
     "compare engines (docs/collective-io.md)"},
    {"plan_reuse", COLLIO_SWITCH, AT(plan_reuse), NULL, 1, 9, FOR_TESTS | AGREED, NULL,
     "Reuse the plan of an earlier call with the same view and request shape, such as that "
     "of the last variable or time step (docs/collective-io.md)"},
    {"keep", COLLIO_SWITCH, AT(keep), NULL, 1, 6, AGREED, NULL,
     "Keep communicators, shared memory, buffers (at most 64 MiB on a node) and plans when "
     "a file is closed, for the next file that the same processes open. Switch it off "
     "where memory is short between files (docs/known-problems.md)"},
    {"report", COLLIO_CHOICE, AT(report), COLLIO_REPORT_CHOICES, 0, 3, AGREED, NULL,
     "Print at close what the collective calls on a file did: aggregators, bandwidth, time "
     "of each phase, messages (docs/report.md)"},
    {"report_file", COLLIO_TEXT, AT(report_file), NULL, 0, 3, AGREED, NULL,
     COLLIO_REPORT_FILE_HELP},
    {"priority", COLLIO_NUMBER, AT(priority), NULL, COLLIO_PRIORITY_DEFAULT, 3, NO_HINT, NULL,
     "Priority of this component among the fcoll components; stock components have 10 to "
     "100. Set 110 to use this one for every file without --mca fcoll, 0 to switch it off "
     "(docs/selection.md)"},
    {"local_aggregators", COLLIO_NUMBER, AT(local_aggregators), NULL, 0, 6, AGREED | TWO_LAYERS,
     NULL,
     "Number of local aggregators on all nodes together (P_L), which gather requests "
     "inside their node. 0: local_aggregators_per_node decides; the number of ranks: no "
     "intra-node aggregation (docs/collective-io.md)"},
    {"local_aggregators_per_node", COLLIO_NUMBER, AT(local_aggregators_per_node), NULL, 0, 4,
     AGREED | TWO_LAYERS, NULL,
     "Number of local aggregators on each node, which gather requests inside the node "
     "before the exchange between nodes; 0 is automatic. Set it if the report shows that "
     "gathering takes long, or that too many messages go between nodes "
     "(docs/collective-io.md)"},
    {"racks", COLLIO_TEXT, AT(racks), NULL, 0, 5, AGREED | TWO_LAYERS, NULL,
     "Number of nodes in each rack, such as 16,9,16, from all of which local aggregators "
     "then gather; empty: they gather inside nodes. Set it if messages between racks are "
     "slow and nodes have few ranks (docs/collective-io.md)"},
    {"intra", COLLIO_CHOICE, AT(intra), "auto,shm,isend", 0, 9, FOR_TESTS | AGREED | TWO_LAYERS,
     NULL,
     "How data moves inside a node to its local aggregator; auto uses shm where memory can "
     "be shared (docs/collective-io.md)"},
};

/* Lists the transports, once for all components. */
static void list_transports(collio_values_t *transport)
{
    static bool listed;
    const char *name;

    if (listed) {
        return;
    }
    listed = true;
    for (size_t i = 0; NULL != (name = transport(i)); ++i) {
        size_t used = strlen(transports);

        snprintf(transports + used, sizeof(transports) - used, ",%s", name);
    }
}

int collio_settings_register(collio_component_t *component, const mca_base_component_t *mca,
                             collio_values_t *transport)
{
    collio_settings_set_t *set = &component->set;

    list_transports(transport);
    set->rows = rows;
    set->count = sizeof(rows) / sizeof(rows[0]);
    set->without = component->two_layers ? 0 : TWO_LAYERS;
    set->parameters = &component->parameters;
    set->bytes = sizeof(component->parameters);
    return collio_settings_set_register(set, mca);
}

/* The hint collio_exchange, unless it is auto, overrides ROMIO's hints for one direction. A
 * schedule, a transport or a setting of two layers implies exchange=on where it is auto: direct
 * access has none of these. The component does not: fcoll/tam chooses as fcoll/overlap does. */
static void resolve_exchange(ompio_file_t *fh, collio_settings_t *settings)
{
    int *const direction[] = {&settings->exchange_read, &settings->exchange_write};
    char text[MPI_MAX_INFO_VAL + 1];
    bool ours = collio_hint_get(fh->f_info, "collio_exchange", text, sizeof(text))
                && COLLIO_SETTING_AUTO != settings->exchange;

    settings->implied = COLLIO_SETTING_AUTO == settings->exchange
                        && (COLLIO_SCHEDULE_AUTO != settings->schedule || 0 != settings->transport
                            || collio_settings_layers(settings));
    for (int i = 0; i < 2; ++i) {
        if (ours || COLLIO_SETTING_AUTO == *direction[i]) {
            *direction[i] = settings->implied ? COLLIO_SETTING_ON : settings->exchange;
        }
    }
}

void collio_settings_resolve(const collio_component_t *component, ompio_file_t *fh,
                             collio_settings_t *settings)
{
    collio_hints_check(fh->f_info);
    collio_settings_set_resolve(&component->set, fh->f_info, settings);
    resolve_exchange(fh, settings);
}

void collio_settings_publish(const collio_component_t *component, const collio_settings_t *settings,
                             ompio_file_t *fh, int aggregators, int64_t buffer_bytes)
{
    collio_settings_t used = *settings;

    used.aggregators = aggregators;
    used.buffer_bytes = (size_t) buffer_bytes;
    collio_settings_set_publish(&component->set, &used, fh->f_info);
}
