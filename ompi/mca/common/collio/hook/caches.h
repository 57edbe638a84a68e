/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CACHES_H
#define COLLIO_CACHES_H

#include "access/access.h"
#include "compat/compat.h"

/**
 * Coherence between the caches of nodes on file systems that do not provide it. The file system of
 * a handle and the nodes of the job determine the method (core/file_system.h).
 */

/** Fills the access struct of a handle from its descriptor, the settings of the fbtl and the nodes
 *  of the job. Local. */
void collio_caches_open(ompio_file_t *fh, collio_access_t *access);

/** Sends the bytes of individual writes on this node to the servers if collective accesses of other
 *  ranks would otherwise miss them. Does nothing without individual writes since the last flush.
 *  Local. Returns 0 or a positive errno. */
int collio_caches_flush(ompio_file_t *fh, const collio_access_t *access);

/** After a collective write in which aggregators of other nodes wrote for this rank: updates the
 *  cache of this node, so that individual reads return these bytes. Local. */
void collio_caches_written(const ompio_file_t *fh, const collio_access_t *access);

/** For MPI_File_sync: updates the cache of this node, so that later reads return the bytes that
 *  other nodes had written and flushed. Local. */
void collio_caches_refresh(ompio_file_t *fh);

#endif /* COLLIO_CACHES_H */
