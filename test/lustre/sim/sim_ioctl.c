/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * The ioctls of a simulated file, and the locks of its I/O.
 *
 * ladvise goes through the array in order: LOCKNOEXPAND ends it, LOCKAHEAD asks for one span after
 * the other and stops at the first that the client already has, the first error ends it. I/O goes
 * stripe by stripe, each under its own lock, as Lustre's clients do.
 */

#include "sim_preload.h"

#include "lustre/lustreapi.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t dirty_mutex = PTHREAD_MUTEX_INITIALIZER; /* of every file's dirty ranges */

static int lockahead(sim_open_t *open, struct llapi_lu_ladvise *advice)
{
    sim_space_t *space = sim_space();
    sim_request_t request = {.client = open->client, .file = open->file, .no_expand = true};
    sim_span_t span[SIM_OBJECTS];
    sim_layout_t layout;
    size_t count;
    int result = LLA_RESULT_SENT;

    if (0 != (advice->lla_peradvice_flags & ~(uint32_t) LF_ASYNC)
        || MODE_READ_USER > advice->lla_lockahead_mode
        || MODE_WRITE_USER < advice->lla_lockahead_mode || advice->lla_start >= advice->lla_end) {
        return -EINVAL;
    }
    if (1 != space->config.lockahead) {
        return space->config.lockahead;
    }
    result = -sim_fault_advice();
    if (0 != result) {
        return result;
    }
    request.mode = MODE_WRITE_USER == advice->lla_lockahead_mode ? SIM_WRITE : SIM_READ;
    request.speculative = 0 != (advice->lla_peradvice_flags & LF_ASYNC);
    sim_file_layout(space, open->file, &layout);
    /* by page, both inclusive */
    count = sim_spans(&layout, advice->lla_start & ~(uint64_t) (SIM_PAGE - 1),
                      advice->lla_end | (SIM_PAGE - 1), span);
    for (size_t s = 0; s < count && LLA_RESULT_SENT == result; ++s) {
        result = sim_lockahead(space, &request, &span[s]);
    }
    SIM_COUNT(space, advices, 1);
    return result;
}

static int logged_lockahead(sim_open_t *open, struct llapi_lu_ladvise *advice)
{
    int result = lockahead(open, advice);
    sim_log_t entry = {.client = open->client,
                       .file = open->file,
                       .start = advice->lla_start,
                       .end = advice->lla_end,
                       .mode = advice->lla_lockahead_mode,
                       .async = 0 != (advice->lla_peradvice_flags & LF_ASYNC),
                       .result = result};

    sim_log_advice(sim_space(), &entry);
    if (0 <= result) {
        advice->lla_lockahead_result = (uint32_t) result;
    }
    return result;
}

static int ladvise(sim_open_t *open, struct llapi_ladvise_hdr *header)
{
    int result = 0;

    if (LADVISE_MAGIC != header->lah_magic || 0 == header->lah_count) {
        return -EINVAL;
    }
    if (LAH_COUNT_MAX <= header->lah_count) {
        return -EFBIG;
    }
    if (LU_LADVISE_LOCKAHEAD == header->lah_advise[0].lla_advice) {
        SIM_COUNT(sim_space(), advice_calls, 1);
    }
    for (uint32_t i = 0; i < header->lah_count && 0 <= result; ++i) {
        struct llapi_lu_ladvise *advice = &header->lah_advise[i];

        switch (advice->lla_advice) {
        case LU_LADVISE_LOCKNOEXPAND:
            if (0 != (advice->lla_peradvice_flags & ~(uint32_t) LF_UNSET)) {
                return -EINVAL;
            }
            open->no_expand = 0 == (advice->lla_peradvice_flags & LF_UNSET);
            if (open->no_expand) {
                SIM_COUNT(sim_space(), noexpand, 1);
            }
            return 0; /* what follows in the array is not looked at */
        case LU_LADVISE_LOCKAHEAD:
            result = logged_lockahead(open, advice);
            break;
        case LU_LADVISE_WILLREAD:
        case LU_LADVISE_DONTNEED:
            result = 0;
            break;
        default:
            result = -EOPNOTSUPP;
        }
    }
    return result;
}

void sim_group_unlock(sim_open_t *open)
{
    for (size_t s = 0; s < open->group_count; ++s) {
        sim_unlock(sim_space(), open->file, open->group_object[s], open->group_lock[s]);
    }
    open->group_count = 0;
    open->gid = 0;
}

static int group_lock(sim_open_t *open, int fd, uint32_t gid)
{
    sim_space_t *space = sim_space();
    sim_request_t request = {.client = open->client,
                             .file = open->file,
                             .mode = SIM_GROUP,
                             .gid = gid,
                             .no_wait = 0 != (fcntl(fd, F_GETFL) & O_NONBLOCK)};
    sim_span_t span[SIM_OBJECTS];
    sim_layout_t layout;
    size_t count;

    if (0 == gid || 0 != open->gid) {
        return -EINVAL;
    }
    sim_file_layout(space, open->file, &layout);
    sim_file_instantiate(space, open->file, 0, SIM_EOF);
    sim_file_layout(space, open->file, &layout);
    count = sim_spans(&layout, 0, SIM_EOF, span);
    for (size_t s = 0; s < count; ++s) {
        int32_t lock;

        span[s].start = 0;
        span[s].end = SIM_EOF;
        lock = sim_lock(space, &request, &span[s]);
        if (0 > lock) {
            sim_group_unlock(open);
            return lock;
        }
        open->group_object[open->group_count] = span[s].object;
        open->group_lock[open->group_count++] = lock;
    }
    open->gid = gid;
    SIM_COUNT(space, group_locks, 1);
    return 0;
}

static int dispatch(sim_open_t *open, int fd, unsigned long request, void *argument)
{
    switch (request) {
    case LL_IOC_LADVISE:
        return ladvise(open, argument);
    case LL_IOC_GROUP_LOCK:
        return group_lock(open, fd, (uint32_t) (uintptr_t) argument);
    case LL_IOC_GROUP_UNLOCK:
        if (0 == open->gid || open->gid != (uint32_t) (uintptr_t) argument) {
            return -EINVAL;
        }
        sim_group_unlock(open);
        return 0;
    case SIM_IOC_GET_LAYOUT:
        if (!sim_file_has_layout(sim_space(), open->file)) {
            return -ENODATA;
        }
        sim_file_layout(sim_space(), open->file, argument);
        return 0;
    case SIM_IOC_SET_LAYOUT:
        return sim_file_set_layout(sim_space(), open->file, argument);
    default:
        return -ENOTTY;
    }
}

int sim_ioctl(sim_open_t *open, int fd, unsigned long request, void *argument)
{
    int rc = dispatch(open, fd, request, argument);

    if (0 > rc) {
        if (LL_IOC_LADVISE == request) {
            SIM_COUNT(sim_space(), advice_errors, 1);
        }
        errno = -rc;
        return -1;
    }
    return rc;
}

/* Bytes go straight to the real file, so what an evicted client loses is taken back: it reads as
 * zeros, as if it had never left the client's cache. */
static void lose_if_evicted(sim_open_t *open, int fd)
{
    sim_space_t *space = sim_space();
    char zeros[4096] = {0};

    if (open->evicted == space->evicted[open->client]) {
        return;
    }
    pthread_mutex_lock(&dirty_mutex);
    open->evicted = space->evicted[open->client];
    for (size_t d = 0; d < open->dirty_count; ++d) {
        uint64_t at = open->dirty[d].start;
        uint64_t end = at + open->dirty[d].length;

        SIM_COUNT(space, lost, end - at);
        while (at < end) {
            uint64_t part = end - at < sizeof(zeros) ? end - at : sizeof(zeros);

            if (0 >= SIM_REAL(pwrite)(fd, zeros, part, (off_t) at)) {
                break;
            }
            at += part;
        }
        open->lost = true;
    }
    open->dirty_count = 0;
    pthread_mutex_unlock(&dirty_mutex);
}

int sim_sync(int fd)
{
    sim_open_t *open = sim_open_of(fd);
    bool lost;

    if (NULL == open) {
        return 0;
    }
    lose_if_evicted(open, fd);
    pthread_mutex_lock(&dirty_mutex);
    lost = open->lost;
    open->lost = false;
    open->dirty_count = 0;
    pthread_mutex_unlock(&dirty_mutex);
    return lost ? -EIO : 0;
}

/* The end of the part of [start, end] that Lustre accesses in one go: where a component has several
 * stripes, up to the end of a stripe. */
static uint64_t chunk_end(const sim_layout_t *layout, uint64_t start, uint64_t end)
{
    for (uint32_t n = 0; n < layout->count; ++n) {
        const sim_component_t *c = &layout->component[n];

        if (c->start <= start && start < c->end && 0 != c->stripe_size) {
            uint64_t stripe = (start / c->stripe_size + 1) * c->stripe_size - 1;

            end = 1 < c->stripe_count && stripe < end ? stripe : end;
            return SIM_EOF != c->end && c->end - 1 < end ? c->end - 1 : end;
        }
    }
    return end;
}

static bool touches_mdt(const sim_layout_t *layout, uint64_t start, uint64_t end)
{
    for (uint32_t n = 0; n < layout->count; ++n) {
        const sim_component_t *c = &layout->component[n];

        if (c->on_mdt && c->start <= end && start < c->end) {
            return true;
        }
    }
    return false;
}

static void hold(sim_held_t *held, const sim_request_t *request, const sim_layout_t *layout,
                 uint64_t start, uint64_t end)
{
    held->count = sim_spans(layout, start, end, held->span);
    for (size_t s = 0; s < held->count && 0 == held->open->gid; ++s) {
        held->lock[s] = sim_lock(sim_space(), request, &held->span[s]);
    }
}

int sim_io_begin(sim_held_t *held, int fd, off_t offset, int64_t length, sim_mode_t mode)
{
    sim_space_t *space = sim_space();
    sim_open_t *open = sim_open_of(fd);
    uint64_t start = (uint64_t) offset;
    uint64_t end = 0 > length ? SIM_EOF : start + (uint64_t) length - 1;
    sim_request_t request = {.mode = mode};
    sim_layout_t layout;
    int rc = 0;

    *held = (sim_held_t){.open = NULL};
    if (NULL == open || 0 == length || 0 > offset) {
        return 0;
    }
    lose_if_evicted(open, fd);
    held->open = open;
    if (SIM_WRITE == mode) {
        SIM_COUNT(space, writes, 1);
    } else {
        SIM_COUNT(space, reads, 1);
    }
    if (open->no_expand && 1 != space->config.lockahead) {
        return -EOPNOTSUPP;
    }
    sim_file_layout(space, open->file, &layout);
    if (open->no_expand && 0 < length && touches_mdt(&layout, start, end)) {
        return -EOPNOTSUPP;
    }
    if (SIM_WRITE == mode && 0 < length) {
        sim_file_instantiate(space, open->file, start, end);
        sim_file_layout(space, open->file, &layout);
        rc = open->lost ? -EIO : sim_charge(space, open->client, &layout, start, end);
        open->lost = false;
        if (0 != rc) {
            return rc;
        }
        held->wrote = (struct sim_range_t){start, (uint64_t) length};
    }
    request.client = open->client;
    request.file = open->file;
    request.no_expand = open->no_expand;
    if (0 > length || (SIM_WRITE == mode && open->append)) { /* all at once, to the end */
        hold(held, &request, &layout, 0 > length ? start : 0, SIM_EOF);
        return 0;
    }
    for (;;) {
        uint64_t stop = chunk_end(&layout, start, end);

        hold(held, &request, &layout, start, stop);
        for (size_t s = 0; s < held->count; ++s) {
            sim_clock_transfer(space, open->client, &held->span[s],
                               0 == open->gid ? held->lock[s] : -1, SIM_WRITE == mode);
        }
        if (stop == end) {
            held->last = true;
            return 0; /* the last lock is held while the bytes really move */
        }
        sim_io_end(held);
        start = stop + 1;
    }
}

static void make_dirty(sim_open_t *open, struct sim_range_t range)
{
    pthread_mutex_lock(&dirty_mutex);
    if (open->dirty_count == open->dirty_room) {
        size_t room = 2 * open->dirty_room + 64;
        struct sim_range_t *larger = realloc(open->dirty, room * sizeof(*larger));

        if (NULL == larger) {
            abort();
        }
        open->dirty = larger;
        open->dirty_room = room;
    }
    open->dirty[open->dirty_count++] = range;
    pthread_mutex_unlock(&dirty_mutex);
}

void sim_io_end(sim_held_t *held)
{
    if (NULL != held->open && 0 < held->wrote.length && held->last) {
        make_dirty(held->open, held->wrote);
    }
    for (size_t s = 0; NULL != held->open && 0 == held->open->gid && s < held->count; ++s) {
        sim_unlock(sim_space(), held->open->file, held->span[s].object, held->lock[s]);
    }
    held->count = 0;
}
