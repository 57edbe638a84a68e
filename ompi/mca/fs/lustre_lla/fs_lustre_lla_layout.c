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
 * What no hint names is as the directory, or else the file system, has it: Lustre itself forgets
 * the directory's defaults as soon as one attribute is given. An existing file keeps the striping
 * it has.
 *
 * A composite (progressive) layout has several parts; the last one is where large files live, so
 * its striping is what the collective components align to, in units that suit the other parts as
 * well. A part that nobody has written to is not instantiated: it has no objects yet, and values
 * such as "all OSTs" instead of numbers. Of mirrors, the first that is not stale counts: that is
 * the one that Lustre writes to, and a write makes the others stale.
 */

#include "fs_lustre_lla_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Adds the defaults of the directory where the hints say nothing. */
static void add_defaults(const mca_fs_lustre_lla_llapi_t *api, const char *path, wanted_t *wanted)
{
    struct llapi_layout *found = NULL;
    uint64_t value;

    if (NULL != api->layout_get_by_path) {
        found = api->layout_get_by_path(path, MCA_FS_LUSTRE_LLA_GET_EXPECTED);
    }
    if (NULL == found) {
        return;
    }
    if (api->has_composite && api->is_composite(found)) {
        (void) api->comp_use(found, LLAPI_LAYOUT_COMP_USE_LAST);
    }
    if (0 == wanted->stripes && 0 == api->stripe_count_get(found, &value)) {
        wanted->stripes = LLAPI_LAYOUT_WIDE == value ? -1
                          : STRIPES_MAX < value      ? 0
                                                     : (int64_t) value;
    }
    if (0 == wanted->stripe_bytes && 0 == api->stripe_size_get(found, &value)) {
        wanted->stripe_bytes = LLAPI_LAYOUT_INVALID <= value ? 0 : (int64_t) value;
    }
    if ('\0' == wanted->pool[0] && NULL != api->pool_name_get
        && 0 != api->pool_name_get(found, wanted->pool, sizeof(wanted->pool) - 1)) {
        wanted->pool[0] = '\0';
    }
    api->layout_free(found);
}

/* 0 or -errno */
static int fill(const mca_fs_lustre_lla_llapi_t *api, const wanted_t *wanted,
                struct llapi_layout *layout)
{
    uint64_t stripes = 0 > wanted->stripes ? LLAPI_LAYOUT_WIDE : (uint64_t) wanted->stripes;

    errno = 0;
    /* the count before the index: an index without a count is a file of one stripe */
    if ((0 != stripes && 0 != api->stripe_count_set(layout, stripes))
        || (0 != wanted->stripe_bytes
            && 0 != api->stripe_size_set(layout, (uint64_t) wanted->stripe_bytes))
        || ('\0' != wanted->pool[0] && 0 != api->pool_name_set(layout, wanted->pool))
        || (0 <= wanted->first_ost
            && 0 != api->ost_index_set(layout, 0, (uint64_t) wanted->first_ost))) {
        return mca_fs_lustre_lla_llapi_failure();
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
        errno = 0;
        rc = api->layout_file_open(path, amode, (mode_t) perm, layout);
        rc = 0 > rc ? mca_fs_lustre_lla_llapi_failure() : rc;
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

/* With the striping of the hints, or with the default one where that is not possible. */
static int open_hinted(ompio_file_t *fh, const wanted_t *wanted, const char *path, int amode,
                       int perm)
{
    int fd = open_striped(mca_fs_lustre_lla_llapi(), wanted, path, amode, perm);

    if (0 <= fd || -EACCES == fd || -ENOENT == fd || -EROFS == fd) {
        return fd;
    }
    mca_fs_lustre_lla_say(
        fh->f_rank, "%s gets the default striping: that of the hints is not possible (%s%s%s)",
        path, strerror(-fd), '\0' == wanted->pool[0] ? "" : "; collio_pool is ", wanted->pool);
    return open_plain(path, amode, perm);
}

static bool same_file(int one, int other)
{
    struct stat a;
    struct stat b;

    return 0 == fstat(one, &a) && 0 == fstat(other, &b) && a.st_dev == b.st_dev
           && a.st_ino == b.st_ino;
}

/* MPI_MODE_EXCL. A failed attempt to create the file with a striping may leave it behind, and then
 * the file of another process cannot be told from our own. So it is created first, exclusively and
 * without a layout; whatever is opened afterwards must be that file. */
static int open_exclusive(ompio_file_t *fh, const wanted_t *wanted, const char *path, int amode,
                          int perm)
{
    int own = open_plain(path, amode | MCA_FS_LUSTRE_LLA_DELAY_CREATE, perm);
    int fd;

    if (0 > own) {
        return own;
    }
    fd = open_hinted(fh, wanted, path, amode & ~O_EXCL, perm);
    if (0 <= fd && !same_file(own, fd)) {
        close(fd);
        fd = -EEXIST;
    }
    close(own);
    return fd;
}

int mca_fs_lustre_lla_layout_open(ompio_file_t *fh, const char *path, int amode, int perm,
                                  opal_info_t *info)
{
    const mca_fs_lustre_lla_llapi_t *api = mca_fs_lustre_lla_llapi();
    wanted_t wanted;

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
    add_defaults(api, path, &wanted);
    return 0 != (amode & O_EXCL) ? open_exclusive(fh, &wanted, path, amode, perm)
                                 : open_hinted(fh, &wanted, path, amode, perm);
}

/* The number of OSTs of the file system, or 0. */
static int64_t ost_count(const mca_fs_lustre_lla_llapi_t *api, const char *path)
{
    int count = 0;
    char *folder;
    char *slash;

    if (NULL == api->get_obd_count || NULL == path || NULL == (folder = strdup(path))) {
        return 0;
    }
    slash = strrchr(folder, '/');
    if (NULL != slash) {
        slash[slash == folder] = '\0';
    }
    if (0 != api->get_obd_count(NULL == slash ? (char *) "." : folder, &count, 0) || 0 > count) {
        count = 0;
    }
    free(folder);
    return count;
}

/* Abstract values become what they will be when the part is instantiated: "all OSTs" their number,
 * "default" what the part before has. */
static bool read_part(const mca_fs_lustre_lla_llapi_t *api, struct llapi_layout *found,
                      const char *path, bool composite, const mca_fs_lustre_lla_part_t *before,
                      mca_fs_lustre_lla_part_t *part)
{
    uint64_t count = 0;
    uint64_t size = 0;
    uint64_t start = 0;
    uint64_t end = UINT64_MAX;

    if (0 != api->stripe_count_get(found, &count) || 0 != api->stripe_size_get(found, &size)
        || (composite && 0 != api->comp_extent_get(found, &start, &end))) {
        return false;
    }
    part->start = INT64_MAX < start ? INT64_MAX : (int64_t) start;
    part->end = INT64_MAX < end ? INT64_MAX : (int64_t) end;
    part->stripe_count = LLAPI_LAYOUT_WIDE == count      ? ost_count(api, path)
                         : LLAPI_LAYOUT_INVALID <= count ? 0
                                                         : (int64_t) count;
    if (0 == part->stripe_count) { /* also: on the MDT */
        part->stripe_count = NULL != before && LLAPI_LAYOUT_INVALID <= count ? before->stripe_count
                                                                             : 1;
    }
    if (LLAPI_LAYOUT_INVALID <= size || 0 == size) {
        size = NULL == before ? 0 : (uint64_t) before->stripe_bytes;
    }
    part->stripe_bytes = (int64_t) size;
    return 0 < part->stripe_bytes && part->start < part->end;
}

/* Reads the current component. A mirror's first component begins at 0; the mirror before it is done
 * with then, and is what we look for unless it is stale. False: nothing more is needed. */
static bool read_component(const mca_fs_lustre_lla_llapi_t *api, struct llapi_layout *found,
                           const char *path, mca_fs_lustre_lla_layout_t *layout, bool *stale)
{
    /* more parts than there is room for: the last one is what matters most */
    int32_t at = MCA_FS_LUSTRE_LLA_PARTS_MAX > layout->part_count ? layout->part_count
                                                                  : MCA_FS_LUSTRE_LLA_PARTS_MAX - 1;
    mca_fs_lustre_lla_part_t part;
    uint32_t flags = MCA_FS_LUSTRE_LLA_COMP_INIT;
    uint64_t pattern = 0;

    if (!read_part(api, found, path, layout->composite,
                   0 == layout->part_count ? NULL : &layout->part[layout->part_count - 1], &part)) {
        return true;
    }
    if (layout->composite && NULL != api->comp_flags_get) {
        (void) api->comp_flags_get(found, &flags);
    }
    if (NULL != api->pattern_get && 0 != api->pattern_get(found, &pattern)) {
        pattern = 0;
    }
    if (0 < layout->part_count && 0 == part.start) {
        if (!*stale) {
            return false;
        }
        *stale = false;
        layout->empty = 0;
        layout->part_count = at = 0;
    }
    *stale = *stale || 0 != (flags & MCA_FS_LUSTRE_LLA_COMP_STALE);
    layout->part[at] = part;
    layout->part_count = at + 1;
    layout->empty &= ~(1u << at);
    if (0 == (flags & MCA_FS_LUSTRE_LLA_COMP_INIT) || MCA_FS_LUSTRE_LLA_PATTERN_MDT == pattern) {
        layout->empty |= 1u << at;
    }
    return true;
}

/* Is any component, of any mirror, on an MDT? */
static bool any_on_mdt(const mca_fs_lustre_lla_llapi_t *api, struct llapi_layout *found,
                       bool composite)
{
    uint64_t pattern = 0;
    bool more = NULL != api->pattern_get
                && (!composite || 0 == api->comp_use(found, LLAPI_LAYOUT_COMP_USE_FIRST));

    while (more) {
        if (0 == api->pattern_get(found, &pattern) && MCA_FS_LUSTRE_LLA_PATTERN_MDT == pattern) {
            return true;
        }
        more = composite && 0 == api->comp_use(found, LLAPI_LAYOUT_COMP_USE_NEXT);
    }
    return false;
}

void mca_fs_lustre_lla_layout_read(int fd, const char *path, mca_fs_lustre_lla_layout_t *layout)
{
    const mca_fs_lustre_lla_llapi_t *api = mca_fs_lustre_lla_llapi();
    struct llapi_layout *found;
    bool stale = false;

    memset(layout, 0, sizeof(*layout));
    found = api->has_layout ? api->layout_get_by_fd(fd, 0) : NULL;
    if (NULL == found) {
        return;
    }
    layout->composite = api->has_composite && api->is_composite(found);
    layout->on_mdt = any_on_mdt(api, found, layout->composite);
    if (layout->composite && 0 != api->comp_use(found, LLAPI_LAYOUT_COMP_USE_FIRST)) {
        layout->composite = 0;
    }
    while (read_component(api, found, path, layout, &stale) && layout->composite
           && 0 == api->comp_use(found, LLAPI_LAYOUT_COMP_USE_NEXT)) {
    }
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
    /* read_part takes no stripes without bytes: NOLINTNEXTLINE(clang-analyzer-core.*) */
    return a / x * b;
}

void mca_fs_lustre_lla_layout_publish(ompio_file_t *fh, opal_info_t *info,
                                      const mca_fs_lustre_lla_layout_t *layout)
{
    const mca_fs_lustre_lla_part_t *last;
    int64_t unit;
    char text[32];

    fh->f_stripe_size = 0;
    fh->f_stripe_count = 1;
    fh->f_fs_block_size = 0;
    if (0 == layout->part_count) {
        return;
    }
    last = &layout->part[layout->part_count - 1];
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
