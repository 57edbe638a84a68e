/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_INDIVIDUAL_H
#define COLLIO_INDIVIDUAL_H

#include "access/access.h"
#include "access/lockahead.h"
#include "compat/compat.h"
#include "hook/hook.h"
#include "report/report_out.h"
#include "view/request.h"

/**
 * Individual reads and writes by collio's file access: MPI_File_{i}{read,write}{,_at} where
 * fbtl/mtpwrite serves the file or the file is in atomic mode, and calls at the shared file pointer
 * of sharedfp/ondemand with any fbtl. io/ompio's own functions return MPI_SUCCESS for accesses that
 * have failed, and requests that crash MPI_Wait; stock fbtls do not lock a request as a whole.
 */

/** The record of an open handle, of an MPI file or of a shared file pointer. */
typedef struct collio_individual_t {
    collio_access_t access;      /* how to access the file */
    collio_access_stats_t stats; /* counters of the file */
    collio_tally_t tally;        /* `stats` in the counters of all files */
    collio_lockahead_covered_t
        covered; /* Lustre locks that were requested; under the file's lock */
} collio_individual_t;

/** True if the file has a descriptor, which collio's file access requires. */
bool collio_individual_serves(const ompio_file_t *fh);

/** Returns the record of a handle: found, or made at the first transfer, because the descriptor is
 *  not open before. NULL: no memory. */
collio_individual_t *collio_individual_get(ompio_file_t *fh);
/** Frees the record of a handle, if there is one; the totals keep its counters. */
void collio_individual_end(ompio_file_t *fh);
/** The counters of individual access, performance variables of fbtl/mtpwrite. */
extern collio_counters_t collio_individual_counters;
/** Prints the report of a file, from rank 0. Collective over f_comm. */
void collio_individual_report(ompio_file_t *fh, int mode, const char *path);

/** Makes a blocking call. Takes the file's lock while the file pointer moves, but not during the
 *  transfer. Returns an MPI error class. */
int collio_individual_run(ompi_file_t *file, const collio_call_t *call,
                          ompi_status_public_t *status);
/** Starts a nonblocking call, as collio_individual_run(). */
int collio_individual_start(ompi_file_t *file, const collio_call_t *call, ompi_request_t **result);

/** For MPI_File_set_view, after the view was set: requests the Lustre locks of the first repetition
 *  of the view, if fbtl/mtpwrite serves the file and the lock-ahead mode is `view`. The locks are
 *  for writing unless the handle is read-only: reads of this client match them, too. Local. */
void collio_individual_view(ompi_file_t *file);

/** Puts collio's individual reads and writes in the table of a file. */
void collio_individual_install(collio_hook_t *hook);
/** Installs these calls for atomic mode where a stock fbtl serves the file, and removes them when
 *  the file leaves atomic mode. */
void collio_individual_set_atomic(collio_hook_t *hook, bool atomic);
/** Makes MPI_File_close wait for nonblocking calls: a freed request may still be in flight. Then
 *  frees the record, unless fbtl/mtpwrite serves the file and frees it. */
void collio_individual_watch(collio_hook_t *hook);
/** Removes the progress function of nonblocking individual calls. */
void collio_individual_finalize(void);

#endif /* COLLIO_INDIVIDUAL_H */
