/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

/**
 * Striping: made from hints when a file is created, and read back from every file.
 *
 *   hint                              meaning
 *   striping_factor (stripe_width)    number of stripes, -1 = one on every OST
 *   striping_unit   (stripe_size)     bytes of a stripe, a multiple of 64 KiB
 *   start_iodevice                    index of the first OST
 *   collio_pool                       name of an OST pool
 *
 * An existing file keeps the striping it has. A composite (progressive) layout has several parts;
 * the last one is where large files live, so its striping is what the collective components align
 * to, in units that suit the other parts as well.
 */

#include "fs_lustre_lla_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STRIPE_BYTES_UNIT = 65536, STRIPES_MAX = 2000 };
#define STRIPE_BYTES_MAX (INT64_C(4) << 30)

typedef struct wanted_t {
    int64_t stripes; /* 0 = not said */
    int64_t stripe_bytes;
    int64_t first_ost; /* -1 = not said */
    char pool[64];
} wanted_t;

/* A number from the first hint that is set. Returns whether there was a good one. */
static bool number(ompio_file_t *fh, opal_info_t *info, const char *name, const char *other,
                   int64_t lowest, int64_t highest, int64_t unit, int64_t *value)
{
    char text[64];
    char *end;
    long long found;

    if (!mca_common_collio_hint_get(info, name, text, sizeof(text))) {
        name = other;
        if (NULL == name || !mca_common_collio_hint_get(info, name, text, sizeof(text))) {
            return false;
        }
    }
    errno = 0;
    found = strtoll(text, &end, 10);
    if (0 != errno || end == text || '\0' != *end || found < lowest || found > highest
        || 0 != found % unit) {
        mca_fs_lustre_lla_say(fh->f_rank,
                              "hint %s is \"%s\"; it can be %" PRId64 " to %" PRId64
                              " in steps of %" PRId64 "; it is left out",
                              name, text, lowest, highest, unit);
        return false;
    }
    *value = found;
    return 0 != found || 0 == lowest;
}

static bool wanted_from(ompio_file_t *fh, opal_info_t *info, wanted_t *wanted)
{
    bool any;

    *wanted = (wanted_t){.first_ost = -1};
    any = number(fh, info, "striping_factor", "stripe_width", -1, STRIPES_MAX, 1, &wanted->stripes);
    any |= number(fh, info, "striping_unit", "stripe_size", 0, STRIPE_BYTES_MAX - STRIPE_BYTES_UNIT,
                  STRIPE_BYTES_UNIT, &wanted->stripe_bytes);
    any |= number(fh, info, "start_iodevice", NULL, 0, INT32_MAX, 1, &wanted->first_ost);
    any |= mca_common_collio_hint_get(info, "collio_pool", wanted->pool, sizeof(wanted->pool));
    return any;
}

/* 0 or -errno */
static int fill(const mca_fs_lustre_lla_llapi_t *api, const wanted_t *wanted,
                struct llapi_layout *layout)
{
    uint64_t stripes = 0 > wanted->stripes ? LLAPI_LAYOUT_WIDE : (uint64_t) wanted->stripes;

    if ((0 != stripes && 0 != api->stripe_count_set(layout, stripes))
        || (0 != wanted->stripe_bytes
            && 0 != api->stripe_size_set(layout, (uint64_t) wanted->stripe_bytes))
        || ('\0' != wanted->pool[0] && 0 != api->pool_name_set(layout, wanted->pool))
        || (0 <= wanted->first_ost
            && 0 != api->ost_index_set(layout, 0, (uint64_t) wanted->first_ost))) {
        return -errno;
    }
    return 0;
}

/* A descriptor or -errno */
static int open_striped(const mca_fs_lustre_lla_llapi_t *api, const wanted_t *wanted,
                        const char *path, int amode, int perm)
{
    struct llapi_layout *layout = api->layout_alloc();
    int rc = NULL == layout ? -ENOMEM : fill(api, wanted, layout);

    if (0 == rc) {
        rc = api->layout_file_open(path, amode, (mode_t) perm, layout);
        rc = 0 > rc ? -errno : rc;
    }
    if (NULL != layout) {
        api->layout_free(layout);
    }
    return rc;
}

static int open_plain(const char *path, int amode, int perm)
{
    int fd = open(path, amode, perm);

    return 0 > fd ? -errno : fd;
}

int mca_fs_lustre_lla_layout_open(ompio_file_t *fh, const char *path, int amode, int perm,
                                  opal_info_t *info)
{
    const mca_fs_lustre_lla_llapi_t *api = mca_fs_lustre_lla_llapi();
    wanted_t wanted;
    int fd;

    if (0 == (amode & O_CREAT) || !wanted_from(fh, info, &wanted) || 0 == access(path, F_OK)) {
        return open_plain(path, amode, perm);
    }
    if (!api->has_layout) {
        mca_fs_lustre_lla_say(fh->f_rank,
                              "%s gets the default striping, its hints are left out: "
                              "liblustreapi %s",
                              path, api->origin);
        return open_plain(path, amode, perm);
    }
    fd = open_striped(api, &wanted, path, amode, perm);
    if (0 > fd && -EACCES != fd && -ENOENT != fd && -EROFS != fd) {
        mca_fs_lustre_lla_say(fh->f_rank,
                              "%s gets the default striping: that of the hints is not "
                              "possible (%s)",
                              path, strerror(-fd));
        /* The failed attempt may have left the file behind: it was not there before. */
        fd = open_plain(path, amode & ~O_EXCL, perm);
    }
    return fd;
}

static bool read_part(const mca_fs_lustre_lla_llapi_t *api, struct llapi_layout *layout,
                      bool composite, mca_fs_lustre_lla_part_t *part)
{
    uint64_t count = 0;
    uint64_t size = 0;
    uint64_t start = 0;
    uint64_t end = UINT64_MAX;

    if (0 != api->stripe_count_get(layout, &count) || 0 != api->stripe_size_get(layout, &size)
        || (composite && 0 != api->comp_extent_get(layout, &start, &end))) {
        return false;
    }
    if (LLAPI_LAYOUT_INVALID <= count || LLAPI_LAYOUT_INVALID <= size || 0 == size) {
        return false; /* an abstract value: this component has no objects yet */
    }
    part->start = INT64_MAX < start ? INT64_MAX : (int64_t) start;
    part->end = INT64_MAX < end ? INT64_MAX : (int64_t) end;
    part->stripe_bytes = (int64_t) size;
    part->stripe_count = 0 == count ? 1 : (int64_t) count;
    return part->start < part->end;
}

void mca_fs_lustre_lla_layout_read(int fd, mca_fs_lustre_lla_layout_t *layout)
{
    const mca_fs_lustre_lla_llapi_t *api = mca_fs_lustre_lla_llapi();
    struct llapi_layout *found;

    memset(layout, 0, sizeof(*layout));
    found = api->has_layout ? api->layout_get_by_fd(fd, 0) : NULL;
    if (NULL == found) {
        return;
    }
    layout->composite = api->has_composite && api->is_composite(found);
    if (layout->composite && 0 != api->comp_use(found, LLAPI_LAYOUT_COMP_USE_FIRST)) {
        layout->composite = 0;
    }
    do {
        layout->part_count += read_part(api, found, layout->composite,
                                        &layout->part[layout->part_count]);
    } while (layout->composite && MCA_FS_LUSTRE_LLA_PARTS_MAX > layout->part_count
             && 0 == api->comp_use(found, LLAPI_LAYOUT_COMP_USE_NEXT));
    api->layout_free(found);
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a;
    int64_t y = b;

    while (0 != y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

void mca_fs_lustre_lla_layout_publish(ompio_file_t *fh, opal_info_t *info,
                                      const mca_fs_lustre_lla_layout_t *layout)
{
    const mca_fs_lustre_lla_part_t *last = &layout->part[layout->part_count - 1];
    int64_t unit;
    char text[32];

    fh->f_stripe_size = 0;
    fh->f_stripe_count = 1;
    fh->f_fs_block_size = 0;
    if (0 == layout->part_count) {
        return;
    }
    unit = last->stripe_bytes;
    for (int32_t p = 0; p + 1 < layout->part_count; ++p) {
        int64_t both = common_multiple(unit, layout->part[p].stripe_bytes);
        unit = STRIPE_BYTES_MAX > both ? both : unit;
    }
    fh->f_stripe_size = (size_t) unit;
    fh->f_stripe_count = (int) last->stripe_count;
    fh->f_fs_block_size = INT32_MAX < unit ? INT32_MAX : (int) unit;
    snprintf(text, sizeof(text), "%" PRId64, last->stripe_bytes);
    mca_common_collio_hint_set(info, "striping_unit", text);
    snprintf(text, sizeof(text), "%" PRId64, last->stripe_count);
    mca_common_collio_hint_set(info, "striping_factor", text);
}
