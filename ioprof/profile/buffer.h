/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* A growing buffer, and the encodings of the file format: LEB128 numbers and counted strings. */
#ifndef IOPROF_PROFILE_BUFFER_H
#define IOPROF_PROFILE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/** Memory comes from mmap, not malloc: usable in a signal handler. */
struct ioprof_buffer {
    unsigned char *data;
    size_t bytes, room;
    int failed; /* no memory: everything after it is dropped */
};

void ioprof_put_bytes(struct ioprof_buffer *buffer, const void *data, size_t bytes);
void ioprof_put(struct ioprof_buffer *buffer, uint64_t value);
void ioprof_put_signed(struct ioprof_buffer *buffer, int64_t value);
void ioprof_put_string(struct ioprof_buffer *buffer, const char *text); /* NULL is "" */
void ioprof_buffer_free(struct ioprof_buffer *buffer);

/** Reads what was put. Past the end, everything is 0 and `bad` is set. */
struct ioprof_cursor {
    const unsigned char *at, *end;
    int bad;
};

uint64_t ioprof_get(struct ioprof_cursor *cursor);
int64_t ioprof_get_signed(struct ioprof_cursor *cursor);
/** Not terminated; the length goes to *bytes. */
const char *ioprof_get_string(struct ioprof_cursor *cursor, size_t *bytes);

/** CRC-32 as in IEEE 802.3, of data that follows on what gave `crc` (0 at the start). */
uint32_t ioprof_crc(uint32_t crc, const void *data, size_t bytes);

#endif /* IOPROF_PROFILE_BUFFER_H */
