/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_VERSION_H
#define COLLIO_VERSION_H

#include <stdbool.h>

/** A release of Open MPI. */
typedef struct collio_version_t {
    int major;       /* 4 of "4.1.5rc2" */
    int minor;       /* 1 of "4.1.5rc2" */
    int release;     /* 5 of "4.1.5rc2" */
    char suffix[16]; /* "rc2" of "4.1.5rc2"; a longer suffix is cut */
} collio_version_t;

/** Reads "4.1.4" from the first place in the text where a digit follows a 'v', or from its start.
 *  "Open MPI v4.1.4, package: ...", "5.0.7rc1". False if there is no number. */
bool collio_version_parse(const char *text, collio_version_t *version);

/**
 * True if components that were built for one release can run in another. The components use
 * internal structs, so the members that they access must be at the same place. From the headers:
 * ompio_file_t is the same in 4.1.3 to 4.1.8 (4.1.0 to 4.1.2 lack a member), and in 5.0.0 to
 * 5.0.10, but 5.0.7 has a new member of the communicator before c_coll. Any other release fits only
 * itself; a release candidate ("6.0.0rc2") does not fit its release.
 */
bool collio_version_fits(const collio_version_t *built, const collio_version_t *running);

#endif /* COLLIO_VERSION_H */
