/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * The component and its only parameter. It takes files on BeeGFS that are opened with striping
 * hints. Stripes of files that exist are read whatever fs component opens them
 * (common/collio/stripes).
 */

#include "fs_beegfs.h"

#include "ompi/mca/common/collio/ompio/fs.h"
#include "ompi/mca/common/collio/settings/hints.h"
#include "ompi/mca/common/collio/stripes/stripes.h"

static int parameter_priority;

static const collio_setting_t rows[] = {
    {"priority", COLLIO_NUMBER, 0, NULL, COLLIO_FS_PRIORITY_DEFAULT, 3, COLLIO_SETTING_NO_HINT,
     NULL,
     "Priority of this component for files on BeeGFS that are opened with striping hints. fs/ufs "
     "has 10: set 20 to use this one for them without --mca fs"},
};

static collio_settings_set_t set = {.prefix = "fs_beegfs",
                                    .rows = rows,
                                    .count = sizeof(rows) / sizeof(rows[0]),
                                    .parameters = &parameter_priority,
                                    .bytes = sizeof(parameter_priority)};

static int component_register(void)
{
    int rc = COLLIO_FITS("fs/beegfs");

    return OMPI_SUCCESS == rc
               ? collio_settings_set_register(&set, &mca_fs_beegfs_component.fsm_version)
               : rc;
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
static const char *decline(ompio_file_t *fh)
{
    if (MPI_COMM_NULL == fh->f_comm || !has_hints(fh->f_info)) {
        return "no striping hints";
    }
    if (COLLIO_STRIPES_BEEGFS != collio_stripes_system(fh->f_filename)) {
        return "not on BeeGFS";
    }
    collio_hints_check(fh->f_info);
    return NULL;
}

static const collio_fs_t fs = {.name = "beegfs",
                               .priority = &parameter_priority,
                               .decline = decline,
                               .module = mca_fs_beegfs_module};

static mca_fs_base_module_1_0_0_t *file_query(ompio_file_t *fh, int *priority)
{
    return collio_fs_query(&fs, fh, priority);
}

mca_fs_base_component_2_0_0_t mca_fs_beegfs_component = COLLIO_FS_COMPONENT(
    "beegfs", component_register, file_query);
