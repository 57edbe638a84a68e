/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_MAP_H
#define COLLIO_MAP_H

#include "node/shm.h"

struct collio_file_t;

/**
 * The map of ranks and nodes (file->nodes). Its tables grow with the number of ranks, so the ranks
 * of a node share one copy; jobs on one node need no tables. Where no memory can be shared, every
 * rank has a copy.
 */
typedef struct collio_map_t {
    collio_shm_t segment; /* tables that the ranks of the node share */
    void *tables;         /* the tables: in `segment`, or memory of this rank */
} collio_map_t;

/** Makes the map of a file that has its communicators and its agreement. Collective. Returns an
 *  Open MPI error code. */
int collio_map_make(struct collio_file_t *file);
/** Frees a map. NULL is allowed. */
void collio_map_free(collio_map_t *map);

#endif /* COLLIO_MAP_H */
