/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_HANDLE_H
#define MCA_COMMON_COLLIO_HANDLE_H

#include "compat/common_collio_compat.h"
#include "hook/common_collio_guard.h"
#include "hook/common_collio_hook.h"

/**
 * What lives as long as an open file: one record for each ompio handle, with a place for each of
 * its clients. OMPIO selects the fcoll again at every set_view without finalising the old module,
 * so nothing can hang on a module. Handles of shared file pointers have records too.
 *
 *   fh ---> record   HOOK    hook    the per-file table; only where the handle is an MPI file's
 *                    GUARD   guard   fbtl/mtpwrite serves the handle
 *                    FCOLL           what open/ has made for the fcoll
 *                    FBTL            what fbtl/mtpwrite has made
 *
 * A record is made by its first client and ends when its last place is empty.
 */
typedef enum mca_common_collio_client_t {
    MCA_COMMON_COLLIO_PLACE_HOOK,
    MCA_COMMON_COLLIO_PLACE_GUARD,
    MCA_COMMON_COLLIO_PLACE_FCOLL,
    MCA_COMMON_COLLIO_PLACE_FBTL,
    MCA_COMMON_COLLIO_PLACES
} mca_common_collio_client_t;

typedef struct mca_common_collio_handle_t {
    struct mca_common_collio_handle_t *next;
    ompio_file_t *fh;
    int visitors; /* threads that are in handle_for_each with this record */
    void *_Atomic place[MCA_COMMON_COLLIO_PLACES];
    mca_common_collio_hook_t hook;   /* what place HOOK points to */
    mca_common_collio_guard_t guard; /* what place GUARD points to */
} mca_common_collio_handle_t;

/** What is in a place of the handle's record, or NULL. */
void *mca_common_collio_handle_get(const ompio_file_t *fh, mca_common_collio_client_t client);
/** The record of a handle: found, or made without clients. NULL: no memory. */
mca_common_collio_handle_t *mca_common_collio_handle_take(ompio_file_t *fh);
/** Empties a place as soon as no thread visits the record, and ends a record without clients. */
void mca_common_collio_handle_clear(ompio_file_t *fh, mca_common_collio_client_t client);

/** Calls `each` for what is in this place of every record. No lock is held meanwhile. What another
 *  thread clears is either visited before it is cleared, or not at all. */
void mca_common_collio_handle_for_each(mca_common_collio_client_t client,
                                       void (*each)(void *value, void *data), void *data);

/** One record is kept back for an open that finds no memory. */
void mca_common_collio_handle_reserve(void);
void mca_common_collio_handle_unreserve(void);

#endif /* MCA_COMMON_COLLIO_HANDLE_H */
