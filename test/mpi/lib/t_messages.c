/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Counts messages. See t_messages.h. */
#include "ompi_config.h"

#include "t_messages.h"

#include <stdatomic.h>

#include "ompi/mca/pml/pml.h"

static mca_pml_base_module_isend_fn_t real_isend;
static mca_pml_base_module_send_fn_t real_send;
static _Atomic long sent, synchronous;

static void count(mca_pml_base_send_mode_t mode)
{
    ++sent;
    synchronous += MCA_PML_BASE_SEND_SYNCHRONOUS == mode;
}

static int count_isend(const void *buffer, size_t elements, struct ompi_datatype_t *type, int peer,
                       int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm,
                       struct ompi_request_t **request)
{
    count(mode);
    return real_isend(buffer, elements, type, peer, tag, mode, comm, request);
}

static int count_send(const void *buffer, size_t elements, struct ompi_datatype_t *type, int peer,
                      int tag, mca_pml_base_send_mode_t mode, struct ompi_communicator_t *comm)
{
    count(mode);
    return real_send(buffer, elements, type, peer, tag, mode, comm);
}

static void install(void)
{
    if (NULL == real_isend) {
        real_isend = mca_pml.pml_isend;
        real_send = mca_pml.pml_send;
        mca_pml.pml_isend = count_isend;
        mca_pml.pml_send = count_send;
    }
}

long t_messages(void)
{
    install();
    return sent;
}

long t_messages_synchronous(void)
{
    install();
    return synchronous;
}
