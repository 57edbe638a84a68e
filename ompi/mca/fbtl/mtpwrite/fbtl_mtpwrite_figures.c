/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures: the MPI_T performance variables fbtl_mtpwrite_* (all files of the process, live) and the
 * report of one file at close (sums over its ranks). One table names them for both.
 */
#include "fbtl_mtpwrite_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "opal/mca/base/mca_base_pvar.h"
#include "opal/util/output.h"

struct figure {
    const char *name;
    size_t offset; /* in the stats */
    bool time;
    const char *help;
};

#define AT(field) offsetof(mca_common_collio_access_stats_t, field)

static const struct figure figures[] = {
    {"time_build", AT(build_ns), true, "Build-IO: matching memory with file pieces, and packing"},
    {"time_access", AT(access_ns), true, "inside system calls, of all threads"},
    {"bytes_written", AT(bytes_written), false, "bytes written for callers"},
    {"bytes_read", AT(bytes_read), false, "bytes read for callers"},
    {"pieces_in", AT(pieces_in), false, "pieces of requests, before joining"},
    {"pieces_out", AT(pieces_out), false, "transfers, after joining, packing and sieving"},
    {"syscalls", AT(syscalls), false, "system calls that moved data"},
    {"copied_bytes", AT(copied_bytes), false, "bytes copied through staging or sieve buffers"},
    {"sieve_windows", AT(sieve_windows), false, "windows that were sieved"},
    {"sieve_declined", AT(sieve_declined), false, "windows with holes that were not"},
    {"locks", AT(locks), false, "byte-range locks taken"},
    {"retries", AT(retries), false, "short, interrupted or refused transfers that were continued"},
    {"method_vector", AT(method_used[MCA_COMMON_COLLIO_METHOD_VECTOR]), false,
     "requests that went as vectors"},
    {"method_pack", AT(method_used[MCA_COMMON_COLLIO_METHOD_PACK]), false,
     "requests that were packed"},
    {"method_direct", AT(method_used[MCA_COMMON_COLLIO_METHOD_DIRECT]), false,
     "requests that went piece by piece, or were one piece"},
    {"submitted_threads", AT(submitted[MCA_COMMON_COLLIO_ENGINE_THREADS]), false,
     "nonblocking transfers given to the threads"},
    {"submitted_libaio", AT(submitted[MCA_COMMON_COLLIO_ENGINE_LIBAIO]), false,
     "nonblocking transfers given to libaio"},
    {"submitted_io_uring", AT(submitted[MCA_COMMON_COLLIO_ENGINE_IO_URING]), false,
     "nonblocking transfers given to io_uring"},
};
enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

static uint64_t value_of(const mca_common_collio_access_stats_t *stats, const struct figure *figure)
{
    return *(const uint64_t *) ((const char *) stats + figure->offset);
}

static int get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    mca_common_collio_access_stats_t totals;

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
            figures[i].time ? MCA_BASE_PVAR_CLASS_TIMER : MCA_BASE_PVAR_CLASS_COUNTER,
            MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
            MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, get_value, NULL, NULL,
            (void *) &figures[i]);
    }
}

static void print_report(ompio_file_t *fh, const mca_common_collio_access_stats_t *sum)
{
    char text[4096];
    size_t used = 0;

    for (size_t i = 0; i < FIGURES && used < sizeof(text); ++i) {
        uint64_t value = value_of(sum, &figures[i]);

        if (figures[i].time) {
            used += (size_t) snprintf(text + used, sizeof(text) - used, "\n  %-20s %16.6f s  %s",
                                      figures[i].name, (double) value * 1e-9, figures[i].help);
        } else {
            used += (size_t) snprintf(text + used, sizeof(text) - used,
                                      "\n  %-20s %16" PRIu64 "    %s", figures[i].name, value,
                                      figures[i].help);
        }
    }
    opal_output(0, "fbtl/mtpwrite: %s: individual access, sums over %d ranks%s", fh->f_filename,
                fh->f_size, text);
}

void mca_fbtl_mtpwrite_report(ompio_file_t *fh, void *unused)
{
    mca_fbtl_mtpwrite_file_t *file;
    mca_common_collio_access_stats_t mine = {0}, sum = {0};

    (void) unused;
    if (NULL == fh->f_comm || MPI_COMM_NULL == fh->f_comm || NULL == fh->f_comm->c_coll) {
        return; /* the file was never open */
    }
    file = mca_fbtl_mtpwrite_file_get(fh);
    if (NULL != file) {
        mine = file->stats;
    }
    fh->f_comm->c_coll->coll_allreduce(&mine, &sum, (int) (sizeof(mine) / sizeof(uint64_t)),
                                       MPI_UINT64_T, MPI_SUM, fh->f_comm,
                                       fh->f_comm->c_coll->coll_allreduce_module);
    if (0 == fh->f_rank && 0 < sum.pieces_in) { /* nothing to tell of files that were left alone */
        print_report(fh, &sum);
    }
}
