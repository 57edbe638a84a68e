/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_PUT_DEFECTS_H
#define COLLIO_PUT_DEFECTS_H

#include "exchange/exchange.h"

/**
 * Defects of osc components that RMA windows must avoid. Differences between releases of Open MPI
 * that are no defects of windows are in compat/compat.h.
 *
 *   defect                                   found in              avoided
 *   a fence returns before large messages    UCX 1.13.1, shared    with osc/ucx where ranks share a
 *   have arrived                             memory                node: one epoch, flushes and
 *                                                                  barriers
 *   disjoint groups that make windows on     osc/rdma of Open      before 5.0: groups take turns
 *   one node at the same time share a        MPI 4.1
 *   segment (open-mpi/ompi#9492)
 */

/** True on all ranks if `mine` is true on each of them. Collective. */
bool collio_put_all_well(collio_file_t *file, bool mine);

/** Decides how the fences of RMA window `i` are carried out, and opens the epoch of a window
 *  without fences. Returns true if this rank succeeded. Collective. */
bool collio_put_choose_fences(const collio_exchange_t *ex, int i);

/** Waits until no other group of ranks creates an RMA window on the nodes of this file. Call it
 *  when all ranks have arrived: a late rank may still be in another group. Collective. Returns the
 *  argument of collio_put_end_turn(). */
int collio_put_take_turn(const collio_file_t *file);
void collio_put_end_turn(int turn);

#endif /* COLLIO_PUT_DEFECTS_H */
