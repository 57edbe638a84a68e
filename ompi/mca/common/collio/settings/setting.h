/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_SETTING_H
#define COLLIO_SETTING_H

#include "compat/compat.h"

#include "core/value.h"

/**
 * settings/: parameters and hints of all components. A component describes each setting by one row
 * and has a struct with one field for it. This directory derives from the rows the MCA parameters,
 * the hints, checks, messages, comparisons between ranks and the result of MPI_File_get_info.
 *
 * Order: collio_<name> wins over the other names of a hint, a hint wins over the parameter. A value
 * that cannot be used is reported once (help/help.h) and ignored: the parameter's value, or the
 * default, is used instead.
 */
enum {
    COLLIO_SETTING_NO_HINT = 1,      /* there is no hint collio_<name> */
    COLLIO_SETTING_NO_PARAMETER = 2, /* there is no MCA parameter */
    COLLIO_SETTING_AGREED = 4,       /* must be the same on all ranks of a file */
    COLLIO_SETTING_POSITIVE = 8,     /* names in `hints` do not allow 0 ("automatic") */
    COLLIO_SETTING_OMPIO = 16,       /* the parameter is io_ompio_<name> */
    COLLIO_SETTING_TWO_LAYERS = 32   /* only in components with two layers */
};

enum { COLLIO_SETTINGS_MAX = 32 };

typedef struct collio_setting_t {
    const char *name;    /* name of the parameter; the hint is collio_<name> */
    collio_kind_t kind;  /* type of the field: int (CHOICE, NUMBER), size_t (BYTES), bool (SWITCH)
                            or char[COLLIO_TEXT_BYTES] (TEXT) */
    size_t offset;       /* offset of the field in the component's struct */
    const char *choices; /* values of CHOICE: "auto,on,off", or "auto=-1,off=0" */
    int initial;         /* default value */
    int level;           /* MPI_T verbosity, 1 to 9 */
    unsigned flags;      /* COLLIO_SETTING_* */
    const char *hints;   /* other names of the hint, the strongest last, or NULL */
    const char *help;    /* description for ompi_info */
} collio_setting_t;

/** The settings of one component. */
typedef struct collio_settings_set_t {
    const char *prefix;                 /* first part of parameter names: "fcoll_overlap" */
    const collio_setting_t *rows;       /* one row for each setting */
    size_t count;                       /* number of rows */
    unsigned without;                   /* rows with one of these flags do not exist */
    void *parameters;                   /* the component's struct, with the parameters' values */
    size_t bytes;                       /* size of `parameters` */
    char *text[COLLIO_SETTINGS_MAX];    /* the parameters as Open MPI holds them */
    int ompio_index;                    /* 1 + index of the parameter io_ompio_*, or 0 */
    struct collio_settings_set_t *next; /* next registered set */
} collio_settings_set_t;

/** Registers the parameters and reads their values. Keeps a help text for a wrong value, and the
 *  default stays. */
int collio_settings_set_register(collio_settings_set_t *set, const mca_base_component_t *component);
/** Deregisters what Open MPI does not deregister itself. */
void collio_settings_set_deregister(collio_settings_set_t *set);

/** Fills the values for a file: parameters, then the hints in `info`. Local. Ignores wrong hints,
 *  which collio_hints_check reports and removes. */
void collio_settings_set_resolve(const collio_settings_set_t *set, opal_info_t *info, void *values);

/** Stores values for MPI_File_get_info: under the first of the row's other names, in ROMIO's words,
 *  or else as collio_<name>. Omits empty texts, and defaults of collio_<name> unless the user has
 *  set that hint. */
void collio_settings_set_publish(const collio_settings_set_t *set, const void *values,
                                 opal_info_t *info);

/** Writes a list "name=value, ..." of the values that are not defaults, in the syntax of the
 *  parameters; truncated if `text` is full. */
void collio_settings_set_changed(const collio_settings_set_t *set, const void *values, char *text,
                                 size_t size);

/** True if this row is part of the set. */
bool collio_settings_set_has(const collio_settings_set_t *set, const collio_setting_t *row);
/** Writes hint name `n` of a row, counted from 0, the strongest last. *least = lowest number that
 *  the name allows. Returns false if the row has no such name. */
bool collio_setting_hint(const collio_setting_t *row, int n, char name[MPI_MAX_INFO_KEY],
                         int64_t *least);
/** True if the text is a valid value for the row. If so, stores the value in the field of `values`,
 *  unless `values` is NULL. */
bool collio_setting_parse(const collio_setting_t *row, const char *text, int64_t least,
                          void *values);
/** Formats a field as text that collio_setting_parse accepts. */
void collio_setting_format(const collio_setting_t *row, const void *values, char *text,
                           size_t size);
/** Adds a field to a hash. */
uint64_t collio_setting_hash(const collio_setting_t *row, const void *values, uint64_t hash);
/** Writes the name of the parameter, as "fcoll_overlap_schedule". */
void collio_setting_parameter(const collio_settings_set_t *set, const collio_setting_t *row,
                              char *text, size_t size);

/** Returns the list of all registered sets, linked by `next`. */
const collio_settings_set_t *collio_settings_sets(void);

#endif /* COLLIO_SETTING_H */
