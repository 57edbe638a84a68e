/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffers that only Open MPI's convertor may touch: on a device, or in a file whose data
 * representation is not the native one. They are packed to host memory before a write, and
 * unpacked from it after a read:
 *
 *   user's buffer  --convertor-->  packed (host, file's representation)  --access-->  file
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

bool collio_view_stage_needed(ompio_file_t *fh, const void *buf, size_t count,
                              ompi_datatype_t *type)
{
    if (0 == count || 0 == type->super.size) {
        return false;
    }
    return representation_differs(fh, type) || (COLLIO_HAVE_DEVICES && on_device(buf, count, type));
}

int collio_stage_init(collio_stage_t *stage, ompio_file_t *fh, bool write, const void *buf,
                      size_t count, ompi_datatype_t *type)
{
    opal_convertor_t *master = representation_differs(fh, type) ? fh->f_file_convertor
                                                                : ompi_mpi_local_convertor;
    struct iovec iov;
    uint32_t iov_count = 1;
    size_t packed = 0;
    int rc;

    stage->packed = NULL;
    stage->bytes = 0;
    OBJ_CONSTRUCT(&stage->convertor, opal_convertor_t);
    if (write) {
        rc = opal_convertor_copy_and_prepare_for_send(master, &type->super, count, buf,
                                                      CONVERTOR_SEND_CONVERSION, &stage->convertor);
    } else {
        rc = opal_convertor_copy_and_prepare_for_recv(master, &type->super, count, buf, 0,
                                                      &stage->convertor);
    }
    if (OPAL_SUCCESS != rc) {
        return -EINVAL;
    }
    opal_convertor_get_packed_size(&stage->convertor, &stage->bytes);
    stage->packed = malloc(0 == stage->bytes ? 1 : stage->bytes);
    if (NULL == stage->packed) {
        return -ENOMEM;
    }
    if (write && 0 < stage->bytes) {
        iov.iov_base = stage->packed;
        iov.iov_len = stage->bytes;
        opal_convertor_pack(&stage->convertor, &iov, &iov_count, &packed);
        return packed == stage->bytes ? 0 : -EINVAL;
    }
    return 0;
}

int collio_stage_unpack(collio_stage_t *stage, size_t bytes)
{
    struct iovec iov = {.iov_base = stage->packed, .iov_len = bytes};
    uint32_t iov_count = 1;
    size_t unpacked = 0;

    if (0 == bytes) {
        return 0;
    }
    if (0 > opal_convertor_unpack(&stage->convertor, &iov, &iov_count, &unpacked)) {
        return -EINVAL;
    }
    return 0;
}

void collio_stage_fini(collio_stage_t *stage)
{
    free(stage->packed);
    stage->packed = NULL;
    opal_convertor_cleanup(&stage->convertor);
    OBJ_DESTRUCT(&stage->convertor);
}
