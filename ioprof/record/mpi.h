/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What the wrappers of MPI functions share.
 *
 * Every function is wrapped under both names, MPI_X and PMPI_X. Open MPI's Fortran bindings
 * (mpif.h, mpi, mpi_f08) call PMPI_X of the C library, those of MPICH MPI_X or PMPI_X: so a Fortran
 * program is seen whatever its compiler makes of names. A depth per thread keeps a call from
 * counting twice where one name leads to the other, or where the library calls itself. */
#ifndef IOPROF_RECORD_MPI_H
#define IOPROF_RECORD_MPI_H

#include "record/record.h"

#include <mpi.h>
#include <sched.h>

#define IOPROF_STRIP(...) __VA_ARGS__

/** Defines MPI_<name> and PMPI_<name>; the body, in braces, may use `real`. */
#define IOPROF_WRAP(name, PARAMS, ARGS, ...)                                          \
    typedef int name##_type PARAMS;                                                   \
    static int name##_body(name##_type *real, IOPROF_STRIP PARAMS)                    \
        __VA_ARGS__ IOPROF_EXPORT int MPI_##name PARAMS                               \
    {                                                                                 \
        static name##_type *real;                                                     \
        real = NULL == real ? (name##_type *) dlsym(RTLD_NEXT, "MPI_" #name) : real;  \
        return name##_body(real, IOPROF_STRIP ARGS);                                  \
    }                                                                                 \
    IOPROF_EXPORT int PMPI_##name PARAMS                                              \
    {                                                                                 \
        static name##_type *real;                                                     \
        real = NULL == real ? (name##_type *) dlsym(RTLD_NEXT, "PMPI_" #name) : real; \
        return name##_body(real, IOPROF_STRIP ARGS);                                  \
    }

/** The same around a call on `fh`: BEFORE and AFTER may use `c`, AFTER also `rc`. */
#define IOPROF_CALL(name, id, PARAMS, ARGS, fh, BEFORE, AFTER) \
    IOPROF_WRAP(name, PARAMS, ARGS, {                          \
        struct ioprof_mpi c;                                   \
        int rc;                                                \
                                                               \
        if (!ioprof_mpi_begin(&c, IOPROF_ID_##id, fh)) {       \
            return real ARGS;                                  \
        }                                                      \
        BEFORE;                                                \
        rc = real ARGS;                                        \
        AFTER;                                                 \
        return rc;                                             \
    })

static inline void ioprof_lock(bool *locked)
{
    while (__atomic_exchange_n(locked, true, __ATOMIC_ACQUIRE)) {
        sched_yield(); /* its holder may wait for this core */
    }
}

static inline void ioprof_unlock(bool *locked)
{
    __atomic_store_n(locked, false, __ATOMIC_RELEASE);
}

struct ioprof_mpi_file;

struct ioprof_mpi {
    enum ioprof_id id;
    struct ioprof_mpi_file *handle; /* or NULL */
    int file;
    uint64_t begin, offset;
    uint64_t memory; /* resident memory before the call; 0: not sampled */
};

/** A call on a file begins; false: it is inside another one, or not counted. */
bool ioprof_mpi_begin(struct ioprof_mpi *c, enum ioprof_id id, MPI_File fh);
/** Where it goes, for events: an offset in the view, or IOPROF_MPI_POINTER. */
#define IOPROF_MPI_POINTER ((MPI_Offset) -1)
#define IOPROF_MPI_SHARED  ((MPI_Offset) -2) /* the shared pointer: not asked, it may be locked */
void ioprof_mpi_place(struct ioprof_mpi *c, MPI_File fh, MPI_Offset offset);
void ioprof_mpi_end(const struct ioprof_mpi *c, int rc);
void ioprof_mpi_end_data(const struct ioprof_mpi *c, int rc, const MPI_Status *status);
/** A nonblocking call has begun; completion comes with its request. */
void ioprof_mpi_end_start(const struct ioprof_mpi *c, int rc, MPI_Request *request, uint64_t bytes);

/** A nonblocking or split call is complete. */
void ioprof_mpi_complete(const struct ioprof_mpi *c, bool failed, uint64_t bytes);

/** A split call: bytes and span are known at its end. */
void ioprof_split_begin(const struct ioprof_mpi *c, int rc);
void ioprof_split_end(const struct ioprof_mpi *c, int rc, const MPI_Status *status);

/** Bytes that a status counts. */
uint64_t ioprof_mpi_bytes(const MPI_Status *status);
uint64_t ioprof_mpi_type_bytes(MPI_Datatype type, MPI_Count count);

/** Performance variables of I/O components: watches new ones, and reads all at the end. */
void ioprof_pvars_watch(void);
void ioprof_pvars_add(struct ioprof_profile *profile);

/** Nonblocking calls under way: record/mpi_request.c. */
void ioprof_request_add(MPI_Request request, const struct ioprof_mpi *c);

#endif /* IOPROF_RECORD_MPI_H */
