/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * fs/beegfs: files on BeeGFS that are opened with striping hints. The component is fs/ufs, with an
 * open that creates files with the stripes of the hints.
 * common/collio/stripes reads the stripes of existing files, for every fs component.
 *
 *   rank 0    creates the file (MKFILE_STRIPEHINTS is exclusive) | open of fs/ufs, without EXCL
 *   others                                                         open of fs/ufs
 *
 * This component does not communicate, so another rank may use fs/ufs itself: the new file, and
 * every error, reach all ranks through the open of fs/ufs.
 */

#include <string.h>
#include <unistd.h>

#include "ompi/mca/common/collio/core/naming.h"

#include "ompi/mca/common/collio/compat/compat.h"
#include "ompi/mca/common/collio/help/help.h"
#include "ompi/mca/common/collio/ompio/fs.h"
#include "ompi/mca/common/collio/settings/hints.h"
#include "ompi/mca/common/collio/settings/striping.h"
#include "ompi/mca/common/collio/stripes/stripes.h"

mca_fs_base_component_2_0_0_t mca_fs_beegfs_component;
static int parameter_priority;

static const collio_setting_t rows[] = {
    {"priority", COLLIO_NUMBER, 0, NULL, COLLIO_PRIORITY_DEFAULT, 3, COLLIO_SETTING_NO_HINT, NULL,
     "Priority of this component for files on BeeGFS that are opened with striping hints. fs/ufs "
     "has 10: set 20 to use this one for them without --mca fs (docs/selection.md)"},
};

static collio_settings_set_t set = {.prefix = "fs_beegfs",
                                    .rows = rows,
                                    .count = sizeof(rows) / sizeof(rows[0]),
                                    .parameters = &parameter_priority,
                                    .bytes = sizeof(parameter_priority)};

static int beegfs_component_register(void)
{
    int rc = COLLIO_FITS("fs/beegfs");

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return collio_settings_set_register(&set, &mca_fs_beegfs_component.fsm_version);
}

static bool beegfs_has_hints(opal_info_t *info)
{
    static const char *const names[] = {"striping_factor", "striping_unit", "stripe_width",
                                        "stripe_size"};
    char value[64];
    bool found = false;

    for (size_t i = 0; !found && i < sizeof(names) / sizeof(names[0]); ++i) {
        found = collio_hint_get(info, names[i], value, sizeof(value));
    }
    return found;
}

static const char *beegfs_decline(ompio_file_t *fh)
{
    if (MPI_COMM_NULL == fh->f_comm || !beegfs_has_hints(fh->f_info)) {
        return "it is opened without striping hints";
    }
    if (COLLIO_STRIPES_BEEGFS != collio_stripes_system(fh->f_filename)) {
        return "it is not on BeeGFS";
    }
    collio_hints_check(fh->f_info);
    return NULL;
}

/* ---- the module ---- */

static mca_fs_base_module_1_0_0_t module;
static mca_fs_base_module_file_open_fn_t ufs_open;
static mca_fs_base_module_init_1_0_0_fn_t ufs_init;

static int beegfs_module_init(ompio_file_t *fh);

/* Rank 0: creates the file. Returns true if this call created the file. */
static bool beegfs_create(ompio_file_t *fh, const char *path, int access_mode, opal_info_t *info)
{
    collio_stripes_t wanted;
    const char *why_not;
    bool created = false;
    int flags = mca_fs_base_get_file_amode(fh->f_rank, access_mode);
    int fd;

    collio_striping_wanted(info, "fs/beegfs", &wanted);
    if (0 == (flags & O_CREAT) || 0 == access(path, F_OK)) {
        return false;
    }
    fd = collio_stripes_open(path, flags, mca_fs_base_get_file_perm(fh), &wanted, &why_not);
    if (0 <= fd) {
        created = 0 != (flags & O_EXCL) || 0 != wanted.count || 0 != wanted.bytes;
        close(fd);
        if (NULL != why_not) {
            collio_help("fs/beegfs", path, COLLIO_HELP_STRIPING, why_not, "", "");
        }
    }
    return created;
}

/* Publishes the stripes of the file, new or existing. */
static void beegfs_publish(ompio_file_t *fh, opal_info_t *info)
{
    collio_stripes_t none = COLLIO_STRIPES_NONE;
    collio_stripes_t has;

    (void) collio_stripes_read(fh->fd, COLLIO_STRIPES_BEEGFS, &has);
    collio_striping_publish(info, &has, &none);
}

static int beegfs_file_open(struct ompi_communicator_t *comm, const char *filename, int access_mode,
                            struct opal_info_t *info, ompio_file_t *fh)
{
    int rc;

    if (OMPIO_ROOT == fh->f_rank && beegfs_create(fh, filename, access_mode, info)) {
        access_mode &= ~MPI_MODE_EXCL;
    }
    rc = ufs_open(comm, filename, access_mode, info, fh);
    if (OMPI_SUCCESS == rc) {
        beegfs_publish(fh, info);
    }
    return rc;
}

/* Returns the module; NULL if there is no fs/ufs. */
static mca_fs_base_module_1_0_0_t *beegfs_module_of(ompio_file_t *fh)
{
    const mca_base_component_list_item_t *item;

    OPAL_LIST_FOREACH(item, &ompi_fs_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const mca_fs_base_component_2_0_0_t *component =
            (const mca_fs_base_component_2_0_0_t *) item->cli_component;
        const mca_fs_base_module_1_0_0_t *ufs;
        int priority;

        if (0 == strcmp("ufs", item->cli_component->mca_component_name)
            && NULL != (ufs = component->fsm_file_query(fh, &priority))) {
            module = *ufs;
            ufs_open = ufs->fs_file_open;
            ufs_init = ufs->fs_module_init;
            module.fs_module_init = beegfs_module_init;
            module.fs_file_open = beegfs_file_open;
            return &module;
        }
    }
    return NULL;
}

static const collio_fs_t fs = {.candidate = {.framework = &ompi_fs_base_framework,
                                             .name = "beegfs",
                                             .priority = &parameter_priority},
                               .title = "fs/beegfs",
                               .decline = beegfs_decline,
                               .module = beegfs_module_of};

static int beegfs_module_init(ompio_file_t *fh)
{
    collio_candidate_selected(&fs.candidate, fh);
    return ufs_init(fh);
}

static mca_fs_base_module_1_0_0_t *beegfs_file_query(ompio_file_t *fh, int *priority)
{
    return collio_fs_query(&fs, fh, priority);
}

static int beegfs_file_unquery(ompio_file_t *fh)
{
    collio_candidate_outranked(&fs.candidate, fh);
    return OMPI_SUCCESS;
}

mca_fs_base_component_2_0_0_t mca_fs_beegfs_component = COLLIO_FS_COMPONENT(
    "beegfs", beegfs_component_register, beegfs_file_query, beegfs_file_unquery);
