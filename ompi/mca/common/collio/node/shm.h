/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SHM_H
#define COLLIO_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A piece of memory in /dev/shm that the processes of a node share. One process makes it and sends
 * its key to the others; they attach it by that key and nothing else:
 *
 *   key[0]   random, in the name: nobody can create the object, or leave one behind, in advance
 *   key[1]   random, written behind the payload: an object that has the name, but was not made by
 *            the process that sent the key, is refused
 *
 * An attacher also refuses what is not a regular file of its own user, with this user's permissions
 * only and exactly the expected size: a smaller one would be a SIGBUS. Processes with another
 * /dev/shm (containers) find nothing under the name, and return an error. No MPI in here.
 */
typedef struct collio_shm_t {
    void *at;      /* the memory; NULL: not mapped */
    size_t bytes;  /* bytes of the payload */
    char name[48]; /* name of the object */
    int named;     /* this process made the name, and it still exists */
} collio_shm_t;

/** Makes a zeroed segment of `bytes` and maps it. All its memory is allocated: touching it cannot
 *  fail. The key's numbers are positive. 0 or a positive errno. */
int collio_shm_make(collio_shm_t *segment, size_t bytes, int64_t key[2]);

/** Maps the segment that another process made. 0 or a positive errno; ESTALE: an object of that
 *  name exists, but it is not the one that was made for this key. */
int collio_shm_attach(collio_shm_t *segment, size_t bytes, const int64_t key[2]);

/** Removes the name, if this process made it: from now on nothing is left behind. Idempotent. */
void collio_shm_unlink(collio_shm_t *segment);

/** Unmaps it, and removes the name. Idempotent. */
void collio_shm_fini(collio_shm_t *segment);

/** The same, and gives its memory back even while other processes have it mapped: its content is
 *  lost for all of them. */
void collio_shm_discard(collio_shm_t *segment);

/** `relief` is called when memory is short: it frees what is kept for later use, and returns true
 *  if there was anything. */
void collio_shm_set_relief(bool (*relief)(void));
/** Calls it. True: an allocation that has failed can be tried once more. */
bool collio_shm_relieve(void);

#endif /* COLLIO_SHM_H */
