/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LUSTRESIM_PRELOAD_H
#define LUSTRESIM_PRELOAD_H

#include "../../../ioprof/record/plain_libc.h"

#include "sim_manager.h"

#include <dlfcn.h>
#include <stdint.h>
#include <sys/types.h>

/** An open file description of a simulated file; descriptors made by dup share it. */
typedef struct sim_open_t {
    uint32_t references;
    uint32_t file;
    uint32_t client;
    bool no_expand;
    bool append;
    bool write;       /* opened for writing */
    uint32_t evicted; /* evictions of the client that this file knows of */
    bool lost;        /* dirty data were lost: the next write or fsync says so */
    size_t dirty_count, dirty_room;
    struct sim_range_t {
        uint64_t start, length;
    } * dirty;    /* written since the last fsync */
    uint32_t gid; /* 0 = holds no group lock */
    size_t group_count;
    uint32_t group_object[SIM_OBJECTS];
    int32_t group_lock[SIM_OBJECTS];
} sim_open_t;

/** The space, or NULL when LUSTRESIM_DIR is not set. */
sim_space_t *sim_space(void);
/** The next definition of a libc function. */
void *sim_next(const char *name);
#define SIM_REAL(name)                                  \
    (__extension__({                                    \
        static __typeof__(&name) real;                  \
        if (NULL == real) {                             \
            real = (__typeof__(&name)) sim_next(#name); \
        }                                               \
        real;                                           \
    }))

/** The description behind a descriptor, or NULL if it is no file of ours. */
sim_open_t *sim_open_of(int fd);
/** `path` (as given) was opened as `fd` with `flags`: remembers it if it is below LUSTRESIM_DIR. */
void sim_opened(int fd, const char *path, int flags);
void sim_duplicated(int from, int to);
void sim_closed(int fd);
/** The description is not used any more: gives its group lock back. */
void sim_group_unlock(sim_open_t *open);
/** When the file behind a path (relative to `dir`; empty: `dir` itself) was made. */
uint64_t sim_birth(int dir, const char *path);
/** True if the resolved path is below LUSTRESIM_DIR. */
bool sim_inside(const char *path);

/** Locks held by one I/O call. */
typedef struct sim_held_t {
    sim_open_t *open;
    size_t count;
    sim_span_t span[SIM_OBJECTS];
    int32_t lock[SIM_OBJECTS];
    struct sim_range_t wrote; /* what becomes dirty when the last part is done */
    bool last;
} sim_held_t;

/** Locks [offset, offset + length) for I/O (length < 0: to the end of the file) and models the time
 *  that the transfer takes, with the locks held. Returns 0, or
 *  -errno of an I/O that must fail. */
int sim_io_begin(sim_held_t *held, int fd, off_t offset, int64_t length, sim_mode_t mode);
/** The I/O is done: the locks go back to the cache. */
void sim_io_end(sim_held_t *held);

/** fsync: dirty data are safe now. 0, or -EIO if some were lost. */
int sim_sync(int fd);

/** Faults of this process, from its environment: an errno, or 0. */
int sim_fault_close(int fd);
int sim_fault_advice(void);
/** True if this call is interrupted; sets errno. */
bool sim_fault_interrupt(bool simulated);

/** ioctl on a simulated file. Sets errno and returns -1, or a result. */
int sim_ioctl(sim_open_t *open, int fd, unsigned long request, void *argument);

#endif /* LUSTRESIM_PRELOAD_H */
