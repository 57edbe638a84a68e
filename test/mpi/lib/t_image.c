/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The oracle: an image in memory, POSIX to store it and to compare it. */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* SEEK_DATA */
#endif
#include "t_image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void t_image_make(t_image *image, const t_list *touched, int64_t pad)
{
    memset(image, 0, sizeof(*image));
    t_list_regions(touched, pad, &image->regions);
    image->bytes = t_alloc(image->regions.n * sizeof(*image->bytes));
    for (size_t i = 0; i < image->regions.n; i++) {
        image->bytes[i] = t_alloc((size_t) image->regions.v[i].len);
        memset(image->bytes[i], 0, (size_t) image->regions.v[i].len);
    }
}

void t_image_free(t_image *image)
{
    for (size_t i = 0; i < image->regions.n; i++) {
        free(image->bytes[i]);
    }
    free(image->bytes);
    t_list_free(&image->regions);
}

void t_image_prefill(t_image *image, int64_t end)
{
    for (size_t i = 0; i < image->regions.n; i++) {
        t_ext region = image->regions.v[i];

        for (int64_t k = 0; k < region.len && region.off + k < end; k++) {
            image->bytes[i][k] = t_pre(region.off + k);
            image->size = region.off + k + 1;
        }
    }
}

/** The image's byte at an offset that is inside a region. */
static unsigned char *byte_at(const t_image *image, int64_t offset)
{
    size_t low = 0, high = image->regions.n;

    while (high - low > 1) {
        size_t middle = (low + high) / 2;

        if (image->regions.v[middle].off <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &image->bytes[low][offset - image->regions.v[low].off];
}

void t_image_write(t_image *image, const t_list *pieces, int writer)
{
    for (size_t i = 0; i < pieces->n; i++) {
        unsigned char *to = byte_at(image, pieces->v[i].off);

        for (int64_t k = 0; k < pieces->v[i].len; k++) {
            to[k] = t_val(pieces->v[i].off + k, writer);
        }
    }
    if (t_list_end(pieces) > image->size) {
        image->size = t_list_end(pieces);
    }
}

static int64_t transfer(int fd, void *buffer, int64_t bytes, int64_t offset, bool out)
{
    int64_t done = 0;

    while (done < bytes) {
        char *at = (char *) buffer + done;
        ssize_t n = out ? pwrite(fd, at, (size_t) (bytes - done), offset + done)
                        : pread(fd, at, (size_t) (bytes - done), offset + done);

        if (0 > n && EINTR == errno) {
            continue;
        }
        if (0 >= n) {
            break;
        }
        done += n;
    }
    return done;
}

int t_image_store(const t_image *image, const char *path)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644), rc = 0;

    if (0 > fd) {
        return errno;
    }
    for (size_t i = 0; i < image->regions.n && 0 == rc; i++) {
        t_ext region = image->regions.v[i];
        int64_t bytes = image->size - region.off;

        bytes = bytes < region.len ? bytes : region.len;
        if (0 < bytes && bytes != transfer(fd, image->bytes[i], bytes, region.off, true)) {
            rc = errno;
        }
    }
    if (0 == rc && 0 != ftruncate(fd, image->size)) {
        rc = errno;
    }
    close(fd);
    return rc;
}

/** Compares one region; returns the number of wrong bytes, reports the first. */
static int64_t compare(const unsigned char *want, const unsigned char *got, int64_t bytes,
                       int64_t offset)
{
    int64_t wrong = 0, first = 0;

    for (int64_t k = 0; k < bytes; k++) {
        if (want[k] != got[k] && 0 == wrong++) {
            first = k;
        }
    }
    t_fail_if(0 < wrong,
              "file offset %lld: got 0x%02x, expected 0x%02x (%s); %lld wrong bytes here",
              (long long) (offset + first), got[first], want[first],
              0 == want[first]       ? "a hole"
              : 0 == want[first] % 2 ? "a byte outside the request"
                                     : "a byte of the request",
              (long long) wrong);
    return wrong;
}

/** Data outside the regions must be zero: nobody had any business there. */
static void check_outside(const t_image *image, int fd)
{
    int64_t at = 0;
    size_t next = 0;

    while (0 <= (at = lseek(fd, at, SEEK_DATA))) {
        int64_t end = lseek(fd, at, SEEK_HOLE);

        while (at < end) {
            unsigned char block[65536];
            int64_t stop = end;

            while (next < image->regions.n
                   && image->regions.v[next].off + image->regions.v[next].len <= at) {
                next++;
            }
            if (next < image->regions.n && image->regions.v[next].off <= at) {
                at = image->regions.v[next].off + image->regions.v[next].len;
                continue;
            }
            if (next < image->regions.n && image->regions.v[next].off < stop) {
                stop = image->regions.v[next].off;
            }
            stop = stop - at < (int64_t) sizeof(block) ? stop : at + (int64_t) sizeof(block);
            if (stop - at != transfer(fd, block, stop - at, at, false)) {
                t_fail("file offset %lld: cannot read: %s", (long long) at, strerror(errno));
                return;
            }
            for (int64_t k = 0; k < stop - at; k++) {
                if (0 != block[k]) {
                    t_fail("file offset %lld: got 0x%02x, expected 0x00, far from any request",
                           (long long) (at + k), block[k]);
                    return;
                }
            }
            at = stop;
        }
    }
}

/** Opens the file, checks its size, and gives each region's bytes to the visitor. */
static void each_region(const t_image *image, const char *path,
                        void (*visit)(const t_image *, size_t, const unsigned char *, void *),
                        void *context)
{
    int fd = open(path, O_RDONLY);
    struct stat st;

    if (0 > fd || 0 != fstat(fd, &st)) {
        t_fail("%s: %s", path, strerror(errno));
        if (0 <= fd) {
            close(fd);
        }
        return;
    }
    t_fail_if((int64_t) st.st_size != image->size, "file size: got %lld, expected %lld",
              (long long) st.st_size, (long long) image->size);
    for (size_t i = 0; i < image->regions.n; i++) {
        unsigned char *got = t_alloc((size_t) image->regions.v[i].len);

        memset(got, 0, (size_t) image->regions.v[i].len);
        transfer(fd, got, image->regions.v[i].len, image->regions.v[i].off, false);
        visit(image, i, got, context);
        free(got);
    }
    check_outside(image, fd);
    close(fd);
}

static void visit_compare(const t_image *image, size_t i, const unsigned char *got, void *context)
{
    (void) context;
    compare(image->bytes[i], got, image->regions.v[i].len, image->regions.v[i].off);
}

void t_image_check(const t_image *image, const char *path)
{
    each_region(image, path, visit_compare, NULL);
}

/** Takes away, again and again, a writer that came after nobody who is left. */
bool t_has_order(bool after[T_WRITERS][T_WRITERS], int writers)
{
    bool gone[T_WRITERS] = {false};
    int left = writers;

    for (bool found = true; found && 0 < left;) {
        found = false;
        for (int a = 0; a < writers; a++) {
            bool first = !gone[a];

            for (int b = 0; b < writers; b++) {
                first = first && (gone[b] || !after[a][b]);
            }
            if (first) {
                gone[a] = found = true;
                left--;
            }
        }
    }
    return 0 == left;
}

typedef struct atomic_context {
    const t_list *pieces;
    int writers;
    bool after[T_WRITERS][T_WRITERS];
} atomic_context;

static void visit_atomic(const t_image *image, size_t i, const unsigned char *got, void *context)
{
    atomic_context *c = context;
    t_ext region = image->regions.v[i];
    uint64_t *wrote = t_alloc((size_t) region.len * sizeof(*wrote)), match;

    memset(wrote, 0, (size_t) region.len * sizeof(*wrote));
    for (int w = 0; w < c->writers; w++) {
        for (size_t p = 0; p < c->pieces[w].n; p++) {
            t_ext piece = c->pieces[w].v[p];

            for (int64_t k = 0; k < piece.len; k++) {
                if (piece.off + k >= region.off && piece.off + k < region.off + region.len) {
                    wrote[piece.off + k - region.off] |= UINT64_C(1) << w;
                }
            }
        }
    }
    for (int64_t k = 0; k < region.len; k++) {
        match = 0;
        for (int w = 0; w < c->writers; w++) {
            if (0 != (wrote[k] >> w & 1) && got[k] == t_val(region.off + k, w)) {
                match |= UINT64_C(1) << w;
            }
        }
        if (0 == wrote[k] ? got[k] != image->bytes[i][k] : 0 == match) {
            t_fail("file offset %lld: got 0x%02x, which no writer wrote there",
                   (long long) (region.off + k), got[k]);
            break;
        }
        for (int w = 0; w < c->writers; w++) {
            if (match != UINT64_C(1) << w) {
                continue; /* two writers wrote an equal byte: it tells nothing */
            }
            for (int o = 0; o < c->writers; o++) {
                c->after[w][o] |= o != w && 0 != (wrote[k] >> o & 1);
            }
        }
    }
    free(wrote);
}

void t_image_check_atomic(const t_image *image, const char *path, const t_list *pieces, int writers)
{
    atomic_context *c = t_alloc(sizeof(*c));

    memset(c, 0, sizeof(*c));
    c->pieces = pieces;
    c->writers = writers < T_WRITERS ? writers : T_WRITERS;
    each_region(image, path, visit_atomic, c);
    t_fail_if(!t_has_order(c->after, c->writers),
              "atomic mode: no order of the ranks explains the bytes of the file");
    free(c);
}
