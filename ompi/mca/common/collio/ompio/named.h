/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NAMED_H
#define COLLIO_NAMED_H

#include "compat/compat.h"

/**
 * The components that the user requests. A component that is installed but not requested declines
 * every file before it sends a message, makes a system call or changes a hint. core/naming.h has
 * the rules.
 */

/** A component, as its framework selects it. */
typedef struct collio_candidate_t {
    const struct mca_base_framework_t *framework; /* the framework of the component */
    const char *name;                             /* "overlap", as in --mca fcoll overlap */
    const int *priority;                          /* value of the parameter `priority` */
} collio_candidate_t;

/** Returns the priority of a component for the files of this process; 0: the component is not
 *  requested. Local. */
int collio_candidate_priority(const collio_candidate_t *candidate);
/** Writes why the component is requested: "named (--mca fcoll overlap)". */
void collio_candidate_why(const collio_candidate_t *candidate, char *text, size_t size);

/** Verbose level 1: one line per file on rank 0: whether the component serves it, and the reason. A
 *  query that declines calls `declined`; `why` is NULL if the component is not requested. The init
 *  function of a module calls `selected`, the unquery function `outranked`. */
void collio_candidate_declined(const collio_candidate_t *candidate, const ompio_file_t *fh,
                               const char *why);
void collio_candidate_selected(const collio_candidate_t *candidate, const ompio_file_t *fh);
void collio_candidate_outranked(const collio_candidate_t *candidate, const ompio_file_t *fh);

/** True if fcoll/overlap or fcoll/tam serves the files of this process: it is named, or its
 *  priority is above that of all stock components. Local. */
bool collio_fcoll_is_chosen(void);

/** For the open function of fcoll/overlap and fcoll/tam: if they serve the files of this process,
 *  sets the selection parameter of the sharedfp framework so that sharedfp/ondemand and
 *  sharedfp/individual remain. Does nothing if the user has set that parameter or switched ondemand
 *  off, or if the framework is open. */
void collio_sharedfp_select(void);
/** For the close function: releases the reference to the framework that select took. */
void collio_sharedfp_release(void);

#endif /* COLLIO_NAMED_H */
