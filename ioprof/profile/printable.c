/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/printable.h"
#include "profile/arena.h"
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

int ioprof_character(const unsigned char *at, uint32_t *code)
{
    static const struct {
        unsigned char mask, lead;
        int bytes;
        uint32_t least;
    } forms[] = {
        {0x80, 0, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};

    for (int i = 0; i < 4; i++) {
        uint32_t value = at[0] & (uint32_t) ~forms[i].mask & 0xff;

        if ((at[0] & forms[i].mask) != forms[i].lead) {
            continue;
        }
        for (int j = 1; j < forms[i].bytes; j++) {
            if (0x80 != (at[j] & 0xc0)) {
                return 0;
            }
            value = value << 6 | (at[j] & 0x3f);
        }
        *code = value;
        if (value < forms[i].least || value > 0x10ffff || (value >> 11) == 0x1b) {
            return 0;
        }
        return forms[i].bytes;
    }
    return 0;
}

int ioprof_is_control(uint32_t code)
{
    static const uint32_t ranges[][2] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
                                         {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
                                         {0xfeff, 0xfeff}};

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1]) {
            return 1;
        }
    }
    return 0;
}

/** Writes the escape of a byte; its length. */
static size_t escape(unsigned char byte, char *out)
{
    static const char bytes[] = "\a\b\t\n\v\f\r\\", letters[] = "abtnvfr\\";
    static const char digits[] = "0123456789abcdef";
    const char *short_form = strchr(bytes, byte);

    out[0] = '\\';
    if (NULL != short_form) {
        out[1] = letters[short_form - bytes];
        return 2;
    }
    out[1] = 'x';
    out[2] = digits[byte >> 4];
    out[3] = digits[byte & 15];
    return 4;
}

size_t ioprof_printable(const char *text, char keep, char *out)
{
    const unsigned char *at = (const unsigned char *) text;
    size_t length = 0;
    char form[4];

    while ('\0' != *at) {
        uint32_t code = 0;
        int bytes = ioprof_character(at, &code);
        int plain = bytes > 0 && '\\' != *at && !ioprof_is_control(code);

        for (int i = 0; i < (0 == bytes ? 1 : bytes); i++, at++) {
            size_t n = plain || *at == (unsigned char) keep ? 1 : escape(*at, form);

            if (NULL != out) {
                memcpy(out + length, 1 == n ? (const char *) at : form, n);
            }
            length += n;
        }
    }
    if (NULL != out) {
        out[length] = '\0';
    }
    return length;
}

char *ioprof_printable_copy(const char *text)
{
    char *copy = malloc(ioprof_printable(text, 0, NULL) + 1);

    if (NULL != copy) {
        (void) ioprof_printable(text, 0, copy);
    }
    return copy;
}

static int make_printable(void **memory, char **text, char keep)
{
    size_t length = NULL == *text ? 0 : ioprof_printable(*text, keep, NULL);
    char *copy;

    if (NULL == *text || strlen(*text) == length) {
        return 0;
    }
    copy = ioprof_arena_new(memory, length + 1);
    if (NULL == copy) {
        return -1;
    }
    (void) ioprof_printable(*text, keep, copy);
    *text = copy;
    return 0;
}

int ioprof_make_printable(struct ioprof_profile *p)
{
    int rc = 0;

    for (size_t i = 0; i < p->nfacts; i++) {
        rc |= make_printable(&p->memory, &p->facts[i].key, 0);
        rc |= make_printable(&p->memory, &p->facts[i].value, 0);
    }
    for (size_t i = 0; i < p->nranks; i++) {
        rc |= make_printable(&p->memory, &p->ranks[i].host, 0);
    }
    for (size_t i = 0; i < p->nfuncs; i++) {
        rc |= make_printable(&p->memory, &p->funcs[i].name, 0);
    }
    for (size_t i = 0; i < p->nfiles; i++) {
        rc |= make_printable(&p->memory, &p->files[i].path, 0);
        rc |= make_printable(&p->memory, &p->files[i].hints, '\n');
        rc |= make_printable(&p->memory, &p->files[i].fs, 0);
        rc |= make_printable(&p->memory, &p->files[i].mount, 0);
    }
    for (size_t i = 0; i < p->npvars; i++) {
        rc |= make_printable(&p->memory, &p->pvars[i].name, 0);
        rc |= make_printable(&p->memory, &p->pvars[i].text, 0);
    }
    return rc;
}
