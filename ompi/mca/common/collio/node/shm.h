/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SHM_H
#define COLLIO_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * A segment of memory in /dev/shm that the processes of a node share. One process creates it and
 * sends its key to the other processes, which attach the segment by this key only:
 *
 *   key[0]   random, part of the name: no process can create an object of this name in advance
 *   key[1]   random, written after the payload: an object of this name that another process has
 *            created is refused
 *   key[2]   0, or the errno of the process that could not create the segment
 *
 * collio_shm_attach also refuses an object that is not a regular file of its own user with mode
 * 0600 and exactly the expected size; access past the end of a smaller one would raise SIGBUS. A
 * process with another /dev/shm (container) finds no object of the name and returns an error.
 *
 * A process that is killed before it removes the name leaves the object. The kernel drops its lock
 * then, and the next process of the user that creates a segment removes the object. Uses no MPI.
 */
typedef struct collio_shm_t {
    void *at;      /* address of the segment; NULL: not mapped */
    size_t bytes;  /* bytes of the payload */
    char name[48]; /* name of the object in /dev/shm, with a leading slash */
    int holder;    /* 1 + the descriptor that locks the object until this process, which has created
                      the name, removes it; 0: not its creator */
} collio_shm_t;

enum { COLLIO_SHM_KEY = 3 };

/** Creates a zeroed segment of `bytes` and maps it. Allocates all its memory, so that no access to
 *  it can fail. Writes the key: numbers that are not negative. Returns 0 or a positive errno. */
int collio_shm_make(collio_shm_t *segment, size_t bytes, int64_t key[COLLIO_SHM_KEY]);

/** Returns what a user can do about an errno of collio_shm_make or collio_shm_attach: "enlarge
 *  /dev/shm". */
const char *collio_shm_advice(int error);

/** Maps the segment that another process has created, unless the struct (zeroed before its first
 *  use) has a segment. Returns 0 or a positive errno; ESTALE: an object of the name exists but is
 *  not the one of this key. */
int collio_shm_attach(collio_shm_t *segment, size_t bytes, const int64_t key[COLLIO_SHM_KEY]);

/** Removes the name, if this process has created it. Idempotent. */
void collio_shm_unlink(collio_shm_t *segment);

/** Unmaps the segment and removes the name. Idempotent. */
void collio_shm_fini(collio_shm_t *segment);

/** Frees the memory of the segment even if other processes have mapped it, so that they lose its
 *  content; then calls collio_shm_fini. */
void collio_shm_discard(collio_shm_t *segment);

/** Sets the function that is called when memory is short. It frees memory that is kept for later
 *  use, and returns true if it has freed any. */
void collio_shm_set_relief(bool (*relief)(void));
/** Calls the function of collio_shm_set_relief. True: a failed allocation can be tried again. */
bool collio_shm_relieve(void);

#endif /* COLLIO_SHM_H */
