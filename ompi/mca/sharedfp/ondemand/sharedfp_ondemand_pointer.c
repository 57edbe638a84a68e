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
 * Place of the counter: for ranks of one job on one node, the job's session directory, if it is the
 * same for all; otherwise beside the data, where all ranks can access it, with a random name from
 * rank 0. The ranks of a node compare their directories in the open of fcoll/overlap or fcoll/tam,
 * which follows this component's, so the place is found at the first use.
 */
#include "sharedfp_ondemand.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "ompi/mca/common/collio/access/access.h"
#include "ompi/mca/common/collio/help/help.h"
#include "ompi/mca/common/collio/hook/guard.h"
#include "ompi/mca/common/collio/hook/handle.h"
#include "ompi/mca/common/collio/hook/reach.h"
#include "ompi/mca/common/collio/ompio/fs_open.h"
#include "ompi/mca/common/collio/ompio/named.h"
#include "ompi/mca/common/collio/ompio/open.h"
#include "ompi/mca/common/collio/settings/names.h"
#include "opal/util/proc.h"

#include "sharedfp_ondemand_counter.h"

typedef struct pointer_t {
    struct mca_sharedfp_base_data_t base;    /* OMPIO's part of the pointer */
    bool one_node;                           /* all ranks are of one job, on one node */
    bool locks;                              /* byte-range locks reach ranks of other nodes */
    bool watched;                            /* the close waits for nonblocking calls */
    bool placed;                             /* the place of the counter was found */
    bool reported;                           /* an error of the counter was printed */
    const char *why_not;                     /* why there is no place; NULL: memory, or there is */
    char *prefix;                            /* start of a path beside the data; owned */
    mca_sharedfp_ondemand_counter_t counter; /* bytes taken since the last seek */
    int64_t seeks;                           /* number of seeks since the open */
    int64_t start;                           /* target of the last seek, in bytes */
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

/* Returns the start of a path in the directory of the data. */
static char *data_prefix(const ompio_file_t *fh)
{
    const char *name = 0 == strncasecmp(fh->f_filename, "lustre:", 7) ? fh->f_filename + 7
                                                                      : fh->f_filename;
    const char *slash = strrchr(name, '/');
    int length = NULL == slash ? 0 : (int) (slash - name) + 1;
    char directory[4096] = "", *prefix;

    if ('/' != *name) { /* the program may change its directory before the first use */
        if (NULL == getcwd(directory, sizeof(directory) - 1)) {
            return NULL;
        }
        strcat(directory, "/");
    }
    if (0 > asprintf(&prefix, "%s%.*s.collio-pointer-", directory, length, name)) {
        return NULL;
    }
    return prefix;
}

/* Returns a path in the directory of the data. Rank 0's number makes the name unique. */
static char *data_path(const char *prefix, int64_t number)
{
    char *path;

    if (NULL == prefix || 0 > asprintf(&path, "%s%016llx", prefix, (unsigned long long) number)) {
        return NULL;
    }
    return path;
}

/* True if byte-range locks beside the data exclude all ranks, which do not have one session
 * directory. Between nodes that was tested. Ranks of one node may be in containers with mounts of
 * their own, which was not tested. */
static bool locks_exclude(const ompio_file_t *fh, bool network)
{
    return ompi_group_have_remote_peers(fh->f_comm->c_local_group) ? pointer_of(fh)->locks
                                                                   : !network;
}

/* Finds the place of the counter, once. A rank without a path fails in its calls only, because the
 * other ranks would wait for it in an open. */
static void find_place(const ompio_file_t *fh, pointer_t *pointer)
{
    collio_session_t session;

    if (pointer->placed) {
        return;
    }
    pointer->placed = true;
    session = collio_session_of(fh);
    if (pointer->one_node && session.same) {
        mca_sharedfp_ondemand_counter_init(&pointer->counter, session_path(fh), true, true);
    } else if (session.settled) {
        mca_sharedfp_ondemand_counter_init(&pointer->counter,
                                           data_path(pointer->prefix, session.number), false,
                                           locks_exclude(fh, session.network));
    } else {
        pointer->why_not = "the ranks agreed on no place: the open of the file by fcoll/overlap or "
                           "fcoll/tam has failed";
    }
}

/* ---- open and close ---- */

/* Rank 0 removes a counter that a killed job may have left in a session directory of the same name.
 * The other ranks do not pass the open of the file before rank 0 has done so.
 * No other code of collio runs before the fs component opens the file: see fs_open.h. */
static int pointer_module_init(ompio_file_t *fh)
{
    char *path;

    mca_sharedfp_ondemand_show_selected(fh);
    collio_fs_open_agree(fh);
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

/* file_close has freed everything */
static int pointer_module_finalize(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}

/* Compares the session directories of the ranks, unless the fcoll will do so. Collective. */
static int compare_sessions(ompio_file_t *fh)
{
    int64_t mine[COLLIO_SESSION_FIELDS], all[COLLIO_SESSION_FIELDS];
    collio_access_t access;
    int rc;

    if (collio_fcoll_is_chosen()) {
        return OMPI_SUCCESS;
    }
    collio_names_check();
    collio_help_flush(); /* no fcoll of collio prints the texts that wait */
    collio_access_open(&access, fh->fd);
    collio_session_offer(fh, access.network, mine);
    rc = collio_allreduce(mine, all, COLLIO_SESSION_FIELDS, MPI_INT64_T, MPI_MAX, fh->f_comm);
    if (OMPI_SUCCESS == rc) {
        collio_session_settle(fh, all);
    }
    return rc;
}

static int pointer_file_open(struct ompi_communicator_t *comm, const char *filename, int amode,
                             struct opal_info_t *info, ompio_file_t *fh)
{
    bool one_node = is_on_one_node(fh->f_comm);
    collio_hook_t *hook = collio_hook_get(fh);
    collio_handle_t *handle = collio_handle_take(fh); /* before the session is settled */
    pointer_t *pointer;
    int rc;

    (void) comm;
    (void) filename;
    (void) amode;
    (void) info;
    collio_locks_progress();
    rc = compare_sessions(fh);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    pointer = collio_spare_take(sizeof(*pointer));
    if (NULL == pointer) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    pointer->one_node = one_node;
    pointer->locks = ompi_group_have_remote_peers(fh->f_comm->c_local_group)
                     && COLLIO_REACH_ALL == collio_locks_reach(fh);
    pointer->prefix = data_prefix(fh);
    pointer->counter.fd = -1;
    pointer->watched = NULL != hook;
    if (pointer->watched) {
        collio_individual_watch(hook);
    }
    if (NULL != handle) {
        handle->place[COLLIO_PLACE_POINTER] = pointer;
    }
    fh->f_sharedfp_data = &pointer->base;
    return OMPI_SUCCESS;
}

/* OMPIO makes a barrier before this call, so no rank uses the pointer. */
static int pointer_file_close(ompio_file_t *fh)
{
    pointer_t *pointer = pointer_of(fh);

    if (NULL != pointer) {
        find_place(fh, pointer); /* other ranks may have created the file */
        mca_sharedfp_ondemand_counter_fini(&pointer->counter, 0 == fh->f_rank);
        collio_handle_clear(fh, COLLIO_PLACE_POINTER);
        free(pointer->prefix);
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
        collio_help_rank("sharedfp/ondemand", fh->f_filename, fh->f_rank,
                         COLLIO_HELP_SHARED_POINTER,
                         NULL == pointer->counter.path ? "a file" : pointer->counter.path,
                         NULL == pointer->why_not ? strerror(error) : pointer->why_not);
    }
    return 0 == error || NULL == pointer->why_not ? collio_error_class(error) : MPI_ERR_OTHER;
}

static int take_bytes(ompio_file_t *fh, int64_t bytes, int64_t *place)
{
    pointer_t *pointer = pointer_of(fh);
    int64_t before = 0;
    int error;

    if (NULL == pointer) {
        return MPI_ERR_OTHER; /* the open has failed */
    }
    find_place(fh, pointer);
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

static int64_t pointer_bytes_of(collio_count_t count, const ompi_datatype_t *type)
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
static int pointer_take(ompio_file_t *fh, collio_count_t count, const ompi_datatype_t *type,
                        OMPI_MPI_OFFSET_TYPE *offset)
{
    int64_t place = 0;
    int rc = take_bytes(fh, pointer_bytes_of(count, type), &place);

    *offset = view_offset(fh, place);
    return rc;
}

/* Returns the error of a communication, or else the error that another rank has sent. */
static int pointer_agreed(int rc, int64_t error)
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
    int64_t mine = pointer_bytes_of(count, type), before_me = 0, answer[FIELDS] = {0};
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
    return pointer_agreed(rc, answer[RC]);
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
    return pointer_agreed(rc, answer[RC]);
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
        find_place(fh, pointer_of(fh));
        error = error_of(fh, mca_sharedfp_ondemand_counter_clear(&pointer_of(fh)->counter));
    }
    rc = collio_bcast(&error, 1, MPI_INT64_T, fh->f_comm);
    return pointer_agreed(rc, error);
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

/* True if fcoll/overlap or fcoll/tam serves the file. */
static bool has_fcoll(const ompio_file_t *fh)
{
    return NULL != collio_handle_get(fh, COLLIO_PLACE_FCOLL);
}

/* Gives all ranks an error if one has any. Collective. */
static int error_of_all(ompio_file_t *fh, int mine)
{
    int error = 0 > mine ? MPI_ERR_OTHER : mine, all;
    int rc = collio_allreduce(&error, &all, 1, MPI_INT, MPI_MAX, fh->f_comm);

    return OMPI_SUCCESS == rc ? all : rc;
}

/* Makes an ordered call where a stock fcoll serves the file: each rank accesses its own part. */
static int ordered_run(ompi_file_t *file, ompio_file_t *fh, const collio_call_t *call,
                       ompi_status_public_t *status)
{
    return error_of_all(fh, pointer_of(fh)->watched ? collio_individual_run(file, call, status)
                                                    : MPI_ERR_NO_MEM);
}

/* The same for a split call, which has another agreement at its end. */
static int ordered_start(ompi_file_t *file, ompio_file_t *fh, const collio_call_t *call,
                         ompi_request_t **request)
{
    int mine = pointer_of(fh)->watched ? collio_individual_start(file, call, request)
                                       : MPI_ERR_NO_MEM;
    int all = error_of_all(fh, mine);

    if (OMPI_SUCCESS == mine && OMPI_SUCCESS != all) {
        (void) ompi_request_wait(request, MPI_STATUS_IGNORE);
    }
    return all;
}

/* Accesses by collio's own individual call, with every fbtl: io/ompio's returns success after a
 * failed access, and requests that crash MPI_Wait. */
#define INDIVIDUALLY(how) \
    (pointer_of(fh)->watched ? collio_individual_##how(file, &call, result) : MPI_ERR_NO_MEM)

/* Accesses by a collective entry of the file's table, if that is collio's: those of a stock fcoll
 * return success after a failed access. */
#define ORDERED(access, how)                                                                  \
    (has_fcoll(fh) ? COLLIO_IO_TABLE(file).io_module_file_##access(file, call.offset, buffer, \
                                                                   count, type, result)       \
                   : ordered_##how(file, fh, &call, result))

/* Defines an entry of the module: advances the pointer, then accesses. io/ompio holds the file's
 * lock, which the access takes itself. */
#define ENTRY(name, pointer_take, writes, access, buffer_type, result_type)                     \
    static int name(ompio_file_t *fh, buffer_type buffer, count_t count, ompi_datatype_t *type, \
                    result_type result)                                                         \
    {                                                                                           \
        ompi_file_t *file = fh->f_fh;                                                           \
        collio_call_t call = {writes, (void *) buffer, (size_t) count, type, true, 0};          \
        int rc = pointer_take(fh, count, type, &call.offset);                                   \
                                                                                                \
        if (OMPI_SUCCESS != rc) {                                                               \
            return rc;                                                                          \
        }                                                                                       \
        OPAL_THREAD_UNLOCK(&file->f_lock);                                                      \
        rc = access;                                                                            \
        OPAL_THREAD_LOCK(&file->f_lock);                                                        \
        return rc;                                                                              \
    }

ENTRY(read_shared, pointer_take, false, INDIVIDUALLY(run), void *, ompi_status_public_t *)
ENTRY(write_shared, pointer_take, true, INDIVIDUALLY(run), const void *, ompi_status_public_t *)
ENTRY(iread_shared, pointer_take, false, INDIVIDUALLY(start), void *, ompi_request_t **)
ENTRY(iwrite_shared, pointer_take, true, INDIVIDUALLY(start), const void *, ompi_request_t **)
ENTRY(read_ordered, take_ordered, false, ORDERED(read_at_all, run), void *, ompi_status_public_t *)
ENTRY(write_ordered, take_ordered, true, ORDERED(write_at_all, run), const void *,
      ompi_status_public_t *)
ENTRY(iread_ordered, take_ordered, false, ORDERED(iread_at_all, start), void *, ompi_request_t **)
ENTRY(iwrite_ordered, take_ordered, true, ORDERED(iwrite_at_all, start), const void *,
      ompi_request_t **)

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
    int rc;

    (void) buffer;
    if (!fh->f_split_coll_in_use) { /* the begin has failed, on all ranks: there is no request */
        return MPI_ERR_REQUEST;
    }
    rc = ompi_request_wait(&fh->f_split_coll_req, status);
    fh->f_split_coll_in_use = false;
    return has_fcoll(fh) ? rc : error_of_all(fh, rc);
}

static int read_ordered_end(ompio_file_t *fh, void *buffer, ompi_status_public_t *status)
{
    return write_ordered_end(fh, buffer, status);
}

mca_sharedfp_base_module_t mca_sharedfp_ondemand_module = {
    .sharedfp_module_init = pointer_module_init,
    .sharedfp_module_finalize = pointer_module_finalize,
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
    .sharedfp_file_open = pointer_file_open,
    .sharedfp_file_close = pointer_file_close,
};
