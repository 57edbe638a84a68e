/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_VALUE_H
#define COLLIO_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The values of parameters and hints as users write them. One syntax for all components: words in
 * any case, numbers with a unit (64K, 2M, 1G), the words of ROMIO for on, off and auto.
 */
typedef enum collio_kind_t {
    COLLIO_CHOICE, /* one of a list of words */
    COLLIO_NUMBER, /* a number that fits an int */
    COLLIO_BYTES,  /* a number of bytes */
    COLLIO_SWITCH, /* true or false */
    COLLIO_TEXT    /* any text */
} collio_kind_t;

/** Bytes of a value of the kind TEXT, with its end. */
enum { COLLIO_TEXT_BYTES = 512 };

/** Values of the choice "auto,on,off". */
enum { COLLIO_SETTING_AUTO = 0, COLLIO_SETTING_ON, COLLIO_SETTING_OFF };

/** Parses a value of any kind except TEXT. `choices` is a list such as "auto,on,off" (the value is
 *  the position) or "auto=-1,off=0,view=5". Numbers below `least` are refused. False, and *value is
 *  not changed, if the text is not an allowed value. */
bool collio_value_parse(collio_kind_t kind, const char *choices, int64_t least, const char *text,
                        int64_t *value);

/** Formats a value as a text that collio_value_parse accepts. A choice without a word gives "". */
void collio_value_format(collio_kind_t kind, const char *choices, int64_t value, char *text,
                         size_t size);

/** Formats the allowed values for a message: "auto, on, off" or "a number, 0 or more". */
void collio_value_allowed(collio_kind_t kind, const char *choices, int64_t least, char *text,
                          size_t size);

/** Formats a value in ROMIO's words: "automatic", "enable", "disable" for a choice of auto, on and
 *  off; all other values as collio_value_format does. */
void collio_value_romio(collio_kind_t kind, const char *choices, int64_t value, char *text,
                        size_t size);

#endif /* COLLIO_VALUE_H */
