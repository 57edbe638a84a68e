/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HINTS_H
#define COLLIO_HINTS_H

#include "settings/setting.h"

/**
 * The hints of a file: checks them, and makes settings the same on all ranks of the file.
 */

/** Removes every unusable hint of collio (hints of any loaded component, and unknown collio_*
 *  hints), and keeps a help text for each; at the first file, for unknown parameters as well.
 *  Idempotent. Local. Only for files that a collio component serves. The component that is queried
 *  first calls this function: fs and fbtl before OMPIO reads cb_nodes. */
void collio_hints_check(opal_info_t *info);
/** Checks one hint. Returns false if the hint was removed. */
bool collio_hint_check(opal_info_t *info, const char *key);

/** A number that is not a setting, but must be the same on all ranks as well. */
typedef struct collio_fact_t {
    const char *name; /* name in messages: "stripe size" */
    int64_t value;    /* the number */
} collio_fact_t;

/** Resolves the settings of a file from its hints, and makes the AGREED ones the same on all ranks.
 *  Ranks that differ take the values of rank 0, in `values` and as hints of the file; one rank
 *  prints the difference. Gives all ranks the hints of the hint file, and prints the help texts
 *  that wait. Collective over the file. Returns OMPI_SUCCESS, or the error of a communication. */
int collio_settings_set_agree(const collio_settings_set_t *set, ompio_file_t *fh, void *values);

/** Split form of collio_settings_set_agree, for callers that fold this into a larger MPI_MAX; also
 *  makes facts the same.
 *  offer (local) fills the numbers of this rank and returns a hash of settings and facts, which is
 *  not negative. settle (collective) takes the maxima of all ranks;
 *  it communicates only if the settings differ or a help text waits. */
enum { COLLIO_SETTINGS_FIELDS = 3 };
int64_t collio_settings_set_offer(const collio_settings_set_t *set, ompi_communicator_t *comm,
                                  const void *values, const collio_fact_t *facts, int fact_count,
                                  int64_t mine[COLLIO_SETTINGS_FIELDS]);
/** True if settings or facts differ between ranks. If so, call settle with the `values` and `facts`
 *  that were passed to offer. */
bool collio_settings_set_differ(const int64_t all[COLLIO_SETTINGS_FIELDS]);
int collio_settings_set_settle(const collio_settings_set_t *set, ompi_communicator_t *comm,
                               opal_info_t *info, void *values, collio_fact_t *facts,
                               int fact_count, const int64_t all[COLLIO_SETTINGS_FIELDS]);

#endif /* COLLIO_HINTS_H */
