/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The module: shared file pointers, and access at them.
 *
 * A shared file pointer is a start, which every rank has, plus the bytes that were taken since,
 * which all ranks count in one shared number:
 *
 *      seek number       0          1 (set_view)     2 (seek_shared to 800)
 *      start             0          0                800              each rank's own
 *      bytes taken       0       3000                 40              counter, slot = seek number
 *      pointer                                       840
 *
 * Seeks are collective, so all ranks count the same seeks, and each seek begins a new number at 0.
 * A rank that is one seek ahead adds to another number than the other ranks, so a seek to a given
 * offset needs no communication, except when all numbers were used.
 *
 * Place of the counter: for ranks of one job on one node, the job's session directory; otherwise
 * beside the data, where all ranks can access it, with a random name from rank 0.
 */
#include "sharedfp_ondemand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "ompi/mca/common/collio/access/access.h"
#include "ompi/mca/common/collio/help/help.h"
#include "ompi/mca/common/collio/hook/handle.h"
#include "ompi/mca/common/collio/hook/reach.h"
#include "ompi/mca/common/collio/ompio/open.h"
#include "opal/util/proc.h"

#include "sharedfp_ondemand_counter.h"

typedef struct pointer_t {
    struct mca_sharedfp_base_data_t base;    /* OMPIO's part of the pointer */
    mca_sharedfp_ondemand_counter_t counter; /* bytes taken since the last seek */
    int64_t seeks;                           /* number of seeks since the open */
    int64_t start;                           /* target of the last seek, in bytes */
    bool reported;                           /* an error of the counter was printed */
} pointer_t;

static pointer_t *pointer_of(const ompio_file_t *fh)
{
    return (pointer_t *) fh->f_sharedfp_data;
}

/* ---- where the counter is ---- */

static bool is_on_one_node(ompi_communicator_t *comm)
{
    return NULL != opal_process_info.job_session_dir && collio_of_one_job(comm)
           && !ompi_group_have_remote_peers(comm->c_local_group);
}

/* No two open files have the same first process and the same communicator. */
static char *session_path(const ompio_file_t *fh)
{
    opal_process_name_t first = ompi_group_get_proc_name(fh->f_comm->c_local_group, 0);
    char id[64], *path;

    collio_comm_id(fh->f_comm, id, sizeof(id));
    if (0 > asprintf(&path, "%s/collio-pointer-%lx-%s", opal_process_info.job_session_dir,
                     (unsigned long) first.vpid, id)) {
        return NULL;
    }
    return path;
}

/* Returns a path in the directory of the data. Rank 0's number makes the name unique. */
static char *data_path(const ompio_file_t *fh, int64_t number)
{
    const char *name = 0 == strncasecmp(fh->f_filename, "lustre:", 7) ? fh->f_filename + 7
                                                                      : fh->f_filename;
    const char *slash = strrchr(name, '/');
    int length = NULL == slash ? 0 : (int) (slash - name) + 1;
    char directory[4096] = "", *path;

    if ('/' != *name) { /* the program may change its directory before the first use */
        if (NULL == getcwd(directory, sizeof(directory) - 1)) {
            return NULL;
        }
        strcat(directory, "/");
    }
    if (0 > asprintf(&path, "%s%.*s.collio-pointer-%016llx", directory, length, name,
                     (unsigned long long) number)) {
        return NULL;
    }
    return path;
}

static int64_t random_number(void)
{
    int64_t number;

    if (sizeof(number) != getrandom(&number, sizeof(number), 0)) {
        number = ((int64_t) getpid() << 32) ^ (int64_t) (uintptr_t) &number;
    }
    return number;
}

/* ---- open and close ---- */

/* Rank 0 removes a counter that a killed job may have left in a session directory of the same name.
 * The other ranks do not pass the open of the file before rank 0 has done so. */
static int module_init(ompio_file_t *fh)
{
    char *path;

    if (0 != ompi_comm_rank(fh->f_comm) || !is_on_one_node(fh->f_comm)) {
        return OMPI_SUCCESS;
    }
    path = session_path(fh);
    if (NULL != path) {
        (void) unlink(path);
        free(path);
    }
    return OMPI_SUCCESS;
}

/* Agrees on a path beside the data; *locks = byte-range locks reach all ranks. Collective. */
static int agree_on_path(ompio_file_t *fh, char **path, bool *locks)
{
    enum { NUMBER, LOCKS, FIELDS };
    int64_t first[FIELDS] = {random_number(), collio_locks_known(fh)};
    int rc = collio_bcast(first, FIELDS, MPI_INT64_T, fh->f_comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    *locks = collio_locks_find(fh, first[LOCKS]);
    *path = data_path(fh, first[NUMBER]);
    return OMPI_SUCCESS;
}

static int file_open(struct ompi_communicator_t *comm, const char *filename, int amode,
                     struct opal_info_t *info, ompio_file_t *fh)
{
    bool one_node = is_on_one_node(fh->f_comm), locks = true;
    char *path = NULL;
    pointer_t *pointer;

    (void) comm;
    (void) filename;
    (void) amode;
    (void) info;
    if (one_node) {
        path = session_path(fh);
    } else {
        int rc = agree_on_path(fh, &path, &locks);

        if (OMPI_SUCCESS != rc) {
            return rc;
        }
    }
    pointer = collio_spare_take(sizeof(*pointer));
    if (NULL == pointer) {
        free(path);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    /* a rank without a path opens the file, because the others would wait; its calls fail */
    mca_sharedfp_ondemand_counter_init(&pointer->counter, path, one_node, locks);
    fh->f_sharedfp_data = &pointer->base;
    return OMPI_SUCCESS;
}

/* OMPIO makes a barrier before this call, so no rank uses the pointer. */
static int file_close(ompio_file_t *fh)
{
    pointer_t *pointer = pointer_of(fh);

    if (NULL != pointer) {
        mca_sharedfp_ondemand_counter_fini(&pointer->counter, 0 == fh->f_rank);
        free(pointer);
        fh->f_sharedfp_data = NULL;
    }
    return OMPI_SUCCESS;
}

/* ---- the pointer ---- */

static int error_of(ompio_file_t *fh, int error)
{
    pointer_t *pointer = pointer_of(fh);

    if (0 != error && !pointer->reported) {
        pointer->reported = true;
        collio_help_rank(
            "sharedfp/ondemand", fh->f_filename, fh->f_rank, COLLIO_HELP_SHARED_POINTER,
            NULL == pointer->counter.path ? "memory" : pointer->counter.path, strerror(error));
    }
    return collio_error_class(error);
}

static int take_bytes(ompio_file_t *fh, int64_t bytes, int64_t *place)
{
    pointer_t *pointer = pointer_of(fh);
    int64_t before = 0;
    int error;

    if (NULL == pointer) {
        return MPI_ERR_OTHER; /* the open has failed */
    }
    error = mca_sharedfp_ondemand_counter_add(
        &pointer->counter, (int) (pointer->seeks % MCA_SHAREDFP_ONDEMAND_SLOTS), bytes, &before);
    *place = pointer->start + before;
    return error_of(fh, error);
}

static int get_position(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE *offset)
{
    int64_t place = 0;
    int rc = take_bytes(fh, 0, &place);

    *offset = place;
    return rc;
}

static int64_t bytes_of(collio_count_t count, const ompi_datatype_t *type)
{
    size_t size;

    opal_datatype_type_size(&type->super, &size);
    return (int64_t) count * (int64_t) size;
}

static OMPI_MPI_OFFSET_TYPE view_offset(const ompio_file_t *fh, int64_t place)
{
    int64_t etype = (int64_t) COLLIO_FVIEW(fh).f_etype_size;

    return 0 == etype ? place : place / etype;
}

/* Advances the pointer by `count` elements; *offset = its position before, in the view. */
static int take(ompio_file_t *fh, collio_count_t count, const ompi_datatype_t *type,
                OMPI_MPI_OFFSET_TYPE *offset)
{
    int64_t place = 0;
    int rc = take_bytes(fh, bytes_of(count, type), &place);

    *offset = view_offset(fh, place);
    return rc;
}

/* Returns the error of a communication, or else the error that another rank has sent. */
static int agreed(int rc, int64_t error)
{
    return OMPI_SUCCESS != rc ? rc : (int) error;
}

/* Advances the pointer for all ranks, in rank order. The last rank has the sum, after all ranks
 * have entered the call, and advances the pointer for all. Collective, same result on all ranks. */
static int take_ordered(ompio_file_t *fh, collio_count_t count, const ompi_datatype_t *type,
                        OMPI_MPI_OFFSET_TYPE *offset)
{
    enum { RC, PLACE, FIELDS };
    ompi_communicator_t *comm = fh->f_comm;
    int64_t mine = bytes_of(count, type), before_me = 0, answer[FIELDS] = {0};
    int last = fh->f_size - 1;
    int rc = comm->c_coll->coll_exscan(&mine, &before_me, 1, MPI_INT64_T, MPI_SUM, comm,
                                       comm->c_coll->coll_exscan_module);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 == fh->f_rank) {
        before_me = 0; /* MPI_Exscan leaves it undefined on rank 0 */
    }
    if (last == fh->f_rank) {
        answer[RC] = take_bytes(fh, before_me + mine, &answer[PLACE]);
    }
    rc = collio_bcast_from(last, answer, FIELDS, MPI_INT64_T, comm);
    *offset = view_offset(fh, answer[PLACE] + before_me);
    return agreed(rc, answer[RC]);
}

/* Gets the base of a seek, in bytes. Rank 0 reads it when all ranks have entered the call, because
 * their earlier calls may have moved the pointer or the end of the file. */
static int find_base(ompio_file_t *fh, int whence, int64_t *base)
{
    enum { RC, BASE, FIELDS };
    int64_t answer[FIELDS] = {0};
    int rc = collio_barrier(fh->f_comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 == fh->f_rank) {
        OMPI_MPI_OFFSET_TYPE place = 0;

        collio_access_refresh_size(fh->fd);
        answer[RC] = MPI_SEEK_CUR == whence ? get_position(fh, &place)
                                            : mca_common_ompio_file_get_size(fh, &place);
        answer[BASE] = place;
    }
    rc = collio_bcast(answer, FIELDS, MPI_INT64_T, fh->f_comm);
    *base = answer[BASE];
    return agreed(rc, answer[RC]);
}

/* All numbers were used: all ranks wait, so that no rank uses an old number after the reset. */
static int begin_again(ompio_file_t *fh)
{
    int64_t error = 0;
    int rc = collio_barrier(fh->f_comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 == fh->f_rank) {
        error = error_of(fh, mca_sharedfp_ondemand_counter_clear(&pointer_of(fh)->counter));
    }
    rc = collio_bcast(&error, 1, MPI_INT64_T, fh->f_comm);
    return agreed(rc, error);
}

/* Makes the start the same on all ranks in an open with MPI_MODE_APPEND, where each rank has just
 * read the end of the file for its own pointer. No rank may write before all have read. The end
 * that rank 0 has read counts, because other programs may be appending as well. Collective. */
static int agree_on_end(const ompio_file_t *fh, int64_t *start)
{
    enum { SEEKS_OF_OPEN = 2 }; /* seeks of the open: to the default view, to the end */
    int rc;

    if (0 == (fh->f_amode & MPI_MODE_APPEND) || pointer_of(fh)->seeks >= SEEKS_OF_OPEN) {
        return OMPI_SUCCESS;
    }
    rc = collio_barrier(fh->f_comm);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return collio_bcast(start, 1, MPI_INT64_T, fh->f_comm);
}

static int seek(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE offset, int whence)
{
    pointer_t *pointer = pointer_of(fh);
    int64_t etype = (int64_t) COLLIO_FVIEW(fh).f_etype_size, start = 0, base = 0;
    bool wraps = __builtin_mul_overflow((int64_t) offset, etype, &start);
    int rc;

    if (NULL == pointer) {
        return MPI_ERR_OTHER;
    }
    rc = MPI_SEEK_SET == whence ? agree_on_end(fh, &start) : find_base(fh, whence, &base);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (wraps || __builtin_add_overflow(base, start, &start) || 0 > start) {
        return MPI_ERR_ARG;
    }
    pointer->start = start;
    ++pointer->seeks;
    if (0 == pointer->seeks % MCA_SHAREDFP_ONDEMAND_SLOTS) {
        return begin_again(fh);
    }
    return OMPI_SUCCESS;
}

/* ---- access ---- */

typedef collio_count_t count_t;

/* Defines an entry of the module: advances the pointer, then accesses by an entry of OMPIO. */
#define ENTRY(name, take, access, buffer_type, result_type)                                     \
    static int name(ompio_file_t *fh, buffer_type buffer, count_t count, ompi_datatype_t *type, \
                    result_type result)                                                         \
    {                                                                                           \
        OMPI_MPI_OFFSET_TYPE offset;                                                            \
        int rc = take(fh, count, type, &offset);                                                \
                                                                                                \
        if (OMPI_SUCCESS != rc) {                                                               \
            return rc;                                                                          \
        }                                                                                       \
        return mca_common_ompio_file_##access(fh, offset, buffer, count, type, result);         \
    }

ENTRY(read_shared, take, read_at, void *, ompi_status_public_t *)
ENTRY(write_shared, take, write_at, const void *, ompi_status_public_t *)
ENTRY(iread_shared, take, iread_at, void *, ompi_request_t **)
ENTRY(iwrite_shared, take, iwrite_at, const void *, ompi_request_t **)
ENTRY(read_ordered, take_ordered, read_at_all, void *, ompi_status_public_t *)
ENTRY(write_ordered, take_ordered, write_at_all, const void *, ompi_status_public_t *)
ENTRY(iread_ordered, take_ordered, iread_at_all, void *, ompi_request_t **)
ENTRY(iwrite_ordered, take_ordered, iwrite_at_all, const void *, ompi_request_t **)

/* One split collective call at a time; OMPIO keeps its request in the handle. */
#define ENTRY_BEGIN(name, access, buffer_type)                                                  \
    static int name(ompio_file_t *fh, buffer_type buffer, count_t count, ompi_datatype_t *type) \
    {                                                                                           \
        int rc;                                                                                 \
                                                                                                \
        if (fh->f_split_coll_in_use) {                                                          \
            return MPI_ERR_REQUEST;                                                             \
        }                                                                                       \
        rc = access(fh, buffer, count, type, &fh->f_split_coll_req);                            \
        fh->f_split_coll_in_use = OMPI_SUCCESS == rc;                                           \
        return rc;                                                                              \
    }

ENTRY_BEGIN(read_ordered_begin, iread_ordered, void *)
ENTRY_BEGIN(write_ordered_begin, iwrite_ordered, const void *)

static int write_ordered_end(ompio_file_t *fh, const void *buffer, ompi_status_public_t *status)
{
    int rc = ompi_request_wait(&fh->f_split_coll_req, status);

    (void) buffer;
    fh->f_split_coll_in_use = false;
    return rc;
}

static int read_ordered_end(ompio_file_t *fh, void *buffer, ompi_status_public_t *status)
{
    return write_ordered_end(fh, buffer, status);
}

mca_sharedfp_base_module_t mca_sharedfp_ondemand_module = {
    .sharedfp_module_init = module_init,
    .sharedfp_module_finalize = collio_file_unquery,
    .sharedfp_seek = seek,
    .sharedfp_get_position = get_position,
    .sharedfp_read = read_shared,
    .sharedfp_read_ordered = read_ordered,
    .sharedfp_read_ordered_begin = read_ordered_begin,
    .sharedfp_read_ordered_end = read_ordered_end,
    .sharedfp_iread = iread_shared,
    .sharedfp_write = write_shared,
    .sharedfp_write_ordered = write_ordered,
    .sharedfp_write_ordered_begin = write_ordered_begin,
    .sharedfp_write_ordered_end = write_ordered_end,
    .sharedfp_iwrite = iwrite_shared,
    .sharedfp_file_open = file_open,
    .sharedfp_file_close = file_close,
};
