/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FS_LUSTRE_LLA_H
#define MCA_FS_LUSTRE_LLA_H

#include "ompi/mca/common/collio/compat/compat.h"

#include "ompi/mca/fs/base/base.h"
#include "ompi/mca/fs/fs.h"

extern mca_fs_base_component_2_0_0_t mca_fs_lustre_lla_component;

int mca_fs_lustre_lla_module_init(ompio_file_t *fh);
int mca_fs_lustre_lla_module_finalize(ompio_file_t *fh);

/** Every rank of the file's communicator must call these four. */
int mca_fs_lustre_lla_file_open(struct ompi_communicator_t *comm, const char *filename,
                                int access_mode, struct opal_info_t *info, ompio_file_t *fh);
int mca_fs_lustre_lla_file_close(ompio_file_t *fh);
int mca_fs_lustre_lla_file_set_size(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE size);
int mca_fs_lustre_lla_file_sync(ompio_file_t *fh);

/** Local. */
int mca_fs_lustre_lla_file_get_size(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE *size);
int mca_fs_lustre_lla_file_delete(char *file_name, struct opal_info_t *info);

#endif /* MCA_FS_LUSTRE_LLA_H */
