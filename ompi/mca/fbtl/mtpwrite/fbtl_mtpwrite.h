/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FBTL_MTPWRITE_H
#define MCA_FBTL_MTPWRITE_H

#include "ompi/mca/common/collio/access/access.h"
#include "ompi/mca/common/collio/access/lockahead.h"
#include "ompi/mca/common/collio/compat/compat.h"
#include "ompi/mca/common/collio/settings/setting.h"
#include "ompi/mca/common/collio/view/request.h"
#include "ompi/mca/fbtl/fbtl.h"

/**
 * fbtl/mtpwrite: collio's file access for everything that is not a collective call of fcoll/overlap
 * or fcoll/tam. Individual reads and writes use entries of the per-file table; stock fcolls and
 * shared file pointers pass lists of pieces to the fbtl module. Both become jobs of
 * common/collio/access: Build-IO, packing, sieving, locks, threads, engines.
 *
 *   MPI_File_write        -> individual.c -+
 *   stock fcoll, sharedfp -> module.c -----+--> common/collio/access
 */
OMPI_DECLSPEC extern mca_fbtl_base_component_t mca_fbtl_mtpwrite_component;
extern mca_fbtl_base_module_t mca_fbtl_mtpwrite_module;

/** Parameters fbtl_mtpwrite_<name> and hints collio_<name>; the table in component.c describes
 *  each. */
typedef struct mca_fbtl_mtpwrite_settings_t {
    int priority;                        /* priority among the fbtl components */
    collio_tuning_t tuning;              /* settings for every access of the file */
    int sieve_write;                     /* sieving of writes: COLLIO_SETTING_AUTO, _ON or _OFF */
    int report;                          /* format of the report: collio_report_mode_t */
    char report_file[COLLIO_TEXT_BYTES]; /* file that reports are appended to; "": stderr */
} mca_fbtl_mtpwrite_settings_t;

/** The values of the parameters. */
extern mca_fbtl_mtpwrite_settings_t mca_fbtl_mtpwrite_settings;

/** Resolves the settings of a file: parameters, then hints. Makes AGREED settings the same on all
 *  ranks, and prints help texts. Collective over f_comm. */
void mca_fbtl_mtpwrite_settings_agree(ompio_file_t *fh, mca_fbtl_mtpwrite_settings_t *settings);
/** Stores the values in use for MPI_File_get_info. */
void mca_fbtl_mtpwrite_settings_publish(ompio_file_t *fh,
                                        const mca_fbtl_mtpwrite_settings_t *settings);

/** The record of an open handle, of an MPI file or of a shared file pointer. */
typedef struct mca_fbtl_mtpwrite_file_t {
    collio_access_t access;      /* how to access the file */
    collio_access_stats_t stats; /* counters of the file */
    collio_lockahead_covered_t
        covered; /* Lustre locks that were requested; under the file's lock */
} mca_fbtl_mtpwrite_file_t;

/** Returns the record of a handle: found, or made at the first transfer, because the descriptor is
 *  not open before. NULL: no memory. */
mca_fbtl_mtpwrite_file_t *mca_fbtl_mtpwrite_file_get(ompio_file_t *fh);
/** Frees the record of a handle, if there is one; the totals keep its counters. */
void mca_fbtl_mtpwrite_file_end(ompio_file_t *fh);
/** Sums the counters of all files of this process, including closed files. */
void mca_fbtl_mtpwrite_file_totals(collio_access_stats_t *totals);

/** Registers the performance variables fbtl_mtpwrite_*. */
void mca_fbtl_mtpwrite_pvars_register(void);
/** Prints the report of a file, from rank 0. Collective over f_comm. */
void mca_fbtl_mtpwrite_report(ompio_file_t *fh);

/** Puts collio's individual reads and writes in the table of an MPI file. */
void mca_fbtl_mtpwrite_individual_install(ompio_file_t *fh,
                                          const mca_fbtl_mtpwrite_settings_t *settings);
/** Removes the progress function of nonblocking individual calls. */
void mca_fbtl_mtpwrite_individual_close(void);

#endif /* MCA_FBTL_MTPWRITE_H */
