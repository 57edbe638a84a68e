/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * fbtl/mtpwrite: the face of collio's file access for everything that is not one of our fcolls:
 * individual reads and writes (blocking, explicit-offset, nonblocking), shared file pointers, and
 * the stock fcolls' lists of pieces.
 *
 *   MPI_File_write      -> individual.c -+
 *   stock fcoll, sharedfp -> module.c ---+--> common/collio: Build-IO, packing, sieving, locks,
 *                                             threads, engines
 */
#include "fbtl_mtpwrite_internal.h"

#include "ompi/mca/common/collio/compat/verbose.h"
#include "ompi/mca/common/collio/ompio/named.h"
#include "ompi/mca/common/collio/ompio/open.h"

#include "ompi/mca/fbtl/base/base.h"

static int register_component(void)
{
    int rc = COLLIO_FITS("fbtl/mtpwrite");

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    mca_fbtl_mtpwrite_pvars_register();
    return mca_fbtl_mtpwrite_settings_register();
}

static int close_component(void)
{
    mca_fbtl_mtpwrite_request_close();
    mca_fbtl_mtpwrite_settings_deregister();
    return collio_close();
}

/* A component of ours that the user has asked for serves the file. */
static bool hints_are_ours(void)
{
    return collio_asked_for(&ompi_fbtl_base_framework, "mtpwrite",
                            mca_fbtl_mtpwrite_settings.priority, MCA_FBTL_MTPWRITE_PRIORITY_DEFAULT)
           || collio_fcoll_is_chosen();
}

/* Declines file systems without descriptors. With `--mca fcoll overlap` the hints are checked here,
 * whichever fbtl is selected: OMPIO divides by cb_nodes before it selects an fcoll. */
static mca_fbtl_base_module_t *file_query(ompio_file_t *fh, int *priority)
{
    if (hints_are_ours()) {
        collio_hints_check(fh->f_info);
    }
    if (NONE != fh->f_fstype && UFS != fh->f_fstype && LUSTRE != fh->f_fstype) {
        COLLIO_SHOW_ROOT(fbtl, SELECT, fh,
                         "fbtl/mtpwrite: %s: not available: OMPIO's file system type "
                         "is %d",
                         fh->f_filename, (int) fh->f_fstype);
        return NULL;
    }
    *priority = mca_fbtl_mtpwrite_settings.priority;
    COLLIO_SHOW_ROOT(fbtl, SELECT, fh, "fbtl/mtpwrite: %s: available, priority %d", fh->f_filename,
                     *priority);
    return &mca_fbtl_mtpwrite_module;
}

mca_fbtl_base_component_t mca_fbtl_mtpwrite_component = {
    .fbtlm_version = COLLIO_COMPONENT(MCA_FBTL_BASE_VERSION_2_0_0, "mtpwrite", register_component,
                                      collio_open, close_component),
    .fbtlm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .fbtlm_init_query = collio_init_query,
    .fbtlm_file_query = file_query,
    .fbtlm_file_unquery = collio_file_unquery,
};
