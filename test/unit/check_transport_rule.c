/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Which calls a transport serves, from what it can do and not from its name. */
#include "transport_rule.h"

#include "unit.h"

static const collio_transport_need_t plain = {.blocking = true};
static const collio_transport_need_t nonblocking = {.blocking = false};
static const collio_transport_need_t atomic = {.atomic = true, .blocking = true};
static const collio_transport_need_t no_window = {.blocking = true, .no_window = true};

static const collio_abilities_t messages = {.owner_packed = true, .requester_packed = true};
static const collio_abilities_t shared = {.buffers = COLLIO_BUFFERS_SHARED};
static const collio_abilities_t fences = {
    .buffers = COLLIO_BUFFERS_WINDOW, .waits = true, .rounds = true};

UNIT_TEST(transport_messages_serve_every_call)
{
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&messages, &plain));
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&messages, &nonblocking));
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&messages, &atomic));
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&messages, &no_window));
}

UNIT_TEST(transport_shared_refuses_atomic_calls_only)
{
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&shared, &plain));
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&shared, &nonblocking));
    unit_equal(COLLIO_REASON_ATOMIC, collio_transport_limit(&shared, &atomic));
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&shared, &no_window));
}

UNIT_TEST(transport_puts_need_windows_and_blocking_calls)
{
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&fences, &plain));
    unit_equal(COLLIO_REASON_NONBLOCKING, collio_transport_limit(&fences, &nonblocking));
    unit_equal(COLLIO_REASON_ATOMIC, collio_transport_limit(&fences, &atomic));
    unit_equal(COLLIO_REASON_NO_WINDOW, collio_transport_limit(&fences, &no_window));
}

/* A transport with private buffers whose data do not arrive packed has no staging to apply from:
 * it was accepted for atomic calls because its buffers are private. */
UNIT_TEST(transport_private_unpacked_refuses_atomic_calls)
{
    const collio_abilities_t unpacked = {.buffers = COLLIO_BUFFERS_PRIVATE};
    const collio_abilities_t waiting = {.waits = true, .owner_packed = true};

    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&unpacked, &plain));
    unit_equal(COLLIO_REASON_ATOMIC, collio_transport_limit(&unpacked, &atomic));
    unit_equal(COLLIO_REASON_NONBLOCKING, collio_transport_limit(&waiting, &nonblocking));
    unit_equal(COLLIO_REASON_SET, collio_transport_limit(&waiting, &atomic));
}
