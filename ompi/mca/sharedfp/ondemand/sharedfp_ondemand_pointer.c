/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The pointer of a file. See internal.h.
 *
 * Where its counter is: for ranks of one job on one node in the job's session folder; else beside
 * the data, where all ranks can reach it, with a random name from rank 0.
 */
#include "sharedfp_ondemand_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "ompi/mca/common/collio/access/access.h"
#include "ompi/mca/common/collio/compat/error.h"
#include "ompi/mca/common/collio/help/help.h"
#include "ompi/mca/common/collio/hook/reach.h"
#include "opal/util/proc.h"

static mca_sharedfp_ondemand_pointer_t *pointer_of(const ompio_file_t *fh)
{
    return (mca_sharedfp_ondemand_pointer_t *) fh->f_sharedfp_data;
}

static int barrier(ompi_communicator_t *comm)
{
    return comm->c_coll->coll_barrier(comm, comm->c_coll->coll_barrier_module);
}

static int bcast(int64_t *values, int count, int root, ompi_communicator_t *comm)
{
    return comm->c_coll->coll_bcast(values, count, MPI_INT64_T, root, comm,
                                    comm->c_coll->coll_bcast_module);
}

/* ---- where the counter is ---- */

/* Another job has another session folder. */
static bool is_one_job(ompi_communicator_t *comm)
{
    opal_process_name_t me = ompi_group_get_proc_name(comm->c_local_group, ompi_comm_rank(comm));

    for (int i = 0; i < ompi_comm_size(comm); ++i) {
        if (ompi_group_get_proc_name(comm->c_local_group, i).jobid != me.jobid) {
            return false;
        }
    }
    return true;
}

static bool is_on_one_node(ompi_communicator_t *comm)
{
    return NULL != opal_process_info.job_session_dir && is_one_job(comm)
           && !ompi_group_have_remote_peers(comm->c_local_group);
}

/* No two open files have the same first process and the same communicator. */
static char *session_path(const ompio_file_t *fh)
{
    opal_process_name_t first = ompi_group_get_proc_name(fh->f_comm->c_local_group, 0);
    char id[64], *path;

    collio_comm_id(fh->f_comm, id, sizeof(id));
    return 0 > asprintf(&path, "%s/collio-pointer-%lx-%s", opal_process_info.job_session_dir,
                        (unsigned long) first.vpid, id)
               ? NULL
               : path;
}

/* In the folder of the data. Rank 0's number tells it from those of other jobs and other files. */
static char *data_path(const ompio_file_t *fh, int64_t number)
{
    const char *name = 0 == strncasecmp(fh->f_filename, "lustre:", 7) ? fh->f_filename + 7
                                                                      : fh->f_filename;
    const char *slash = strrchr(name, '/');
    int length = NULL == slash ? 0 : (int) (slash - name) + 1;
    char folder[4096] = "", *path;

    if ('/' != *name) { /* the program may change its folder before the first use */
        if (NULL == getcwd(folder, sizeof(folder) - 1)) {
            return NULL;
        }
        strcat(folder, "/");
    }
    return 0 > asprintf(&path, "%s%.*s.collio-pointer-%016llx", folder, length, name,
                        (unsigned long long) number)
               ? NULL
               : path;
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

/* A job that was killed may have left a counter in a session folder that has the same name now. The
 * other ranks do not come past the open of the file itself before rank 0 was here. */
int mca_sharedfp_ondemand_module_init(ompio_file_t *fh)
{
    char *path = 0 == ompi_comm_rank(fh->f_comm) && is_on_one_node(fh->f_comm) ? session_path(fh)
                                                                               : NULL;

    if (NULL != path) {
        (void) unlink(path);
        free(path);
    }
    return OMPI_SUCCESS;
}

int mca_sharedfp_ondemand_module_finalize(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}

int mca_sharedfp_ondemand_file_open(struct ompi_communicator_t *comm, const char *filename,
                                    int amode, struct opal_info_t *info, ompio_file_t *fh)
{
    enum { NUMBER, LOCKS, FIELDS };
    int64_t first[FIELDS] = {0}; /* of rank 0 */
    bool one_node = is_on_one_node(fh->f_comm), locks = true;
    char *path;
    mca_sharedfp_ondemand_pointer_t *pointer;

    (void) comm;
    (void) filename;
    (void) amode;
    (void) info;
    if (!one_node) {
        first[NUMBER] = random_number();
        first[LOCKS] = collio_locks_known(fh);
        int rc = bcast(first, FIELDS, 0, fh->f_comm);

        if (OMPI_SUCCESS != rc) {
            return rc;
        }
        locks = collio_locks_find(fh, first[LOCKS]);
    }
    path = one_node ? session_path(fh) : data_path(fh, first[NUMBER]);
    pointer = calloc(1, sizeof(*pointer));
    if (NULL == path || NULL == pointer) {
        free(path);
        free(pointer);
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    mca_sharedfp_ondemand_counter_init(&pointer->counter, path, one_node, locks);
    fh->f_sharedfp_data = &pointer->base;
    return OMPI_SUCCESS;
}

/* OMPIO has a barrier before this, so nobody uses the pointer any more. */
int mca_sharedfp_ondemand_file_close(ompio_file_t *fh)
{
    mca_sharedfp_ondemand_pointer_t *pointer = pointer_of(fh);

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
    mca_sharedfp_ondemand_pointer_t *pointer = pointer_of(fh);

    if (0 != error && !pointer->told) {
        pointer->told = true;
        collio_help("sharedfp/ondemand", fh->f_filename, fh->f_rank, COLLIO_HELP_SHARED_POINTER,
                    pointer->counter.path, strerror(error));
    }
    return collio_error_class(error);
}

static int take_bytes(ompio_file_t *fh, int64_t bytes, int64_t *place)
{
    mca_sharedfp_ondemand_pointer_t *pointer = pointer_of(fh);
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

int mca_sharedfp_ondemand_get_position(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE *offset)
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

int mca_sharedfp_ondemand_take(ompio_file_t *fh, collio_count_t count, const ompi_datatype_t *type,
                               OMPI_MPI_OFFSET_TYPE *offset)
{
    int64_t place = 0;
    int rc = take_bytes(fh, bytes_of(count, type), &place);

    *offset = view_offset(fh, place);
    return rc;
}

/* The last rank knows the sum, and that all ranks are here: it moves the pointer for all. */
int mca_sharedfp_ondemand_take_ordered(ompio_file_t *fh, collio_count_t count,
                                       const ompi_datatype_t *type, OMPI_MPI_OFFSET_TYPE *offset)
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
    before_me = 0 == fh->f_rank ? 0 : before_me;
    if (last == fh->f_rank) {
        answer[RC] = take_bytes(fh, before_me + mine, &answer[PLACE]);
    }
    rc = bcast(answer, FIELDS, last, comm);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    *offset = view_offset(fh, answer[PLACE] + before_me);
    return (int) answer[RC];
}

/* Where a seek counts from, in bytes: rank 0 looks when all ranks are here, for what they have done
 * before may have moved the pointer or the end of the file. */
static int find_base(ompio_file_t *fh, int whence, int64_t *base)
{
    enum { RC, BASE, FIELDS };
    int64_t answer[FIELDS] = {0};
    int rc = barrier(fh->f_comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 == fh->f_rank) {
        OMPI_MPI_OFFSET_TYPE place = 0;

        collio_access_ask_size(fh->fd);
        answer[RC] = MPI_SEEK_CUR == whence ? mca_sharedfp_ondemand_get_position(fh, &place)
                                            : mca_common_ompio_file_get_size(fh, &place);
        answer[BASE] = place;
    }
    rc = bcast(answer, FIELDS, 0, fh->f_comm);
    *base = answer[BASE];
    return OMPI_SUCCESS != rc ? rc : (int) answer[RC];
}

/* All numbers were used: all ranks meet, so that none is at an old one when they begin again. */
static int begin_again(ompio_file_t *fh)
{
    int64_t error = 0;
    int rc = barrier(fh->f_comm);

    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (0 == fh->f_rank) {
        error = error_of(fh, mca_sharedfp_ondemand_counter_clear(&pointer_of(fh)->counter));
    }
    rc = bcast(&error, 1, 0, fh->f_comm);
    return OMPI_SUCCESS != rc ? rc : (int) error;
}

/* An open with MPI_MODE_APPEND: each rank has just looked for the end of the file to put its own
 * pointer there, too. Nobody may write before all have; and what rank 0 has seen counts, because
 * other programs may be appending, too. */
static int append_meet(const ompio_file_t *fh, int64_t *start)
{
    enum { SEEKS_OF_OPEN = 2 }; /* the default view, the end */
    int rc;

    if (0 == (fh->f_amode & MPI_MODE_APPEND) || pointer_of(fh)->seeks >= SEEKS_OF_OPEN) {
        return OMPI_SUCCESS;
    }
    rc = barrier(fh->f_comm);
    return OMPI_SUCCESS != rc ? rc : bcast(start, 1, 0, fh->f_comm);
}

int mca_sharedfp_ondemand_seek(ompio_file_t *fh, OMPI_MPI_OFFSET_TYPE offset, int whence)
{
    mca_sharedfp_ondemand_pointer_t *pointer = pointer_of(fh);
    int64_t etype = (int64_t) COLLIO_FVIEW(fh).f_etype_size, start = 0, base = 0;
    bool wraps = __builtin_mul_overflow((int64_t) offset, etype, &start);
    int rc;

    if (NULL == pointer) {
        return MPI_ERR_OTHER;
    }
    rc = MPI_SEEK_SET == whence ? append_meet(fh, &start) : find_base(fh, whence, &base);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    if (wraps || __builtin_add_overflow(base, start, &start) || 0 > start) {
        return MPI_ERR_ARG;
    }
    pointer->start = start;
    ++pointer->seeks;
    return 0 == pointer->seeks % MCA_SHAREDFP_ONDEMAND_SLOTS ? begin_again(fh) : OMPI_SUCCESS;
}
