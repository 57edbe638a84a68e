/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Costs of messages. See costs.h.
 *
 *   receiver   posts its receives, sends a token   |- time -  ..  ..  ..  ..  ..  ..  -|
 *   sender                             waits for the token, sends 1 or 16 messages
 *
 * The cost of a message is the difference of the times of 16 messages and of one, divided by 15:
 * the latency of the network is in both. Both are times of one node (core/costs.h). Times from
 * arrival to arrival would not do, because a receiver finds several messages at a time. Uses no
 * allocated memory, so no rank can fail alone.
 */
#include "node/costs.h"

#include "core/costs.h"
#include "core/number.h"

#include "file/file.h"
#include "node/agreement.h"

enum {
    BURST = 16,      /* messages of one measurement */
    SMALL = 8,       /* bytes of a small message */
    LONG = 16 << 10, /* bytes of a long message */
    REPEATS = 2,     /* measurements, of which the shortest counts */
    RANGE = 16,      /* a cost that differs by this factor from the default is noise */
    NOBODY = -1
};

/* One measurement runs at a time: sets exist only if one thread at a time is in MPI. */
static char space[2][BURST * LONG]; /* messages to receive, to send */
static ompi_request_t *receives[BURST], *sends[BURST], *tokens[2];

/* Messages from one rank to this one, and the same from this rank to another one. */
typedef struct stream_t {
    int from, to; /* ranks, or NOBODY */
    int count;    /* number of messages, at most BURST */
    size_t bytes; /* bytes of a message */
} stream_t;

static void wait_for(collio_file_t *file, ompi_request_t **request)
{
    uint64_t checked_ns = collio_now();

    while (0 == file->lost && !collio_request_done(file, request, NULL)) {
        collio_agreement_check_due(file, &checked_ns);
        opal_progress();
    }
}

/* Notes an error of an MPI call, after which nothing is sent or waited for. */
static void costs_check(collio_file_t *file, int rc)
{
    if (OMPI_SUCCESS != rc) {
        collio_file_lose(file, rc);
    }
}

static void post_receives(collio_file_t *file, const stream_t *stream)
{
    for (int i = 0; i < stream->count && 0 == file->lost; ++i) {
        costs_check(file, collio_irecv(&space[0][(size_t) i * LONG], stream->bytes, stream->from,
                                       COLLIO_FILE_TAG_COST, file->context->comm, &receives[i]));
    }
    if (0 == file->lost) {
        costs_check(file, collio_isend(NULL, 0, stream->from, COLLIO_FILE_TAG_TOKEN, false,
                                       file->context->comm, &tokens[0]));
    }
}

static void send_stream(collio_file_t *file, const stream_t *stream)
{
    costs_check(file, collio_irecv(NULL, 0, stream->to, COLLIO_FILE_TAG_TOKEN, file->context->comm,
                                   &tokens[1]));
    wait_for(file, &tokens[1]);
    for (int i = 0; i < stream->count && 0 == file->lost; ++i) {
        costs_check(file,
                    collio_isend(&space[1][(size_t) i * LONG], stream->bytes, stream->to,
                                 COLLIO_FILE_TAG_COST, false, file->context->comm, &sends[i]));
    }
}

/* Returns the nanoseconds from the token to the last message that this rank receives. */
static int64_t time_stream(collio_file_t *file, const stream_t *stream)
{
    uint64_t begun_ns = collio_now(), ended_ns;

    if (NOBODY != stream->from && 0 == file->lost) {
        post_receives(file, stream);
    }
    if (NOBODY != stream->to && 0 == file->lost) {
        send_stream(file, stream);
    }
    for (int i = 0; NOBODY != stream->from && i < stream->count; ++i) {
        wait_for(file, &receives[i]);
    }
    ended_ns = collio_now();
    if (NOBODY != stream->from) {
        wait_for(file, &tokens[0]);
    }
    for (int i = 0; NOBODY != stream->to && i < stream->count; ++i) {
        wait_for(file, &sends[i]);
    }
    return (int64_t) (ended_ns - begun_ns);
}

/* Offers the shortest times of messages from `from`, while this rank sends as many to `to`. */
static void measure_times(collio_file_t *file, int from, int to, int64_t offer[2])
{
    static const struct {
        int count;
        size_t bytes;
    } streams[] = {{1, SMALL}, {BURST, SMALL}, {BURST, LONG}};
    int64_t ns[] = {INT64_MAX, INT64_MAX, INT64_MAX};

    for (int i = 0; i < 3 * REPEATS; ++i) {
        stream_t stream = {from, to, streams[i % 3].count, streams[i % 3].bytes};

        ns[i % 3] = collio_min(ns[i % 3], time_stream(file, &stream));
    }
    if (NOBODY != from) {
        offer[0] = collio_costs_offer(ns[1], ns[0]);
        offer[1] = collio_costs_offer(ns[2], ns[1]);
    }
}

static int64_t plausible(int64_t ns, int64_t usual)
{
    return collio_clamp(ns, collio_max(1, usual / RANGE), usual * RANGE);
}

void collio_costs_measure(collio_file_t *file)
{
    enum { BETWEEN, BETWEEN_LONG, INSIDE, INSIDE_LONG, CROWDED, FIELDS };
    const collio_nodes_t *nodes = &file->nodes;
    int node = collio_node_of(nodes, file->rank), me = collio_node_local(nodes, file->rank);
    int before = (node + nodes->nodes - 1) % nodes->nodes, after = (node + 1) % nodes->nodes;
    int64_t mine[FIELDS], all[FIELDS];

    for (int i = 0; i < CROWDED; ++i) {
        mine[i] = COLLIO_COSTS_NO_OFFER;
    }
    mine[CROWDED] = file->context->agreement->ranks_per_core > 1;
    if (0 == me) {
        measure_times(file, collio_node_member(nodes, before, 0),
                      collio_node_member(nodes, after, 0), &mine[BETWEEN]);
    }
    if (me < 2 && 1 < collio_node_size(nodes, node)) {
        measure_times(file, 0 == me ? collio_node_member(nodes, node, 1) : NOBODY,
                      0 == me ? NOBODY : collio_node_member(nodes, node, 0), &mine[INSIDE]);
    }
    if (0 == file->lost && 0 == collio_agreement_wait(file, COLLIO_SCOPE_FILE, mine, all, FIELDS)
        && 0 == all[CROWDED]) {
        file->costs = (collio_costs_t){
            .message_ns = plausible(collio_costs_difference(all[BETWEEN]) / (BURST - 1),
                                    COLLIO_COST_MESSAGE_NS),
            .local_ns = plausible(collio_costs_difference(all[INSIDE]) / (BURST - 1),
                                  COLLIO_COST_LOCAL_NS),
            .kib_ns = plausible(collio_costs_difference(all[INSIDE_LONG]) / (BURST * (LONG / 1024)),
                                COLLIO_COST_KIB_NS),
        };
    }
}
