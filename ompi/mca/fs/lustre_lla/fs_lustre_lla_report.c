/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/** The table of a file at close: its striping, what was in force, and what became of requests. */

#include "fs_lustre_lla_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
#define X(name, help) AT_##name,
    MCA_FS_LUSTRE_LLA_COUNTERS(X)
#undef X
        COUNTERS
};

static void print(const char *path, const mca_fs_lustre_lla_file_t *file, int ranks,
                  const unsigned long long sum[COUNTERS])
{
    static const char *const names[] = {
#define X(name, help) #name,
        MCA_FS_LUSTRE_LLA_COUNTERS(X)
#undef X
    };
    char text[4096];
    int at;

    at = snprintf(text, sizeof(text), "fs/lustre_lla: %s\n", path);
    for (int32_t p = 0; p < file->layout.part_count && at < (int) sizeof(text) - 256; ++p) {
        const mca_fs_lustre_lla_part_t *part = &file->layout.part[p];

        at += snprintf(text + at, sizeof(text) - (size_t) at,
                       "    %-12s %" PRId64 " of %" PRId64 " bytes, from offset %" PRId64 "\n",
                       0 == p ? "stripes" : "", part->stripe_count, part->stripe_bytes,
                       part->start);
    }
    at += snprintf(text + at, sizeof(text) - (size_t) at,
                   "    %-12s %s, individual %s, %s\n    %-12s no expansion %s, cleared %s\n"
                   "    %-12s %d\n",
                   "lockahead", mca_fs_lustre_lla_mode_name(file->lockahead.collective),
                   mca_fs_lustre_lla_mode_name(file->lockahead.individual),
                   file->settings.async ? "asynchronous" : "synchronous", "locks",
                   file->noexpand ? "on" : "off", file->cleared ? "yes" : "no", "ranks", ranks);
    for (int c = 0; c < COUNTERS && at < (int) sizeof(text) - 64; ++c) {
        at += snprintf(text + at, sizeof(text) - (size_t) at, "    %-12s %llu\n", names[c], sum[c]);
    }
    fputs(text, stderr); /* one call: lines of other ranks stay out of the table */
}

void mca_fs_lustre_lla_report(ompio_file_t *fh, mca_fs_lustre_lla_file_t *file)
{
    unsigned long long mine[COUNTERS];
    unsigned long long sum[COUNTERS];

#define X(name, help) mine[AT_##name] = atomic_load(&file->counters.name);
    MCA_FS_LUSTRE_LLA_COUNTERS(X)
#undef X
    memcpy(sum, mine, sizeof(sum));
    if (OMPI_SUCCESS
            == fh->f_comm->c_coll->coll_reduce(mine, sum, COUNTERS, MPI_UNSIGNED_LONG_LONG, MPI_SUM,
                                               OMPIO_ROOT, fh->f_comm,
                                               fh->f_comm->c_coll->coll_reduce_module)
        && OMPIO_ROOT == fh->f_rank) {
        print(fh->f_filename, file, fh->f_size, sum);
    }
}
