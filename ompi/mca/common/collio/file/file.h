/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FILE_H
#define COLLIO_FILE_H

#include "access/access.h"
#include "access/lockahead.h"
#include "compat/compat.h"
#include "file/settings.h"
#include "file/stats.h"
#include "file/transports.h"
#include "help/help.h"
#include "hook/spare.h"

#include "core/aggregator.h"
#include "core/align.h"
#include "core/defaults.h"
#include "core/memory.h"

#include <stdatomic.h>

/**
 * file/: the record of an open file. It has the file's settings, its counters and what follows from
 * both; every directory above reads it, and open/ makes and frees it. Members that only one
 * directory above defines are pointers to incomplete types here.
 */

/** Partition memory: the contribution of this rank to a new plan, in memory that is taken at open,
 *  and the last layout, for the report. */
typedef struct collio_file_memory_t {
    int64_t minus_mine;         /* negated: bytes of memory that this rank finds available */
    int64_t minus_node;         /* negated: the minimum of these over the ranks of the node */
    int64_t usable;             /* bytes that buffers of this node could use at the last new plan */
    int64_t announced;          /* bytes that this rank announced for the last new plan */
    uint64_t *records;          /* two arrays: for each node its memory and the bins it touches */
    int words;                  /* 64-bit words of one node's bins */
    collio_memory_part_t *part; /* the last layout: at most one part for each aggregator */
    int parts;                  /* number of parts */
    int groups;                 /* groups of nodes in the last layout */
    int leaves;                 /* leaves of the tree that the last layout was made from */
    int merges;                 /* merged leaves of that tree */
    int64_t origin;             /* file offset where bin 0 begins */
    int64_t width;              /* bytes of a bin */
} collio_file_memory_t;

/** What follows from settings and facts. MPI_File_open makes it from nothing, once with the values
 *  of this rank and again where the ranks differ: see open/attach.c. */
typedef struct collio_derived_t {
    int64_t settings_hash;                  /* hash of the settings; equal for equal settings */
    bool two_layers;                        /* the component has two layers (fcoll/tam) */
    bool striped;                           /* fh->f_stripe_size and f_stripe_count are known */
    bool several_clients;                   /* several clients hold locks of the servers (Lustre) */
    collio_lockahead_mode_t lockahead;      /* lock-ahead mode of collective calls */
    int ompio_aggregators;                  /* io_ompio_num_aggregators, or -1 */
    int *aggregators;                       /* ranks of the aggregators */
    int aggregator_count;                   /* number of aggregators */
    int *aggregator_slot;                   /* number of each aggregator among those of its node */
    int my_aggregator;                      /* this rank's index in `aggregators`, or -1 */
    bool list_refused;                      /* aggregator_list does not fit the communicator */
    collio_nodes_t racks;                   /* two layers: which rank is in which rack, if the user
                                               has listed racks; nodes 0: not listed */
    collio_local_count_t local_aggregators; /* two layers, a total is set: its parts */
    int64_t buffer_bytes;                   /* bytes of buffers that one aggregator may use */
    const collio_partition_t *partition;    /* how ranges are divided among aggregators */
    collio_align_t align;                   /* alignment of domains and windows */
} collio_derived_t;

/**
 * The record of an open file: place FCOLL of the handle's record (hook/). Made at the first
 * selection (collective), freed at close, or, for handles that are not real MPI files, by the
 * module's finalize.
 */
typedef struct collio_file_t {
    ompio_file_t *fh;              /* the handle in io/ompio */
    collio_component_t *component; /* the fcoll component that serves the file */
    collio_settings_t settings;    /* settings in force, the same on all ranks */
    int refused;         /* error class of every collective call, if the record could not be made:
                         io/ompio ignores the result of a module's init */
    _Atomic int lost;    /* 0, or the error class of the failure after which this rank has left its
                         collective calls: see call/lost.c */
    uint64_t checked_ns; /* time of the last check for failures of other ranks */
    ompi_request_t *notice; /* receives a notice of another rank, or NULL */
    int noticed;            /* error class in a notice, sent or received */

    struct collio_set_t *set; /* set of the file's processes (open/); NULL: nothing is kept */
    int slot;                 /* slot of `set` for the file's context, or -1 */

    /* What belongs to the processes, and passes to their next file: see open/context.c. */
    ompi_communicator_t *comm;            /* all ranks; only this file's messages */
    ompi_communicator_t *node_comm;       /* ranks of this node; `comm` if these are all */
    struct collio_agreement_t *agreement; /* where the ranks agree: see node/ */

    int rank;                 /* this rank */
    int size;                 /* number of ranks */
    collio_nodes_t nodes;     /* which rank is on which node */
    struct collio_map_t *map; /* memory of `nodes`; `set` owns it if there is one */

    collio_derived_t derived;     /* what follows from settings and facts */
    collio_file_memory_t memory;  /* partition memory; made with `derived` */
    struct collio_kept_t *kept;   /* what exchanges keep between calls; made with `derived` */
    struct collio_tuner_t *tuner; /* what `auto` has learnt; made with `derived` */

    collio_access_t access;             /* how the file is accessed */
    collio_access_stats_t access_stats; /* counters of these accesses */
    bool unflushed; /* this rank has made direct writes that other nodes may not see */

    collio_stats_t stats[2]; /* counters of reads and of writes; high-water marks in the first */
    bool writing;            /* the call that is driven is a write: counters of writes count */
    int64_t memory_bytes;    /* bytes that are accounted for now, see collio_file_memory */

    struct collio_queue_t *queue; /* queue of collective calls; see call/ */
    _Atomic int calls;            /* collective calls in the queue */
    struct collio_hang_t *hang;   /* position of this rank, for a job that hangs; NULL: not noted */
} collio_file_t;

/** Does a local aggregator serve ranks of a rack instead of a node? */
static inline bool collio_by_rack(const collio_file_t *file)
{
    return 0 < file->derived.racks.nodes;
}

/** The groups of ranks that local aggregators serve: racks or nodes. */
static inline const collio_nodes_t *collio_groups(const collio_file_t *file)
{
    return collio_by_rack(file) ? &file->derived.racks : &file->nodes;
}

/** The transport that the user has named; NULL: `auto`. */
static inline const collio_transport_t *collio_transport_named(const collio_file_t *file)
{
    int value = file->settings.transport;

    return 0 == value ? NULL : file->component->transports[value - 1];
}

/** The first transport with such buffers. With private ones: messages, which serve every pair of
 *  ranks in every call. */
static inline const collio_transport_t *collio_transport_with(const collio_file_t *file,
                                                              collio_buffers_t buffers)
{
    const collio_transport_t *const *row = file->component->transports;

    while (buffers != (*row)->buffers) {
        ++row;
    }
    return *row;
}

/** NULL if there is none. Local. */
collio_file_t *collio_file_find(ompio_file_t *fh);

/** Adds to a figure of this file (of its reads or writes, as the call that is driven) and of its
 *  component. */
void collio_file_count(collio_file_t *file, int stat, uint64_t amount);

/** Notes a high-water mark. */
void collio_file_high(collio_file_t *file, int stat, int64_t value);

/** Chooses the aggregators and numbers them; the nodes are known. Local. */
int collio_file_aggregators(collio_file_t *file);
/** What the defaults depend on; the same on all ranks once the facts are agreed on. Local. */
collio_site_t collio_file_site(const collio_file_t *file);
/** Of their list: not negative, equal for equal lists. */
int64_t collio_file_aggregators_hash(const collio_file_t *file);

/** Accounts for memory that is taken (positive) or given back (negative). Views and datatypes are
 *  accounted for by view/; 0 only notes what is held. */
void collio_file_memory(collio_file_t *file, int64_t bytes);

/** An empty record for free(): a new one, or the one in reserve. NULL only if that is in use
 *  too. */
collio_file_t *collio_file_take(void);

/** There are or have been nonblocking collectives in this process: some may be under way behind a
 *  blocking one. */
bool collio_file_background(void);
/** Returns what it was before. */
bool collio_file_set_background(bool used);

/** A record for an open that finds no memory. */
extern collio_spare_t collio_file_spare;

/** Calls `each` for every open file. A file that another thread closes is either visited before its
 *  record ends, or not at all. */
void collio_file_for_each(int (*each)(collio_file_t *file), int *sum);

/** Communication on this file has failed (error: of the MPI call or request), or another process
 *  has died. From now on all collective calls on it end with an error; other ranks get a notice.
 *  The first error counts. Local. */
void collio_file_lose(collio_file_t *file, int error);
/** The same with an error class, without a help text. False: the file was lost before. */
bool collio_file_fail(collio_file_t *file, int class);
/** Has another rank sent notice that the file is lost? Then it is, here too. Never blocks. */
void collio_file_look_for_notice(collio_file_t *file);
/** The file is lost with this error class, as another rank has found. False if it was lost already.
 *  Local. */
bool collio_file_set_lost(collio_file_t *file, int class);

/** Tag of these notices. Tags of calls are 8 n + 0..4: see exchange.h. */
enum { COLLIO_FILE_TAG_NOTICE = 5 };

/** True when the request is complete; it is then freed. *bytes (may be NULL) = bytes received. An
 *  error makes the file lost. Never blocks. */
static inline bool collio_request_done(collio_file_t *file, ompi_request_t **request,
                                       int64_t *bytes)
{
    int error = MPI_SUCCESS;

    if (!collio_request_test(request, bytes, &error)) {
        return false;
    }
    if (MPI_SUCCESS != error) {
        collio_file_lose(file, error);
    }
    return true;
}

/** The same for a message that was received into no memory: its sender must go on, and that it was
 *  cut off is no failure of communication. */
static inline bool collio_request_discarded(collio_file_t *file, ompi_request_t **request)
{
    int error = MPI_SUCCESS;

    if (!collio_request_test(request, NULL, &error)) {
        return false;
    }
    if (MPI_SUCCESS != error && MPI_ERR_TRUNCATE != error) {
        collio_file_lose(file, error);
    }
    return true;
}

/** Prints a help text about this file, see help/help.h: file_help(file, rank, topic, ...). */
#define collio_file_help(file, rank, ...) \
    collio_help((file)->component->title, (file)->fh->f_filename, rank, __VA_ARGS__)

#endif /* COLLIO_FILE_H */
