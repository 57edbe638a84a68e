/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_AGREEMENT_H
#define COLLIO_AGREEMENT_H

#include "compat/compat.h"
#include "node/shm.h"

#include <stdbool.h>
#include <stdint.h>

/**
 * node/ has the memory that the ranks of a node share: pages for agreements, collective buffers,
 * and the table of ranks and nodes. It also measures the memory that the node has available. The
 * directories above decide on size and use; node/ creates the memory and waits for the ranks.
 *
 * Agreement: every rank contributes a few numbers, and every rank gets the same result. All ranks
 * of the scope begin the same agreements in the same order, one at a time.
 *
 *   scope FILE   maxima over all ranks
 *   scope NODE   maxima over the ranks of this node; other nodes do not take part
 *   scope CALL   all ranks; the COLLIO_AGREEMENT_LINE numbers of each rank become the
 *                COLLIO_AGREEMENT_CALL numbers of a call, by the rule of calls
 *
 * An allreduce by messages is a chain of log2(P) steps, and with more ranks than cores every step
 * waits until its rank gets a core. Therefore the ranks of a node use a shared page:
 *
 *   each rank     writes its line and increments `arrived`
 *   last rank     reduces the lines and opens the gate; with several nodes the node's first rank
 *                 opens the gate, after it has reduced over the nodes by one iallreduce
 *   other ranks   wait for the gate
 *
 * This costs one wait instead of log2(P). Without a page (not shared yet, or no memory can be
 * shared) an agreement is an iallreduce over all ranks.
 *
 * A wait ends when another rank fails: collio_agreement_wait and collective calls (call/lost.c)
 * check for failures every second (collio_agreement_check). After a failure of communication the
 * file handle has failed (collio_file_lose), and its agreements never complete.
 *
 * A file has one agreement for its calls. A process set has another one, which its files use while
 * they are opened (open/set.h).
 */
typedef enum collio_scope_t {
    COLLIO_SCOPE_FILE,
    COLLIO_SCOPE_NODE,
    COLLIO_SCOPE_CALL
} collio_scope_t;

enum {
    COLLIO_AGREEMENT_FIELDS = 64, /* maximum number of fields of one agreement */
    COLLIO_AGREEMENT_LINE = 8,    /* number of fields of a rank in a call: one cache line */
    COLLIO_AGREEMENT_CALL = 10    /* number of fields of a node in a call, and of the result */
};

struct collio_file_t;
struct collio_agreement_page_t;

/** How the numbers of a call are reduced. */
typedef struct collio_agreement_rule_t {
    /** Reduces the lines of the ranks of a node to COLLIO_AGREEMENT_CALL numbers. stride: numbers
     *  from one line to the next. Without a page each rank is a node. */
    void (*node)(const int64_t *line, size_t stride, int ranks, int64_t *all);
    /** Reduces *count elements of COLLIO_AGREEMENT_CALL numbers. An MPI_Op. */
    void (*nodes)(void *in, void *inout, int *count, MPI_Datatype *type);
} collio_agreement_rule_t;

typedef struct collio_agreement_t {
    struct collio_agreement_page_t *page; /* page in `segment`; NULL: agreements use messages */
    collio_shm_t segment;                 /* memory that the ranks of this node share */
    ompi_communicator_t *leaders;         /* first rank of each node; others: MPI_COMM_NULL */
    const collio_agreement_rule_t *rule;  /* reduces the fields of a call */
    struct ompi_op_t *op;                 /* rule->nodes as an MPI operation, for messages */
    ompi_datatype_t *type;                /* datatype of the fields of a call, for messages */
    int ranks;                            /* number of ranks on this node */
    int me;                               /* number of this rank among the ranks of its node */
    bool several_nodes;                   /* the ranks are on more than one node */
    int ranks_per_core;                   /* ranks per core, rounded up; above 1 ranks may sleep */
    uint32_t round;       /* number of agreements completed; restarts at 0 with a new page */
    int failed;           /* error class of a wait that failed; then no agreement can begin */
    bool under_way;       /* an agreement has begun and has not ended */
    collio_scope_t scope; /* scope of the current agreement */
    int fields;           /* number of fields that are reduced */
    int wanted;           /* number of fields of the result that this rank uses */
    int64_t *result;      /* memory of the caller for the result */
    uint64_t begun_ns; /* time when the agreement began; only set if `ranks_per_core` is above 1 */
    int64_t waited_ns[COLLIO_SCOPE_CALL + 1]; /* duration of the last wait of each scope */
    ompi_request_t *request;                  /* the active iallreduce, or NULL */
    int64_t mine[COLLIO_AGREEMENT_FIELDS];    /* input of the iallreduce */
    int64_t all[COLLIO_AGREEMENT_FIELDS];     /* result of the iallreduce */
} collio_agreement_t;

/** Makes an agreement of the file's ranks, which uses messages, in zeroed memory. The file must
 *  have its communicators. Local. */
void collio_agreement_init(const struct collio_file_t *file, collio_agreement_t *agreement);
/** Connects the first ranks of the nodes for the file's new agreement. Collective over the file.
 *  Returns an Open MPI error code. */
int collio_agreement_connect(struct collio_file_t *file);
/** Prepares the scope CALL. Local. Returns an Open MPI error code. */
int collio_agreement_set_rule(collio_agreement_t *agreement, const collio_agreement_rule_t *rule);
/** Frees what an agreement owns. Collective over the leaders. */
void collio_agreement_fini(collio_agreement_t *agreement);

/** If all ranks are on one node, the first rank creates the page of the file's agreement and writes
 *  its key; all other keys are 0. The caller takes the maxima of the keys. Local. */
void collio_agreement_offer(struct collio_file_t *file, int64_t key[COLLIO_SHM_KEY]);
/** Makes `agreement` (of the file, or of its set) use a page on each node if all ranks can map
 *  theirs, else messages. key: maxima of the keys of collio_agreement_offer, or NULL without an
 *  offer. Collective, by agreements of the file. 0, or the error class of a failed handle. */
int collio_agreement_share(struct collio_file_t *file, collio_agreement_t *agreement,
                           const int64_t *key);

/** Attaches a segment that the first rank of each node has created. key: of that rank, else 0; its
 *  maxima over the node are taken first if `reduce` is true. Removes the name of the segment.
 *  *shared = all ranks of the file have their node's segment. Collective. Returns 0, or the error
 *  class of a failed handle. */
int collio_agreement_attach(struct collio_file_t *file, collio_shm_t *segment, size_t bytes,
                            const int64_t key[COLLIO_SHM_KEY], bool reduce, bool *shared);

/** True if the agreement sends no messages inside a node: it has a page, or only one rank. */
bool collio_agreement_shared(const struct collio_file_t *file, const collio_agreement_t *agreement);

/** Begins an agreement of the file. result[0 .. fields - 1] is valid when poll returns true. A rank
 *  that must serve messages until all ranks have arrived uses NODE, or FILE with 0 fields: then
 *  collio_agreement_rest does not sleep. Returns an Open MPI error code. */
int collio_agreement_start(struct collio_file_t *file, collio_scope_t scope, const int64_t *mine,
                           int64_t *result, int fields);

/** True if the agreement has ended, or if none has begun. Never waits. */
bool collio_agreement_poll(struct collio_file_t *file);

/** Begins an agreement and waits for its end. Returns 0, or the error class of a failed handle. */
int collio_agreement_wait(struct collio_file_t *file, collio_scope_t scope, const int64_t *mine,
                          int64_t *result, int fields);

/** Yields the core or sleeps if this rank can only wait for the ranks of its node. True if they
 *  have arrived; then the caller can poll without calling opal_progress. */
bool collio_agreement_rest(struct collio_file_t *file);

/** Nanoseconds between two checks in a long wait. It differs between the ranks of a node: the first
 *  rank that finds a failure sends notices, before other ranks check processes. */
uint64_t collio_agreement_check_ns(const struct collio_file_t *file);
/** Checks for a notice of a failed handle and for processes of this node that have ended. If it
 *  finds one, the file handle has failed. Reads a file of /proc for each rank of the node. */
void collio_agreement_check(struct collio_file_t *file);
/** Calls collio_agreement_check once a second. *checked_ns: time of the last check; initially the
 *  start of the wait. */
void collio_agreement_check_due(struct collio_file_t *file, uint64_t *checked_ns);

#endif /* COLLIO_AGREEMENT_H */
