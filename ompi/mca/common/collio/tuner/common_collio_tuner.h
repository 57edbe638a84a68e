/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_TUNER_H
#define MCA_COMMON_COLLIO_TUNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * What `auto` chooses. Rules (core/choice.h) give the first choice; then the first calls of a kind
 * measure it and its alternatives, and the fastest is kept. The time of a call (that of the slowest
 * rank) is part of the agreement that ends every call anyway, so all ranks choose alike without
 * additional messages.
 */
typedef struct mca_common_collio_tuner_t mca_common_collio_tuner_t;
struct mca_common_collio_exchange_t;

struct mca_common_collio_file_t;

/** Starts from what this rank remembers of files of this kind. NULL: out of memory. Local. */
mca_common_collio_tuner_t *mca_common_collio_tuner_open(struct mca_common_collio_file_t *file);
/** The ranks compare their hashes at open, and forget when they differ. */
int64_t mca_common_collio_tuner_hash(const mca_common_collio_tuner_t *tuner);
void mca_common_collio_tuner_forget(mca_common_collio_tuner_t *tuner);
/** Ends it as if it had never been. Local. */
void mca_common_collio_tuner_drop(struct mca_common_collio_file_t *file);
/** Keeps what was learnt for the next file of this kind. Local. */
void mca_common_collio_tuner_close(struct mca_common_collio_file_t *file);

/** Sets ex->way from agreed values. */
void mca_common_collio_tuner_choose(struct mca_common_collio_exchange_t *ex, int64_t window_bytes);

/** Does this rank's request resemble its last one in this direction, and did that call skip the
 *  exchange, other than for a measurement? Local, so only a guess: the agreement shows whether all
 *  ranks guessed the same. */
bool mca_common_collio_tuner_expects_direct(struct mca_common_collio_exchange_t *ex);

/** The two halves of this for calls that are not agreed on. Did the last call in this direction
 *  skip the exchange, and is nothing to be tried now? The same on all ranks. */
bool mca_common_collio_tuner_last_was_direct(struct mca_common_collio_exchange_t *ex);
/** Is this rank's request like its last one? One without bytes is no reason to ask others, unless
 *  they may have other requests than before, because the view is new. */
bool mca_common_collio_tuner_unchanged(const struct mca_common_collio_exchange_t *ex);
void mca_common_collio_tuner_new_view(struct mca_common_collio_file_t *file);
/** Notes such a call. What was learnt changes only when the ranks have told each other how many
 *  there were (reads, writes), because it must be the same on all of them. */
void mca_common_collio_tuner_ahead(struct mca_common_collio_exchange_t *ex);
void mca_common_collio_tuner_ahead_calls(const struct mca_common_collio_file_t *file,
                                         int64_t calls[2]);
void mca_common_collio_tuner_ahead_settle(struct mca_common_collio_file_t *file,
                                          const int64_t calls[2]);

/** Notes a call that skipped the exchange before it was agreed on; `late`: some rank did not. */
void mca_common_collio_tuner_served(struct mca_common_collio_exchange_t *ex, bool late);

/** Notes how long the call took on the slowest rank, and how much of it could have been hidden. */
void mca_common_collio_tuner_learn(struct mca_common_collio_exchange_t *ex, int64_t nanoseconds,
                                   int64_t hideable);

/** Notes the transport of a call whose cycles begin: not always the one that was chosen. */
void mca_common_collio_tuner_used(struct mca_common_collio_exchange_t *ex);

/** Describes in one line what was used last. sum: the file's counters, summed over all ranks. */
void mca_common_collio_tuner_describe(const mca_common_collio_tuner_t *tuner, const uint64_t *sum,
                                      int ranks, char *text, size_t size);

#endif /* MCA_COMMON_COLLIO_TUNER_H */
