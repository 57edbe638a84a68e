/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Who sends how much to whom in a collective write and a collective read?
 *
 * All ranks write one interleaved pattern (piece i of rank r is at (i * size + r) * piece), so that
 * every rank has data for every aggregator, then read it back. During each call a spy sits in Open
 * MPI's point-to-point layer: it sees every message of every component, its own collectives'
 * messages included (those have negative tags), and knows which peers are on other nodes. What it
 * counts is independent of the components' own performance variables, which are read too.
 *
 *   rank --> [mca_pml.pml_isend = spy] --> ob1        counts: inside a node, between nodes
 *
 * Rank 0 prints "write|read|world NAME VALUE" lines: sums over all ranks, but memory_high is that
 * of the rank with most; test/cluster/run checks them.
 *
 * In this pattern every sender has something for every cycle of every aggregator, so the number of
 * messages between nodes is known: the sum, over all cycles, of the senders on other nodes. Senders
 * are all ranks, or SENDERS_PER_NODE local aggregators of each node.
 *
 * usage: t_traffic FILE COMPONENT PIECES PIECE_BYTES [SENDERS_PER_NODE [SETTING=VALUE...]]
 *
 * Settings are hints of collio, without their prefix. T_FIRST: hints of a file that is opened and
 * closed before. T_WARM: number of writes before the one that is counted.
 */

#include "ompi_config.h"

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"

#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COUNTERS = 128 };
enum { INSIDE, BETWEEN, COLL_INSIDE, COLL_BETWEEN, KINDS };

typedef struct spy_t {
    long long messages[KINDS];
    long long bytes[KINDS];
    long long senders; /* 1 if this rank sent anything to another node, collectives apart */
} spy_t;

static const char *const kind_names[KINDS] = {"inside", "between", "coll_inside", "coll_between"};

static spy_t spy;
static long long elsewhere; /* see senders_elsewhere */
static bool spying;
static mca_pml_base_module_isend_fn_t real_isend;
static mca_pml_base_module_send_fn_t real_send;

static void note(struct ompi_communicator_t *comm, int to, int tag, size_t count,
                 struct ompi_datatype_t *type)
{
    size_t size;
    ompi_proc_t *peer = ompi_comm_peer_lookup(comm, to);
    int kind = OPAL_PROC_ON_LOCAL_NODE(peer->super.proc_flags) ? INSIDE : BETWEEN;

    if (!spying) {
        return;
    }
    ompi_datatype_type_size(type, &size);
    spy.senders |= BETWEEN == kind && tag >= 0;
    kind += tag < 0 ? COLL_INSIDE : 0;
    spy.messages[kind]++;
    spy.bytes[kind] += (long long) (size * count);
}

static int spy_isend(const void *buf, size_t count, struct ompi_datatype_t *type, int to, int tag,
                     mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                     struct ompi_request_t **request)
{
    note(comm, to, tag, count, type);
    return real_isend(buf, count, type, to, tag, mode, comm, request);
}

static int spy_send(const void *buf, size_t count, struct ompi_datatype_t *type, int to, int tag,
                    mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    note(comm, to, tag, count, type);
    return real_send(buf, count, type, to, tag, mode, comm);
}

static void install_spy(void)
{
    real_isend = mca_pml.pml_isend;
    real_send = mca_pml.pml_send;
    mca_pml.pml_isend = spy_isend;
    mca_pml.pml_send = spy_send;
}

static void remove_spy(void)
{
    mca_pml.pml_isend = real_isend;
    mca_pml.pml_send = real_send;
}

static void print_all(const char *phase, const char *name, long long mine, MPI_Op op)
{
    long long all = 0;

    MPI_Reduce(&mine, &all, 1, MPI_LONG_LONG, op, 0, MPI_COMM_WORLD);
    if (0 == t_rank) {
        printf("%s %s %lld\n", phase, name, all);
    }
}

static void print_sum(const char *phase, const char *name, long long mine)
{
    print_all(phase, name, mine, MPI_SUM);
}

/* Ranks on other nodes that send to aggregators: all, or `per_node` local aggregators of each. */
static long long senders_elsewhere(int per_node)
{
    t_node node = t_node_here();
    long long here = 0 == per_node || per_node > node.ranks ? node.ranks : per_node;
    long long first = 0 == node.rank ? here : 0, all = 0;

    MPI_Allreduce(&first, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all - here;
}

/* The component's performance variables, and their values when a phase began. */
static char counter[MAX_COUNTERS][128];
static double before[MAX_COUNTERS];
static int counters;

static void find_counters(void)
{
    size_t prefix = strlen("fcoll__") + strlen(t_component());
    char name[128], text[8];

    counters = t_pvar_count();
    for (int i = 0; i < counters && i < MAX_COUNTERS; i++) {
        t_pvar_describe(i, name, sizeof(name), text, sizeof(text));
        snprintf(counter[i], sizeof(counter[i]), "%s", name + prefix);
    }
}

static void begin(MPI_File file)
{
    for (int i = 0; i < counters; i++) {
        before[i] = t_pvar_read(counter[i], file);
    }
    memset(&spy, 0, sizeof(spy));
    MPI_Barrier(MPI_COMM_WORLD);
    spying = true;
}

static void end(const char *phase, MPI_File file)
{
    char name[64];

    spying = false;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; kind < KINDS; kind++) {
        snprintf(name, sizeof(name), "seen_messages_%s", kind_names[kind]);
        print_sum(phase, name, spy.messages[kind]);
        snprintf(name, sizeof(name), "seen_bytes_%s", kind_names[kind]);
        print_sum(phase, name, spy.bytes[kind]);
    }
    print_sum(phase, "seen_senders_between", spy.senders);
    for (int i = 0; i < counters; i++) {
        bool high = 0 == strcmp("memory_high", counter[i]);
        long long value = (long long) (t_pvar_read(counter[i], file) - (high ? 0 : before[i]));

        print_all(phase, counter[i], value, high ? MPI_MAX : MPI_SUM);
        if (0 == strcmp("cycles", counter[i])) {
            print_sum(phase, "expected_messages_between", value * elsewhere);
        }
    }
}

static void transfer(MPI_File file, const t_blocks *mine)
{
    begin(file);
    t_blocks_write(file, mine, t_rank);
    end("write", file);
    begin(file);
    t_blocks_read(file, mine, t_rank);
    end("read", file);
}

static void open_first(const char *path)
{
    char first[4096];
    MPI_File file;

    snprintf(first, sizeof(first), "%s.first", path);
    if (NULL != getenv("T_FIRST")
        && t_open(MPI_COMM_WORLD, first, MPI_MODE_CREATE | MPI_MODE_RDWR, getenv("T_FIRST"),
                  &file)) {
        t_ok(MPI_File_close(&file), "close");
    }
}

int main(int argc, char **argv)
{
    char hints[1024] = "";
    t_blocks mine;
    MPI_File file;

    t_init(&argc, &argv);
    if (argc < 5) {
        fprintf(stderr, "usage: t_traffic FILE COMPONENT PIECES PIECE_BYTES "
                        "[SENDERS_PER_NODE [SETTING=VALUE...]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    setenv("COLLIO_FCOLL", argv[2], 1);
    mine.block = strtol(argv[4], NULL, 10);
    mine.count = atoi(argv[3]);
    mine.first = t_rank * mine.block;
    mine.stride = t_size * mine.block;
    elsewhere = senders_elsewhere(argc > 5 ? atoi(argv[5]) : 0);
    for (int i = 6; i < argc; i++) {
        strncat(strncat(hints, argv[i], sizeof(hints) - strlen(hints) - 2), ",", 2);
    }
    open_first(argv[1]);
    if (!t_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    t_blocks_view(file, &mine);
    print_sum("world", "ranks", 1);
    print_sum("world", "nodes", 0 == t_node_here().rank);
    for (int i = NULL == getenv("T_WARM") ? 0 : atoi(getenv("T_WARM")); 0 < i; i--) {
        t_blocks_write(file, &mine, t_rank);
    }
    find_counters();
    install_spy();
    transfer(file, &mine);
    remove_spy();
    t_ok(MPI_File_close(&file), "close");
    print_sum("world", "wrong_ranks", 0 < t_failures());
    t_verdict("traffic");
    return t_finish();
}
