/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_OPEN_H
#define COLLIO_OPEN_H

#include "access/access.h"
#include "access/lockahead.h"
#include "compat/compat.h"
#include "file/settings.h"
#include "hook/handle.h"
#include "ompio/individual.h"
#include "settings/hints.h"
#include "view/request.h"

#include "core/hash.h"

/**
 * The entry to the library for all components. collio_fits checks that the component was built with
 * this library and with the running Open MPI. The last close ends threads and frees tables.
 */

/** Returns a hash of everything that a component and this library share: collio's version, the Open
 *  MPI of the build, the sizes of shared structs. Computed from the headers, so that a component
 *  and a library of different builds have different numbers. */
static inline uint64_t collio_abi(void)
{
    static const char versions[] = COLLIO_VERSION "/" COLLIO_OPENMPI_VERSION;
    const size_t shared[] = {sizeof(collio_access_t),
                             sizeof(collio_access_stats_t),
                             sizeof(collio_component_t),
                             sizeof(collio_fact_t),
                             sizeof(collio_flat_t),
                             sizeof(collio_handle_t),
                             sizeof(collio_individual_t),
                             sizeof(collio_job_t),
                             sizeof(collio_lockahead_covered_t),
                             sizeof(collio_lockahead_t),
                             sizeof(collio_segment_t),
                             sizeof(collio_setting_t),
                             sizeof(collio_request_t),
                             offsetof(collio_component_t, set),
                             offsetof(collio_component_t, counters),
                             offsetof(collio_handle_t, guard),
                             offsetof(collio_job_t, outcome),
                             offsetof(collio_lockahead_t, request),
                             sizeof(ompio_file_t),
                             offsetof(ompio_file_t, f_comm),
                             offsetof(ompio_file_t, f_fs_ptr),
                             offsetof(ompio_file_t, f_info),
                             sizeof(ompi_file_t),
                             offsetof(ompi_file_t, f_io_selected_module),
                             offsetof(ompi_communicator_t, c_coll)};

    return collio_hash(collio_hash(COLLIO_HASH_BASIS, versions, sizeof(versions)), shared,
                       sizeof(shared));
}

/** A component calls this first, in its register function, before it passes a struct to this
 *  library. `name` is "fcoll/overlap", `version` COLLIO_VERSION, `abi` the component's own
 *  collio_abi(). Returns OMPI_ERR_NOT_AVAILABLE if the library is of another build, or if the
 *  running Open MPI does not fit the build; prints a line if the user requests the component. */
int collio_fits(const char *name, const char *version, uint64_t abi);
#define COLLIO_FITS(name) collio_fits(name, COLLIO_VERSION, collio_abi())

/** Functions for the tables of all components: open and close, and the query of the process (always
 *  accepted). */
int collio_open(void);
int collio_close(void);
int collio_init_query(bool progress_threads, bool mpi_threads);

/** Puts collio's entries for MPI_File_preallocate, _get_size, _sync, _seek, _set_atomicity and
 *  _set_view in the table of a file that a collio component serves (entries.c). Idempotent. */
void collio_entries_install(collio_hook_t *hook);

/** The first member of a component's table. */
#define COLLIO_COMPONENT(framework_version, name, register_function, open_function, \
                         close_function)                                            \
    {                                                                               \
        framework_version, .mca_component_name = (name), COLLIO_COMPONENT_VERSION,  \
                           .mca_open_component = (open_function),                   \
                           .mca_close_component = (close_function),                 \
                           .mca_register_component_params = (register_function),    \
    }

#endif /* COLLIO_OPEN_H */
