/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Releases of Open MPI that have the same internal structs.
 */
#include "version.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

bool collio_version_parse(const char *text, collio_version_t *version)
{
    int *number[3] = {&version->major, &version->minor, &version->release};
    size_t length;

    for (const char *at = strchr(text, 'v'); NULL != at; at = strchr(at + 1, 'v')) {
        if (at[1] >= '0' && at[1] <= '9') {
            text = at + 1;
            break;
        }
    }
    *version = (collio_version_t){0};
    for (int i = 0; i < 3 && *text >= '0' && *text <= '9'; ++i) {
        char *end;

        *number[i] = (int) strtol(text, &end, 10);
        text = end;
        if (i < 2 && '.' == *end) {
            ++text;
        } else {
            break;
        }
    }
    length = strcspn(text, " ,");
    memcpy(version->suffix, text,
           length < sizeof(version->suffix) ? length : sizeof(version->suffix) - 1);
    return version->major > 0;
}

bool collio_version_fits(const collio_version_t *built, const collio_version_t *running)
{
    /* releases major.minor.first to major.minor.last have the same structs */
    static const struct {
        int major, minor, first, last;
    } same[] = {{4, 1, 0, 2}, {4, 1, 3, 8}, {5, 0, 0, 6}, {5, 0, 7, 10}};

    if (built->major != running->major || built->minor != running->minor) {
        return false;
    }
    for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); ++i) {
        if (same[i].major == built->major && same[i].minor == built->minor
            && same[i].first <= built->release && built->release <= same[i].last) {
            return same[i].first <= running->release && running->release <= same[i].last;
        }
    }
    return built->release == running->release && 0 == strcmp(built->suffix, running->suffix);
}
