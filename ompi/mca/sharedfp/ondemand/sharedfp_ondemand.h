/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_SHAREDFP_ONDEMAND_H
#define MCA_SHAREDFP_ONDEMAND_H

#include "ompi/mca/common/collio/compat/compat.h"
#include "ompi/mca/sharedfp/base/base.h"
#include "ompi/mca/sharedfp/sharedfp.h"

BEGIN_C_DECLS

OMPI_DECLSPEC extern mca_sharedfp_base_component_t mca_sharedfp_ondemand_component;

END_C_DECLS

#endif /* MCA_SHAREDFP_ONDEMAND_H */
