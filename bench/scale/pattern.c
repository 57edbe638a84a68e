/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Patterns as rows of runs.
 *
 *   btio     row = a line of n points of 40 bytes, cut into q cells; the class of a row is the
 *            (y, z) cell it lies in: cell (x, y, z) belongs to i = x - z, j = y + z (mod q),
 *            rank i + q * j
 *   s3d      row = a line of n points of 8 bytes, cut into npx; class = (py, pz); a variable of m
 *            components is m grids, one after the other
 *   e3sm-*   row = a record (one level of one variable) of `grid` cells, all rows alike: runs of
 *            one or two cells, each on a rank near the place the cells have on the curve
 */
#include "scale.h"

#include <stdlib.h>
#include <string.h>

enum { BTIO_POINT = 40, S3D_POINT = 8 };

/* Where part i of `parts` starts on an axis of n; the bench programs cut the same way. */
static int64_t btio_start(int64_t n, int64_t parts, int64_t i)
{
    int64_t rest = n % parts;

    return i * (n / parts) + (i < rest ? i : rest);
}

static int64_t s3d_start(int64_t n, int64_t parts, int64_t i)
{
    return n * i / parts;
}

/* The part that holds x: an estimate, moved to the right place. */
static int64_t part_of(int64_t (*start)(int64_t, int64_t, int64_t), int64_t n, int64_t parts,
                       int64_t x)
{
    int64_t i = x * parts / n;

    while (start(n, parts, i) > x) {
        --i;
    }
    while (start(n, parts, i + 1) <= x) {
        ++i;
    }
    return i;
}

void scale_process_grid(int ranks, int np[3])
{
    int64_t best = INT64_MAX;

    for (int a = 1; (int64_t) a * a * a <= ranks; ++a) {
        for (int b = a; 0 == ranks % a && (int64_t) a * b * b <= ranks; ++b) {
            int c = ranks / a / b;

            if (ranks == a * b * c && c - a < best) {
                best = c - a;
                np[0] = c;
                np[1] = b;
                np[2] = a;
            }
        }
    }
}

static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Where runs begin is the same in all rows; whose they are is not. */
static const char *make_starts(scale_pattern_t *pattern,
                               int64_t (*start)(int64_t, int64_t, int64_t), int64_t point_bytes)
{
    pattern->run_count = (size_t) pattern->np[0];
    pattern->runs = malloc(sizeof(*pattern->runs) * pattern->run_count);
    for (size_t x = 0; NULL != pattern->runs && x < pattern->run_count; ++x) {
        pattern->runs[x].start = start(pattern->grid, pattern->np[0], (int64_t) x) * point_bytes;
    }
    return NULL == pattern->runs ? "out of memory" : NULL;
}

static const char *init_btio(scale_pattern_t *pattern)
{
    int q = 1;

    while (q * q < pattern->ranks) {
        ++q;
    }
    pattern->grid = 0 < pattern->grid ? pattern->grid : 512;
    if (q * q != pattern->ranks || q > pattern->grid) {
        return "btio needs a square number of ranks, at most grid^2";
    }
    pattern->np[0] = pattern->np[1] = pattern->np[2] = q;
    pattern->row_bytes = pattern->grid * BTIO_POINT;
    pattern->rows = pattern->grid * pattern->grid;
    pattern->repeat = 40;
    return make_starts(pattern, btio_start, BTIO_POINT);
}

static const char *init_s3d(scale_pattern_t *pattern)
{
    scale_process_grid(pattern->ranks, pattern->np);
    pattern->grid = 0 < pattern->grid ? pattern->grid : 800;
    if (pattern->np[0] > pattern->grid) {
        return "s3d needs a process grid that is not larger than the grid";
    }
    pattern->row_bytes = pattern->grid * S3D_POINT;
    return make_starts(pattern, s3d_start, S3D_POINT);
}

/* F: 11 bytes a piece, 1.36e9 pieces; G: 500 bytes a piece, 1.8e8 pieces. */
static const char *init_e3sm(scale_pattern_t *pattern, bool f)
{
    int64_t cell_bytes = f ? 8 : 360;
    int64_t cells = 0 < pattern->grid ? pattern->grid : f ? 777602 : 3693225;
    int64_t pieces = f ? INT64_C(1360000000) : INT64_C(180000000);
    int64_t reach = pattern->ranks / 64 + 1;

    if (pattern->ranks > cells) {
        return "e3sm needs a cell for every rank";
    }
    pattern->grid = cells;
    pattern->runs = malloc(sizeof(*pattern->runs) * (size_t) cells);
    if (NULL == pattern->runs) {
        return "out of memory";
    }
    for (int64_t at = 0; at < cells;) {
        uint64_t random = mix((uint64_t) at);
        int64_t near = at * pattern->ranks / cells + (int64_t) (random >> 32) % (2 * reach + 1);
        int rank = (int) ((near - reach + pattern->ranks) % pattern->ranks);

        pattern->runs[pattern->run_count++] = (scale_run_t){at * cell_bytes, rank};
        at += random % 10 < 6 ? 1 : 2;
    }
    pattern->row_bytes = cells * cell_bytes;
    pattern->rows = 0 < pattern->run_count ? pieces / (int64_t) pattern->run_count + 1 : 0;
    pattern->loaded = 0;
    return NULL;
}

/* Rows in which every rank has one run. */
static const char *init_blocks(scale_pattern_t *pattern, int64_t run_bytes, int64_t rows)
{
    pattern->run_count = (size_t) pattern->ranks;
    pattern->runs = malloc(sizeof(*pattern->runs) * pattern->run_count);
    if (NULL == pattern->runs) {
        return "out of memory";
    }
    for (int rank = 0; rank < pattern->ranks; ++rank) {
        pattern->runs[rank] = (scale_run_t){rank * run_bytes, rank};
    }
    pattern->row_bytes = pattern->ranks * run_bytes;
    pattern->rows = rows;
    pattern->loaded = 0;
    return NULL;
}

const char *scale_pattern_init(scale_pattern_t *pattern, const char *name, int ranks, int64_t grid)
{
    const char *error;

    *pattern = (scale_pattern_t){
        .name = name, .ranks = ranks, .grid = grid, .repeat = 1, .loaded = -1};
    if (0 == strcmp(name, "btio")) {
        error = init_btio(pattern);
    } else if (0 == strcmp(name, "s3d")) {
        error = init_s3d(pattern);
    } else if (0 == strcmp(name, "e3sm-f") || 0 == strcmp(name, "e3sm-g")) {
        error = init_e3sm(pattern, 'f' == name[5]);
    } else if (0 == strcmp(name, "segmented")) {
        error = init_blocks(pattern, (0 < grid ? grid : 1024) << 10, 1);
    } else if (0 == strcmp(name, "interleaved")) {
        error = init_blocks(pattern, 64 << 10, 0 < grid ? grid : 16);
    } else {
        return "patterns are btio, s3d, e3sm-f, e3sm-g, segmented and interleaved";
    }
    if (NULL == error) {
        scale_pattern_set_call(pattern, 0);
    }
    return error;
}

void scale_pattern_fini(scale_pattern_t *pattern)
{
    free(pattern->runs);
    *pattern = (scale_pattern_t){0};
}

static bool is_s3d(const scale_pattern_t *pattern)
{
    return 0 == strcmp(pattern->name, "s3d");
}

/* True if all rows are of one class. */
static bool alike(const scale_pattern_t *pattern)
{
    return 0 == pattern->np[0];
}

int scale_pattern_calls(const scale_pattern_t *pattern)
{
    return is_s3d(pattern) ? 3 : 1;
}

void scale_pattern_set_call(scale_pattern_t *pattern, int call)
{
    static const int64_t components[] = {11, 3, 1};

    if (is_s3d(pattern)) {
        pattern->rows = components[call] * pattern->grid * pattern->grid;
        pattern->repeat = 2 == call ? 2 : 1; /* pressure and temperature */
    }
}

/* Cell coordinates of a row; z counts through the components of a variable. */
static void cells_of(const scale_pattern_t *pattern, int64_t row, int64_t *y, int64_t *z)
{
    int64_t n = pattern->grid;

    if (is_s3d(pattern)) {
        *y = part_of(s3d_start, n, pattern->np[1], row % n);
        *z = part_of(s3d_start, n, pattern->np[2], row / n % n);
    } else {
        *y = part_of(btio_start, n, pattern->np[1], row % n);
        *z = part_of(btio_start, n, pattern->np[2], row / n);
    }
}

int64_t scale_pattern_class(const scale_pattern_t *pattern, int64_t row)
{
    int64_t y;
    int64_t z;

    if (alike(pattern)) {
        return 0;
    }
    cells_of(pattern, row, &y, &z);
    return z * pattern->np[1] + y;
}

int64_t scale_pattern_class_end(const scale_pattern_t *pattern, int64_t row)
{
    int64_t y;
    int64_t z;
    int64_t n = pattern->grid;

    if (alike(pattern)) {
        return pattern->rows;
    }
    if (1 == pattern->np[1] && 1 == pattern->np[2]) {
        return pattern->rows;
    }
    cells_of(pattern, row, &y, &z);
    return row / n * n
           + (is_s3d(pattern) ? s3d_start(n, pattern->np[1], y + 1)
                              : btio_start(n, pattern->np[1], y + 1));
}

void scale_pattern_load(scale_pattern_t *pattern, int64_t row)
{
    int64_t which = scale_pattern_class(pattern, row);
    int64_t q = pattern->np[0];
    int64_t y;
    int64_t z;

    if (which == pattern->loaded) {
        return;
    }
    cells_of(pattern, row, &y, &z);
    if (is_s3d(pattern)) {
        for (int64_t x = 0; x < q; ++x) {
            pattern->runs[x].rank = (int) (x + q * (y + pattern->np[1] * z));
        }
    } else {
        int64_t i = (q - z) % q;

        for (int64_t x = 0; x < q; ++x, i = i + 1 < q ? i + 1 : 0) {
            pattern->runs[x].rank = (int) (i + q * ((y + z) % q));
        }
    }
    pattern->loaded = which;
}
