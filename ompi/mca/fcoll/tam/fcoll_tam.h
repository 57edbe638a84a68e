/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef MCA_FCOLL_TAM_H
#define MCA_FCOLL_TAM_H

#include "ompi/mca/common/collio/ompio/fcoll.h"

/**
 * fcoll/tam: collective I/O with two-layer aggregation. A few local aggregators gather the requests
 * and data of a node or a rack, so that aggregators receive few large messages instead of one from
 * every rank. The engine is in common/collio (plan/relay.h); docs/collective-io.md describes
 * the method.
 *
 *   ranks of a node ==> local aggregators ==> aggregators ==> file
 */
BEGIN_C_DECLS

OMPI_DECLSPEC extern mca_fcoll_base_component_t mca_fcoll_tam_component;

END_C_DECLS

#endif /* MCA_FCOLL_TAM_H */
