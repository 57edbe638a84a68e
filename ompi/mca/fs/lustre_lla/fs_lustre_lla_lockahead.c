/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Lockahead requests.
 *
 * Servers grow a writer's lock over everything that is free, so two writers of one object take it
 * from each other all the time. Here growth is switched off, and each client asks in advance for
 * exactly the locks it will use:
 *
 *   global   [-------- my file domain --------]     one request; one lock per object it touches
 *   stripe   [-----][-----][-----][-----][----]     one request per stripe, up to 1023 in a call
 *   cycle    [------------]                         the window that is accessed now; asynchronous:
 *                                                   the one behind it
 *   element  [--]   [-]  [---]                      each transfer of an individual call
 *   view     [--]   [-]  [---]  [--]   [-]  [---]   each piece of a view, when it is set
 *
 * Synchronous requests take conflicting locks away from others and always end with the lock.
 * Asynchronous ones arrive later, so only what is not accessed at once is asked for in that way
 * (`now` of the request). They are dropped on a conflict, and nobody is told; that one was dropped
 * shows only when the same piece is asked for again and is "sent" again. An asynchronous request
 * that covers several stripes stops at the first one whose lock is already there: then its stripes
 * are asked for one by one.
 *
 * Where a component has no objects yet, a request succeeds without a lock: it is not made, and
 * counted as what it is. The first write instantiates the component; later requests are made.
 *
 * Nothing in here fails: an access without its lock in advance gets it the ordinary way. An error
 * is counted; several in a row end the requests of this rank for the file. Growth stays off, or
 * this rank's locks would take everybody else's away.
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
    FAILURES_MOST = 8,     /* in a row; then requests end */
    GROUP_ID = 0x636c6c61, /* of the lock that clears caches; any number does */
    KERNEL_ENOTSUPP = 524  /* what clients before 2.16 give instead of EOPNOTSUPP */
};

#define COUNT(file, name, n)                                                                    \
    do {                                                                                        \
        unsigned long long added = (unsigned long long) (n);                                    \
        atomic_fetch_add_explicit(&(file)->counters.name, added, memory_order_relaxed);         \
        atomic_fetch_add_explicit(&mca_fs_lustre_lla_totals.name, added, memory_order_relaxed); \
    } while (0)

static struct llapi_lu_ladvise advice(int64_t first, int64_t last, bool write, bool async)
{
    struct llapi_lu_ladvise one;

    memset(&one, 0, sizeof(one));
    one.lla_advice = LU_LADVISE_LOCKAHEAD;
    one.lla_lockahead_mode = write ? MODE_WRITE_USER : MODE_READ_USER;
    one.lla_peradvice_flags = async ? LF_ASYNC : 0;
    one.lla_start = (uint64_t) first;
    one.lla_end = (uint64_t) last; /* the last byte, whatever the manual page says */
    return one;
}

int mca_fs_lustre_lla_lockahead_noexpand(int fd, bool on)
{
    struct llapi_lu_ladvise one;

    memset(&one, 0, sizeof(one));
    one.lla_advice = LU_LADVISE_LOCKNOEXPAND;
    one.lla_peradvice_flags = on ? 0 : LF_UNSET;
    /* alone in its call: what follows it in an array is ignored */
    return collio_llapi_ladvise(fd, 1, &one);
}

static bool unsupported(int error)
{
    return EOPNOTSUPP == error || KERNEL_ENOTSUPP == error || ENOTTY == error;
}

/* LOCKNOEXPAND succeeds even where the servers cannot do it, and then every access fails; so a
 * lockahead request has to succeed first. */
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

/* A group lock conflicts with every other lock, so taking it calls all of them back. O_NONBLOCK:
 * an application that holds a group lock itself must not stop the open. */
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

/* Requests end on this rank; what ranks agreed on stays. Growth comes back only where the servers
 * cannot do without: there every access would fail. */
static void give_up(mca_fs_lustre_lla_file_t *file, int error)
{
    if (atomic_exchange(&file->dead, true)) {
        return;
    }
    if (unsupported(error) && atomic_exchange(&file->noexpand, false)) {
        (void) mca_fs_lustre_lla_lockahead_noexpand(file->fd, false);
    }
    collio_help("fs/lustre_lla", file->name, file->rank, COLLIO_HELP_LOCKAHEAD_FAILED,
                strerror(error));
}

/* Threads that failed before the advice was gone wait here, and then try again as well. */
bool mca_fs_lustre_lla_lockahead_withdraw(collio_lockahead_t *self, int error)
{
    mca_fs_lustre_lla_file_t *file = (mca_fs_lustre_lla_file_t *) self;
    bool again;

    if (!unsupported(error)) {
        return false;
    }
    pthread_mutex_lock(&file->mutex);
    if (atomic_exchange(&file->noexpand, false)) {
        file->withdrawn = 0 == mca_fs_lustre_lla_lockahead_noexpand(file->fd, false);
        collio_help("fs/lustre_lla", file->name, file->rank, COLLIO_HELP_NOEXPAND, strerror(error));
    }
    again = file->withdrawn;
    pthread_mutex_unlock(&file->mutex);
    return again;
}

static int compare(const void *key, const void *element)
{
    const collio_extent_t *a = key;
    const collio_extent_t *b = element;

    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return (a->length > b->length) - (a->length < b->length);
}

/** One request of a caller. */
typedef struct batch_t {
    mca_fs_lustre_lla_file_t *file; /* the file */
    bool write;                     /* locks for writing */
    bool async;                     /* the request does not wait for the locks */
    collio_extent_t *sent;          /* asynchronous requests without a result */
    size_t sent_count;              /* number of entries in `sent` */
} batch_t;

/* Asynchronous results. What was sent is kept: the next request is compared with it. */
static void count_results(batch_t *batch, const struct llapi_lu_ladvise *list, int count)
{
    mca_fs_lustre_lla_file_t *file = batch->file;

    for (int i = 0; i < count; ++i) {
        collio_extent_t piece = {.offset = (int64_t) list[i].lla_start,
                                 .length = (int64_t) (list[i].lla_end - list[i].lla_start)};

        if (LLA_RESULT_SAME == list[i].lla_lockahead_result) {
            COUNT(file, same, 1);
            continue;
        }
        if (LLA_RESULT_DIFFERENT == list[i].lla_lockahead_result) {
            COUNT(file, different, 1);
            continue;
        }
        if (0 < file->asked_count
            && NULL != bsearch(&piece, file->asked, file->asked_count, sizeof(piece), compare)) {
            COUNT(file, denied, 1);
        } else {
            COUNT(file, sent, 1);
        }
        if (COLLIO_LLAPI_ADVICES_MAX > batch->sent_count) {
            batch->sent[batch->sent_count++] = piece;
        }
    }
}

static void count_failure(mca_fs_lustre_lla_file_t *file, int error)
{
    COUNT(file, errors, 1);
    if (unsupported(error) || FAILURES_MOST <= atomic_fetch_add(&file->failures, 1) + 1) {
        give_up(file, error);
    }
}

/* One ladvise call. False if it failed. */
static bool ask(mca_fs_lustre_lla_file_t *file, struct llapi_lu_ladvise *list, int count)
{
    uint64_t start = collio_now();
    int error = -collio_llapi_ladvise(file->fd, count, list);

    COUNT(file, time_ns, collio_now() - start);
    COUNT(file, calls, 1);
    COUNT(file, advices, count);
    if (0 == error) {
        atomic_store(&file->failures, 0);
    } else if (EAGAIN == error) { /* refused, but nothing is wrong */
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

/* Components that were written to meanwhile have objects. The client caches the layout, so
 * this costs no message. */
static void look_for_objects(mca_fs_lustre_lla_file_t *file)
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
                                      const collio_extent_t *ranges, size_t count,
                                      mca_fs_lustre_lla_cut_mode_t mode)
{
    return (mca_fs_lustre_lla_cut_t){.part = file->layout.part,
                                     .part_count = (size_t) file->layout.part_count,
                                     .range = ranges,
                                     .range_count = count,
                                     .page_bytes = (int64_t) sysconf(_SC_PAGESIZE),
                                     .mode = mode};
}

static void ask_all(batch_t *batch, mca_fs_lustre_lla_cut_t cut);

/* Of the requests that stopped at a lock that was already there, the stripes one by one. */
static void ask_by_stripes(batch_t *batch, const struct llapi_lu_ladvise *list, int count)
{
    const mca_fs_lustre_lla_file_t *file = batch->file;

    for (int i = 0; i < count; ++i) {
        int64_t first = (int64_t) list[i].lla_start, last = (int64_t) list[i].lla_end;
        collio_extent_t range = {.offset = first, .length = last - first + 1};

        if (LLA_RESULT_SENT != list[i].lla_lockahead_result
            && !mca_fs_lustre_lla_cut_is_single(file->layout.part, (size_t) file->layout.part_count,
                                                first, last)) {
            ask_all(batch, cut_of(file, &range, 1, MCA_FS_LUSTRE_LLA_CUT_OBJECTS));
        }
    }
}

static void flush(batch_t *batch, struct llapi_lu_ladvise *list, int count, bool whole_ranges)
{
    mca_fs_lustre_lla_file_t *file = batch->file;

    if (0 == count || atomic_load(&file->dead) || !ask(file, list, count)) {
        return;
    }
    if (!batch->async) {
        COUNT(file, granted, count);
        return;
    }
    count_results(batch, list, count);
    if (whole_ranges) {
        ask_by_stripes(batch, list, count);
    }
}

/* Requests all pieces of a cut, up to the limit of the interface in a call. */
static void ask_all(batch_t *batch, mca_fs_lustre_lla_cut_t cut)
{
    struct llapi_lu_ladvise list[COLLIO_LLAPI_ADVICES_MAX];
    bool whole_ranges = MCA_FS_LUSTRE_LLA_CUT_NONE == cut.mode;
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
            flush(batch, list, count, whole_ranges);
            count = 0;
        }
    }
    flush(batch, list, count, whole_ranges);
}

/* What was sent is what the next request is compared with. */
static void remember(mca_fs_lustre_lla_file_t *file, batch_t *batch)
{
    free(file->asked);
    file->asked = batch->sent;
    file->asked_count = batch->sent_count;
    qsort(file->asked, file->asked_count, sizeof(*file->asked), compare);
}

void mca_fs_lustre_lla_lockahead_request(collio_lockahead_t *self, const collio_extent_t *ranges,
                                         size_t count, bool write, bool now)
{
    mca_fs_lustre_lla_file_t *file = (mca_fs_lustre_lla_file_t *) self;
    bool stripes = COLLIO_LOCKAHEAD_STRIPE == self->collective && 0 < file->layout.part_count;
    mca_fs_lustre_lla_cut_t cut = cut_of(
        file, ranges, count, stripes ? MCA_FS_LUSTRE_LLA_CUT_STRIPES : MCA_FS_LUSTRE_LLA_CUT_NONE);
    batch_t batch = {.file = file, .write = write, .async = self->async && !now};

    if (0 == count || atomic_load(&file->dead)) {
        return;
    }
    look_for_objects(file);
    if (!batch.async) {
        ask_all(&batch, cut);
        return;
    }
    batch.sent = malloc(COLLIO_LLAPI_ADVICES_MAX * sizeof(*batch.sent));
    if (NULL == batch.sent) {
        COUNT(file, errors, 1);
        return;
    }
    pthread_mutex_lock(&file->mutex);
    ask_all(&batch, cut);
    remember(file, &batch);
    pthread_mutex_unlock(&file->mutex);
}
