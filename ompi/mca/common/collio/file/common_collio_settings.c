/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * Parameters and hints: one table, from which everything about them is made.
 */
#include "file/common_collio_settings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/base/mca_base_var_enum.h"
#include "opal/util/info.h"
#include "opal/util/output.h"

typedef enum kind_t { CHOICE, NUMBER, BYTES, SWITCH, TEXT } kind_t;

typedef struct item_t {
    const char *name;
    kind_t kind;
    size_t offset;        /* in settings_t */
    const char *choices;  /* "auto,on,off": the value is the index */
    int initial;          /* default (number, index or switch) */
    int level;            /* MPI_T verbosity 1..9 */
    bool two_layers_only; /* a parameter of tam alone */
    bool hint;            /* may also be given as the hint collio_<name> */
    const char *help;
} item_t;

#define AT(field) offsetof(mca_common_collio_settings_t, field)

static const char on_off[] = "auto,on,off";

static const item_t items[] = {
    {"schedule", CHOICE, AT(schedule), "auto,none,comm,write,write_comm,write_comm2", 0, 5, false,
     true,
     "How an aggregator overlaps the shuffle with file access. none: one after the other. comm: "
     "the next shuffle runs during a blocking access. write: access runs during a blocking "
     "shuffle. "
     "write_comm: both run, both are waited for. write_comm2: whatever is ready goes on. auto "
     "measures the first calls of a file and keeps the fastest"},
    {"transport", CHOICE, AT(transport), "auto,isend,put_fence,put_lock,shm", 0, 5, false, true,
     "How data moves between a rank and an aggregator. isend: messages. put_fence, put_lock: "
     "one-sided puts. shm: one copy through memory shared on the aggregator's node (ranks of other "
     "nodes use isend). auto measures shm, where it can be had, and isend. Atomic mode always uses "
     "isend, nonblocking calls do instead of puts"},
    {"exchange", CHOICE, AT(exchange), on_off, 0, 4, false, true,
     "Whether data is exchanged with aggregators. off: every rank accesses its own pieces of the "
     "file, packed and sieved. auto decides from the file system, the nodes and the piece sizes. "
     "The hints romio_cb_write and romio_cb_read set it per direction"},
    {"partition", CHOICE, AT(partition), "auto,even,static_cyclic,group_cyclic", 0, 5, false, true,
     "How the file is divided among aggregators. even: one contiguous part each. static_cyclic: "
     "stripe i belongs to aggregator i modulo their number. group_cyclic: contiguous parts for "
     "groups of as many aggregators as stripes, cyclic inside a group"},
    {"aggregators", NUMBER, AT(aggregators), NULL, 0, 4, false, true,
     "Number of aggregators, the ranks that access the file. 0 chooses one per node (two "
     "on a single node), or one per stripe on a striped file system (up to four with lockahead). "
     "The hint cb_nodes sets it too"},
    {"aggregator_list", TEXT, AT(aggregator_list), NULL, 0, 6, false, true,
     "Ranks of the file's communicator that aggregate, such as 0,4,8-11. Wins over aggregators and "
     "placement. Empty lets placement choose"},
    {"placement", CHOICE, AT(placement), "auto,spread,round_robin,stripe", 0, 5, false, true,
     "Which ranks aggregate. spread: evenly over nodes and their ranks. round_robin: first rank of "
     "each node, then the second of each. stripe: round robin, one per stripe"},
    {"buffer_bytes", BYTES, AT(buffer_bytes), NULL, 0, 4, false, true,
     "Memory in bytes that an aggregator may use for collective buffers. 0 takes the hint "
     "cb_buffer_size, or else io_ompio_bytes_per_agg; if that has its default, one node with a "
     "local file system needs 2 MiB only"},
    {"sync_send", CHOICE, AT(sync_send), on_off, 0, 7, false, true,
     "Whether data messages are synchronous sends, so that fast senders cannot flood an aggregator "
     "that is busy writing. auto: on when a call needs more than one round"},
    {"plan_reuse", SWITCH, AT(plan_reuse), NULL, 1, 6, false, true,
     "Reuse the plan of an earlier call with the same view and request shape (the next variable or "
     "time step). Switch it off only to measure its effect"},
    {"report", SWITCH, AT(report), NULL, 0, 3, false, true,
     "Print one table per file at close: aggregators, cycles, bytes, messages, time per phase"},
    {"priority", NUMBER, AT(priority), NULL, 5, 3, false, false,
     "Priority of this component. Stock components have 10 to 100; 110 makes this one win for "
     "every file, 0 switches it off"},
    {"local_aggregators", NUMBER, AT(local_aggregators), NULL, 0, 4, true, true,
     "Local aggregators in all, which gather requests inside their node before the exchange "
     "between nodes. 0: see local_aggregators_per_node. As many as ranks is plain two-phase"},
    {"local_aggregators_per_node", NUMBER, AT(local_aggregators_per_node), NULL, 0, 4, true, true,
     "Local aggregators on each node. 0 chooses from the ranks per node, the nodes, the "
     "aggregators and the number of pieces"},
    {"intra", CHOICE, AT(intra), "auto,shm,isend", 0, 5, true, true,
     "How data moves inside a node to its local aggregator. shm: each rank copies it into place "
     "itself. isend: messages. auto uses shm where it can be had"},
};

#define ITEM_COUNT (sizeof(items) / sizeof(items[0]))

static void *field(const item_t *item, mca_common_collio_settings_t *settings)
{
    return (char *) settings + item->offset;
}

/* Number of choices; copies name `index` of "a,b,c" to name[] if there is one. */
static int choice_name(const char *choices, int index, char *name, size_t size)
{
    int count = 0;

    for (const char *at = choices; NULL != at; ++count) {
        const char *comma = strchr(at, ',');
        size_t length = NULL == comma ? strlen(at) : (size_t) (comma - at);

        if (count == index && length < size) {
            memcpy(name, at, length);
            name[length] = '\0';
        }
        at = NULL == comma ? NULL : comma + 1;
    }
    return count;
}

static mca_base_var_enum_t *make_enumerator(const item_t *item)
{
    char names[16][32];
    mca_base_var_enum_value_t values[17];
    mca_base_var_enum_t *enumerator = NULL;
    int count = choice_name(item->choices, -1, NULL, 0);

    for (int i = 0; i < count; ++i) {
        choice_name(item->choices, i, names[i], sizeof(names[i]));
        values[i].value = i;
        values[i].string = names[i];
    }
    values[count].value = 0;
    values[count].string = NULL;
    mca_base_var_enum_create(item->name, values, &enumerator);
    return enumerator;
}

static void set_initial(const item_t *item, mca_common_collio_settings_t *settings)
{
    switch (item->kind) {
    case CHOICE:
    case NUMBER:
        *(int *) field(item, settings) = item->initial;
        break;
    case BYTES:
        *(size_t *) field(item, settings) = (size_t) item->initial;
        break;
    case SWITCH:
        *(bool *) field(item, settings) = 0 != item->initial;
        break;
    case TEXT:
        *(char **) field(item, settings) = "";
        break;
    }
}

static int register_item(const item_t *item, mca_common_collio_settings_t *settings,
                         const mca_base_component_t *mca)
{
    static const mca_base_var_type_t types[] = {
        [CHOICE] = MCA_BASE_VAR_TYPE_INT,   [NUMBER] = MCA_BASE_VAR_TYPE_INT,
        [BYTES] = MCA_BASE_VAR_TYPE_SIZE_T, [SWITCH] = MCA_BASE_VAR_TYPE_BOOL,
        [TEXT] = MCA_BASE_VAR_TYPE_STRING,
    };
    mca_base_var_enum_t *enumerator = CHOICE == item->kind ? make_enumerator(item) : NULL;
    int rc;

    set_initial(item, settings);
    rc = mca_base_component_var_register(mca, item->name, item->help, types[item->kind], enumerator,
                                         0, 0, (mca_base_var_info_lvl_t) (item->level - 1),
                                         MCA_BASE_VAR_SCOPE_READONLY, field(item, settings));
    if (NULL != enumerator) {
        OBJ_RELEASE(enumerator);
    }
    return rc;
}

/* What enumerators cannot check. */
static bool numbers_valid(const mca_common_collio_component_t *component)
{
    const mca_common_collio_settings_t *settings = &component->parameters;

    for (size_t i = 0; i < ITEM_COUNT; ++i) {
        const item_t *item = &items[i];

        if (NUMBER != item->kind || (item->two_layers_only && !component->two_layers)) {
            continue;
        }
        int value = *(const int *) ((const char *) settings + item->offset);
        if (value < 0) {
            opal_output(0,
                        "fcoll/%s: parameter fcoll_%s_%s is %d; it must be 0 or more. Collective "
                        "calls fail until it is corrected.",
                        component->name, component->name, item->name, value);
            return false;
        }
    }
    return true;
}

int mca_common_collio_settings_register(mca_common_collio_component_t *component,
                                        const mca_base_component_t *mca)
{
    component->invalid = false;
    for (size_t i = 0; i < ITEM_COUNT; ++i) {
        if (items[i].two_layers_only && !component->two_layers) {
            continue;
        }
        /* Open MPI itself prints parameter, value and choices when an enumerator refuses. */
        if (register_item(&items[i], &component->parameters, mca) < 0) {
            component->invalid = true;
        }
    }
    if (!numbers_valid(component)) {
        component->invalid = true;
    }
    return OMPI_SUCCESS;
}

static bool parse_number(const char *text, int64_t least, int64_t most, int64_t *value)
{
    static const struct {
        char suffix;
        int shift;
    } units[] = {{'k', 10}, {'K', 10}, {'m', 20}, {'M', 20}, {'g', 30}, {'G', 30}};
    char *end;

    errno = 0;
    *value = strtoll(text, &end, 10);
    if (end == text || 0 != errno) {
        return false;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); ++i) {
        if (*end == units[i].suffix && *value <= (INT64_MAX >> units[i].shift)) {
            *value <<= units[i].shift;
            ++end;
            break;
        }
    }
    return '\0' == *end && *value >= least && *value <= most;
}

static bool parse_choice(const char *choices, const char *text, int *value)
{
    char name[32];
    int count = choice_name(choices, -1, NULL, 0);

    for (int i = 0; i < count; ++i) {
        choice_name(choices, i, name, sizeof(name));
        if (0 == strcmp(name, text)) {
            *value = i;
            return true;
        }
    }
    return false;
}

static bool parse_switch(const char *text, bool *value)
{
    *value = 0 == strcmp(text, "1") || 0 == strcmp(text, "true") || 0 == strcmp(text, "on")
             || 0 == strcmp(text, "enable");
    return *value || 0 == strcmp(text, "0") || 0 == strcmp(text, "false")
           || 0 == strcmp(text, "off") || 0 == strcmp(text, "disable");
}

static bool parse_item(const item_t *item, const char *text, mca_common_collio_settings_t *settings)
{
    int64_t number;

    switch (item->kind) {
    case CHOICE:
        return parse_choice(item->choices, text, field(item, settings));
    case NUMBER:
        if (!parse_number(text, 0, INT32_MAX, &number)) {
            return false;
        }
        *(int *) field(item, settings) = (int) number;
        return true;
    case BYTES:
        if (!parse_number(text, 0, INT64_MAX, &number)) {
            return false;
        }
        *(size_t *) field(item, settings) = (size_t) number;
        return true;
    case SWITCH:
        return parse_switch(text, field(item, settings));
    case TEXT:
        free(*(char **) field(item, settings));
        *(char **) field(item, settings) = strdup(text);
        return NULL != *(char **) field(item, settings);
    }
    return false;
}

static const char *allowed(const item_t *item)
{
    switch (item->kind) {
    case CHOICE:
        return item->choices;
    case SWITCH:
        return "true,false";
    case TEXT:
        return "a list of ranks";
    default:
        return "a number, 0 or more";
    }
}

static void note_error(char **error_text, const char *hint, const char *value, const char *choices)
{
    if (NULL == *error_text
        && asprintf(error_text,
                    "hint %s has the value \"%s\"; allowed: %s. Collective calls on this file "
                    "fail; nothing is written.",
                    hint, value, choices)
               < 0) {
        *error_text = NULL;
    }
}

/* ROMIO's names. Read before collio_*, so that the latter win. */
static const struct romio_hint_t {
    const char *hint;
    const char *choices; /* NULL: a number */
    size_t offset;
} romio_hints[] = {
    {"cb_nodes", NULL, AT(aggregators)},
    {"romio_cb_write", "automatic,enable,disable", AT(exchange_write)},
    {"romio_cb_read", "automatic,enable,disable", AT(exchange_read)},
};

static int resolve_romio(ompio_file_t *fh, mca_common_collio_settings_t *settings,
                         char **error_text)
{
    char value[MPI_MAX_INFO_VAL + 1];
    int64_t number;
    int rc = OMPI_SUCCESS;

    for (size_t i = 0; i < sizeof(romio_hints) / sizeof(romio_hints[0]); ++i) {
        const struct romio_hint_t *romio = &romio_hints[i];
        int *target = (int *) ((char *) settings + romio->offset);

        if (!mca_common_collio_hint_get(fh->f_info, romio->hint, value, sizeof(value))) {
            continue;
        }
        if (NULL != romio->choices) {
            if (!parse_choice(romio->choices, value, target)) {
                note_error(error_text, romio->hint, value, romio->choices);
                rc = MPI_ERR_INFO_VALUE;
            }
        } else if (parse_number(value, 0, INT32_MAX, &number)) {
            *target = (int) number;
        } else {
            note_error(error_text, romio->hint, value, "a number, 0 or more");
            rc = MPI_ERR_INFO_VALUE;
        }
    }
    if (mca_common_collio_hint_get(fh->f_info, "cb_buffer_size", value, sizeof(value))) {
        if (parse_number(value, 0, INT64_MAX, &number)) {
            settings->buffer_bytes = (size_t) number;
        } else {
            note_error(error_text, "cb_buffer_size", value, "a number of bytes");
            rc = MPI_ERR_INFO_VALUE;
        }
    }
    if (mca_common_collio_hint_get(fh->f_info, "collective_buffering", value, sizeof(value))) {
        bool on;

        if (parse_switch(value, &on)) {
            settings->exchange_read = on ? MCA_COMMON_COLLIO_SETTING_ON
                                         : MCA_COMMON_COLLIO_SETTING_OFF;
            settings->exchange_write = settings->exchange_read;
        } else {
            note_error(error_text, "collective_buffering", value, "true,false");
            rc = MPI_ERR_INFO_VALUE;
        }
    }
    return rc;
}

int mca_common_collio_settings_resolve(const mca_common_collio_component_t *component,
                                       ompio_file_t *fh, mca_common_collio_settings_t *settings,
                                       char **error_text)
{
    char hint[64];
    char value[MPI_MAX_INFO_VAL + 1];
    int rc;

    *error_text = NULL;
    *settings = component->parameters;
    settings->aggregator_list = strdup(
        NULL == component->parameters.aggregator_list ? "" : component->parameters.aggregator_list);
    settings->exchange_read = settings->exchange_write = MCA_COMMON_COLLIO_SETTING_AUTO;
    if (NULL == settings->aggregator_list) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    rc = resolve_romio(fh, settings, error_text);
    for (size_t i = 0; i < ITEM_COUNT; ++i) {
        if (!items[i].hint || (items[i].two_layers_only && !component->two_layers)) {
            continue;
        }
        snprintf(hint, sizeof(hint), "collio_%s", items[i].name);
        if (!mca_common_collio_hint_get(fh->f_info, hint, value, sizeof(value))) {
            continue;
        }
        if (AT(exchange) == items[i].offset) {
            settings->exchange_read = settings->exchange_write = MCA_COMMON_COLLIO_SETTING_AUTO;
        }
        if (!parse_item(&items[i], value, settings)) {
            note_error(error_text, hint, value, allowed(&items[i]));
            rc = MPI_ERR_INFO_VALUE;
        }
    }
    if (MCA_COMMON_COLLIO_SETTING_AUTO == settings->exchange_read) {
        settings->exchange_read = settings->exchange;
    }
    if (MCA_COMMON_COLLIO_SETTING_AUTO == settings->exchange_write) {
        settings->exchange_write = settings->exchange;
    }
    return rc;
}

void mca_common_collio_settings_fini(mca_common_collio_settings_t *settings)
{
    free(settings->aggregator_list);
    settings->aggregator_list = NULL;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash ^= value + UINT64_C(0x9e3779b97f4a7c15) + (hash << 6) + (hash >> 2);
    hash *= UINT64_C(0xff51afd7ed558ccd);
    return hash ^ (hash >> 33);
}

uint64_t mca_common_collio_settings_hash(const mca_common_collio_settings_t *settings)
{
    const int numbers[] = {settings->schedule,      settings->transport,
                           settings->exchange_read, settings->exchange_write,
                           settings->partition,     settings->aggregators,
                           settings->placement,     settings->sync_send,
                           settings->plan_reuse,    settings->local_aggregators,
                           settings->intra,         settings->local_aggregators_per_node,
                           settings->report};
    uint64_t hash = 1;

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); ++i) {
        hash = mix(hash, (uint64_t) numbers[i]);
    }
    for (const char *c = settings->aggregator_list; '\0' != *c; ++c) {
        hash = mix(hash, (uint64_t) *c);
    }
    return mix(hash, settings->buffer_bytes) >> 1; /* positive as int64_t */
}

void mca_common_collio_settings_publish(const mca_common_collio_component_t *component,
                                        const mca_common_collio_settings_t *settings,
                                        ompio_file_t *fh, int aggregators, int64_t buffer_bytes)
{
    static const char *const romio_names[] = {"automatic", "enable", "disable"};
    char hint[64];
    char value[64];

    for (size_t i = 0; i < ITEM_COUNT; ++i) {
        int number;

        if (items[i].two_layers_only ? !component->two_layers : CHOICE != items[i].kind) {
            continue;
        }
        number = *(const int *) ((const char *) settings + items[i].offset);
        snprintf(hint, sizeof(hint), "collio_%s", items[i].name);
        if (CHOICE == items[i].kind) {
            choice_name(items[i].choices, number, value, sizeof(value));
        } else {
            snprintf(value, sizeof(value), "%d", number);
        }
        mca_common_collio_hint_set(fh->f_info, hint, value);
    }
    mca_common_collio_hint_set(fh->f_info, "romio_cb_write", romio_names[settings->exchange_write]);
    mca_common_collio_hint_set(fh->f_info, "romio_cb_read", romio_names[settings->exchange_read]);
    snprintf(value, sizeof(value), "%d", aggregators);
    mca_common_collio_hint_set(fh->f_info, "cb_nodes", value);
    snprintf(value, sizeof(value), "%" PRId64, buffer_bytes);
    mca_common_collio_hint_set(fh->f_info, "cb_buffer_size", value);
}

const char *mca_common_collio_transport_name(int transport)
{
    static const char *const names[] = {"auto", "isend", "put_fence", "put_lock", "shm"};

    return names[transport];
}
