/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/** Runs the tests that have registered themselves; see check.h. */
#include "check.h"

#include <stdlib.h>

bool failed;
static check_t *first, **last = &first;

void check_add(check_t *check)
{
    *last = check;
    last = &check->next;
}

int check_all(const char *prefix, const char *(*begin)(const check_t *, check_files_t *),
              void (*end)(const check_files_t *))
{
    int failures = 0;

    for (const check_t *check = first; NULL != check; check = check->next) {
        check_files_t files = {-1, -1};
        const char *skipped;

        failed = false;
        skipped = NULL == begin ? NULL : begin(check, &files);
        if (NULL != skipped) {
            printf("skip %s_%s # %s\n", prefix, check->name, skipped);
            continue;
        }
        check->run(files.fd, files.other);
        if (NULL != end) {
            end(&files);
        }
        printf("%s %s_%s\n", failed ? "not ok" : "ok", prefix, check->name);
        fflush(stdout);
        failures += failed;
    }
    return 0 == failures ? EXIT_SUCCESS : EXIT_FAILURE;
}
