/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/** See reach.h. */
#include "reach.h"

#include <stdio.h>
#include <string.h>

enum { NFS = 0x6969, LUSTRE = 0x0bd00bd0, CEPH = 0x00c36400, GPFS = 0x47504653 };

const char *collio_mount_options(const char *line, unsigned device_major, unsigned device_minor)
{
    unsigned found_major, found_minor;
    const char *type;

    /* 36 35 98:0 / /data rw,noatime shared:1 - nfs server:/export rw,vers=3,nolock */
    if (2 != sscanf(line, "%*u %*u %u:%u", &found_major, &found_minor)
        || found_major != device_major || found_minor != device_minor) {
        return NULL;
    }
    type = strstr(line, " - ");
    for (int i = 0; NULL != type && i < 3; ++i) { /* past the dash, the type and the source */
        type = strchr(type + 1, ' ');
    }
    return NULL == type ? NULL : type + 1;
}

static bool reach_has(const char *options, const char *word)
{
    size_t length = strlen(word);

    while (NULL != options) {
        if (0 == strncmp(options, word, length) && NULL != strchr(",\n", options[length])) {
            return true; /* strchr finds the end of the text, too */
        }
        options = strchr(options, ',');
        options = NULL == options ? NULL : options + 1;
    }
    return false;
}

collio_reach_t collio_reach_of_mount(uint32_t file_system, const char *options)
{
    switch (file_system) {
    case CEPH:
    case GPFS:
        return COLLIO_REACH_ALL;
    case NFS:
        if (NULL == options) {
            return COLLIO_REACH_UNKNOWN;
        }
        return reach_has(options, "nolock") || reach_has(options, "local_lock=all")
                       || reach_has(options, "local_lock=posix")
                   ? COLLIO_REACH_LOCAL
                   : COLLIO_REACH_ALL;
    case LUSTRE:
        if (reach_has(options, "localflock")) {
            return COLLIO_REACH_LOCAL;
        }
        return reach_has(options, "flock") ? COLLIO_REACH_ALL : COLLIO_REACH_UNKNOWN;
    default:
        return COLLIO_REACH_UNKNOWN;
    }
}
