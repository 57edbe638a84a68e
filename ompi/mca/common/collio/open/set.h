/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SET_H
#define COLLIO_SET_H

#include "file/file.h"

/**
 * Process sets: processes that open files together, and the contexts that they keep for their next
 * file.
 *
 *   set          the processes of a communicator, in its order; found by their names, so that
 *                duplicates of a communicator (which libraries make for every file) are one set
 *     agreement  used by all ranks when they open a file (node/agreement.h)
 *     entry[4]   empty, free (a context without a file), or taken (by an open file)
 *
 * The first file of a set creates its agreement, if the processes can keep contexts; every later
 * file uses it. The agreement also chooses the entry of the file: one that is free on all ranks,
 * else one that is empty on all ranks, else none (then the file keeps nothing). If a file handle
 * fails on a rank, its entry stays taken.
 *
 * All ranks use the agreement for the same file, because the processes of a set open its files in
 * the same order: an open may wait for all of them. Several threads in MPI could open files in
 * different orders, so there is no set if any rank has MPI_THREAD_MULTIPLE. The ranks agree once,
 * by messages, whether there is a set, and the set stays until MPI_Finalize. There a rank frees the
 * contexts that it keeps and marks all entries taken: callbacks of other libraries may still open
 * files, which then have their own contexts.
 */
typedef struct collio_set_t collio_set_t;

enum { COLLIO_SET_ENTRIES = 4 };

/** Returns the set of this communicator's processes, or NULL. Local; allocates no memory. */
collio_set_t *collio_set_find(ompi_communicator_t *comm);

/** Allocates a record for the set of the file's processes, which have no set. NULL: this process
 *  cannot keep contexts (MPI_THREAD_MULTIPLE, processes of another job, a communicator of a
 *  session, too many sets, MPI_Finalize, no memory). Local. */
collio_set_t *collio_set_prepare(const collio_file_t *file);
/** Frees a record that collio_set_enter has not entered. NULL is allowed. */
void collio_set_drop(collio_set_t *set);

/** Frees the records of all sets, after MPI has freed all communicators. Local. */
void collio_set_free_all(void);

/** Connects a prepared set, enters it in the list and gives its first entry to the first file,
 *  which has its context. Collective; all ranks have prepared a set. Drops the set if no memory can
 *  be shared. */
void collio_set_enter(collio_set_t *set, collio_file_t *file);

/** Lends nodes and agreement of the set to a later file that is being opened. The set owns both. */
void collio_set_lend(collio_set_t *set, collio_file_t *file);

/** Measures the costs of messages for the first file of the set that may have two layers and leaves
 *  the number of local aggregators to `auto`. Later files have the costs from collio_set_lend.
 *  Collective; decides by agreed values. */
void collio_set_costs(collio_set_t *set, collio_file_t *file);

/** Number of fields of the entries in the agreement of an open. */
enum { COLLIO_SET_FIELDS = 2 * COLLIO_SET_ENTRIES };
/** Writes the states of this rank's entries, for a reduction of maxima. `set` NULL: all are empty.
 */
void collio_set_offer(const collio_set_t *set, int64_t mine[COLLIO_SET_FIELDS]);
/** Gives the file the entry that follows from the maxima. True if the entry has a context, which
 *  moves into the file; false if the file needs a new context. Local. */
bool collio_set_take(collio_set_t *set, const int64_t all[COLLIO_SET_FIELDS], collio_file_t *file);
/** Moves the context of a file that is being closed into its entry. False: the context stays with
 *  the file (no entry, MPI_Finalize, or calls in progress), which must free it. */
bool collio_set_give(collio_file_t *file);

/** Frees the memory of all contexts without a file, because memory is short. True if there was any.
 *  Must not be called between `offer` and `take`. Local. */
bool collio_set_relieve(void);

#endif /* COLLIO_SET_H */
