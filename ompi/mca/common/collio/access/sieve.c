/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data sieving: many small pieces, moved as one block with the holes between them.
 *
 *   read     file [ ##...##....### ]  --one pread-->  window  --copy-->  pieces
 *   write    lock; pread window; copy pieces over it; pwrite window; unlock
 *
 * A write puts the old content of the holes back, so no other process may write to them meanwhile:
 * the window is locked exclusively, and plain writes of the same file handle hold a shared lock
 * (see access.c). Writes are sieved only if all ranks of the handle agreed (access->sieve_writes).
 * The window begins at its first piece and ends after its last piece, so the file does not grow
 * beyond the request. Holes past the end of the file are zeros, as in a sparse file.
 *
 * Memory: one window, for any request. core/sieve_rule decides whether sieving a window pays.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "access/access_transfer.h"
#include "core/sieve_rule.h"

static int64_t window_bytes(const collio_access_t *access, bool write)
{
    if (write) {
        return collio_or_default((int64_t) access->tuning.sieve_write_bytes,
                                 COLLIO_SIEVE_WRITE_BYTES);
    }
    return collio_or_default((int64_t) access->tuning.sieve_read_bytes, COLLIO_SIEVE_READ_BYTES);
}

bool collio_sieve_possible(const collio_access_t *access, bool write, collio_held_t held)
{
    if (!write) {
        return COLLIO_SETTING_OFF != access->tuning.sieve_read;
    }
    return access->sieve_writes && !access->locked && COLLIO_HELD_SHARED != held
           && __atomic_load_n(&access->can_read, __ATOMIC_RELAXED);
}

size_t collio_sieve_window(collio_access_t *access, bool write, const collio_segment_t *segments,
                           size_t count, bool *sieve)
{
    bool always = !write && COLLIO_SETTING_ON == access->tuning.sieve_read;
    int64_t lo = segments[0].offset;
    int64_t limit = collio_sieve_window_end(lo, window_bytes(access, write), access->stripe_bytes);
    int64_t end = lo + segments[0].length;
    collio_sieve_window_t window = {
        .runs = 1,
        .bytes = segments[0].length,
        .call_bytes = collio_sieve_call_bytes(access->in_memory, access->network)};
    size_t taken = 1;

    while (taken < count && segments[taken].offset + segments[taken].length <= limit) {
        window.runs += segments[taken].offset > end;
        window.bytes += segments[taken].length;
        end = collio_max(end, segments[taken].offset + segments[taken].length);
        ++taken;
    }
    window.span = end - lo;
    *sieve = 1 < window.runs && (always || collio_sieve_pays(&window, write));
    if (!*sieve && 1 < window.runs) {
        COLLIO_COUNT(access, sieve_declined, 1);
    }
    return taken;
}

/* Copies between the first `valid` bytes of the window and the pieces. */
static void copy_pieces(char *window, int64_t lo, int64_t valid, bool write,
                        const collio_segment_t *segments, size_t count)
{
    for (size_t i = 0; i < count && segments[i].offset - lo < valid; ++i) {
        int64_t at = segments[i].offset - lo;
        size_t length = (size_t) collio_min(segments[i].length, valid - at);

        if (write) {
            memcpy(window + at, segments[i].addr, length);
        } else {
            memcpy(segments[i].addr, window + at, length);
        }
    }
}

/* Counts the bytes of the pieces that lie in the first `valid` bytes of the window. */
static void count_pieces(int64_t lo, int64_t valid, const collio_segment_t *segments, size_t count,
                         collio_outcome_t *outcome)
{
    for (size_t i = 0; i < count; ++i) {
        int64_t at = segments[i].offset - lo;
        int64_t length = collio_clamp(valid - at, 0, segments[i].length);

        if (length < segments[i].length) {
            outcome->stop_offset = collio_min(outcome->stop_offset, segments[i].offset + length);
        }
        outcome->bytes += length;
    }
}

static void sieve_read(collio_access_t *access, char *window, int64_t lo, int64_t span,
                       const collio_segment_t *segments, size_t count, collio_outcome_t *outcome)
{
    int64_t got = collio_transfer_block(access, false, lo, window, span, &outcome->error);

    copy_pieces(window, lo, got, false, segments, count);
    count_pieces(lo, got, segments, count, outcome);
}

/* Returns false if the window could not be read, and nothing was changed. */
static bool sieve_write(collio_access_t *access, char *window, int64_t lo, int64_t span,
                        const collio_segment_t *segments, size_t count, collio_outcome_t *outcome)
{
    int error;
    int64_t moved = collio_transfer_block(access, false, lo, window, span, &error);

    if (0 != error) {
        if (EBADF == error) {
            __atomic_store_n(&access->can_read, false, __ATOMIC_RELAXED);
        }
        return false;
    }
    memset(window + moved, 0, (size_t) (span - moved));
    copy_pieces(window, lo, span, true, segments, count);
    moved = collio_transfer_block(access, true, lo, window, span, &outcome->error);
    count_pieces(lo, moved, segments, count, outcome);
    return true;
}

bool collio_sieve_transfer(collio_access_t *access, bool write, collio_held_t held,
                           const collio_segment_t *segments, size_t count,
                           collio_outcome_t *outcome)
{
    int64_t before = outcome->bytes;
    int64_t lo, span;
    bool done = true;
    char *window;

    collio_access_span(segments, count, &lo, &span);
    window = malloc((size_t) span);
    if (NULL == window) {
        return false;
    }
    if (!write) {
        sieve_read(access, window, lo, span, segments, count, outcome);
    } else if (COLLIO_HELD_EXCLUSIVE == held) {
        done = sieve_write(access, window, lo, span, segments, count, outcome);
    } else if (0 == collio_access_lock(access, true, lo, span, false)) {
        done = sieve_write(access, window, lo, span, segments, count, outcome);
        collio_access_unlock(access, lo, span);
    } else {
        done = false;
    }
    free(window);
    if (done) {
        COLLIO_COUNT(access, sieve_windows, 1);
        COLLIO_COUNT(access, pieces_out, 1);
        COLLIO_COUNT(access, copied_bytes, (uint64_t) (outcome->bytes - before));
    }
    return done;
}
