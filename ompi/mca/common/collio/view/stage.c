/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * User buffers that only Open MPI's convertor can access: buffers on a device, or of a file whose
 * data representation is not native. They are packed to host memory before a write, and unpacked
 * from host memory after a read:
 *
 *   user buffer  --convertor-->  packed (host, file's representation)  --access-->  file
 */
#include "compat/compat.h"

#include <errno.h>
#include <stdlib.h>

#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/runtime/opal_params.h"

#include "view/view.h"

/* bytes and characters are the same in every representation */
static bool representation_differs(ompio_file_t *fh, ompi_datatype_t *type)
{
    return !(fh->f_flags & OMPIO_DATAREP_NATIVE) && &ompi_mpi_byte.dt != type
           && &ompi_mpi_char.dt != type;
}

static bool on_device(const void *buf, size_t count, ompi_datatype_t *type)
{
    opal_convertor_t convertor;
    bool device = false;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    if (OPAL_SUCCESS
        == opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &type->super, count,
                                                    buf, 0, &convertor)) {
        device = COLLIO_ON_DEVICE(&convertor);
    }
    opal_convertor_cleanup(&convertor);
    OBJ_DESTRUCT(&convertor);
    return device;
}

bool collio_stage_needed(ompio_file_t *fh, const void *buffer, size_t count, ompi_datatype_t *type)
{
    if (0 == count || 0 == type->super.size) {
        return false;
    }
    return representation_differs(fh, type)
           || (COLLIO_HAVE_DEVICES && on_device(buffer, count, type));
}

static int stage_prepare(collio_stage_t *stage, ompio_file_t *fh, bool write, const void *buffer,
                         size_t count, ompi_datatype_t *type)
{
    opal_convertor_t *master = representation_differs(fh, type) ? fh->f_file_convertor
                                                                : ompi_mpi_local_convertor;

    if (write) {
        return opal_convertor_copy_and_prepare_for_send(
            master, &type->super, count, buffer, CONVERTOR_SEND_CONVERSION, &stage->convertor);
    }
    return opal_convertor_copy_and_prepare_for_recv(master, &type->super, count, buffer, 0,
                                                    &stage->convertor);
}

static int stage_pack(collio_stage_t *stage)
{
    struct iovec iov = {.iov_base = stage->packed, .iov_len = stage->bytes};
    uint32_t iov_count = 1;
    size_t packed = 0;

    opal_convertor_pack(&stage->convertor, &iov, &iov_count, &packed);
    return packed == stage->bytes ? 0 : -EINVAL;
}

int collio_stage_new(ompio_file_t *fh, bool write, const void *buffer, size_t count,
                     ompi_datatype_t *type, collio_stage_t **stage)
{
    collio_stage_t *made = calloc(1, sizeof(*made));
    int rc = -EINVAL;

    *stage = NULL;
    if (NULL == made) {
        return -ENOMEM;
    }
    OBJ_CONSTRUCT(&made->convertor, opal_convertor_t);
    if (OPAL_SUCCESS != stage_prepare(made, fh, write, buffer, count, type)) {
        goto err_free;
    }
    opal_convertor_get_packed_size(&made->convertor, &made->bytes);
    made->packed = malloc(0 == made->bytes ? 1 : made->bytes);
    if (NULL == made->packed) {
        rc = -ENOMEM;
        goto err_free;
    }
    rc = write && 0 < made->bytes ? stage_pack(made) : 0;
    if (0 != rc) {
        goto err_free;
    }
    *stage = made;
    return 0;

err_free:
    collio_stage_free(made);
    return rc;
}

int collio_stage_unpack(collio_stage_t *stage, size_t bytes)
{
    struct iovec iov = {.iov_base = stage->packed, .iov_len = bytes};
    uint32_t iov_count = 1;
    size_t unpacked = 0;

    if (0 < bytes && 0 > opal_convertor_unpack(&stage->convertor, &iov, &iov_count, &unpacked)) {
        return -EINVAL;
    }
    return 0;
}

void collio_stage_free(collio_stage_t *stage)
{
    if (NULL == stage) {
        return;
    }
    free(stage->packed);
    opal_convertor_cleanup(&stage->convertor);
    OBJ_DESTRUCT(&stage->convertor);
    free(stage);
}
