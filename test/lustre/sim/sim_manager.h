/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LUSTRESIM_MANAGER_H
#define LUSTRESIM_MANAGER_H

#include "lustresim.h"

#include <pthread.h>

/**
 * The lock manager: all OSTs' extent locks and all clients' lock caches, in one file mapped by
 * every process (LUSTRESIM_DIR/.lustresim), so that ranks in other containers take part too.
 * A lock is at the same time the server's granted lock and the entry in its holder's cache.
 */

typedef struct sim_lock_t {
    uint64_t start; /* object bytes, whole pages, both inclusive */
    uint64_t end;
    uint32_t client;
    uint32_t mode;
    uint32_t gid;      /* group locks */
    uint32_t users;    /* I/O running under it */
    uint32_t called;   /* called back: no new users, freed with the last one */
    uint64_t clean_ns; /* modelled: nothing is left to do under it then */
    uint64_t here_ns;  /* CLOCK_MONOTONIC: the client cannot use it before */
    int32_t next;      /* in the object's list, or in the free list; -1 ends */
} sim_lock_t;

typedef struct sim_file_t {
    uint64_t device; /* 0 and 0: free */
    uint64_t inode;
    uint64_t birth; /* tells a removed file from the next one with its inode; 0 = not known */
    sim_layout_t layout;
    int32_t locks[SIM_OBJECTS];     /* heads of the lists */
    uint64_t freed_ns[SIM_OBJECTS]; /* modelled: when the last lock was given back */
} sim_file_t;

typedef struct sim_config_t {
    uint32_t default_stripes;
    uint64_t default_stripe_size;
    uint32_t rpc_us;        /* modelled time of one message; 0 = none */
    uint32_t client_us_mib; /* modelled time of 1 MiB through one client's link */
    uint32_t ost_us_mib;    /* modelled time of 1 MiB through one OST, one after the other */
    uint32_t async_us;      /* until a lock that was asked for asynchronously can be used */
    uint32_t dir_stripes;   /* default layout of the directory, 0 = that of the file system */
    uint64_t dir_stripe_size;
    uint64_t quota_bytes; /* 0 = none */
    uint64_t grant_bytes; /* what a client may cache although the quota is used up */
    uint64_t ost_bytes;   /* room of an OST, 0 = no limit */
    int32_t lockahead;    /* 1, or the negative errno of servers without it */
} sim_config_t;

typedef struct sim_space_t {
    uint64_t magic;
    pthread_mutex_t mutex;
    sim_config_t config;
    sim_counters_t counters;
    uint64_t client_ns[SIM_CLIENTS]; /* modelled time of each client */
    uint64_t ost_ns[SIM_OSTS];       /* modelled: the OST works until then */
    uint64_t used_bytes;             /* written since the last reset: what quota counts */
    uint64_t used_ost[SIM_OSTS];
    uint64_t used_grant[SIM_CLIENTS];
    uint32_t evicted[SIM_CLIENTS]; /* how often */
    uint32_t next_ost;             /* where the next file begins */
    int32_t free_lock;
    uint32_t log_count;
    char client[SIM_CLIENTS][64];
    sim_file_t file[SIM_FILES];
    sim_lock_t lock[SIM_LOCKS];
    sim_log_t log[SIM_LOG];
} sim_space_t;

/** Maps the control file of `dir`, made and configured from the environment if it is not there.
 *  NULL and errno on failure. */
sim_space_t *sim_attach(const char *dir);
void sim_reset(sim_space_t *space, bool locks_too);

/** Around everything that reads or changes the space. */
void sim_enter(sim_space_t *space);
void sim_leave(sim_space_t *space);

/** The number of a client, by name. */
uint32_t sim_client(sim_space_t *space, const char *name);

/** The file of (device, inode, time of birth): found, or made without a layout. */
uint32_t sim_file(sim_space_t *space, uint64_t device, uint64_t inode, uint64_t birth);
/** The file was removed. Not if the inode is another file's by now. */
void sim_file_forget(sim_space_t *space, uint64_t device, uint64_t inode, uint64_t birth);
/** Gives a file its layout; defaults are filled in. 0, -EEXIST or -EINVAL. */
int sim_file_set_layout(sim_space_t *space, uint32_t file, const sim_layout_t *wanted);
/** Gives components that [start, end] touches their objects; a write makes other mirrors stale. */
void sim_file_instantiate(sim_space_t *space, uint32_t file, uint64_t start, uint64_t end);
bool sim_file_has_layout(sim_space_t *space, uint32_t file);
/** The file's layout; one without gets the default one. */
void sim_file_layout(sim_space_t *space, uint32_t file, sim_layout_t *layout);

/** A part of one object that a range of the file covers; bytes, inclusive. */
typedef struct sim_span_t {
    uint32_t object;
    uint32_t ost;
    uint64_t start;
    uint64_t end;
} sim_span_t;

/** Cuts [start, end] of a file in spans, ascending by object; at most SIM_OBJECTS. Of mirrors, the
 *  first that is not stale. Components without objects on OSTs have no spans. */
size_t sim_spans(const sim_layout_t *layout, uint64_t start, uint64_t end,
                 sim_span_t span[SIM_OBJECTS]);

/** How a lock is asked for. */
typedef struct sim_request_t {
    uint32_t client;
    uint32_t file;
    sim_mode_t mode;
    uint32_t gid;
    bool no_expand;
    bool speculative; /* never waits, calls nobody back */
    bool no_wait;     /* gives -EAGAIN instead of waiting for a group lock */
} sim_request_t;

/** Takes a lock on a span and holds it: from the client's cache, or from the server. Returns the
 *  lock's number or -EAGAIN. */
int32_t sim_lock(sim_space_t *space, const sim_request_t *request, const sim_span_t *span);
/** I/O under the lock is over; the lock stays in the cache (group locks are given back). */
void sim_unlock(sim_space_t *space, uint32_t file, uint32_t object, int32_t lock);

/** One lockahead of one span: LLA_RESULT_*. */
int sim_lockahead(sim_space_t *space, const sim_request_t *request, const sim_span_t *span);

/** Counts the messages that a question for the size costs. */
void sim_glimpse(sim_space_t *space, uint32_t client, uint32_t file);
/* Modelled time (sim_clock.c). The first four are called inside the mutex. */
void sim_clock_reset(sim_space_t *space);
/** A client waits for messages, one after the other. */
void sim_clock_messages(sim_space_t *space, uint32_t client, uint64_t in_turn);
/** A client goes on when it is `ns`, or now if that is later. */
void sim_clock_wait(sim_space_t *space, uint32_t client, uint64_t ns);
/** When everything is done. */
uint64_t sim_clock_end(const sim_space_t *space);
/** A transfer of a span, under a lock (-1: a group lock). Writers wait for their link, unless too
 *  much waits at the OST; readers wait for the OST. */
void sim_clock_transfer(sim_space_t *space, uint32_t client, const sim_span_t *span, int32_t lock,
                        bool write);
/** Real time follows: sleeps as long as the client's clock has moved since it was `before`. */
void sim_clock_pace(const sim_space_t *space, uint32_t client, uint64_t before);

/* Limits and faults (sim_limits.c). */
/** Charges a write to quota and OSTs. 0, -EDQUOT or -ENOSPC. */
int sim_charge(sim_space_t *space, uint32_t client, const sim_layout_t *layout, uint64_t start,
               uint64_t end);
/** Throws a client out: its locks are gone, and so are its dirty data. Inside the mutex. */
void sim_evict(sim_space_t *space, uint32_t client);

void sim_log_advice(sim_space_t *space, const sim_log_t *entry);

#define SIM_COUNT(space, name, n) __atomic_add_fetch(&(space)->counters.name, (n), __ATOMIC_RELAXED)

#endif /* LUSTRESIM_MANAGER_H */
