/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Entries that replace io/ompio's for every file that a collio component serves, because io/ompio's
 * own entries can hang, return old values or lose the position:
 *
 *   preallocate   in io/ompio each rank reads the size of the file while rank 0 already extends it;
 *                 ranks that read the new size skip a collective in which the others wait
 *   set_atomicity io/ompio hangs if ranks request different modes, and only the ranks whose locks
 *                 fail would not be in atomic mode; the stock fbtl does not lock a request as a
 *                 whole, so that concurrent requests mix
 *   sync          a node's cache may hold old bytes after other nodes have flushed new ones
 *   get_size      a node's cache may hold an old size, which also affects seeks from the end
 *   seek          an offset times the etype's size, or a repetition times the extent, may wrap to a
 *                 valid position, which no later check can detect
 *   set_view      may pass hints, and io/ompio divides by cb_nodes: unusable hints are removed;
 *                 io/ompio reduces three numbers over all ranks, which only stock fcolls use; and a
 *                 view of small pieces may switch sieving of writes on (hook/guard.h)
 */
#include "compat/compat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access/access_transfer.h"
#include "compat/repeat.h"
#include "file/file.h"
#include "help/help.h"
#include "hook/guard.h"
#include "hook/reach.h"
#include "ompio/individual.h"
#include "ompio/open.h"
#include "settings/hints.h"
#include "view/view.h"

#include "core/number.h"

enum {
    ZERO_BYTES = 1 << 20,    /* bytes of one write where there is no fallocate */
    MIN_STEP_BYTES = 1 << 20 /* smallest fallocate that is split no further when interrupted */
};

/* Returns the largest number of all ranks, or a negative Open MPI error code. Collective. */
static int largest(const ompio_file_t *fh, int mine)
{
    int all;
    int rc = collio_allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, fh->f_comm);

    return OMPI_SUCCESS == rc ? all : rc;
}

/* Writes zeros to [from, to). Returns 0 or an errno. */
static int write_zeros(int fd, int64_t from, int64_t to)
{
    collio_access_t access;
    char *zeros;
    int error = 0;

    if (from >= to) {
        return 0;
    }
    zeros = calloc(1, ZERO_BYTES);
    if (NULL == zeros) {
        return ENOMEM;
    }
    collio_access_open(&access, fd);
    while (0 == error && from < to) {
        from += collio_transfer_block(&access, true, from, zeros, collio_min(to - from, ZERO_BYTES),
                                      &error);
    }
    free(zeros);
    return error;
}

/* Fills the holes of [0, end) that the file system reports. Never reads bytes and writes them back,
 * because another process may be writing them. Returns 0 or an errno. */
static int fill_holes(int fd, int64_t end)
{
    off_t before = lseek(fd, 0, SEEK_CUR);
    int64_t at = 0;
    int error = 0;

    while (0 == error && at < end) {
        int64_t hole = lseek(fd, at, SEEK_HOLE), data;

        if (0 > hole || hole >= end) {
            break;
        }
        data = lseek(fd, hole, SEEK_DATA);
        at = 0 > data ? end : collio_min(data, end);
        error = write_zeros(fd, hole, at);
    }
    (void) lseek(fd, before, SEEK_SET);
    return error;
}

/* Allocates space for the first `size` bytes; a shorter file grows, a longer file keeps its size.
 * Some file systems undo a whole allocation when a signal interrupts it, so a large one would never
 * end under a timer: each interruption halves the step. Returns 0 or an errno. */
static int entries_allocate(int fd, int64_t size)
{
    int64_t step = size;

    for (int64_t at = 0; at < size;) {
        int64_t bytes = collio_min(step, size - at);

        if (0 == fallocate(fd, 0, at, bytes)) {
            at += bytes;
        } else if (EINTR == errno) {
            step = collio_max(step / 2, MIN_STEP_BYTES);
        } else {
            return errno;
        }
    }
    return 0;
}

/* Sends this rank's writes to the server, then gets the size of the file on this node. Returns 0 or
 * an errno. */
static int read_size(int fd, int64_t *size)
{
    struct stat info;
    int rc;

    COLLIO_REPEAT(rc, fsync(fd));
    if ((0 != rc && EINVAL != errno) || 0 != fstat(fd, &info)) {
        return errno;
    }
    *size = info.st_size;
    return 0;
}

/* Replaces entries_allocate() where there is no fallocate, by writing zeros. A client of a network
 * file system may have an old size, and would write zeros over the bytes of other ranks. So all
 * ranks get the size, and the first rank with the largest size writes. Collective. Returns an
 * errno, the same on all ranks, or a negative Open MPI error code. */
static int allocate_by_writing(ompio_file_t *fh, int64_t size)
{
    int64_t seen[2] = {0}, all[2];
    int turn = 0, first, error = 0, rc;

    seen[1] = read_size(fh->fd, &seen[0]);
    rc = collio_allreduce(seen, all, 2, MPI_INT64_T, MPI_MAX, fh->f_comm);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 != all[1]) {
        return (int) all[1];
    }
    if (seen[0] == all[0]) {
        turn = ompi_comm_size(fh->f_comm) - fh->f_rank;
    }
    first = largest(fh, turn);
    if (0 > first) {
        return first;
    }
    if (turn == first) {
        error = fill_holes(fh->fd, collio_min(all[0], size));
    }
    if (turn == first && 0 == error) {
        error = write_zeros(fh->fd, all[0], size);
    }
    return largest(fh, error);
}

/* Requires the same size on all ranks. Returns the same result on all ranks. */
static int preallocate(ompio_file_t *fh, int64_t size)
{
    int64_t mine[2] = {size, -size}, all[2];
    int error = 0;
    int rc = collio_allreduce(mine, all, 2, MPI_INT64_T, MPI_MAX, fh->f_comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (all[0] != -all[1]) {
        return MPI_ERR_NOT_SAME;
    }
    if (0 > size) {
        return MPI_ERR_ARG;
    }
    if (0 == fh->f_rank) {
        error = entries_allocate(fh->fd, size);
    }
    error = largest(fh, error);
    if (EOPNOTSUPP == error || ENOSYS == error) {
        error = allocate_by_writing(fh, size);
    }
    return 0 > error ? error : collio_error_class(error);
}

static int file_preallocate(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE size)
{
    collio_hook_t *hook = collio_hook_find(file);
    int rc;

    /* the access mode is the same on every rank */
    if (0 != (hook->fh->f_amode & MPI_MODE_RDONLY)) {
        return MPI_ERR_READ_ONLY;
    }
    if (0 != (hook->fh->f_amode & MPI_MODE_SEQUENTIAL)) {
        return MPI_ERR_UNSUPPORTED_OPERATION;
    }
    OPAL_THREAD_LOCK(&file->f_lock);
    rc = preallocate(hook->fh, (int64_t) size);
    OPAL_THREAD_UNLOCK(&file->f_lock);
    return rc;
}

/* Puts all ranks in atomic mode, or none. */
static int file_set_atomicity(ompi_file_t *file, int atomic)
{
    collio_hook_t *hook = collio_hook_find(file);
    int modes[2] = {0 != atomic, 0 == atomic}, any[2], before, rc, error, all;
    collio_reach_t reach;

    if (OMPI_SUCCESS != collio_allreduce(modes, any, 2, MPI_INT, MPI_MAX, hook->fh->f_comm)) {
        return MPI_ERR_OTHER;
    }
    if (any[0] && any[1]) {
        return MPI_ERR_NOT_SAME;
    }
    reach = atomic ? collio_locks_reach(hook->fh) : COLLIO_REACH_ALL;
    if (COLLIO_REACH_ALL != reach) {
        if (0 == hook->fh->f_rank) {
            collio_help("collio", hook->fh->f_filename, COLLIO_HELP_ATOMICITY,
                        collio_reach_reason(reach));
        }
        return MPI_ERR_UNSUPPORTED_OPERATION;
    }
    (void) hook->original.io_module_file_get_atomicity(hook->file, &before);
    rc = hook->original.io_module_file_set_atomicity(hook->file, atomic);
    error = OMPI_SUCCESS == rc || rc > 0 ? rc : MPI_ERR_OTHER;
    all = largest(hook->fh, error);
    if (0 > all) {
        return MPI_ERR_OTHER;
    }
    if (MPI_SUCCESS != all && MPI_SUCCESS == error) {
        (void) hook->original.io_module_file_set_atomicity(hook->file, before);
    }
    if (MPI_SUCCESS == all) {
        collio_individual_set_atomic(hook, 0 != atomic);
    }
    return all;
}

static int entries_file_sync(ompi_file_t *file)
{
    collio_hook_t *hook = collio_hook_find(file);
    int rc = hook->original.io_module_file_sync(file);

    collio_caches_refresh(hook->fh);
    return rc;
}

static int entries_file_get_size(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE *size)
{
    collio_hook_t *hook = collio_hook_find(file);

    (void) collio_access_refresh_size(hook->fh->fd);
    return hook->original.io_module_file_get_size(file, size);
}

static int64_t etypes(ompio_file_t *fh)
{
    int64_t size = (int64_t) COLLIO_FVIEW(fh).f_etype_size;

    return 0 < size ? collio_view_position(fh) / size : 0;
}

/* Seeks relative to the pointer, by an absolute seek to a sum that is checked for overflow. */
static int seek_from_here(collio_hook_t *hook, int64_t offset)
{
    int64_t target;

    if (__builtin_add_overflow(etypes(hook->fh), offset, &target)
        || !collio_view_reaches(hook->fh, target)) {
        return MPI_ERR_ARG;
    }
    return hook->original.io_module_file_seek(hook->file, target, MPI_SEEK_SET);
}

static int file_seek(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE offset, int whence)
{
    collio_hook_t *hook = collio_hook_find(file);
    int64_t before = etypes(hook->fh);
    int rc;

    if (MPI_SEEK_CUR == whence) {
        return seek_from_here(hook, offset);
    }
    if (MPI_SEEK_END == whence) {
        (void) collio_access_refresh_size(hook->fh->fd);
    }
    if (MPI_SEEK_END == whence && 0 < offset) {
        rc = hook->original.io_module_file_seek(file, 0, MPI_SEEK_END);
        if (MPI_SUCCESS == rc) {
            rc = seek_from_here(hook, offset);
        }
        if (MPI_SUCCESS != rc) {
            (void) hook->original.io_module_file_seek(file, before, MPI_SEEK_SET);
        }
        return rc;
    }
    if (MPI_SEEK_SET == whence && !collio_view_reaches(hook->fh, offset)) {
        return MPI_ERR_ARG;
    }
    return hook->original.io_module_file_seek(file, offset, whence);
}

/* The same for all files; threads may set the views of several files at once. */
static _Atomic(mca_common_ompio_get_mca_parameter_value_fn_t) stock_value;

/* Stands in for io/ompio's lookup of parameters during its set_view, and replaces the default
 * grouping by the same one without a reduction over all ranks. That reduction costs messages for
 * each view, and a rank with an invalid view returns before it and leaves the others waiting. */
static int value_in_set_view(char *name, int length)
{
    int value = stock_value(name, length);

    return SIMPLE == value && 0 == strcmp(name, "grouping_option") ? SIMPLE_PLUS : value;
}

/* Does not compare hints between ranks: rank 0 prints its help texts at once; texts that only
 * another rank has are printed when the next file is opened. io/ompio may fail on one rank after
 * its last communication, for example without memory: that rank takes part in the agreement. */
static int file_set_view(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE disp,
                         struct ompi_datatype_t *etype, struct ompi_datatype_t *filetype,
                         const char *datarep, opal_info_t *info)
{
    collio_hook_t *hook = collio_hook_find(file);
    opal_info_t *copy = OBJ_NEW(opal_info_t);
    collio_file_t *ours;
    int rc, agreed;

    /* the two hints that OMPIO reads here: MPI_File_set_info may have changed them since the open;
     * other hints are not checked, because programs set a view for every variable */
    (void) collio_hint_check(hook->fh->f_info, "cb_nodes");
    (void) collio_hint_check(hook->fh->f_info, "collective_buffering");
    stock_value = hook->fh->f_get_mca_parameter_value;
    hook->fh->f_get_mca_parameter_value = value_in_set_view;
    if (NULL == copy || NULL == info || OPAL_SUCCESS != opal_info_dup(info, &copy)) {
        rc = hook->original.io_module_file_set_view(file, disp, etype, filetype, datarep, info);
    } else {
        collio_hints_check(copy);
        rc = hook->original.io_module_file_set_view(file, disp, etype, filetype, datarep, copy);
    }
    hook->fh->f_get_mca_parameter_value = stock_value;
    if (NULL != copy) {
        /* OBJ_RELEASE frees `copy`. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        OBJ_RELEASE(copy);
    }
    if (0 == hook->fh->f_rank) {
        collio_help_flush();
    }
    ours = collio_file_find(hook->fh);
    agreed = collio_guard_view(hook->fh, NULL == ours ? NULL : &ours->access, MPI_SUCCESS == rc);
    if (MPI_SUCCESS != rc) {
        return rc;
    }
    collio_individual_view(file);
    return agreed;
}

void collio_entries_install(collio_hook_t *hook)
{
    collio_io_table_t *table = &COLLIO_IO_TABLE(hook->file);

    table->io_module_file_preallocate = file_preallocate;
    table->io_module_file_get_size = entries_file_get_size;
    table->io_module_file_sync = entries_file_sync;
    table->io_module_file_seek = file_seek;
    table->io_module_file_set_atomicity = file_set_atomicity;
    table->io_module_file_set_view = file_set_view;
}
