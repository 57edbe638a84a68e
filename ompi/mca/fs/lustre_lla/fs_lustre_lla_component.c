/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Parameters and the query of the component.
 *
 * The component takes files on Lustre only (statfs magic, or the "lustre:" prefix). liblustreapi is
 * not loaded unless the user requests the component.
 */

#include "fs_lustre_lla.h"

#include "ompi/mca/common/collio/core/naming.h"
#include "ompi/mca/common/collio/report/report_out.h"

#include "ompi/mca/common/collio/ompio/fs.h"
#include "ompi/mca/common/collio/ompio/fs_open.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static mca_fs_lustre_lla_settings_t parameters;

static const char *llapi_origin;

enum {
    NO_HINT = COLLIO_SETTING_NO_HINT,
    NO_PARAMETER = COLLIO_SETTING_NO_PARAMETER,
    AGREED = COLLIO_SETTING_AGREED
};

/* the numbers are those of collio_lockahead_mode_t */
static const char collective_modes[] = "auto=-1,off=0,global=1,stripe=2,cycle=3";
static const char individual_modes[] = "auto=-1,off=0,element=4,view=5";

#define AT(field) offsetof(mca_fs_lustre_lla_settings_t, field)

static const collio_setting_t rows[] = {
    {"lockahead", COLLIO_CHOICE, AT(collective), collective_modes, MCA_FS_LUSTRE_LLA_AUTO, 3,
     AGREED, NULL,
     "Which locks an aggregator requests before a collective access; auto is global where "
     "the file system can do it, otherwise off. Set it to compare modes (docs/lustre.md)"},
    {"lockahead_individual", COLLIO_CHOICE, AT(individual), individual_modes,
     MCA_FS_LUSTRE_LLA_AUTO, 3, AGREED, NULL,
     "Which locks a rank requests for individual access; auto is element where the file "
     "system can do it, otherwise off. Set it to compare modes (docs/lustre.md)"},
    {"async", COLLIO_CHOICE, AT(async), "auto,on,off", 0, 5, AGREED, NULL,
     "Request locks without waiting for them, where the access does not follow at once; auto is on "
     "for cycle, element and view. Set it to off if several clients write to the same pages, to on "
     "if aggregators wait for locks that no other client holds (docs/lustre.md)"},
    {"noexpand", COLLIO_SWITCH, AT(noexpand), NULL, 1, 5, AGREED, NULL,
     "With lock-ahead, keep the servers from growing the locks of plain accesses. Switch it off if "
     "a rank accesses large ranges alone (docs/lustre.md)"},
    {"clear_locks", COLLIO_SWITCH, AT(clear_locks), NULL, 1, 5, AGREED, NULL,
     "With lock-ahead, drop the locks that clients still hold on the file when it is "
     "opened. Switch it off if opens take long and no other client has used the file "
     "(docs/lustre.md)"},
    {"pool", COLLIO_TEXT, AT(pool), NULL, 0, 5, NO_PARAMETER | AGREED, NULL,
     "Name of the OST pool that a new file is created in. Empty: no pool is requested "
     "(docs/lustre.md)"},
    {"report", COLLIO_CHOICE, AT(report), COLLIO_REPORT_CHOICES, 0, 3, AGREED, NULL,
     "Print at close a file's striping and what became of the lock requests "
     "(docs/report.md)"},
    {"report_file", COLLIO_TEXT, AT(report_file), NULL, 0, 3, AGREED, NULL,
     COLLIO_REPORT_FILE_HELP},
    {"priority", COLLIO_NUMBER, AT(priority), NULL, COLLIO_PRIORITY_DEFAULT, 3, NO_HINT, NULL,
     "Priority of this component for files on Lustre. The stock component has 50: set 60 to use "
     "this one for every file on Lustre without --mca fs (docs/selection.md)"},
};

static collio_settings_set_t set = {.prefix = "fs_lustre_lla",
                                    .rows = rows,
                                    .count = sizeof(rows) / sizeof(rows[0]),
                                    .parameters = &parameters,
                                    .bytes = sizeof(parameters)};

static const collio_fs_t fs;

static int lustre_component_register(void)
{
    const mca_base_component_t *component = &mca_fs_lustre_lla_component.fsm_version;
    int rc = COLLIO_FITS("fs/lustre_lla");

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    collio_lockahead_register(component);
    collio_fs_open_register(component);
    rc = collio_settings_set_register(&set, component);
    llapi_origin = 0 < collio_candidate_priority(&fs.candidate)
                       ? collio_llapi()->origin
                       : "not loaded: fs/lustre_lla is not selected";
    (void) mca_base_component_var_register(
        component, "llapi",
        "Path of Lustre's user library, if this component is selected. Cannot be set "
        "(docs/lustre.md)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, MCA_BASE_VAR_FLAG_DEFAULT_ONLY, OPAL_INFO_LVL_3,
        MCA_BASE_VAR_SCOPE_CONSTANT, &llapi_origin);
    collio_counters_register(&mca_fs_lustre_lla_counters, component, false);
    return rc;
}

void mca_fs_lustre_lla_settings_resolve(ompio_file_t *fh, opal_info_t *info,
                                        mca_fs_lustre_lla_settings_t *settings)
{
    collio_hints_check(info);
    (void) collio_settings_set_agree(&set, fh, settings);
}

const char *mca_fs_lustre_lla_mode_name(int mode)
{
    static const char *const names[] = {"off", "global", "stripe", "cycle", "element", "view"};

    return 0 > mode || 6 <= mode ? "auto" : names[mode];
}

const char *mca_fs_lustre_lla_plain_path(const char *filename)
{
    return 0 == strncasecmp(filename, "lustre:", 7) ? filename + 7 : filename;
}

/* Runs on rank 0, or on a rank that deletes a file without a communicator. */
static int type_of(ompio_file_t *fh)
{
    if (mca_fs_lustre_lla_plain_path(fh->f_filename) != fh->f_filename) {
        return LUSTRE;
    }
    return mca_fs_base_get_fstype((char *) fh->f_filename);
}

/* True if the file is on Lustre. The same on every rank; false if communication failed. */
static bool is_on_lustre(ompio_file_t *fh)
{
    int type = NONE;

    if (MPI_COMM_NULL == fh->f_comm) {
        return LUSTRE == type_of(fh);
    }
    if (OMPIO_ROOT == fh->f_rank) {
        type = type_of(fh);
    }
    return OMPI_SUCCESS == collio_bcast(&type, 1, MPI_INT, fh->f_comm) && LUSTRE == type;
}

static const char *lustre_decline(ompio_file_t *fh)
{
    if (MPI_COMM_NULL != fh->f_comm) {
        collio_hints_check(fh->f_info); /* before OMPIO divides by cb_nodes */
    }
    return is_on_lustre(fh) ? NULL : "it is not on Lustre";
}

static mca_fs_base_module_1_0_0_t *lustre_module_of(ompio_file_t *fh)
{
    (void) fh;
    return &mca_fs_lustre_lla_module;
}

static const collio_fs_t fs = {.candidate = {.framework = &ompi_fs_base_framework,
                                             .name = "lustre_lla",
                                             .priority = &parameters.priority},
                               .title = "fs/lustre_lla",
                               .decline = lustre_decline,
                               .module = lustre_module_of};

void mca_fs_lustre_lla_show_selected(const ompio_file_t *fh)
{
    collio_candidate_selected(&fs.candidate, fh);
}

static mca_fs_base_module_1_0_0_t *lustre_file_query(ompio_file_t *fh, int *priority)
{
    return collio_fs_query(&fs, fh, priority);
}

static int lustre_file_unquery(ompio_file_t *fh)
{
    collio_candidate_outranked(&fs.candidate, fh);
    return OMPI_SUCCESS;
}

mca_fs_base_component_2_0_0_t mca_fs_lustre_lla_component = COLLIO_FS_COMPONENT(
    "lustre_lla", lustre_component_register, lustre_file_query, lustre_file_unquery);
