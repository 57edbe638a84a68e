/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FCOLL_TAM_H
#define MCA_FCOLL_TAM_H

#include "ompi/mca/common/collio/ompio/fcoll.h"

BEGIN_C_DECLS

OMPI_DECLSPEC extern mca_fcoll_base_component_t mca_fcoll_tam_component;

END_C_DECLS

#endif /* MCA_FCOLL_TAM_H */
