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
 * the two components by the default of the parameter for users (`--mca sharedfp ^lockedfile,sm`),
 * before the framework loads its components. A value that the user has set wins.
 */
#include "ompio/named.h"

#include <stdio.h>
#include <string.h>

#include "core/naming.h"
#include "core/value.h"

#include "compat/verbose.h"
#include "help/help.h"
#include "ompi/mca/fcoll/base/base.h"
#include "ompi/mca/sharedfp/base/base.h"
#include "ompio/fcoll.h"
#include "ompio/fs.h"
#include "settings/hint_file.h"

#include "opal/mca/base/mca_base_framework.h"
#include "opal/mca/base/mca_base_var.h"

static bool sharedfp_registered;

int collio_candidate_priority(const collio_candidate_t *candidate)
{
    return collio_naming_priority(candidate->framework->framework_selection, candidate->name,
                                  *candidate->priority);
}

void collio_candidate_why(const collio_candidate_t *candidate, char *text, size_t size)
{
    const mca_base_framework_t *framework = candidate->framework;

    if (COLLIO_PRIORITY_DEFAULT == *candidate->priority) {
        snprintf(text, size, "named (--mca %s %s)", framework->framework_name,
                 framework->framework_selection);
    } else {
        snprintf(text, size, "%s_%s_priority is %d", framework->framework_name, candidate->name,
                 *candidate->priority);
    }
}

/* Prints a line of level 1 on rank 0, or in the only process that has the file. */
static void show(const collio_candidate_t *candidate, const ompio_file_t *fh, const char *verdict,
                 const char *why)
{
    const mca_base_framework_t *framework = candidate->framework;

    if (COLLIO_VERBOSE_SELECT <= framework->framework_verbose
        && (OMPIO_ROOT == fh->f_rank || MPI_COMM_NULL == fh->f_comm)) {
        collio_verbose_print(framework->framework_output, "%s/%s: %s: %s: %s",
                             framework->framework_name, candidate->name, fh->f_filename, verdict,
                             why);
    }
}

void collio_candidate_declined(const collio_candidate_t *candidate, const ompio_file_t *fh,
                               const char *why)
{
    char text[128];

    if (NULL == why) {
        snprintf(text, sizeof(text), "not named, and %s_%s_priority is %d",
                 candidate->framework->framework_name, candidate->name, *candidate->priority);
    }
    show(candidate, fh, "not selected", NULL == why ? text : why);
}

void collio_candidate_selected(const collio_candidate_t *candidate, const ompio_file_t *fh)
{
    char why[128];

    collio_candidate_why(candidate, why, sizeof(why));
    show(candidate, fh, "selected", why);
}

void collio_candidate_outranked(const collio_candidate_t *candidate, const ompio_file_t *fh)
{
    char why[128];

    snprintf(why, sizeof(why), "another component has a higher priority than %d",
             collio_candidate_priority(candidate));
    show(candidate, fh, "not selected", why);
}

/* True if another component of the framework may open the file. fs/beegfs opens files through
 * fs/ufs, so by itself it opens none. */
static bool fs_has_others(const collio_fs_t *fs)
{
    const mca_base_component_list_item_t *item;

    OPAL_LIST_FOREACH(item, &ompi_fs_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const char *name = item->cli_component->mca_component_name;

        if (0 != strcmp(name, fs->candidate.name) && 0 != strcmp(name, "beegfs")) {
            return true;
        }
    }
    return false;
}

mca_fs_base_module_1_0_0_t *collio_fs_query(const collio_fs_t *fs, ompio_file_t *fh, int *priority)
{
    mca_fs_base_module_1_0_0_t *module = NULL;
    const char *why_not;

    collio_hint_file_read(fs, fh);
    *priority = collio_candidate_priority(&fs->candidate);
    if (0 >= *priority) {
        collio_candidate_declined(&fs->candidate, fh, NULL);
        return NULL;
    }
    why_not = fs->decline(fh);
    if (NULL == why_not && NULL == (module = fs->module(fh))) {
        why_not = "there is no fs/ufs";
    }
    if (NULL != why_not) {
        collio_candidate_declined(&fs->candidate, fh, why_not);
        if (!fs_has_others(fs) && OMPIO_ROOT == fh->f_rank) {
            collio_help(fs->title, fh->f_filename, COLLIO_HELP_NO_FS, why_not, fs->candidate.name,
                        fs->candidate.name);
        }
    }
    return module;
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
    return highest > (others ? COLLIO_PRIORITY_STOCK_MAX : 0);
}

/* True if the parameter `priority` of sharedfp/ondemand, if it is loaded, is not 0. */
static bool ondemand_serves(void)
{
    int index = mca_base_var_find("ompi", "sharedfp", "ondemand", "priority");
    const char *const *text = NULL;
    int64_t priority = COLLIO_PRIORITY_DEFAULT;

    if (0 > index || OPAL_SUCCESS != mca_base_var_get_value(index, &text, NULL, NULL)
        || NULL == text || NULL == *text) {
        return false;
    }
    (void) collio_value_parse(COLLIO_NUMBER, NULL, 0, *text, &priority);
    return 0 < priority;
}

void collio_sharedfp_select(void)
{
    static char stock[] = "^lockedfile,sm";
    mca_base_framework_t *framework = &ompi_sharedfp_base_framework;
    bool first = !mca_base_framework_is_registered(framework);
    mca_base_var_source_t source;
    int selection;

    if (sharedfp_registered || mca_base_framework_is_open(framework) || !collio_fcoll_is_chosen()) {
        return;
    }
    if (first) {
        framework->framework_selection = stock; /* Open MPI makes a copy */
    }
    sharedfp_registered = true;
    if (OPAL_SUCCESS != mca_base_framework_register(framework, MCA_BASE_REGISTER_DEFAULT)) {
        return;
    }
    selection = mca_base_var_find("ompi", "sharedfp", NULL, NULL);
    if (0 > selection || OPAL_SUCCESS != mca_base_var_get_value(selection, NULL, &source, NULL)
        || MCA_BASE_VAR_SOURCE_DEFAULT != source) {
        return;
    }
    if (!first && ondemand_serves()) { /* a tool has loaded all components */
        (void) mca_base_var_set_value(selection, stock, 0, MCA_BASE_VAR_SOURCE_SET, NULL);
    } else if (first && !ondemand_serves()) { /* load the stock components as well */
        collio_sharedfp_release();
        framework->framework_selection = NULL;
    }
}

void collio_sharedfp_release(void)
{
    if (sharedfp_registered) {
        sharedfp_registered = false;
        (void) mca_base_framework_close(&ompi_sharedfp_base_framework);
    }
}
