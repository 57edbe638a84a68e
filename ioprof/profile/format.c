/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Files of profiles: the container of the sections. */
#include "profile/arena.h"
#include "profile/sections.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_fixed(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) {
        at[i] = (unsigned char) (value >> (8 * i));
    }
}

/** The header of a section is written first, and filled in when its payload is there. */
static size_t section_begin(struct ioprof_buffer *out, const char *tag)
{
    ioprof_put_bytes(out, tag, 4);
    ioprof_put_bytes(out, (const char[12]){0}, 12);
    return out->bytes;
}

/** The checksum covers the tag and the length, too. */
static void section_end(struct ioprof_buffer *out, size_t begin)
{
    unsigned char *head;

    if (out->failed) {
        return;
    }
    head = out->data + begin - 16;
    put_fixed(head + 8, out->bytes - begin, 8);
    put_fixed(head + 4, ioprof_crc(ioprof_crc(0, head, 4), head + 8, 8 + out->bytes - begin), 4);
}

int ioprof_encode(const struct ioprof_profile *p, struct ioprof_buffer *out)
{
    struct ioprof_codec c = {.out = out, .p = (struct ioprof_profile *) p};
    unsigned char head[16] = "IOPROF\r\n";
    size_t begin;

    put_fixed(head + 8, IOPROF_VERSION, 4);
    put_fixed(head + 12, IOPROF_SECTION_EVENTS + p->nchunks, 4);
    ioprof_put_bytes(out, head, sizeof(head));
    for (int i = 0; i < IOPROF_SECTION_EVENTS; i++) {
        begin = section_begin(out, ioprof_sections[i].tag);
        ioprof_sections[i].code(&c);
        section_end(out, begin);
    }
    for (size_t i = 0; i < p->nchunks; i++) {
        begin = section_begin(out, ioprof_sections[IOPROF_SECTION_EVENTS].tag);
        ioprof_put_bytes(out, p->chunks[i].data, p->chunks[i].bytes);
        section_end(out, begin);
    }
    section_end(out, section_begin(out, "END "));
    if (out->failed) {
        return -1;
    }
    return 0;
}

/* What is being decoded, and where a sentence about an error goes. */
struct decoder {
    struct ioprof_profile *p;
    char *why;
    size_t why_bytes;
};

static int fail(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int fail(struct decoder *d, const char *format, ...)
{
    va_list args;

    if (0 != d->why_bytes) {
        va_start(args, format);
        vsnprintf(d->why, d->why_bytes, format, args);
        va_end(args);
    }
    return -1;
}

static uint64_t get_fixed(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t) at[i] << (8 * i);
    }
    return value;
}

static int decode_payload(struct decoder *d, const char *tag, struct ioprof_cursor in)
{
    struct ioprof_codec c = {.in = in, .p = d->p};

    for (int i = 0; i < IOPROF_SECTIONS; i++) {
        if (0 == memcmp(tag, ioprof_sections[i].tag, 4)) {
            ioprof_sections[i].code(&c);
            if (c.in.bad) {
                return fail(d, "damaged: section %s does not hold what it announces", tag);
            }
        }
    }
    return 0;
}

static int decode_sections(struct decoder *d, const unsigned char *at, const unsigned char *end)
{
    uint64_t sections = get_fixed(at + 12, 4);

    for (at += 16; end - at >= 16;) {
        char tag[5] = {0};
        uint64_t bytes = get_fixed(at + 8, 8);
        uint32_t crc = (uint32_t) get_fixed(at + 4, 4);

        memcpy(tag, at, 4);
        at += 16;
        if (bytes > (uint64_t) (end - at)) {
            return fail(d, "truncated: section %.4s has %llu bytes, %llu of them are there", tag,
                        (unsigned long long) bytes, (unsigned long long) (end - at));
        }
        if (crc != ioprof_crc(ioprof_crc(0, tag, 4), at - 8, 8 + bytes)) {
            return fail(d, "damaged: the checksum of section %.4s is wrong", tag);
        }
        if (0 == memcmp(tag, "END ", 4)) {
            if (0 != sections) {
                return fail(d, "damaged: %llu sections are missing", (unsigned long long) sections);
            }
            if (at == end) {
                return 0;
            }
            return fail(d, "damaged: there are bytes after the end");
        }
        if (decode_payload(d, tag, (struct ioprof_cursor){at, at + bytes, 0}) < 0) {
            return -1;
        }
        sections--;
        at += bytes;
    }
    return fail(d, "truncated: its last section is missing");
}

/** The events of the profile stay in `data`. */
static int decode(const void *data, size_t bytes, struct ioprof_profile **profile, char *why,
                  size_t why_bytes)
{
    struct decoder d = {calloc(1, sizeof(*d.p)), why, why_bytes};
    const unsigned char *at = data;
    int rc;

    *profile = NULL;
    if (NULL == d.p) {
        return fail(&d, "no memory");
    }
    if (bytes < 16 && 0 == memcmp(at, "IOPROF\r\n", bytes < 8 ? bytes : 8)) {
        rc = fail(&d, "truncated: it has %zu bytes only", bytes);
    } else if (bytes < 16 || 0 != memcmp(at, "IOPROF\r\n", 8)) {
        rc = fail(&d, "not a profile of ioprof");
    } else if (get_fixed(at + 8, 4) > IOPROF_VERSION) {
        rc = fail(&d, "its format is version %u, newer than this ioprof's %d",
                  (unsigned) get_fixed(at + 8, 4), IOPROF_VERSION);
    } else {
        rc = decode_sections(&d, at, at + bytes);
    }
    if (rc < 0) {
        ioprof_free(d.p);
        return -1;
    }
    ioprof_sort(d.p);
    *profile = d.p;
    return 0;
}

int ioprof_decode_own(void *data, size_t bytes, struct ioprof_profile **profile, char *why,
                      size_t why_bytes)
{
    if (decode(data, bytes, profile, why, why_bytes) < 0) {
        free(data);
        return -1;
    }
    if (ioprof_arena_adopt(&(*profile)->memory, data) < 0) {
        free(data);
        ioprof_free(*profile);
        *profile = NULL;
        snprintf(why, why_bytes, "no memory");
        return -1;
    }
    return 0;
}

int ioprof_decode(const void *data, size_t bytes, struct ioprof_profile **profile, char *why,
                  size_t why_bytes)
{
    void *copy = malloc(bytes + 1);

    *profile = NULL;
    if (NULL == copy) {
        snprintf(why, why_bytes, "no memory");
        return -1;
    }
    memcpy(copy, data, bytes);
    return ioprof_decode_own(copy, bytes, profile, why, why_bytes);
}

void ioprof_free(struct ioprof_profile *profile)
{
    if (NULL != profile) {
        ioprof_arena_free(profile->memory);
        free(profile);
    }
}

static unsigned char *read_whole(FILE *stream, size_t *bytes)
{
    size_t room = 1 << 16, n;
    unsigned char *data = malloc(room), *more;

    *bytes = 0;
    while (NULL != data && (n = fread(data + *bytes, 1, room - *bytes, stream)) > 0) {
        *bytes += n;
        if (*bytes == room) {
            room *= 2;
            more = realloc(data, room);
            if (NULL == more) {
                free(data);
            }
            data = more;
        }
    }
    if (NULL != data && ferror(stream)) {
        free(data);
        return NULL;
    }
    return data;
}

int ioprof_read(const char *path, struct ioprof_profile **profile, char *why, size_t why_bytes)
{
    struct decoder d = {NULL, why, why_bytes};
    FILE *stream = fopen(path, "rb");
    unsigned char *data;
    char reason[256];
    size_t bytes;

    *profile = NULL;
    if (NULL == stream) {
        return fail(&d, "%s: %s", path, strerror(errno));
    }
    data = read_whole(stream, &bytes);
    fclose(stream);
    if (NULL == data) {
        return fail(&d, "%s: %s", path, strerror(errno));
    }
    if (ioprof_decode_own(data, bytes, profile, reason, sizeof(reason)) < 0) {
        return fail(&d, "%s: %s", path, reason);
    }
    return 0;
}
