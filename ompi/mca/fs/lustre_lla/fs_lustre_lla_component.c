/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * Parameters, pvars, and when the component applies.
 *
 * It takes files on Lustre only (statfs magic, or the "lustre:" prefix), and only when it is
 * wanted: named in the list of fs components (`--mca fs lustre_lla,ufs`), or with a priority above
 * that of the stock ones. The fs base asks every component on every rank, so a query communicates
 * in the same way on all of them.
 */

#include "fs_lustre_lla_internal.h"

#include "ompi/mca/common/collio/ompio/common_collio_fcoll.h"

#include "opal/mca/base/mca_base_pvar.h"
#include "opal/mca/base/mca_base_var_enum.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum {
    PRIORITY_DEFAULT = 5, /* below the stock components */
    PRIORITY_NAMED = 60   /* above them: fs/lustre has 50 on Lustre */
};

mca_fs_lustre_lla_settings_t mca_fs_lustre_lla_parameters;
mca_fs_lustre_lla_counters_t mca_fs_lustre_lla_totals;

static int priority;
static const char *llapi_origin;

static const mca_base_var_enum_value_t collective_modes[] = {
    {MCA_FS_LUSTRE_LLA_AUTO, "auto"},
    {MCA_COMMON_COLLIO_LOCKAHEAD_OFF, "off"},
    {MCA_COMMON_COLLIO_LOCKAHEAD_GLOBAL, "global"},
    {MCA_COMMON_COLLIO_LOCKAHEAD_STRIPE, "stripe"},
    {MCA_COMMON_COLLIO_LOCKAHEAD_CYCLE, "cycle"},
    {0, NULL},
};

static const mca_base_var_enum_value_t individual_modes[] = {
    {MCA_FS_LUSTRE_LLA_AUTO, "auto"},
    {MCA_COMMON_COLLIO_LOCKAHEAD_OFF, "off"},
    {MCA_COMMON_COLLIO_LOCKAHEAD_ELEMENT, "element"},
    {MCA_COMMON_COLLIO_LOCKAHEAD_VIEW, "view"},
    {0, NULL},
};

/* Choices have a list, switches none. */
static const struct {
    const char *name;
    void *storage;
    const mca_base_var_enum_value_t *choices;
    int preset;
    mca_base_var_info_lvl_t level;
    const char *help;
} parameters[] = {
    {"lockahead", &mca_fs_lustre_lla_parameters.collective, collective_modes,
     MCA_FS_LUSTRE_LLA_AUTO, OPAL_INFO_LVL_3,
     "Which locks an aggregator requests before a collective access: its whole file domain in one "
     "request (global), each stripe of it (stripe), or each window just before its access (cycle). "
     "auto is global where the file system can do it. Hint: collio_lockahead."},
    {"lockahead_individual", &mca_fs_lustre_lla_parameters.individual, individual_modes,
     MCA_FS_LUSTRE_LLA_AUTO, OPAL_INFO_LVL_3,
     "Which locks a rank requests for individual access: each transfer of a call (element), or "
     "each piece of its view when the view is set (view). auto is element where the file system "
     "can do it. Hint: collio_lockahead_individual."},
    {"async", &mca_fs_lustre_lla_parameters.async, NULL, false, OPAL_INFO_LVL_5,
     "Request locks without waiting for them, where the access does not follow at once: all "
     "windows of a domain but the first (global, stripe), the next window (cycle), later blocks "
     "of a view (view). A request that meets a lock of another client is then dropped instead of "
     "taking that lock away. Hint: collio_async."},
    {"noexpand", &mca_fs_lustre_lla_parameters.noexpand, NULL, true, OPAL_INFO_LVL_5,
     "With lockahead, keep the servers from growing the locks of plain accesses. Hint: "
     "collio_noexpand."},
    {"clear_locks", &mca_fs_lustre_lla_parameters.clear_locks, NULL, true, OPAL_INFO_LVL_5,
     "With lockahead, drop the locks that clients still hold on the file when it is opened, by "
     "taking and giving back a group lock. Not done if it is opened for reading only, and not for "
     "composite layouts, all components of "
     "which would be instantiated by it. Hint: collio_clear_locks."},
    {"report", &mca_fs_lustre_lla_parameters.report, NULL, false, OPAL_INFO_LVL_3,
     "Print for each file at close what became of the lock requests. Hint: collio_report."},
};

static int register_choice(size_t p)
{
    mca_base_var_enum_t *enumerator;
    int rc;

    if (OPAL_SUCCESS
        != mca_base_var_enum_create(parameters[p].name, parameters[p].choices, &enumerator)) {
        return OMPI_ERROR;
    }
    *(int *) parameters[p].storage = parameters[p].preset;
    rc = mca_base_component_var_register(
        &mca_fs_lustre_lla_component.fsm_version, parameters[p].name, parameters[p].help,
        MCA_BASE_VAR_TYPE_INT, enumerator, 0, 0, parameters[p].level, MCA_BASE_VAR_SCOPE_READONLY,
        parameters[p].storage);
    OBJ_RELEASE(enumerator);
    return 0 > rc ? rc : OMPI_SUCCESS;
}

static int register_switch(size_t p)
{
    *(bool *) parameters[p].storage = parameters[p].preset;
    return mca_base_component_var_register(&mca_fs_lustre_lla_component.fsm_version,
                                           parameters[p].name, parameters[p].help,
                                           MCA_BASE_VAR_TYPE_BOOL, NULL, 0, 0, parameters[p].level,
                                           MCA_BASE_VAR_SCOPE_READONLY, parameters[p].storage);
}

static void register_pvars(void)
{
#define X(name, help)                                                                             \
    (void) mca_base_component_pvar_register(                                                      \
        &mca_fs_lustre_lla_component.fsm_version, #name, help, OPAL_INFO_LVL_5,                   \
        MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,                  \
        MCA_BASE_VAR_BIND_NO_OBJECT, MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, \
        NULL, NULL, NULL, &mca_fs_lustre_lla_totals.name);
    MCA_FS_LUSTRE_LLA_COUNTERS(X)
#undef X
}

static int component_register(void)
{
    const mca_base_component_t *component = &mca_fs_lustre_lla_component.fsm_version;

    for (size_t p = 0; p < sizeof(parameters) / sizeof(parameters[0]); ++p) {
        int rc = NULL != parameters[p].choices ? register_choice(p) : register_switch(p);
        if (0 > rc) {
            return rc;
        }
    }
    priority = PRIORITY_DEFAULT;
    (void) mca_base_component_var_register(component, "priority",
                                           "Priority on Lustre. Above 50 it is used for every "
                                           "file there; below, only if it is named.",
                                           MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_3,
                                           MCA_BASE_VAR_SCOPE_READONLY, &priority);
    llapi_origin = mca_fs_lustre_lla_llapi()->origin;
    (void) mca_base_component_var_register(
        component, "llapi", "Where Lustre's user library comes from (cannot be set)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, MCA_BASE_VAR_FLAG_DEFAULT_ONLY, OPAL_INFO_LVL_3,
        MCA_BASE_VAR_SCOPE_CONSTANT, &llapi_origin);
    register_pvars();
    return OMPI_SUCCESS;
}

/* Structs of another collio or another Open MPI may have other members. */
static int component_open(void)
{
    int built = mca_fs_lustre_lla_component.fsm_version.mca_component_major_version;
    int major = built;
    int minor;

    mca_common_collio_running_version(&major, &minor);
    if (MCA_COMMON_COLLIO_ABI != mca_common_collio_abi() || built != major) {
        mca_fs_lustre_lla_say(OMPIO_ROOT,
                              "built for Open MPI %d and version %d of libmca_common_collio, but "
                              "found %d and %d; it is not used. Install both from one build",
                              built, MCA_COMMON_COLLIO_ABI, major, mca_common_collio_abi());
        return OMPI_ERR_NOT_AVAILABLE;
    }
    return OMPI_SUCCESS;
}

static int choice_of(const mca_base_var_enum_value_t *choices, const char *text, int *value)
{
    for (; NULL != choices->string; ++choices) {
        if (0 == strcasecmp(choices->string, text)) {
            *value = choices->value;
            return 0;
        }
    }
    return -1;
}

static int switch_of(const char *text, bool *value)
{
    static const mca_base_var_enum_value_t words[] = {
        {1, "true"}, {1, "yes"}, {1, "on"},      {1, "enable"}, {1, "1"}, {0, "false"},
        {0, "no"},   {0, "off"}, {0, "disable"}, {0, "0"},      {0, NULL}};
    int found;

    if (0 != choice_of(words, text, &found)) {
        return -1;
    }
    *value = 0 != found;
    return 0;
}

void mca_fs_lustre_lla_settings_resolve(ompio_file_t *fh, opal_info_t *info,
                                        mca_fs_lustre_lla_settings_t *settings)
{
    *settings = mca_fs_lustre_lla_parameters;
    for (size_t p = 0; p < sizeof(parameters) / sizeof(parameters[0]); ++p) {
        size_t at = (size_t) ((char *) parameters[p].storage
                              - (char *) &mca_fs_lustre_lla_parameters);
        void *target = (char *) settings + at;
        char hint[64];
        char text[128];

        snprintf(hint, sizeof(hint), "collio_%s", parameters[p].name);
        if (mca_common_collio_hint_get(info, hint, text, sizeof(text))
            && 0
                   != (NULL != parameters[p].choices
                           ? choice_of(parameters[p].choices, text, target)
                           : switch_of(text, target))) {
            mca_fs_lustre_lla_say(fh->f_rank,
                                  "hint %s is \"%s\", which is not known: the parameter "
                                  "fs_lustre_lla_%s counts (ompi_info lists its values)",
                                  hint, text, parameters[p].name);
        }
    }
}

const char *mca_fs_lustre_lla_mode_name(int mode)
{
    static const char *const names[] = {"off", "global", "stripe", "cycle", "element", "view"};

    return 0 > mode || 6 <= mode ? "auto" : names[mode];
}

void mca_fs_lustre_lla_say(int rank, const char *format, ...)
{
    char text[1024];
    va_list list;

    if (OMPIO_ROOT == rank) {
        va_start(list, format);
        vsnprintf(text, sizeof(text), format, list);
        va_end(list);
        opal_output(0, "fs/lustre_lla: %s", text);
    }
}

/* ---- selection ---- */

static mca_fs_base_module_1_0_0_t module = {
    .fs_module_init = mca_fs_lustre_lla_module_init,
    .fs_module_finalize = mca_fs_lustre_lla_module_finalize,
    .fs_file_open = mca_fs_lustre_lla_file_open,
    .fs_file_close = mca_fs_lustre_lla_file_close,
    .fs_file_delete = mca_fs_lustre_lla_file_delete,
    .fs_file_set_size = mca_fs_lustre_lla_file_set_size,
    .fs_file_get_size = mca_fs_lustre_lla_file_get_size,
    .fs_file_sync = mca_fs_lustre_lla_file_sync,
};

const char *mca_fs_lustre_lla_plain_path(const char *filename)
{
    return 0 == strncasecmp(filename, "lustre:", 7) ? filename + 7 : filename;
}

/* Is the component named in the fs list? *alone: and nothing else. */
static bool named(bool *alone)
{
    const char *list = ompi_fs_base_framework.framework_selection;
    const char *name = "lustre_lla";
    size_t length = strlen(name);

    *alone = NULL != list && 0 == strcmp(list, name);
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

/* On the rank that looks (rank 0, or whoever deletes a file without a communicator). */
static int type_of(ompio_file_t *fh)
{
    if (mca_fs_lustre_lla_plain_path(fh->f_filename) != fh->f_filename) {
        return LUSTRE;
    }
    return mca_fs_base_get_fstype((char *) fh->f_filename);
}

static struct mca_fs_base_module_1_0_0_t *component_file_query(ompio_file_t *fh, int *result)
{
    int type = NONE;
    bool alone;
    bool wanted = named(&alone);

    if (OMPIO_ROOT == fh->f_rank || MPI_COMM_NULL == fh->f_comm) {
        type = type_of(fh);
    }
    if (MPI_COMM_NULL != fh->f_comm
        && OMPI_SUCCESS
               != fh->f_comm->c_coll->coll_bcast(&type, 1, MPI_INT, OMPIO_ROOT, fh->f_comm,
                                                 fh->f_comm->c_coll->coll_bcast_module)) {
        return NULL;
    }
    if (LUSTRE != type) {
        if (alone) {
            mca_fs_lustre_lla_say(fh->f_rank,
                                  "%s is not on Lustre, and no other fs component may be used; "
                                  "--mca fs lustre_lla,ufs allows both",
                                  fh->f_filename);
        }
        return NULL;
    }
    *result = wanted && PRIORITY_NAMED > priority ? PRIORITY_NAMED : priority;
    return &module;
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

mca_fs_base_component_2_0_0_t mca_fs_lustre_lla_component = {
    .fsm_version =
        {
            MCA_FS_BASE_VERSION_2_0_0,
            .mca_component_name = "lustre_lla",
            MCA_COMMON_COLLIO_COMPONENT_VERSION,
            .mca_open_component = component_open,
            .mca_register_component_params = component_register,
        },
    .fsm_data = {.param_field = MCA_BASE_METADATA_PARAM_CHECKPOINT},
    .fsm_init_query = component_init_query,
    .fsm_file_query = component_file_query,
    .fsm_file_unquery = component_file_unquery,
};
