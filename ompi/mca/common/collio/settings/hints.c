/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Removes unusable hints from the info object of a file before other code reads them.
 */
#include "settings/hints.h"

#include <stdio.h>
#include <string.h>

#include "help/help.h"
#include "settings/names.h"

static void report_value(const collio_settings_set_t *set, const collio_setting_t *row,
                         const char *name, const char *value, int64_t least)
{
    char allowed[256], parameter[128], used[64];

    collio_value_allowed(row->kind, row->choices, least, allowed, sizeof(allowed));
    collio_setting_format(row, set->parameters, used, sizeof(used));
    collio_setting_parameter(set, row, parameter, sizeof(parameter));
    if (0 != (row->flags & COLLIO_SETTING_NO_PARAMETER)) {
        collio_help_later(COLLIO_HELP_HINT_VALUE_ONLY, name, value, allowed);
    } else {
        collio_help_later(COLLIO_HELP_HINT_VALUE, name, value, allowed, parameter, used);
    }
}

/* True if the key can be one of the row's names. A quick test, because there are many rows and
 * set_view is frequent: names are built only for a row that passes it. */
static bool may_name(const collio_setting_t *row, const char *key)
{
    return (NULL != row->hints && NULL != strstr(row->hints, key))
           || (0 == strncmp(key, "collio_", 7) && 0 == strcmp(key + 7, row->name));
}

/* True if the hint is usable for this row. If not, keeps a help text for later. *known = true if
 * the row has this name. */
static bool check_row(const collio_settings_set_t *set, const collio_setting_t *row,
                      const char *key, const char *value, bool *known)
{
    char name[MPI_MAX_INFO_KEY];
    int64_t least;

    for (int n = 0; collio_setting_hint(row, n, name, &least); ++n) {
        if (0 == strcmp(name, key)) {
            *known = true;
            if (!collio_setting_parse(row, value, least, NULL)) {
                report_value(set, row, name, value, least);
                return false;
            }
        }
    }
    return true;
}

/* True if the hint is one of MPI's reserved keys, or of ROMIO's, that neither OMPIO nor collio
 * uses. MPI_File_get_info returns the hints in use, so it must not return these. Hints of other
 * layers, which may look for their own, stay. */
static bool is_unused(const char *key)
{
    static const char *const unused[] = {"access_style",
                                         "cb_block_size",
                                         "cb_config_list",
                                         "chunked",
                                         "chunked_item",
                                         "chunked_size",
                                         "deferred_open",
                                         "file_perm",
                                         "filename",
                                         "io_node_list",
                                         "nb_proc",
                                         "num_io_nodes",
                                         "romio_cb_alltoall",
                                         "romio_cb_ds_threshold",
                                         "romio_cb_fr_alignment",
                                         "romio_cb_fr_types",
                                         "romio_cb_pfr",
                                         "romio_no_indep_rw"};

    for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); ++i) {
        if (0 == strcmp(key, unused[i])) {
            return true;
        }
    }
    return false;
}

/* True if this hint is usable. If not, keeps a help text for later. */
static bool hints_check(const char *key, const char *value)
{
    bool known = false;

    for (const collio_settings_set_t *set = collio_settings_sets(); NULL != set; set = set->next) {
        for (size_t i = 0; i < set->count; ++i) {
            const collio_setting_t *row = &set->rows[i];

            if (may_name(row, key) && collio_settings_set_has(set, row)
                && !check_row(set, row, key, value, &known)) {
                return false;
            }
        }
    }
    if (!known && 0 == strncmp(key, "collio_", 7)) {
        collio_help_later(COLLIO_HELP_HINT_UNKNOWN, key, value);
        return false;
    }
    return known || !is_unused(key);
}

bool collio_hint_check(opal_info_t *info, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1];

    if (!collio_hint_get(info, key, value, sizeof(value)) || hints_check(key, value)) {
        return true;
    }
    collio_hint_delete(info, key);
    return false;
}

void collio_hints_check(opal_info_t *info)
{
    char key[MPI_MAX_INFO_KEY + 1];
    int n = 0;

    collio_names_check();
    while (collio_hint_key(info, n, key, sizeof(key))) {
        n += collio_hint_check(info, key);
    }
}
