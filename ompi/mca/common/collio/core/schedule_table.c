/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * The table of all schedules, made from the list in schedule.h.
 */
#include "schedule.h"

#define ADDRESS(name) &collio_schedule_##name,
const collio_schedule_t *const collio_schedules[] = {COLLIO_SCHEDULE_LIST(ADDRESS) NULL};
