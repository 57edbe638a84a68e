/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * fcoll/tam: two-layer aggregation. Requests and data are gathered inside each node by a few local
 * aggregators before they go to the ranks that access the file, so that these get few and large
 * messages instead of one from every rank.
 *
 *   ranks of a node ==> local aggregators ==> aggregators ==> file
 *
 * Everything it does is in common/collio (relay.h). How it works: docs/collective-io.md.
 */
#include "fcoll_tam.h"

COLLIO_FCOLL_COMPONENT(tam, true);
