/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/*
 * The table of all schedules; it is made from the list in the header.
 */
#include "common_collio_schedule.h"

#define ADDRESS(name) &mca_common_collio_schedule_##name,
const mca_common_collio_schedule_t *const mca_common_collio_schedules[] = {
    MCA_COMMON_COLLIO_SCHEDULE_LIST(ADDRESS) NULL};
