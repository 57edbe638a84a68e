/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* A user's list of aggregators, whatever the text: different ranks that exist, or an error. */
#include <errno.h>
#include <string.h>

#include "aggregator.h"
#include "input.h"

enum { RANKS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int list[RANKS], seen[RANKS] = {0}, count;
    const char *bad = NULL;
    char *text = malloc(size + 1);

    REQUIRE(NULL != text);
    if (0 < size) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    count = collio_aggregators_parse(text, RANKS, list, &bad);
    REQUIRE(RANKS >= count && (0 <= count || -EINVAL == count));
    for (int i = 0; i < count; i++) {
        REQUIRE(0 <= list[i] && list[i] < RANKS && !seen[list[i]]);
        seen[list[i]] = 1;
    }
    REQUIRE(0 <= count || (NULL != bad && text <= bad && bad <= text + strlen(text)));
    free(text);
    return 0;
}
