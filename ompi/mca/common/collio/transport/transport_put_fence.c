/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Puts between fences. All ranks take part in every fence, so the ranks step through numbered
 * rounds together: the driver is cycles/fence.c.
 */
#include "transport/transport.h"

const collio_transport_t collio_transport_put_fence = {
    .name = "put_fence",
    .can = {.buffers = COLLIO_BUFFERS_WINDOW, .waits = true, .rounds = true},
};
