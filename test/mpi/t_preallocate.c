/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_preallocate while the file's size changes: ranks come late, so that some of them could
 * see the size after rank 0 has changed it. Whatever they see, all take part in the same
 * collectives: the calls that follow (set_size, write_ordered, close) must not hang. Bytes that
 * were written stay, the size grows to what was asked for and never shrinks, new space is there and
 * reads as zeros.
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROUNDS = 40, WRITTEN = 300, FAR = 20000 };

static char path[512];

static bool written(int64_t at)
{
    return at < WRITTEN || (at >= FAR && at < FAR + 10);
}

static void round_of_sizes(int round)
{
    static const int64_t sizes[] = {100, FAR + 10, FAR + 5000, 1 << 20, 1 << 16, 0};
    uint64_t random = t_seed + (uint64_t) (round * 64 + t_rank);
    int64_t size = FAR + 10, asked = 0;
    unsigned char byte = 9;
    MPI_File file;
    MPI_Offset now = 0, at = -1;

    if (0 == t_rank) {
        t_sparse_make(path, FAR + 10, written);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, NULL, &file)) {
        return;
    }
    MPI_File_seek(file, 17, MPI_SEEK_SET);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        usleep((useconds_t) (t_random(&random) % 800) * (0 != t_rank));
        t_ok(MPI_File_preallocate(file, sizes[i]), "preallocate");
        size = sizes[i] > size ? sizes[i] : size;
        asked = sizes[i] > asked ? sizes[i] : asked;
        t_ok(MPI_File_get_size(file, &now), "get_size");
        t_fail_if(now != size, "size %lld after preallocate(%lld), expected %lld", (long long) now,
                  (long long) sizes[i], (long long) size);
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == t_rank && 0 == round % 8) {
            t_sparse_check(path, size, written, asked);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_get_position(file, &at);
    t_fail_if(17 != at, "the file pointer moved to %lld", (long long) at);
    t_ok(MPI_File_set_size(file, FAR), "set_size");
    t_ok(MPI_File_preallocate(file, FAR + 1), "preallocate");
    t_ok(MPI_File_write_ordered(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), "write_ordered");
    t_ok(MPI_File_close(&file), "close");
}

/* Arguments and modes: the same error everywhere, and no hang. */
static void errors(void)
{
    MPI_File file;

    if (0 == t_rank) {
        t_sparse_make(path, FAR + 10, written);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, NULL, &file)) {
        t_fail_if(1 < t_size && MPI_SUCCESS == MPI_File_preallocate(file, 100 * (1 + t_rank)),
                  "sizes that differ were accepted");
        MPI_File_close(&file);
    }
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, NULL, &file)) {
        t_fail_if(MPI_SUCCESS == MPI_File_preallocate(file, 1 << 20),
                  "a file that is open for reading only was extended");
        MPI_File_close(&file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        struct stat info = {0};

        stat(path, &info);
        t_fail_if(FAR + 10 != info.st_size, "a call that failed changed the size to %lld",
                  (long long) info.st_size);
    }
    t_verdict("errors_are_the_same_everywhere");
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "preallocate");
    for (int round = 0; round < ROUNDS; round++) {
        round_of_sizes(round);
    }
    t_verdict("ranks_that_come_late_see_another_size");
    errors();
    t_remove(path);
    return t_finish();
}
