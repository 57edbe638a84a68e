/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The settings of the collective components: one row for each.
 */
#include "file/settings.h"

#include <stdio.h>
#include <string.h>

#include "file/transports.h"
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

/* Help texts of ompi_info; list_values() appends the help texts of the rows. */
static char transport_help[1024] = "How data moves between a rank and an aggregator. ";
static char partition_help[1024] = "How the file is divided among aggregators. ";

static const collio_setting_t rows[] = {
    {"schedule", COLLIO_CHOICE, AT(schedule), schedules, 0, 5, AGREED, NULL,
     "How an aggregator overlaps the exchange of one cycle with the file access of another. none: "
     "no overlap. comm: the next exchange runs during a blocking access. write: the access runs "
     "during a blocking exchange. write_comm: exchange and access run at the same time, and both "
     "end before the next cycle. write_comm2: each exchange and each access starts as soon as its "
     "data is ready. auto measures none and, if file access takes long enough, write_comm2 and "
     "write_comm in the first calls of a file, and keeps the fastest. A schedule that is named "
     "implies "
     "exchange=on where exchange is auto. Set it to compare schedules, or to save the measurement "
     "in programs with few calls"},
    {"transport", COLLIO_CHOICE, AT(transport), transports, 0, 5, AGREED, NULL, transport_help},
    {"exchange", COLLIO_CHOICE, AT(exchange), on_off, 0, 4, AGREED, NULL,
     "Whether data is exchanged with aggregators. off: every rank accesses its own pieces of the "
     "file, packed and sieved. auto begins with a rule (file system, nodes, piece sizes), measures "
     "both ways in the first calls and keeps the faster one; it is on where schedule, transport or "
     "--mca fcoll tam is named. The hints romio_cb_write and romio_cb_read set it for one "
     "direction. Set it if the report shows that auto chose the slower way"},
    {"exchange_write", COLLIO_CHOICE, AT(exchange_write), on_off, 0, 4,
     NO_PARAMETER | NO_HINT | AGREED, "romio_cb_write,collective_buffering",
     "Whether data of writes is exchanged with aggregators (setting exchange)"},
    {"exchange_read", COLLIO_CHOICE, AT(exchange_read), on_off, 0, 4,
     NO_PARAMETER | NO_HINT | AGREED, "romio_cb_read,collective_buffering",
     "Whether data of reads is exchanged with aggregators (setting exchange)"},
    {"timeout", COLLIO_NUMBER, AT(timeout), NULL, 0, 6, AGREED, NULL,
     "Time limit in seconds for one step of a collective call. When it expires, the call "
     "and all later collective calls on the file return MPI_ERR_OTHER. Set it on networks "
     "that may go silent; it must exceed the longest call and the largest delay between "
     "ranks. 0: no limit"},
    {"partition", COLLIO_CHOICE, AT(partition), partitions, 0, 5, AGREED, NULL, partition_help},
    {"memory_group_bytes", COLLIO_BYTES, AT(memory_group_bytes), NULL, 256 << 20, 9,
     FOR_TESTS | AGREED, NULL,
     "partition memory: bytes of data that a group of nodes has at least. Groups are cut "
     "where few nodes have data on both sides; a group has aggregators on its own nodes only"},
    {"memory_domain_bytes", COLLIO_BYTES, AT(memory_domain_bytes), NULL, 0, 9, FOR_TESTS | AGREED,
     NULL,
     "partition memory: bytes that an aggregator gets at most, if there are enough "
     "aggregators. 0: as much as with even domains, at most 32 MiB for writes and 128 MiB for "
     "reads"},
    {"memory_min_bytes", COLLIO_BYTES, AT(memory_min_bytes), NULL, 1 << 20, 9, FOR_TESTS | AGREED,
     NULL,
     "partition memory: a node with less available memory than this many bytes gets no "
     "aggregator while another node has more"},
    {"memory_available", COLLIO_BYTES, AT(memory_available), NULL, 0, 9, FOR_TESTS, NULL,
     "Bytes that collective buffers may use on this rank's node; may differ between nodes. "
     "0 measures: half of the least of MemAvailable, of what the limits of the process's "
     "cgroups leave, and of what RLIMIT_AS leaves"},
    {"memory_root", COLLIO_TEXT, AT(memory_root), NULL, 0, 9, FOR_TESTS, NULL,
     "Directory in front of /proc and /sys where available memory is measured"},
    {"aggregators", COLLIO_NUMBER, AT(aggregators), NULL, 0, 4, AGREED | POSITIVE, "cb_nodes",
     "Number of aggregators, the ranks that access the file. 0 takes "
     "io_ompio_num_aggregators if that is set, or else one per node (two on a single node), or "
     "one per stripe on a striped file system (up to four with lock-ahead). Set it if the file "
     "system serves more or fewer clients at a time best. "
     "The hint cb_nodes sets it too"},
    {"aggregator_list", COLLIO_TEXT, AT(aggregator_list), NULL, 0, 6, NO_PARAMETER | AGREED, NULL,
     "Ranks of the file's communicator that aggregate, such as 0,4,8-11. Wins over "
     "the settings aggregators and placement. Empty: placement chooses. Set it to keep aggregators "
     "away from busy ranks"},
    {"placement", COLLIO_CHOICE, AT(placement), "auto,spread,round_robin", 0, 5,
     NO_PARAMETER | AGREED, NULL,
     "Which ranks aggregate. spread: evenly over nodes and their ranks. round_robin: first "
     "rank of each node, then the second of each. "
     "auto: round_robin. Set it if some ranks of a node are busier than others"},
    {"buffer_bytes", COLLIO_BYTES, AT(buffer_bytes), NULL, 0, 4, AGREED | POSITIVE,
     "cb_buffer_size",
     "Bytes of memory that an aggregator may use for collective buffers. 0 takes the hint "
     "cb_buffer_size, or else io_ompio_bytes_per_agg; if that has its default, one node "
     "with a local file system needs 2 MiB only. One window has at most 2 GiB of it. Enlarge it if "
     "calls have many cycles, reduce it if nodes are short of memory"},
    {"align_bytes", COLLIO_BYTES, AT(align_bytes), NULL, 0, 5, AGREED, NULL,
     "File domains and windows begin at multiples of this many bytes; 1 switches alignment "
     "off. 0: the stripe on Lustre and BeeGFS, the block (st_blksize) on other network "
     "file systems, none on local ones. Set it if the file system locks or writes in "
     "another unit. A value that is set here holds in every call; the block of a file system is "
     "not kept when a plan is reused at an offset that is not a multiple of the block"},
    {"sync_send", COLLIO_CHOICE, AT(sync_send), on_off, 0, 9, FOR_TESTS | AGREED, NULL,
     "Whether data messages are synchronous sends, so that fast senders cannot flood an "
     "aggregator that is busy writing. A synchronous send is answered by a message. auto: one "
     "message in so many that at most 64 MiB can wait at an aggregator (with partition memory: as "
     "much as a collective buffer)"},
    {"engine", COLLIO_CHOICE, AT(engine), "auto,threads,libaio,io_uring", 0, 5, NO_HINT, NULL,
     "What runs the accesses of aggregators in the background (schedules write, write_comm and "
     "write_comm2). auto: threads, which hide more than io_uring behind the exchange. libaio is "
     "asynchronous only for transfers that suit O_DIRECT. Accesses that need a lock or a flush use "
     "threads. Set it to compare engines"},
    {"plan_reuse", COLLIO_SWITCH, AT(plan_reuse), NULL, 1, 9, FOR_TESTS | AGREED, NULL,
     "Reuse the plan of an earlier call with the same view and request shape (the next "
     "variable or time step)"},
    {"keep", COLLIO_SWITCH, AT(keep), NULL, 1, 6, AGREED, NULL,
     "Keep communicators, shared memory, buffers and plans when a file is closed, for the "
     "next file that the same processes open; at most 64 MiB of buffers on a node. "
     "Programs with MPI_THREAD_MULTIPLE keep nothing. Switch it off where memory is short "
     "between files"},
    {"report", COLLIO_CHOICE, AT(report), COLLIO_REPORT_CHOICES, 0, 3, AGREED, NULL,
     "Print at close what the collective calls on a file did: aggregators, bandwidth, time of each "
     "phase, messages." COLLIO_REPORT_VALUES},
    {"report_file", COLLIO_TEXT, AT(report_file), NULL, 0, 3, AGREED, NULL,
     COLLIO_REPORT_FILE_HELP},
    {"priority", COLLIO_NUMBER, AT(priority), NULL, 5, 3, NO_HINT, NULL,
     "Priority of this component among the fcoll components. Stock components have 10 to "
     "100. Set 110 to use this one for every file without --mca fcoll, 0 to switch it off"},
    {"local_aggregators", COLLIO_NUMBER, AT(local_aggregators), NULL, 0, 4,
     NO_PARAMETER | AGREED | TWO_LAYERS, NULL,
     "Number of local aggregators on all nodes together, which gather requests inside "
     "their node before the exchange between nodes. 0: the setting local_aggregators_per_node "
     "decides. The number of ranks switches intra-node aggregation off"},
    {"local_aggregators_per_node", COLLIO_NUMBER, AT(local_aggregators_per_node), NULL, 0, 4,
     AGREED | TWO_LAYERS, NULL,
     "Number of local aggregators on each node, which gather requests inside the node "
     "before the exchange between nodes. 0 chooses from the ranks per node, the nodes, the "
     "aggregators and the number of pieces. Set it if the report shows that gathering "
     "takes long, or that too many messages go between nodes"},
    {"racks", COLLIO_TEXT, AT(racks), NULL, 0, 5, AGREED | TWO_LAYERS, NULL,
     "Number of nodes in each rack (or below each switch), such as 16,9,16: nodes in the order of "
     "their first ranks, further racks as large as the last. Local aggregators then gather from "
     "all nodes of a rack, by messages, and only they exchange data with other racks. Empty: local "
     "aggregators gather inside nodes. Set it if messages between racks are slow and nodes have "
     "few ranks"},
    {"intra", COLLIO_CHOICE, AT(intra), "auto,shm,isend", 0, 9, FOR_TESTS | AGREED | TWO_LAYERS,
     NULL,
     "How data moves inside a node to its local aggregator. shm: each rank copies its data into "
     "place itself. isend: messages. auto uses shm where memory can be shared"},
};

static void append(char *text, size_t size, const char *format, const char *name, const char *help)
{
    size_t used = strlen(text);

    snprintf(text + used, size - used, format, name, help);
}

/* Appends the names and help texts of transports and partitionings, once for all components. */
static void list_values(const collio_transport_t *const *transport)
{
    static bool listed;

    if (listed) {
        return;
    }
    listed = true;
    for (; NULL != *transport; ++transport) {
        const collio_transport_t *row = *transport;

        append(transports, sizeof(transports), ",%s%s", row->name, "");
        append(transport_help, sizeof(transport_help), "%s: %s. ", row->name, row->help);
    }
    for (int i = 0; NULL != collio_partitions[i]; ++i) {
        append(partition_help, sizeof(partition_help), "%s: %s. ", collio_partitions[i]->name,
               collio_partitions[i]->help);
    }
    append(transport_help, sizeof(transport_help), "%s%s",
           "auto tries shm, where memory can be shared, and isend between nodes. It does not try "
           "puts, because nonblocking calls cannot use them. Atomic mode always uses isend, ",
           "nonblocking calls use isend instead of puts. A transport that is named implies "
           "exchange=on where exchange is auto. Set it to compare transports");
    append(partition_help, sizeof(partition_help), "%s%s",
           "auto uses memory when the collective buffers do not fit the memory of some node, "
           "static_cyclic on striped file systems without lock-ahead, otherwise even. ",
           "Set it to compare partitionings, or if nodes run out of memory");
}

int collio_settings_register(collio_component_t *component, const mca_base_component_t *mca)
{
    collio_settings_set_t *set = &component->set;

    list_values(component->transports);
    set->rows = rows;
    set->count = sizeof(rows) / sizeof(rows[0]);
    set->without = component->two_layers ? 0 : TWO_LAYERS;
    set->parameters = &component->parameters;
    set->bytes = sizeof(component->parameters);
    return collio_settings_set_register(set, mca);
}

/* The hint collio_exchange, unless it is auto, overrides ROMIO's hints for one direction. A
 * schedule, a transport or tam that the user has named implies exchange=on where it is auto. */
static void resolve_exchange(const collio_component_t *component, ompio_file_t *fh,
                             collio_settings_t *settings)
{
    int *const direction[] = {&settings->exchange_read, &settings->exchange_write};
    char text[MPI_MAX_INFO_VAL + 1];
    bool ours = collio_hint_get(fh->f_info, "collio_exchange", text, sizeof(text))
                && COLLIO_SETTING_AUTO != settings->exchange;

    settings->implied = COLLIO_SETTING_AUTO == settings->exchange
                        && (COLLIO_SCHEDULE_AUTO != settings->schedule || 0 != settings->transport
                            || (component->two_layers && component->named));
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
    resolve_exchange(component, fh, settings);
}

void collio_settings_publish(const collio_component_t *component, const collio_settings_t *settings,
                             ompio_file_t *fh, int aggregators, int64_t buffer_bytes)
{
    collio_settings_t used = *settings;

    used.aggregators = aggregators;
    used.buffer_bytes = (size_t) buffer_bytes;
    collio_settings_set_publish(&component->set, &used, fh->f_info);
}
