/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "common_collio_engine.h"

static bool probe(const char **why)
{
    *why = "it is not built in";
    return false;
}

const mca_common_collio_engine_ops_t mca_common_collio_engine_libaio = {
    .engine = MCA_COMMON_COLLIO_ENGINE_LIBAIO,
    .name = "libaio",
    .probe = probe,
};
