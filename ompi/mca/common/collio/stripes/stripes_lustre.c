/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Stripes of Lustre, by liblustreapi.
 *
 * Attributes without a wanted value come from the directory, or else from the file system. This
 * file adds them, because Lustre ignores the directory's defaults if one attribute is given.
 *
 * A composite (progressive) layout has several parts. The last part has most of a large file, so
 * the collective components align to its stripes, in units that suit the other parts as well. A
 * part without written bytes is not instantiated: it has no objects, and values such as "all OSTs"
 * instead of numbers. Of mirrors, the first one that is not stale counts: Lustre writes to that
 * mirror, and a write makes the others stale.
 */

#define _GNU_SOURCE
#include "stripes/stripes_lustre.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "stripes/stripes.h"

enum { STRIPES_MAX = 2000 };
#define STRIPE_BYTES_MAX (INT64_C(4) << 30)

/* Adds the defaults of the directory for attributes without a hint. */
static void add_defaults(const collio_llapi_t *api, const char *path, collio_stripes_t *wanted)
{
    collio_layout_t *found = NULL;
    uint64_t value;

    if (NULL != api->layout_get_by_path) {
        found = api->layout_get_by_path(path, LLAPI_LAYOUT_GET_EXPECTED);
    }
    if (NULL == found) {
        return;
    }
    if (api->has_composite && api->layout_is_composite(found)) {
        (void) api->layout_comp_use(found, LLAPI_LAYOUT_COMP_USE_LAST);
    }
    if (0 == wanted->count && 0 == api->layout_stripe_count_get(found, &value)) {
        if (LLAPI_LAYOUT_WIDE == value) {
            wanted->count = -1;
        } else if (STRIPES_MAX >= value) {
            wanted->count = (int64_t) value;
        }
    }
    if (0 == wanted->bytes && 0 == api->layout_stripe_size_get(found, &value)
        && LLAPI_LAYOUT_INVALID > value) {
        wanted->bytes = (int64_t) value;
    }
    if ('\0' == wanted->pool[0] && NULL != api->layout_pool_name_get
        && 0 != api->layout_pool_name_get(found, wanted->pool, sizeof(wanted->pool) - 1)) {
        wanted->pool[0] = '\0';
    }
    api->layout_free(found);
}

/* Sets the attributes of a layout. Returns 0 or -errno. */
static int fill(const collio_llapi_t *api, const collio_stripes_t *wanted, collio_layout_t *layout)
{
    uint64_t stripes = 0 > wanted->count ? LLAPI_LAYOUT_WIDE : (uint64_t) wanted->count;

    errno = 0;
    /* the count before the index: an index without a count is a file of one stripe */
    if ((0 != stripes && 0 != api->layout_stripe_count_set(layout, stripes))
        || (0 != wanted->bytes
            && 0 != api->layout_stripe_size_set(layout, (uint64_t) wanted->bytes))
        || ('\0' != wanted->pool[0] && 0 != api->layout_pool_name_set(layout, wanted->pool))
        || (0 <= wanted->first
            && 0 != api->layout_ost_index_set(layout, 0, (uint64_t) wanted->first))) {
        return collio_llapi_failure();
    }
    return 0;
}

/* Returns a descriptor or -errno. An interrupted attempt is repeated: the library reports it as any
 * other failure, after which the file would get the default stripes. */
static int lustre_stripes_open_striped(const collio_llapi_t *api, const collio_stripes_t *wanted,
                                       const char *path, int amode, int perm)
{
    collio_layout_t *layout = api->layout_alloc();
    int rc;

    if (NULL == layout) {
        return -ENOMEM;
    }
    rc = fill(api, wanted, layout);
    if (0 == rc) {
        do {
            errno = 0;
            rc = api->layout_file_open(path, amode, (mode_t) perm, layout);
            if (0 > rc) {
                rc = collio_llapi_failure();
            }
        } while (-EINTR == rc);
    }
    api->layout_free(layout);
    return rc;
}

/* True if this is an error of the path, which does not depend on the stripes. */
static bool hopeless(int rc)
{
    return -EACCES == rc || -ENOENT == rc || -EROFS == rc;
}

static bool is_file(int fd, const struct stat *file)
{
    struct stat about;

    return 0 == fstat(fd, &about) && about.st_dev == file->st_dev && about.st_ino == file->st_ino;
}

/* Creates a file without a layout, exclusively. Returns 0 or -errno. */
static int create_empty(const char *path, int flags, int perm, int *fd, struct stat *created)
{
    int rc = 0;

    *fd = collio_stripes_open_plain(path, flags | O_LOV_DELAY_CREATE, perm);
    if (0 > *fd) {
        return *fd;
    }
    if (0 != fstat(*fd, created)) {
        rc = -errno;
        close(*fd);
    }
    return rc;
}

/* With O_EXCL: a failed attempt to create the file with a layout may leave a file, which
 * cannot be distinguished from a file of another process. So the file is created first, exclusively
 * and without a layout, and every later open must find that file. The first descriptor is closed
 * before the default layout is tried: otherwise a second open would not reach the servers, and the
 * file would have no layout until the first write. */
static int lustre_stripes_create(const char *path, int flags, int perm, collio_stripes_t *wanted,
                                 const char **why_not)
{
    const collio_llapi_t *api = collio_llapi();
    bool exclusive = 0 != (flags & O_EXCL);
    struct stat created;
    int own = -1, fd;

    if (!api->has_layout) {
        *why_not = api->origin;
        return collio_stripes_open_plain(path, flags, perm);
    }
    add_defaults(api, path, wanted);
    if (exclusive) {
        int rc = create_empty(path, flags, perm, &own, &created);

        if (0 != rc) {
            return rc;
        }
        flags &= ~O_EXCL;
    }
    fd = lustre_stripes_open_striped(api, wanted, path, flags, perm);
    if (exclusive) {
        close(own);
    }
    if (0 > fd && !hopeless(fd)) {
        *why_not = strerror(-fd);
        fd = collio_stripes_open_plain(path, flags, perm);
    }
    if (exclusive && 0 <= fd && !is_file(fd, &created)) {
        close(fd);
        return -EEXIST;
    }
    return fd;
}

/* Returns the number of OSTs of the file system, or 0 if unknown. */
static int64_t ost_count(const collio_llapi_t *api, const char *path)
{
    char directory[PATH_MAX];
    int count = 0;

    if (NULL == api->get_obd_count || NULL == path
        || !collio_stripes_directory(path, directory, sizeof(directory))
        || 0 != api->get_obd_count(directory, &count, 0) || 0 > count) {
        return 0;
    }
    return count;
}

static int64_t at_most_max(uint64_t offset)
{
    return INT64_MAX < offset ? INT64_MAX : (int64_t) offset;
}

/* Reads one part. Replaces abstract values by the numbers that the part will have when it is
 * instantiated: "all OSTs" by the number of OSTs, "default" by the value of the previous part.
 * On entry `part` has the previous part, or zeros. */
static bool read_part(const collio_llapi_t *api, collio_layout_t *found, const char *path,
                      bool composite, collio_lustre_part_t *part)
{
    uint64_t count = 0, size = 0, start = 0, end = UINT64_MAX;

    if (0 != api->layout_stripe_count_get(found, &count)
        || 0 != api->layout_stripe_size_get(found, &size)
        || (composite && 0 != api->layout_comp_extent_get(found, &start, &end))) {
        return false;
    }
    part->start = at_most_max(start);
    part->end = at_most_max(end);
    if (LLAPI_LAYOUT_INVALID > count) {
        part->stripe_count = (int64_t) count;
    } else if (LLAPI_LAYOUT_WIDE == count && 0 < ost_count(api, path)) {
        part->stripe_count = ost_count(api, path);
    }
    if (0 == part->stripe_count) { /* this is the case for a part on the MDT, too */
        part->stripe_count = 1;
    }
    if (LLAPI_LAYOUT_INVALID > size && 0 < size) {
        part->stripe_bytes = (int64_t) size;
    }
    return 0 < part->stripe_bytes && part->start < part->end;
}

/* State of a walk over the components of a file. */
typedef struct walk_t {
    bool stale;    /* the mirror that is being read is stale */
    bool complete; /* the result has all parts */
} walk_t;

/* Reads the current component. A component that begins at 0 is the first of a mirror; the previous
 * mirror is then complete, and is the result unless it is stale. */
static void read_component(const collio_llapi_t *api, collio_layout_t *found, const char *path,
                           collio_lustre_layout_t *layout, walk_t *walk)
{
    /* with more parts than entries, the last entry has the last part, which matters most */
    int32_t at = COLLIO_LUSTRE_PARTS > layout->part_count ? layout->part_count
                                                          : COLLIO_LUSTRE_PARTS - 1;
    collio_lustre_part_t part = {0};
    uint32_t flags = LCME_FL_INIT;
    uint64_t pattern = 0;

    if (0 < layout->part_count) {
        part = layout->part[layout->part_count - 1];
    }
    if (layout->composite && NULL != api->layout_comp_flags_get) {
        (void) api->layout_comp_flags_get(found, &flags);
    }
    if (NULL != api->layout_pattern_get && 0 != api->layout_pattern_get(found, &pattern)) {
        pattern = 0;
    }
    layout->on_mdt |= LLAPI_LAYOUT_MDT == pattern;
    if (walk->complete || !read_part(api, found, path, layout->composite, &part)) {
        return;
    }
    if (0 < layout->part_count && 0 == part.start) {
        walk->complete = !walk->stale;
        if (walk->complete) {
            return;
        }
        walk->stale = false;
        layout->empty = 0;
        layout->part_count = at = 0;
    }
    walk->stale = walk->stale || 0 != (flags & LCME_FL_STALE);
    layout->part[at] = part;
    layout->part_count = at + 1;
    layout->empty &= ~(1u << at);
    if (0 == (flags & LCME_FL_INIT) || LLAPI_LAYOUT_MDT == pattern) {
        layout->empty |= 1u << at;
    }
}

void collio_lustre_read(int fd, const char *path, collio_lustre_layout_t *layout)
{
    const collio_llapi_t *api = collio_llapi();
    collio_layout_t *found;
    walk_t walk = {.stale = false};

    memset(layout, 0, sizeof(*layout));
    found = api->has_layout ? api->layout_get_by_fd(fd, 0) : NULL;
    if (NULL == found) {
        return;
    }
    layout->composite = api->has_composite && api->layout_is_composite(found);
    if (layout->composite && 0 != api->layout_comp_use(found, LLAPI_LAYOUT_COMP_USE_FIRST)) {
        layout->composite = 0;
    }
    do {
        read_component(api, found, path, layout, &walk);
    } while (layout->composite && 0 == api->layout_comp_use(found, LLAPI_LAYOUT_COMP_USE_NEXT));
    api->layout_free(found);
}

static int64_t common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b;

    while (0 != y) {
        int64_t rest = x % y;

        x = y;
        y = rest;
    }
    /* read_part takes no stripes without bytes: NOLINTNEXTLINE(clang-analyzer-core.*) */
    return a / x * b;
}

int64_t collio_lustre_unit(const collio_lustre_layout_t *layout)
{
    int64_t unit;

    if (0 == layout->part_count) {
        return 0;
    }
    unit = layout->part[layout->part_count - 1].stripe_bytes;
    for (int32_t p = layout->part_count - 2; p >= 0; --p) {
        int64_t both = common_multiple(unit, layout->part[p].stripe_bytes);

        if (STRIPE_BYTES_MAX > both) {
            unit = both;
        }
    }
    return unit;
}

static bool lustre_stripes_read(int fd, collio_stripes_t *stripes)
{
    collio_lustre_layout_t layout;

    collio_lustre_read(fd, NULL, &layout);
    if (0 == layout.part_count) {
        return false;
    }
    stripes->count = layout.part[layout.part_count - 1].stripe_count;
    stripes->bytes = collio_lustre_unit(&layout);
    return true;
}

const collio_stripes_provider_t collio_stripes_lustre = {
    .magic = COLLIO_STRIPES_LUSTRE, .read = lustre_stripes_read, .create = lustre_stripes_create};
