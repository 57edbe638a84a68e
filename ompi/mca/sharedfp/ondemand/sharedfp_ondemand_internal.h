/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_SHAREDFP_ONDEMAND_INTERNAL_H
#define MCA_SHAREDFP_ONDEMAND_INTERNAL_H

#include "sharedfp_ondemand.h"
#include "sharedfp_ondemand_counter.h"

/**
 * A shared file pointer is a start, which every rank knows, plus the bytes that were taken since,
 * which all ranks count in one shared number:
 *
 *      seek number       0          1 (set_view)     2 (seek_shared to 800)
 *      start             0          0                800              each rank's own
 *      bytes taken       0       3000                 40              counter, slot = seek number
 *      pointer                                       840
 *
 * Seeks are collective, so all ranks count them alike, and each seek begins a new number at 0.
 * Therefore a seek needs no communication, and opening a file needs none, either: a rank that is
 * ahead adds to another number than one that is behind.
 */
typedef struct mca_sharedfp_ondemand_pointer_t {
    struct mca_sharedfp_base_data_t base; /* what OMPIO sees */
    mca_sharedfp_ondemand_counter_t counter;
    int64_t seeks;
    int64_t start; /* bytes */
    bool told;     /* an error of the counter */
} mca_sharedfp_ondemand_pointer_t;

/** The entries of the module that open and close, move and tell the pointer. */
int mca_sharedfp_ondemand_module_init(ompio_file_t *fh);
int mca_sharedfp_ondemand_module_finalize(ompio_file_t *fh);
int mca_sharedfp_ondemand_file_open(struct ompi_communicator_t *comm, const char *filename,
                                    int amode, struct opal_info_t *info, ompio_file_t *fh);
int mca_sharedfp_ondemand_file_close(ompio_file_t *fh);
int mca_sharedfp_ondemand_seek(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE offset, int whence);
int mca_sharedfp_ondemand_get_position(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE *offset);

/** Moves the pointer on by `count` elements, and gives the place before them as an offset of the
 *  view. Local. An MPI error class. */
int mca_sharedfp_ondemand_take(ompio_file_t *fh, collio_count_t count, const ompi_datatype_t *type,
                               OMPI_MPI_OFFSET_TYPE *offset);

/** The same for all ranks, in the order of their ranks. Collective, same result on all ranks. */
int mca_sharedfp_ondemand_take_ordered(ompio_file_t *fh, collio_count_t count,
                                       const ompi_datatype_t *type, OMPI_MPI_OFFSET_TYPE *offset);

extern mca_sharedfp_base_module_t mca_sharedfp_ondemand_module;

#endif /* MCA_SHAREDFP_ONDEMAND_INTERNAL_H */
