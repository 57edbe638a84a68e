/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FILE_SYSTEM_H
#define COLLIO_FILE_SYSTEM_H

#include <stdbool.h>
#include <stdint.h>

/** Properties of a file system, by its magic number, as statfs returns it. */

/**
 * Coherence: the actions of a rank that make its accesses visible to ranks on other nodes, and
 * their accesses visible to it.
 *
 * A node caches pages of files. Parallel file systems keep the caches of all nodes equal. NFS does
 * not: two nodes that write different bytes of one page lose bytes, because each writes back the
 * whole page, and a node reads old bytes from its own cache. Linux's NFS client is exact in one
 * situation: while a byte-range lock is held on the file it writes just the bytes that were
 * written, taking a lock drops the cached pages, and giving it back writes them out.
 */
typedef enum collio_coherence_t {
    /** Nothing: the file system keeps caches equal, or one node makes all accesses. */
    COLLIO_COHERENT = 0,
    /** The file system keeps bytes equal, but a node may have an old size in its cache: the size is
     *  requested again. */
    COLLIO_COHERENCE_SIZE,
    /** Every transfer holds a lock, and a write is complete when it has reached the server. */
    COLLIO_COHERENCE_LOCK,
    /** The file system writes exact bytes, but a node may keep new bytes, old bytes or an old size
     *  in its cache: writes for other ranks are flushed, and reads request the size again. */
    COLLIO_COHERENCE_FLUSH
} collio_coherence_t;

/** Returns the coherence that the caches of nodes need. `several_nodes`: ranks of the job run on
 *  more than one node. */
collio_coherence_t collio_coherence_choose(uint32_t file_system, bool several_nodes);

/** True for a network or parallel file system. */
bool collio_file_system_on_network(uint32_t file_system);
/** True for FUSE, where a signal interrupts the process that serves the file system, too. */
bool collio_file_system_interruptible(uint32_t file_system);
/** True for tmpfs and ramfs, where an access is a copy that waits for no device. */
bool collio_file_system_in_memory(uint32_t file_system);

#endif /* COLLIO_FILE_SYSTEM_H */
