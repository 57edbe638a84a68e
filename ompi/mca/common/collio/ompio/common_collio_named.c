/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/** Which components the user has asked for by name. */
#include "ompio/common_collio_named.h"

#include <string.h>

#include "opal/mca/base/mca_base_framework.h"

bool mca_common_collio_named(const mca_base_framework_t *framework, const char *name, bool *alone)
{
    const char *list = framework->framework_selection;
    size_t length = strlen(name);

    *alone = NULL != list && 0 == strcmp(list, name);
    if (NULL == list || '^' == *list) {
        return false;
    }
    for (const char *word = list; NULL != word; word = strchr(word, ',')) {
        word += ',' == *word;
        if (0 == strncmp(word, name, length) && ('\0' == word[length] || ',' == word[length])) {
            return true;
        }
    }
    return false;
}
