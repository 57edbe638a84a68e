/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TUNER_H
#define COLLIO_TUNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/transport_rule.h"

/**
 * The choices of `auto`. Rules (core/choice.h) give the first choice; the first calls of a kind
 * then measure this choice and its alternatives, and later calls use the fastest. The agreement
 * that ends every call includes the time of the slowest rank, so all ranks choose the same without
 * additional messages.
 */
typedef struct collio_tuner_t collio_tuner_t;
struct collio_way_t;
struct collio_exchange_t;
struct collio_file_t;

/** Returns a tuner with the measurements that this rank has of files of this kind, or NULL: out of
 *  memory. Local. */
collio_tuner_t *collio_tuner_open(struct collio_file_t *file);
/** Returns the hash of all measurements, which is recomputed only after calls. At open the ranks
 *  compare their hashes, and call collio_tuner_reset if these differ. */
int64_t collio_tuner_hash(collio_tuner_t *tuner);
void collio_tuner_reset(collio_tuner_t *tuner);
/** Frees the tuner without keeping its measurements. Local. */
void collio_tuner_drop(struct collio_file_t *file);
/** Frees the tuner, and keeps its measurements for the next file of this kind. Local. */
void collio_tuner_close(struct collio_file_t *file);

/** Sets ex->way, without the transport, from agreed values. Returns the kind of collective buffers
 *  that `auto` uses: SHARED or PRIVATE. */
collio_buffers_t collio_tuner_choose(struct collio_exchange_t *ex, int64_t window_bytes,
                                     bool interleaved);

/** True if this rank's request resembles its last one in this direction, and that call was direct,
 *  other than for a measurement. A local prediction: the agreement finds whether all ranks have the
 *  same. */
bool collio_tuner_expects_direct(const struct collio_exchange_t *ex);

/** Records a call in which ranks accessed their pieces before the agreement. `by_all`: every rank
 *  with data did. */
void collio_tuner_served(struct collio_exchange_t *ex, bool by_all);

/** Records the time of the call on the slowest rank, and how much of it an overlap could hide. */
void collio_tuner_record(struct collio_exchange_t *ex, int64_t nanoseconds, int64_t hideable);

/** Records how a call is carried out, when its cycles begin: it may differ from the choice. */
void collio_tuner_used(struct collio_exchange_t *ex);

/** Returns how the write or read of this file with the most bytes was carried out, of equal ones
 *  the last; NULL: none. */
const struct collio_way_t *collio_tuner_largest(const collio_tuner_t *tuner, bool write);

#endif /* COLLIO_TUNER_H */
