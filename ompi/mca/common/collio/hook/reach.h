/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REACH_H
#define COLLIO_REACH_H

#include "compat/compat.h"

#include "core/reach.h"

/**
 * How far byte-range locks on a file reach. Where they do not reach all nodes of the job, neither
 * atomic mode nor data sieving of writes is right. The nodes of the job count, not those of the
 * handle: ranks of other nodes may open the same file by handles of their own.
 *
 * COLLIO_REACH_ALL without a test if the job has one node, or if one node has all ranks of the
 * handle and the file system is local. A handle of several nodes tests it, and each process keeps
 * the result for the file system. A handle that cannot test it (of one node, or open for reading
 * only) uses that result, else the options of the mount.
 *
 * Collective over fh->f_comm, with the same result on all ranks. If the job has several nodes,
 * every call makes one broadcast, and the first test of a file system two more.
 */
collio_reach_t collio_locks_reach(ompio_file_t *fh);

/** Returns why locks cannot be used, for help texts: the result is not COLLIO_REACH_ALL. */
const char *collio_reach_reason(collio_reach_t reach);

#endif /* COLLIO_REACH_H */
