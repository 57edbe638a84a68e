/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The table of file systems. See file_system.h.
 */
#include "file_system.h"

#include <stddef.h>

enum { FUSE = 0x65735546 };

static const struct {
    uint32_t magic;               /* magic number, as statfs returns it */
    collio_coherence_t coherence; /* coherence that caches of several nodes need */
} on_network[] = {
    {0x0bd00bd0, COLLIO_COHERENT},        /* Lustre */
    {0x47504653, COLLIO_COHERENT},        /* GPFS */
    {0x20030528, COLLIO_COHERENT},        /* PVFS2 */
    {0xaad7aaea, COLLIO_COHERENT},        /* PanFS */
    {0x00c36400, COLLIO_COHERENCE_SIZE},  /* CephFS */
    {0x00006969, COLLIO_COHERENCE_LOCK},  /* NFS */
    {0x19830326, COLLIO_COHERENCE_FLUSH}, /* BeeGFS */
    {FUSE, COLLIO_COHERENCE_FLUSH},       /* GlusterFS and others */
    {0xff534d42, COLLIO_COHERENCE_FLUSH}, /* CIFS */
    {0xfe534d42, COLLIO_COHERENCE_FLUSH}, /* SMB2 */
    {0x01021997, COLLIO_COHERENCE_FLUSH}, /* 9P */
};
enum { ROWS = sizeof(on_network) / sizeof(on_network[0]) };

/* Returns the row of a file system; ROWS: not a network file system. */
static size_t file_system_row_of(uint32_t file_system)
{
    size_t i = 0;

    while (i < ROWS && file_system != on_network[i].magic) {
        ++i;
    }
    return i;
}

bool collio_file_system_on_network(uint32_t file_system)
{
    return ROWS > file_system_row_of(file_system);
}

bool collio_file_system_interruptible(uint32_t file_system)
{
    return FUSE == file_system;
}

bool collio_file_system_in_memory(uint32_t file_system)
{
    return UINT32_C(0x01021994) == file_system     /* tmpfs */
           || UINT32_C(0x858458f6) == file_system; /* ramfs */
}

collio_coherence_t collio_coherence_choose(uint32_t file_system, bool several_nodes)
{
    size_t row = file_system_row_of(file_system);

    return several_nodes && ROWS > row ? on_network[row].coherence : COLLIO_COHERENT;
}
