/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * fcoll/overlap: two-phase collective I/O that overlaps shuffle and file access.
 *
 * Everything it does is in common/collio. How it works: docs/collective-io.md.
 */
#include "fcoll_overlap.h"

COLLIO_FCOLL_COMPONENT(overlap, false);
