/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FCOLL_OVERLAP_H
#define MCA_FCOLL_OVERLAP_H

#include "ompi/mca/common/collio/ompio/fcoll.h"

/**
 * fcoll/overlap: two-phase collective I/O that overlaps exchange and file access. The engine is in
 * common/collio. docs/collective-io.md describes the method.
 */
BEGIN_C_DECLS

OMPI_DECLSPEC extern mca_fcoll_base_component_t mca_fcoll_overlap_component;

END_C_DECLS

#endif /* MCA_FCOLL_OVERLAP_H */
