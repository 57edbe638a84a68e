/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HANDLE_H
#define COLLIO_HANDLE_H

#include "compat/compat.h"
#include "hook/guard.h"
#include "hook/hook.h"
#include "hook/session.h"

/**
 * One record for each open ompio handle, with a place for the data of each client. OMPIO selects
 * the fcoll again at every set_view without finalizing the old module, so data that live as long as
 * the file cannot belong to a module. Handles of shared file pointers have records, too.
 *
 *   fh ---> record   HOOK         hook    the per-file table; only if the handle is an MPI file's
 *                    GUARD        guard   fbtl/mtpwrite serves the handle
 *                    FCOLL                data of the fcoll, made by open/
 *                    INDIVIDUAL           access of individual calls, made by ompio/
 *                    POINTER              shared file pointer of sharedfp/ondemand
 *
 * A record is made by its first client and ends when its last place is empty.
 */
typedef enum collio_client_t {
    COLLIO_PLACE_HOOK,
    COLLIO_PLACE_GUARD,
    COLLIO_PLACE_FCOLL,
    COLLIO_PLACE_INDIVIDUAL,
    COLLIO_PLACE_POINTER,
    COLLIO_PLACES
} collio_client_t;

typedef struct collio_handle_t {
    struct collio_handle_t *next;       /* next record of the process */
    ompio_file_t *fh;                   /* the handle */
    int visitors;                       /* threads in handle_for_each with this record */
    void *_Atomic place[COLLIO_PLACES]; /* data of each client; NULL: none */
    collio_hook_t hook;                 /* target of place HOOK */
    collio_guard_t guard;               /* target of place GUARD */
    collio_session_t session;           /* comparison of session directories */
} collio_handle_t;

/** Returns the record of a handle, or NULL. */
collio_handle_t *collio_handle_find(const ompio_file_t *fh);
/** Returns the data in a place of the handle's record, or NULL. */
static inline void *collio_handle_get(const ompio_file_t *fh, collio_client_t client)
{
    const collio_handle_t *handle = collio_handle_find(fh);

    return NULL == handle ? NULL : handle->place[client];
}
/** Returns the record of an MPI file, for use inside replaced entries; NULL if it has none. */
static inline collio_handle_t *collio_handle_of(const ompi_file_t *file)
{
    return collio_handle_find((const ompio_file_t *) file->f_io_selected_data);
}
/** Returns the record of a handle: found, or made without clients. NULL: no memory. */
collio_handle_t *collio_handle_take(ompio_file_t *fh);
/** Empties a place as soon as no thread visits the record, and frees a record without clients. */
void collio_handle_clear(ompio_file_t *fh, collio_client_t client);

/** Calls `each` with the data in this place of every record, without a lock. A place that another
 *  thread clears is visited before it is cleared, or not at all. */
void collio_handle_for_each(collio_client_t client, void (*each)(void *value, void *data),
                            void *data);

/* Records that are reserved for an open that finds no memory. An open that failed on one rank for
 * lack of a small record would leave the other ranks waiting: io/ompio has no agreement then. */
enum {
    COLLIO_SPARES = 4,             /* one open: handle, shared file pointer, file, context */
    COLLIO_SPARE_BYTES = 16 * 1024 /* bytes of each reserved record */
};

/** Reserves memory for the records of one open. */
void collio_spare_fill(void);
/** Returns a zeroed record of at most COLLIO_SPARE_BYTES, new or reserved; NULL if memory is short
 *  and the reserve is in use. The caller frees the record. */
void *collio_spare_take(size_t bytes);
/** Frees the reserve. */
void collio_spare_drop(void);

#endif /* COLLIO_HANDLE_H */
