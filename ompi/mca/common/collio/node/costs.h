/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_NODE_COSTS_H
#define COLLIO_NODE_COSTS_H

struct collio_file_t;

/**
 * Costs of messages between and inside nodes, which core/policy.h needs to choose the number of
 * local aggregators. Measured once for a process set, when a file is opened that uses them: the
 * first rank of each node receives 66 messages from another node and 66 from its own, half of them
 * of 16 KiB. The messages of an exchange cannot be used instead: the time between two of them is
 * mostly that of their senders.
 */

/** Sets file->costs, the same on all ranks: those of the node with the shortest times
 *  (core/costs.h), so that a disturbed node has no effect. Zeros (unknown) if a node has more ranks
 *  than cores, because the time until a rank gets a core would be measured. Collective over the
 *  file. */
void collio_costs_measure(struct collio_file_t *file);

#endif /* COLLIO_NODE_COSTS_H */
