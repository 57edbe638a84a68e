/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Makes parameters, hints and values from the rows. See setting.h.
 */
#include "settings/setting.h"

#include <stdio.h>
#include <string.h>

#include "opal/mca/base/mca_base_var.h"

#include "help/help.h"

#include "core/hash.h"
#include "core/printable.h"

static collio_settings_set_t *sets;

const collio_settings_set_t *collio_settings_sets(void)
{
    return sets;
}

bool collio_settings_set_has(const collio_settings_set_t *set, const collio_setting_t *row)
{
    return 0 == (row->flags & set->without);
}

static int64_t field_get(const collio_setting_t *row, const void *values)
{
    const char *field = (const char *) values + row->offset;

    switch (row->kind) {
    case COLLIO_BYTES:
        return (int64_t) * (const size_t *) field;
    case COLLIO_SWITCH:
        return *(const bool *) field;
    default:
        return *(const int *) field;
    }
}

static void field_set(const collio_setting_t *row, void *values, int64_t value)
{
    char *field = (char *) values + row->offset;

    switch (row->kind) {
    case COLLIO_BYTES:
        *(size_t *) field = (size_t) value;
        break;
    case COLLIO_SWITCH:
        *(bool *) field = 0 != value;
        break;
    case COLLIO_TEXT:
        field[0] = '\0'; /* the only initial value of a text */
        break;
    default:
        *(int *) field = (int) value;
    }
}

bool collio_setting_parse(const collio_setting_t *row, const char *text, int64_t least,
                          void *values)
{
    int64_t value = 0;

    if (COLLIO_TEXT == row->kind) {
        if (strlen(text) >= COLLIO_TEXT_BYTES || !collio_is_printable(text)) {
            return false;
        }
        if (NULL != values) {
            memcpy((char *) values + row->offset, text, strlen(text) + 1);
        }
        return true;
    }
    if (!collio_value_parse(row->kind, row->choices, least, text, &value)) {
        return false;
    }
    if (NULL != values) {
        field_set(row, values, value);
    }
    return true;
}

void collio_setting_format(const collio_setting_t *row, const void *values, char *text, size_t size)
{
    if (COLLIO_TEXT == row->kind) {
        snprintf(text, size, "%s", (const char *) values + row->offset);
    } else {
        collio_value_format(row->kind, row->choices, field_get(row, values), text, size);
    }
}

uint64_t collio_setting_hash(const collio_setting_t *row, const void *values, uint64_t hash)
{
    int64_t number;

    if (COLLIO_TEXT == row->kind) {
        const char *text = (const char *) values + row->offset;

        return collio_hash(hash, text, strlen(text) + 1);
    }
    number = field_get(row, values);
    return collio_hash(hash, &number, sizeof(number));
}

void collio_setting_parameter(const collio_settings_set_t *set, const collio_setting_t *row,
                              char *text, size_t size)
{
    snprintf(text, size, "%s_%s",
             0 != (row->flags & COLLIO_SETTING_OMPIO) ? "io_ompio" : set->prefix, row->name);
}

/* Registers every parameter as a string, so that collio reports a wrong value, once and in one
 * line, and parameters have the syntax of hints. */
static int register_row(collio_settings_set_t *set, size_t index,
                        const mca_base_component_t *component)
{
    const collio_setting_t *row = &set->rows[index];
    mca_base_var_info_lvl_t level = (mca_base_var_info_lvl_t) (row->level - 1);
    char preset[64], help[1024], allowed[256];

    collio_setting_format(row, set->parameters, preset, sizeof(preset));
    collio_value_allowed(row->kind, row->choices, 0, allowed, sizeof(allowed));
    snprintf(help, sizeof(help), "%s [%s]", row->help, allowed);
    set->text[index] = preset;
    if (0 != (row->flags & COLLIO_SETTING_OMPIO)) {
        int rc = mca_base_var_register("ompi", "io", "ompio", row->name, help,
                                       MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, level,
                                       MCA_BASE_VAR_SCOPE_READONLY, &set->text[index]);

        set->ompio_index = rc < 0 ? 0 : 1 + rc;
        return rc;
    }
    return mca_base_component_var_register(component, row->name, help, MCA_BASE_VAR_TYPE_STRING,
                                           NULL, 0, 0, level, MCA_BASE_VAR_SCOPE_READONLY,
                                           &set->text[index]);
}

static void read_parameter(const collio_settings_set_t *set, const collio_setting_t *row,
                           const char *text)
{
    char name[128], allowed[256], used[64];

    if (NULL == text || collio_setting_parse(row, text, 0, set->parameters)) {
        return;
    }
    collio_setting_parameter(set, row, name, sizeof(name));
    collio_value_allowed(row->kind, row->choices, 0, allowed, sizeof(allowed));
    collio_setting_format(row, set->parameters, used, sizeof(used));
    collio_help_later(COLLIO_HELP_PARAMETER_VALUE, name, text, allowed, used);
}

int collio_settings_set_register(collio_settings_set_t *set, const mca_base_component_t *component)
{
    const collio_settings_set_t *known = sets;

    memset(set->parameters, 0, set->bytes);
    for (size_t i = 0; i < set->count; ++i) {
        const collio_setting_t *row = &set->rows[i];

        field_set(row, set->parameters, row->initial);
        if (!collio_settings_set_has(set, row) || 0 != (row->flags & COLLIO_SETTING_NO_PARAMETER)) {
            continue;
        }
        if (register_row(set, i, component) < 0) {
            set->text[i] = NULL;
        }
        read_parameter(set, row, set->text[i]);
    }
    while (NULL != known && known != set) {
        known = known->next;
    }
    if (NULL == known) {
        set->next = sets;
        sets = set;
    }
    return OMPI_SUCCESS;
}

void collio_settings_set_deregister(collio_settings_set_t *set)
{
    if (0 != set->ompio_index) {
        (void) mca_base_var_deregister(set->ompio_index - 1);
        set->ompio_index = 0;
    }
}

/* Faster than snprintf: every open builds the names of every row. */
static void copy_name(char name[MPI_MAX_INFO_KEY], const char *prefix, const char *text,
                      size_t length)
{
    size_t before = strlen(prefix), room = MPI_MAX_INFO_KEY - 1 - before;

    length = length < room ? length : room;
    memcpy(name, prefix, before);
    memcpy(name + before, text, length);
    name[before + length] = '\0';
}

bool collio_setting_hint(const collio_setting_t *row, int n, char name[MPI_MAX_INFO_KEY],
                         int64_t *least)
{
    const char *at = NULL == row->hints ? "" : row->hints;

    for (; n > 0 && '\0' != *at; --n) {
        at += strcspn(at, ",");
        at += ',' == *at;
    }
    if ('\0' != *at) {
        copy_name(name, "", at, strcspn(at, ","));
        *least = 0 != (row->flags & COLLIO_SETTING_POSITIVE);
        return true;
    }
    if (n > 0 || 0 != (row->flags & COLLIO_SETTING_NO_HINT)) {
        return false;
    }
    copy_name(name, "collio_", row->name, strlen(row->name));
    *least = 0;
    return true;
}

/* True if the file has any hint. Most files have none, and then no row searches for its hints. */
static bool setting_has_hints(opal_info_t *info)
{
    char key[MPI_MAX_INFO_KEY + 1];

    return collio_hint_key(info, 0, key, sizeof(key));
}

void collio_settings_set_resolve(const collio_settings_set_t *set, opal_info_t *info, void *values)
{
    char name[MPI_MAX_INFO_KEY], text[MPI_MAX_INFO_VAL + 1];
    size_t count = setting_has_hints(info) ? set->count : 0;
    int64_t least;

    memcpy(values, set->parameters, set->bytes);
    for (size_t i = 0; i < count; ++i) {
        const collio_setting_t *row = &set->rows[i];

        for (int n = 0;
             collio_settings_set_has(set, row) && collio_setting_hint(row, n, name, &least); ++n) {
            if (collio_hint_get(info, name, text, sizeof(text))) {
                (void) collio_setting_parse(row, text, least, values);
            }
        }
    }
}

static bool is_initial(const collio_setting_t *row, const void *values)
{
    return COLLIO_TEXT == row->kind ? '\0' == *((const char *) values + row->offset)
                                    : row->initial == field_get(row, values);
}

/* Uses one name only, so that a program that copies and changes the hint has effect. `hinted`: the
 * file has hints. */
static void publish_row(const collio_setting_t *row, const void *values, opal_info_t *info,
                        bool hinted)
{
    char name[MPI_MAX_INFO_KEY], text[COLLIO_TEXT_BYTES];
    int64_t least;
    bool ours;

    if (!collio_setting_hint(row, 0, name, &least)) {
        return;
    }
    ours = 0 == strncmp(name, "collio_", 7);
    if (ours && is_initial(row, values)
        && !(hinted && collio_hint_get(info, name, text, sizeof(text)))) {
        return; /* a default that no parameter or hint has set */
    }
    if (COLLIO_TEXT == row->kind || ours) {
        collio_setting_format(row, values, text, sizeof(text));
    } else {
        collio_value_romio(row->kind, row->choices, field_get(row, values), text, sizeof(text));
    }
    if ('\0' != text[0] && strlen(text) < MPI_MAX_INFO_VAL) {
        collio_hint_set(info, name, text);
    }
}

void collio_settings_set_publish(const collio_settings_set_t *set, const void *values,
                                 opal_info_t *info)
{
    bool hinted = setting_has_hints(info);

    for (size_t i = 0; i < set->count; ++i) {
        const collio_setting_t *row = &set->rows[i];
        bool unset = !hinted && NULL == row->hints && is_initial(row, values);

        if (!unset && collio_settings_set_has(set, row)) {
            publish_row(row, values, info, hinted);
        }
    }
}

void collio_settings_set_changed(const collio_settings_set_t *set, const void *values, char *text,
                                 size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < set->count && used < size; ++i) {
        const collio_setting_t *row = &set->rows[i];
        char value[COLLIO_TEXT_BYTES];

        if (collio_settings_set_has(set, row) && !is_initial(row, values)) {
            collio_setting_format(row, values, value, sizeof(value));
            used += (size_t) snprintf(text + used, size - used, "%s%s=%s", 0 == used ? "" : ", ",
                                      row->name, value);
        }
    }
    if (0 == used) {
        snprintf(text, size, "all defaults");
    }
}
