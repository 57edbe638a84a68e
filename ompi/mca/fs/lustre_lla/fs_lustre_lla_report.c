/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/** Counters: performance variables, and the report of a file at close, with its stripes, the
 *  settings in use and the results of the requests. */

#include "fs_lustre_lla.h"

#include <inttypes.h>
#include <stdlib.h>

#include "ompi/mca/common/collio/report/report_out.h"

#define AT(name) MCA_FS_LUSTRE_LLA_##name
enum { COUNTERS = MCA_FS_LUSTRE_LLA_COUNTER_COUNT };

mca_fs_lustre_lla_counters_t mca_fs_lustre_lla_totals;

#define X(name, unit, help) COLLIO_COUNTER(#name, unit, help),
static const collio_counter_t list[] = {MCA_FS_LUSTRE_LLA_COUNTERS(X)};
#undef X

static const char component_name[] = "fs/lustre_lla";

void mca_fs_lustre_lla_pvars_register(void)
{
    for (int i = 0; i < COUNTERS; ++i) {
        collio_counter_register(&list[i], NULL, (void *) &mca_fs_lustre_lla_totals[i],
                                &mca_fs_lustre_lla_component.fsm_version);
    }
}

static void lla_report_describe(collio_record_t *record, const mca_fs_lustre_lla_file_t *file)
{
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
}

static void lla_report_print(const ompio_file_t *fh, const mca_fs_lustre_lla_file_t *file,
                             const collio_counted_t *counted)
{
    collio_table_t section = {"locks", counted, COUNTERS};
    collio_record_t record = {
        .component = component_name,
        .path = fh->f_filename,
        .ranks = fh->f_size,
        .traffic_name = {"requests"},
        .traffic = {{counted[AT(calls)].sum, counted[AT(bytes)].sum, counted[AT(time_ns)].most}},
        .no_rate = true,
        .section = &section,
        .sections = 1};

    lla_report_describe(&record, file);
    collio_report_print(&record, file->settings.report, file->settings.report_file);
    collio_text_fini(&record.about);
    collio_text_fini(&record.json);
}

void mca_fs_lustre_lla_report(ompio_file_t *fh, mca_fs_lustre_lla_file_t *file)
{
    uint64_t mine[COUNTERS];
    collio_counted_t counted[COUNTERS];

    for (int i = 0; i < COUNTERS; ++i) {
        mine[i] = atomic_load(&file->counters[i]);
    }
    if (collio_report_reduce(fh->f_comm, component_name, list, COUNTERS, mine, COUNTERS, counted)
        && OMPIO_ROOT == fh->f_rank) {
        lla_report_print(fh, file, counted);
    }
}
