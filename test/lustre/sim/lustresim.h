/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LUSTRESIM_H
#define LUSTRESIM_H

/**
 * The user-space Lustre: what its three parts share. README.md beside this file says what is
 * modelled, and where each rule comes from.
 *
 *   liblustreapi.so.1   llapi_* calls, made of open(2) and ioctl(2) like the real library
 *   liblustresim.so     preloaded: gives files below LUSTRESIM_DIR layouts, locks and ioctls
 *   lustresim           prints and resets counters, locks and the log of advices
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioctl.h>

enum {
    SIM_COMPONENTS = 4, /* of a layout */
    SIM_STRIPES = 32,   /* of a component */
    SIM_OBJECTS = SIM_COMPONENTS * SIM_STRIPES,
    SIM_FILES = 512,
    SIM_CLIENTS = 512,
    SIM_LOCKS = 1 << 16,
    SIM_LOG = 1 << 14,
    SIM_OSTS = 4,
    SIM_PAGE = 4096
};
#define SIM_EOF UINT64_MAX

typedef struct sim_component_t {
    uint64_t start; /* of the file, in bytes */
    uint64_t end;   /* exclusive; SIM_EOF = no end */
    uint64_t stripe_size;
    uint32_t stripe_count;
    uint32_t first_ost;
    uint32_t mirror; /* 0, 1, ... */
    uint32_t empty;  /* not instantiated: no objects yet, values may be abstract */
    uint32_t stale;  /* of a mirror that missed a write */
    uint32_t on_mdt; /* Data-on-MDT: no objects on OSTs, no extent locks */
    char pool[16];
} sim_component_t;

typedef struct sim_layout_t {
    uint32_t count; /* 0 = not set yet */
    uint32_t composite;
    sim_component_t component[SIM_COMPONENTS];
} sim_layout_t;

/* What liblustreapi asks the preloaded library for; a kernel without it answers ENOTTY. */
#define SIM_IOC_GET_LAYOUT _IOR('f', 240, long)
#define SIM_IOC_SET_LAYOUT _IOW('f', 241, long)

typedef enum sim_mode_t { SIM_READ = 1, SIM_WRITE = 2, SIM_GROUP = 3 } sim_mode_t;

/* clang-format off: a table */
/* Counters are only ever added to; `lustresim DIR reset` clears them. */
#define SIM_COUNTERS(X)                                                                     \
    X(enqueues)         /* lock requests that went to a server */                           \
    X(matches)          /* lock requests served from the client's own cache */              \
    X(expanded)         /* grants larger than asked for */                                  \
    X(revocations)      /* blocking callbacks: locks called back for another client */      \
    X(completions)      /* completion callbacks: a request that had to wait was granted */  \
    X(self_revocations) /* locks called back for the holder's own request */                \
    X(waits)            /* requests that had to wait for running I/O or a group lock */     \
    X(denied)           /* asynchronous lockahead requests dropped because of a conflict */ \
    X(in_flight)        /* requests that met the client's own lock on its way to it */      \
    X(rpcs)             /* messages: enqueue, callbacks, cancel, glimpse */                 \
    X(glimpses)         /* questions for an object's size */                                \
    X(advices)          /* lockahead advices */                                             \
    X(advice_calls)     /* ladvise calls with at least one lockahead advice */              \
    X(advice_errors)    /* ladvise calls that failed */                                     \
    X(noexpand)         /* descriptors set to no expansion */                               \
    X(group_locks)                                                                          \
    X(writes) /* write calls that took locks */                                             \
    X(reads)                                                                                \
    X(refused)   /* writes refused by quota or by a full OST */                             \
    X(evictions) /* clients thrown out: a lock not given back in time, or `evict` */        \
    X(lost)      /* bytes of dirty data that went with an eviction */

typedef struct sim_counters_t {
#define X(name) uint64_t name;
    SIM_COUNTERS(X)
#undef X
} sim_counters_t;

/* clang-format on */

/** One lockahead advice as it arrived. */
typedef struct sim_log_t {
    uint32_t client;
    uint32_t file;
    uint64_t start;
    uint64_t end; /* as given: the last byte */
    uint16_t mode;
    uint16_t async;
    int32_t result; /* LLA_RESULT_*, or a negative errno */
} sim_log_t;

#endif /* LUSTRESIM_H */
