/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

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
 * Rank 0 prints "write|read|world NAME VALUE" lines, sums over all ranks; test/cluster/run checks.
 *
 * usage: t_traffic FILE COMPONENT PIECES PIECE_BYTES [REPEATS]
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

enum { INSIDE, BETWEEN, COLL_INSIDE, COLL_BETWEEN, KINDS };

typedef struct spy_t {
    long long messages[KINDS];
    long long bytes[KINDS];
    long long senders; /* 1 if this rank sent anything to another node, collectives apart */
} spy_t;

static const char *const kind_names[KINDS] = {"inside", "between", "coll_inside", "coll_between"};

static spy_t spy;
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

static void print_sum(const char *phase, const char *name, long long mine)
{
    long long sum = 0;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&mine, &sum, 1, MPI_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%s %s %lld\n", phase, name, sum);
    }
}

/* Each performance variable of the component; those that count per call restart with `reset`. */
static void pvars(const char *phase, const char *component, bool reset)
{
    static unsigned long long before[512];
    char prefix[64], name[256];
    int total, found, length;
    MPI_T_pvar_session session;

    snprintf(prefix, sizeof(prefix), "fcoll_%s_", component);
    MPI_T_pvar_get_num(&total);
    MPI_T_pvar_session_create(&session);
    for (int i = found = 0; i < total && found < 512; i++) {
        int verbosity, class, bind, readonly, continuous, atomic, count = 0;
        MPI_Datatype type;
        MPI_T_enum enumeration;
        MPI_T_pvar_handle handle;
        unsigned long long value[4] = {0};
        length = sizeof(name);
        if (MPI_SUCCESS
                != MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &enumeration,
                                       NULL, NULL, &bind, &readonly, &continuous, &atomic)
            || 0 != strncmp(name, prefix, strlen(prefix)) || MPI_T_BIND_NO_OBJECT != bind
            || MPI_SUCCESS != MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &count)
            || count > 4) {
            continue;
        }
        MPI_T_pvar_read(session, handle, value);
        MPI_T_pvar_handle_free(session, &handle);
        if (!reset) {
            print_sum(phase, name + strlen(prefix), (long long) (value[0] - before[found]));
        }
        before[found++] = value[0];
    }
    MPI_T_pvar_session_free(&session);
}

static void begin(const char *component)
{
    pvars("", component, true);
    memset(&spy, 0, sizeof(spy));
    MPI_Barrier(MPI_COMM_WORLD);
    spying = true;
}

static void end(const char *phase, const char *component)
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
    pvars(phase, component, false);
}

static void fill(unsigned char *data, size_t bytes, int rank)
{
    for (size_t i = 0; i < bytes; i++) {
        data[i] = (unsigned char) (i * 7 + (i >> 9) + (size_t) rank * 101 + 3);
    }
}

static int transfer(MPI_File fh, const char *component, unsigned char *data, size_t bytes,
                    int repeats)
{
    unsigned char *back = calloc(1, bytes);
    int rc = MPI_SUCCESS, wrong;

    begin(component);
    for (int i = 0; i < repeats && MPI_SUCCESS == rc; i++) {
        rc = MPI_File_write_at_all(fh, 0, data, (int) bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    end("write", component);
    begin(component);
    for (int i = 0; i < repeats && MPI_SUCCESS == rc; i++) {
        rc = MPI_File_read_at_all(fh, 0, back, (int) bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    end("read", component);
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

int main(int argc, char **argv)
{
    int rank, size, provided, wrong, repeats;
    size_t pieces, piece_bytes;
    unsigned char *data;
    MPI_File fh;
    MPI_Datatype view;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 5) {
        fprintf(stderr, "usage: t_traffic FILE COMPONENT PIECES PIECE_BYTES [REPEATS]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    pieces = strtoul(argv[3], NULL, 10);
    piece_bytes = strtoul(argv[4], NULL, 10);
    repeats = argc > 5 ? atoi(argv[5]) : 1;
    data = malloc(pieces * piece_bytes);
    fill(data, pieces * piece_bytes, rank);
    MPI_Type_vector((int) pieces, (int) piece_bytes, (int) piece_bytes * size, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    if (MPI_SUCCESS
        != MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                         &fh)) {
        fprintf(stderr, "t_traffic: cannot open %s\n", argv[1]);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_File_set_view(fh, (MPI_Offset) ((size_t) rank * piece_bytes), MPI_BYTE, view, "native",
                      MPI_INFO_NULL);
    print_world();
    install_spy();
    wrong = transfer(fh, argv[2], data, pieces * piece_bytes, repeats);
    remove_spy();
    MPI_File_close(&fh);
    MPI_Type_free(&view);
    free(data);
    print_sum("world", "wrong_ranks", wrong);
    MPI_T_finalize();
    MPI_Finalize();
    return wrong;
}
