/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_OPEN_H
#define MCA_COMMON_COLLIO_OPEN_H

#include "access/common_collio_access.h"
#include "access/common_collio_lockahead.h"
#include "compat/common_collio_compat.h"
#include "file/common_collio_settings.h"
#include "hook/common_collio_handle.h"
#include "settings/common_collio_hints.h"
#include "view/common_collio_view.h"

#include "core/common_collio_hash.h"

/**
 * One way in for all components: `fits` tells whether this library and the Open MPI that is running
 * are those that the component was built with; close ends threads and tables with the last user.
 */

/** Of everything that a component and this library share: our version, the Open MPI of the build,
 *  the size of each struct that both know. Computed from the headers, so that a component and a
 *  library of different builds have different numbers. */
static inline uint64_t mca_common_collio_abi(void)
{
    static const char versions[] = COLLIO_VERSION "/" COLLIO_OPENMPI_VERSION;
    const size_t shared[] = {sizeof(mca_common_collio_access_t),
                             sizeof(mca_common_collio_access_stats_t),
                             sizeof(mca_common_collio_component_t),
                             sizeof(mca_common_collio_fact_t),
                             sizeof(mca_common_collio_flat_t),
                             sizeof(mca_common_collio_handle_t),
                             sizeof(mca_common_collio_hook_t),
                             sizeof(mca_common_collio_job_t),
                             sizeof(mca_common_collio_lockahead_covered_t),
                             sizeof(mca_common_collio_lockahead_t),
                             sizeof(mca_common_collio_outcome_t),
                             sizeof(mca_common_collio_segment_t),
                             sizeof(mca_common_collio_setting_t),
                             sizeof(mca_common_collio_settings_set_t),
                             sizeof(mca_common_collio_settings_t),
                             sizeof(mca_common_collio_stage_t),
                             sizeof(mca_common_collio_stats_t),
                             sizeof(mca_common_collio_tiling_t),
                             offsetof(mca_common_collio_component_t, set),
                             offsetof(mca_common_collio_component_t, stats),
                             offsetof(mca_common_collio_hook_t, flats),
                             offsetof(mca_common_collio_job_t, outcome),
                             offsetof(mca_common_collio_lockahead_t, request),
                             sizeof(ompio_file_t),
                             offsetof(ompio_file_t, f_comm),
                             offsetof(ompio_file_t, f_fs_ptr),
                             offsetof(ompio_file_t, f_info),
                             sizeof(ompi_file_t),
                             offsetof(ompi_file_t, f_io_selected_module),
                             offsetof(ompi_communicator_t, c_coll)};

    return mca_common_collio_hash(
        mca_common_collio_hash(MCA_COMMON_COLLIO_HASH_BASIS, versions, sizeof(versions)), shared,
        sizeof(shared));
}

/** The first thing a component calls, in its register function, before any struct passes between it
 *  and this library. `name` is "fcoll/overlap", `version` COLLIO_VERSION, `abi` the component's own
 *  mca_common_collio_abi(). Refuses (OMPI_ERR_NOT_AVAILABLE, with one line) a library of another
 *  build, or an Open MPI that the build does not fit. */
int mca_common_collio_fits(const char *name, const char *version, uint64_t abi);
#define MCA_COMMON_COLLIO_FITS(name) \
    mca_common_collio_fits(name, COLLIO_VERSION, mca_common_collio_abi())

/** Component open and close. */
void mca_common_collio_open(void);
void mca_common_collio_close(void);

#endif /* MCA_COMMON_COLLIO_OPEN_H */
