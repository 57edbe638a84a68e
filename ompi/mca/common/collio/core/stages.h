/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_STAGES_H
#define COLLIO_STAGES_H

#include "schedule.h"

#include <stdbool.h>

/**
 * Progress of the first and second stage of a cycle: shuffle then access for a write, access then
 * shuffle for a read. With stages, writes and reads have the same rules.
 */
typedef struct collio_stages_t {
    size_t cycles;         /* number of all cycles */
    size_t first_started;  /* number of cycles whose first stage has started */
    size_t first_done;     /* number of cycles whose first stage has ended, without a gap */
    size_t second_started; /* number of cycles whose second stage has started */
    size_t second_done;    /* number of cycles whose second stage has ended, without a gap */
} collio_stages_t;

static inline collio_stages_t collio_stages(const collio_progress_t *progress)
{
    if (progress->write) {
        return (collio_stages_t){progress->cycles, progress->shuffles_started,
                                 progress->shuffles_done, progress->accesses_started,
                                 progress->accesses_done};
    }
    return (collio_stages_t){progress->cycles, progress->accesses_started, progress->accesses_done,
                             progress->shuffles_started, progress->shuffles_done};
}

/** The first stage runs ahead and the second stage blocks: a second stage starts only after the
 *  next first stage has started, and if no other second stage runs. */
bool collio_first_ahead_may_second(const collio_stages_t *stages);

/** The second stage runs in the background and the first stage blocks: no stage starts during a
 *  first stage. A first stage starts only after all cycles that are ready for their second stage
 *  have started it. */
bool collio_second_behind_may_first(const collio_stages_t *stages);
bool collio_second_behind_may_second(const collio_stages_t *stages);

#endif /* COLLIO_STAGES_H */
