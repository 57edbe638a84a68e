/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many windows of data sieving, with foreign data in the gaps: a 160 MiB file in which the ranks
 * write 64-byte blocks every 1,024 bytes, all at once. The bytes between the blocks must be what
 * they were. (Open MPI 5.0's and 6.0's own data sieving writes stale bytes there, from the second
 * window on.) The ranks' blocks lie side by side, so every window holds blocks of all of them.
 *
 * usage: t_sieve [-a] [-b MiB] [-g GAP] [-n TIMES] [-p PIECE] [-u] [-w] FILE
 *   -a   collectively (with a stock fcoll, which calls the fbtl)
 *   -g   bytes of the hole after each block
 *   -n   number of times that the file is opened and written
 *   -p   bytes of a block; the default is 64
 *   -u   opens with MPI_MODE_UNIQUE_OPEN
 *   -w   opens with MPI_MODE_WRONLY
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <unistd.h>

enum { STRIDE = 1024 };

static int block = 64;
static int gap = -1; /* bytes; -1: the stride is STRIDE */

static t_blocks blocks_of(int rank, int64_t bytes)
{
    if (0 <= gap) {
        int stride = t_size * (block + gap);

        return (t_blocks){(int64_t) rank * (block + gap), block, stride, (int) (bytes / stride)};
    }
    return (t_blocks){(int64_t) rank * block, block, STRIDE, (int) (bytes / STRIDE)};
}

static void write_once(const char *path, const t_blocks *mine, bool collective, int amode)
{
    int count = (int) t_blocks_bytes(mine);
    unsigned char *data = t_blocks_data(mine, t_rank);
    MPI_Status status;
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, amode, NULL, &file)) {
        t_blocks_view(file, mine);
        t_ok(collective ? MPI_File_write_all(file, data, count, MPI_BYTE, &status)
                        : MPI_File_write(file, data, count, MPI_BYTE, &status),
             "write");
        t_status_check(&status, count, "write");
        t_ok(MPI_File_close(&file), "close");
    }
    free(data);
}

int main(int argc, char **argv)
{
    int64_t bytes = INT64_C(160) << 20;
    t_expected all = {0};
    bool collective = false;
    int option, amode = MPI_MODE_RDWR, times = 1;
    t_blocks mine;

    t_init(&argc, &argv);
    while (-1 != (option = getopt(argc, argv, "ab:g:n:p:uw"))) {
        collective |= 'a' == option;
        bytes = 'b' == option ? atoll(optarg) << 20 : bytes;
        gap = 'g' == option ? atoi(optarg) : gap;
        times = 'n' == option ? atoi(optarg) : times;
        block = 'p' == option ? atoi(optarg) : block;
        amode |= 'u' == option ? MPI_MODE_UNIQUE_OPEN : 0;
        amode ^= 'w' == option ? MPI_MODE_RDWR ^ MPI_MODE_WRONLY : 0;
    }
    mine = blocks_of(t_rank, bytes);
    if (0 == t_rank) {
        t_prefill(argv[optind], bytes);
    }
    for (int i = 0; i < times; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        write_once(argv[optind], &mine, collective, amode);
    }
    for (int r = 0; r < t_size; ++r) {
        t_expect(&all, blocks_of(r, bytes), r);
    }
    t_expected_check(&all, 0 == t_rank ? argv[optind] : NULL, bytes);
    t_remove(argv[optind]);
    t_verdict("sieve");
    return t_finish();
}
