/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HINTS_H
#define COLLIO_HINTS_H

#include "settings/setting.h"

/**
 * The hints of a file, as the ranks of the file see them: checked, and the same on all ranks.
 */

/** Removes every hint of ours that cannot be used (of any component that is loaded, and unknown
 *  collio_* ones) and notes it as a finding. Idempotent. Local. Only for files that a component of
 *  ours serves; the first one that is queried calls it, fs and fbtl before OMPIO reads cb_nodes. */
void collio_hints_check(opal_info_t *info);
/** The same for one hint. False: it had to be removed. */
bool collio_hint_check(opal_info_t *info, const char *key);

/** Of the AGREED settings: equal for equal values, not negative. */
int64_t collio_settings_set_hash(const collio_settings_set_t *set, const void *values);

/** A number that is not a setting but decides in the same way, and has to agree between ranks. */
typedef struct collio_fact_t {
    const char *name; /* name in messages: "stripe size" */
    int64_t value;    /* the number */
} collio_fact_t;

/** Makes the AGREED settings and the facts the same on all ranks. Ranks that differ take the values
 *  of rank 0, in `values` and, for settings, as hints in `info`; one rank tells what differed.
 *  Prints the help texts that wait, too. Collective over `comm`; no step depends on what a rank
 *  found by itself.
 *  OMPI_SUCCESS, or the error of a communication. */
int collio_settings_set_agree(const collio_settings_set_t *set, ompi_communicator_t *comm,
                              opal_info_t *info, void *values, collio_fact_t *facts,
                              int fact_count);

/** The same in two halves, for who takes maxima of other numbers, too: one reduction serves both.
 *  offer fills in this rank's numbers (local), settle gets the maxima of all ranks (collective; it
 *  communicates only if the settings differ or there is something to tell). */
enum { COLLIO_SETTINGS_FIELDS = 3 };
void collio_settings_set_offer(const collio_settings_set_t *set, ompi_communicator_t *comm,
                               const void *values, const collio_fact_t *facts, int fact_count,
                               int64_t mine[COLLIO_SETTINGS_FIELDS]);
/** Do they differ? Then `values` and `facts` must be what was offered when settle is called. */
bool collio_settings_set_differ(const int64_t all[COLLIO_SETTINGS_FIELDS]);
int collio_settings_set_settle(const collio_settings_set_t *set, ompi_communicator_t *comm,
                               opal_info_t *info, void *values, collio_fact_t *facts,
                               int fact_count, const int64_t all[COLLIO_SETTINGS_FIELDS]);

#endif /* COLLIO_HINTS_H */
