/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_HINTS_H
#define MCA_COMMON_COLLIO_HINTS_H

#include "settings/common_collio_setting.h"

/**
 * The hints of a file, as the ranks of the file see them: checked, and the same on all ranks.
 */

/** Removes every hint of ours that cannot be used (of any component that is loaded, and unknown
 *  collio_* ones) and notes it as a finding. Idempotent. Local: it runs as soon as the first of our
 *  components sees the file, which is before OMPIO itself reads cb_nodes, unless only an fcoll of
 *  ours is loaded. */
void mca_common_collio_hints_check(opal_info_t *info);

/** Of the AGREED settings: equal for equal values, not negative. */
int64_t mca_common_collio_settings_set_hash(const mca_common_collio_settings_set_t *set,
                                            const void *values);

/** A number that is not a setting but decides in the same way, and has to agree between ranks. */
typedef struct mca_common_collio_fact_t {
    const char *name; /* for the message: "stripe size" */
    int64_t value;
} mca_common_collio_fact_t;

/** Makes the AGREED settings and the facts the same on all ranks. Ranks that differ take the values
 *  of rank 0, in `values` and, for settings, as hints in `info`; one rank tells what differed.
 *  Tells the findings, too. Collective over `comm`; no step depends on what a rank found by itself.
 *  OMPI_SUCCESS, or the error of a communication. */
int mca_common_collio_settings_set_agree(const mca_common_collio_settings_set_t *set,
                                         ompi_communicator_t *comm, opal_info_t *info, void *values,
                                         mca_common_collio_fact_t *facts, int fact_count);

#endif /* MCA_COMMON_COLLIO_HINTS_H */
