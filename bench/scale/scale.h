/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SCALE_H
#define COLLIO_SCALE_H

/*
 * scale: what two-phase and two-layer aggregation (TAM) cost on machines we do not have, computed
 * with the code of core/ that the components run.
 *
 *   pattern.c    who wants which bytes: BTIO, S3D-IO, E3SM-like, blocks, as rows of runs
 *   machine.c    nodes, aggregators, local aggregators, file domains: core's own selection
 *   count.c      exact counts for all aggregators, by walking classes of equal rows
 *   replay.c     the real plan (merge, split, wire, collect) of some of them must agree with that
 *   estimate.c   a LogGP-style time from the counts
 *   compute.c    all of it for one pattern and machine
 *   memory.c     partition memory, for nodes whose memory varies
 *   report.c     table and CSV        plot.c  SVG        scale.c  options and the runs
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "aggregator.h"
#include "domain.h"
#include "memory.h"

/** A run of a row: from `start` (bytes from the row's start) to the next run, owned by a rank. */
typedef struct scale_run_t {
    int64_t start;
    int rank;
} scale_run_t;

/** One collective call: rows that cover the file without a hole. Rows of one class have the same
 *  runs, and equal ones follow each other. */
typedef struct scale_pattern_t {
    const char *name;
    int ranks;
    int64_t row_bytes;
    int64_t rows;   /* of the call that is looked at; set_call changes it */
    int64_t grid;   /* points on an edge, or cells of a record */
    int np[3];      /* process grid: x, y, z */
    int64_t repeat; /* identical calls, e.g. time steps */
    scale_run_t *runs;
    size_t run_count; /* of the row that is in `runs` */
    int64_t loaded;   /* the class in `runs`; -1 = none */
} scale_pattern_t;

/** "btio", "s3d", "e3sm-f" or "e3sm-g" for so many ranks; grid 0 = the published size. "segmented":
 *  one block for each rank, grid = its KiB (0: 1024). "interleaved": rows of 64 KiB for each rank,
 *  grid = rows (0: 16). Returns an error text, or NULL. */
const char *scale_pattern_init(scale_pattern_t *pattern, const char *name, int ranks, int64_t grid);
void scale_pattern_fini(scale_pattern_t *pattern);

/** Calls of different shape that make one step (S3D-IO: 3), and the selection of one of them. */
int scale_pattern_calls(const scale_pattern_t *pattern);
void scale_pattern_set_call(scale_pattern_t *pattern, int call);

int64_t scale_pattern_class(const scale_pattern_t *pattern, int64_t row);
/** The first row after `row` that is of another class. */
int64_t scale_pattern_class_end(const scale_pattern_t *pattern, int64_t row);
/** Loads the runs of a row's class into pattern->runs. */
void scale_pattern_load(scale_pattern_t *pattern, int64_t row);
/** Process grid of n ranks, as square as can be; np[0] (x) is the largest. */
void scale_process_grid(int ranks, int np[3]);

/** A machine and what was selected on it. Requesters of TAM are groups: a local aggregator and the
 *  ranks it serves. */
typedef struct scale_machine_t {
    int ranks;
    int per_node;
    int aggregators;
    int64_t window_bytes;
    int64_t unit;
    collio_nodes_t nodes;
    int *aggregator_rank; /* [aggregators] */
    int c;                /* local aggregators on a node */
    int groups;
    int *group_of;    /* [ranks] */
    int *group_first; /* [groups + 1]: members are member[first .. next first) */
    int *member;      /* [ranks] */
} scale_machine_t;

/** local = 0: chosen by the cost rule from the pattern. */
const char *scale_machine_init(scale_machine_t *machine, const scale_pattern_t *pattern,
                               int per_node, int aggregators, int64_t window_bytes, int64_t unit,
                               int local);
void scale_machine_fini(scale_machine_t *machine);

/** Who asks an aggregator under TAM. A group's bytes go through its local aggregator, in one
 *  request (number = group), but for the aggregator's own group: if the aggregator is its local
 *  aggregator, each member asks by itself; if it is another member, it has its own bytes already.
 *  Those requesters are numbered from `groups` on; the aggregator itself is the first of them. */
typedef struct scale_askers_t {
    const scale_machine_t *machine;
    int aggregator_rank;
    int group;  /* of the aggregator */
    bool local; /* the aggregator is a local aggregator */
    int count;  /* of numbers that some rank has; they are below limit */
    int limit;
} scale_askers_t;

scale_askers_t scale_askers(const scale_machine_t *machine, int aggregator);
/** The number of a rank, and a rank that has this number: the one that sends. */
int scale_asker_of(const scale_askers_t *askers, int rank);
int scale_asker_rank(const scale_askers_t *askers, int asker);
/** True if layer 1 carries this rank's bytes. */
bool scale_carried(const scale_askers_t *askers, int rank);
/** True if this rank is a local aggregator. */
bool scale_is_local(const scale_machine_t *machine, int rank);

/** What happens at one aggregator, or at all, in one layout: requesters are ranks or groups. */
typedef struct scale_figures_t {
    int64_t extents;       /* that arrive: after joining what one requester has side by side */
    int64_t pairs;         /* (requester, aggregator) with bytes: messages with offset lists */
    int64_t messages;      /* (requester, cycle) with bytes: messages with data */
    int64_t between;       /* of these: from another node */
    int64_t between_bytes; /* bytes of data from other nodes */
    int64_t carried;       /* extents that go through layer 1: before it (ranks), after it */
    int64_t lists1;        /* two-phase only: (member, aggregator) pairs among them; not of local */
    int64_t self_extents;  /* of these: an aggregator's own, for which there are no messages */
    int64_t self_pairs;
    int64_t self_messages;
    int64_t cycles;
    int64_t wire_bytes;   /* replay only: offset lists on the wire */
    int64_t wire1_bytes;  /* replay only: the part of lists1 */
    int64_t memory_bytes; /* replay only: lists of this aggregator */
} scale_figures_t;

enum { SCALE_TWO_PHASE = 0, SCALE_TAM = 1, SCALE_WAYS = 2 };

/** Parts of the estimated time. */
enum {
    SCALE_LAYER1 = 0,
    SCALE_LISTS = 1,
    SCALE_MERGE = 2,
    SCALE_DATA = 3,
    SCALE_AGREE = 4,
    SCALE_PARTS = 5
};

/** A stretch of one aggregator's domain, from its beginning on. */
typedef struct scale_stretch_t {
    int aggregator;
    int64_t lo;
    int64_t hi;
} scale_stretch_t;

/** Exact figures of a stretch, for both ways. 0 or -ENOMEM. */
int scale_count(scale_pattern_t *pattern, const scale_machine_t *machine, scale_stretch_t stretch,
                scale_figures_t figures[SCALE_WAYS]);

/** Layer 1 by messages: a member sends its local aggregator one for each window number in which it
 *  has something for an aggregator. 0 or -ENOMEM. */
int scale_count_turns(scale_pattern_t *pattern, const scale_machine_t *machine,
                      const collio_domains_t *domains, int64_t *turns);

/** Extents of a whole call, by ranks (before layer 1; id_of = NULL) or by groups (after it). */
int64_t scale_count_extents(scale_pattern_t *pattern, const int *id_of);

/** The same as scale_count from the real plan. */
int scale_replay(scale_pattern_t *pattern, const scale_machine_t *machine,
                 const collio_domains_t *domains, scale_stretch_t stretch,
                 scale_figures_t figures[SCALE_WAYS]);

/** All of a step: sums over calls and aggregators, and the busiest aggregator of a call. */
typedef struct scale_result_t {
    char pattern[16];
    int way;
    int ranks;
    int nodes;
    int aggregators;
    int requesters; /* ranks, or local aggregators */
    int64_t calls;
    int64_t bytes;
    int64_t requested;     /* extents of all ranks, before layer 1 */
    int64_t passed_on;     /* extents of all requesters: after layer 1, where there is one */
    int64_t extents;       /* that aggregators get from others: cut where domains end */
    int64_t meta;          /* messages with offset lists, without an aggregator's own */
    int64_t messages;      /* messages with data, likewise */
    int64_t between;       /* of these: between nodes */
    int64_t between_bytes; /* bytes of data between nodes, the same with one and two layers */
    int64_t worst;         /* data messages to the busiest aggregator, in one call */
    int64_t worst_extents; /* extents it gets from others */
    int64_t gathered;      /* extents that go through layer 1, cut where domains end: before it, */
    int64_t merged;        /* and after it */
    int64_t meta1;         /* messages with offset lists, from members to local aggregators */
    int64_t wire1_bytes;   /* bytes in them */
    int64_t messages1;     /* messages with data, if layer 1 has no shared memory */
    int64_t cycles;        /* of the aggregator with most of them, in all calls */
    int64_t wire_bytes;    /* from what was replayed; exact if that was all */
    int64_t merge_ops1;    /* extents * log2(inputs), of all local aggregators */
    int64_t merge_ops2;    /* the same of all aggregators */
    int64_t memory_bytes;  /* of the busiest aggregator: its lists, and two buffers */
    int64_t replayed;      /* extents of the replayed stretches, over all different calls */
    double seconds[SCALE_PARTS];
} scale_result_t;

/** Parameters of the time estimate. */
typedef struct scale_costs_t {
    double overhead;       /* o: processor time of a message between nodes, at each of its ends */
    double latency;        /* L */
    double card;           /* g: time of a network card for a message, in each direction */
    double gap;            /* G: seconds a byte, of a node's network card */
    double match;          /* searching the queue: seconds for each entry in it */
    double local_overhead; /* o within a node */
    double copy;           /* seconds a byte, one core */
    double merge;          /* one extent up one level of the heap */
} scale_costs_t;

extern scale_costs_t scale_costs;

/** Latency, card and gap of a machine of bench/machines; the costs of processors stay. NULL, or
 *  what is wrong. */
const char *scale_costs_read(const char *path);

/** What a call moves, beside the figures of one aggregator. */
typedef struct scale_load_t {
    int64_t bytes;     /* bytes of the whole call */
    int64_t requested; /* extents of all ranks */
    int64_t card;      /* data messages that the busier of two cards handles in one direction: the
                        * aggregator's card (in), the card of the node that sends most (out) */
    int sharing;       /* aggregators on the node of this aggregator */
} scale_load_t;

/** Seconds of one call as this aggregator sees it. The figures have wire_bytes. */
void scale_estimate(const scale_machine_t *machine, int way, const scale_figures_t *aggregator,
                    const scale_load_t *load, double seconds[SCALE_PARTS]);

/** What a run is told. */
typedef struct scale_options_t {
    const char *pattern;
    int ranks;
    int per_node;
    int aggregators;
    int local; /* local aggregators on a node; 0 = by the cost rule */
    int64_t grid;
    int64_t window_bytes;
    int64_t unit;
    int64_t replay_extents; /* about so many of each call are replayed, at least one cycle */
} scale_options_t;

/** Everything for one pattern and machine. NULL, or what is wrong. */
const char *scale_compute(const scale_options_t *options, scale_result_t results[SCALE_WAYS]);

void scale_report_head(FILE *out);
void scale_report_line(FILE *out, const scale_result_t *result);
void scale_report_costs(FILE *out);
void scale_csv_head(FILE *out);
void scale_csv_line(FILE *out, const scale_result_t *result);
void scale_plot(FILE *out, const scale_result_t *results, size_t count);

/** Partition memory for nodes whose memory varies; see memory.c. */
typedef struct scale_memory_t {
    int ranks;
    int ranks_per_node;
    int64_t buffer_bytes; /* of an aggregator: plain, and the mean of what nodes have for each */
    int64_t deviation;
    int64_t least;
    int64_t node_bytes; /* that the ranks of a node write */
} scale_memory_t;

/** Cost of the reductions of a new plan, per rank. */
typedef struct scale_memory_cost_t {
    int64_t bytes;    /* bytes of the operands of all three reductions */
    int64_t messages; /* messages of a rank, in reductions of 2 log2(ranks) messages */
    int64_t held;     /* bytes of operands and results, allocated while the file is open */
} scale_memory_cost_t;

scale_memory_cost_t scale_memory_cost(int bins, int nodes, int ranks, int ranks_per_node);

typedef struct scale_memory_result_t {
    int ranks;
    int nodes;
    int bins;
    int groups;
    int domains;
    int64_t plain_bytes;  /* buffers on every node */
    int plain_short;      /* nodes that have less */
    int64_t memory_bytes; /* buffers on the node with most of them */
    int used_nodes;       /* that have buffers */
    int memory_short;     /* that have less memory than buffers */
    scale_memory_cost_t cost;
    double seconds; /* of the policy */
} scale_memory_result_t;

/** NULL, or what is wrong. */
const char *scale_memory(const scale_memory_t *memory, scale_memory_result_t *result);
/** Bytes that depend on the number of ranks; see footprint.c. */
typedef struct scale_footprint_t {
    int nodes;          /* number of nodes */
    int64_t rank;       /* bytes on every rank, for an open file */
    int64_t node;       /* bytes that the ranks of a node share, for a set of processes */
    int64_t aggregator; /* bytes on an aggregator, for a plan, if ranks write neighboring parts */
} scale_footprint_t;

scale_footprint_t scale_footprint(int ranks, int per_node, int aggregators);
/** A line of CSV. */
void scale_footprint_print(FILE *out, int ranks, int per_node, int aggregators);

void scale_memory_head(FILE *out);
void scale_memory_line(FILE *out, const scale_memory_t *memory,
                       const scale_memory_result_t *result);

/** ceil(log2(n)), at least 1. */
int64_t scale_levels(int64_t n);

#endif /* COLLIO_SCALE_H */
