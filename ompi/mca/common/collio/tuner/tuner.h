/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TUNER_H
#define COLLIO_TUNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * What `auto` chooses. Rules (core/choice.h) give the first choice; then the first calls of a kind
 * measure it and its alternatives, and the fastest is kept. The time of a call (that of the slowest
 * rank) is part of the agreement that ends every call anyway, so all ranks choose alike without
 * additional messages.
 */
typedef struct collio_tuner_t collio_tuner_t;
struct collio_exchange_t;

struct collio_file_t;

/** Starts from what this rank remembers of files of this kind. NULL: out of memory. Local. */
collio_tuner_t *collio_tuner_open(struct collio_file_t *file);
/** The ranks compare their hashes at open, and forget when they differ. A hash is computed again
 *  only after calls. */
int64_t collio_tuner_hash(collio_tuner_t *tuner);
void collio_tuner_forget(collio_tuner_t *tuner);
/** Ends it as if it had never been. Local. */
void collio_tuner_drop(struct collio_file_t *file);
/** Keeps what was learnt for the next file of this kind. Local. */
void collio_tuner_close(struct collio_file_t *file);

/** Sets ex->way from agreed values. */
void collio_tuner_choose(struct collio_exchange_t *ex, int64_t window_bytes);

/** Does this rank's request resemble its last one in this direction, and did that call skip the
 *  exchange, other than for a measurement? Local, so only a guess: the agreement shows whether all
 *  ranks guessed the same. */
bool collio_tuner_expects_direct(const struct collio_exchange_t *ex);

/** Notes a call in which ranks accessed their pieces before the agreement. `by_all`: every rank
 *  with data did. */
void collio_tuner_served(struct collio_exchange_t *ex, bool by_all);

/** Notes how long the call took on the slowest rank, and how much of it could have been hidden. */
void collio_tuner_learn(struct collio_exchange_t *ex, int64_t nanoseconds, int64_t hideable);

/** Notes the transport of a call whose cycles begin: not always the one that was chosen. */
void collio_tuner_used(struct collio_exchange_t *ex);

/** Why this call is exchanged or not, in a few words. */
const char *collio_tuner_reason(const struct collio_exchange_t *ex);

/** Describes in one line what was used last. sum: the file's counters, summed over all ranks. */
void collio_tuner_describe(const collio_tuner_t *tuner, const uint64_t *sum, int ranks, char *text,
                           size_t size);
/** Why the last calls of this file were direct or exchanged: "write: exchange (as set)". */
void collio_tuner_reasons(const collio_tuner_t *tuner, char *text, size_t size);

#endif /* COLLIO_TUNER_H */
