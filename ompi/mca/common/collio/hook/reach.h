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
 * Collective over fh->f_comm, with the same result on all ranks. The first call for a file system
 * makes the test, with two broadcasts; later ones take one reduction.
 */
bool collio_locks_reach(ompio_file_t *fh);

#endif /* COLLIO_REACH_H */
