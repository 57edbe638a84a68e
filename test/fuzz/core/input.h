/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** The fuzzer's bytes as numbers; zeros when they are used up. */
typedef struct input {
    const uint8_t *at, *end;
} input;

static inline unsigned input_byte(input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

/** 0 .. n - 1 */
static inline int64_t input_below(input *in, int64_t n)
{
    uint64_t value = input_byte(in);

    if (256 < n) {
        value = value << 8 | input_byte(in);
    }
    if (65536 < n) {
        value = value << 16 | input_byte(in) << 8 | input_byte(in);
    }
    return (int64_t) (value % (uint64_t) n);
}

#define REQUIRE(condition)                                                                \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            abort();                                                                      \
        }                                                                                 \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
