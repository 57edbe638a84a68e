/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collective writes whose accesses take locks (data sieving of writes is on) with small buffers, in
 * every schedule and transport: an access that waits for a lock keeps its buffer longer than one
 * that does not. Every byte is compared by POSIX.
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { FILES = 12 };
static const char *const schedules[] = {"none", "comm", "write", "write_comm", "write_comm2"};
static const char *const transports[] = {"isend", "shm", "put_fence", "put_lock"};
#define COUNT(array) ((int) (sizeof(array) / sizeof((array)[0])))

static char path[512];

/* Of this rank in file `number`: whole or in pieces, always several windows. */
static t_blocks blocks_of(int rank, int number)
{
    int64_t block = 0 == number % 2 ? 1925 : 100 + 7 * number;
    int count = 0 == number % 2 ? 1 : (int) (2000 / block);

    return (t_blocks){rank * block, block, t_size * block, count};
}

static void one_file(int number, const char *hints)
{
    t_expected all = {0};
    t_blocks mine = blocks_of(t_rank, number);
    MPI_File file;

    for (int r = 0; r < t_size; r++) {
        t_expect(&all, blocks_of(r, number), r);
    }
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        t_blocks_view(file, &mine);
        t_blocks_write(file, &mine, t_rank);
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_expected_check(&all, 0 == t_rank ? path : NULL, 0);
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char *argv[])
{
    char hints[256];

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "locked");
    for (int t = 0; t < COUNT(transports); t++) {
        for (int s = 0; s < COUNT(schedules); s++) {
            snprintf(hints, sizeof(hints),
                     "exchange=on,schedule=%s,transport=%s,buffer_bytes=4096,romio_ds_write=enable",
                     schedules[s], transports[t]);
            for (int i = 0; i < FILES; i++) {
                one_file(i, hints);
            }
            t_verdict("%s_%s", transports[t], schedules[s]);
        }
    }
    return t_finish();
}
