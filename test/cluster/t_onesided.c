/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Which one-sided calls work between the ranks of this job? The calls are those of the put_fence
 * and put_lock transports: a window that is empty on all but a few targets, Put between two
 * fences, and Put under a shared lock that many origins hold at the same time.
 *
 *   rank r  --- ROUNDS x Put of BLOCK_BYTES at place r --->  window of target t, for every t
 *
 * Every target checks every byte after each round. Errors are returned, printed and counted, so
 * that an Open MPI that refuses windows ends with a line instead of an abort.
 *
 * usage: t_onesided fence|lock|flush [multiple]      multiple: with MPI_THREAD_MULTIPLE
 * exit: 0 works, 1 wrong bytes, 3 windows are refused (the reason is printed)
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 20000, ROUNDS = 4, TARGET_STRIDE = 3, REFUSED = 3 };

static int rank, size;

static int is_target(int r)
{
    return 0 == r % TARGET_STRIDE;
}

static unsigned char byte_of(int origin, int target, int round, int i)
{
    return (unsigned char) (origin * 31 + target * 17 + round * 7 + i);
}

static void say_error(const char *call, int rc)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    MPI_Error_string(rc, text, &length);
    fprintf(stderr, "t_onesided: rank %d: %s: %s\n", rank, call, text);
}

static int put_all(MPI_Win win, unsigned char *blocks, int round, const char *mode)
{
    int rc = MPI_SUCCESS;

    for (int t = 0; t < size && MPI_SUCCESS == rc; t++) {
        unsigned char *block = blocks + (size_t) t * BLOCK_BYTES;
        if (!is_target(t)) {
            continue;
        }
        for (int i = 0; i < BLOCK_BYTES; i++) {
            block[i] = byte_of(rank, t, round, i);
        }
        if (0 == strcmp(mode, "lock")) {
            rc = MPI_Win_lock(MPI_LOCK_SHARED, t, 0, win);
        }
        if (MPI_SUCCESS == rc) {
            rc = MPI_Put(block, BLOCK_BYTES, MPI_BYTE, t, (MPI_Aint) rank * BLOCK_BYTES,
                         BLOCK_BYTES, MPI_BYTE, win);
        }
        if (MPI_SUCCESS == rc && 0 == strcmp(mode, "lock")) {
            rc = MPI_Win_unlock(t, win);
        }
    }
    return rc;
}

/* One round of puts, closed so that after it every target may read its window. */
static int one_round(MPI_Win win, unsigned char *blocks, int round, const char *mode)
{
    int rc;

    if (0 == strcmp(mode, "fence")) {
        rc = MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
        rc = MPI_SUCCESS == rc ? put_all(win, blocks, round, mode) : rc;
        return MPI_SUCCESS == rc ? MPI_Win_fence(MPI_MODE_NOSUCCEED, win) : rc;
    }
    rc = put_all(win, blocks, round, mode);
    if (MPI_SUCCESS == rc && 0 == strcmp(mode, "flush")) {
        rc = MPI_Win_flush_all(win);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* unlock and flush complete at the target */
    if (MPI_SUCCESS == rc && 0 == strcmp(mode, "flush")) {
        rc = MPI_Win_sync(win);
    } else if (MPI_SUCCESS == rc && is_target(rank)) { /* the target's own access epoch */
        rc = MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
        rc = MPI_SUCCESS == rc ? MPI_Win_unlock(rank, win) : rc;
    }
    return rc;
}

static long count_wrong(const unsigned char *window, int round)
{
    long wrong = 0;

    for (int o = 0; is_target(rank) && o < size; o++) {
        for (int i = 0; i < BLOCK_BYTES; i++) {
            wrong += window[(size_t) o * BLOCK_BYTES + i] != byte_of(o, rank, round, i);
        }
    }
    return wrong;
}

static int run(MPI_Win win, const unsigned char *window, const char *mode)
{
    unsigned char *blocks = malloc((size_t) size * BLOCK_BYTES);
    long wrong = 0, all_wrong = 0;
    int rc = MPI_SUCCESS;

    if (0 == strcmp(mode, "flush")) {
        rc = MPI_Win_lock_all(0, win);
    }
    for (int round = 0; round < ROUNDS && MPI_SUCCESS == rc; round++) {
        rc = one_round(win, blocks, round, mode);
        wrong += count_wrong(window, round);
        MPI_Barrier(MPI_COMM_WORLD); /* the buffer is free again */
    }
    if (MPI_SUCCESS == rc && 0 == strcmp(mode, "flush")) {
        rc = MPI_Win_unlock_all(win);
    }
    free(blocks);
    if (MPI_SUCCESS != rc) {
        say_error(mode, rc);
        MPI_Abort(MPI_COMM_WORLD, REFUSED);
    }
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (0 == rank && 0 != all_wrong) {
        fprintf(stderr, "t_onesided: %ld wrong bytes\n", all_wrong);
    }
    return 0 == all_wrong ? 0 : 1;
}

int main(int argc, char **argv)
{
    int want = argc > 2 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, have, rc, bad, status;
    unsigned char *window;
    size_t bytes;
    MPI_Win win = MPI_WIN_NULL;

    MPI_Init_thread(&argc, &argv, want, &have);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (argc < 2) {
        fprintf(stderr, "usage: t_onesided fence|lock|flush [multiple]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    bytes = is_target(rank) ? (size_t) size * BLOCK_BYTES : 0;
    window = calloc(1, bytes + 1);
    rc = MPI_Win_create(window, (MPI_Aint) bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    bad = MPI_SUCCESS != rc;
    if (bad && 0 == rank) {
        say_error("MPI_Win_create", rc);
    }
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (bad) {
        status = REFUSED;
    } else {
        MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
        status = run(win, window, argv[1]);
        MPI_Win_free(&win);
    }
    free(window);
    MPI_Finalize();
    return status;
}
