/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * The component and its only parameter. It takes files on BeeGFS that are opened with striping
 * hints, and only when it is wanted: named in the list of fs components (--mca fs beegfs,ufs), or
 * with a priority above that of fs/ufs. Stripes of files that exist are read whatever fs component
 * opens them (common/collio/stripes).
 */

#include "fs_beegfs.h"

#include "ompi/mca/common/collio/compat/verbose.h"
#include "ompi/mca/common/collio/ompio/named.h"
#include "ompi/mca/common/collio/ompio/open.h"
#include "ompi/mca/common/collio/settings/hints.h"
#include "ompi/mca/common/collio/stripes/stripes.h"

enum {
    PRIORITY_DEFAULT = 5, /* below fs/ufs */
    PRIORITY_NAMED = 60
};

typedef struct settings_t {
    int priority;
} settings_t;

static settings_t parameters;

static const collio_setting_t rows[] = {
    {"priority", COLLIO_NUMBER, offsetof(settings_t, priority), NULL, PRIORITY_DEFAULT, 3,
     COLLIO_SETTING_NO_HINT, NULL,
     "Priority of this component for files on BeeGFS that are opened with striping hints. fs/ufs "
     "has 10: set 20 to use this one for them without --mca fs"},
};

static collio_settings_set_t set = {.prefix = "fs_beegfs",
                                    .rows = rows,
                                    .count = sizeof(rows) / sizeof(rows[0]),
                                    .parameters = &parameters,
                                    .bytes = sizeof(parameters)};

static int component_register(void)
{
    int rc = COLLIO_FITS("fs/beegfs");

    return OMPI_SUCCESS == rc
               ? collio_settings_set_register(&set, &mca_fs_beegfs_component.fsm_version)
               : rc;
}

static int component_open(void)
{
    collio_open();
    return OMPI_SUCCESS;
}

static int component_close(void)
{
    collio_close();
    return OMPI_SUCCESS;
}

static bool has_hint(opal_info_t *info, const char *name)
{
    char value[64];

    return collio_hint_get(info, name, value, sizeof(value));
}

static bool has_hints(opal_info_t *info)
{
    return has_hint(info, "striping_factor") || has_hint(info, "striping_unit")
           || has_hint(info, "stripe_width") || has_hint(info, "stripe_size");
}

/* Local: see the module. */
static struct mca_fs_base_module_1_0_0_t *component_file_query(ompio_file_t *fh, int *result)
{
    bool alone;

    if (!collio_asked_for(&ompi_fs_base_framework, "beegfs", parameters.priority,
                          PRIORITY_DEFAULT)) {
        COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/beegfs: %s: not available: not named", fh->f_filename);
        return NULL;
    }
    if (MPI_COMM_NULL == fh->f_comm || !has_hints(fh->f_info)) {
        COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/beegfs: %s: not available: no striping hints",
                         fh->f_filename);
        return NULL;
    }
    if (COLLIO_STRIPES_BEEGFS != collio_stripes_system(fh->f_filename)) {
        COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/beegfs: %s: not available: not on BeeGFS",
                         fh->f_filename);
        return NULL;
    }
    collio_hints_check(fh->f_info);
    *result = collio_named(&ompi_fs_base_framework, "beegfs", &alone)
                      && PRIORITY_NAMED > parameters.priority
                  ? PRIORITY_NAMED
                  : parameters.priority;
    COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/beegfs: %s: available, priority %d", fh->f_filename,
                     *result);
    return mca_fs_beegfs_module(fh);
}

static int component_init_query(bool enable_progress_threads, bool enable_mpi_threads)
{
    (void) enable_progress_threads;
    (void) enable_mpi_threads;
    return OMPI_SUCCESS;
}

static int component_file_unquery(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}

mca_fs_base_component_2_0_0_t mca_fs_beegfs_component = {
    .fsm_version =
        {
            MCA_FS_BASE_VERSION_2_0_0,
            .mca_component_name = "beegfs",
            COLLIO_COMPONENT_VERSION,
            .mca_open_component = component_open,
            .mca_close_component = component_close,
            .mca_register_component_params = component_register,
        },
    .fsm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .fsm_init_query = component_init_query,
    .fsm_file_query = component_file_query,
    .fsm_file_unquery = component_file_unquery,
};
