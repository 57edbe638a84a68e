/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

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

int llapi_group_lock(int fd, int gid)
{
    if (0 > ioctl(fd, LL_IOC_GROUP_LOCK, (long) gid)) {
        int error = errno;
        complain(error, "cannot get group lock");
        return -error;
    }
    return 0;
}

int llapi_group_unlock(int fd, int gid)
{
    if (0 > ioctl(fd, LL_IOC_GROUP_UNLOCK, (long) gid)) {
        int error = errno;
        complain(error, "cannot put group lock");
        return -error;
    }
    return 0;
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

struct llapi_layout *llapi_layout_get_by_fd(int fd, uint32_t flags)
{
    struct llapi_layout *layout = llapi_layout_alloc();

    (void) flags;
    if (NULL != layout && 0 > ioctl(fd, SIM_IOC_GET_LAYOUT, &layout->data)) {
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

int llapi_layout_ost_index_get(const struct llapi_layout *layout, uint64_t stripe_number,
                               uint64_t *index)
{
    if (current(layout)->stripe_count <= stripe_number) {
        return invalid();
    }
    *index = current(layout)->first_ost + stripe_number;
    return 0;
}

int llapi_layout_ost_index_set(struct llapi_layout *layout, int stripe_number, uint64_t index)
{
    if (0 != stripe_number) {
        errno = EOPNOTSUPP;
        return -1;
    }
    current(layout)->first_ost = (uint32_t) index;
    return 0;
}

int llapi_layout_pool_name_get(const struct llapi_layout *layout, char *name, size_t size)
{
    return (int) snprintf(name, size, "%s", current(layout)->pool);
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

int llapi_layout_comp_add(struct llapi_layout *layout)
{
    uint64_t start = current(layout)->end;

    if (SIM_COMPONENTS == layout->data.count) {
        return invalid();
    }
    layout->current = layout->data.count++;
    *current(layout) = (sim_component_t){
        .start = start, .end = LUSTRE_EOF, .first_ost = UINT32_MAX};
    layout->data.composite = 1;
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
    case LLAPI_LAYOUT_COMP_USE_PREV:
        if (0 < layout->current) {
            --layout->current;
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

int llapi_layout_file_open(const char *path, int open_flags, mode_t mode,
                           const struct llapi_layout *layout)
{
    int fd;

    if (NULL == layout || 0 == (open_flags & O_CREAT)) {
        return open(path, open_flags, mode);
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

int llapi_file_open(const char *name, int flags, int mode, unsigned long long stripe_size,
                    int stripe_offset, int stripe_count, int stripe_pattern)
{
    sim_layout_t layout = {.count = 1, .component = {{.end = LUSTRE_EOF}}};
    int fd;

    (void) stripe_pattern;
    if (0 != stripe_size % LOV_MIN_STRIPE_SIZE || UINT32_MAX < stripe_size) {
        complain(EINVAL, "bad stripe_size, must be an even multiple of 65536 bytes");
        return -EINVAL;
    }
    layout.component[0].stripe_size = stripe_size;
    layout.component[0].stripe_count = (uint32_t) stripe_count;
    layout.component[0].first_ost = (uint32_t) stripe_offset;
    fd = open(name, flags | O_LOV_DELAY_CREATE, mode);
    if (0 > fd) {
        return -errno;
    }
    if (0 > ioctl(fd, SIM_IOC_SET_LAYOUT, &layout)) {
        int error = errno;
        complain(error, "cannot set striping");
        close(fd);
        return -error;
    }
    return fd;
}

int llapi_file_create(const char *name, unsigned long long stripe_size, int stripe_offset,
                      int stripe_count, int stripe_pattern)
{
    int fd = llapi_file_open(name, O_CREAT | O_WRONLY, 0644, stripe_size, stripe_offset,
                             stripe_count, stripe_pattern);

    return 0 > fd ? fd : close(fd);
}
