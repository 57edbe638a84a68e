/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_SHAREDFP_ONDEMAND_COUNTER_H
#define MCA_SHAREDFP_ONDEMAND_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Numbers that the ranks of a file share, in a small file that is made by whichever rank adds to
 * one of them first. All are 0 at the beginning. No MPI.
 */

enum { MCA_SHAREDFP_ONDEMAND_SLOTS = 512 };

typedef struct mca_sharedfp_ondemand_counter_t {
    char *path;       /* the same file on all ranks */
    bool mapped;      /* all ranks are on one node: the file is mapped into memory */
    bool locks;       /* byte-range locks keep ranks of other nodes out */
    int fd;           /* descriptor of the file; -1: this rank has not used the counter */
    int64_t *numbers; /* the mapped file, or one block for transfers */
} mca_sharedfp_ondemand_counter_t;

/** Takes over `path` (from malloc). Touches no file. Without `mapped` and without `locks` the ranks
 *  take turns by making a directory: that is exclusive on every file system, and slower. */
void mca_sharedfp_ondemand_counter_init(mca_sharedfp_ondemand_counter_t *counter, char *path,
                                        bool mapped, bool locks);

/** Adds to number `slot`, and gives its value before that. Safe against all other ranks. 0 or a
 *  positive errno. */
int mca_sharedfp_ondemand_counter_add(mca_sharedfp_ondemand_counter_t *counter, int slot,
                                      int64_t bytes, int64_t *before);

/** Sets all numbers to 0, while no other rank uses them. 0 or a positive errno. */
int mca_sharedfp_ondemand_counter_clear(mca_sharedfp_ondemand_counter_t *counter);

/** `last`: no rank uses the numbers any more, and this one removes the file, if there is one. */
void mca_sharedfp_ondemand_counter_fini(mca_sharedfp_ondemand_counter_t *counter, bool last);

#endif /* MCA_SHAREDFP_ONDEMAND_COUNTER_H */
