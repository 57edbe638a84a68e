/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FS_BEEGFS_H
#define MCA_FS_BEEGFS_H

#include "ompi/mca/common/collio/compat/compat.h"

#include "ompi/mca/fs/base/base.h"
#include "ompi/mca/fs/fs.h"

extern mca_fs_base_component_2_0_0_t mca_fs_beegfs_component;

/** The module for a file whose striping hints count: that of fs/ufs, with an open of our own. NULL:
 *  there is no fs/ufs. Local. */
mca_fs_base_module_1_0_0_t *mca_fs_beegfs_module(ompio_file_t *fh);

#endif /* MCA_FS_BEEGFS_H */
