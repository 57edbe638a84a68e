/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * One MPI program for everything that `run` does with files on (simulated) BeeGFS.
 *
 *   t_beegfs FILE create|excl|ro [BLOCK COUNT]    opens with the hints BEE_HINTS (key=value ...),
 *                                                 prints class and hints after the open; writes
 *                                                 COUNT interleaved blocks per rank collectively
 *   t_beegfs FILE verify BYTES                    no MPI: the bytes, by plain reads
 */
#include "lib/t_file.h"
#include "lib/t_stripes.h"

#include <stdlib.h>
#include <string.h>

static void write_blocks(MPI_File file, int block, int count)
{
    t_blocks mine = {(int64_t) t_rank * block, block, (int64_t) t_size * block, count};
    unsigned char *data = t_blocks_data(&mine, 0);

    t_blocks_view(file, &mine);
    t_ok(MPI_File_write_all(file, data, block * count, MPI_BYTE, MPI_STATUS_IGNORE), "write_all");
    free(data);
}

int main(int argc, char **argv)
{
    char text[512];
    MPI_Info info;
    MPI_File file;
    int amode, rc;

    if (3 > argc || (0 == strcmp(argv[2], "verify") && 4 > argc)) {
        fprintf(stderr, "usage: t_beegfs FILE create|excl|ro|verify ...\n");
        return EXIT_FAILURE;
    }
    if (0 == strcmp(argv[2], "verify")) {
        return t_offset_verify(argv[1], atoll(argv[3]), 0);
    }
    t_init(&argc, &argv);
    amode = 0 == strcmp(argv[2], "ro") ? MPI_MODE_RDONLY : MPI_MODE_RDWR | MPI_MODE_CREATE;
    amode |= 0 == strcmp(argv[2], "excl") ? MPI_MODE_EXCL : 0;
    info = t_hints_of("BEE_HINTS");
    rc = MPI_File_open(MPI_COMM_WORLD, argv[1], amode, info, &file);
    MPI_Info_free(&info);
    printf("rank %d open=%s\n", t_rank, t_class_word(rc));
    if (MPI_SUCCESS == rc) {
        t_striping(file, text);
        if (0 == t_rank) {
            printf("rank 0:%s\n", text);
        }
        if (4 < argc) {
            write_blocks(file, atoi(argv[3]), atoi(argv[4]));
        }
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("beegfs");
    return t_finish();
}
