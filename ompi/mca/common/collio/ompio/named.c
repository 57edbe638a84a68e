/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Finds the components that the user requests, decides whether an fs component serves a file (see
 * fs.h), and selects the component for shared file pointers.
 *
 * Problem: OMPIO queries every sharedfp component in every MPI_File_open. To find out whether they
 * can run, sharedfp/lockedfile creates, locks and removes a file beside the data on each rank, and
 * sharedfp/sm a file in the session directory. If fcoll/overlap or fcoll/tam serves a file, so does
 * sharedfp/ondemand, which needs no such file, and the two queries are wasted.
 * Method: io/ompio opens the fcoll framework before the sharedfp framework, so an fcoll excludes
 * the two components by the parameter for users (`--mca sharedfp ^lockedfile,sm`).
 */
#include "ompio/named.h"

#include <string.h>

#include "compat/verbose.h"
#include "ompi/mca/fcoll/base/base.h"
#include "ompi/mca/sharedfp/base/base.h"
#include "ompio/fcoll.h"
#include "ompio/fs.h"

#include "opal/mca/base/mca_base_framework.h"
#include "opal/mca/base/mca_base_var.h"

enum {
    FCOLL_STOCK_MAX = 100, /* no stock fcoll has a higher priority */
    PRIORITY_NAMED = 60    /* above the stock fs components: fs/lustre has 50 on Lustre */
};

static bool sharedfp_registered;

bool collio_named(const mca_base_framework_t *framework, const char *name)
{
    const char *list = framework->framework_selection;
    size_t length = strlen(name);

    if (NULL == list || '^' == *list) {
        return false;
    }
    for (const char *word = list; NULL != word; word = strchr(word, ',')) {
        word += ',' == *word;
        if (0 == strncmp(word, name, length) && ('\0' == word[length] || ',' == word[length])) {
            return true;
        }
    }
    return false;
}

bool collio_is_requested(const mca_base_framework_t *framework, const char *name, int priority,
                         int priority_default)
{
    return priority > priority_default || collio_named(framework, name);
}

bool collio_fs_is_requested(const collio_fs_t *fs)
{
    return collio_is_requested(&ompi_fs_base_framework, fs->name, *fs->priority,
                               COLLIO_FS_PRIORITY_DEFAULT);
}

mca_fs_base_module_1_0_0_t *collio_fs_query(const collio_fs_t *fs, ompio_file_t *fh, int *priority)
{
    const char *why_not = collio_fs_is_requested(fs) ? fs->decline(fh) : "not named";

    if (NULL != why_not) {
        COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/%s: %s: not available: %s", fs->name, fh->f_filename,
                         why_not);
        return NULL;
    }
    *priority = *fs->priority;
    if (collio_named(&ompi_fs_base_framework, fs->name) && PRIORITY_NAMED > *priority) {
        *priority = PRIORITY_NAMED;
    }
    COLLIO_SHOW_ROOT(fs, SELECT, fh, "fs/%s: %s: available, priority %d", fs->name, fh->f_filename,
                     *priority);
    return fs->module(fh);
}

bool collio_fcoll_is_chosen(void)
{
    bool others = false;
    int highest = 0;
    mca_base_component_list_item_t *item;

    if (!mca_base_framework_is_registered(&ompi_fcoll_base_framework)) {
        return false;
    }
    OPAL_LIST_FOREACH(item, &ompi_fcoll_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const mca_fcoll_base_component_t *component =
            (const mca_fcoll_base_component_t *) item->cli_component;
        int priority = 0;

        if (collio_init_query != component->fcollm_init_query) {
            others = true;
        } else if (NULL != component->fcollm_file_query(NULL, &priority) && priority > highest) {
            highest = priority;
        }
    }
    return highest > (others ? FCOLL_STOCK_MAX : 0);
}

void collio_sharedfp_select(void)
{
    mca_base_var_source_t source;
    int selection;

    if (sharedfp_registered || mca_base_framework_is_open(&ompi_sharedfp_base_framework)
        || !collio_fcoll_is_chosen()) {
        return;
    }
    sharedfp_registered = true;
    if (OPAL_SUCCESS
        != mca_base_framework_register(&ompi_sharedfp_base_framework, MCA_BASE_REGISTER_DEFAULT)) {
        return;
    }
    selection = mca_base_var_find("ompi", "sharedfp", NULL, NULL);
    if (0 <= selection && OPAL_SUCCESS == mca_base_var_get_value(selection, NULL, &source, NULL)
        && MCA_BASE_VAR_SOURCE_DEFAULT == source
        && 0 < collio_parameter("sharedfp", "ondemand", "priority")) {
        (void) mca_base_var_set_value(selection, "^lockedfile,sm", 0, MCA_BASE_VAR_SOURCE_SET,
                                      NULL);
    }
}

void collio_sharedfp_release(void)
{
    if (sharedfp_registered) {
        sharedfp_registered = false;
        (void) mca_base_framework_close(&ompi_sharedfp_base_framework);
    }
}
