/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Counters of individual access: the MPI_T performance variables fbtl_mtpwrite_* and the report of
 * one file at close.
 */
#include "ompio/individual.h"

/* The counters: X(name, field of collio_access_stats_t, unit, help). */
#define COUNTERS(X)                                                                            \
    X(time_build, build_ns, TIME,                                                              \
      "time of Build-IO: matching memory with file pieces, and packing")                       \
    X(time_access, access_ns, TIME, "time of all threads inside system calls that move data")  \
    X(time_write, moving_ns[true], TIME, "time of all threads inside system calls that write") \
    X(time_read, moving_ns[false], TIME, "time of all threads inside system calls that read")  \
    X(calls_write, calls[true], COUNT, "requests to this component that wrote")                \
    X(calls_read, calls[false], COUNT, "requests to this component that read")                 \
    X(bytes_written, bytes[true], BYTES, "data written by requests to this component")         \
    X(bytes_read, bytes[false], BYTES, "data read by requests to this component")              \
    X(pieces_in, pieces_in, COUNT,                                                             \
      "pieces of requests to this component, before adjacent ones are joined")                 \
    X(pieces_out, pieces_out, COUNT,                                                           \
      "transfers to or from the file, after joining, packing and sieving")                     \
    X(syscalls, syscalls, COUNT, "system calls that moved data")                               \
    X(copied_bytes, copied_bytes, BYTES, "data copied through staging or sieve buffers")       \
    X(sieve_windows, sieve_windows, COUNT, "ranges with holes that were sieved")               \
    X(sieve_declined, sieve_declined, COUNT, "ranges with holes that were not sieved")         \
    X(locks, locks, COUNT, "byte-range locks taken")                                           \
    X(retries, retries, COUNT, "short, interrupted or refused transfers that were continued")  \
    X(method_vector, method_used[COLLIO_METHOD_VECTOR], COUNT,                                 \
      "requests that used vectors (preadv, pwritev)")                                          \
    X(method_pack, method_used[COLLIO_METHOD_PACK], COUNT,                                     \
      "requests that were packed into staging buffers")                                        \
    X(method_direct, method_used[COLLIO_METHOD_DIRECT], COUNT,                                 \
      "requests with one system call per piece")                                               \
    X(submitted_threads, submitted[COLLIO_ENGINE_THREADS], COUNT,                              \
      "nonblocking transfers given to the threads")                                            \
    X(submitted_libaio, submitted[COLLIO_ENGINE_LIBAIO], COUNT,                                \
      "nonblocking transfers given to libaio")                                                 \
    X(submitted_io_uring, submitted[COLLIO_ENGINE_IO_URING], COUNT,                            \
      "nonblocking transfers given to io_uring")

enum {
#define X(name, field, unit, help) AT_##name,
    COUNTERS(X)
#undef X
        COUNTER_COUNT
};

#define X(name, field, unit, help)                                                               \
    COLLIO_COUNTER(#name, unit, help, offsetof(collio_access_stats_t, field) / sizeof(uint64_t), \
                   false),
static const collio_counter_t list[] = {COUNTERS(X)};
#undef X

collio_counters_t collio_individual_counters = {.component = "fbtl/mtpwrite",
                                                .list = list,
                                                .count = COUNTER_COUNT,
                                                .tables = 1,
                                                .table_name = {"access"},
                                                .traffic_name = {"write", "read"}};

/* Names the threads of a request and the cores of rank 0, on which they run. */
static void add_threads(collio_record_t *record, const collio_individual_t *file)
{
    int threads = NULL == file ? 0 : file->access.tuning.threads;
    char list[128];

    if (1 < threads) {
        collio_cores_format(collio_pool_cores(), list, sizeof(list));
        collio_text_add(&record->about, "  threads       %d on cores %s\n", threads, list);
        collio_text_add(&record->json, ",\"threads\":%d,\"cores\":\"%s\"", threads, list);
    }
}

/* There is no report of a file that was not accessed. */
static bool counters_describe(collio_record_t *record, const void *file,
                              const collio_counted_t *all)
{
    record->traffic[0] = (collio_traffic_t){all[AT_calls_write].sum, all[AT_bytes_written].sum,
                                            all[AT_time_write].most};
    record->traffic[1] = (collio_traffic_t){all[AT_calls_read].sum, all[AT_bytes_read].sum,
                                            all[AT_time_read].most};
    add_threads(record, file);
    return 0 < all[AT_pieces_in].sum;
}

void collio_individual_report(ompio_file_t *fh, int mode, const char *path)
{
    const collio_individual_t *file;

    if (NULL == fh->f_comm || MPI_COMM_NULL == fh->f_comm || NULL == fh->f_comm->c_coll) {
        return; /* the file was never open */
    }
    file = collio_individual_get(fh);
    collio_counters_report(
        &collio_individual_counters,
        &(collio_report_t){.fh = fh,
                           .comm = fh->f_comm,
                           .values = NULL == file ? NULL : (const uint64_t *) &file->stats,
                           .mode = mode,
                           .path = path,
                           .owner = file,
                           .describe = counters_describe});
}
