/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_HOOK_H
#define COLLIO_HOOK_H

#include "compat/compat.h"

/**
 * hook/: the data of one open file handle. handle.h has the record of each handle, this header the
 * entries of collio in OMPIO's per-file table. guard.h, reach.h and session.h have the agreements
 * of a handle on sieved writes, caches, locks and the session directory.
 *
 * The per-file table: every ompi_file_t has io/ompio's function table BY VALUE
 * (file->f_io_selected_module), set before the fbtl's module init runs. A component may put its
 * own entries there for one file, keep the originals, and call them. The hook of a file has the
 * originals and undoes all changes at close.
 *
 * The two clients never use the same entry: fbtl/mtpwrite (individual access) and the fcolls
 * (collective access, for true counts). file_close belongs to the hook itself: it runs the
 * clients' close callbacks, newest first, restores the table, and calls the original. Some entries
 * are replaced for every file (ompio/entries.c).
 *
 * A handle counts as real only if some MPI file's f_io_selected_data is that very ompio_file_t:
 * sharedfp/individual passes uninitialized handles in 4.1 and 5.0.
 */

/** A function that runs at MPI_File_close, before any data of the file are freed, on every rank of
 *  the file's communicator (so it may communicate). */
typedef void collio_closer_t(ompio_file_t *fh);

/** Maximum number of close callbacks of one file: one of the fcoll, two of the fbtl. */
enum { COLLIO_HOOK_CLOSERS = 3 };

typedef struct collio_hook_t {
    ompi_file_t *file;                                     /* the MPI file */
    ompio_file_t *fh;                                      /* the handle of io/ompio */
    collio_io_table_t original;                            /* all of io/ompio's own entries */
    struct collio_flat_cache_t *flats;                     /* cache of view/flat.c */
    void (*free_flats)(struct collio_flat_cache_t *flats); /* frees the cache at close */
    int closer_count;                                      /* number of close callbacks */
    collio_closer_t *closer[COLLIO_HOOK_CLOSERS];          /* callbacks, run newest first */
} collio_hook_t;

/** Returns the hook of a file: found, or made (then file_close is replaced). NULL if `fh` is not
 *  the handle of a real MPI file, or if there is no memory. Local. */
collio_hook_t *collio_hook_get(ompio_file_t *fh);

/** Returns the hook of an MPI file, for use inside replaced entries; NULL if it has none. */
collio_hook_t *collio_hook_find(ompi_file_t *file);

/** Registers a close callback, once. */
void collio_hook_on_close(collio_hook_t *hook, collio_closer_t *closer);

#endif /* COLLIO_HOOK_H */
