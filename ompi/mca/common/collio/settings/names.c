/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Names of parameters. See names.h.
 */
#include "compat/compat.h"

#include "settings/names.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "opal/mca/base/mca_base_var.h"

#include "help/help.h"
#include "settings/setting.h"

#include "core/nearest.h"

#define VARIABLE "OMPI_MCA_"

/* Returns the part of the name after "fcoll_overlap_", or NULL if the name is not one of the set's
 * component. */
static const char *rest_of(const collio_settings_set_t *set, const char *name)
{
    size_t length = strlen(set->prefix);

    return 0 == strncmp(name, set->prefix, length) && '_' == name[length] ? name + length + 1
                                                                          : NULL;
}

static bool is_parameter(const char *name)
{
    int index;

    return OPAL_SUCCESS == mca_base_var_find_by_name(name, &index);
}

/* True if a component has the hint collio_<rest>. */
static bool is_hint(const char *rest)
{
    for (const collio_settings_set_t *set = collio_settings_sets(); NULL != set; set = set->next) {
        for (size_t i = 0; i < set->count; ++i) {
            if (0 == strcmp(rest, set->rows[i].name) && collio_settings_set_has(set, &set->rows[i])
                && 0 == (set->rows[i].flags & COLLIO_SETTING_NO_HINT)) {
                return true;
            }
        }
    }
    return false;
}

/* Finds the parameter of the set's component with the nearest name. */
static void find_nearest(const collio_settings_set_t *set, const char *rest,
                         collio_nearest_t *nearest)
{
    const mca_base_var_t *parameter;

    for (int i = 0; i < mca_base_var_get_count(); ++i) {
        if (OPAL_SUCCESS == mca_base_var_get(i, &parameter)) {
            const char *other = rest_of(set, parameter->mbv_full_name);

            if (NULL != other) {
                collio_nearest_try(nearest, rest, other);
            }
        }
    }
}

static void report_name(const collio_settings_set_t *set, const char *name)
{
    const char *rest = rest_of(set, name);
    collio_nearest_t nearest = {.distance = 0};
    char advice[192] = "docs/settings.md lists the parameters.";

    find_nearest(set, rest, &nearest);
    if (is_hint(rest)) {
        (void) snprintf(advice, sizeof(advice), "Set the hint collio_%s.", rest);
    } else if ('\0' != nearest.word[0]) {
        (void) snprintf(advice, sizeof(advice), "The nearest name is %s_%s.", set->prefix,
                        nearest.word);
    }
    collio_help_later(COLLIO_HELP_PARAMETER_UNKNOWN, name, advice);
}

static void check_name(const char *name)
{
    for (const collio_settings_set_t *set = collio_settings_sets(); NULL != set; set = set->next) {
        if (NULL != rest_of(set, name) && !is_parameter(name)) {
            report_name(set, name);
            return;
        }
    }
}

void collio_names_check(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    char name[256];

    if (atomic_flag_test_and_set(&done)) {
        return;
    }
    for (char **at = environ; NULL != at && NULL != *at; ++at) {
        size_t length = strcspn(*at, "=");

        if (0 == strncmp(*at, VARIABLE, strlen(VARIABLE)) && length < sizeof(name)) {
            memcpy(name, *at + strlen(VARIABLE), length - strlen(VARIABLE));
            name[length - strlen(VARIABLE)] = '\0';
            check_name(name);
        }
    }
}
