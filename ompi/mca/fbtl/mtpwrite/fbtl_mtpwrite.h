/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FBTL_MTPWRITE_H
#define MCA_FBTL_MTPWRITE_H

#include "ompi_config.h"

#include "ompi/mca/fbtl/fbtl.h"

BEGIN_C_DECLS

OMPI_DECLSPEC extern mca_fbtl_base_component_t mca_fbtl_mtpwrite_component;

END_C_DECLS

#endif /* MCA_FBTL_MTPWRITE_H */
