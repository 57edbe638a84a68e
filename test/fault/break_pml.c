/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/* Messages that fail: the entries of Open MPI's point-to-point layer are replaced in this process.
 * See break_pml.h. */
#include "ompi_config.h"

#include "break_pml.h"

#include "ompi/constants.h"
#include "ompi/mca/pml/pml.h"

static mca_pml_base_module_isend_fn_t real_isend;
static mca_pml_base_module_irecv_fn_t real_irecv;
static int sends_to_fail, receives_to_cut, least_tag;

static int isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                 mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                 struct ompi_request_t **request)
{
    if (sends_to_fail > 0 && tag >= least_tag) {
        --sends_to_fail;
        return OMPI_ERROR;
    }
    return real_isend(buffer, count, type, peer, tag, mode, comm, request);
}

static int irecv(void *buffer, size_t count, struct ompi_datatype_t *type, int peer, int tag,
                 struct ompi_communicator_t *comm, struct ompi_request_t **request)
{
    if (receives_to_cut > 0 && tag >= least_tag && count > 1) {
        --receives_to_cut;
        count /= 2;
    }
    return real_irecv(buffer, count, type, peer, tag, comm, request);
}

void break_pml(int sends, int receives, int tag)
{
    real_isend = mca_pml.pml_isend;
    real_irecv = mca_pml.pml_irecv;
    sends_to_fail = sends;
    receives_to_cut = receives;
    least_tag = tag;
    mca_pml.pml_isend = isend;
    mca_pml.pml_irecv = irecv;
}
