/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NAMED_H
#define COLLIO_NAMED_H

#include "compat/compat.h"

/**
 * The components that the user requests. A component that is installed but not requested declines
 * every file before it sends a message, makes a system call or changes a hint.
 */

/** Is a component named in its framework's list (--mca fs NAME,ufs)? */
bool collio_named(const struct mca_base_framework_t *framework, const char *name);

/** Is a component named, or its priority above its default priority? */
bool collio_is_requested(const struct mca_base_framework_t *framework, const char *name,
                         int priority, int priority_default);

/** Do fcoll/overlap or fcoll/tam serve the files of this process? Either only they are named, or
 *  one of them has a priority above all stock components. Local. */
bool collio_fcoll_is_chosen(void);

/** For the open function of fcoll/overlap and fcoll/tam: if they serve the files of this process,
 *  sets the selection parameter of the sharedfp framework so that sharedfp/ondemand and
 *  sharedfp/individual remain. Does nothing if the user has set that parameter or switched ondemand
 *  off, or if the framework is open. */
void collio_sharedfp_select(void);
/** For the close function: releases the reference to the framework that select took. */
void collio_sharedfp_release(void);

#endif /* COLLIO_NAMED_H */
