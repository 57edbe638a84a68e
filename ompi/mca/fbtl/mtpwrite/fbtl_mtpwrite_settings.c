/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Parameters and hints: one table describes each item once (name, other names as a hint, type,
 * choices, help), and from it come the MCA parameters, the hints, their checks and messages.
 * Order: collio_<name> over ROMIO's name over the parameter.
 */
#include "fbtl_mtpwrite_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "opal/mca/base/mca_base_var.h"
#include "opal/mca/base/mca_base_var_enum.h"
#include "opal/util/info.h"
#include "opal/util/output.h"

enum kind { NUMBER, BYTES, SWITCH, CHOICE };

struct item {
    const char *name;
    const char *romio; /* hint of the same meaning, or NULL */
    enum kind kind;
    const mca_base_var_enum_value_t *choices;
    size_t offset; /* in the settings */
    mca_base_var_info_lvl_t level;
    bool hint; /* can be given per file */
    const char *help;
};

static const mca_base_var_enum_value_t methods[] = {{MCA_COMMON_COLLIO_METHOD_AUTO, "auto"},
                                                    {MCA_COMMON_COLLIO_METHOD_VECTOR, "vector"},
                                                    {MCA_COMMON_COLLIO_METHOD_PACK, "pack"},
                                                    {MCA_COMMON_COLLIO_METHOD_DIRECT, "direct"},
                                                    {0, NULL}};
static const mca_base_var_enum_value_t engines[] = {{MCA_COMMON_COLLIO_ENGINE_AUTO, "auto"},
                                                    {MCA_COMMON_COLLIO_ENGINE_THREADS, "threads"},
                                                    {MCA_COMMON_COLLIO_ENGINE_LIBAIO, "libaio"},
                                                    {MCA_COMMON_COLLIO_ENGINE_IO_URING, "io_uring"},
                                                    {0, NULL}};
static const mca_base_var_enum_value_t choices[] = {{MCA_COMMON_COLLIO_AUTO, "auto"},
                                                    {MCA_COMMON_COLLIO_ON, "on"},
                                                    {MCA_COMMON_COLLIO_OFF, "off"},
                                                    {0, NULL}};

#define AT(field) offsetof(mca_fbtl_mtpwrite_settings_t, field)

static const struct item items[] = {
    {"priority", NULL, NUMBER, NULL, AT(priority), OPAL_INFO_LVL_3, false,
     "Priority of this component. Above 50 it is chosen on every file system with descriptors."},
    {"num_threads", NULL, NUMBER, NULL, AT(num_threads), OPAL_INFO_LVL_3, true,
     "Threads that match, pack and transfer an individual request. 0 or 1: the caller alone. They "
     "live in a pool of the process, made when first needed. More than there are cores for the "
     "process does not pay."},
    {"method", NULL, CHOICE, methods, AT(method), OPAL_INFO_LVL_5, true,
     "How pieces reach the file. vector: preadv/pwritev of many at once; pack: through staging "
     "buffers, in large blocks; direct: one call each. auto packs pieces that are smaller than a "
     "vector entry is worth."},
    {"engine", NULL, CHOICE, engines, AT(engine), OPAL_INFO_LVL_5, true,
     "What runs nonblocking transfers. auto: io_uring where the kernel has it, else threads. "
     "libaio is asynchronous only for transfers whose offset, length and address suit O_DIRECT."},
    {"queue_depth", NULL, NUMBER, NULL, AT(queue_depth), OPAL_INFO_LVL_5, true,
     "Nonblocking transfers that may wait in an engine's queue; one more waits for room. 0: the "
     "engine's own limit."},
    {"stage_bytes", NULL, BYTES, NULL, AT(stage_bytes), OPAL_INFO_LVL_5, true,
     "Bytes of the staging buffer of each thread, for packing. 0: automatic."},
    {"pin", NULL, SWITCH, NULL, AT(pin), OPAL_INFO_LVL_5, true,
     "Bind each thread of the pool to one of the cores that the process may use."},
    {"serial_below", NULL, NUMBER, NULL, AT(serial_below), OPAL_INFO_LVL_9, true,
     "Requests of fewer pieces than this (4 KiB of data count as a piece) stay with the caller's "
     "thread. 0: automatic; 1: never."},
    {"sieve_read", "romio_ds_read", CHOICE, choices, AT(sieve_read), OPAL_INFO_LVL_5, true,
     "Data sieving for reads: read a window with its holes, keep what is wanted. auto decides by "
     "the holes, window by window."},
    {"sieve_write", "romio_ds_write", CHOICE, choices, AT(sieve_write), OPAL_INFO_LVL_5, true,
     "Data sieving for writes: read, change and write a window under a lock, where that pays. on: "
     "needs the same answer, this component and byte-range locks on all ranks of the file, and an "
     "fcoll of collio if there are several; then every write to the file takes a lock. off and "
     "auto: bytes between pieces are never written, and no write takes a lock."},
    {"sieve_read_bytes", "ind_rd_buffer_size", BYTES, NULL, AT(sieve_read_bytes), OPAL_INFO_LVL_5,
     true, "Bytes of a window for sieving reads. 0: 4 MiB."},
    {"sieve_write_bytes", "ind_wr_buffer_size", BYTES, NULL, AT(sieve_write_bytes), OPAL_INFO_LVL_5,
     true, "Bytes of a window for sieving writes. 0: 512 KiB."},
    {"report", NULL, SWITCH, NULL, AT(report), OPAL_INFO_LVL_3, false,
     "Print a table of figures for each file when it is closed."},
};
enum { ITEMS = sizeof(items) / sizeof(items[0]) };

mca_fbtl_mtpwrite_settings_t mca_fbtl_mtpwrite_settings;
static int num_threads_index = -1;

static int register_item(const struct item *item, void *storage)
{
    static const mca_base_var_type_t types[] = {
        [NUMBER] = MCA_BASE_VAR_TYPE_INT,
        [BYTES] = MCA_BASE_VAR_TYPE_SIZE_T,
        [SWITCH] = MCA_BASE_VAR_TYPE_BOOL,
        [CHOICE] = MCA_BASE_VAR_TYPE_INT,
    };
    mca_base_var_enum_t *enumerator = NULL;
    int rc;

    if (NULL != item->choices
        && OPAL_SUCCESS != mca_base_var_enum_create(item->name, item->choices, &enumerator)) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if (storage == &mca_fbtl_mtpwrite_settings.num_threads) {
        rc = mca_base_var_register("ompi", "io", "ompio", item->name, item->help, types[item->kind],
                                   enumerator, 0, 0, item->level, MCA_BASE_VAR_SCOPE_READONLY,
                                   storage);
        num_threads_index = rc;
    } else {
        rc = mca_base_component_var_register(&mca_fbtl_mtpwrite_component.fbtlm_version, item->name,
                                             item->help, types[item->kind], enumerator, 0, 0,
                                             item->level, MCA_BASE_VAR_SCOPE_READONLY, storage);
    }
    if (NULL != enumerator) {
        OBJ_RELEASE(enumerator);
    }
    return 0 > rc ? rc : OMPI_SUCCESS;
}

/* Numbers below zero mean nothing: they are named once, and taken as 0. */
static void check_numbers(void)
{
    for (size_t i = 0; i < ITEMS; ++i) {
        int *number = (int *) ((char *) &mca_fbtl_mtpwrite_settings + items[i].offset);

        if (NUMBER == items[i].kind && 0 > *number) {
            opal_output(0, "fbtl/mtpwrite: parameter %s%s is %d; it can be 0 or more. 0 is used.",
                        number == &mca_fbtl_mtpwrite_settings.num_threads ? "io_ompio_"
                                                                          : "fbtl_mtpwrite_",
                        items[i].name, *number);
            *number = 0;
        }
    }
}

int mca_fbtl_mtpwrite_settings_register(void)
{
    memset(&mca_fbtl_mtpwrite_settings, 0, sizeof(mca_fbtl_mtpwrite_settings));
    mca_fbtl_mtpwrite_settings.priority = 5;
    for (size_t i = 0; i < ITEMS; ++i) {
        /* a value that is not among the choices is reported by Open MPI, and the default stays */
        (void) register_item(&items[i], (char *) &mca_fbtl_mtpwrite_settings + items[i].offset);
    }
    check_numbers();
    return OMPI_SUCCESS;
}

void mca_fbtl_mtpwrite_settings_deregister(void)
{
    if (0 <= num_threads_index) {
        (void) mca_base_var_deregister(num_threads_index);
        num_threads_index = -1;
    }
}

static bool parse_choice(const struct item *item, const char *text, int *value)
{
    static const struct {
        const char *text;
        int value;
    } romio[] = {{"automatic", MCA_COMMON_COLLIO_AUTO},
                 {"enable", MCA_COMMON_COLLIO_ON},
                 {"disable", MCA_COMMON_COLLIO_OFF}};

    for (size_t i = 0; NULL != item->choices[i].string; ++i) {
        if (0 == strcasecmp(text, item->choices[i].string)) {
            *value = item->choices[i].value;
            return true;
        }
    }
    for (size_t i = 0; NULL != item->romio && i < sizeof(romio) / sizeof(romio[0]); ++i) {
        if (0 == strcasecmp(text, romio[i].text)) {
            *value = romio[i].value;
            return true;
        }
    }
    return false;
}

static bool parse(const struct item *item, const char *text, void *storage)
{
    char *end = NULL;
    long long number;

    if (CHOICE == item->kind) {
        return parse_choice(item, text, storage);
    }
    if (SWITCH == item->kind) {
        bool yes = 0 == strcasecmp(text, "true") || 0 == strcmp(text, "1")
                   || 0 == strcasecmp(text, "on");
        bool no = 0 == strcasecmp(text, "false") || 0 == strcmp(text, "0")
                  || 0 == strcasecmp(text, "off");

        *(bool *) storage = yes ? true : (no ? false : *(bool *) storage);
        return yes || no;
    }
    errno = 0;
    number = strtoll(text, &end, 10);
    if (0 != errno || end == text || '\0' != *end || 0 > number
        || (NUMBER == item->kind && INT32_MAX < number)) {
        return false;
    }
    if (BYTES == item->kind) {
        *(size_t *) storage = (size_t) number;
    } else {
        *(int *) storage = (int) number;
    }
    return true;
}

static void allowed(const struct item *item, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    if (CHOICE != item->kind) {
        snprintf(text, size, SWITCH == item->kind ? "true or false" : "a number, 0 or more");
        return;
    }
    for (size_t i = 0; NULL != item->choices[i].string && used < size; ++i) {
        used += (size_t) snprintf(text + used, size - used, "%s%s", 0 == i ? "" : ", ",
                                  item->choices[i].string);
    }
}

static void apply_hint(ompio_file_t *fh, const char *key, const struct item *item,
                       mca_fbtl_mtpwrite_settings_t *settings)
{
    char value[MPI_MAX_INFO_VAL + 1], choice[128];

    if (!mca_common_collio_hint_get(fh->f_info, key, value, sizeof(value))) {
        return;
    }
    if (!parse(item, value, (char *) settings + item->offset) && 0 == fh->f_rank) {
        allowed(item, choice, sizeof(choice));
        opal_output(0, "fbtl/mtpwrite: %s: hint %s is '%s'; it can be %s. The hint is left out.",
                    fh->f_filename, key, value, choice);
    }
}

void mca_fbtl_mtpwrite_settings_of(ompio_file_t *fh, mca_fbtl_mtpwrite_settings_t *settings)
{
    char key[MPI_MAX_INFO_KEY];

    *settings = mca_fbtl_mtpwrite_settings;
    for (size_t i = 0; i < ITEMS; ++i) {
        if (!items[i].hint) {
            continue;
        }
        if (NULL != items[i].romio) {
            apply_hint(fh, items[i].romio, &items[i], settings);
        }
        snprintf(key, sizeof(key), "collio_%s", items[i].name);
        apply_hint(fh, key, &items[i], settings);
    }
}

void mca_fbtl_mtpwrite_settings_publish(ompio_file_t *fh,
                                        const mca_fbtl_mtpwrite_settings_t *settings)
{
    static const char *const romio_choice[] = {"automatic", "enable", "disable"};
    char value[32];

    for (size_t i = 0; i < ITEMS; ++i) {
        const void *storage = (const char *) settings + items[i].offset;

        if (NULL == items[i].romio) {
            continue;
        }
        if (CHOICE == items[i].kind) {
            snprintf(value, sizeof(value), "%s", romio_choice[*(const int *) storage]);
        } else {
            size_t bytes = *(const size_t *) storage;

            if (0 == bytes) {
                bytes = AT(sieve_read_bytes) == items[i].offset ? 4194304 : 524288;
            }
            snprintf(value, sizeof(value), "%zu", bytes);
        }
        (void) opal_info_set(fh->f_info, items[i].romio, value);
    }
}

const char *mca_fbtl_mtpwrite_method_name(int method)
{
    return methods[method].string;
}
