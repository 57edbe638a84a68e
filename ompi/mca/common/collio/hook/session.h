/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SESSION_H
#define COLLIO_SESSION_H

#include "compat/compat.h"

/**
 * The session directory of the job, where the ranks of a node can share files. Ranks of one node
 * need not have the same directory: in containers, or with a private /tmp, each has its own under
 * the same name, and ranks that share a file there would never see each other's changes. So the
 * ranks of a handle compare their directories when they open it.
 */

typedef struct collio_session_t {
    bool settled;   /* the ranks have compared their directories */
    bool same;      /* all ranks have the same directory */
    bool network;   /* a rank has the file on a network file system */
    int64_t number; /* random number of rank 0, the same on all ranks */
} collio_session_t;

enum { COLLIO_SESSION_FIELDS = 4 };
/** Fills the contribution of this rank to an agreement by MPI_MAX. `network`: the file is on a
 *  network file system. Local. */
void collio_session_offer(const ompio_file_t *fh, bool network,
                          int64_t fields[COLLIO_SESSION_FIELDS]);
/** Keeps the result with the handle, from the maxima of the contributions. Local. */
void collio_session_settle(const ompio_file_t *fh, const int64_t fields[COLLIO_SESSION_FIELDS]);
/** Returns the result; .settled is false if the ranks of the handle have not compared. Local. */
collio_session_t collio_session_of(const ompio_file_t *fh);

#endif /* COLLIO_SESSION_H */
