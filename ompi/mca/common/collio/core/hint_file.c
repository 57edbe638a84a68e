/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Parses hint files. See hint_file.h.
 */
#include "hint_file.h"

#include <string.h>

#define BLANKS " \t\r\v\f"

/* A part of a line. */
typedef struct word_t {
    const char *text; /* first character */
    size_t length;    /* number of characters */
} word_t;

static word_t trim(const char *text, size_t length)
{
    size_t blanks = strspn(text, BLANKS);

    if (blanks >= length) {
        return (word_t){text, 0};
    }
    text += blanks;
    length -= blanks;
    while (0 < length && NULL != memchr(BLANKS, text[length - 1], sizeof(BLANKS) - 1)) {
        --length;
    }
    return (word_t){text, length};
}

bool collio_hint_file_matches(const char *pattern, size_t length, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *retry = NULL;      /* where the text of the last * ends */
    size_t at = 0, after_star = 0; /* position in the pattern; past the last * */

    if (NULL == memchr(pattern, '/', length) && NULL != slash) {
        name = slash + 1;
    }
    while ('\0' != *name) {
        if (at < length && '*' == pattern[at]) {
            after_star = ++at;
            retry = name;
        } else if (at < length && ('?' == pattern[at] || *name == pattern[at])) {
            ++at;
            ++name;
        } else if (NULL != retry) { /* the last * takes one more character */
            at = after_star;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (at < length && '*' == pattern[at]) {
        ++at;
    }
    return at == length;
}

/* Removes the line of this key. */
static void hint_file_drop(char *hints, word_t key)
{
    char *line = hints;

    while ('\0' != *line) {
        char *next = strchr(line, '\n') + 1;

        if (0 == strncmp(line, key.text, key.length) && ' ' == line[key.length]) {
            memmove(line, next, strlen(next) + 1);
            return;
        }
        line = next;
    }
}

/* Adds a line "KEY VALUE". Returns false if the line is not one, or there is no room. */
static bool hint_file_add(char *hints, word_t line)
{
    word_t key = {line.text, strcspn(line.text, BLANKS "\n")};
    word_t value;
    char *end;

    if (key.length >= line.length || COLLIO_HINT_KEY_MAX < key.length) {
        return false;
    }
    value = trim(line.text + key.length, line.length - key.length);
    if (COLLIO_HINT_VALUE_MAX < value.length) {
        return false;
    }
    hint_file_drop(hints, key);
    end = hints + strlen(hints);
    if ((size_t) (hints + COLLIO_HINT_TEXT_BYTES - end) < key.length + value.length + 3) {
        return false;
    }
    memcpy(end, key.text, key.length);
    end += key.length;
    *end++ = ' ';
    memcpy(end, value.text, value.length);
    end += value.length;
    *end++ = '\n';
    *end = '\0';
    return true;
}

void collio_hint_file_select(const char *text, const char *name, char hints[COLLIO_HINT_TEXT_BYTES],
                             collio_hint_file_wrong_t *wrong)
{
    char ignored[COLLIO_HINT_TEXT_BYTES];
    bool matches = true;

    *wrong = (collio_hint_file_wrong_t){0, 0, NULL, 0};
    *hints = '\0';
    for (int number = 1; '\0' != *text; ++number) {
        size_t length = strcspn(text, "\n");
        word_t line = trim(text, length);
        bool good = true;

        if (0 < line.length && '[' == *line.text) {
            good = 2 < line.length && ']' == line.text[line.length - 1];
            matches = good && collio_hint_file_matches(line.text + 1, line.length - 2, name);
        } else if (0 < line.length && '#' != *line.text) {
            *ignored = '\0';
            good = hint_file_add(matches ? hints : ignored, line);
        }
        if (!good && 0 == wrong->lines++) {
            *wrong = (collio_hint_file_wrong_t){1, number, line.text, (int) line.length};
        }
        text += length;
        text += '\n' == *text;
    }
}

bool collio_hint_file_next(const char **at, char key[COLLIO_HINT_KEY_MAX + 1],
                           char value[COLLIO_HINT_VALUE_MAX + 1])
{
    size_t key_length = strcspn(*at, " "), length = strcspn(*at, "\n");

    if ('\0' == **at || key_length >= length || COLLIO_HINT_KEY_MAX < key_length
        || COLLIO_HINT_VALUE_MAX < length - key_length - 1) {
        return false;
    }
    memcpy(key, *at, key_length);
    key[key_length] = '\0';
    memcpy(value, *at + key_length + 1, length - key_length - 1);
    value[length - key_length - 1] = '\0';
    *at += length + ('\n' == (*at)[length]);
    return true;
}
