/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FS_LUSTRE_LLA_INTERNAL_H
#define MCA_FS_LUSTRE_LLA_INTERNAL_H

#include "fs_lustre_lla.h"

#include "fs_lustre_lla_cut.h"

#include "ompi/mca/common/collio/access/lockahead.h"
#include "ompi/mca/common/collio/settings/hints.h"
#include "ompi/mca/common/collio/settings/striping.h"
#include "ompi/mca/common/collio/stripes/stripes_lustre.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MCA_FS_LUSTRE_LLA_AUTO = -1 }; /* beside collio_lockahead_mode_t */

/** What can be said by parameter, or by hint for one file. */
typedef struct mca_fs_lustre_lla_settings_t {
    int collective; /* AUTO, or a collio_lockahead_mode_t */
    int individual;
    bool async;
    bool noexpand;
    bool clear_locks;
    int report; /* collio_report_mode_t */
    char report_file[COLLIO_TEXT_BYTES];
    int priority;
    char pool[COLLIO_TEXT_BYTES];
} mca_fs_lustre_lla_settings_t;

extern mca_fs_lustre_lla_settings_t mca_fs_lustre_lla_parameters;

/** The settings of a file: parameters, then hints; the same on all ranks. A wrong hint is told once
 *  and left out. Collective over f_comm. */
void mca_fs_lustre_lla_settings_resolve(ompio_file_t *fh, opal_info_t *info,
                                        mca_fs_lustre_lla_settings_t *settings);
const char *mca_fs_lustre_lla_mode_name(int mode);

/** What became of the lockahead requests: name, unit, help. As pvars `fs_lustre_lla_<name>`, summed
 *  over files. */
#define MCA_FS_LUSTRE_LLA_COUNTERS(X)                                                          \
    X(calls, COUNT, "ladvise calls with lock-ahead requests [count]")                          \
    X(advices, COUNT, "lock-ahead requests [count]")                                           \
    X(granted, COUNT, "synchronous lock-ahead requests whose lock was granted [count]")        \
    X(no_object, COUNT,                                                                        \
      "ranges that have no objects on OSTs yet, so no lock was requested [count]")             \
    X(sent, COUNT,                                                                             \
      "asynchronous lock-ahead requests that were sent; the result is unknown [count]")        \
    X(same, COUNT,                                                                             \
      "asynchronous lock-ahead requests for an extent that was already locked [count]")        \
    X(different, COUNT,                                                                        \
      "asynchronous lock-ahead requests inside a larger lock that was held [count]")           \
    X(denied, COUNT,                                                                           \
      "asynchronous lock-ahead requests sent again because the first was not granted [count]") \
    X(errors, COUNT, "ladvise calls with lock-ahead requests that failed [count]")             \
    X(bytes, BYTES, "data that locks were requested for [bytes]")                              \
    X(time_ns, NS, "time inside ladvise calls with lock-ahead requests [nanoseconds]")

typedef struct mca_fs_lustre_lla_counters_t {
#define X(name, unit, help) _Atomic unsigned long long name;
    MCA_FS_LUSTRE_LLA_COUNTERS(X)
#undef X
} mca_fs_lustre_lla_counters_t;

extern mca_fs_lustre_lla_counters_t mca_fs_lustre_lla_totals;

/** What hangs on f_fs_ptr while the file is open. */
typedef struct mca_fs_lustre_lla_file_t {
    collio_lockahead_t lockahead;          /* first: this is what others see */
    mca_fs_lustre_lla_settings_t settings; /* in force */
    collio_lustre_layout_t layout;
    mca_fs_lustre_lla_counters_t counters;
    const char *name; /* of the file, owned by the handle */
    int fd;
    int rank;
    bool cleared;           /* cached locks were cleared at open */
    _Atomic bool noexpand;  /* LOCKNOEXPAND is on */
    bool withdrawn;         /* it was on, and is off because an access failed; under `mutex` */
    _Atomic bool dead;      /* lockahead failed for good: nothing is asked for any more */
    _Atomic int failures;   /* ladvise calls that failed, one after the other */
    _Atomic uint32_t empty; /* layout.empty as it is now: writes instantiate components */
    pthread_mutex_t mutex;  /* of the asynchronous requests that were sent last, and `withdrawn` */
    collio_extent_t *asked;
    size_t asked_count;
} mca_fs_lustre_lla_file_t;

/** Root rank: does lockahead work on this file? NULL, or why not. */
const char *mca_fs_lustre_lla_lockahead_probe(int fd);
/** Root rank, before others open: takes every client's locks on the file away. Tells whether. */
bool mca_fs_lustre_lla_lockahead_clear(int fd);
/** Every rank, on its own descriptor: no expansion. 0 or -errno. */
int mca_fs_lustre_lla_lockahead_noexpand(int fd, bool on);
/** collio_lockahead_t.request */
void mca_fs_lustre_lla_lockahead_request(collio_lockahead_t *self, const collio_extent_t *ranges,
                                         size_t count, bool write, bool now);

/** collio_lockahead_t.withdraw */
bool mca_fs_lustre_lla_lockahead_withdraw(collio_lockahead_t *self, int error);

/** Prints the file's table on the root rank. Collective. */
void mca_fs_lustre_lla_report(ompio_file_t *fh, mca_fs_lustre_lla_file_t *file);

/** The path behind an optional "lustre:" prefix. */
const char *mca_fs_lustre_lla_plain_path(const char *filename);

#endif /* MCA_FS_LUSTRE_LLA_INTERNAL_H */
