/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_AGREEMENT_H
#define COLLIO_AGREEMENT_H

#include "compat/compat.h"
#include "hook/spare.h"
#include "node/shm.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * node/: what the ranks of a node share. Agreements, collective buffers and the table of ranks and
 * nodes are in memory that all of them map; aggregators find out what memory the node has left.
 * The directories above decide what is shared; node/ makes it and waits for it.
 *
 * Agreement: every rank contributes a few numbers, and every rank gets the same result. All ranks
 * of the scope begin the same agreements in the same order, one at a time.
 *
 *   scope FILE   maxima over all ranks
 *   scope NODE   maxima over the ranks of this node; other nodes do not take part
 *   scope CALL   all ranks; the COLLIO_AGREEMENT_CALL numbers of a call, by the rule of that call
 *
 * An allreduce by messages is a chain of log2(P) links, and with more ranks than cores every link
 * waits until its rank is given a core. So the ranks of a node agree on a page that they share:
 *
 *   each rank    writes its line and increments `arrived`
 *   the last     reduces the lines and opens the gate; with several nodes it leaves that to the
 *                node's first rank, which first reduces over the nodes by one iallreduce
 *   the others   wait for the gate
 *
 * That is one wait instead of log2(P). Without a page (not shared yet, or no memory can be shared)
 * it is an iallreduce over all ranks.
 *
 * Waiting is bounded by the life of the others: `wait`, and collective calls (call/lost.c), check
 * every second whether another rank has failed (collio_agreement_check). A failure of
 * communication makes the file lost (collio_file_lose), and no agreement of it is ever over.
 *
 * A file has one agreement for its calls. A set of processes has another one, which its files use
 * while they are opened (open/set.h).
 */
typedef enum collio_scope_t {
    COLLIO_SCOPE_FILE,
    COLLIO_SCOPE_NODE,
    COLLIO_SCOPE_CALL
} collio_scope_t;

enum {
    COLLIO_AGREEMENT_FIELDS = 64, /* the most numbers that ranks agree on at once */
    COLLIO_AGREEMENT_CALL = 8,    /* numbers of a call: a cache line */
    COLLIO_AGREEMENT_KEY = 3      /* numbers that identify a page */
};

struct collio_file_t;
struct collio_agreement_page_t;

/** The rule of a call: reduces one element. The signature of an MPI operation. */
typedef void (*collio_agreement_rule_t)(void *in, void *inout, int *count, MPI_Datatype *type);

typedef struct collio_agreement_t {
    struct collio_agreement_page_t *page; /* in `segment`; NULL: by messages */
    collio_shm_t segment;                 /* memory that the ranks of this node share */
    ompi_communicator_t *leaders;         /* the first ranks of all nodes, if this is one of them */
    collio_agreement_rule_t rule;         /* reduces the numbers of a call */
    struct ompi_op_t *op;                 /* that rule as an operation for messages */
    ompi_datatype_t *type;                /* datatype of the numbers of a call */
    int ranks;                            /* ranks of this node */
    int me;                               /* number of this rank among those of its node */
    bool several_nodes;                   /* the ranks are on more than one node */
    int crowd;                            /* ranks per core; above 1, waiting ranks yield theirs */
    uint32_t round;       /* agreements that are over; on the page, if there is one */
    int failed;           /* error class of a wait that failed: no other begins */
    bool under_way;       /* an agreement has begun and is not over */
    collio_scope_t scope; /* scope of the agreement that is under way */
    int fields;           /* numbers that are reduced */
    int wanted;           /* numbers of the result that this rank uses */
    int64_t *result;      /* where the result is written */
    uint64_t begun_ns;    /* time when the agreement began; crowded nodes only */
    int64_t waited_ns[COLLIO_SCOPE_CALL + 1]; /* duration of the last wait of each scope */
    ompi_request_t *request;                  /* the iallreduce that is under way, or NULL */
    int64_t mine[COLLIO_AGREEMENT_FIELDS];    /* input of the iallreduce */
    int64_t all[COLLIO_AGREEMENT_FIELDS];     /* result of the iallreduce */
} collio_agreement_t;

/** An agreement for an open that finds no memory. */
extern collio_spare_t collio_agreement_spare;

/** A new agreement of the file's ranks, by messages; the file has its communicators. NULL only if
 *  there is no memory and the one that was kept back is in use. Local. */
collio_agreement_t *collio_agreement_new(const struct collio_file_t *file);
/** Connects the first ranks of the nodes for the file's new agreement. Collective over the file. An
 *  Open MPI error code. */
int collio_agreement_connect(struct collio_file_t *file);
/** Prepares the scope CALL. Local: an Open MPI error code. */
int collio_agreement_set_rule(collio_agreement_t *agreement, collio_agreement_rule_t rule);
/** Frees the file's. If the file is lost, only the name of the page ends: messages may still
 *  arrive. Nothing where the file has none. */
void collio_agreement_close(struct collio_file_t *file);
/** Frees it. A communicator of the leaders ends by communication. NULL is allowed. */
void collio_agreement_free(collio_agreement_t *agreement);

/** Contribution to an agreement of maxima: the first rank makes the page of the
 *  file's agreement if all ranks are on one node. Local. */
void collio_agreement_offer(struct collio_file_t *file, int64_t key[COLLIO_AGREEMENT_KEY]);
/** From now on `agreement` (of the file, or of its set) uses a page on each node if all ranks have
 *  theirs, else messages. key: maxima of what was offered; NULL: nothing was. Collective, by
 *  agreements of the file. 0, or the error class with which the file is lost. */
int collio_agreement_share(struct collio_file_t *file, collio_agreement_t *agreement,
                           const int64_t *key);

/** It needs no messages on a node: it has a page, or there is only one rank. */
bool collio_agreement_shared(const struct collio_file_t *file, const collio_agreement_t *agreement);

/** Begins an agreement of the file. result[0 .. fields - 1] is written when poll returns true.
 *  Ranks that must go on with messages until all have come use NODE, or FILE without fields: they
 *  do not rest. An Open MPI error code ends it here. */
int collio_agreement_start(struct collio_file_t *file, collio_scope_t scope, const int64_t *mine,
                           int64_t *result, int fields);

/** True when it is over, or when there is none. Never waits. */
bool collio_agreement_poll(struct collio_file_t *file);

/** Begins an agreement and waits for its end. 0, or the error class with which the file is lost. */
int collio_agreement_wait(struct collio_file_t *file, collio_scope_t scope, const int64_t *mine,
                          int64_t *result, int fields);

/** Yields the core for a moment if this rank can do nothing but wait for the others. True when they
 *  have come: then there is no need to check for messages. */
bool collio_agreement_rest(struct collio_file_t *file);

/** Nanoseconds from check to check in a long wait. The ranks of a node take turns: the first that
 *  finds a failure sends notices, and the others need no check of their own. */
uint64_t collio_agreement_check_ns(const struct collio_file_t *file);
/** A check: has another rank sent notice that the file is lost, or has a process of this
 *  node ended? Then the file is lost. A system call for each rank of the node. */
void collio_agreement_check(struct collio_file_t *file);

#endif /* COLLIO_AGREEMENT_H */
