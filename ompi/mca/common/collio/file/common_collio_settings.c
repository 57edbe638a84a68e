/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * The settings of the collective components: one row for each.
 */
#include "file/common_collio_settings.h"

#include "report/common_collio_report_out.h"

enum {
    NO_HINT = MCA_COMMON_COLLIO_SETTING_NO_HINT,
    NO_PARAMETER = MCA_COMMON_COLLIO_SETTING_NO_PARAMETER,
    AGREED = MCA_COMMON_COLLIO_SETTING_AGREED,
    POSITIVE = MCA_COMMON_COLLIO_SETTING_POSITIVE,
    TWO_LAYERS = MCA_COMMON_COLLIO_SETTING_TWO_LAYERS
};

#define AT(field) offsetof(mca_common_collio_settings_t, field)

static const char on_off[] = "auto,on,off";
#define SCHEDULE_CHOICE(name)      "," #name
#define TRANSPORT_CHOICE(id, name) "," #name
static const char schedules[] = "auto" MCA_COMMON_COLLIO_SCHEDULE_LIST(SCHEDULE_CHOICE);
static const char transports[] = "auto" MCA_COMMON_COLLIO_TRANSPORT_LIST(TRANSPORT_CHOICE);

static const mca_common_collio_setting_t rows[] = {
    {"schedule", MCA_COMMON_COLLIO_CHOICE, AT(schedule), schedules, 0, 5, AGREED, NULL,
     "How an aggregator overlaps the shuffle with file access. none: one after the other. comm: "
     "the next shuffle runs during a blocking access. write: access runs during a blocking "
     "shuffle. "
     "write_comm: both run, both are waited for. write_comm2: whatever is ready goes on. auto "
     "measures none and write_comm2 in the first calls of a file and keeps the faster one. A "
     "schedule that is named implies exchange=on where exchange is auto"},
    {"transport", MCA_COMMON_COLLIO_CHOICE, AT(transport), transports, 0, 5, AGREED, NULL,
     "How data moves between a rank and an aggregator. isend: messages. put_fence, put_lock: "
     "one-sided puts. shm: one copy through memory shared on the aggregator's node (ranks of other "
     "nodes use isend). auto tries shm, where memory can be shared, and isend between nodes. It "
     "does not try puts: their epochs wait for other ranks, so they serve blocking calls only. "
     "Atomic mode always uses isend, nonblocking calls do instead of puts. A transport that is "
     "named implies exchange=on where exchange is auto"},
    {"exchange", MCA_COMMON_COLLIO_CHOICE, AT(exchange), on_off, 0, 4, AGREED, NULL,
     "Whether data is exchanged with aggregators. off: every rank accesses its own pieces of the "
     "file, packed and sieved. auto decides from the file system, the nodes and the piece sizes, "
     "and is on where schedule, transport or --mca fcoll tam is named. The hints romio_cb_write and romio_cb_read set it per direction"},
    {"exchange_write", MCA_COMMON_COLLIO_CHOICE, AT(exchange_write), on_off, 0, 4,
     NO_PARAMETER | NO_HINT | AGREED, "romio_cb_write,collective_buffering",
     "exchange, for writes only"},
    {"exchange_read", MCA_COMMON_COLLIO_CHOICE, AT(exchange_read), on_off, 0, 4,
     NO_PARAMETER | NO_HINT | AGREED, "romio_cb_read,collective_buffering",
     "exchange, for reads only"},
    {"patience", MCA_COMMON_COLLIO_NUMBER, AT(patience), NULL, 0, 6, AGREED, NULL,
     "Seconds that a rank waits in one step of a collective call before it gives the file up: the "
     "call ends with MPI_ERR_OTHER. For networks that may go silent; it must be longer than any "
     "call takes and than any rank comes late. 0: for ever"},
    {"partition", MCA_COMMON_COLLIO_CHOICE, AT(partition),
     "auto,even,static_cyclic,group_cyclic,memory", 0, 5, AGREED, NULL,
     "How the file is divided among aggregators. even: one contiguous part each. static_cyclic: "
     "stripe i belongs to aggregator i modulo their number. group_cyclic: contiguous parts for "
     "groups of as many aggregators as stripes, cyclic inside a group. memory: contiguous parts, "
     "each for a node that has data in it and memory for it. auto uses memory when the buffers "
     "asked for do not fit the memory of some node"},
    {"memory_group_bytes", MCA_COMMON_COLLIO_BYTES, AT(memory_group_bytes), NULL, 256 << 20, 6,
     AGREED, NULL,
     "partition memory: the file is cut into groups that want at least this many bytes, where no "
     "node has data on both sides of the cut; data moves inside a group only"},
    {"memory_domain_bytes", MCA_COMMON_COLLIO_BYTES, AT(memory_domain_bytes), NULL, 0, 6, AGREED,
     NULL,
     "partition memory: an aggregator gets at most this many bytes, if there are enough of them. 0 "
     "is 32 MiB for writes and 128 MiB for reads"},
    {"memory_min_bytes", MCA_COMMON_COLLIO_BYTES, AT(memory_min_bytes), NULL, 1 << 20, 6, AGREED,
     NULL,
     "partition memory: a node that can give less than this takes no aggregator, while there is "
     "another one"},
    {"memory_aggregators_per_node", MCA_COMMON_COLLIO_NUMBER, AT(memory_aggregators_per_node), NULL,
     4, 6, AGREED | POSITIVE, NULL, "partition memory: most aggregators of a node"},
    {"memory_available", MCA_COMMON_COLLIO_BYTES, AT(memory_available), NULL, 0, 5, 0, NULL,
     "Bytes that collective buffers may use on this rank's node; may differ between nodes. 0 "
     "measures: half of the least of MemAvailable, of what the limits of the process's cgroups "
     "leave, and of what RLIMIT_AS leaves"},
    {"memory_root", MCA_COMMON_COLLIO_TEXT, AT(memory_root), NULL, 0, 8, 0, NULL,
     "Directory in front of /proc and /sys where available memory is measured, for containers that "
     "have the node's mounted elsewhere"},
    {"aggregators", MCA_COMMON_COLLIO_NUMBER, AT(aggregators), NULL, 0, 4, AGREED | POSITIVE,
     "cb_nodes",
     "Number of aggregators, the ranks that access the file. 0 takes io_ompio_num_aggregators if "
     "that is set, or else one per node (two "
     "on a single node), or one per stripe on a striped file system (up to four with lockahead). "
     "The hint cb_nodes sets it too"},
    {"aggregator_list", MCA_COMMON_COLLIO_TEXT, AT(aggregator_list), NULL, 0, 6, AGREED, NULL,
     "Ranks of the file's communicator that aggregate, such as 0,4,8-11. Wins over aggregators and "
     "placement. Empty lets placement choose"},
    {"placement", MCA_COMMON_COLLIO_CHOICE, AT(placement), "auto,spread,round_robin", 0, 5,
     AGREED, NULL,
     "Which ranks aggregate. spread: evenly over nodes and their ranks. round_robin: first rank of "
     "each node, then the second of each. auto is round_robin"},
    {"buffer_bytes", MCA_COMMON_COLLIO_BYTES, AT(buffer_bytes), NULL, 0, 4, AGREED | POSITIVE,
     "cb_buffer_size",
     "Memory in bytes that an aggregator may use for collective buffers. 0 takes the hint "
     "cb_buffer_size, or else io_ompio_bytes_per_agg; if that has its default, one node with a "
     "local file system needs 2 MiB only"},
    {"align_bytes", MCA_COMMON_COLLIO_BYTES, AT(align_bytes), NULL, 0, 5, AGREED, NULL,
     "Domains and windows begin at multiples of this; 1 switches alignment off. 0: the stripe on "
     "Lustre, the block (st_blksize) on other network file systems, none on local ones. A value "
     "that is set here holds in every call; a block is given up when a kept plan moves"},
    {"sync_send", MCA_COMMON_COLLIO_CHOICE, AT(sync_send), on_off, 0, 7, AGREED, NULL,
     "Whether data messages are synchronous sends, so that fast senders cannot flood an aggregator "
     "that is busy writing. auto: on when a call needs more than one round"},
    {"engine", MCA_COMMON_COLLIO_CHOICE, AT(engine), "auto,threads,libaio,io_uring", 0, 5, NO_HINT,
     NULL,
     "What runs the accesses of aggregators in the background (schedules write, write_comm and "
     "write_comm2). auto: threads, which hide more than io_uring behind the shuffle. libaio is "
     "asynchronous only for transfers that suit O_DIRECT. Accesses that need a lock or a flush use "
     "threads"},
    {"plan_reuse", MCA_COMMON_COLLIO_SWITCH, AT(plan_reuse), NULL, 1, 6, AGREED, NULL,
     "Reuse the plan of an earlier call with the same view and request shape (the next variable or "
     "time step). Switch it off only to measure its effect"},
    {"keep", MCA_COMMON_COLLIO_SWITCH, AT(keep), NULL, 1, 6, AGREED, NULL,
     "Keep communicators, shared memory, buffers and plans when a file is closed, for the next "
     "file that the same processes open. At most 64 MiB of buffers on a node for each of two files "
     "that "
     "are open at a time. Programs with MPI_THREAD_MULTIPLE keep nothing. Switch it off only to "
     "measure its effect, or where memory is short between files"},
    {"report", MCA_COMMON_COLLIO_CHOICE, AT(report), MCA_COMMON_COLLIO_REPORT_CHOICES, 0, 3, AGREED,
     NULL,
     "Print at close what the collective calls on a file did: aggregators, bandwidth, time of each "
     "phase, messages." MCA_COMMON_COLLIO_REPORT_VALUES},
    {"report_file", MCA_COMMON_COLLIO_TEXT, AT(report_file), NULL, 0, 3, AGREED, NULL,
     MCA_COMMON_COLLIO_REPORT_FILE_HELP},
    {"priority", MCA_COMMON_COLLIO_NUMBER, AT(priority), NULL, 5, 3, NO_HINT, NULL,
     "Priority of this component. Stock components have 10 to 100; 110 makes this one win for "
     "every file, 0 switches it off"},
    {"local_aggregators", MCA_COMMON_COLLIO_NUMBER, AT(local_aggregators), NULL, 0, 4,
     AGREED | TWO_LAYERS, NULL,
     "Local aggregators in all, which gather requests inside their node before the exchange "
     "between nodes. 0: see local_aggregators_per_node. As many as ranks is plain two-phase"},
    {"local_aggregators_per_node", MCA_COMMON_COLLIO_NUMBER, AT(local_aggregators_per_node), NULL,
     0, 4, AGREED | TWO_LAYERS, NULL,
     "Local aggregators on each node. 0 chooses from the ranks per node, the nodes, the "
     "aggregators and the number of pieces"},
    {"intra", MCA_COMMON_COLLIO_CHOICE, AT(intra), "auto,shm,isend", 0, 5, AGREED | TWO_LAYERS,
     NULL,
     "How data moves inside a node to its local aggregator. shm: each rank copies it into place "
     "itself. isend: messages. auto uses shm where memory can be shared"},
};

static char transport_names[MCA_COMMON_COLLIO_TRANSPORT_COUNT][16];

int mca_common_collio_settings_register(mca_common_collio_component_t *component,
                                        const mca_base_component_t *mca)
{
    mca_common_collio_settings_set_t *set = &component->set;

    for (int i = 0; i < MCA_COMMON_COLLIO_TRANSPORT_COUNT; ++i) {
        mca_common_collio_value_format(MCA_COMMON_COLLIO_CHOICE, transports, i, transport_names[i],
                                       sizeof(transport_names[i]));
    }
    set->rows = rows;
    set->count = sizeof(rows) / sizeof(rows[0]);
    set->without = component->two_layers ? 0 : TWO_LAYERS;
    set->parameters = &component->parameters;
    set->bytes = sizeof(component->parameters);
    return mca_common_collio_settings_set_register(set, mca);
}

/* collio_exchange wins over ROMIO's hints for one direction, unless it leaves the choice open. */
static void resolve_exchange(ompio_file_t *fh, mca_common_collio_settings_t *settings)
{
    char text[MPI_MAX_INFO_VAL + 1];
    bool ours = mca_common_collio_hint_get(fh->f_info, "collio_exchange", text, sizeof(text))
                && MCA_COMMON_COLLIO_SETTING_AUTO != settings->exchange;

    if (ours || MCA_COMMON_COLLIO_SETTING_AUTO == settings->exchange_read) {
        settings->exchange_read = settings->exchange;
    }
    if (ours || MCA_COMMON_COLLIO_SETTING_AUTO == settings->exchange_write) {
        settings->exchange_write = settings->exchange;
    }
}

/* A mode of the exchange that the user has named is used: it implies the exchange, where that was
 * left open. */
static void imply_exchange(const mca_common_collio_component_t *component,
                           mca_common_collio_settings_t *settings)
{
    bool implied = MCA_COMMON_COLLIO_SCHEDULE_AUTO != settings->schedule
                   || MCA_COMMON_COLLIO_TRANSPORT_AUTO != settings->transport
                   || (component->two_layers && component->named);

    if (implied && MCA_COMMON_COLLIO_SETTING_AUTO == settings->exchange_read) {
        settings->exchange_read = MCA_COMMON_COLLIO_SETTING_ON;
    }
    if (implied && MCA_COMMON_COLLIO_SETTING_AUTO == settings->exchange_write) {
        settings->exchange_write = MCA_COMMON_COLLIO_SETTING_ON;
    }
}

void mca_common_collio_settings_resolve(const mca_common_collio_component_t *component,
                                        ompio_file_t *fh, mca_common_collio_settings_t *settings)
{
    mca_common_collio_hints_check(fh->f_info);
    mca_common_collio_settings_set_resolve(&component->set, fh->f_info, settings);
    resolve_exchange(fh, settings);
    imply_exchange(component, settings);
}

void mca_common_collio_settings_publish(const mca_common_collio_component_t *component,
                                        const mca_common_collio_settings_t *settings,
                                        ompio_file_t *fh, int aggregators, int64_t buffer_bytes)
{
    mca_common_collio_settings_t used = *settings;

    used.aggregators = aggregators;
    used.buffer_bytes = (size_t) buffer_bytes;
    mca_common_collio_settings_set_publish(&component->set, &used, fh->f_info);
}

const char *mca_common_collio_transport_name(int transport)
{
    return transport_names[transport];
}
