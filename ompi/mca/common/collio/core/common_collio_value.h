/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef MCA_COMMON_COLLIO_VALUE_H
#define MCA_COMMON_COLLIO_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The values of parameters and hints as users write them. One syntax for all components: words in
 * any case, numbers with a unit (64K, 2M, 1G), the words of ROMIO for on, off and auto.
 */
typedef enum mca_common_collio_kind_t {
    MCA_COMMON_COLLIO_CHOICE, /* one of a list of words */
    MCA_COMMON_COLLIO_NUMBER, /* fits an int */
    MCA_COMMON_COLLIO_BYTES,
    MCA_COMMON_COLLIO_SWITCH,
    MCA_COMMON_COLLIO_TEXT
} mca_common_collio_kind_t;

/** Values of the choice "auto,on,off". */
enum {
    MCA_COMMON_COLLIO_SETTING_AUTO = 0,
    MCA_COMMON_COLLIO_SETTING_ON,
    MCA_COMMON_COLLIO_SETTING_OFF
};

/** Parses a value of any kind but TEXT. `choices` is a list such as "auto,on,off" (the value is the
 *  position) or "auto=-1,off=0,view=5". Numbers below `least` are refused. False, and *value is
 *  untouched, if the text is not one of the allowed values. */
bool mca_common_collio_value_parse(mca_common_collio_kind_t kind, const char *choices,
                                   int64_t least, const char *text, int64_t *value);

/** The reverse; `text` gets what parse accepts. A value that has no word gives "". */
void mca_common_collio_value_format(mca_common_collio_kind_t kind, const char *choices,
                                    int64_t value, char *text, size_t size);

/** The allowed values for a message: "auto, on, off" or "a number, 0 or more". */
void mca_common_collio_value_allowed(mca_common_collio_kind_t kind, const char *choices,
                                     int64_t least, char *text, size_t size);

/** A value in the words that ROMIO uses: "automatic", "enable", "disable" for a choice of auto, on
 *  and off; like format for everything else. */
void mca_common_collio_value_romio(mca_common_collio_kind_t kind, const char *choices,
                                   int64_t value, char *text, size_t size);

#endif /* MCA_COMMON_COLLIO_VALUE_H */
