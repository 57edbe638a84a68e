/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Removes unusable hints from the info object of a file before other code reads them.
 */
#include "settings/hints.h"

#include <stdio.h>
#include <string.h>

#include "help/help.h"

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

/* Can the key be one of the row's names? A quick test, because there are many rows and set_view is
 * frequent: names are built only for a row that passes it. */
static bool may_name(const collio_setting_t *row, const char *key)
{
    return (NULL != row->hints && NULL != strstr(row->hints, key))
           || (0 == strncmp(key, "collio_", 7) && 0 == strcmp(key + 7, row->name));
}

/* Is the hint usable for this row? If not, keeps a help text for later. *known = true if the row
 * has this name. */
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

/* Is this hint usable? If not, keeps a help text for later. */
static bool check(const char *key, const char *value)
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
    return true;
}

bool collio_hint_check(opal_info_t *info, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1];

    if (!collio_hint_get(info, key, value, sizeof(value)) || check(key, value)) {
        return true;
    }
    collio_hint_delete(info, key);
    return false;
}

void collio_hints_check(opal_info_t *info)
{
    char key[MPI_MAX_INFO_KEY + 1];
    int n = 0;

    while (collio_hint_key(info, n, key, sizeof(key))) {
        n += collio_hint_check(info, key);
    }
}
