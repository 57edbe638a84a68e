/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_COMPAT_H
#define COLLIO_COMPAT_H

/**
 * compat/: everything that differs between Open MPI 4.1, 5.0 and 6.0. This header wraps names,
 * types and calls that differ, so no other file tests a version.
 */

#include "ompi_config.h"

#include "collio_config.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi.h"
#include "ompi/attribute/attribute.h"
#include "ompi/communicator/communicator.h"
#include "ompi/errhandler/errcode.h"
#include "ompi/errhandler/errhandler.h"
#include "ompi/file/file.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/mca/common/ompio/common_ompio.h"
#include "ompi/mca/fbtl/fbtl.h"
#include "ompi/mca/fcoll/fcoll.h"
#include "ompi/mca/io/io.h"
#include "ompi/mca/osc/osc.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"
#include "ompi/request/request.h"
#include "ompi/runtime/mpiruntime.h"
#include "ompi/win/win.h"
#include "opal/mca/base/mca_base_var.h"
#include "opal/runtime/opal.h"
#include "opal/util/info.h"
#include "opal/util/proc.h"

#if OMPI_MAJOR_VERSION >= 6
#    define COLLIO_FCOLL_VERSION    MCA_FCOLL_BASE_VERSION_3_0_0
#    define COLLIO_SHAREDFP_VERSION MCA_SHAREDFP_BASE_VERSION_3_0_0
#    define COLLIO_FVIEW(fh)        ((fh)->f_fview)
typedef size_t collio_count_t; /* count argument of fcoll and io functions */
typedef mca_io_base_module_3_0_0_t collio_io_table_t;
#    define COLLIO_IO_TABLE(file) ((file)->f_io_selected_module.v3_0_0)
#    define COLLIO_IO_VERSION     MCA_IO_BASE_V_3_0_0
#else
#    define COLLIO_FCOLL_VERSION    MCA_FCOLL_BASE_VERSION_2_0_0
#    define COLLIO_SHAREDFP_VERSION MCA_SHAREDFP_BASE_VERSION_2_0_0
#    define COLLIO_FVIEW(fh)        (*(fh))
typedef int collio_count_t;
typedef mca_io_base_module_2_0_0_t collio_io_table_t;
#    define COLLIO_IO_TABLE(file)   ((file)->f_io_selected_module.v2_0_0)
#    define COLLIO_IO_VERSION       MCA_IO_BASE_V_2_0_0
#endif

/* HAVE_DEVICES: user buffers may be on devices. ON_DEVICE: the user buffer of a prepared convertor
 * is on a device, where the host cannot access it. */
#ifdef CONVERTOR_ACCELERATOR
#    define COLLIO_HAVE_DEVICES true
#    define COLLIO_ON_DEVICE(convertor)               \
        (((convertor)->flags & CONVERTOR_ACCELERATOR) \
         && !((convertor)->flags & CONVERTOR_ACCELERATOR_UNIFIED))
#else
#    define COLLIO_HAVE_DEVICES opal_cuda_support
#    define COLLIO_ON_DEVICE(convertor) \
        (((convertor)->flags & CONVERTOR_CUDA) && !((convertor)->flags & CONVERTOR_CUDA_UNIFIED))
#endif

#if OMPI_MAJOR_VERSION >= 6
static inline int collio_copy_nothing(MPI_Comm comm, int key, void *extra, void *value, void *copy,
                                      int *copied)
{
    (void) comm;
    (void) key;
    (void) extra;
    (void) value;
    (void) copy;
    *copied = 0;
    return MPI_SUCCESS;
}
#endif

/** True if this process is between MPI_Init and MPI_Finalize. A process that has only sessions has
 *  no MPI_COMM_SELF, and no callback runs when its last session ends. */
static inline bool collio_world_is_up(void)
{
    return OMPI_MPI_STATE_INIT_COMPLETED == ompi_mpi_state;
}

/** True if several threads may be in MPI at once. MPI_T_init_thread of Open MPI 4.1 overwrites the
 *  level that MPI_Init_thread has set; OPAL still uses threads then. */
static inline bool collio_thread_multiple(void)
{
    return ompi_mpi_thread_multiple
           || (MPI_THREAD_SINGLE == ompi_mpi_thread_provided && opal_using_threads());
}

/** True if MPI_Finalize is past its callbacks. MPI then closes files that the program left open;
 *  5.0 has freed RMA windows before, and refuses MPI_* calls. */
static inline bool collio_mpi_frees_all(void)
{
    return OMPI_MPI_STATE_FINALIZE_PAST_COMM_SELF_DESTRUCT <= ompi_mpi_state;
}

/** True if communicators derived from this one live until MPI_Finalize. If not, they belong to a
 *  session and end with the session. */
static inline bool collio_comm_of_world(const ompi_communicator_t *comm)
{
#if OMPI_MAJOR_VERSION >= 5
    if (comm->instance != ompi_mpi_comm_world.comm.instance) {
        return false;
    }
#else
    (void) comm;
#endif
    return collio_world_is_up();
}

static inline int collio_attribute_ended(MPI_Comm comm, int key, void *ended, void *extra)
{
    (void) comm;
    (void) key;
    (void) extra;
    ((void (*)(void))(intptr_t) ended)();
    return MPI_SUCCESS;
}

/** Registers `ended` for the start of MPI_Finalize (as an attribute of MPI_COMM_SELF), because 4.1
 *  does not close the components of file access. 6.0 needs internal names, because its libopen_mpi
 *  has no MPI_*. Returns MPI_SUCCESS, or an error if the process has only sessions or MPI_Finalize
 *  has begun. */
static inline int collio_call_at_finalize(void (*ended)(void))
{
    int key = MPI_KEYVAL_INVALID;

    if (!collio_world_is_up()) {
        return MPI_ERR_OTHER;
    }
#if OMPI_MAJOR_VERSION >= 6
    ompi_attribute_fn_ptr_union_t copy = {.attr_communicator_copy_fn = collio_copy_nothing};
    ompi_attribute_fn_ptr_union_t removed = {.attr_communicator_delete_fn = collio_attribute_ended};
    int rc = ompi_attr_create_keyval(COMM_ATTR, copy, removed, &key, NULL, 0, NULL);

    if (MPI_SUCCESS != rc) {
        return rc;
    }
    return ompi_attr_set_c(COMM_ATTR, &ompi_mpi_comm_self.comm, &ompi_mpi_comm_self.comm.c_keyhash,
                           key, (void *) (intptr_t) ended, false);
#else
    int rc = PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, collio_attribute_ended, &key, NULL);

    return MPI_SUCCESS == rc ? PMPI_Comm_set_attr(MPI_COMM_SELF, key, (void *) (intptr_t) ended)
                             : rc;
#endif
}

/** True if processes of this communicator, or of the job, run on other nodes. Other processes of
 *  the job may open the same file by another communicator. */
static inline bool collio_spans_nodes(const ompi_communicator_t *comm)
{
    ompi_group_t *job = ompi_mpi_comm_world.comm.c_local_group;

    return (NULL != comm && MPI_COMM_NULL != comm
            && ompi_group_have_remote_peers(comm->c_local_group))
           || (NULL != job && ompi_group_have_remote_peers(job));
}

/** True if all processes of a communicator belong to one job. Jobs can be disconnected, and have
 *  session directories of their own. */
static inline bool collio_of_one_job(const ompi_communicator_t *comm)
{
    opal_process_name_t first = ompi_group_get_proc_name(comm->c_local_group, 0);

    for (int i = 1; i < ompi_group_size(comm->c_local_group); ++i) {
        if (ompi_group_get_proc_name(comm->c_local_group, i).jobid != first.jobid) {
            return false;
        }
    }
    return true;
}

/** Writes a text that identifies a communicator among all communicators of its processes; the text
 *  is the same on all ranks. */
static inline void collio_comm_id(const ompi_communicator_t *comm, char *text, size_t size)
{
#if OMPI_MAJOR_VERSION >= 5
    snprintf(text, size, "%s", ompi_comm_print_cid(comm));
#else
    snprintf(text, size, "%llx", (unsigned long long) comm->c_contextid);
#endif
}

/** True if mpirun has bound this process to cores; false if a batch system or taskset has. */
static inline bool collio_bound_by_mpirun(void)
{
#if OMPI_MAJOR_VERSION >= 5
    return opal_process_info.proc_is_bound && NULL != getenv("OMPI_COMM_WORLD_RANK");
#else
    return NULL != getenv("OMPI_MCA_orte_bound_at_launch");
#endif
}

/* sharedfp/individual of releases before 6.0 passes handles that it never initialized */
#define COLLIO_HANDLES_ARE_CLEAN (OMPI_MAJOR_VERSION >= 6)
#define collio_file_of(number)   PMPI_File_f2c(number) /* the file of a number in Fortran */

/* the fbtl module has a function that checks whether atomic mode works */
#define COLLIO_HAVE_CHECK_ATOMICITY (OMPI_MAJOR_VERSION >= 5)

/** The version that ompi_info prints for a component: collio's version. */
#define COLLIO_COMPONENT_VERSION \
    MCA_BASE_MAKE_VERSION(component, COLLIO_MAJOR, COLLIO_MINOR, COLLIO_RELEASE)

/** Returns the value of an integer parameter of a component; -1: no parameter has that name. */
static inline int collio_parameter(const char *framework, const char *component, const char *name)
{
    int index = mca_base_var_find("ompi", framework, component, name);
    const int *value = NULL;

    return 0 <= index && OPAL_SUCCESS == mca_base_var_get_value(index, &value, NULL, NULL)
                   && NULL != value
               ? *value
               : -1;
}

/** True if the hint is a default of io/ompio. Since 6.0 io/ompio adds its own defaults to the hints
 *  of a file, where they cannot be distinguished from hints of the user. A hint with the default's
 *  value is therefore ignored; otherwise it would override the parameter of collio. */
static inline bool collio_hint_is_ompios(const char *key, const char *value)
{
#if OMPI_MAJOR_VERSION >= 6
    if (0 == strcmp(key, "collective_buffering")) {
        return 0 == strcmp(value, "true");
    }
    if (0 == strcmp(key, "cb_buffer_size")) {
        return collio_parameter("io", "ompio", "bytes_per_agg") == strtoll(value, NULL, 10);
    }
#else
    (void) key;
    (void) value;
#endif
    return false;
}

/** Gets the value of a hint. Returns false if the hint is not set, or its value does not fit. */
static inline bool collio_hint_get(opal_info_t *info, const char *key, char *value, size_t size)
{
    int found = 0;

    if (NULL == info) {
        return false;
    }
#if OMPI_MAJOR_VERSION >= 5
    opal_cstring_t *text = NULL;

    if (OPAL_SUCCESS != opal_info_get(info, key, &text, &found) || !found) {
        return false;
    }
    found = strlen(text->string) < size;
    if (found) {
        memcpy(value, text->string, strlen(text->string) + 1);
    }
    OBJ_RELEASE(text);
    found = found && !collio_hint_is_ompios(key, value);
#else
    if (OPAL_SUCCESS != opal_info_get(info, key, (int) size - 1, value, &found)) {
        return false;
    }
#endif
    return 0 != found;
}

static inline void collio_hint_set(opal_info_t *info, const char *key, const char *value)
{
    if (NULL != info) {
        (void) opal_info_set(info, key, value);
    }
}

/** Gets key number n of an info object. Returns false past the last key. */
static inline bool collio_hint_key(opal_info_t *info, int n, char *key, size_t size)
{
    int count = 0;

    if (NULL == info || OPAL_SUCCESS != opal_info_get_nkeys(info, &count) || n >= count) {
        return false;
    }
#if OMPI_MAJOR_VERSION >= 5
    opal_cstring_t *text = NULL;

    if (OPAL_SUCCESS != opal_info_get_nthkey(info, n, &text) || NULL == text) {
        return false;
    }
    snprintf(key, size, "%s", text->string);
    OBJ_RELEASE(text);
    return true;
#else
    if (size <= OPAL_MAX_INFO_KEY || OPAL_SUCCESS != opal_info_get_nthkey(info, n, key)) {
        return false;
    }
    key[OPAL_MAX_INFO_KEY] = '\0';
    return true;
#endif
}

static inline void collio_hint_delete(opal_info_t *info, const char *key)
{
    (void) opal_info_delete(info, key);
}

/** Creates a commutative reduction of collio. ompi/op/op.h cannot be included (it needs a header
 *  that is never installed), so 4.1 and 5.0 use the profiling interface, and 6.0 (whose libopen_mpi
 *  has no MPI_*) the internal function, which is declared below. */
typedef void collio_op_fn_t(void *in, void *inout, int *count, MPI_Datatype *type);
#if OMPI_MAJOR_VERSION >= 6
/* bigcount: the function's count is a size_t */
struct ompi_op_t *ompi_op_create_user(bool commute, bool bigcount, collio_op_fn_t *fn);

static inline int collio_op_create(collio_op_fn_t *fn, struct ompi_op_t **op)
{
    *op = ompi_op_create_user(true, false, fn);
    return NULL == *op ? OMPI_ERR_OUT_OF_RESOURCE : OMPI_SUCCESS;
}
#else
static inline int collio_op_create(collio_op_fn_t *fn, struct ompi_op_t **op)
{
    return PMPI_Op_create(fn, 1, op);
}
#endif

/** Frees a reduction, also after MPI_Finalize has begun, when MPI refuses MPI_Op_free. */
static inline void collio_op_free(struct ompi_op_t **op)
{
    opal_object_t *object = (opal_object_t *) *op;

    OBJ_RELEASE(object);
    *op = NULL;
}

/* One-sided calls on bytes, by the osc module. RMA windows and datatypes are made by MPI_*, because
 * the internal functions are hidden, except in 6.0, whose libopen_mpi has no MPI_*. */
typedef struct ompi_win_t collio_win_t;
enum { COLLIO_WIN_RUNS = 1024 }; /* maximum number of runs in one call */

/** Puts a message into the RMA window of `peer`, or gets the message from there. */
static inline int collio_win_move(bool put, void *message, int bytes, int peer, int64_t at,
                                  collio_win_t *win)
{
    if (put) {
        return win->w_osc_module->osc_put(message, bytes, MPI_BYTE, peer, at, bytes, MPI_BYTE, win);
    }
    return win->w_osc_module->osc_get(message, bytes, MPI_BYTE, peer, at, bytes, MPI_BYTE, win);
}

static inline int collio_win_fence(collio_win_t *win)
{
    return win->w_osc_module->osc_fence(0, win);
}

/** True if two groups of ranks that make RMA windows on one node at the same time may get the same
 *  segment (open-mpi/ompi#9492, fixed in 5.0). */
#define COLLIO_WINDOWS_COLLIDE (OMPI_MAJOR_VERSION < 5)

/** Makes an RMA window over *base, or (allocate) in memory that the node's ranks share, the only
 *  kind of osc/sm, and sets *base. A failure does not run the user's error handler. */
static inline int collio_win_make(bool allocate, char **base, size_t bytes,
                                  ompi_communicator_t *comm, collio_win_t **win)
{
#if OMPI_MAJOR_VERSION >= 6
    return allocate ? ompi_win_allocate_shared(bytes, 1, &MPI_INFO_NULL->super, comm, base, win)
                    : ompi_win_create(*base, bytes, 1, comm, &MPI_INFO_NULL->super, win);
#else
    ompi_errhandler_t *handler = comm->error_handler;
    int rc;

    comm->error_handler = &ompi_mpi_errors_return.eh;
    rc = allocate ? PMPI_Win_allocate_shared((MPI_Aint) bytes, 1, MPI_INFO_NULL, comm, base, win)
                  : PMPI_Win_create(*base, (MPI_Aint) bytes, 1, MPI_INFO_NULL, comm, win);
    comm->error_handler = handler;
    if (MPI_SUCCESS == rc) {
        (void) PMPI_Win_set_errhandler(*win, MPI_ERRORS_RETURN);
    }
    return rc;
#endif
}

static inline void collio_win_free(collio_win_t **win)
{
    if (collio_mpi_frees_all()) {
        return;
    }
#if OMPI_MAJOR_VERSION >= 6
    (void) ompi_win_free(*win);
#else
    (void) PMPI_Win_free(win);
#endif
}

#if OMPI_MAJOR_VERSION >= 6
static inline int collio_win_runs(bool put, char *message, int bytes, int peer, int count,
                                  const int *length, const MPI_Aint *at, collio_win_t *win)
{
    int rc = OMPI_SUCCESS;

    (void) bytes; /* libopen_mpi cannot make datatypes: one call per run */
    for (int i = 0; i < count && OMPI_SUCCESS == rc; ++i) {
        rc = collio_win_move(put, message, length[i], peer, at[i], win);
        message += length[i];
    }
    return rc;
}

#else
/** Moves many runs in one call: contiguous origin, indexed target. */
static inline int collio_win_runs(bool put, char *message, int bytes, int peer, int count,
                                  const int *length, const MPI_Aint *at, collio_win_t *win)
{
    MPI_Datatype runs;
    int rc = PMPI_Type_create_hindexed(count, length, at, MPI_BYTE, &runs);

    if (MPI_SUCCESS != rc) {
        return rc;
    }
    rc = PMPI_Type_commit(&runs);
    if (MPI_SUCCESS == rc) {
        rc = put ? PMPI_Put(message, bytes, MPI_BYTE, peer, 0, 1, runs, win)
                 : PMPI_Get(message, bytes, MPI_BYTE, peer, 0, 1, runs, win);
    }
    (void) PMPI_Type_free(&runs);
    return rc;
}
#endif

/* Communication of the engine, by internal entry points, which PMPI tools do not intercept. */

static inline int collio_isend(const void *buffer, size_t bytes, int peer, int tag,
                               bool synchronous, ompi_communicator_t *comm,
                               ompi_request_t **request)
{
    return MCA_PML_CALL(isend(
        buffer, bytes, MPI_BYTE, peer, tag,
        synchronous ? MCA_PML_BASE_SEND_SYNCHRONOUS : MCA_PML_BASE_SEND_STANDARD, comm, request));
}

static inline int collio_irecv(void *buffer, size_t bytes, int peer, int tag,
                               ompi_communicator_t *comm, ompi_request_t **request)
{
    return MCA_PML_CALL(irecv(buffer, bytes, MPI_BYTE, peer, tag, comm, request));
}

static inline int collio_iprobe(int tag, ompi_communicator_t *comm, int *matched,
                                ompi_status_public_t *status)
{
    return MCA_PML_CALL(iprobe(MPI_ANY_SOURCE, tag, comm, matched, status));
}

static inline int collio_iallreduce(const void *send, void *receive, int count,
                                    ompi_datatype_t *type, struct ompi_op_t *op,
                                    ompi_communicator_t *comm, ompi_request_t **request)
{
    return comm->c_coll->coll_iallreduce(send, receive, count, type, op, comm, request,
                                         comm->c_coll->coll_iallreduce_module);
}

static inline int collio_allreduce(const void *send, void *receive, int count,
                                   ompi_datatype_t *type, struct ompi_op_t *op,
                                   ompi_communicator_t *comm)
{
    return comm->c_coll->coll_allreduce(send, receive, count, type, op, comm,
                                        comm->c_coll->coll_allreduce_module);
}

static inline int collio_bcast_from(int root, void *data, int count, ompi_datatype_t *type,
                                    ompi_communicator_t *comm)
{
    return comm->c_coll->coll_bcast(data, count, type, root, comm, comm->c_coll->coll_bcast_module);
}

/** Broadcasts from rank 0. */
static inline int collio_bcast(void *data, int count, ompi_datatype_t *type,
                               ompi_communicator_t *comm)
{
    return collio_bcast_from(0, data, count, type, comm);
}

static inline int collio_barrier(ompi_communicator_t *comm)
{
    return comm->c_coll->coll_barrier(comm, comm->c_coll->coll_barrier_module);
}

/** Returns true if the request is complete; then frees the request and sets *error to its error or
 *  MPI_SUCCESS, and *bytes (may be NULL) to the bytes received. Does not block. The engine uses
 *  request_done (file.h) instead. */
static inline bool collio_request_test(ompi_request_t **request, int64_t *bytes, int *error)
{
    if (!REQUEST_COMPLETE(*request)) {
        return false;
    }
    if (NULL != bytes) {
        *bytes = (int64_t) (*request)->req_status._ucount;
    }
    *error = (*request)->req_status.MPI_ERROR;
    ompi_request_free(request);
    return true;
}

/** Returns the MPI error class (a positive MPI_ERR_* value) of a positive errno, MPI_SUCCESS for 0.
 *  Only this function maps system errors to MPI errors. */
int collio_error_class(int errno_value);

/** Keeps the first error: sets *error_class from a positive errno unless *error_class is set. */
void collio_error_note(int *error_class, int errno_value);
/** Returns the MPI error class of a failed MPI call or request, whose code may be internal. */
int collio_error_class_of_mpi(int error);

/** The error of calls when another process has died. */
#ifdef MPI_ERR_PROC_FAILED
#    define COLLIO_ERR_PROCESS MPI_ERR_PROC_FAILED
#else
#    define COLLIO_ERR_PROCESS MPI_ERR_OTHER
#endif

#endif /* COLLIO_COMPAT_H */
