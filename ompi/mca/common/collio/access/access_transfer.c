/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Complete transfers. The kernel may move fewer bytes than requested (a signal, 0x7ffff000 bytes at
 * most in one call, a full disk), so every call is continued until all bytes are moved, the file
 * ends, or there is an errno to report. Only this file calls pread and pwrite.
 *
 *   segments     |###|##|   |####|     file offsets; the first two touch
 *   vectors      |------|   |----|     one preadv/pwritev each, of up to IOV_MAX memory pieces
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "access/access_transfer.h"

enum { AGAIN_MAX = 5000 }; /* consecutive EAGAIN that are retried: about 45 s */

/* Returns the number of bytes moved, or -errno. */
static ssize_t call_kernel(const collio_access_t *access, bool write, int64_t offset,
                           struct iovec *iov, int count)
{
    uint64_t start = collio_count_now(access);
    ssize_t moved;

    if (1 == count) {
        moved = write ? pwrite(access->fd, iov[0].iov_base, iov[0].iov_len, (off_t) offset)
                      : pread(access->fd, iov[0].iov_base, iov[0].iov_len, (off_t) offset);
    } else {
        moved = write ? pwritev(access->fd, iov, count, (off_t) offset)
                      : preadv(access->fd, iov, count, (off_t) offset);
    }
    moved = 0 > moved ? -errno : moved;
    COLLIO_COUNT(access, syscalls, 1);
    collio_count_time(access, write, collio_count_now(access) - start);
    return moved;
}

void collio_transfer_skip(struct iovec **iov, int *count, size_t moved)
{
    /* the kernel moves no more than the entries hold: NOLINTNEXTLINE(clang-analyzer-core.*) */
    while (0 < moved && moved >= (*iov)->iov_len) {
        moved -= (*iov)->iov_len;
        *iov += 1;
        *count -= 1;
    }
    if (0 < moved) {
        (*iov)->iov_base = (char *) (*iov)->iov_base + moved;
        (*iov)->iov_len -= moved;
    }
}

/* Pauses after EAGAIN, up to 10 ms. Returns false after too many attempts. */
static bool pause_again(int *again)
{
    struct timespec pause = {.tv_sec = 0};

    if (AGAIN_MAX < ++*again) {
        return false;
    }
    pause.tv_nsec = *again > 1000 ? 10000000 : 10000L * *again;
    nanosleep(&pause, NULL);
    return true;
}

bool collio_transfer_has_old_size(const collio_access_t *access, bool write, int64_t moved)
{
    return 0 > moved && !write && COLLIO_COHERENCE_SIZE == access->coherence;
}

/* For a read that returned 0 bytes: true if the file ends at `offset`. The cached size of a node
 * may be old. */
static bool file_ends(const collio_access_t *access, int64_t offset)
{
    return COLLIO_COHERENT == access->coherence || collio_access_refresh_size(access->fd) <= offset;
}

/* True if the call that failed with this errno must be repeated. */
static bool try_again(collio_access_t *access, int error, int *again, bool *withdrawn)
{
    if (EINTR == error) {
        return true;
    }
    if (EAGAIN == error) {
        return pause_again(again);
    }
    if (*withdrawn) {
        return false;
    }
    *withdrawn = collio_transfer_withdraw(access, error);
    return *withdrawn;
}

int64_t collio_transfer_vector(collio_access_t *access, bool write, int64_t offset,
                               struct iovec *iov, int count, int64_t bytes, int *error)
{
    int64_t done = 0, refreshed_at = -1;
    int again = 0;
    bool withdrawn = false;

    *error = 0;
    while (done < bytes) {
        ssize_t moved = call_kernel(access, write, offset + done, iov, count);

        if (refreshed_at != done && collio_transfer_has_old_size(access, write, moved)) {
            moved = 0;
        }
        if (0 < moved) {
            done += moved;
            again = 0;
            collio_transfer_skip(&iov, &count, (size_t) moved);
        } else if (0 == moved && !write) {
            if (refreshed_at == done || file_ends(access, offset + done)) {
                break;
            }
            refreshed_at = done; /* once more, with the size that the server has */
        } else if (0 == moved) {
            *error = EIO; /* pwrite returned 0 without an errno */
            break;
        } else {
            *error = (int) -moved;
            if (!try_again(access, *error, &again, &withdrawn)) {
                break;
            }
            *error = 0;
        }
        if (done < bytes) {
            COLLIO_COUNT(access, retries, 1);
        }
    }
    return done;
}

bool collio_transfer_cached(collio_access_t *access, int64_t offset, char *addr, int64_t bytes)
{
#ifdef RWF_NOWAIT
    struct iovec iov = {.iov_base = addr, .iov_len = (size_t) bytes};

    if (bytes == preadv2(access->fd, &iov, 1, (off_t) offset, RWF_NOWAIT)) {
        COLLIO_COUNT(access, syscalls, 1);
        return true;
    }
#else
    (void) access, (void) offset, (void) addr, (void) bytes;
#endif
    return false;
}

int64_t collio_transfer_block(collio_access_t *access, bool write, int64_t offset, char *addr,
                              int64_t bytes, int *error)
{
    struct iovec iov = {.iov_base = addr, .iov_len = (size_t) bytes};

    return collio_transfer_vector(access, write, offset, &iov, 1, bytes, error);
}

size_t collio_transfer_gather(const collio_segment_t *segments, size_t count, int iov_most,
                              struct iovec *iov, int *iov_count, int64_t *bytes)
{
    size_t taken = 0;
    int used = 0;

    *bytes = 0;
    while (taken < count && segments[taken].offset == segments[0].offset + *bytes) {
        const collio_segment_t *segment = &segments[taken];

        if (0 < used && segment->addr == (char *) iov[used - 1].iov_base + iov[used - 1].iov_len) {
            iov[used - 1].iov_len += (size_t) segment->length;
        } else if (0 < segment->length) {
            if (iov_most == used) {
                break;
            }
            iov[used].iov_base = segment->addr;
            iov[used].iov_len = (size_t) segment->length;
            ++used;
        }
        *bytes += segment->length;
        ++taken;
    }
    *iov_count = used;
    return taken;
}

void collio_transfer_segments(collio_access_t *access, bool write, const collio_segment_t *segments,
                              size_t count, collio_outcome_t *outcome)
{
    struct iovec iov[COLLIO_IOV_MAX];
    int iov_most = COLLIO_METHOD_DIRECT == access->tuning.method ? 1 : COLLIO_IOV_MAX;
    size_t at = 0;

    while (at < count) {
        int64_t offset = segments[at].offset;
        int64_t bytes, moved;
        int iov_count, error;

        at += collio_transfer_gather(&segments[at], count - at, iov_most, iov, &iov_count, &bytes);
        if (0 == bytes) {
            continue;
        }
        if (offset >= outcome->stop_offset) {
            return; /* past the end of the file, found before */
        }
        moved = collio_transfer_vector(access, write, offset, iov, iov_count, bytes, &error);
        outcome->bytes += moved;
        COLLIO_COUNT(access, pieces_out, 1);
        if (moved < bytes) {
            if (offset + moved < outcome->stop_offset) {
                outcome->stop_offset = offset + moved;
            }
            outcome->error = error;
            if (0 != error) {
                return;
            }
        }
    }
}
