/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FS_BEEGFS_H
#define MCA_FS_BEEGFS_H

#include "ompi/mca/common/collio/compat/compat.h"
#include "ompi/mca/fs/fs.h"

/**
 * fs/beegfs: files on BeeGFS that are opened with striping hints. The component creates a new file
 * with the stripes of the hints. Everything else is fs/ufs.
 */
extern mca_fs_base_component_2_0_0_t mca_fs_beegfs_component;

#endif /* MCA_FS_BEEGFS_H */
