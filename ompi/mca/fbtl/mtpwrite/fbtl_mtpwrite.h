/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FBTL_MTPWRITE_H
#define MCA_FBTL_MTPWRITE_H

#include "ompi/mca/common/collio/access/access.h"
#include "ompi/mca/common/collio/compat/compat.h"
#include "ompi/mca/common/collio/ompio/individual.h"
#include "ompi/mca/common/collio/settings/setting.h"
#include "ompi/mca/fbtl/fbtl.h"

/**
 * fbtl/mtpwrite: collio's file access for everything that is not a collective call of fcoll/overlap
 * or fcoll/tam. Individual reads and writes use entries of the per-file table; stock fcolls and
 * shared file pointers pass lists of pieces to the fbtl module. Both become jobs of
 * common/collio/access: Build-IO, packing, sieving, locks, threads, engines.
 *
 *   MPI_File_write        -> common/collio/ompio/individual.c -+
 *   stock fcoll, sharedfp -> module.c -------------------------+--> common/collio/access
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
/** Verbose level 1: the component serves the file. */
void mca_fbtl_mtpwrite_show_selected(const ompio_file_t *fh);

/** Resolves the settings of a file: parameters, then hints. Makes AGREED settings the same on all
 *  ranks, and prints help texts. Collective over f_comm. */
void mca_fbtl_mtpwrite_settings_agree(ompio_file_t *fh, mca_fbtl_mtpwrite_settings_t *settings);
/** Stores the values in use for MPI_File_get_info. */
void mca_fbtl_mtpwrite_settings_publish(ompio_file_t *fh,
                                        const mca_fbtl_mtpwrite_settings_t *settings);

#endif /* MCA_FBTL_MTPWRITE_H */
