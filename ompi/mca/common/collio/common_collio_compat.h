/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_COMPAT_H
#define MCA_COMMON_COLLIO_COMPAT_H

/** All differences between Open MPI 4.1, 5.0 and 6.0 live here; no version test elsewhere. */

#include "ompi_config.h"

#include "collio_config.h"

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/file/file.h"
#include "ompi/mca/common/ompio/common_ompio.h"
#include "ompi/mca/fbtl/fbtl.h"
#include "ompi/mca/fcoll/fcoll.h"
#include "ompi/mca/io/io.h"
#include "opal/util/info.h"

#if OMPI_MAJOR_VERSION >= 6
#    define MCA_COMMON_COLLIO_FCOLL_VERSION MCA_FCOLL_BASE_VERSION_3_0_0
#    define MCA_COMMON_COLLIO_FVIEW(fh)     ((fh)->f_fview)
typedef size_t mca_common_collio_count_t; /* count argument of fcoll and io functions */
typedef mca_io_base_module_3_0_0_t mca_common_collio_io_table_t;
#    define MCA_COMMON_COLLIO_IO_TABLE(file) ((file)->f_io_selected_module.v3_0_0)
#    define MCA_COMMON_COLLIO_IO_VERSION     MCA_IO_BASE_V_3_0_0
#else
#    define MCA_COMMON_COLLIO_FCOLL_VERSION MCA_FCOLL_BASE_VERSION_2_0_0
#    define MCA_COMMON_COLLIO_FVIEW(fh)     (*(fh))
typedef int mca_common_collio_count_t;
typedef mca_io_base_module_2_0_0_t mca_common_collio_io_table_t;
#    define MCA_COMMON_COLLIO_IO_TABLE(file) ((file)->f_io_selected_module.v2_0_0)
#    define MCA_COMMON_COLLIO_IO_VERSION     MCA_IO_BASE_V_2_0_0
#endif

/* a prepared convertor's buffer lies on a device, and the host cannot reach it */
#ifdef CONVERTOR_ACCELERATOR
#    define MCA_COMMON_COLLIO_ON_DEVICE(convertor)         \
        (((convertor)->flags & CONVERTOR_ACCELERATOR)      \
         && !((convertor)->flags & CONVERTOR_ACCELERATOR_UNIFIED))
#else
#    define MCA_COMMON_COLLIO_ON_DEVICE(convertor) \
        (((convertor)->flags & CONVERTOR_CUDA) && !((convertor)->flags & CONVERTOR_CUDA_UNIFIED))
#endif

/* Debian's builds export the table of MPI files, upstream's hide it: configure looks. */
#if !defined(COLLIO_HAVE_OMPI_FILE_F_TO_C_TABLE) || COLLIO_HAVE_OMPI_FILE_F_TO_C_TABLE
#    define MCA_COMMON_COLLIO_HAVE_FILE_TABLE 1
#else
#    define MCA_COMMON_COLLIO_HAVE_FILE_TABLE 0
#endif

/* the fbtl module tells whether atomic mode works */
#define MCA_COMMON_COLLIO_HAVE_CHECK_ATOMICITY (OMPI_MAJOR_VERSION >= 5)

/** A hint's value; false if it is not set (or does not fit). */
static inline bool mca_common_collio_hint_get(opal_info_t *info, const char *key, char *value,
                                              size_t size)
{
    int found = 0;

    if (NULL == info) {
        return false;
    }
#if OMPI_MAJOR_VERSION >= 5
    opal_cstring_t *text = NULL;

    if (OPAL_SUCCESS != opal_info_get(info, key, &text, &found) || !found) {
        return false;
    }
    found = strlen(text->string) < size;
    if (found) {
        strcpy(value, text->string);
    }
    OBJ_RELEASE(text);
#else
    if (OPAL_SUCCESS != opal_info_get(info, key, (int) size - 1, value, &found)) {
        return false;
    }
#endif
    return 0 != found;
}

#endif /* MCA_COMMON_COLLIO_COMPAT_H */
