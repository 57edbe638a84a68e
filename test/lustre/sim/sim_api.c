/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * liblustreapi.so.1 for tests: the documented llapi_* calls, made of open(2) and ioctl(2). Without
 * the preloaded library the kernel answers ENOTTY, as it does for a file that is not on Lustre.
 * Compiled with -DLUSTRESIM_OLD_API it is a library of before 2.9: no llapi_ladvise.
 */

#include "lustresim.h"

#include "lustre/lustreapi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>
#include <unistd.h>

static int message_level = LLAPI_MSG_MAX;

void llapi_msg_set_level(int level)
{
    message_level = level;
}

static void complain(int error, const char *what)
{
    if (LLAPI_MSG_ERROR <= message_level) {
        fprintf(stderr, "error: %s: %s (%d)\n", what, strerror(error), error);
    }
}

#ifndef LUSTRESIM_OLD_API
int llapi_ladvise(int fd, unsigned long long flags, int num_advise,
                  struct llapi_lu_ladvise *ladvise)
{
    struct llapi_ladvise_hdr *header;
    int rc;

    if (1 > num_advise || LAH_COUNT_MAX <= num_advise) {
        errno = EINVAL;
        complain(EINVAL, "bad advice number");
        return -1;
    }
    header = calloc(1, sizeof(*header) + (size_t) num_advise * sizeof(*ladvise));
    if (NULL == header) {
        errno = ENOMEM;
        return -1;
    }
    header->lah_magic = LADVISE_MAGIC;
    header->lah_count = (uint32_t) num_advise;
    header->lah_flags = flags;
    memcpy(header->lah_advise, ladvise, (size_t) num_advise * sizeof(*ladvise));
    rc = ioctl(fd, LL_IOC_LADVISE, header);
    if (0 > rc) {
        complain(errno, "cannot give advice");
        rc = -1;
    } else {
        for (int i = 0; i < num_advise; ++i) {
            if (LU_LADVISE_LOCKAHEAD == ladvise[i].lla_advice) {
                ladvise[i].lla_lockahead_result = header->lah_advise[i].lla_lockahead_result;
            }
        }
        rc = 0;
    }
    free(header);
    return rc;
}
#endif

static int group(int fd, unsigned long request, int gid)
{
    if (0 > ioctl(fd, request, (long) gid)) {
        int error = errno;
        complain(error, "cannot change group lock");
        return -error;
    }
    return 0;
}

int llapi_group_lock(int fd, int gid)
{
    return group(fd, LL_IOC_GROUP_LOCK, gid);
}

int llapi_group_unlock(int fd, int gid)
{
    return group(fd, LL_IOC_GROUP_UNLOCK, gid);
}

struct llapi_layout {
    sim_layout_t data;
    uint32_t current;
};

static sim_component_t *current(const struct llapi_layout *layout)
{
    return (sim_component_t *) &layout->data.component[layout->current];
}

struct llapi_layout *llapi_layout_alloc(void)
{
    struct llapi_layout *layout = calloc(1, sizeof(*layout));

    if (NULL != layout) {
        layout->data.count = 1;
        current(layout)->end = LUSTRE_EOF;
        current(layout)->first_ost = UINT32_MAX;
    }
    return layout;
}

static uint64_t setting(const char *name, uint64_t preset)
{
    const char *text = getenv(name);

    return NULL == text || '\0' == *text ? preset : strtoull(text, NULL, 0);
}

static bool on_lustre(const char *path)
{
    char folder[4096];
    struct statfs status;
    char *slash;

    snprintf(folder, sizeof(folder), "%s", path);
    slash = strrchr(folder, '/');
    if (NULL == slash) {
        strcpy(folder, ".");
    } else {
        slash[slash == folder] = '\0';
    }
    return 0 == statfs(folder, &status) && LL_SUPER_MAGIC == status.f_type;
}

/* What a new file would get; a directory that says only a part leaves the rest to the file
 * system. */
static struct llapi_layout *expected(const char *path)
{
    struct llapi_layout *layout;

    if (!on_lustre(path)) {
        errno = ENOTTY;
        return NULL;
    }
    layout = llapi_layout_alloc();
    if (NULL != layout) {
        uint64_t stripes = setting("LUSTRESIM_DIR_STRIPES", 0);
        uint64_t size = setting("LUSTRESIM_DIR_STRIPE_SIZE", 0);

        current(layout)->stripe_count = (uint32_t) (0 != stripes ? stripes
                                                                 : setting("LUSTRESIM_STRIPES", 1));
        current(layout)->stripe_size = 0 != size ? size : setting("LUSTRESIM_STRIPE_SIZE", 4 << 20);
    }
    return layout;
}

struct llapi_layout *llapi_layout_get_by_path(const char *path, uint32_t flags)
{
    struct llapi_layout *layout;
    int error;
    int fd = open(path, O_RDONLY);

    if (0 > fd && 0 != (flags & LLAPI_LAYOUT_GET_EXPECTED) && ENOENT == errno) {
        return expected(path);
    }
    if (0 > fd) {
        return NULL;
    }
    layout = llapi_layout_get_by_fd(fd, 0);
    error = errno;
    close(fd);
    errno = error;
    return layout;
}

int llapi_get_obd_count(char *mnt, int *count, int is_mdt)
{
    struct statfs status;

    if (0 != statfs(mnt, &status) || LL_SUPER_MAGIC != status.f_type) {
        return -ENOTTY;
    }
    *count = is_mdt ? 1 : SIM_OSTS;
    return 0;
}

struct llapi_layout *llapi_layout_get_by_fd(int fd, uint32_t flags)
{
    struct llapi_layout *layout = llapi_layout_alloc();

    (void) flags;
    if (NULL != layout && 0 > ioctl(fd, SIM_IOC_GET_LAYOUT, &layout->data) && ENODATA != errno) {
        int error = errno;
        free(layout);
        errno = error;
        return NULL;
    }
    return layout;
}

void llapi_layout_free(struct llapi_layout *layout)
{
    free(layout);
}

static int invalid(void)
{
    errno = EINVAL;
    return -1;
}

int llapi_layout_stripe_count_get(const struct llapi_layout *layout, uint64_t *count)
{
    *count = 0 == current(layout)->stripe_count            ? LLAPI_LAYOUT_DEFAULT
             : UINT32_MAX == current(layout)->stripe_count ? LLAPI_LAYOUT_WIDE
                                                           : current(layout)->stripe_count;
    return 0;
}

int llapi_layout_stripe_count_set(struct llapi_layout *layout, uint64_t count)
{
    if (2000 < count && LLAPI_LAYOUT_INVALID > count) {
        return invalid();
    }
    current(layout)->stripe_count = LLAPI_LAYOUT_WIDE == count      ? UINT32_MAX
                                    : LLAPI_LAYOUT_DEFAULT == count ? 0
                                                                    : (uint32_t) count;
    return 0;
}

int llapi_layout_stripe_size_get(const struct llapi_layout *layout, uint64_t *size)
{
    *size = 0 == current(layout)->stripe_size ? LLAPI_LAYOUT_DEFAULT : current(layout)->stripe_size;
    return 0;
}

int llapi_layout_stripe_size_set(struct llapi_layout *layout, uint64_t size)
{
    if (LLAPI_LAYOUT_DEFAULT != size && (0 != size % LOV_MIN_STRIPE_SIZE || UINT32_MAX < size)) {
        return invalid();
    }
    current(layout)->stripe_size = LLAPI_LAYOUT_DEFAULT == size ? 0 : size;
    return 0;
}

int llapi_layout_ost_index_set(struct llapi_layout *layout, int stripe_number, uint64_t index)
{
    if (0 != stripe_number) {
        errno = EOPNOTSUPP;
        return -1;
    }
    current(layout)->first_ost = (uint32_t) index;
    if (0 == current(layout)->stripe_count) { /* seen: an index without a count is one stripe */
        current(layout)->stripe_count = 1;
    }
    return 0;
}

int llapi_layout_pool_name_get(const struct llapi_layout *layout, char *name, size_t size)
{
    snprintf(name, size, "%s", current(layout)->pool);
    return 0;
}

int llapi_layout_pool_name_set(struct llapi_layout *layout, const char *name)
{
    const char *dot = strchr(name, '.');

    name = NULL == dot ? name : dot + 1;
    if (LOV_MAXPOOLNAME < strlen(name)) {
        return invalid();
    }
    strcpy(current(layout)->pool, name);
    return 0;
}

int llapi_layout_comp_extent_get(const struct llapi_layout *layout, uint64_t *start, uint64_t *end)
{
    *start = current(layout)->start;
    *end = current(layout)->end;
    return 0;
}

int llapi_layout_comp_extent_set(struct llapi_layout *layout, uint64_t start, uint64_t end)
{
    if (start >= end) {
        return invalid();
    }
    current(layout)->start = start;
    current(layout)->end = end;
    layout->data.composite = 1;
    return 0;
}

static int add_component(struct llapi_layout *layout, uint64_t start, uint32_t mirror)
{
    if (SIM_COMPONENTS == layout->data.count) {
        return invalid();
    }
    layout->current = layout->data.count++;
    *current(layout) = (sim_component_t){
        .start = start, .end = LUSTRE_EOF, .first_ost = UINT32_MAX, .mirror = mirror};
    layout->data.composite = 1;
    return 0;
}

int llapi_layout_comp_add(struct llapi_layout *layout)
{
    return add_component(layout, current(layout)->end, current(layout)->mirror);
}

int llapi_layout_add_first_comp(struct llapi_layout *layout)
{
    return add_component(layout, 0, current(layout)->mirror + 1);
}

int llapi_layout_comp_flags_get(const struct llapi_layout *layout, uint32_t *flags)
{
    *flags = (current(layout)->empty ? 0 : LCME_FL_INIT)
             | (current(layout)->stale ? LCME_FL_STALE : 0);
    return 0;
}

int llapi_layout_comp_flags_set(struct llapi_layout *layout, uint32_t flags)
{
    current(layout)->stale = 0 != (flags & LCME_FL_STALE);
    return 0;
}

int llapi_layout_pattern_get(const struct llapi_layout *layout, uint64_t *pattern)
{
    *pattern = current(layout)->on_mdt && NULL == getenv("LUSTRESIM_HIDE_MDT") ? LLAPI_LAYOUT_MDT
                                                                               : LLAPI_LAYOUT_RAID0;
    return 0;
}

int llapi_layout_pattern_set(struct llapi_layout *layout, uint64_t pattern)
{
    if (LLAPI_LAYOUT_RAID0 != pattern && LLAPI_LAYOUT_MDT != pattern) {
        errno = EOPNOTSUPP;
        return -1;
    }
    current(layout)->on_mdt = LLAPI_LAYOUT_MDT == pattern;
    return 0;
}

int llapi_layout_comp_use(struct llapi_layout *layout, uint32_t position)
{
    switch (position) {
    case LLAPI_LAYOUT_COMP_USE_FIRST:
        layout->current = 0;
        return 0;
    case LLAPI_LAYOUT_COMP_USE_LAST:
        layout->current = layout->data.count - 1;
        return 0;
    case LLAPI_LAYOUT_COMP_USE_NEXT:
        if (layout->current + 1 < layout->data.count) {
            ++layout->current;
            return 0;
        }
        break;
    default:
        return invalid();
    }
    errno = ENOENT;
    return 1;
}

bool llapi_layout_is_composite(struct llapi_layout *layout)
{
    return 0 != layout->data.composite;
}

static bool pool_exists(const char *pool)
{
    const char *list = getenv("LUSTRESIM_POOLS");
    size_t length = strlen(pool);

    while (NULL != list && '\0' != *list) {
        size_t word = strcspn(list, " ");

        if (word == length && 0 == strncmp(list, pool, word)) {
            return true;
        }
        list += word + (' ' == list[word]);
    }
    return false;
}

/* Another process that wants the file for itself, between two opens of ours. */
static void appear(const char *path)
{
    if (NULL != getenv("LUSTRESIM_APPEAR")) {
        int fd = open(path, O_CREAT | O_EXCL | O_RDWR, 0644);

        fprintf(stderr, "lustresim: another process %s %s\n", 0 > fd ? "cannot create" : "created",
                path);
        if (0 <= fd) {
            close(fd);
        }
    }
}

int llapi_layout_file_open(const char *path, int open_flags, mode_t mode,
                           const struct llapi_layout *layout)
{
    int fd;

    if (NULL == layout || 0 == (open_flags & O_CREAT)) {
        return open(path, open_flags, mode);
    }
    if ('\0' != layout->data.component[0].pool[0] && !pool_exists(layout->data.component[0].pool)) {
        appear(path);
        errno = 0; /* seen */
        return -1;
    }
    fd = open(path, open_flags | O_LOV_DELAY_CREATE, mode);
    if (0 <= fd && 0 > ioctl(fd, SIM_IOC_SET_LAYOUT, &layout->data) && EEXIST != errno) {
        int error = errno;
        close(fd);
        errno = error;
        fd = -1;
    }
    return fd;
}
