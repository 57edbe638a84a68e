/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "cores.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = COLLIO_CORES_MAX / 64 };

int collio_cores_count(const collio_cores_t *cores)
{
    int count = 0;

    for (int i = 0; i < WORDS; ++i) {
        count += __builtin_popcountll(cores->word[i]);
    }
    return count;
}

bool collio_cores_within(const collio_cores_t *part, const collio_cores_t *whole)
{
    for (int i = 0; i < WORDS; ++i) {
        if (0 != (part->word[i] & ~whole->word[i])) {
            return false;
        }
    }
    return true;
}

void collio_cores_extend(collio_cores_t *own, const collio_cores_t *job,
                         const collio_cores_t *others, size_t count)
{
    collio_cores_t taken = {{0}};

    if (!collio_cores_within(own, job)) {
        return;
    }
    for (size_t other = 0; other < count; ++other) {
        if (!collio_cores_within(job, &others[other])) {
            for (int i = 0; i < WORDS; ++i) {
                taken.word[i] |= others[other].word[i];
            }
        }
    }
    for (int i = 0; i < WORDS; ++i) {
        own->word[i] |= job->word[i] & ~taken.word[i];
    }
}

static bool cores_has(const collio_cores_t *cores, int cpu)
{
    return cpu < COLLIO_CORES_MAX && 0 != (cores->word[cpu / 64] >> cpu % 64 & 1);
}

size_t collio_cores_format(const collio_cores_t *cores, char *text, size_t bytes)
{
    enum { RANGE_BYTES = 16 }; /* room for ",8190-8191", then "..." */
    size_t used = 0;

    text[0] = '\0';
    for (int first = 0; first < COLLIO_CORES_MAX; ++first) {
        int last = first;

        if (!cores_has(cores, first)) {
            continue;
        }
        if (bytes - used < RANGE_BYTES) {
            return used + (size_t) snprintf(text + used, bytes - used, "...");
        }
        while (cores_has(cores, last + 1)) {
            ++last;
        }
        used += (size_t) snprintf(text + used, bytes - used, "%s%d", 0 < used ? "," : "", first);
        if (last > first) {
            used += (size_t) snprintf(text + used, bytes - used, "-%d", last);
        }
        first = last;
    }
    return used;
}
