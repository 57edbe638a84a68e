/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many windows of data sieving, with foreign data in the gaps: a 160 MiB file in which the ranks
 * write 64-byte blocks every 1,024 bytes, all at once. The bytes between the blocks must be what
 * they were. (Open MPI 5.0's and 6.0's own data sieving writes stale bytes there, from the second
 * window on.) The ranks' blocks lie side by side, so every window holds blocks of all of them.
 *
 * usage: t_sieve [-a] [-b MiB] FILE      -a: collectively (the stock fcoll then calls the fbtl)
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { BLOCK = 64, STRIDE = 1024 };

static t_blocks blocks_of(int rank, int64_t bytes)
{
    return (t_blocks){(int64_t) rank * BLOCK, BLOCK, STRIDE, (int) (bytes / STRIDE)};
}

int main(int argc, char **argv)
{
    int64_t bytes = INT64_C(160) << 20;
    t_expected all = {0};
    bool collective = false;
    MPI_Status status;
    unsigned char *data;
    t_blocks mine;
    MPI_File file;
    int option, count;

    t_init(&argc, &argv);
    while (-1 != (option = getopt(argc, argv, "ab:"))) {
        collective |= 'a' == option;
        bytes = 'b' == option ? atoll(optarg) << 20 : bytes;
    }
    mine = blocks_of(t_rank, bytes);
    count = (int) t_blocks_bytes(&mine);
    data = t_blocks_data(&mine, t_rank);
    if (0 == t_rank) {
        t_prefill(argv[optind], bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, argv[optind], MPI_MODE_RDWR, NULL, &file)) {
        t_blocks_view(file, &mine);
        t_ok(collective ? MPI_File_write_all(file, data, count, MPI_BYTE, &status)
                        : MPI_File_write(file, data, count, MPI_BYTE, &status),
             "write");
        t_status_check(&status, count, "write");
        t_ok(MPI_File_close(&file), "close");
    }
    for (int r = 0; r < t_size; ++r) {
        t_expect(&all, blocks_of(r, bytes), r);
    }
    t_expected_check(&all, 0 == t_rank ? argv[optind] : NULL, bytes);
    t_remove(argv[optind]);
    free(data);
    t_verdict("sieve");
    return t_finish();
}
