/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Removes unusable hints from the info object of a file before other code reads them.
 */
#include "settings/hints.h"

#include <stdio.h>
#include <string.h>

#include "help/help.h"

/* A search for one hint in the rows of all sets. */
typedef struct search_t {
    const char *key;                  /* name of the hint */
    const char *value;                /* value of the hint */
    const collio_settings_set_t *set; /* set that is being searched */
    const collio_setting_t *row;      /* row that is being compared */
    bool known;                       /* a row has this name */
    bool wrong;                       /* the value does not suit the row */
} search_t;

static bool is_it(const char *name, int64_t least, void *data)
{
    search_t *search = data;
    char allowed[256], parameter[128], used[64];

    if (0 != strcmp(name, search->key)) {
        return false;
    }
    search->known = true;
    if (collio_setting_parse(search->row, search->value, least, NULL)) {
        return false;
    }
    search->wrong = true;
    collio_value_allowed(search->row->kind, search->row->choices, least, allowed, sizeof(allowed));
    collio_setting_format(search->row, search->set->parameters, used, sizeof(used));
    collio_setting_parameter(search->set, search->row, parameter, sizeof(parameter));
    if (0 != (search->row->flags & COLLIO_SETTING_NO_PARAMETER)) {
        collio_help_later(COLLIO_HELP_HINT_VALUE_ONLY, name, search->value, allowed);
    } else {
        collio_help_later(COLLIO_HELP_HINT_VALUE, name, search->value, allowed, parameter, used);
    }
    return true;
}

/* Can the key be one of the row's names? A quick test, because there are many rows and set_view is
 * frequent: names are built only for a row that passes it. */
static bool may_name(const collio_setting_t *row, const char *key)
{
    return (NULL != row->hints && NULL != strstr(row->hints, key))
           || (0 == strncmp(key, "collio_", 7) && 0 == strcmp(key + 7, row->name));
}

/* Is this hint usable? If not, keeps a help text for later. */
static bool check(const char *key, const char *value)
{
    search_t search = {.key = key, .value = value};

    for (const collio_settings_set_t *set = collio_settings_sets(); NULL != set; set = set->next) {
        search.set = set;
        for (size_t i = 0; i < set->count && !search.wrong; ++i) {
            search.row = &set->rows[i];
            if (may_name(search.row, key) && collio_settings_set_has(set, search.row)) {
                collio_setting_names(search.row, is_it, &search);
            }
        }
    }
    if (!search.known && 0 == strncmp(key, "collio_", 7)) {
        collio_help_later(COLLIO_HELP_HINT_UNKNOWN, key, value);
        return false;
    }
    return !search.wrong;
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
