/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/** The component, with one layer. See fcoll_overlap.h. */
#include "fcoll_overlap.h"

COLLIO_FCOLL_COMPONENT(overlap, false);
