/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FILE_H
#define COLLIO_FILE_H

#include "access/access.h"
#include "access/lockahead.h"
#include "compat/compat.h"
#include "file/settings.h"
#include "file/stats.h"
#include "help/help.h"
#include "hook/handle.h"

#include "core/aggregator.h"
#include "core/align.h"
#include "core/defaults.h"
#include "core/memory.h"
#include "core/policy.h"
#include "core/transport_rule.h"

#include <stdatomic.h>

/**
 * file/ has the record of an open file: its settings, its counters and the values derived from
 * them. Every directory above reads the record; open/ creates and frees it. Members that belong to
 * a directory above are pointers to incomplete types.
 */

/** Partition memory: this rank's contribution to a new plan, and the last layout. */
typedef struct collio_file_memory_t {
    int64_t minus_mine;            /* negated bytes of memory that are available to this rank */
    int64_t minus_node;            /* negated minimum of available bytes over the node's ranks */
    int64_t usable;                /* bytes for buffers of this node at the last new plan */
    int64_t announced;             /* bytes that this rank announced for the last new plan */
    uint64_t *records;             /* memory of each node, then the bins that each node touches */
    int words;                     /* number of 64-bit words for the bins of one node */
    collio_memory_layout_t layout; /* parts of the last new plan */
    int64_t origin;                /* file offset where bin 0 begins */
    int64_t width;                 /* bytes of a bin */
} collio_file_memory_t;

/** Values derived from settings and facts. MPI_File_open computes them from the values of this rank
 *  and, if the ranks differ, again from the values of rank 0: see open/attach.c. */
typedef struct collio_derived_t {
    int64_t settings_hash;                  /* hash of settings and facts */
    bool two_layers;                        /* the component has two layers (fcoll/tam) */
    collio_buffers_set_t buffers;           /* kinds of buffers that the setting allows */
    bool striped;                           /* fh->f_stripe_size and f_stripe_count are valid */
    bool locks;                             /* servers give locks to clients (Lustre) */
    bool several_clients;                   /* several clients hold locks of the servers (Lustre) */
    collio_lockahead_mode_t lockahead;      /* lock-ahead mode of collective calls */
    int ompio_aggregators;                  /* io_ompio_num_aggregators, or -1 */
    int *aggregators;                       /* ranks of the aggregators */
    int aggregator_count;                   /* number of aggregators */
    int *aggregator_owner;                  /* for each aggregator: its number on its node; in the
                                               memory of `aggregators` */
    int my_aggregator;                      /* this rank's index in `aggregators`, or -1 */
    bool list_refused;                      /* aggregator_list does not fit the communicator */
    collio_nodes_t racks;                   /* two layers: which rank is in which rack; `nodes` is
                                               0 if the setting racks is empty */
    collio_local_count_t local_aggregators; /* two layers: the setting local_aggregators, divided
                                               among nodes or racks */
    int64_t buffer_bytes;                   /* bytes of buffers that one aggregator may use */
    const collio_partition_t *partition;    /* how ranges are divided among aggregators */
    collio_align_t align;                   /* alignment of domains and windows */
} collio_derived_t;

/**
 * The file context: communicators, agreement, the node's segments, buffers and plans. These belong
 * to the processes of a file and not to the file. Each open file has its own context. When the file
 * is closed, the context can be kept for the next file of the same processes (open/set.h).
 */
enum { COLLIO_CONTEXT_TRAITS = 7 };

typedef struct collio_context_t {
    ompi_communicator_t *comm;             /* all ranks; only this file's messages */
    ompi_communicator_t *node_comm;        /* ranks of this node; `comm` if these are all */
    struct collio_agreement_t *agreement;  /* agreement of calls */
    struct collio_kept_t *kept;            /* plans and memory of exchanges, or NULL */
    int64_t memory_bytes;                  /* bytes in use, as counted by collio_file_memory */
    int64_t charge;                        /* this rank's part of the node's bytes in `kept` */
    int64_t traits[COLLIO_CONTEXT_TRAITS]; /* agreed values that `kept` depends on */
    uint32_t sequence;                     /* number of the next call: for tags, ages of plans */
} collio_context_t;

/**
 * The record of an open file: place FCOLL of the handle's record (hook/). Created by the first
 * selection of the fcoll (collective). Freed by MPI_File_close or, for handles that are not real
 * MPI files, by the module's finalize.
 */
typedef struct collio_file_t {
    ompio_file_t *fh;              /* the handle in io/ompio */
    collio_handle_t *handle;       /* the record of `fh` */
    collio_component_t *component; /* the fcoll component that serves the file */
    collio_settings_t settings;    /* settings in force, the same on all ranks */
    int refused;         /* 0, or the error class that every collective call returns; needed because
                         io/ompio ignores the result of a module's init */
    _Atomic int lost;    /* 0, or the error class of the failed file handle: see call/lost.c */
    uint64_t checked_ns; /* time of the last check for failures of other ranks */
    ompi_request_t *notice; /* active receive of another rank's notice, or NULL */
    int noticed;            /* buffer of notices: error class that is sent or received */

    struct collio_set_t *set; /* set of the file's processes (open/); NULL: nothing is kept */
    int entry;                /* entry of `set` for the file's context, or -1 */

    collio_context_t *context; /* during open, and if it fails: that of the set */

    int rank;                 /* this rank */
    int size;                 /* number of ranks */
    collio_nodes_t nodes;     /* which rank is on which node */
    struct collio_map_t *map; /* memory of `nodes`; `set` owns it if there is one */
    collio_costs_t costs;     /* measured costs of messages; zeros: unknown */

    collio_derived_t derived;     /* values derived from settings and facts */
    collio_file_memory_t memory;  /* partition memory; created with `derived` */
    struct collio_tuner_t *tuner; /* measurements of `auto`; created with `derived` */

    collio_access_t access; /* descriptor and properties for file access */
    bool unflushed;         /* this rank has made direct writes that it has not flushed */
    bool stale;             /* a call has written since this rank dropped cached pages */

    collio_stats_t stats[2]; /* counters: [0] reads and all high-water marks, [1] writes */
    collio_tally_t tally;    /* `stats` in the counters of the component */
    bool writing;            /* index in `stats`: the call that is driven is a write */

    struct collio_queue_t *queue; /* queue of collective calls: see call/ */
    _Atomic int calls;            /* number of collective calls in the queue */
    struct collio_hang_t *hang;   /* position of this rank, for collio-hang; NULL: not recorded */
} collio_file_t;

/** True if a local aggregator serves the ranks of a rack instead of a node. */
static inline bool collio_by_rack(const collio_file_t *file)
{
    return 0 < file->derived.racks.nodes;
}

/** Partition memory: returns the maximum number of aggregators of a node. */
static inline int collio_memory_per_node(const collio_file_t *file)
{
    return 0 < file->settings.memory_per_node ? file->settings.memory_per_node : 1;
}

/** Returns the groups of ranks that local aggregators serve: racks or nodes. */
static inline const collio_nodes_t *collio_groups(const collio_file_t *file)
{
    return collio_by_rack(file) ? &file->derived.racks : &file->nodes;
}

/** True if calls of this file may use collective buffers of this kind. */
static inline bool collio_buffers_allowed(const collio_file_t *file, collio_buffers_t buffers)
{
    return 0 != (file->derived.buffers & 1u << buffers);
}

/** Returns the record of a handle, or NULL. Local. */
collio_file_t *collio_file_find(ompio_file_t *fh);
/** Puts the record in its handle, and its counters in those of the component. Local. */
void collio_file_enter(collio_file_t *file);
/** Removes the record from its handle, and adds its counters to those of closed files. Local. */
void collio_file_leave(collio_file_t *file);

/** Adds to a counter of this file (reads or writes: file->writing). Only the thread that drives the
 *  calls of the file may count. */
static inline void collio_file_count(collio_file_t *file, int stat, uint64_t amount)
{
    file->stats[file->writing].at[stat] += amount;
}

/** Raises a high-water mark of this file to `value`, if it is lower. */
void collio_file_high(collio_file_t *file, int stat, int64_t value);

/** Chooses the aggregators and numbers them. The file must have its nodes. Local. Returns an Open
 *  MPI error code. */
int collio_file_aggregators(collio_file_t *file);
/** Returns the input of the defaults; equal on all ranks after they have agreed on facts. Local. */
collio_site_t collio_file_site(const collio_file_t *file);
/** Returns a hash of the list of aggregators: not negative, equal for equal lists. */
int64_t collio_file_aggregators_hash(const collio_file_t *file);

/** Counts memory that is allocated (positive) or freed (negative), and updates the high-water mark,
 *  even if `bytes` is 0. view/ counts the memory of views and datatypes. */
void collio_file_memory(collio_file_t *file, int64_t bytes);

/** Returns an empty record, to be freed by free(). NULL: see collio_spare_take. */
collio_file_t *collio_file_take(void);

/** True if this process has started nonblocking collective calls, which may wait for a blocking
 *  call. */
extern _Atomic bool collio_background;

/** Marks the file handle as failed after an error of MPI (`error`: code of the MPI call or request)
 *  or the death of a process: collective calls on it return an error. Sends notices to all ranks
 *  and prints a help text. Only the first error has an effect. Local. */
void collio_file_lose(collio_file_t *file, int error);
/** Like collio_file_lose, with an error class and without a help text. False: it had failed. */
bool collio_file_fail(collio_file_t *file, int class);
/** Marks the file handle as failed if a notice of another rank has arrived. Never blocks. */
void collio_file_poll_notices(collio_file_t *file);
/** Marks the file handle as failed with the error class of another rank, without notices. False: it
 *  had failed. Local. */
bool collio_file_set_lost(collio_file_t *file, int class);

/** Tags of messages that are not part of a call. Tags of calls are 8 n + 0..4: see exchange.h. */
enum {
    COLLIO_FILE_TAG_NOTICE = 5, /* a file handle has failed */
    COLLIO_FILE_TAG_COST,       /* measures costs of messages (node/costs.h) */
    COLLIO_FILE_TAG_TOKEN       /* starts messages with COLLIO_FILE_TAG_COST */
};

/** True if the request is complete; the request is then freed. *bytes = bytes received (`bytes` may
 *  be NULL). After an error, except `expected`, the file handle has failed. Never blocks. */
static inline bool collio_request_ended(collio_file_t *file, ompi_request_t **request,
                                        int64_t *bytes, int expected)
{
    int error = MPI_SUCCESS;

    if (!collio_request_test(request, bytes, &error)) {
        return false;
    }
    if (MPI_SUCCESS != error && expected != error) {
        collio_file_lose(file, error);
    }
    return true;
}

/** collio_request_ended without an expected error. */
static inline bool collio_request_done(collio_file_t *file, ompi_request_t **request,
                                       int64_t *bytes)
{
    return collio_request_ended(file, request, bytes, MPI_SUCCESS);
}

/** Prints a help text about this file (help/help.h): collio_file_help(file, topic, ...). */
#define collio_file_help(file, ...) \
    collio_help((file)->component->title, (file)->fh->f_filename, __VA_ARGS__)

#endif /* COLLIO_FILE_H */
