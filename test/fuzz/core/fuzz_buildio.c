/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Build-IO and packing: any part of any request, in any portions, gives what a walk over single
 * bytes gives. */
#include <string.h>

#include "buildio.h"
#include "input.h"

enum { MOST_PIECES = 20, MEMORY = 1 << 12, MOST_BYTES = 1500 };

static void make_tiling(input *in, collio_tiling_t *tiling, int sorted)
{
    collio_extent_t piece[MOST_PIECES];
    size_t count = 1 + (size_t) input_below(in, MOST_PIECES);
    int64_t at = 0, extent;

    for (size_t i = 0; i < count; i++) {
        piece[i].offset = at;
        piece[i].length = input_below(in, 20) + (0 == i);
        at += piece[i].length + input_below(in, 3) * input_below(in, 10);
    }
    extent = at + 1 + input_below(in, 8);
    for (size_t i = 0; i < count && !sorted; i++) {
        size_t other = (size_t) input_below(in, (int64_t) count);
        collio_extent_t swapped = piece[i];

        piece[i] = piece[other];
        piece[other] = swapped;
    }
    REQUIRE(0 == collio_tiling_init(tiling, input_below(in, 100), extent, piece, count));
}

static int64_t place(const collio_tiling_t *tiling, int64_t stream)
{
    int64_t rest = stream % tiling->size;

    for (size_t i = 0;; i++) {
        REQUIRE(i < tiling->count);
        if (rest < collio_tiling_length(tiling, i)) {
            return tiling->base + stream / tiling->size * tiling->extent + tiling->offset[i] + rest;
        }
        rest -= collio_tiling_length(tiling, i);
    }
}

static void check_segments(input *in, const collio_tiling_t *file, int64_t from,
                           const collio_tiling_t *memory, int64_t start, int64_t bytes)
{
    static char base[1];
    collio_segment_t segment[8];
    collio_buildio_t build;
    int64_t done = 0;
    size_t n;

    collio_buildio_init(&build, file, from, memory, start, base, bytes);
    while (0 != (n = collio_buildio_next(&build, segment, 1 + (size_t) input_below(in, 8)))) {
        for (size_t s = 0; s < n; s++) {
            REQUIRE(0 < segment[s].length);
            for (int64_t i = 0; i < segment[s].length; i++, done++) {
                REQUIRE(done < bytes);
                REQUIRE(segment[s].offset + i == place(file, from + done));
                REQUIRE((uintptr_t) segment[s].addr + (uintptr_t) i
                        == (uintptr_t) base + (uintptr_t) place(memory, start + done));
            }
        }
    }
    REQUIRE(done == bytes);
}

static void check_pack(const collio_tiling_t *memory, int64_t start, int64_t bytes)
{
    static char from[MEMORY], to[MEMORY], packed[MOST_BYTES + 1];

    if (place(memory, start + bytes) >= MEMORY - 1000) {
        return;
    }
    for (int i = 0; i < MEMORY; i++) {
        from[i] = (char) (i * 7 + i / 256);
    }
    memset(to, 0, sizeof(to));
    packed[bytes] = 77;
    collio_tiling_pack(memory, from, start, bytes, packed);
    collio_tiling_unpack(memory, to, start, bytes, packed);
    REQUIRE(77 == packed[bytes]);
    for (int64_t i = 0; i < bytes; i++) {
        int64_t at = place(memory, start + i);

        REQUIRE(packed[i] == from[at] && to[at] == from[at]);
        to[at] = 0;
    }
    for (int i = 0; i < MEMORY; i++) {
        REQUIRE(0 == to[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    collio_tiling_t file = {0}, memory = {0};
    int64_t from, start, bytes;

    make_tiling(&in, &file, 1);
    make_tiling(&in, &memory, 0);
    from = input_below(&in, 3 * file.size);
    start = input_below(&in, 3 * memory.size);
    bytes = input_below(&in, MOST_BYTES);
    check_segments(&in, &file, from, &memory, start, bytes);
    check_pack(&memory, start, bytes);
    collio_tiling_fini(&file);
    collio_tiling_fini(&memory);
    return 0;
}
