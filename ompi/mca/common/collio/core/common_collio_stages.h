/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_STAGES_H
#define MCA_COMMON_COLLIO_STAGES_H

#include "common_collio_schedule.h"

#include <stdbool.h>

/**
 * Progress in terms of the first and second stage of a cycle: shuffle then access for a write,
 * access then shuffle for a read. In these terms writes and reads have the same rules.
 */
typedef struct mca_common_collio_stages_t {
    size_t cycles;
    size_t first_started;
    size_t first_done;
    size_t second_started;
    size_t second_done;
} mca_common_collio_stages_t;

static inline mca_common_collio_stages_t
mca_common_collio_stages(const mca_common_collio_progress_t *progress)
{
    if (progress->write) {
        return (mca_common_collio_stages_t){progress->cycles, progress->shuffles_started,
                                            progress->shuffles_done, progress->accesses_started,
                                            progress->accesses_done};
    }
    return (mca_common_collio_stages_t){progress->cycles, progress->accesses_started,
                                        progress->accesses_done, progress->shuffles_started,
                                        progress->shuffles_done};
}

/** The first stage runs ahead and the second one blocks: a second stage starts only when the next
 *  first stage has been started, and no other second stage is running. */
bool mca_common_collio_first_ahead_may_second(const mca_common_collio_stages_t *stages);

/** The second stage runs in the background and the first one blocks: nothing starts during a first
 *  stage, which starts only when all cycles ready for their second stage have started it. */
bool mca_common_collio_second_behind_may_first(const mca_common_collio_stages_t *stages);
bool mca_common_collio_second_behind_may_second(const mca_common_collio_stages_t *stages);

#endif /* MCA_COMMON_COLLIO_STAGES_H */
