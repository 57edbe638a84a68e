/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_STAGES_H
#define MCA_COMMON_COLLIO_STAGES_H

#include "common_collio_schedule.h"

/**
 * The same progress, seen as first and second stage of a cycle: a read passes access and shuffle in
 * the other order than a write, and all rules are the same once that is taken out.
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

/** The first stage runs ahead, the second one blocks: it starts only when the next first stage is
 *  under way, and alone. */
bool mca_common_collio_first_ahead_may_second(const mca_common_collio_stages_t *stages);

/** The second stage runs behind, the first one blocks: nothing starts during it, and it starts only
 *  when all that is ready for the second stage has been started. */
bool mca_common_collio_second_behind_may_first(const mca_common_collio_stages_t *stages);
bool mca_common_collio_second_behind_may_second(const mca_common_collio_stages_t *stages);

#endif /* MCA_COMMON_COLLIO_STAGES_H */
