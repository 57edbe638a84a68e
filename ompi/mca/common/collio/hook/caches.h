/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CACHES_H
#define COLLIO_CACHES_H

#include "access/access.h"
#include "compat/compat.h"

/**
 * Caches of nodes that file systems do not keep coherent: what a handle does about them follows
 * from its file system and from the nodes of the job (core/file_system.h).
 */

/** An access struct for the handle: what follows from its descriptor and from the nodes of the job.
 *  Local. */
void collio_caches_open(ompio_file_t *fh, collio_access_t *access, collio_access_stats_t *stats);

/** Sends the bytes of individual writes on this node to the servers, where another rank's
 *  collective access would not see them otherwise. Does nothing if there were none since the last
 *  time. Local; 0 or a positive errno. */
int collio_caches_flush(ompio_file_t *fh, const collio_access_t *access);

/** After a collective write in which aggregators of other nodes wrote for this rank, which may read
 *  its bytes by an individual call. Local. */
void collio_caches_written(const ompio_file_t *fh, const collio_access_t *access);

/** For MPI_File_sync: later reads on this node see what other nodes had written and flushed.
 *  Local. */
void collio_caches_refresh(ompio_file_t *fh);

#endif /* COLLIO_CACHES_H */
