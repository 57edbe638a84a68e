/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_TUNER_H
#define COLLIO_TUNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/reason.h"

/**
 * What `auto` chooses. Rules (core/choice.h) give the first choice; then the first calls of a kind
 * measure it and its alternatives, and the fastest is kept. The time of a call (that of the slowest
 * rank) is part of the agreement that ends every call anyway, so all ranks choose alike without
 * additional messages.
 */
typedef struct collio_tuner_t collio_tuner_t;
struct collio_choices_t;
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

/** Notes how a call is carried out whose cycles begin: not always as it was chosen. */
void collio_tuner_used(struct collio_exchange_t *ex);

/** How the last write or read of this file was carried out; NULL: there was none. */
const struct collio_choices_t *collio_tuner_last(const collio_tuner_t *tuner, bool write);

/** One decision, for output. */
typedef struct collio_decision_t {
    const char *name;    /* "transport" */
    const char *value;   /* "shm" */
    collio_reason_t why; /* reason of the decision */
} collio_decision_t;

/** The decisions about a call, in the order of COLLIO_DECISION_*; returns their number, at most
 *  COLLIO_DECISIONS. layers: the component may have two. */
int collio_tuner_decisions(const struct collio_choices_t *choices, bool layers,
                           collio_decision_t *row);

#endif /* COLLIO_TUNER_H */
