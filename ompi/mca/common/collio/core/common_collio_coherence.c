/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Coherence: see coherence.h.
 */
#include "common_collio_coherence.h"

#include <stddef.h>

static const struct {
    uint32_t file_system;
    mca_common_collio_coherence_t coherence;
} table[] = {
    {0x6969, MCA_COMMON_COLLIO_COHERENCE_LOCK},      /* NFS */
    {0x19830326, MCA_COMMON_COLLIO_COHERENCE_FLUSH}, /* BeeGFS */
    {0x65735546, MCA_COMMON_COLLIO_COHERENCE_FLUSH}, /* FUSE: GlusterFS and others */
    {0xff534d42, MCA_COMMON_COLLIO_COHERENCE_FLUSH}, /* CIFS */
    {0xfe534d42, MCA_COMMON_COLLIO_COHERENCE_FLUSH}, /* SMB2 */
    {0x01021997, MCA_COMMON_COLLIO_COHERENCE_FLUSH}, /* 9P */
};

mca_common_collio_coherence_t mca_common_collio_coherence_choose(uint32_t file_system,
                                                                 bool several_nodes)
{
    if (!several_nodes) {
        return MCA_COMMON_COLLIO_COHERENT;
    }
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); ++i) {
        if (table[i].file_system == file_system) {
            return table[i].coherence;
        }
    }
    return MCA_COMMON_COLLIO_COHERENT;
}
