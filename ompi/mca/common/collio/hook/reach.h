/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REACH_H
#define COLLIO_REACH_H

#include "compat/compat.h"

/**
 * Do byte-range locks reach other nodes? BeeGFS in its default configuration, Lustre mounted with
 * localflock and NFS mounted with nolock grant a lock that conflicts with one of another node. On
 * such a file system neither atomic mode nor data sieving of writes is right across nodes.
 *
 * True if a lock on the file of `fh` that one rank holds keeps ranks of other nodes out, and always
 * if one node has all ranks. False if that cannot be tested: the file is open for reading only.
 * Collective over fh->f_comm, with the same result on all ranks. If ranks are on several nodes,
 * every call makes one broadcast, and the first call for a file system two more for the test.
 */
bool collio_locks_reach(ompio_file_t *fh);

/** Step 1 of collio_locks_reach, for a caller that makes a broadcast from rank 0 anyway. Returns
 *  the result that this rank has kept. Local. */
int64_t collio_locks_known(const ompio_file_t *fh);
/** Step 2 of collio_locks_reach, with the value of rank 0 on all ranks. Collective. */
bool collio_locks_find(ompio_file_t *fh, int64_t known_by_first);

#endif /* COLLIO_REACH_H */
