/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_CACHES_H
#define MCA_COMMON_COLLIO_CACHES_H

#include "access/common_collio_access.h"
#include "compat/common_collio_compat.h"

/**
 * Caches of nodes that file systems do not keep coherent: what a handle does about them follows from
 * its file system and from the nodes of the job (core/common_collio_coherence.h).
 */

/** An access struct for the handle: what follows from its descriptor and from the nodes of the job.
 *  Local. */
void mca_common_collio_caches_open(ompio_file_t *fh, mca_common_collio_access_t *access,
                                   mca_common_collio_access_stats_t *stats);

/** Sends the bytes of individual writes on this node to the servers, where another rank's
 *  collective access would not see them otherwise. Does nothing if there were none since the last
 *  time. Local; 0 or a positive errno. */
int mca_common_collio_caches_flush(ompio_file_t *fh, const mca_common_collio_access_t *access);

/** For MPI_File_sync: later reads on this node see what other nodes had written and flushed.
 *  Local. */
void mca_common_collio_caches_refresh(ompio_file_t *fh);

#endif /* MCA_COMMON_COLLIO_CACHES_H */
