/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_FS_OPEN_H
#define COLLIO_FS_OPEN_H

#include "compat/compat.h"

/**
 * The open of a file by an fs component.
 *
 * Problem: in fs/ufs and other stock components each rank opens the file and returns its own
 * result. If the path exists on some nodes only, their ranks continue in the open of OMPIO while
 * the other ranks wait in its close, so that MPI_File_open hangs.
 * Method: a component whose module is initialized before the file is opened replaces the open by
 * one that agrees on the result: one reduction for each open, and all ranks return the same error.
 */

/** Makes the following open of the file return the same result on all ranks. Call it between the
 *  selection of the fs component and the open, in the same thread. Local. */
void collio_fs_open_agree(ompio_file_t *fh);

/** Registers the fs component whose opens agree without collio_fs_open_agree, in its register
 *  function. */
void collio_fs_open_register(const mca_base_component_t *component);

#endif /* COLLIO_FS_OPEN_H */
