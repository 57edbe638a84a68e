/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_ATTACH_H
#define COLLIO_ATTACH_H

#include "file/file.h"

/**
 * open/ creates the record of a file in MPI_File_open and frees it in MPI_File_close. All ranks
 * agree on settings, facts and errors in one reduction, and reuse the context of an earlier file of
 * the same processes (set.h, context.h). Close prints the report and keeps or frees the context.
 */

/** Returns the record of a file. Creates it at the first call, which is collective over f_comm.
 *  Returns NULL on failure. MPI_File_close frees the record. */
collio_file_t *collio_file_attach(ompio_file_t *fh, collio_component_t *component);

/** Prints the report and frees the record. Collective. Idempotent. MPI_File_close calls it by a
 *  hook; the caller must do so for handles that are not real MPI files. */
void collio_file_detach(ompio_file_t *fh);

/** Verbose output: settings, aggregators and file system of a new file. Local. */
void collio_open_show(const collio_file_t *file);

/** Prints the report of a file on rank 0, if the setting `report` is not off. Collective. */
void collio_report(const collio_file_t *file);

#endif /* COLLIO_ATTACH_H */
