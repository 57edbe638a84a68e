/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A path that is not shared: rank 0 has the file, other ranks have another directory mounted there
 * (by the caller). MPI_File_open returns the same error on all ranks and does not hang, and the
 * next file works.
 *
 * usage: t_private PATH-THAT-IS-NOT-SHARED PATH-THAT-IS
 */
#include "lib/t_file.h"

#include <stdlib.h>

static void not_shared(const char *path, int mode, const char *name)
{
    MPI_File file = MPI_FILE_NULL;
    int class = t_class(MPI_File_open(MPI_COMM_WORLD, path, mode, MPI_INFO_NULL, &file));

    t_fail_if(MPI_ERR_NO_SUCH_FILE != class, "rank %d: class %d", t_rank, class);
    t_verdict("%s", name);
}

static void shared(const char *path)
{
    MPI_File file = MPI_FILE_NULL;
    char byte = (char) t_rank, back = -1;

    t_ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
         "open");
    t_ok(MPI_File_write_at_all(file, t_rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), "write");
    t_ok(MPI_File_read_at_all(file, t_rank, &back, 1, MPI_BYTE, MPI_STATUS_IGNORE), "read");
    t_fail_if(back != byte, "%d is not %d", back, byte);
    t_ok(MPI_File_close(&file), "close");
    t_verdict("the next file works");
}

int main(int argc, char **argv)
{
    t_init(&argc, &argv);
    if (3 > argc) {
        return 2;
    }
    shared(argv[2]);
    not_shared(argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, "a new file that is not shared");
    not_shared(argv[1], MPI_MODE_RDONLY, "a file that only rank 0 has");
    shared(argv[2]);
    return t_finish();
}
