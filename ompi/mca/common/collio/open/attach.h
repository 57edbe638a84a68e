/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ATTACH_H
#define COLLIO_ATTACH_H

#include "file/file.h"

/**
 * open/: makes the record of a file in MPI_File_open and ends it in MPI_File_close. All ranks agree
 * on settings, facts and errors in one reduction, and take what earlier files of the same processes
 * have left (set.h, context.h). At close the report is printed, and the context is kept or freed.
 */

/** Finds the record of a file, or makes it: collective over f_comm when it has to be made. NULL on
 *  failure (on all ranks alike). It ends at MPI_File_close. */
collio_file_t *collio_file_attach(ompio_file_t *fh, collio_component_t *component);

/** Ends the record: report, communicators, segments, plans. Collective. Idempotent. For handles
 *  that are not real MPI files, which have no close of their own. */
void collio_file_detach(ompio_file_t *fh);

/** Makes communicators of the file's ranks and of those of this node. Collective. An Open MPI error
 *  code; file->comm is there unless it could not be made. */
int collio_file_connect(collio_file_t *file);

/** Verbose output: what the file's collective calls will use. Local. */
void collio_open_show(const collio_file_t *file);

#endif /* COLLIO_ATTACH_H */
