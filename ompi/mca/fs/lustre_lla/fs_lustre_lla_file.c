/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Opening, closing, and the small operations.
 *
 *   root   open (striping from hints) | read layout | probe lockahead | clear locks
 *     |                                                                     \
 *   bcast: error, layout, what works                                         v
 *   others                                                              open
 *   all    memory for the file
 *   all    allreduce: an error anywhere, or a node without the library
 *   all    LOCKNOEXPAND on the own descriptor; struct on f_fs_ptr
 *
 * Cached locks are cleared before any other rank has the file open, so no rank of the job can have
 * new locks. A rank that fails still takes part in the allreduce, so all ranks return the same
 * error; no step after the allreduce can fail.
 */

#include "fs_lustre_lla.h"

#include "ompi/mca/common/collio/compat/repeat.h"
#include "ompi/mca/common/collio/compat/verbose.h"
#include "ompi/mca/common/collio/help/help.h"
#include "ompi/mca/common/collio/ompio/open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Result of the root's open, broadcast to all ranks. */
typedef struct verdict_t {
    int32_t error;                 /* errno of the root's open */
    int32_t lockahead;             /* lock-ahead works on the file */
    int32_t cleared;               /* cached locks were cleared */
    collio_lustre_layout_t layout; /* layout of the file */
    collio_stripes_t used;         /* stripes that the file was created with */
} verdict_t;

/* "/here/lustre:there" becomes "/here/there", "/here/lustre:/there" becomes "/there". Works in
 * place, because a rank without memory would leave the other ranks waiting in the open. */
static void cut_prefix(char *full, const char *filename, const char *plain)
{
    size_t given = strlen(filename);
    size_t length = strlen(full);
    char *at = full;

    if (length < given || 0 != strcmp(full + length - given, filename)) {
        return;
    }
    if ('/' != *plain) {
        at = full + length - given;
    }
    memmove(at, full + length - strlen(plain), strlen(plain) + 1);
}

/* Clears f_fs_ptr, because some callers do not, and removes the "lustre:" prefix, which serves only
 * to select a component. */
static int lustre_module_init(ompio_file_t *fh)
{
    const char *plain = mca_fs_lustre_lla_plain_path(fh->f_filename);

    fh->f_fstype = LUSTRE;
    fh->f_fs_ptr = NULL;
    if (plain != fh->f_filename && MPI_COMM_NULL != fh->f_comm) {
        cut_prefix(fh->f_fullfilename, fh->f_filename, plain);
        fh->f_filename = plain;
    }
    mca_fs_lustre_lla_show_selected(fh);
    return OMPI_SUCCESS;
}

/* Opens the file; a new file gets the stripes of the hints. Returns a descriptor or -errno. */
static int lustre_open_striped(ompio_file_t *fh, const char *path, int amode, opal_info_t *info,
                               collio_stripes_t *used)
{
    collio_stripes_t wanted;
    const char *why_not;
    int fd;

    collio_striping_wanted(info, "fs/lustre_lla", used);
    wanted = *used;
    fd = collio_stripes_open(path, amode, mca_fs_base_get_file_perm(fh), used, &why_not);
    if (0 <= fd && NULL != why_not) {
        collio_help("fs/lustre_lla", path, COLLIO_HELP_STRIPING, why_not,
                    '\0' == wanted.pool[0] ? "" : "; collio_pool is ", wanted.pool);
    }
    return fd;
}

static void open_root(ompio_file_t *fh, const char *path, int amode, opal_info_t *info,
                      const mca_fs_lustre_lla_settings_t *settings, verdict_t *verdict)
{
    const char *why_not;

    fh->fd = lustre_open_striped(fh, path, amode, info, &verdict->used);
    if (0 > fh->fd) {
        verdict->error = -fh->fd;
        fh->fd = -1;
        return;
    }
    collio_lustre_read(fh->fd, path, &verdict->layout);
    if (COLLIO_LOCKAHEAD_OFF == settings->collective
        && COLLIO_LOCKAHEAD_OFF == settings->individual) {
        return;
    }
    why_not = mca_fs_lustre_lla_lockahead_probe(fh->fd);
    if (NULL != why_not) {
        collio_help("fs/lustre_lla", path, COLLIO_HELP_NO_LOCKAHEAD, why_not);
        return;
    }
    verdict->lockahead = 1;
    /* Locks of readers do not conflict: clearing would only empty caches. A group lock would
     * instantiate all components of a composite layout. */
    verdict->cleared = settings->clear_locks && O_RDONLY != (amode & O_ACCMODE)
                       && !verdict->layout.composite && mca_fs_lustre_lla_lockahead_clear(fh->fd);
}

/* Returns the largest errno of all ranks; *lockahead = all ranks have lock-ahead. Collective. */
static int lustre_agree(ompio_file_t *fh, int error, bool *lockahead)
{
    int mine[2] = {error, !*lockahead};
    int all[2] = {0, 1};

    if (OMPI_SUCCESS != collio_allreduce(mine, all, 2, MPI_INT, MPI_MAX, fh->f_comm)) {
        return EIO;
    }
    *lockahead = 0 == all[1];
    return all[0];
}

static int in_force(int wanted, int preset, bool possible)
{
    if (!possible) {
        return COLLIO_LOCKAHEAD_OFF;
    }
    return MCA_FS_LUSTRE_LLA_AUTO == wanted ? preset : wanted;
}

/* True if requests in this mode may be asynchronous. auto: not in `global` and `stripe`, where the
 * authors of lock-ahead found no gain, and where a dropped request costs a large range. */
static bool asynchronous(int setting, collio_lockahead_mode_t mode)
{
    bool pays = COLLIO_LOCKAHEAD_GLOBAL != mode && COLLIO_LOCKAHEAD_STRIPE != mode;

    return COLLIO_LOCKAHEAD_OFF != mode
           && (COLLIO_SETTING_AUTO == setting ? pays : COLLIO_SETTING_ON == setting);
}

/* Fills the record of the file. Cannot fail: the ranks have agreed. */
static void file_init(mca_fs_lustre_lla_file_t *file, ompio_file_t *fh,
                      const mca_fs_lustre_lla_settings_t *settings, const verdict_t *verdict)
{
    file->settings = *settings;
    file->layout = verdict->layout;
    file->cleared = verdict->cleared;
    file->fd = fh->fd;
    file->name = fh->f_filename;
    file->rank = fh->f_rank;
    atomic_store(&file->empty, verdict->layout.empty);
    pthread_mutex_init(&file->mutex, NULL);
    file->lockahead.request = mca_fs_lustre_lla_lockahead_request;
    file->lockahead.withdraw = mca_fs_lustre_lla_lockahead_withdraw;
    file->lockahead.collective = in_force(settings->collective, COLLIO_LOCKAHEAD_GLOBAL,
                                          verdict->lockahead);
    file->lockahead.individual = in_force(settings->individual, COLLIO_LOCKAHEAD_ELEMENT,
                                          verdict->lockahead);
    file->lockahead.async_collective = asynchronous(settings->async, file->lockahead.collective);
    file->lockahead.async_individual = asynchronous(settings->async, file->lockahead.individual);
    file->noexpand = verdict->lockahead && settings->noexpand && !verdict->layout.on_mdt
                     && 0 == mca_fs_lustre_lla_lockahead_noexpand(fh->fd, true);
}

/* Sets f_stripe_size, f_stripe_count, and the hints for MPI_File_get_info. */
static void lustre_publish(ompio_file_t *fh, opal_info_t *info, const verdict_t *verdict)
{
    const collio_lustre_layout_t *layout = &verdict->layout;
    collio_stripes_t has = COLLIO_STRIPES_NONE;
    int64_t unit = collio_lustre_unit(layout);

    if (0 < layout->part_count) {
        has.count = layout->part[layout->part_count - 1].stripe_count;
        has.bytes = layout->part[layout->part_count - 1].stripe_bytes;
    }
    fh->f_stripe_size = (size_t) unit;
    fh->f_stripe_count = 0 < has.count ? (int) has.count : 1;
    fh->f_fs_block_size = INT32_MAX < unit ? INT32_MAX : (int) unit;
    collio_striping_publish(info, &has, &verdict->used);
}

/* Opens the file on all ranks. Returns 0 or an errno, the same on all ranks; after an error no rank
 * has the file open. */
static int open_all(ompio_file_t *fh, const char *path, int amode, opal_info_t *info,
                    const mca_fs_lustre_lla_settings_t *settings, bool have_memory,
                    verdict_t *verdict)
{
    bool lockahead;
    int error;

    fh->fd = -1;
    if (OMPIO_ROOT == fh->f_rank) {
        open_root(fh, path, amode, info, settings, verdict);
    }
    if (OMPI_SUCCESS != collio_bcast(verdict, (int) sizeof(*verdict), MPI_BYTE, fh->f_comm)) {
        verdict->error = EIO; /* communication failed, so lustre_agree() fails, too */
    }
    error = verdict->error;
    if (0 == error && !have_memory) {
        error = ENOMEM;
    }
    if (0 == error && OMPIO_ROOT != fh->f_rank) {
        fh->fd = collio_stripes_open_plain(path, amode, mca_fs_base_get_file_perm(fh));
        error = 0 > fh->fd ? -fh->fd : 0;
    }
    lockahead = verdict->lockahead && collio_llapi()->has_lockahead;
    error = lustre_agree(fh, error, &lockahead);
    if (0 != error && 0 <= fh->fd) {
        close(fh->fd);
        fh->fd = -1;
    }
    if (0 == error && verdict->lockahead && !lockahead && OMPIO_ROOT == fh->f_rank) {
        collio_help("fs/lustre_lla", path, COLLIO_HELP_NO_LOCKAHEAD,
                    "a node has no liblustreapi with lock-ahead");
    }
    verdict->lockahead = lockahead;
    return error;
}

static int lustre_file_open(struct ompi_communicator_t *comm, const char *filename, int access_mode,
                            struct opal_info_t *info, ompio_file_t *fh)
{
    const char *path = mca_fs_lustre_lla_plain_path(filename);
    int amode = mca_fs_base_get_file_amode(fh->f_rank, access_mode);
    mca_fs_lustre_lla_settings_t settings;
    verdict_t verdict = {.error = 0};
    mca_fs_lustre_lla_file_t *file = calloc(1, sizeof(*file));
    int error;

    (void) comm; /* f_comm is the library's own copy of it */
    mca_fs_lustre_lla_settings_resolve(fh, info, &settings);
    error = open_all(fh, path, amode, info, &settings, NULL != file, &verdict);
    if (0 != error) {
        free(file);
        return collio_error_class(error);
    }
    file_init(file, fh, &settings, &verdict);
    fh->f_fs_ptr = file;
    collio_counters_enter(&mca_fs_lustre_lla_counters, &file->tally, file->counters);
    fh->f_flags |= OMPIO_LOCK_NEVER; /* Lustre serializes overlapping accesses itself */
    lustre_publish(fh, info, &verdict);
    COLLIO_SHOW_ROOT(fs, FILE, fh,
                     "fs/lustre_lla: %s: %d stripes of %zu bytes, lockahead %s, for "
                     "individual access %s",
                     path, fh->f_stripe_count, (size_t) fh->f_stripe_size,
                     mca_fs_lustre_lla_mode_name(file->lockahead.collective),
                     mca_fs_lustre_lla_mode_name(file->lockahead.individual));
    return OMPI_SUCCESS;
}

/* The agreement at the end is also a barrier: no rank removes the file before all close it. */
static int lustre_file_close(ompio_file_t *fh)
{
    mca_fs_lustre_lla_file_t *file = fh->f_fs_ptr;
    bool unused = true;
    int error = 0;

    fh->f_fs_ptr = NULL;
    if (NULL != file) {
        if (file->settings.report) {
            mca_fs_lustre_lla_report(fh, file);
        }
        collio_counters_leave(&mca_fs_lustre_lla_counters, &file->tally);
        pthread_mutex_destroy(&file->mutex);
        free(file);
    }
    if (0 <= fh->fd && 0 != close(fh->fd)) {
        error = errno;
    }
    fh->fd = -1;
    error = lustre_agree(fh, error, &unused);
    if (0 != error) { /* MPI_File_close drops the result of its components */
        collio_help("fs/lustre_lla", fh->f_filename, COLLIO_HELP_CLOSE, strerror(error));
    }
    return collio_error_class(error);
}

static int file_delete(char *file_name, struct opal_info_t *info)
{
    (void) info;
    if (0 != unlink(mca_fs_lustre_lla_plain_path(file_name))) {
        return collio_error_class(errno);
    }
    return OMPI_SUCCESS;
}

/* One rank sets the size, which locks the file up to its end: several ranks would revoke each
 * other's locks. */
static int file_set_size(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE size)
{
    int error = 0, rc = 0;

    if (OMPIO_ROOT == fh->f_rank) {
        COLLIO_REPEAT(rc, ftruncate(fh->fd, (off_t) size));
        error = 0 == rc ? 0 : errno;
    }
    if (OMPI_SUCCESS != collio_bcast(&error, 1, MPI_INT, fh->f_comm)) {
        error = EIO;
    }
    return collio_error_class(error);
}

static int lustre_file_get_size(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE *size)
{
    struct stat status;

    if (0 != fstat(fh->fd, &status)) {
        return collio_error_class(errno);
    }
    *size = (OMPI_MPI_OFFSET_TYPE) status.st_size;
    return OMPI_SUCCESS;
}

static int lustre_file_sync(ompio_file_t *fh)
{
    bool unused = true;
    int rc;

    COLLIO_REPEAT(rc, fsync(fh->fd));
    return collio_error_class(lustre_agree(fh, 0 == rc ? 0 : errno, &unused));
}

/* file_close has freed everything */
static int lustre_module_finalize(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}

mca_fs_base_module_1_0_0_t mca_fs_lustre_lla_module = {
    .fs_module_init = lustre_module_init,
    .fs_module_finalize = lustre_module_finalize,
    .fs_file_open = lustre_file_open,
    .fs_file_close = lustre_file_close,
    .fs_file_delete = file_delete,
    .fs_file_set_size = file_set_size,
    .fs_file_get_size = lustre_file_get_size,
    .fs_file_sync = lustre_file_sync,
};
