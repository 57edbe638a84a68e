/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Compares the sizes of Open MPI's structs in the headers of the build with the loaded libraries.
 */
#include "compat/sizes.h"

#include "compat/compat.h"

#define A_CLASS(type)                        \
    {                                        \
#        type, sizeof(type), OBJ_CLASS(type) \
    }

bool collio_sizes_fit(collio_size_t *other)
{
    static const struct {
        const char *name;
        size_t built;
        const opal_class_t *running;
    } classes[] = {
        A_CLASS(opal_object_t),       A_CLASS(opal_info_t),    A_CLASS(opal_convertor_t),
        A_CLASS(ompi_datatype_t),     A_CLASS(ompi_request_t), A_CLASS(ompi_group_t),
        A_CLASS(ompi_communicator_t), A_CLASS(ompi_win_t),
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i) {
        if (classes[i].built != classes[i].running->cls_sizeof) {
            *other = (collio_size_t){classes[i].name, classes[i].built,
                                     classes[i].running->cls_sizeof};
            return false;
        }
    }
    return true;
}
