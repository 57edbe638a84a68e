/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The texts of reasons. See reason.h.
 */
#include "reason.h"

const char *collio_reason_text(collio_reason_t reason)
{
    static const char *const texts[COLLIO_REASON_COUNT] = {
#define COLLIO_REASON_TEXT(id, text) [COLLIO_REASON_##id] = text,
        COLLIO_REASONS(COLLIO_REASON_TEXT)
#undef COLLIO_REASON_TEXT
    };

    return texts[reason];
}
