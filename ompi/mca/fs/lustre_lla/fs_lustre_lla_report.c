/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/** Counters: performance variables, and the report of a file at close, with its stripes, the
 *  settings in use and the results of the requests. */

#include "fs_lustre_lla.h"

#include <inttypes.h>

#define AT(name) MCA_FS_LUSTRE_LLA_##name

#define X(name, unit, help) COLLIO_COUNTER(#name, unit, help, AT(name), false),
static const collio_counter_t list[] = {MCA_FS_LUSTRE_LLA_COUNTERS(X)};
#undef X

collio_counters_t mca_fs_lustre_lla_counters = {.component = "fs/lustre_lla",
                                                .list = list,
                                                .count = MCA_FS_LUSTRE_LLA_COUNTER_COUNT,
                                                .tables = 1,
                                                .table_name = {"locks"},
                                                .traffic_name = {"requests"},
                                                .no_rate = true};

static bool lla_report_describe(collio_record_t *record, const void *owner,
                                const collio_counted_t *all)
{
    const mca_fs_lustre_lla_file_t *file = owner;

    record->traffic[0] = (collio_traffic_t){all[AT(calls)].sum, all[AT(bytes)].sum,
                                            all[AT(time_ns)].most};
    collio_text_add(&record->json, ",\"stripes\":[");
    for (int32_t p = 0; p < file->layout.part_count; ++p) {
        const collio_lustre_part_t *part = &file->layout.part[p];

        collio_text_add(&record->about, "  %-13s %" PRId64 " of %.3f MiB, from %.3f MiB on\n",
                        0 == p ? "stripes" : "", part->stripe_count,
                        (double) part->stripe_bytes / 1048576.0, (double) part->start / 1048576.0);
        collio_text_add(&record->json,
                        "%s{\"count\":%" PRId64 ",\"bytes\":%" PRId64 ",\"from\":%" PRId64 "}",
                        0 == p ? "" : ",", part->stripe_count, part->stripe_bytes, part->start);
    }
    collio_text_add(&record->about,
                    "  %-13s %s%s, individual %s%s\n  %-13s no expansion %s, cleared %s\n",
                    "lockahead", mca_fs_lustre_lla_mode_name(file->lockahead.collective),
                    file->lockahead.async_collective ? " asynchronous" : "",
                    mca_fs_lustre_lla_mode_name(file->lockahead.individual),
                    file->lockahead.async_individual ? " asynchronous" : "", "locks",
                    file->noexpand ? "on" : "off", file->cleared ? "yes" : "no");
    collio_text_add(&record->json,
                    "],\"lockahead\":\"%s\",\"individual\":\"%s\",\"async\":%s,"
                    "\"individual_async\":%s",
                    mca_fs_lustre_lla_mode_name(file->lockahead.collective),
                    mca_fs_lustre_lla_mode_name(file->lockahead.individual),
                    file->lockahead.async_collective ? "true" : "false",
                    file->lockahead.async_individual ? "true" : "false");
    return true;
}

void mca_fs_lustre_lla_report(ompio_file_t *fh, const mca_fs_lustre_lla_file_t *file)
{
    collio_counters_report(&mca_fs_lustre_lla_counters,
                           &(collio_report_t){.fh = fh,
                                              .comm = fh->f_comm,
                                              .values = file->counters,
                                              .mode = file->settings.report,
                                              .path = file->settings.report_file,
                                              .owner = file,
                                              .describe = lla_report_describe});
}
