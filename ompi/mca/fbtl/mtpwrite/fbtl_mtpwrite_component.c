/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The component: parameters and hints (one row for each; settings/setting.h describes a row), and
 * the query that selects the files it serves.
 */
#include "fbtl_mtpwrite.h"

#include <stdio.h>

#include "ompi/mca/common/collio/core/naming.h"

#include "ompi/mca/common/collio/compat/verbose.h"
#include "ompi/mca/common/collio/ompio/named.h"
#include "ompi/mca/common/collio/ompio/open.h"
#include "ompi/mca/common/collio/report/report_out.h"
#include "ompi/mca/common/collio/settings/hint_file.h"
#include "ompi/mca/common/collio/settings/hints.h"

#include "ompi/mca/fbtl/base/base.h"

enum {
    NO_HINT = COLLIO_SETTING_NO_HINT,
    AGREED = COLLIO_SETTING_AGREED,
    POSITIVE = COLLIO_SETTING_POSITIVE,
    OMPIO = COLLIO_SETTING_OMPIO
};

static const char methods[] = "auto,vector,pack,direct";
static const char engines[] = "auto,threads,libaio,io_uring";
static const char on_off[] = "auto,on,off";

#define AT(field) offsetof(mca_fbtl_mtpwrite_settings_t, field)

static const collio_setting_t rows[] = {
    {"priority", COLLIO_NUMBER, AT(priority), NULL, COLLIO_PRIORITY_DEFAULT, 3, NO_HINT, NULL,
     "Priority of this component among the fbtl components. Stock components have 50 at most: set "
     "60 to use this one for every file without --mca fbtl (docs/selection.md)"},
    {"num_threads", COLLIO_NUMBER, AT(tuning.threads), NULL, 0, 3, OMPIO, NULL,
     "Number of threads that match, pack and transfer an individual request; 0 or 1: the "
     "caller alone. Set it if individual requests are large and the process has cores to "
     "spare (docs/mtpwrite.md)"},
    {"method", COLLIO_CHOICE, AT(tuning.method), methods, 0, 5, 0, NULL,
     "How pieces reach the file; auto packs pieces that are so small that an entry of a "
     "vector costs more than a copy. Set it to compare methods (docs/mtpwrite.md)"},
    {"engine", COLLIO_CHOICE, AT(tuning.engine), engines, 0, 5, 0, NULL,
     "What runs nonblocking transfers; auto: io_uring where the kernel has it, else "
     "threads. Set it if io_uring is slow or not allowed (docs/mtpwrite.md)"},
    {"stage_bytes", COLLIO_BYTES, AT(tuning.stage_bytes), NULL, 0, 5, 0, NULL,
     "Bytes of the staging buffer of each thread, for packing; 0: 1 MiB. Reduce it if "
     "memory is short (docs/mtpwrite.md)"},
    {"serial_below", COLLIO_NUMBER, AT(tuning.serial_below), NULL, 0, 9, 0, NULL,
     "Requests of fewer pieces than this number (4 KiB of data count as a piece) run in "
     "the calling thread; 0: automatic, 1: never (docs/mtpwrite.md)"},
    {"sieve_read", COLLIO_CHOICE, AT(tuning.sieve_read), on_off, 0, 5, 0, "romio_ds_read",
     "Data sieving for reads: read an extent with its holes and keep the wanted bytes; "
     "auto decides by the size of the holes. Set off if the file system reads small pieces "
     "fast (docs/mtpwrite.md)"},
    {"sieve_write", COLLIO_CHOICE, AT(sieve_write), on_off, 0, 5, AGREED, "romio_ds_write",
     "Data sieving for writes: read, change and write back an extent with its holes under "
     "a lock; auto: only in files opened with MPI_MODE_UNIQUE_OPEN. Set on if pieces are "
     "small and every writer of the file does the same (docs/mtpwrite.md)"},
    {"sieve_read_bytes", COLLIO_BYTES, AT(tuning.sieve_read_bytes), NULL, 0, 5, POSITIVE,
     "ind_rd_buffer_size",
     "Bytes of the sieve buffer for reads; 0: 4 MiB. Reduce it if memory is short "
     "(docs/mtpwrite.md)"},
    {"sieve_write_bytes", COLLIO_BYTES, AT(tuning.sieve_write_bytes), NULL, 0, 5, POSITIVE,
     "ind_wr_buffer_size",
     "Bytes of the sieve buffer for writes; 0: 512 KiB. Enlarge it if the holes are large "
     "(docs/mtpwrite.md)"},
    {"report", COLLIO_CHOICE, AT(report), COLLIO_REPORT_CHOICES, 0, 3, NO_HINT | AGREED, NULL,
     "Print at close what individual access to a file did (docs/report.md)"},
    {"report_file", COLLIO_TEXT, AT(report_file), NULL, 0, 3, NO_HINT | AGREED, NULL,
     COLLIO_REPORT_FILE_HELP},
};

mca_fbtl_mtpwrite_settings_t mca_fbtl_mtpwrite_settings;
static collio_settings_set_t set = {.prefix = "fbtl_mtpwrite",
                                    .rows = rows,
                                    .count = sizeof(rows) / sizeof(rows[0]),
                                    .parameters = &mca_fbtl_mtpwrite_settings,
                                    .bytes = sizeof(mca_fbtl_mtpwrite_settings)};

void mca_fbtl_mtpwrite_settings_agree(ompio_file_t *fh, mca_fbtl_mtpwrite_settings_t *settings)
{
    char text[1024];

    collio_hints_check(fh->f_info);
    (void) collio_settings_set_agree(&set, fh, settings);
    if (OMPIO_ROOT == fh->f_rank && COLLIO_VERBOSE(fbtl, FILE)) {
        collio_settings_set_changed(&set, settings, text, sizeof(text));
        COLLIO_SHOW(fbtl, FILE, "fbtl/mtpwrite: %s: settings: %s", fh->f_filename, text);
    }
}

void mca_fbtl_mtpwrite_settings_publish(ompio_file_t *fh,
                                        const mca_fbtl_mtpwrite_settings_t *settings)
{
    mca_fbtl_mtpwrite_settings_t used = *settings;

    if (0 == used.tuning.sieve_read_bytes) {
        used.tuning.sieve_read_bytes = COLLIO_SIEVE_READ_BYTES;
    }
    if (0 == used.tuning.sieve_write_bytes) {
        used.tuning.sieve_write_bytes = COLLIO_SIEVE_WRITE_BYTES;
    }
    collio_settings_set_publish(&set, &used, fh->f_info);
}

static int mtpwrite_register_component(void)
{
    int rc = COLLIO_FITS("fbtl/mtpwrite");

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    collio_counters_register(&collio_individual_counters,
                             &mca_fbtl_mtpwrite_component.fbtlm_version, false);
    return collio_settings_set_register(&set, &mca_fbtl_mtpwrite_component.fbtlm_version);
}

static int close_component(void)
{
    collio_settings_set_deregister(&set); /* io_ompio_num_threads is in the group of io/ompio */
    return collio_close();
}

static const collio_candidate_t candidate = {.framework = &ompi_fbtl_base_framework,
                                             .name = "mtpwrite",
                                             .priority = &mca_fbtl_mtpwrite_settings.priority};

void mca_fbtl_mtpwrite_show_selected(const ompio_file_t *fh)
{
    collio_candidate_selected(&candidate, fh);
}

/* Declines file systems without descriptors. With `--mca fcoll overlap` this query checks the hints
 * for any fbtl that is selected, because OMPIO divides by cb_nodes before it selects an fcoll. */
static mca_fbtl_base_module_t *mtpwrite_file_query(ompio_file_t *fh, int *priority)
{
    collio_hint_file_read(&candidate, fh);
    *priority = collio_candidate_priority(&candidate);
    if (0 < *priority || collio_fcoll_is_chosen()) {
        collio_hints_check(fh->f_info);
    }
    if (0 >= *priority) {
        collio_candidate_declined(&candidate, fh, NULL);
        return NULL;
    }
    if (!collio_individual_serves(fh)) {
        char why[64];

        snprintf(why, sizeof(why), "OMPIO's file system type is %d", (int) fh->f_fstype);
        collio_candidate_declined(&candidate, fh, why);
        return NULL;
    }
    return &mca_fbtl_mtpwrite_module;
}

static int mtpwrite_file_unquery(ompio_file_t *fh)
{
    collio_candidate_outranked(&candidate, fh);
    return OMPI_SUCCESS;
}

mca_fbtl_base_component_t mca_fbtl_mtpwrite_component = {
    .fbtlm_version = COLLIO_COMPONENT(MCA_FBTL_BASE_VERSION_2_0_0, "mtpwrite",
                                      mtpwrite_register_component, collio_open, close_component),
    .fbtlm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .fbtlm_init_query = collio_init_query,
    .fbtlm_file_query = mtpwrite_file_query,
    .fbtlm_file_unquery = mtpwrite_file_unquery,
};
