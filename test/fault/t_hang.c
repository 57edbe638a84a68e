/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A job that hangs on purpose; `run` asks its ranks where they are, and ends it:
 *
 *     t_hang never    the last rank never makes the second call: it computes
 *     t_hang other    the last rank is in another call: MPI_Barrier
 *     t_hang cross    two calls on two files, in another order on the last rank
 *     t_hang lock     another process holds a lock on the file, which is in atomic mode
 *     t_hang slow     the second call is a read, which libfault makes slow
 *
 * With a time limit (setting timeout) calls return an error; then each rank leaves.
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { BLOCK = 4096 };

static unsigned char data[BLOCK];

static MPI_File open_file(const char *name)
{
    char path[4096];
    MPI_File file;

    t_path(path, sizeof(path), name);
    if (MPI_SUCCESS
        != MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, t_info(""),
                         &file)) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return file;
}

static int write_all(MPI_File file)
{
    return MPI_File_write_at_all(file, (MPI_Offset) t_rank * BLOCK, data, BLOCK, MPI_BYTE,
                                 MPI_STATUS_IGNORE);
}

/* A process that is not part of the job locks the file, and ends with this one. */
static void hold_lock(const char *name)
{
    struct flock all = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char path[4096], word;
    int held[2];

    t_path(path, sizeof(path), name);
    if (0 != pipe(held)) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (0 == fork()) {
        int fd = open(path, O_RDWR);

        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (0 > fd || 0 != fcntl(fd, F_SETLK, &all) || 1 != write(held[1], "x", 1)) {
            _exit(1);
        }
        for (;;) {
            pause();
        }
    }
    if (1 != read(held[0], &word, 1)) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* After the time limit of this rank: the others come to theirs. */
static void leave(void)
{
    sleep(10);
    _exit(0);
}

int main(int argc, char **argv)
{
    const char *plan = argc > 1 ? argv[1] : "never";
    MPI_File first, second;
    bool last;

    t_init(&argc, &argv);
    last = t_rank == t_size - 1;
    first = open_file("first");
    second = open_file("second");
    if (MPI_SUCCESS != write_all(first) || MPI_SUCCESS != write_all(second)) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (0 == strcmp(plan, "lock")) {
        MPI_File_set_atomicity(first, 1);
        if (0 == t_rank) {
            hold_lock("first");
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    while (last && 0 == strcmp(plan, "never")) { /* nothing of the MPI library runs */
        pause();
    }
    if (last && 0 == strcmp(plan, "other")) {
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (last && 0 == strcmp(plan, "cross")) {
        write_all(second);
        leave();
    }
    if (0 == strcmp(plan, "slow")) {
        MPI_File_read_at_all(first, (MPI_Offset) t_rank * BLOCK, data, BLOCK, MPI_BYTE,
                             MPI_STATUS_IGNORE);
    } else {
        write_all(first);
    }
    leave();
}
