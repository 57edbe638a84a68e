/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FS_LUSTRE_LLA_H
#define MCA_FS_LUSTRE_LLA_H

#include "ompi/mca/common/collio/access/lockahead.h"
#include "ompi/mca/common/collio/compat/compat.h"
#include "ompi/mca/common/collio/report/report_out.h"
#include "ompi/mca/common/collio/settings/hints.h"
#include "ompi/mca/common/collio/settings/striping.h"
#include "ompi/mca/common/collio/stripes/stripes_lustre.h"

#include "ompi/mca/fs/base/base.h"
#include "ompi/mca/fs/fs.h"

#include <pthread.h>
#include <stdatomic.h>

/**
 * fs/lustre_lla: files on Lustre, with lock-ahead. The component creates files with the stripes of
 * the hints, reads the layout of every file, and requests locks before accesses use them. fcolls
 * and fbtl/mtpwrite call it through fh->f_fs_ptr (common/collio/access/lockahead.h).
 */
extern mca_fs_base_component_2_0_0_t mca_fs_lustre_lla_component;
extern mca_fs_base_module_1_0_0_t mca_fs_lustre_lla_module;

enum { MCA_FS_LUSTRE_LLA_AUTO = -1 }; /* a value in addition to collio_lockahead_mode_t */

/** Parameters fs_lustre_lla_<name> and hints collio_<name>; the table in component.c describes
 *  each. */
typedef struct mca_fs_lustre_lla_settings_t {
    int collective;                      /* AUTO, or a collio_lockahead_mode_t */
    int individual;                      /* AUTO, or a collio_lockahead_mode_t */
    int async;                           /* COLLIO_SETTING_AUTO, _ON or _OFF */
    bool noexpand;                       /* servers do not expand the locks of plain accesses */
    bool clear_locks;                    /* an open drops the locks that clients hold */
    int report;                          /* format of the report: collio_report_mode_t */
    char report_file[COLLIO_TEXT_BYTES]; /* file that reports are appended to; "": stderr */
    int priority;                        /* priority among the fs components */
    char pool[COLLIO_TEXT_BYTES];        /* OST pool of new files; "": none */
} mca_fs_lustre_lla_settings_t;

/** Resolves the settings of a file: parameters, then hints; the same on all ranks. A wrong hint is
 *  reported once and ignored. Collective over f_comm. */
void mca_fs_lustre_lla_settings_resolve(ompio_file_t *fh, opal_info_t *info,
                                        mca_fs_lustre_lla_settings_t *settings);
/** Returns the name of a lock-ahead mode. */
const char *mca_fs_lustre_lla_mode_name(int mode);

/** Counters of lock-ahead requests: name, unit, help. The performance variables
 *  `fs_lustre_lla_<name>` are sums over files. */
#define MCA_FS_LUSTRE_LLA_COUNTERS(X)                                                          \
    X(calls, COUNT, "ladvise calls with lock-ahead requests")                                  \
    X(advices, COUNT, "lock-ahead requests")                                                   \
    X(granted, COUNT, "synchronous lock-ahead requests whose lock was granted")                \
    X(no_object, COUNT, "ranges that have no objects on OSTs yet, so no lock was requested")   \
    X(sent, COUNT, "asynchronous lock-ahead requests that were sent; the result is unknown")   \
    X(same, COUNT, "asynchronous lock-ahead requests for an extent that was already locked")   \
    X(different, COUNT, "asynchronous lock-ahead requests inside a larger lock that was held") \
    X(denied, COUNT, "lock-ahead requests that the servers refused with EAGAIN")               \
    X(errors, COUNT, "ladvise calls with lock-ahead requests that failed")                     \
    X(bytes, BYTES, "data that locks were requested for")                                      \
    X(time_ns, TIME, "time inside ladvise calls with lock-ahead requests")

/** The indices of the counters. */
enum {
#define X(name, unit, help) MCA_FS_LUSTRE_LLA_##name,
    MCA_FS_LUSTRE_LLA_COUNTERS(X)
#undef X
        MCA_FS_LUSTRE_LLA_COUNTER_COUNT
};

/** The counters of all files of this process. */
extern collio_counters_t mca_fs_lustre_lla_counters;

/** The record of an open file, in f_fs_ptr. */
typedef struct mca_fs_lustre_lla_file_t {
    collio_lockahead_t lockahead;          /* interface for fcolls and fbtl; first member */
    mca_fs_lustre_lla_settings_t settings; /* settings in use */
    collio_lustre_layout_t layout;         /* layout of the file at the open */
    uint64_t counters[MCA_FS_LUSTRE_LLA_COUNTER_COUNT]; /* counters of the file; threads add */
    collio_tally_t tally;                               /* `counters` in those of all files */
    const char *name;                                   /* name of the file, owned by the handle */
    int fd;                                             /* descriptor of the file */
    int rank;                                           /* this rank in f_comm */
    bool cleared;                                       /* cached locks were cleared at open */
    _Atomic bool noexpand;                              /* LOCKNOEXPAND is on */
    _Atomic bool dead;      /* lock-ahead failed for good: no more requests */
    _Atomic int failures;   /* consecutive ladvise calls that failed */
    _Atomic uint32_t empty; /* layout.empty, kept up to date */
    pthread_mutex_t mutex;  /* protects `withdrawn` */
    bool withdrawn;         /* LOCKNOEXPAND was on, and an access failed with it */
} mca_fs_lustre_lla_file_t;

/** Root rank: checks whether lock-ahead works on this file. Returns NULL, or the reason why not. */
const char *mca_fs_lustre_lla_lockahead_probe(int fd);
/** Root rank, before others open: revokes the locks of all clients on the file. Returns true if
 *  that succeeded. */
bool mca_fs_lustre_lla_lockahead_clear(int fd);
/** Every rank, on its own descriptor: switches LOCKNOEXPAND on or off. Returns 0 or -errno. */
int mca_fs_lustre_lla_lockahead_noexpand(int fd, bool on);
/** collio_lockahead_t.request */
void mca_fs_lustre_lla_lockahead_request(collio_lockahead_t *self, const collio_extent_t *ranges,
                                         size_t count, bool write, bool now);
/** collio_lockahead_t.withdraw */
bool mca_fs_lustre_lla_lockahead_withdraw(void *self, int error);

/** Prints the file's table on the root rank. Collective. */
void mca_fs_lustre_lla_report(ompio_file_t *fh, const mca_fs_lustre_lla_file_t *file);

/** Returns the path after an optional "lustre:" prefix. */
const char *mca_fs_lustre_lla_plain_path(const char *filename);
/** Verbose level 1: the component serves the file. */
void mca_fs_lustre_lla_show_selected(const ompio_file_t *fh);

#endif /* MCA_FS_LUSTRE_LLA_H */
