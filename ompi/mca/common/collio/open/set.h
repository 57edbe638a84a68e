/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SET_H
#define COLLIO_SET_H

#include "file/file.h"

/**
 * Sets of processes that have opened files together, and what they keep for their next file.
 *
 *   set          the processes of a communicator, in its order; found by their names, so that
 *                duplicates of a communicator (which libraries make for every file) are one set
 *     agreement  what the ranks agree by when they open a file (node/agreement.h)
 *     slot[4]    empty, free (a context that no file uses), or taken (by an open file)
 *
 * The first file of a set makes its agreement, if the processes can keep anything, and every later
 * one uses it. Which slot it uses is part of that agreement: one that is free on all ranks, or
 * else one that is empty on all, or none (then nothing of this file is kept). A rank whose file is
 * lost leaves the slot taken for ever.
 *
 * All ranks use that agreement for the same file, because processes that share a set open its files
 * in the same order: an open may wait for all of them. Only several threads in MPI at a time could
 * do otherwise, so a set with MPI_THREAD_MULTIPLE on any rank keeps nothing. Whether there is a
 * set never depends on settings, memory or what one rank knows: it is agreed once, by messages,
 * and stays until MPI is over. In MPI_Finalize a rank ends what it keeps and marks all slots taken:
 * callbacks of other libraries may still open files, which then have contexts of their own.
 */
typedef struct collio_set_t collio_set_t;

enum { COLLIO_SET_SLOTS = 4 };

/** The set of this communicator's processes; NULL if it has none. Local; needs no memory. */
collio_set_t *collio_set_find(ompi_communicator_t *comm);

/** A record for the set of the file's processes, which have none yet. NULL: this process cannot
 *  keep anything (more than one thread in MPI, processes of another job, a communicator of a
 *  session, too many sets, no memory). Local. */
collio_set_t *collio_set_prepare(const collio_file_t *file);
void collio_set_drop(collio_set_t *set);

/** MPI is over and has freed all communicators: drops the records of all sets. Local. */
void collio_set_forget(void);

/** After the first file's context is there: connects and enters the set; the file has its first
 *  slot. Collective; all ranks have prepared one. Does nothing where no memory can be
 *  shared. */
void collio_set_found(collio_set_t *set, collio_file_t *file);

/** A later file, which is being opened, has the nodes and the agreement of its set; the set owns
 *  both. */
void collio_set_lend(const collio_set_t *set, collio_file_t *file);

/** What this rank tells about the slots (`set` NULL: nothing), for a reduction of maxima. */
enum { COLLIO_SET_FIELDS = 2 * COLLIO_SET_SLOTS };
void collio_set_offer(const collio_set_t *set, int64_t mine[COLLIO_SET_FIELDS]);
/** Gives the file the slot that follows from the maxima, with the context in it if it has one:
 *  true. False: the file needs a new context. Local. */
bool collio_set_take(collio_set_t *set, const int64_t all[COLLIO_SET_FIELDS], collio_file_t *file);
/** A file that has a slot is closed: its context is free for the next. False: it has none. */
bool collio_set_give(collio_file_t *file);

/** Memory is short: frees what contexts keep of it that no file uses. True when there was any. Not
 *  between `offer` and `take`. Local. */
bool collio_set_relieve(void);

#endif /* COLLIO_SET_H */
