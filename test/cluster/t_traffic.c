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
 * Settings are hints of collio, without their prefix.
 */

#include "ompi_config.h"

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WATCHED = 256 };
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
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&mine, &all, 1, MPI_LONG_LONG, op, 0, MPI_COMM_WORLD);
    if (0 == rank) {
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
    MPI_Comm node;
    int rank, size;
    long long here, first, all = 0;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &size);
    MPI_Comm_free(&node);
    here = 0 == per_node || per_node > size ? size : per_node;
    first = 0 == rank ? here : 0;
    MPI_Allreduce(&first, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    return all - here;
}

/* The component's performance variables; counters count from the start of their handle. */
typedef struct watch_t {
    char name[128];
    MPI_T_pvar_handle handle;
} watch_t;

static watch_t watched[MAX_WATCHED];
static int watch_count;
static MPI_T_pvar_session session;

static bool watch(int index, const char *prefix)
{
    char name[128];
    int verbosity, class, bind, readonly, continuous, atomic, count = 0, length = sizeof(name);
    MPI_Datatype type;
    MPI_T_enum values;
    watch_t *next = &watched[watch_count];

    if (MPI_SUCCESS
            != MPI_T_pvar_get_info(index, name, &length, &verbosity, &class, &type, &values, NULL,
                                   NULL, &bind, &readonly, &continuous, &atomic)
        || 0 != strncmp(name, prefix, strlen(prefix)) || MPI_T_BIND_NO_OBJECT != bind
        || MPI_SUCCESS != MPI_T_pvar_handle_alloc(session, index, NULL, &next->handle, &count)
        || 1 != count) {
        return false;
    }
    if (!continuous) {
        MPI_T_pvar_start(session, next->handle);
    }
    memmove(next->name, name + strlen(prefix), strlen(name) - strlen(prefix) + 1);
    return true;
}

static void watch_start(const char *component)
{
    char prefix[64];
    int total;

    snprintf(prefix, sizeof(prefix), "fcoll_%s_", component);
    MPI_T_pvar_get_num(&total);
    MPI_T_pvar_session_create(&session);
    watch_count = 0;
    for (int i = 0; i < total && watch_count < MAX_WATCHED; i++) {
        watch_count += watch(i, prefix);
    }
}

static void watch_print(const char *phase)
{
    for (int i = 0; i < watch_count; i++) {
        unsigned long long value = 0;

        MPI_T_pvar_read(session, watched[i].handle, &value);
        MPI_T_pvar_handle_free(session, &watched[i].handle);
        print_all(phase, watched[i].name, (long long) value,
                  0 == strcmp("memory_high", watched[i].name) ? MPI_MAX : MPI_SUM);
        if (0 == strcmp("cycles", watched[i].name)) {
            print_sum(phase, "expected_messages_between", (long long) value * elsewhere);
        }
    }
    MPI_T_pvar_session_free(&session);
}

static void begin(const char *component)
{
    watch_start(component);
    memset(&spy, 0, sizeof(spy));
    MPI_Barrier(MPI_COMM_WORLD);
    spying = true;
}

static void end(const char *phase)
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
    watch_print(phase);
}

static void fill(unsigned char *data, size_t bytes, int rank)
{
    for (size_t i = 0; i < bytes; i++) {
        data[i] = (unsigned char) (i * 7 + (i >> 9) + (size_t) rank * 101 + 3);
    }
}

static int transfer(MPI_File fh, const char *component, unsigned char *data, size_t bytes)
{
    unsigned char *back = calloc(1, bytes);
    int rc, wrong;

    begin(component);
    rc = MPI_File_write_at_all(fh, 0, data, (int) bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    end("write");
    begin(component);
    if (MPI_SUCCESS == rc) {
        rc = MPI_File_read_at_all(fh, 0, back, (int) bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    end("read");
    wrong = MPI_SUCCESS != rc || 0 != memcmp(data, back, bytes);
    free(back);
    return wrong;
}

static void print_world(void)
{
    MPI_Comm node;
    int node_rank;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &node_rank);
    print_sum("world", "ranks", 1);
    print_sum("world", "nodes", 0 == node_rank);
    MPI_Comm_free(&node);
}

/* Hints from words "name=value". */
static MPI_Info settings(int count, char *word[])
{
    char name[MPI_MAX_INFO_KEY];
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < count; i++) {
        size_t length = strcspn(word[i], "=");

        snprintf(name, sizeof(name), "collio_%.*s", (int) length, word[i]);
        MPI_Info_set(info, name, word[i] + length + ('=' == word[i][length]));
    }
    return info;
}

int main(int argc, char **argv)
{
    int rank, size, provided, wrong;
    size_t pieces, piece_bytes;
    unsigned char *data;
    MPI_File fh;
    MPI_Datatype view;
    MPI_Info info;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 5) {
        fprintf(stderr, "usage: t_traffic FILE COMPONENT PIECES PIECE_BYTES "
                        "[SENDERS_PER_NODE [SETTING=VALUE...]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    pieces = strtoul(argv[3], NULL, 10);
    piece_bytes = strtoul(argv[4], NULL, 10);
    elsewhere = senders_elsewhere(argc > 5 ? atoi(argv[5]) : 0);
    data = malloc(pieces * piece_bytes);
    fill(data, pieces * piece_bytes, rank);
    MPI_Type_vector((int) pieces, (int) piece_bytes, (int) piece_bytes * size, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    info = settings(argc - 6, argv + 6);
    if (MPI_SUCCESS
        != MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh)) {
        fprintf(stderr, "t_traffic: cannot open %s\n", argv[1]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_File_set_view(fh, (MPI_Offset) ((size_t) rank * piece_bytes), MPI_BYTE, view, "native",
                      MPI_INFO_NULL);
    print_world();
    install_spy();
    wrong = transfer(fh, argv[2], data, pieces * piece_bytes);
    remove_spy();
    MPI_File_close(&fh);
    MPI_Info_free(&info);
    MPI_Type_free(&view);
    free(data);
    print_sum("world", "wrong_ranks", wrong);
    MPI_T_finalize();
    MPI_Finalize();
    return wrong;
}
