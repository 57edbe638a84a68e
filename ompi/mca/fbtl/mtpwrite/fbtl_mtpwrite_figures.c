/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters: the MPI_T performance variables fbtl_mtpwrite_* (all files of the process, current) and
 * the report of one file at close. One table serves both.
 */
#include "fbtl_mtpwrite.h"

#include "ompi/mca/common/collio/report/report_out.h"

#include "opal/mca/base/mca_base_pvar.h"

struct figure {
    const char *name;   /* name without "fbtl_mtpwrite_" */
    size_t offset;      /* offset of the counter in collio_access_stats_t */
    collio_unit_t unit; /* unit of the counter */
    const char *help;   /* description for ompi_info */
};

#define NS(name, field, help)                                                               \
    {                                                                                       \
        name, offsetof(collio_access_stats_t, field), COLLIO_UNIT_NS, help " [nanoseconds]" \
    }
#define BYTES(name, field, help)                                                         \
    {                                                                                    \
        name, offsetof(collio_access_stats_t, field), COLLIO_UNIT_BYTES, help " [bytes]" \
    }
#define COUNT(name, field, help)                                                         \
    {                                                                                    \
        name, offsetof(collio_access_stats_t, field), COLLIO_UNIT_COUNT, help " [count]" \
    }

static const struct figure figures[] = {
    NS("time_build", build_ns, "time of Build-IO: matching memory with file pieces, and packing"),
    NS("time_access", access_ns, "time of all threads inside system calls that move data"),
    NS("time_write", write_ns, "time of all threads inside system calls that write"),
    NS("time_read", read_ns, "time of all threads inside system calls that read"),
    COUNT("calls_write", calls_write, "requests to this component that wrote"),
    COUNT("calls_read", calls_read, "requests to this component that read"),
    BYTES("bytes_written", bytes_written, "data written by requests to this component"),
    BYTES("bytes_read", bytes_read, "data read by requests to this component"),
    COUNT("pieces_in", pieces_in,
          "pieces of requests to this component, before adjacent ones are joined"),
    COUNT("pieces_out", pieces_out,
          "transfers to or from the file, after joining, packing and sieving"),
    COUNT("syscalls", syscalls, "system calls that moved data"),
    BYTES("copied_bytes", copied_bytes, "data copied through staging or sieve buffers"),
    COUNT("sieve_windows", sieve_windows, "ranges with holes that were sieved"),
    COUNT("sieve_declined", sieve_declined, "ranges with holes that were not sieved"),
    COUNT("locks", locks, "byte-range locks taken"),
    COUNT("retries", retries, "short, interrupted or refused transfers that were continued"),
    COUNT("method_vector", method_used[COLLIO_METHOD_VECTOR],
          "requests that used vectors (preadv, pwritev)"),
    COUNT("method_pack", method_used[COLLIO_METHOD_PACK],
          "requests that were packed into staging buffers"),
    COUNT("method_direct", method_used[COLLIO_METHOD_DIRECT],
          "requests with one system call per piece"),
    COUNT("submitted_threads", submitted[COLLIO_ENGINE_THREADS],
          "nonblocking transfers given to the threads"),
    COUNT("submitted_libaio", submitted[COLLIO_ENGINE_LIBAIO],
          "nonblocking transfers given to libaio"),
    COUNT("submitted_io_uring", submitted[COLLIO_ENGINE_IO_URING],
          "nonblocking transfers given to io_uring"),
};
enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

static uint64_t value_of(const collio_access_stats_t *stats, const struct figure *figure)
{
    return *(const uint64_t *) ((const char *) stats + figure->offset);
}

static int get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    collio_access_stats_t totals;

    (void) object;
    mca_fbtl_mtpwrite_file_totals(&totals);
    *(unsigned long long *) value = value_of(&totals, pvar->ctx);
    return OPAL_SUCCESS;
}

void mca_fbtl_mtpwrite_pvars_register(void)
{
    for (size_t i = 0; i < FIGURES; ++i) {
        (void) mca_base_component_pvar_register(
            &mca_fbtl_mtpwrite_component.fbtlm_version, figures[i].name, figures[i].help,
            OPAL_INFO_LVL_5,
            COLLIO_UNIT_NS == figures[i].unit ? MCA_BASE_PVAR_CLASS_TIMER
                                              : MCA_BASE_PVAR_CLASS_COUNTER,
            MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
            MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, get_value, NULL, NULL,
            (void *) &figures[i]);
    }
}

static void print_report(const ompio_file_t *fh, const mca_fbtl_mtpwrite_settings_t *settings,
                         const collio_access_stats_t *least, const collio_access_stats_t *most,
                         const collio_access_stats_t *sum)
{
    collio_figure_t row[FIGURES];
    collio_table_t section = {"access", row, FIGURES};
    collio_record_t record = {.component = "fbtl/mtpwrite",
                              .path = fh->f_filename,
                              .ranks = fh->f_size,
                              .traffic_name = {"write", "read"},
                              .traffic = {{sum->calls_write, sum->bytes_written, most->write_ns},
                                          {sum->calls_read, sum->bytes_read, most->read_ns}},
                              .section = &section,
                              .sections = 1};

    for (int i = 0; i < FIGURES; ++i) {
        row[i] = (collio_figure_t){figures[i].name, figures[i].unit, value_of(least, &figures[i]),
                                   value_of(most, &figures[i]), value_of(sum, &figures[i])};
    }
    collio_report_print(&record, settings->report, settings->report_file);
}

void mca_fbtl_mtpwrite_report(ompio_file_t *fh, void *unused)
{
    enum { WORDS = sizeof(collio_access_stats_t) / sizeof(uint64_t) };
    collio_access_stats_t mine = {0}, least, most, sum;
    mca_fbtl_mtpwrite_file_t *file;

    (void) unused;
    if (NULL == fh->f_comm || MPI_COMM_NULL == fh->f_comm || NULL == fh->f_comm->c_coll) {
        return; /* the file was never open */
    }
    file = mca_fbtl_mtpwrite_file_get(fh);
    if (NULL != file) {
        mine = file->stats;
    }
    if (collio_report_reduce(fh->f_comm, "fbtl/mtpwrite", (const uint64_t *) &mine, WORDS,
                             (uint64_t *) &least, (uint64_t *) &most, (uint64_t *) &sum)
        && 0 == fh->f_rank && 0 < sum.pieces_in) { /* no report on files that were not accessed */
        print_report(fh, &mca_fbtl_mtpwrite_settings, &least, &most, &sum);
    }
}
