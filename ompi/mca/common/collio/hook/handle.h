/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HANDLE_H
#define COLLIO_HANDLE_H

#include "compat/compat.h"
#include "hook/guard.h"
#include "hook/hook.h"
#include "hook/spare.h"

/**
 * What lives as long as an open file: one record for each ompio handle, with a place for each of
 * its clients. OMPIO selects the fcoll again at every set_view without finalizing the old module,
 * so nothing can hang on a module. Handles of shared file pointers have records too.
 *
 *   fh ---> record   HOOK    hook    the per-file table; only where the handle is an MPI file's
 *                    GUARD   guard   fbtl/mtpwrite serves the handle
 *                    FCOLL           what open/ has made for the fcoll
 *                    FBTL            what fbtl/mtpwrite has made
 *
 * A record is made by its first client and ends when its last place is empty.
 */
typedef enum collio_client_t {
    COLLIO_PLACE_HOOK,
    COLLIO_PLACE_GUARD,
    COLLIO_PLACE_FCOLL,
    COLLIO_PLACE_FBTL,
    COLLIO_PLACES
} collio_client_t;

typedef struct collio_handle_t {
    struct collio_handle_t *next;       /* next record of the process */
    ompio_file_t *fh;                   /* the handle */
    int visitors;                       /* threads in handle_for_each with this record */
    void *_Atomic place[COLLIO_PLACES]; /* what each client has; NULL: nothing */
    collio_hook_t hook;                 /* what place HOOK points to */
    collio_guard_t guard;               /* what place GUARD points to */
} collio_handle_t;

/** What is in a place of the handle's record, or NULL. */
void *collio_handle_get(const ompio_file_t *fh, collio_client_t client);
/** The record of a handle: found, or made without clients. NULL: no memory. */
collio_handle_t *collio_handle_take(ompio_file_t *fh);
/** Empties a place as soon as no thread visits the record, and ends a record without clients. */
void collio_handle_clear(ompio_file_t *fh, collio_client_t client);

/** Calls `each` for what is in this place of every record. No lock is held meanwhile. What another
 *  thread clears is either visited before it is cleared, or not at all. */
void collio_handle_for_each(collio_client_t client, void (*each)(void *value, void *data),
                            void *data);

/** A record for an open that finds no memory. */
extern collio_spare_t collio_handle_spare;

#endif /* COLLIO_HANDLE_H */
