/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_BENCH_H
#define COLLIO_BENCH_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * collio_bench: the I/O kernels of the field as one MPI program.
 *
 *   kernel (kernel_*.c)   options -> plan: which bytes of the file this rank has, call by call
 *   run.c                 plan -> MPI-IO calls (or plain pwrite/pread for the limit), timed
 *   content.c             every byte of the file is a function of its offset: fill, check
 *   report.c, pvars.c     one JSON line per phase
 *
 * A kernel says the same thing twice, in two independent ways: as an MPI file type, built as the
 * real program builds it, and as a list of pieces, computed by plain loops. The bytes come from
 * the pieces and the file from the type, so a mistake in either is found by the check, which
 * reads the file with pread and knows nothing of ranks.
 */

enum { BENCH_MAX_DIMS = 4, BENCH_MAX_HINTS = 16 };

typedef enum bench_api_t { BENCH_API_MPI, BENCH_API_LIMIT } bench_api_t;

typedef struct bench_options_t {
    const char *kernel;
    const char *dir;
    const char *label;
    const char *decomposition; /* e3sm: a file of PIO */
    bench_api_t api;
    bool do_write;
    bool do_read;
    bool check;
    bool keep;
    bool sync;
    bool one_view; /* ior: all transfers of a step in one call, through a file view */
    bool packed;   /* flash: no guard cells around the blocks in memory */
    bool progress;
    bool one_shot;   /* a step is open, its calls, close */
    bool fresh;      /* one-shot writes: the file does not exist yet */
    bool new_types;  /* each step has memory types that nobody has seen before */
    int outstanding; /* nonblocking calls under way at a time; 0: blocking calls */
    int steps;
    int level;
    int64_t size; /* bytes of a step over all ranks, about */
    int64_t grid[BENCH_MAX_DIMS];
    int grid_dims;
    int64_t tile[2];
    int64_t elem;
    int64_t transfer;
    int64_t calls;
    int64_t vars;
    int64_t blocks;
    uint64_t seed;
    const char *hints[BENCH_MAX_HINTS];
    int hint_count;
    const char *read_hint;
    const char *node_hint; /* key=value,value,...: one for each node */
} bench_options_t;

/** One contiguous piece of the file; offsets are relative to the call's base. */
typedef struct bench_piece_t {
    int64_t offset;
    int64_t length;
} bench_piece_t;

/** One collective call of a step, as this rank sees it. */
typedef struct bench_call_t {
    int64_t base;           /* start of the variable within the step */
    MPI_Datatype file_type; /* MPI_DATATYPE_NULL: contiguous, at an explicit offset */
    bench_piece_t *pieces;  /* in file order, which is also the order in memory */
    int64_t count;
    int64_t bytes;
    MPI_Datatype mem_type; /* MPI_DATATYPE_NULL: contiguous memory */
    int64_t *mem_rows;     /* else: start of each row, relative to mem_base */
    int64_t mem_row_bytes;
    int64_t mem_base; /* start of this call's data in the step's buffer */
    int64_t mem_extent;
} bench_call_t;

/** What a kernel makes of the options: the work of one time step on this rank. */
typedef struct bench_plan_t {
    char shape[160]; /* one line for people */
    bool view;       /* calls have file types: set a view; else explicit offsets */
    MPI_Datatype etype;
    bench_call_t *calls;
    int call_count;
    int64_t step_bytes; /* over all ranks: the steps follow each other in the file */
    int64_t my_bytes;
    int64_t my_pieces;
    int64_t buffer_bytes;
} bench_plan_t;

typedef struct bench_kernel_t {
    const char *name;
    const char *what;
    void (*build)(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
} bench_kernel_t;

/** The kernels, ended by an entry without a name. */
extern const bench_kernel_t bench_kernels[];

/* One per kernel_*.c; shapes are described in those files. */
void bench_ior_segmented(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_ior_interleaved(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_tile(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_btio(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_s3d(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_e3sm_f(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_e3sm_g(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_e3sm(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_flash(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_dist3d(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_coll_perf(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_lattice(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_unstruc(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);
void bench_types(const bench_options_t *opt, int rank, int ranks, bench_plan_t *plan);

/* options.c */
void bench_options_parse(int argc, char **argv, bench_options_t *opt);

/* plan.c: what several kernels need */
void *bench_alloc(int64_t bytes);
void bench_plan_calls(bench_plan_t *plan, int count);
void bench_call_piece(bench_call_t *call, int64_t *room, int64_t offset, int64_t length);
void bench_plan_finish(bench_plan_t *plan);
void bench_plan_free(bench_plan_t *plan);

/** Turns plan into the limit: one contiguous piece per rank, one after the other. */
void bench_plan_limit(bench_plan_t *plan, MPI_Comm comm);

/** Rows of a block of an array, slowest dimension first, as pieces of call, joined where they
 *  touch. */
void bench_block_pieces(bench_call_t *call, int dims, const int64_t *whole, const int64_t *start,
                        const int64_t *part, int64_t elem_bytes);

/** The same block as an MPI type: elements of elem_bytes, C order. */
MPI_Datatype bench_block_type(int dims, const int64_t *whole, const int64_t *start,
                              const int64_t *part, int64_t elem_bytes);

/** One file type from many (length, offset) pieces, as PnetCDF's flush builds it. */
MPI_Datatype bench_pieces_type(const bench_call_t *call);

/** Makes a call's memory type anew, from its rows. */
void bench_renew_mem_type(bench_call_t *call);

/** The n-th root of a, rounded down, at least 1. */
int64_t bench_root(int64_t a, int n);

/** A 64-bit mix of its input: the only random source, so that every rank sees the same. */
uint64_t bench_mix(uint64_t x);

/* content.c */
void bench_fill(char *at, int64_t offset, int64_t length, uint64_t seed);
int64_t bench_check(const char *at, int64_t offset, int64_t length, uint64_t seed);

/** Calls visit for every stretch that is contiguous in memory and in the file. */
typedef void (*bench_visit_t)(void *arg, char *mem, int64_t offset, int64_t length);
void bench_walk(const bench_call_t *call, char *buffer, bench_visit_t visit, void *arg);

/** Every rank checks its share of the file with pread. Returns the number of bad bytes, all
 *  ranks; says where the first one is. */
int64_t bench_verify_file(const char *path, int64_t bytes, uint64_t seed, MPI_Comm comm);

/** Every rank writes its share of the file with pwrite: for runs that only read. */
void bench_create_file(const char *path, int64_t bytes, uint64_t seed, MPI_Comm comm);

/* pvars.c */
typedef struct bench_pvars_t bench_pvars_t;

/** Finds the variables of our components, which exist once a file was opened. */
bench_pvars_t *bench_pvars_open(MPI_File file, MPI_Comm comm);

/** Takes what changed since open, over all ranks; before the file is closed (collective). */
void bench_pvars_read(bench_pvars_t *pv, MPI_Comm comm);

/** Adds it to the JSON object that is being printed; rank 0. */
void bench_pvars_print(const bench_pvars_t *pv);
void bench_pvars_close(bench_pvars_t *pv);

/* run.c */
typedef struct bench_result_t {
    const char *phase;
    double *step_seconds; /* first rank's start to last rank's end */
    double view_seconds;  /* MPI_File_set_view, all steps, slowest rank */
    double open_seconds;  /* one-shot: these three are means over the steps */
    double call_seconds;
    double close_seconds;
    double cpu_seconds; /* processor time of this rank in its steps */
    int64_t bad_bytes;
    int64_t rss_kib; /* this rank's peak in the phase */
    int64_t rss_extra_kib;
    bench_pvars_t *pvars;
} bench_result_t;

void bench_run(const bench_options_t *opt, bench_plan_t *plan, MPI_Comm comm);

/* report.c */
void bench_report(const bench_options_t *opt, const bench_plan_t *plan, bench_result_t *res,
                  MPI_Comm comm);

/** Prints a line on standard error and ends the job. */
void bench_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/** Ends the job with the MPI error's own text. */
void bench_mpi(int code, const char *what);

#endif
