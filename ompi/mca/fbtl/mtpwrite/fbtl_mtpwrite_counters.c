/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: the MPI_T performance variables fbtl_mtpwrite_* (all files of the process, current) and
 * the report of one file at close. One table serves both.
 */
#include "fbtl_mtpwrite.h"

#include "ompi/mca/common/collio/report/report_out.h"

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

#define X(name, field, unit, help) COLLIO_COUNTER(#name, unit, help),
static const collio_counter_t list[] = {COUNTERS(X)};
#undef X

static uint64_t value_of(const collio_access_stats_t *stats, int counter)
{
#define X(name, field, unit, help) offsetof(collio_access_stats_t, field),
    static const size_t offset[] = {COUNTERS(X)};
#undef X

    return *(const uint64_t *) ((const char *) stats + offset[counter]);
}

static int counters_get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    collio_access_stats_t totals;

    (void) object;
    collio_individual_totals(&totals);
    *(unsigned long long *) value = value_of(&totals,
                                             (int) ((const collio_counter_t *) pvar->ctx - list));
    return OPAL_SUCCESS;
}

void mca_fbtl_mtpwrite_pvars_register(void)
{
    for (int i = 0; i < COUNTER_COUNT; ++i) {
        collio_counter_register(&list[i], counters_get_value, (void *) &list[i],
                                &mca_fbtl_mtpwrite_component.fbtlm_version);
    }
}

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

static void print_report(const ompio_file_t *fh, const collio_individual_t *file,
                         const collio_counted_t *counted)
{
    collio_table_t section = {"access", counted, COUNTER_COUNT};
    collio_record_t record = {
        .component = "fbtl/mtpwrite",
        .path = fh->f_filename,
        .ranks = fh->f_size,
        .traffic_name = {"write", "read"},
        .traffic = {{counted[AT_calls_write].sum, counted[AT_bytes_written].sum,
                     counted[AT_time_write].most},
                    {counted[AT_calls_read].sum, counted[AT_bytes_read].sum,
                     counted[AT_time_read].most}},
        .section = &section,
        .sections = 1};

    add_threads(&record, file);
    collio_report_print(&record, mca_fbtl_mtpwrite_settings.report,
                        mca_fbtl_mtpwrite_settings.report_file);
    collio_text_fini(&record.about);
    collio_text_fini(&record.json);
}

void mca_fbtl_mtpwrite_report(ompio_file_t *fh)
{
    uint64_t mine[COUNTER_COUNT] = {0};
    collio_counted_t counted[COUNTER_COUNT];
    const collio_individual_t *file;

    if (NULL == fh->f_comm || MPI_COMM_NULL == fh->f_comm || NULL == fh->f_comm->c_coll) {
        return; /* the file was never open */
    }
    file = collio_individual_get(fh);
    for (int i = 0; NULL != file && i < COUNTER_COUNT; ++i) {
        mine[i] = value_of(&file->stats, i);
    }
    if (collio_report_reduce(fh->f_comm, "fbtl/mtpwrite", list, COUNTER_COUNT, mine, COUNTER_COUNT,
                             counted)
        && 0 == fh->f_rank
        && 0 < counted[AT_pieces_in].sum) { /* no report on files that were not accessed */
        print_report(fh, file, counted);
    }
}
