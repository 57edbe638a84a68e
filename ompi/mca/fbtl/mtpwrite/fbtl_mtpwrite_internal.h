/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FBTL_MTPWRITE_INTERNAL_H
#define MCA_FBTL_MTPWRITE_INTERNAL_H

#include "ompi/mca/common/collio/access/access.h"
#include "ompi/mca/common/collio/access/lockahead.h"
#include "ompi/mca/common/collio/compat/compat.h"
#include "ompi/mca/common/collio/settings/setting.h"
#include "ompi/mca/common/collio/view/request.h"
#include "ompi/mca/common/ompio/common_ompio_request.h"

#include "fbtl_mtpwrite.h"

/** What users set: each is a parameter fbtl_mtpwrite_<name> and a hint collio_<name>, except as the
 *  table in settings.c says. */
enum { MCA_FBTL_MTPWRITE_PRIORITY_DEFAULT = 5 }; /* below the stock components */

typedef struct mca_fbtl_mtpwrite_settings_t {
    int priority;
    int num_threads;
    int method;
    int engine;
    int queue_depth;
    size_t stage_bytes;
    bool pin;
    int serial_below;
    int sieve_read;
    int sieve_write;
    size_t sieve_read_bytes;
    size_t sieve_write_bytes;
    int report; /* collio_report_mode_t */
    char report_file[COLLIO_TEXT_BYTES];
} mca_fbtl_mtpwrite_settings_t;

extern mca_fbtl_mtpwrite_settings_t mca_fbtl_mtpwrite_settings;

/** Registers the parameters; num_threads is io_ompio_num_threads. */
int mca_fbtl_mtpwrite_settings_register(void);
/** Takes io_ompio_num_threads back: its group is not ours, so nobody else does. */
void mca_fbtl_mtpwrite_settings_deregister(void);
/** The settings of a file, and those that must be the same on all ranks are. Tells what was wrong.
 *  Collective over f_comm. */
void mca_fbtl_mtpwrite_settings_agree(ompio_file_t *fh, mca_fbtl_mtpwrite_settings_t *settings);
/** The parameters, with this file's hints over them. Local. */
void mca_fbtl_mtpwrite_settings_of(ompio_file_t *fh, mca_fbtl_mtpwrite_settings_t *settings);
/** Verbose output: the values that are not defaults. */
void mca_fbtl_mtpwrite_settings_show(const ompio_file_t *fh,
                                     const mca_fbtl_mtpwrite_settings_t *settings);

/** Puts the values in force where MPI_File_get_info finds them. */
void mca_fbtl_mtpwrite_settings_publish(ompio_file_t *fh,
                                        const mca_fbtl_mtpwrite_settings_t *settings);

/** What lives as long as an open handle (MPI files and those of shared file pointers). */
typedef struct mca_fbtl_mtpwrite_file_t {
    ompio_file_t *fh;
    mca_fbtl_mtpwrite_settings_t settings;
    collio_access_t access;
    collio_access_stats_t stats;
    collio_lockahead_covered_t covered; /* under the file's lock */
} mca_fbtl_mtpwrite_file_t;

/** Found, or made at the first transfer (the descriptor is not open before). NULL: no memory. */
mca_fbtl_mtpwrite_file_t *mca_fbtl_mtpwrite_file_get(ompio_file_t *fh);
/** Ends the record of this handle, if it has one; its figures stay in the totals. */
void mca_fbtl_mtpwrite_file_end(ompio_file_t *fh);
/** The figures of all files of this process, closed ones included. */
void mca_fbtl_mtpwrite_file_totals(collio_access_stats_t *totals);
/** Prints the report of a file, from rank 0. Collective over f_comm. */
void mca_fbtl_mtpwrite_report(ompio_file_t *fh, void *unused);

/** Performance variables fbtl_mtpwrite_*. */
void mca_fbtl_mtpwrite_pvars_register(void);

/** The fbtl module: lists of pieces, from the stock parts of OMPIO and from stock fcolls. */
extern mca_fbtl_base_module_t mca_fbtl_mtpwrite_module;

/** Puts our individual reads and writes in the table of an MPI file. 0 or -ENOMEM. */
int mca_fbtl_mtpwrite_individual_install(ompio_file_t *fh,
                                         const mca_fbtl_mtpwrite_settings_t *settings);

/** A transfer: the job and all that it must keep. */
typedef struct mca_fbtl_mtpwrite_transfer_t {
    collio_job_t job;           /* the access to the file */
    collio_request_t request;   /* the request of an individual call; empty for a list */
    collio_segment_t *segments; /* the list that OMPIO handed in; NULL for an individual call */
} mca_fbtl_mtpwrite_transfer_t;

mca_fbtl_mtpwrite_transfer_t *mca_fbtl_mtpwrite_transfer_new(void);
/** Waits for the job if it is still under way. */
void mca_fbtl_mtpwrite_transfer_free(mca_fbtl_mtpwrite_transfer_t *transfer);
/** Starts the job, or does it at once if nothing can run it. */
void mca_fbtl_mtpwrite_transfer_start(mca_fbtl_mtpwrite_transfer_t *transfer);
/** After the job: unpacks a staged read. Gives the MPI error class and the bytes. */
int mca_fbtl_mtpwrite_transfer_finish(mca_fbtl_mtpwrite_transfer_t *transfer, size_t *bytes);

/** A request of our own class, complete as soon as the transfer is (NULL: at once, with nothing).
 *  Takes the transfer over. NULL: no memory (the transfer is then freed). */
ompi_request_t *mca_fbtl_mtpwrite_request_new(ompi_file_t *file,
                                              mca_fbtl_mtpwrite_transfer_t *transfer);
/** Waits until all operations of a file have ended, freed requests included. */
void mca_fbtl_mtpwrite_request_drain(ompi_file_t *file);
/** Takes the progress function back. */
void mca_fbtl_mtpwrite_request_close(void);

#endif /* MCA_FBTL_MTPWRITE_INTERNAL_H */
