/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* How far locks reach, by the options of a mount. */
#include "unit.h"

#include <string.h>

#include "reach.h"

enum { NFS = 0x6969, LUSTRE = 0x0bd00bd0, CEPH = 0x00c36400, BEEGFS = 0x19830326 };

UNIT_TEST(reach_finds_the_options)
{
    static const char line[] = "36 35 0:52 / /mnt/a\\040b rw,noatime shared:1 master:2 - nfs4 "
                               "n0:/ rw,vers=4.2,local_lock=none\n";

    ck_assert_ptr_nonnull(collio_mount_options(line, 0, 52));
    ck_assert_str_eq(collio_mount_options(line, 0, 52), "rw,vers=4.2,local_lock=none\n");
    ck_assert_ptr_null(collio_mount_options(line, 0, 5));
    ck_assert_ptr_null(collio_mount_options(line, 52, 0));
    ck_assert_ptr_null(collio_mount_options("", 0, 52));
    ck_assert_ptr_null(collio_mount_options("36 35 0:52 / /mnt rw", 0, 52));
    ck_assert_ptr_null(collio_mount_options("36 35 0:52 / /mnt rw - nfs", 0, 52));
}

UNIT_TEST(reach_of_nfs)
{
    ck_assert_int_eq(COLLIO_REACH_ALL, collio_reach_of_mount(NFS, "rw,vers=3,local_lock=none\n"));
    ck_assert_int_eq(COLLIO_REACH_LOCAL, collio_reach_of_mount(NFS, "rw,nolock,vers=3"));
    ck_assert_int_eq(COLLIO_REACH_LOCAL, collio_reach_of_mount(NFS, "rw,nolock\n"));
    ck_assert_int_eq(COLLIO_REACH_LOCAL, collio_reach_of_mount(NFS, "local_lock=all,rw"));
    ck_assert_int_eq(COLLIO_REACH_LOCAL, collio_reach_of_mount(NFS, "rw,local_lock=posix"));
    ck_assert_int_eq(COLLIO_REACH_ALL, collio_reach_of_mount(NFS, "rw,local_lock=flock"));
    ck_assert_int_eq(COLLIO_REACH_ALL, collio_reach_of_mount(NFS, "rw,nolocks"));
    ck_assert_int_eq(COLLIO_REACH_UNKNOWN, collio_reach_of_mount(NFS, NULL));
}

UNIT_TEST(reach_of_others)
{
    ck_assert_int_eq(COLLIO_REACH_ALL, collio_reach_of_mount(LUSTRE, "rw,flock,lazystatfs"));
    ck_assert_int_eq(COLLIO_REACH_LOCAL, collio_reach_of_mount(LUSTRE, "rw,localflock"));
    ck_assert_int_eq(COLLIO_REACH_UNKNOWN, collio_reach_of_mount(LUSTRE, "rw"));
    ck_assert_int_eq(COLLIO_REACH_UNKNOWN, collio_reach_of_mount(LUSTRE, NULL));
    ck_assert_int_eq(COLLIO_REACH_ALL, collio_reach_of_mount(CEPH, NULL));
    ck_assert_int_eq(COLLIO_REACH_UNKNOWN, collio_reach_of_mount(BEEGFS, "rw"));
    ck_assert_int_eq(COLLIO_REACH_UNKNOWN, collio_reach_of_mount(0, "rw,flock"));
}
