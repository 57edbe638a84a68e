/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NAMING_H
#define COLLIO_NAMING_H

/**
 * Which component of a framework serves a file: what the user's list of names (--mca fcoll
 * overlap,vulcan) and the parameter `priority` of a component mean.
 *
 * Open MPI loads the components of the list and selects by priority alone, so that the order of the
 * list has no effect, and a component of low priority is never used although it is named. Here a
 * list is a wish: a component that it names has a priority above all stock components, the first
 * one of several the highest. A priority that the user sets wins over the list.
 */

enum {
    COLLIO_PRIORITY_DEFAULT = 5,     /* default of the parameter `priority` */
    COLLIO_PRIORITY_STOCK_MAX = 100, /* no stock component has a higher priority */
    COLLIO_PRIORITY_NAMED = 110      /* of the last name of a list */
};

/** Returns the number of names from this one to the end of the list; 0 if the list does not have
 *  the name, excludes its names ("^overlap") or is NULL. */
int collio_naming_place(const char *list, const char *name);

/** Returns the priority of a component for a file, or 0: the component declines the file.
 *  `priority` is the value of the component's parameter. */
int collio_naming_priority(const char *list, const char *name, int priority);

#endif /* COLLIO_NAMING_H */
