/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lost updates: writers write blocks with gaps, again and again, while another process writes into
 * the gaps. A gap that is read, and written back later, undoes what came in between.
 *
 *     writers    |aaa|bbb|...|aaa|bbb|...      one call for all of it
 *     updater    ........|k  |.......|k+1|     one small call each
 *
 * Before an update the updater reads by POSIX what its last one left there: anything else is a lost
 * update. At the end each writer reads its blocks by POSIX.
 *
 * usage: t_updates own|one|iall|spawn [unique] [a word for the name of the test]
 *   own    writers and updater have a handle each; all ranks but the last write collectively
 *   one    one handle; the writer writes individually
 *   iall   one handle; the writer writes in a nonblocking collective call
 *   spawn  as `one`, but the updater is a spawned process
 *   unique opens with MPI_MODE_UNIQUE_OPEN
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 40, BLOCKS = 6000, ROUNDS = 400 };

static char path[512];
static MPI_Comm all;
static int amode = MPI_MODE_RDWR;
static int me, writers; /* rank in `all`; the rank after the writers is the updater */

static t_blocks blocks_of(int rank)
{
    return (t_blocks){rank * BLOCK, BLOCK, (writers + 1) * BLOCK, BLOCKS};
}

static void write_rounds(MPI_File file, bool collective, bool nonblocking)
{
    t_blocks mine = blocks_of(me);
    unsigned char *data = t_blocks_data(&mine, me);
    int bytes = (int) t_blocks_bytes(&mine), over = 1;

    for (int round = 0; round < ROUNDS; round++) {
        MPI_Status status;
        MPI_Request request;
        int rc;

        if (nonblocking) {
            rc = MPI_File_iwrite_at_all(file, 0, data, bytes, MPI_BYTE, &request);
            t_ok(rc, "iwrite_at_all");
            rc = MPI_Wait(&request, &status);
        } else if (collective) {
            rc = MPI_File_write_at_all(file, 0, data, bytes, MPI_BYTE, &status);
        } else {
            rc = MPI_File_write_at(file, 0, data, bytes, MPI_BYTE, &status);
        }
        if (t_ok(rc, "strided write")) {
            t_status_check(&status, bytes, "strided write");
        }
    }
    MPI_Send(&over, 1, MPI_INT, writers, 0, all);
    free(data);
}

static void check_blocks(void)
{
    t_blocks mine = blocks_of(me);
    unsigned char *found = t_alloc((size_t) t_blocks_bytes(&mine));
    int fd = open(path, O_RDONLY);

    for (int i = 0; i < BLOCKS; i++) {
        t_fail_if(BLOCK != pread(fd, found + i * BLOCK, BLOCK, mine.first + i * mine.stride),
                  "block %d is not in the file", i);
    }
    t_blocks_check(&mine, me, found, "the blocks of a writer");
    close(fd);
    free(found);
}

/* Updates one gap; 1 if the update before (`last`, 0 = none) is not there any more. */
static int update(MPI_File file, int fd, int number, unsigned *last)
{
    int64_t at = (int64_t) number * blocks_of(0).stride + writers * BLOCK;
    unsigned char have[BLOCK], want[BLOCK];
    int lost = 0;

    if (0 != *last) {
        memset(want, (int) (*last % 255 + 1), sizeof(want));
        lost = (ssize_t) sizeof(have) != pread(fd, have, sizeof(have), at)
               || 0 != memcmp(have, want, sizeof(have));
    }
    *last += 1;
    memset(want, (int) (*last % 255 + 1), sizeof(want));
    t_ok(MPI_File_write_at(file, at, want, (int) sizeof(want), MPI_BYTE, MPI_STATUS_IGNORE),
         "update");
    return lost;
}

static void update_gaps(MPI_File file, bool collective)
{
    enum { GAPS = 64 };
    unsigned last[GAPS] = {0};
    int fd = open(path, O_RDONLY), over = 0, left = writers, round = 0;
    long updates = 0, lost = 0;
    MPI_Request request = MPI_REQUEST_NULL;

    while (!over || (collective && round < ROUNDS)) {
        int done = 1;

        if (collective && MPI_REQUEST_NULL == request && round < ROUNDS) {
            t_ok(MPI_File_iwrite_at_all(file, 0, NULL, 0, MPI_BYTE, &request), "iwrite_at_all");
            round++;
        }
        lost += update(file, fd, (int) (updates * 31 % GAPS) * (BLOCKS / GAPS),
                       &last[updates * 31 % GAPS]);
        updates++;
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (!over) {
            MPI_Iprobe(MPI_ANY_SOURCE, 0, all, &done, MPI_STATUS_IGNORE);
            if (done) {
                MPI_Recv(&over, 1, MPI_INT, MPI_ANY_SOURCE, 0, all, MPI_STATUS_IGNORE);
                over = 0 == --left;
            }
        }
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    t_fail_if(0 < lost, "%ld of %ld updates were lost", lost, updates);
    close(fd);
}

static void play(const char *mode)
{
    bool own = 0 == strcmp(mode, "own"), iall = 0 == strcmp(mode, "iall"), writes = me < writers;
    t_blocks mine = blocks_of(me);
    MPI_Comm side;
    MPI_File file;

    MPI_Comm_split(all, own && writes, me, &side);
    if (0 == me) {
        unlink(path);
        t_prefill(path, mine.stride * BLOCKS);
    }
    MPI_Barrier(all);
    if (!t_open(side, path, amode, NULL, &file)) {
        return;
    }
    if (writes) {
        t_blocks_view(file, &mine);
    } else if (!own) { /* collective, and the default view */
        t_ok(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "set_view");
    }
    MPI_Barrier(all);
    if (writes) {
        write_rounds(file, own, iall);
    } else {
        update_gaps(file, iall);
    }
    t_ok(MPI_File_close(&file), "close");
    MPI_Comm_free(&side);
    if (writes) {
        check_blocks();
    }
}

int main(int argc, char *argv[])
{
    const char *mode = 1 < argc ? argv[1] : "own";
    MPI_Comm parent, inter = MPI_COMM_NULL;
    int failures;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "updates");
    if (2 < argc && 0 == strcmp(argv[2], "unique")) {
        amode |= MPI_MODE_UNIQUE_OPEN;
    }
    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        MPI_Intercomm_merge(parent, 1, &all);
    } else if (0 == strcmp(mode, "spawn")) {
        MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                       MPI_ERRCODES_IGNORE);
        MPI_Intercomm_merge(inter, 0, &all);
    } else if (2 > t_size || (2 < t_size && 0 != strcmp(mode, "own"))) {
        return t_skip_all("updates", "needs two processes");
    } else {
        MPI_Comm_dup(MPI_COMM_WORLD, &all);
    }
    MPI_Comm_rank(all, &me);
    MPI_Comm_size(all, &writers);
    writers--;
    play(mode);
    failures = t_failures();
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, all);
    MPI_Comm_free(&all);
    if (MPI_COMM_NULL != inter) {
        MPI_Comm_disconnect(&inter);
    }
    if (MPI_COMM_NULL != parent) { /* the verdict is the parent's */
        MPI_Comm_disconnect(&parent);
        MPI_Finalize();
        return 0;
    }
    t_fail_if(0 != failures && 0 == t_failures(), "the other process failed");
    t_verdict("no update is lost");
    t_remove(path);
    return t_finish();
}
