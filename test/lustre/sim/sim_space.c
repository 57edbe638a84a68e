/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * The shared space: one file below LUSTRESIM_DIR, mapped by every process. Everything in it is
 * found by index, never by pointer, since each process maps it elsewhere. The mutex is robust, so
 * a rank that is killed while it holds it stops nobody.
 *
 *   space: config | counters | clients | files -> objects -> lists of locks | log of advices
 *
 * Layout rule (RAID 0): byte b of a component with n stripes of s bytes is on object (b / s) mod n,
 * at (b / (s n)) s + b mod s.
 */

#include "sim_manager.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SIM_MAGIC UINT64_C(0x6c757374726573)

static uint64_t from_environment(const char *name, uint64_t preset)
{
    const char *text = getenv(name);
    return NULL == text || '\0' == *text ? preset : strtoull(text, NULL, 0);
}

static void configure(sim_config_t *config)
{
    const char *lockahead = getenv("LUSTRESIM_LOCKAHEAD");

    config->default_stripes = (uint32_t) from_environment("LUSTRESIM_STRIPES", 1);
    config->default_stripe_size = from_environment("LUSTRESIM_STRIPE_SIZE", 4 << 20);
    config->rpc_us = (uint32_t) from_environment("LUSTRESIM_RPC_US", 0);
    config->client_us_mib = (uint32_t) from_environment("LUSTRESIM_CLIENT_US_PER_MIB", 0);
    config->ost_us_mib = (uint32_t) from_environment("LUSTRESIM_OST_US_PER_MIB", 0);
    config->async_us = (uint32_t) from_environment("LUSTRESIM_ASYNC_US", 1000);
    config->dir_stripes = (uint32_t) from_environment("LUSTRESIM_DIR_STRIPES", 0);
    config->dir_stripe_size = from_environment("LUSTRESIM_DIR_STRIPE_SIZE", 0);
    config->quota_bytes = from_environment("LUSTRESIM_QUOTA_KIB", 0) << 10;
    config->grant_bytes = from_environment("LUSTRESIM_GRANT_KIB", 0) << 10;
    config->ost_bytes = from_environment("LUSTRESIM_OST_KIB", 0) << 10;
    config->lockahead = NULL == lockahead || 0 == strcmp(lockahead, "1")
                            ? 1
                            : -(int32_t) strtol(lockahead, NULL, 0);
    if (0 == config->lockahead) {
        config->lockahead = -EOPNOTSUPP;
    }
}

static void clear_locks(sim_space_t *space)
{
    for (size_t f = 0; f < SIM_FILES; ++f) {
        for (size_t o = 0; o < SIM_OBJECTS; ++o) {
            space->file[f].locks[o] = -1;
        }
    }
    for (int32_t l = 0; l < SIM_LOCKS; ++l) {
        space->lock[l].next = l + 1 < SIM_LOCKS ? l + 1 : -1;
    }
    space->free_lock = 0;
}

static void initialise(sim_space_t *space)
{
    pthread_mutexattr_t attributes;

    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&space->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    clear_locks(space);
    sim_clock_reset(space);
    space->magic = SIM_MAGIC;
}

/* The control file is opened with plain system calls: this runs inside the preloaded open(). */
sim_space_t *sim_attach(const char *dir)
{
    char path[PATH_MAX];
    sim_space_t *space;
    struct stat status;
    int fd;

    if ((int) sizeof(path) <= snprintf(path, sizeof(path), "%s/.lustresim", dir)) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    fd = (int) syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (0 > fd) {
        return NULL;
    }
    flock(fd, LOCK_EX);
    if (0 != syscall(SYS_fstat, fd, &status)
        || ((off_t) sizeof(*space) > status.st_size
            && 0 != syscall(SYS_ftruncate, fd, (long) sizeof(*space)))) {
        syscall(SYS_close, fd);
        return NULL;
    }
    space = mmap(NULL, sizeof(*space), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (MAP_FAILED == space) {
        space = NULL;
    } else if (SIM_MAGIC != space->magic) {
        configure(&space->config);
        initialise(space);
    }
    flock(fd, LOCK_UN); /* the mapping keeps the file open: closing does not drop it */
    syscall(SYS_close, fd);
    return space;
}

void sim_enter(sim_space_t *space)
{
    if (EOWNERDEAD == pthread_mutex_lock(&space->mutex)) {
        pthread_mutex_consistent(&space->mutex);
    }
}

void sim_leave(sim_space_t *space)
{
    pthread_mutex_unlock(&space->mutex);
}

void sim_reset(sim_space_t *space, bool locks_too)
{
    sim_enter(space);
    memset(&space->counters, 0, sizeof(space->counters));
    space->log_count = 0;
    if (locks_too) {
        clear_locks(space);
    }
    configure(&space->config);
    space->used_bytes = 0;
    memset(space->used_ost, 0, sizeof(space->used_ost));
    memset(space->used_grant, 0, sizeof(space->used_grant));
    sim_clock_reset(space);
    sim_leave(space);
}

uint32_t sim_client(sim_space_t *space, const char *name)
{
    uint32_t found = SIM_CLIENTS;
    uint32_t unused = SIM_CLIENTS;

    sim_enter(space);
    for (uint32_t c = 0; c < SIM_CLIENTS && SIM_CLIENTS == found; ++c) {
        if ('\0' == space->client[c][0]) {
            unused = SIM_CLIENTS == unused ? c : unused;
        } else if (0 == strncmp(space->client[c], name, sizeof(space->client[c]) - 1)) {
            found = c;
        }
    }
    if (SIM_CLIENTS == found) {
        if (SIM_CLIENTS == unused) {
            fprintf(stderr, "lustresim: more than %d clients\n", SIM_CLIENTS);
            abort();
        }
        found = unused;
        snprintf(space->client[found], sizeof(space->client[found]), "%s", name);
    }
    sim_leave(space);
    return found;
}

static uint32_t find_file(const sim_space_t *space, uint64_t device, uint64_t inode)
{
    for (uint32_t f = 0; f < SIM_FILES; ++f) {
        if (device == space->file[f].device && inode == space->file[f].inode) {
            return f;
        }
    }
    return SIM_FILES;
}

uint32_t sim_file(sim_space_t *space, uint64_t device, uint64_t inode, uint64_t birth)
{
    uint32_t found;

    sim_enter(space);
    found = find_file(space, device, inode);
    if (SIM_FILES != found && birth != space->file[found].birth) {
        uint64_t other = space->file[found].birth;

        sim_leave(space);
        sim_file_forget(space, device, inode, other); /* removed behind our back */
        sim_enter(space);
        found = find_file(space, device, inode);
    }
    if (SIM_FILES == found) {
        found = find_file(space, 0, 0);
        if (SIM_FILES == found) {
            fprintf(stderr, "lustresim: more than %d files\n", SIM_FILES);
            abort();
        }
        space->file[found].device = device;
        space->file[found].inode = inode;
        space->file[found].birth = birth;
        space->file[found].layout.count = 0;
    }
    sim_leave(space);
    return found;
}

static int fill_component(sim_space_t *space, sim_component_t *component)
{
    const sim_config_t *config = &space->config;

    if (0 == component->stripe_size) {
        component->stripe_size = config->default_stripe_size;
    }
    if (0 != component->stripe_size % 65536 || UINT32_MAX < component->stripe_size) {
        return -EINVAL;
    }
    if (0 == component->stripe_count) {
        component->stripe_count = config->default_stripes;
    }
    if (SIM_OSTS < component->stripe_count) { /* also -1 = all */
        component->stripe_count = SIM_OSTS;
    }
    if (UINT32_MAX == component->first_ost) {
        component->first_ost = space->next_ost;
        space->next_ost = (space->next_ost + component->stripe_count) % SIM_OSTS;
    }
    return SIM_OSTS <= component->first_ost ? -EINVAL : 0;
}

static int set_layout(sim_space_t *space, sim_file_t *file, const sim_layout_t *wanted)
{
    sim_layout_t layout = *wanted;

    if (0 != file->layout.count) {
        return -EEXIST;
    }
    if (0 == layout.count || SIM_COMPONENTS < layout.count) {
        return -EINVAL;
    }
    for (uint32_t c = 0; c < layout.count; ++c) {
        sim_component_t *component = &layout.component[c];
        sim_component_t filled = *component;
        int rc = fill_component(space, &filled);

        if (0 != rc) {
            return rc;
        }
        component->empty = layout.composite && 0 != component->start;
        if (!component->empty) {
            *component = filled;
        }
    }
    file->layout = layout;
    return 0;
}

/* The mirror that is written and read: the first that is not stale. */
static uint32_t mirror_in_use(const sim_layout_t *layout)
{
    uint32_t mirror = 0;

    for (uint32_t c = 0; c < layout->count; ++c) {
        if (mirror == layout->component[c].mirror && layout->component[c].stale) {
            ++mirror;
        }
    }
    return mirror;
}

void sim_file_instantiate(sim_space_t *space, uint32_t file, uint64_t start, uint64_t end)
{
    sim_layout_t *layout = &space->file[file].layout;
    uint32_t mirror;

    sim_enter(space);
    mirror = mirror_in_use(layout);
    for (uint32_t c = 0; c < layout->count; ++c) {
        sim_component_t *component = &layout->component[c];

        if (mirror != component->mirror) {
            component->stale = 1;
        } else if (component->empty && start < component->end && component->start <= end) {
            component->empty = 0;
            (void) fill_component(space, component);
        }
    }
    sim_leave(space);
}

int sim_file_set_layout(sim_space_t *space, uint32_t file, const sim_layout_t *wanted)
{
    int rc;

    sim_enter(space);
    rc = set_layout(space, &space->file[file], wanted);
    sim_leave(space);
    return rc;
}

bool sim_file_has_layout(sim_space_t *space, uint32_t file)
{
    bool has;

    sim_enter(space);
    has = 0 != space->file[file].layout.count;
    sim_leave(space);
    return has;
}

void sim_file_layout(sim_space_t *space, uint32_t file, sim_layout_t *layout)
{
    sim_layout_t preset = {.count = 1, .component = {{.end = SIM_EOF, .first_ost = UINT32_MAX}}};

    sim_enter(space);
    if (0 == space->file[file].layout.count) {
        preset.component[0].stripe_count = space->config.dir_stripes;
        preset.component[0].stripe_size = space->config.dir_stripe_size;
        (void) set_layout(space, &space->file[file], &preset);
    }
    *layout = space->file[file].layout;
    sim_leave(space);
}

/* The lowest object byte of stripe i that is at or above file byte b; and the highest at or below
 * it (-1 if none, as the unsigned wrap-around that the caller's comparison rejects). */
static uint64_t object_above(const sim_component_t *c, uint32_t i, uint64_t b)
{
    uint64_t width = c->stripe_size * c->stripe_count;
    uint64_t row = b / width;
    uint64_t rest = b % width;

    if (rest <= i * c->stripe_size) {
        return row * c->stripe_size;
    }
    if (rest >= (i + 1) * c->stripe_size) {
        return (row + 1) * c->stripe_size;
    }
    return row * c->stripe_size + rest - i * c->stripe_size;
}

static bool object_below(const sim_component_t *c, uint32_t i, uint64_t b, uint64_t *object)
{
    uint64_t width = c->stripe_size * c->stripe_count;
    uint64_t row = b / width;
    uint64_t rest = b % width;

    if (SIM_EOF == b) {
        *object = SIM_EOF;
        return true;
    }
    if (rest < i * c->stripe_size) {
        *object = row * c->stripe_size - 1;
        return 0 < row;
    }
    if (rest >= (i + 1) * c->stripe_size) {
        *object = (row + 1) * c->stripe_size - 1;
        return true;
    }
    *object = row * c->stripe_size + rest - i * c->stripe_size;
    return true;
}

size_t sim_spans(const sim_layout_t *layout, uint64_t start, uint64_t end,
                 sim_span_t span[SIM_OBJECTS])
{
    uint32_t mirror = mirror_in_use(layout);
    size_t count = 0;

    for (uint32_t n = 0; n < layout->count; ++n) {
        const sim_component_t *c = &layout->component[n];
        uint64_t lo = start > c->start ? start : c->start;
        uint64_t hi = SIM_EOF == c->end || end < c->end ? end : c->end - 1;

        if (c->empty || c->on_mdt || mirror != c->mirror) {
            continue;
        }
        for (uint32_t i = 0; c->start < c->end && lo <= hi && i < c->stripe_count; ++i) {
            sim_span_t *s = &span[count];

            s->object = n * SIM_STRIPES + i;
            s->ost = (c->first_ost + i) % SIM_OSTS;
            s->start = object_above(c, i, lo);
            if (object_below(c, i, hi, &s->end) && s->start <= s->end) {
                ++count;
            }
        }
    }
    return count;
}

void sim_log_advice(sim_space_t *space, const sim_log_t *entry)
{
    sim_enter(space);
    if (SIM_LOG > space->log_count) {
        space->log[space->log_count++] = *entry;
    }
    sim_leave(space);
}
