/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* A user's value of a parameter or hint, whatever the text: refused and nothing changed, or a value
 * that is allowed, and that is the same after it was printed and parsed again. */
#include <limits.h>
#include <string.h>

#include "input.h"
#include "value.h"

enum { UNTOUCHED = -777, ROOM = 40 };

static const char *const lists[] = {"auto,on,off", "auto=-1,off=0,view=5", "none,comm,write", ""};

/** Printed into too little room, the text is cut, ends with 0, and nothing behind it is touched. */
static void check_room(collio_kind_t kind, const char *choices, int64_t value, size_t room)
{
    char text[ROOM + 1];

    memset(text, '#', sizeof(text));
    collio_value_format(kind, choices, value, text, room);
    REQUIRE(strlen(text) < room && '#' == text[room]);
    memset(text, '#', sizeof(text));
    collio_value_romio(kind, choices, value, text, room);
    REQUIRE(strlen(text) < room && '#' == text[room]);
    memset(text, '#', sizeof(text));
    collio_value_allowed(kind, choices, value, text, room);
    REQUIRE((NULL != memchr(text, '\0', room) || '\0' == choices[0]) && '#' == text[room]);
}

static void check_value(collio_kind_t kind, const char *choices, int64_t least, int64_t value)
{
    int64_t again = UNTOUCHED;
    char text[ROOM];

    if (COLLIO_NUMBER == kind || COLLIO_BYTES == kind) {
        REQUIRE(value >= least && (COLLIO_BYTES == kind || value <= INT_MAX));
    }
    collio_value_format(kind, choices, value, text, sizeof(text));
    REQUIRE(collio_value_parse(kind, choices, least, text, &again) && again == value);
    again = UNTOUCHED;
    collio_value_romio(kind, choices, value, text, sizeof(text));
    if (choices == lists[0] || COLLIO_CHOICE != kind) {
        REQUIRE(collio_value_parse(kind, choices, least, text, &again) && again == value);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    collio_kind_t kind = (collio_kind_t) input_below(&in, 5);
    const char *choices = lists[input_below(&in, 4)];
    int64_t least = input_below(&in, 3), value = UNTOUCHED;
    size_t room = 1 + (size_t) input_below(&in, ROOM), length = (size_t) (in.end - in.at);
    char *text = malloc(length + 1);

    REQUIRE(NULL != text);
    if (0 < length) {
        memcpy(text, in.at, length);
    }
    text[length] = '\0';
    if (collio_value_parse(kind, choices, least, text, &value)) {
        check_value(kind, choices, least, value);
    } else {
        REQUIRE(UNTOUCHED == value);
    }
    check_room(kind, choices, value, room);
    free(text);
    return 0;
}
