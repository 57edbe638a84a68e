/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_SHAREDFP_ONDEMAND_COUNTER_H
#define MCA_SHAREDFP_ONDEMAND_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "ompi/mca/common/collio/access/access.h"

/**
 * Numbers that the ranks of a file share, in a small file. The rank that first adds to a number
 * creates the file. All numbers are 0 at the start. Uses no MPI.
 */

enum { MCA_SHAREDFP_ONDEMAND_SLOTS = 512 };

typedef struct mca_sharedfp_ondemand_counter_t {
    char *path;             /* path of the file, the same on all ranks; owned */
    bool mapped;            /* ranks of one node map the file into memory */
    bool locks;             /* byte-range locks exclude ranks of other nodes */
    int fd;                 /* descriptor of the file; -1: this rank has not used the counter */
    collio_access_t access; /* the same descriptor, for locks */
    int64_t *numbers;       /* the mapped file, or one block for transfers */
    struct stat dead;       /* the turn of a rank that was killed; st_ino is 0: none is known */
} mca_sharedfp_ondemand_counter_t;

/** Initializes a counter, and takes ownership of `path` (from malloc). Accesses no file. Without
 *  `mapped` and without `locks` the ranks take turns by making a directory, which is exclusive on
 *  every file system, but slower than a lock. */
void mca_sharedfp_ondemand_counter_init(mca_sharedfp_ondemand_counter_t *counter, char *path,
                                        bool mapped, bool locks);

/** Adds to number `slot`, and gets the value before the addition. Atomic with respect to all other
 *  ranks. Returns 0 or a positive errno; EOWNERDEAD: a rank has had the turn for a minute, so it
 *  was probably killed. While its directory is there, later calls return this at once. */
int mca_sharedfp_ondemand_counter_add(mca_sharedfp_ondemand_counter_t *counter, int slot,
                                      int64_t bytes, int64_t *before);

/** Sets all numbers to 0, while no other rank uses them. Returns 0 or a positive errno. */
int mca_sharedfp_ondemand_counter_clear(mca_sharedfp_ondemand_counter_t *counter);

/** Frees a counter. `last`: no other rank uses the numbers, and this rank removes the file. */
void mca_sharedfp_ondemand_counter_fini(mca_sharedfp_ondemand_counter_t *counter, bool last);

#endif /* MCA_SHAREDFP_ONDEMAND_COUNTER_H */
