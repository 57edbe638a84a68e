/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Coherence: see coherence.h.
 */
#include "coherence.h"

#include <stddef.h>

static const struct {
    uint32_t file_system;
    collio_coherence_t coherence;
} table[] = {
    {0x00c36400, COLLIO_COHERENCE_SIZE},  /* CephFS */
    {0x6969, COLLIO_COHERENCE_LOCK},      /* NFS */
    {0x19830326, COLLIO_COHERENCE_FLUSH}, /* BeeGFS */
    {0x65735546, COLLIO_COHERENCE_FLUSH}, /* FUSE: GlusterFS and others */
    {0xff534d42, COLLIO_COHERENCE_FLUSH}, /* CIFS */
    {0xfe534d42, COLLIO_COHERENCE_FLUSH}, /* SMB2 */
    {0x01021997, COLLIO_COHERENCE_FLUSH}, /* 9P */
};

collio_coherence_t collio_coherence_choose(uint32_t file_system, bool several_nodes)
{
    if (!several_nodes) {
        return COLLIO_COHERENT;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
        if (table[i].file_system == file_system) {
            return table[i].coherence;
        }
    }
    return COLLIO_COHERENT;
}
