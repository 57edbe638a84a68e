/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_NAMED_H
#define MCA_COMMON_COLLIO_NAMED_H

#include "compat/common_collio_compat.h"

/** Is a component named in its framework's list (--mca fs NAME,ufs)? *alone: and nothing else. */
bool mca_common_collio_named(const struct mca_base_framework_t *framework, const char *name,
                             bool *alone);

#endif /* MCA_COMMON_COLLIO_NAMED_H */
