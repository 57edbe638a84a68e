/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Messages that fail: the entries of Open MPI's point-to-point layer are replaced in this process.
 * See break_pml.h. */
#include "ompi_config.h"

#include "break_pml.h"

#include "ompi/constants.h"
#include "ompi/mca/pml/pml.h"

static mca_pml_base_module_isend_fn_t real_isend;
static mca_pml_base_module_irecv_fn_t real_irecv;
static int sends_to_fail, receives_to_cut, least_tag;
static bool reductions_only;
static int let_pass;

/* True if this is one of the messages to break. */
static bool chosen(const struct ompi_datatype_t *type, int tag)
{
    if (!reductions_only) {
        return tag >= least_tag;
    }
    return MPI_INT64_T == type && 0 > tag && 0 == let_pass;
}

/* One more of a reduction has gone by. */
static void count_reduction(const struct ompi_datatype_t *type, int tag)
{
    if (reductions_only && MPI_INT64_T == type && 0 > tag && 0 < let_pass) {
        --let_pass;
    }
}

static int isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                 mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                 struct ompi_request_t **request)
{
    if (sends_to_fail > 0 && chosen(type, tag)) {
        --sends_to_fail;
        return OMPI_ERROR;
    }
    if (sends_to_fail > 0) {
        count_reduction(type, tag);
    }
    return real_isend(buffer, count, type, peer, tag, mode, comm, request);
}

static int irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                 struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    if (receives_to_cut > 0 && chosen(type, tag) && (count > 1 || reductions_only)) {
        --receives_to_cut;
        count /= 2;
    } else if (receives_to_cut > 0) {
        count_reduction(type, tag);
    }
    return real_irecv(buffer, count, type, peer, tag, comm, request);
}

void break_pml_reduction(int sends, int receives, int after)
{
    break_pml(sends, receives, 0);
    reductions_only = true;
    let_pass = after;
}

void break_pml(int sends, int receives, int tag)
{
    reductions_only = false;
    real_isend = mca_pml.pml_isend;
    real_irecv = mca_pml.pml_irecv;
    sends_to_fail = sends;
    receives_to_cut = receives;
    least_tag = tag;
    mca_pml.pml_isend = isend;
    mca_pml.pml_irecv = irecv;
}
