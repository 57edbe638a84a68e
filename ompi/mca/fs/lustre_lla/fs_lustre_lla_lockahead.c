/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Lock-ahead requests.
 *
 * Problem: servers expand a writer's lock over all free bytes, so two writers of one object revoke
 * each other's locks all the time.
 * Method: expansion is switched off, and each client requests in advance exactly the locks that it
 * will use:
 *
 *   global   [-------- my file domain --------]     one request; one lock per object it touches
 *   stripe   [-----][-----][-----][-----][----]     one request per stripe, up to 1023 in a call;
 *                                                   one request for a part with one object
 *   cycle    [------------]                         the window of the next access; asynchronous:
 *                                                   the window after it
 *   element  [--]   [-]  [---]                      each piece of an individual call
 *   view     [--]   [-]  [---]  [--]   [-]  [---]   each piece of a view, when it is set
 *
 * Synchronous requests revoke conflicting locks of other clients and always end with the lock.
 * Locks of asynchronous requests arrive later, so only ranges that are not accessed at once are
 * requested asynchronously (`now` of the request). Servers drop an asynchronous request on a
 * conflict without a report. An asynchronous request that covers several stripes stops at the first
 * stripe whose lock the client has: then its stripes are requested one by one.
 *
 * If a component has no objects yet, a request would succeed without a lock, so it is counted but
 * not made. The first write instantiates the component; later requests are made.
 *
 * No function fails: an access without its lock in advance gets the lock in the ordinary way. An
 * error is counted; several in a row end the requests of this rank for the file. Expansion stays
 * off; otherwise this rank's locks would revoke the locks of all others.
 */

#include "fs_lustre_lla.h"
#include "fs_lustre_lla_cut.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ompi/mca/common/collio/compat/clock.h"
#include "ompi/mca/common/collio/help/help.h"

enum {
    FAILURES_MAX = 8,      /* consecutive failures that end the requests */
    GROUP_ID = 0x636c6c61, /* arbitrary number of the group lock that clears caches */
    KERNEL_ENOTSUPP = 524  /* errno of clients before 2.16 instead of EOPNOTSUPP */
};

#define COUNT(file, name, n) count_to(file, MCA_FS_LUSTRE_LLA_##name, n)

static void count_to(mca_fs_lustre_lla_file_t *file, int counter, int64_t n)
{
    __atomic_fetch_add(&file->counters[counter], (uint64_t) n, __ATOMIC_RELAXED);
}

static struct llapi_lu_ladvise advice(int64_t first, int64_t last, bool write, bool async)
{
    struct llapi_lu_ladvise one;

    memset(&one, 0, sizeof(one));
    one.lla_advice = LU_LADVISE_LOCKAHEAD;
    one.lla_lockahead_mode = write ? MODE_WRITE_USER : MODE_READ_USER;
    one.lla_peradvice_flags = async ? LF_ASYNC : 0;
    one.lla_start = (uint64_t) first;
    one.lla_end = (uint64_t) last; /* inclusive, unlike in the manual page */
    return one;
}

int mca_fs_lustre_lla_lockahead_noexpand(int fd, bool on)
{
    struct llapi_lu_ladvise one;

    memset(&one, 0, sizeof(one));
    one.lla_advice = LU_LADVISE_LOCKNOEXPAND;
    one.lla_peradvice_flags = on ? 0 : LF_UNSET;
    /* one advice per call: advices after this one in an array would be ignored */
    return collio_llapi_ladvise(fd, 1, &one);
}

static bool unsupported(int error)
{
    return EOPNOTSUPP == error || KERNEL_ENOTSUPP == error || ENOTTY == error;
}

/* LOCKNOEXPAND succeeds even if the servers do not support it, and then every access fails; so a
 * lock-ahead request must succeed first. */
const char *mca_fs_lustre_lla_lockahead_probe(int fd)
{
    const collio_llapi_t *api = collio_llapi();
    struct llapi_lu_ladvise one = advice(0, (int64_t) sysconf(_SC_PAGESIZE) - 1, false, true);
    int error;

    if (!api->has_lockahead) {
        return api->origin;
    }
    error = -collio_llapi_ladvise(fd, 1, &one);
    switch (error) {
    case 0:
        return NULL;
    case EOPNOTSUPP:
    case KERNEL_ENOTSUPP:
        return "the servers or this client cannot do it (Lustre 2.11 and later can)";
    case ENOTTY:
        return "this is not a file of a Lustre client";
    default:
        return strerror(error);
    }
}

/* A group lock conflicts with every other lock, so it revokes all of them. O_NONBLOCK: an
 * application that holds a group lock itself must not block the open. */
bool mca_fs_lustre_lla_lockahead_clear(int fd)
{
    const collio_llapi_t *api = collio_llapi();
    int flags = fcntl(fd, F_GETFL);
    bool cleared = false;

    if (0 > flags || 0 != fcntl(fd, F_SETFL, flags | O_NONBLOCK)) {
        return false;
    }
    if (0 == api->group_lock(fd, GROUP_ID)) {
        cleared = 0 == api->group_unlock(fd, GROUP_ID);
    }
    (void) fcntl(fd, F_SETFL, flags);
    return cleared;
}

/* Ends the requests of this rank; agreed values stay. Switches expansion on again only if the
 * servers do not support LOCKNOEXPAND, because every access would fail. */
static void stop_requests(mca_fs_lustre_lla_file_t *file, int error)
{
    if (atomic_exchange(&file->dead, true)) {
        return;
    }
    if (unsupported(error) && atomic_exchange(&file->noexpand, false)) {
        (void) mca_fs_lustre_lla_lockahead_noexpand(file->fd, false);
    }
    collio_help_rank("fs/lustre_lla", file->name, file->rank, COLLIO_HELP_LOCKAHEAD_FAILED,
                     strerror(error));
}

/* Threads whose access failed before the advice was withdrawn wait for the mutex, and then also
 * repeat their access. */
bool mca_fs_lustre_lla_lockahead_withdraw(void *self, int error)
{
    mca_fs_lustre_lla_file_t *file = self;
    bool again;

    if (!unsupported(error)) {
        return false;
    }
    pthread_mutex_lock(&file->mutex);
    if (atomic_exchange(&file->noexpand, false)) {
        file->withdrawn = 0 == mca_fs_lustre_lla_lockahead_noexpand(file->fd, false);
        collio_help_rank("fs/lustre_lla", file->name, file->rank, COLLIO_HELP_NOEXPAND,
                         strerror(error));
    }
    again = file->withdrawn;
    pthread_mutex_unlock(&file->mutex);
    return again;
}

/** One request of a caller. */
typedef struct batch_t {
    mca_fs_lustre_lla_file_t *file; /* the file */
    bool write;                     /* locks for writing */
    bool async;                     /* the request does not wait for the locks */
} batch_t;

static void count_results(mca_fs_lustre_lla_file_t *file, const struct llapi_lu_ladvise *list,
                          int count)
{
    for (int i = 0; i < count; ++i) {
        if (LLA_RESULT_SAME == list[i].lla_lockahead_result) {
            COUNT(file, same, 1);
        } else if (LLA_RESULT_DIFFERENT == list[i].lla_lockahead_result) {
            COUNT(file, different, 1);
        } else {
            COUNT(file, sent, 1);
        }
    }
}

static void count_failure(mca_fs_lustre_lla_file_t *file, int error)
{
    COUNT(file, errors, 1);
    if (unsupported(error) || FAILURES_MAX <= atomic_fetch_add(&file->failures, 1) + 1) {
        stop_requests(file, error);
    }
}

/* Makes one ladvise call. Returns false if the call failed. */
static bool call_ladvise(mca_fs_lustre_lla_file_t *file, struct llapi_lu_ladvise *list, int count)
{
    uint64_t start = collio_now();
    int error = -collio_llapi_ladvise(file->fd, count, list);

    COUNT(file, time_ns, (int64_t) (collio_now() - start));
    COUNT(file, calls, 1);
    COUNT(file, advices, count);
    if (0 == error) {
        atomic_store(&file->failures, 0);
    } else if (EAGAIN == error) { /* refused, but not an error */
        COUNT(file, denied, count);
    } else {
        count_failure(file, error);
    }
    return 0 == error;
}

static bool has_no_object(mca_fs_lustre_lla_file_t *file, int64_t offset)
{
    uint32_t empty = atomic_load(&file->empty);
    int part;

    if (0 == empty) {
        return false;
    }
    part = mca_fs_lustre_lla_cut_part(file->layout.part, (size_t) file->layout.part_count, offset);
    return 0 <= part && 0 != (empty & 1u << part);
}

/* Updates `empty`: components that were written meanwhile have objects. The client caches the
 * layout, so the update costs no message. */
static void refresh_objects(mca_fs_lustre_lla_file_t *file)
{
    collio_lustre_layout_t now;

    if (0 != atomic_load(&file->empty)) {
        collio_lustre_read(file->fd, NULL, &now);
        if (now.part_count == file->layout.part_count) {
            atomic_store(&file->empty, now.empty);
        }
    }
}

static mca_fs_lustre_lla_cut_t cut_of(const mca_fs_lustre_lla_file_t *file,
                                      const collio_extent_t *ranges, size_t count, bool stripes)
{
    return (mca_fs_lustre_lla_cut_t){.part = file->layout.part,
                                     .part_count = (size_t) file->layout.part_count,
                                     .range = ranges,
                                     .range_count = count,
                                     .page_bytes = (int64_t) sysconf(_SC_PAGESIZE),
                                     .stripes = stripes};
}

static void request_all(batch_t *batch, mca_fs_lustre_lla_cut_t cut);

/* Requests stripes one by one for the requests that stopped at a lock that the client has. */
static void request_by_stripes(batch_t *batch, const struct llapi_lu_ladvise *list, int count)
{
    const mca_fs_lustre_lla_file_t *file = batch->file;

    for (int i = 0; i < count; ++i) {
        int64_t first = (int64_t) list[i].lla_start, last = (int64_t) list[i].lla_end;
        collio_extent_t range = {.offset = first, .length = last - first + 1};

        if (LLA_RESULT_SENT != list[i].lla_lockahead_result
            && !mca_fs_lustre_lla_cut_is_single(file->layout.part, (size_t) file->layout.part_count,
                                                first, last)) {
            request_all(batch, cut_of(file, &range, 1, true));
        }
    }
}

static void lla_flush(batch_t *batch, struct llapi_lu_ladvise *list, int count, bool stripes)
{
    mca_fs_lustre_lla_file_t *file = batch->file;

    if (0 == count || atomic_load(&file->dead) || !call_ladvise(file, list, count)) {
        return;
    }
    if (!batch->async) {
        COUNT(file, granted, count);
        return;
    }
    count_results(file, list, count);
    if (!stripes) {
        request_by_stripes(batch, list, count);
    }
}

/* Requests all pieces of a cut; each call has as many as the interface allows. */
static void request_all(batch_t *batch, mca_fs_lustre_lla_cut_t cut)
{
    struct llapi_lu_ladvise list[COLLIO_LLAPI_ADVICES_MAX];
    int64_t first, last;
    int count = 0;

    while (mca_fs_lustre_lla_cut_next(&cut, &first, &last)) {
        if (has_no_object(batch->file, first)) {
            COUNT(batch->file, no_object, 1);
            continue;
        }
        list[count++] = advice(first, last, batch->write, batch->async);
        COUNT(batch->file, bytes, last - first + 1);
        if (COLLIO_LLAPI_ADVICES_MAX == count) {
            lla_flush(batch, list, count, cut.stripes);
            count = 0;
        }
    }
    lla_flush(batch, list, count, cut.stripes);
}

void mca_fs_lustre_lla_lockahead_request(collio_lockahead_t *self, const collio_extent_t *ranges,
                                         size_t count, bool write, bool now)
{
    mca_fs_lustre_lla_file_t *file = (mca_fs_lustre_lla_file_t *) self;
    batch_t batch = {.file = file, .write = write, .async = !now};

    if (0 < count && !atomic_load(&file->dead)) {
        refresh_objects(file);
        request_all(&batch,
                    cut_of(file, ranges, count, COLLIO_LOCKAHEAD_STRIPE == self->collective));
    }
}
