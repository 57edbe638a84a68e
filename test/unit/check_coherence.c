/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Which file systems need locks or flushes to be coherent between nodes. */
#include "file_system.h"

#include "unit.h"

enum {
    NFS = 0x6969,
    LUSTRE = 0x0bd00bd0,
    BEEGFS = 0x19830326,
    CEPH = 0x00c36400,
    EXT4 = 0xef53,
    TMPFS = 0x01021994,
    FUSE = 0x65735546
};

UNIT_TEST(coherence_nfs_needs_locks)
{
    ck_assert_int_eq(COLLIO_COHERENCE_LOCK, collio_coherence_choose(NFS, true));
}

UNIT_TEST(coherence_beegfs_and_fuse_need_flushes)
{
    ck_assert_int_eq(COLLIO_COHERENCE_FLUSH, collio_coherence_choose(BEEGFS, true));
    ck_assert_int_eq(COLLIO_COHERENCE_FLUSH, collio_coherence_choose(FUSE, true));
}

UNIT_TEST(coherence_ceph_needs_sizes)
{
    ck_assert_int_eq(COLLIO_COHERENCE_SIZE, collio_coherence_choose(CEPH, true));
}

UNIT_TEST(coherence_others_pay_nothing)
{
    static const uint32_t magics[] = {LUSTRE, EXT4, TMPFS, 0};

    for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); ++i) {
        ck_assert_int_eq(COLLIO_COHERENT, collio_coherence_choose(magics[i], true));
    }
}

UNIT_TEST(coherence_one_node_pays_nothing)
{
    ck_assert_int_eq(COLLIO_COHERENT, collio_coherence_choose(NFS, false));
    ck_assert_int_eq(COLLIO_COHERENT, collio_coherence_choose(BEEGFS, false));
}
