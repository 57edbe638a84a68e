/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A stand-in for a device (CUDA, ROCm): every user buffer that our engine asks Open MPI's convertor
 * about is said to lie on one, so that it must be staged. Other callers see no difference. What is
 * not shown is that the host never touches the buffer: the convertor itself copies by the host.
 *
 * At the end a process appends the number of such answers to the file DEVICE_COUNTS.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opal_config.h"

#include "opal/datatype/opal_convertor.h"
#include "opal/runtime/opal_params.h"

#ifdef CONVERTOR_ACCELERATOR
#    define ON_DEVICE CONVERTOR_ACCELERATOR
#else
#    define ON_DEVICE CONVERTOR_CUDA
#endif

typedef int32_t prepare_t(opal_convertor_t *convertor, const struct opal_datatype_t *datatype,
                          size_t count, const void *buffer);

static long answers;

static int32_t prepare(const char *name, const void *caller, opal_convertor_t *convertor,
                       const struct opal_datatype_t *datatype, size_t count, const void *buffer)
{
    prepare_t *real = (prepare_t *) dlsym(RTLD_NEXT, name);
    int32_t rc = real(convertor, datatype, count, buffer);
    Dl_info from;

#ifndef CONVERTOR_ACCELERATOR
    opal_cuda_support = true; /* else no buffer is asked about */
#endif
    if (0 == rc && NULL != buffer && dladdr(caller, &from) && NULL != from.dli_fname
        && NULL != strstr(from.dli_fname, "common_collio")) {
        convertor->flags |= ON_DEVICE;
        ++answers;
    }
    return rc;
}

int32_t opal_convertor_prepare_for_send(opal_convertor_t *convertor,
                                        const struct opal_datatype_t *datatype, size_t count,
                                        const void *buffer)
{
    return prepare("opal_convertor_prepare_for_send", __builtin_return_address(0), convertor,
                   datatype, count, buffer);
}

int32_t opal_convertor_prepare_for_recv(opal_convertor_t *convertor,
                                        const struct opal_datatype_t *datatype, size_t count,
                                        const void *buffer)
{
    return prepare("opal_convertor_prepare_for_recv", __builtin_return_address(0), convertor,
                   datatype, count, buffer);
}

__attribute__((destructor)) static void tell(void)
{
    const char *path = getenv("DEVICE_COUNTS");
    FILE *file = NULL == path || 0 == answers ? NULL : fopen(path, "a");

    if (NULL != file) {
        fprintf(file, "%ld\n", answers);
        fclose(file);
    }
}
