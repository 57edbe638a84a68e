/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* A profile in memory, and its file format: ioprof/format.md.
 *
 * The preloaded library encodes and merges profiles with these functions, `ioprof report` and
 * `ioprof compare` read them. Encoding allocates by mmap only: a signal handler may do it. */
#ifndef IOPROF_PROFILE_PROFILE_H
#define IOPROF_PROFILE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/buffer.h"

#define IOPROF_VERSION 1
#define IOPROF_UNSET   UINT64_MAX /* a time or an offset that is not known */

/** Who called. POSIX calls are IOPROF_INSIDE when MPI-IO made them: marked `<` in reports. */
enum ioprof_class {
    IOPROF_COLLECTIVE,  /* collective MPI-IO */
    IOPROF_INDEPENDENT, /* individual MPI-IO */
    IOPROF_COMPLETION,  /* MPI_Wait*, MPI_Test* that had an MPI-IO request in their list */
    IOPROF_POSIX,       /* POSIX and stdio called by the program */
    IOPROF_INSIDE,      /* POSIX called by MPI-IO, also on its helper threads */
    IOPROF_CLASSES
};

/** What a call does. Only IOPROF_READ and IOPROF_WRITE have bytes in reports' sums. */
enum ioprof_kind {
    IOPROF_OPEN,
    IOPROF_CLOSE,
    IOPROF_READ,
    IOPROF_WRITE,
    IOPROF_SYNC,
    IOPROF_META, /* stat, unlink, rename, truncate, allocate, mmap, views, hints */
    IOPROF_SEEK,
    IOPROF_WAIT, /* completion of nonblocking and split calls */
    IOPROF_KINDS
};

/** How a rank ended. */
enum ioprof_end {
    IOPROF_FINALIZED,
    IOPROF_EXITED,   /* exit without MPI_Finalize */
    IOPROF_ABORTED,  /* MPI_Abort */
    IOPROF_SIGNALLED /* end_code is the signal */
};

/** Sizes of reads and writes: bucket i holds sizes from ioprof_size_from[i] to the next one. */
#define IOPROF_SIZES 11
extern const uint64_t ioprof_size_from[IOPROF_SIZES];

/** Kinds whose first and last time is kept: open, close, read, write. */
#define IOPROF_SPAN_KINDS 4
/** The time line has this many bins at most; kinds as above, and metadata. */
#define IOPROF_BINS       256
#define IOPROF_BIN_KINDS  5
#define IOPROF_BIN_LAYERS 2 /* 0: MPI-IO, 1: POSIX (direct and inside) */

struct ioprof_cell {
    uint64_t calls, errors, ns, bytes;
};

struct ioprof_func {
    char *name;
    uint64_t kind, class;
    uint64_t calls, errors;
    uint64_t ns;      /* time in the call itself, all ranks */
    uint64_t max_ns;  /* longest call */
    uint64_t span_ns; /* nonblocking and split calls: from the call to its completion */
    uint64_t bytes;
    uint64_t ranks;                 /* how many ranks called it */
    uint64_t top_rank, top_rank_ns; /* the rank with most time in it */
    uint64_t sizes[IOPROF_SIZES];   /* reads and writes only */
};

struct ioprof_rank {
    char *host;
    uint64_t rank;
    uint64_t end, end_code;               /* enum ioprof_end; signal or abort code */
    uint64_t start_ns;                    /* end of MPI_Init, ns since 1970 */
    uint64_t wall_ns;                     /* from start_ns to MPI_Finalize, or to the end */
    uint64_t first_ns[IOPROF_SPAN_KINDS]; /* relative to start_ns; IOPROF_UNSET: never */
    uint64_t last_ns[IOPROF_SPAN_KINDS];  /* end of the last one; 0: never */
    uint64_t events, events_dropped;      /* level "events" */
    uint64_t files_dropped;               /* opens of files for which the table had no room */
    uint64_t fds_dropped;                 /* calls on descriptors the table had no room for */
    uint64_t requests_dropped;            /* nonblocking calls whose completion was not followed */
    uint64_t forks;                       /* child processes; what they did is not in the profile */
    uint64_t own_calls, own_ns;           /* calls recorded, estimated cost of recording them */
    uint64_t max_threads;                 /* threads that made a recorded call */
    uint64_t memory_samples, memory_sum;  /* of resident memory: how many, and their sum in bytes */
    uint64_t memory_max;                  /* greatest sample of resident memory, in bytes */
    uint64_t memory_peak;                 /* greatest resident memory, as the kernel counts it */
    uint64_t memory_io;                   /* greatest growth of resident memory inside MPI-IO */
    uint64_t sample_ns;                   /* time that samples of memory and host took */
    struct ioprof_cell cell[IOPROF_CLASSES][IOPROF_KINDS];
};

struct ioprof_file {
    char *path;
    char *hints;         /* "key=value\n"..., as MPI_File_get_info returned them */
    char *fs;            /* type of the file system, "" or NULL: not known */
    char *mount;         /* where that is mounted */
    uint64_t ranks;      /* ranks that used the file */
    uint64_t files;      /* 1, or how many were summed up in this record */
    uint64_t comm_size;  /* of the largest MPI_File_open, 0: only POSIX */
    uint64_t open_ranks; /* ranks that opened it with POSIX, in MPI-IO or not */
    uint64_t readers[IOPROF_CLASSES], writers[IOPROF_CLASSES]; /* ranks, by class */
    uint64_t first_ns[IOPROF_SPAN_KINDS]; /* ns since 1970; IOPROF_UNSET: never */
    uint64_t last_ns[IOPROF_SPAN_KINDS];
    uint64_t block;                    /* block size of the file system as stat returned it */
    uint64_t unaligned;                /* POSIX reads and writes that began inside a block */
    uint64_t sequential, consecutive;  /* POSIX: began after / exactly at the last one's end */
    uint64_t low, high;                /* POSIX: first byte and byte after the last */
    uint64_t views;                    /* MPI_File_set_view calls */
    uint64_t append;                   /* POSIX opens with O_APPEND */
    uint64_t top_rank, top_rank_bytes; /* the rank with most POSIX bytes */
    uint64_t low_rank_bytes;           /* the smallest bytes of a rank that used it */
    uint64_t stripe_bytes;             /* Lustre, BeeGFS: size of a stripe; 0: not known */
    uint64_t stripes;                  /* Lustre, BeeGFS: number of stripes; 0: not known */
    uint64_t stripe_unaligned;         /* POSIX reads and writes that began inside a stripe */
    uint64_t functions;                /* reads and writes of MPI-IO: ioprof_data_function */
    struct ioprof_cell cell[IOPROF_CLASSES][IOPROF_KINDS];
    uint64_t sizes[IOPROF_CLASSES][2][IOPROF_SIZES]; /* [class][0 read, 1 write] */
};

struct ioprof_bin {
    uint64_t calls, ns, bytes;
};

/** Resident memory of processes, sampled when recorded calls end. */
struct ioprof_memory {
    uint64_t samples;
    uint64_t sum; /* of all samples, in bytes */
    uint64_t max; /* greatest sample, in bytes */
};

/** Counters of a host, sampled by one rank of it (option --node). */
enum ioprof_node {
    IOPROF_NODE_CPU,            /* ns that its cores were busy */
    IOPROF_NODE_RECEIVED,       /* bytes, all network devices but loopback */
    IOPROF_NODE_SENT,           /* bytes */
    IOPROF_NODE_DISK_READ,      /* bytes, all disks */
    IOPROF_NODE_DISK_WRITTEN,   /* bytes */
    IOPROF_NODE_LUSTRE_READ,    /* bytes, clients of Lustre (llite) */
    IOPROF_NODE_LUSTRE_WRITTEN, /* bytes */
    IOPROF_NODE_LUSTRE_READS,   /* requests to the object servers (osc) */
    IOPROF_NODE_LUSTRE_WRITES,  /* requests to the object servers (osc) */
    IOPROF_NODE_LNET_SENDS,     /* messages of Lustre's network (lnet), all clients of the host */
    IOPROF_NODE_LNET_RECEIVES,  /* messages */
    IOPROF_NODE_LNET_SENT,      /* bytes */
    IOPROF_NODE_LNET_RECEIVED,  /* bytes */
    IOPROF_NODE_COUNTERS
};

struct ioprof_timeline {
    uint64_t start_ns; /* ns since 1970 */
    uint64_t width_ns; /* of a bin */
    struct ioprof_bin bin[IOPROF_BINS][IOPROF_BIN_LAYERS][IOPROF_BIN_KINDS];
    struct ioprof_memory memory[IOPROF_BINS];
    uint64_t node[IOPROF_BINS][IOPROF_NODE_COUNTERS]; /* all hosts */
};

/** An MPI_T performance variable of a component, over all ranks. */
struct ioprof_pvar {
    char *name, *text;
    uint64_t sum, min, max, ranks;
};

/** Events of one rank, still encoded: ioprof_events_open. */
struct ioprof_chunk {
    uint64_t rank;
    const unsigned char *data;
    size_t bytes;
};

struct ioprof_event {
    uint64_t start_ns; /* ns since 1970 */
    uint64_t ns;       /* time in the call; nonblocking: until completion */
    uint64_t offset;   /* IOPROF_UNSET: has none, or not known */
    uint64_t bytes;
    uint64_t thread; /* small number, 0 is the first one that made a call */
    uint64_t kind, class;
    const char *func, *path; /* path is NULL if the call has no file */
};

/** Job-wide facts: "program", "command", "job", "ranks", "hosts", "mpi", "level", ... */
struct ioprof_fact {
    char *key, *value;
};

struct ioprof_profile {
    struct ioprof_fact *facts;
    size_t nfacts;
    struct ioprof_rank *ranks; /* sorted by rank */
    size_t nranks;
    struct ioprof_func *funcs; /* sorted by class, then name */
    size_t nfuncs;
    struct ioprof_file *files; /* sorted by path; "(other files)" sums up what had no room */
    size_t nfiles;
    struct ioprof_timeline time;
    struct ioprof_pvar *pvars;
    size_t npvars;
    struct ioprof_chunk *chunks;
    size_t nchunks;
    void *memory; /* owner of all strings and arrays */
};

/** Files a profile keeps by name; the rest is summed up. */
#define IOPROF_MAX_FILES   20000
#define IOPROF_OTHER_FILES "(other files)"

/** Reads and checks a file, a malloc'ed *profile is the result; -1 and a sentence in why if it is
 *  no profile, of a newer version, truncated or damaged. */
int ioprof_read(const char *path, struct ioprof_profile **profile, char *why, size_t why_bytes);
int ioprof_decode(const void *data, size_t bytes, struct ioprof_profile **profile, char *why,
                  size_t why_bytes);
/** The same without a copy: data is from malloc and belongs to the profile afterwards; after an
 *  error it is freed. */
int ioprof_decode_own(void *data, size_t bytes, struct ioprof_profile **profile, char *why,
                      size_t why_bytes);
void ioprof_free(struct ioprof_profile *profile);

/** Appends the encoded profile. 0, or -1 if there is no memory. */
int ioprof_encode(const struct ioprof_profile *profile, struct ioprof_buffer *buffer);

/** Adds `from` to `into`: functions, files, time line and variables are summed, ranks joined; facts
 *  of `into` win. `from` belongs to `into` afterwards, also after an error. 0, or -1 and a sentence
 *  in why: no memory, or a rank is in both. */
int ioprof_merge(struct ioprof_profile *into, struct ioprof_profile *from, char *why,
                 size_t why_bytes);

/** Brings ranks, functions, files, variables and chunks in the order that is promised above.
 *  Decoded and merged profiles have it. */
void ioprof_sort(struct ioprof_profile *profile);

/** Reads one or more profiles or parts of an aborted run and merges them. */
int ioprof_read_all(char **paths, int count, struct ioprof_profile **profile, char *why,
                    size_t why_bytes);

const char *ioprof_fact(const struct ioprof_profile *profile, const char *key); /* or "?" */

/** The start of the first rank, ns since 1970; of the time line, if there are no ranks. */
uint64_t ioprof_job_start(const struct ioprof_profile *profile);

/** Bytes that were read and written, MPI-IO's and POSIX. */
uint64_t ioprof_file_bytes(const struct ioprof_file *file);
/** All files, most bytes first, in a malloc'ed array; NULL without memory. */
struct ioprof_file **ioprof_files_by_bytes(const struct ioprof_profile *profile);
/** Compares class and name of two functions, for qsort. */
int ioprof_by_function(const void *a, const void *b);

/** Sums over functions; bytes of reads and writes only. */
struct ioprof_cell ioprof_sum(const struct ioprof_profile *profile, enum ioprof_class class,
                              enum ioprof_kind kind);

/** Iterates over the events of a chunk in the order they were recorded. */
struct ioprof_events;
struct ioprof_events *ioprof_events_open(const struct ioprof_chunk *chunk);
int ioprof_events_next(struct ioprof_events *events, struct ioprof_event *event); /* 1, 0: end */
void ioprof_events_close(struct ioprof_events *events);
/** Calls `visit` for the events of all chunks. */
void ioprof_each_event(const struct ioprof_profile *profile, void *data,
                       void (*visit)(void *data, uint64_t rank, const struct ioprof_event *event));

/** The function of a bit of `functions`, "MPI_File_read_at" is bit 0; NULL past the last one. */
const char *ioprof_data_function(int bit);
const char *ioprof_class_name(uint64_t class);
const char *ioprof_kind_name(uint64_t kind);
/** The row of the time line of a kind, or -1; and the name of a row. */
int ioprof_bin_kind(uint64_t kind);
const char *ioprof_bin_name(int row);
const char *ioprof_node_name(int counter);
int ioprof_size_bucket(uint64_t bytes);

#endif /* IOPROF_PROFILE_PROFILE_H */
