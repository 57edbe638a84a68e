/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/** The component, with two layers. See fcoll_tam.h. */
#include "fcoll_tam.h"

COLLIO_FCOLL_COMPONENT(tam, true);
