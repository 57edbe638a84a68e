/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Counts messages. See t_messages.h. */
#include "ompi_config.h"

#include "t_messages.h"

#include <stdatomic.h>

#include "ompi/mca/pml/pml.h"

static mca_pml_base_module_isend_fn_t real_isend;
static mca_pml_base_module_send_fn_t real_send;
static _Atomic long sent;

static int count_isend(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                       int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                       struct ompi_request_t **request)
{
    ++sent;
    return real_isend(buffer, count, type, peer, tag, mode, comm, request);
}

static int count_send(const void *buffer, size_t count, struct ompi_datatype_t *type, int peer,
                      int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    ++sent;
    return real_send(buffer, count, type, peer, tag, mode, comm);
}

long t_messages(void)
{
    if (NULL == real_isend) {
        real_isend = mca_pml.pml_isend;
        real_send = mca_pml.pml_send;
        mca_pml.pml_isend = count_isend;
        mca_pml.pml_send = count_send;
    }
    return sent;
}
