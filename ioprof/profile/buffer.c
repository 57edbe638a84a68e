/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#include "profile/buffer.h"

#include <string.h>
#include <sys/mman.h>

static int make_room(struct ioprof_buffer *buffer, size_t more)
{
    size_t room = 0 == buffer->room ? 65536 : buffer->room;
    void *data;

    if (buffer->failed) {
        return -1;
    }
    if (more <= buffer->room - buffer->bytes) {
        return 0;
    }
    while (room - buffer->bytes < more) {
        room *= 2;
    }
    data = NULL == buffer->data
               ? mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
               : mremap(buffer->data, buffer->room, room, MREMAP_MAYMOVE);
    if (MAP_FAILED == data) {
        buffer->failed = 1;
        return -1;
    }
    buffer->data = data;
    buffer->room = room;
    return 0;
}

void ioprof_put_bytes(struct ioprof_buffer *buffer, const void *data, size_t bytes)
{
    if (0 == bytes || make_room(buffer, bytes) < 0) {
        return;
    }
    memcpy(buffer->data + buffer->bytes, data, bytes);
    buffer->bytes += bytes;
}

void ioprof_put(struct ioprof_buffer *buffer, uint64_t value)
{
    unsigned char text[10];
    size_t n = 0;

    while (value >= 0x80) {
        text[n++] = (unsigned char) (value | 0x80);
        value >>= 7;
    }
    text[n++] = (unsigned char) value;
    ioprof_put_bytes(buffer, text, n);
}

void ioprof_put_signed(struct ioprof_buffer *buffer, int64_t value)
{
    ioprof_put(buffer, ((uint64_t) value << 1) ^ (value < 0 ? UINT64_MAX : 0));
}

void ioprof_put_string(struct ioprof_buffer *buffer, const char *text)
{
    size_t bytes = NULL == text ? 0 : strlen(text);

    ioprof_put(buffer, bytes);
    ioprof_put_bytes(buffer, text, bytes);
}

void ioprof_buffer_free(struct ioprof_buffer *buffer)
{
    if (NULL != buffer->data) {
        munmap(buffer->data, buffer->room);
    }
    memset(buffer, 0, sizeof(*buffer));
}

uint64_t ioprof_get(struct ioprof_cursor *cursor)
{
    uint64_t value = 0;

    for (int shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        unsigned char byte = *cursor->at++;

        value |= (uint64_t) (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return value;
        }
    }
    cursor->bad = 1;
    cursor->at = cursor->end;
    return 0;
}

int64_t ioprof_get_signed(struct ioprof_cursor *cursor)
{
    uint64_t value = ioprof_get(cursor);

    return (int64_t) ((value >> 1) ^ (0 == (value & 1) ? 0 : UINT64_MAX));
}

const char *ioprof_get_string(struct ioprof_cursor *cursor, size_t *bytes)
{
    const char *text;

    *bytes = ioprof_get(cursor);
    text = (const char *) cursor->at;
    if (*bytes > (size_t) (cursor->end - cursor->at)) {
        cursor->bad = 1;
        cursor->at = cursor->end;
        *bytes = 0;
        return text;
    }
    cursor->at += *bytes;
    return text;
}

/** The remainders of single bytes, for the reflected polynomial 0xedb88320. May run in a signal
 *  handler, and in two threads at a time: both write the same values. */
static void make_crc_table(uint32_t *table)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;

        for (int bit = 0; bit < 8; bit++) {
            crc = (crc >> 1) ^ (0 != (crc & 1) ? 0xedb88320U : 0);
        }
        __atomic_store_n(&table[byte], crc, __ATOMIC_RELEASE);
    }
}

uint32_t ioprof_crc(uint32_t crc, const void *data, size_t bytes)
{
    static uint32_t table[256];
    const unsigned char *at = data;

    if (0 == __atomic_load_n(&table[255], __ATOMIC_ACQUIRE)) { /* the last entry that is made */
        make_crc_table(table);
    }
    crc = ~crc;
    for (; bytes > 0; bytes--, at++) {
        crc = (crc >> 8) ^ table[(crc ^ *at) & 0xff];
    }
    return ~crc;
}
