/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REDUCTION_H
#define COLLIO_REDUCTION_H

#include "compat/compat.h"
#include "node/process.h"
#include "node/shm.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * Small reductions among the ranks of a file: the agreements that begin and end every call, and
 * what a first call must settle (offset lists have arrived, the node's segment is there).
 *
 * An allreduce by messages is a chain of log2(P) links, and with more ranks than cores every link
 * waits until its rank is given a core. So the ranks of a node meet at a page that they share:
 *
 *   each rank    writes its line and counts itself in
 *   the last     reduces the lines and opens the gate; with several nodes it leaves that to the
 *                node's first rank, which reduces over the nodes by one iallreduce before
 *   the others   find the gate open; where ranks outnumber cores they hand the core on until then,
 *                or sleep where the wait is long (core/wait)
 *
 * One wait instead of log2(P), and nobody burns the core that another rank needs. Where no memory
 * can be shared it is an iallreduce over all ranks.
 */
enum { COLLIO_REDUCTION_FIELDS = 8 }; /* a cache line */

struct collio_file_t;
struct collio_reduction_page_t;

/** Reduces one element of the agreement; the signature of an MPI operation. */
typedef void (*collio_reduction_function_t)(void *in, void *inout, int *count, MPI_Datatype *type);

typedef struct collio_reduction_t {
    collio_reduction_function_t reduce;
    struct collio_reduction_page_t *page; /* in segment; NULL: by messages */
    collio_shm_t segment;
    collio_process_t self;
    ompi_communicator_t *leaders; /* the first rank of each node; several nodes only */
    int ranks;                    /* of this node */
    int me;                       /* among them */
    int crowd;                    /* ranks per core */
    bool crowded;                 /* more ranks than cores: waiting ranks give theirs away */
    uint32_t round;               /* reductions that are over */
    bool under_way;
    bool attentive;       /* others may need this rank's answers until they come: no sleep */
    uint64_t begun_ns;    /* when this rank came; crowded nodes only */
    bool agreement;       /* reduce as the agreement does, else take the maximum */
    bool alone;           /* this node's ranks only */
    int64_t waited_ns[2]; /* in the last one that was no agreement, in the last that was */
    int fields;           /* of the reduction */
    int wanted;           /* of its results: the first ones */
    int64_t mine[COLLIO_REDUCTION_FIELDS];
    int64_t all[COLLIO_REDUCTION_FIELDS];
    int64_t *result;
    int64_t nothing; /* result of a barrier */
    ompi_request_t *request;
} collio_reduction_t;

/** Allocates the file's reduction. Local: an Open MPI error code. */
int collio_reduction_open(struct collio_file_t *file, collio_reduction_function_t reduce);
/** What this rank has to tell about the page, if all ranks are on one node, for a reduction that
 *  takes the maxima: its first rank makes the page. Local. Nothing without `file->reduction`. */
enum { COLLIO_REDUCTION_KEY_FIELDS = 3 };
void collio_reduction_offer(struct collio_file_t *file, int64_t mine[COLLIO_REDUCTION_KEY_FIELDS]);
/** Shares the page; `key` are the maxima. With several nodes each has a page, and its ranks tell
 *  its key among themselves. Collective over the file's communicator. It may go without; a failure
 *  of communication makes the file lost (file_lose). */
void collio_reduction_connect(struct collio_file_t *file,
                              const int64_t key[COLLIO_REDUCTION_KEY_FIELDS]);
void collio_reduction_close(struct collio_file_t *file);

/** Begins a reduction of maxima: all ranks begin the same ones in the same order, one at a time.
 *  result is written when poll returns true. An Open MPI error code ends it here. */
int collio_reduction_start(struct collio_file_t *file, const int64_t *mine, int64_t *result,
                           int fields);

/** The same with all fields, reduced as reduction_open was asked to. `wanted`: how many of the
 *  results this rank uses; the first one costs least. */
int collio_reduction_agree(struct collio_file_t *file, const int64_t *mine, int64_t *result,
                           int wanted);

/** A reduction of maxima among the ranks of this node; other nodes do not take part.
 *  Attentive ranks go on receiving messages while they wait. */
int collio_reduction_on_node(struct collio_file_t *file, const int64_t *mine, int64_t *result,
                             int fields, bool attentive);

/** A reduction of attentive ranks without a result. */
int collio_reduction_barrier(struct collio_file_t *file);

/** True when it is over, or when there is none. Never waits. When communication has failed the
 *  file is lost, and no reduction of it is ever over. */
bool collio_reduction_poll(struct collio_file_t *file);

/** Gives the core away for a moment if this rank can do nothing but wait for the others of a
 *  reduction. True when they have come: there is news, and no need to look for messages. */
bool collio_reduction_rest(struct collio_file_t *file);

/** Has another rank of this node ended, as far as this rank can tell? For long waits only: a system
 *  call for each rank of the node. */
bool collio_reduction_peer_ended(const struct collio_file_t *file);

#endif /* COLLIO_REDUCTION_H */
