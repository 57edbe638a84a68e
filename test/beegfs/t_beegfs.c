/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * One MPI program for everything that `run` does with files on (simulated) BeeGFS.
 *
 *   t_beegfs FILE create|excl|ro [BLOCK COUNT]    opens with the hints BEE_HINTS (key=value ...),
 *                                                 prints class and hints after the open; writes
 *                                                 COUNT interleaved blocks per rank collectively
 *   t_beegfs FILE verify BYTES                    no MPI: the bytes, by plain reads
 */
#include <mpi.h>

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/mpi/lib/t_compat.h"

static int rank, ranks, failures;

static unsigned char byte_at(int64_t offset)
{
    return (unsigned char) (((uint64_t) offset * UINT64_C(2654435761)) >> 13);
}

static int verify(const char *path, int64_t bytes)
{
    int fd = open(path, O_RDONLY);
    unsigned char *data = malloc((size_t) bytes + 1);

    if (0 > fd || bytes != read(fd, data, (size_t) bytes + 1)) {
        printf("# %s does not have %lld bytes\n", path, (long long) bytes);
        return EXIT_FAILURE;
    }
    for (int64_t i = 0; i < bytes; ++i) {
        if (byte_at(i) != data[i]) {
            printf("# wrong byte at %lld\n", (long long) i);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}

static MPI_Info hints(void)
{
    char *copy = strdup(NULL == getenv("BEE_HINTS") ? "" : getenv("BEE_HINTS"));
    MPI_Info info;

    MPI_Info_create(&info);
    for (char *word = strtok(copy, " "); NULL != word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');

        *value = '\0';
        MPI_Info_set(info, word, value + 1);
    }
    free(copy);
    return info;
}

/* The same on all ranks. */
static void print_hints(MPI_File file)
{
    static const char *const keys[] = {"striping_factor", "striping_unit", "start_iodevice",
                                       "collio_pool", "cb_nodes"};
    char text[512], first[512];
    int length = 0;
    MPI_Info info;

    MPI_File_get_info(file, &info);
    for (int k = 0; k < 5; ++k) {
        char value[64];

        length += snprintf(text + length, sizeof(text) - (size_t) length, " %s=%s", keys[k],
                           t_info_get(info, keys[k], value, sizeof(value)) ? value : "-");
    }
    MPI_Info_free(&info);
    memcpy(first, text, sizeof(first));
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, MPI_COMM_WORLD);
    failures += 0 != strcmp(first, text);
    if (0 == rank || 0 != strcmp(first, text)) {
        printf("rank %d:%s\n", rank, text);
    }
}

static void write_blocks(MPI_File file, int block, int count)
{
    unsigned char *data = malloc((size_t) block * (size_t) count);
    MPI_Datatype type;

    MPI_Type_vector(count, block, block * ranks, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < block; ++j) {
            data[i * block + j] = byte_at(((int64_t) i * ranks + rank) * block + j);
        }
    }
    MPI_File_set_view(file, (MPI_Offset) rank * block, MPI_BYTE, type, "native", MPI_INFO_NULL);
    failures += MPI_SUCCESS
                != MPI_File_write_all(file, data, block * count, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_Type_free(&type);
    free(data);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_File file;
    int amode, rc, class;

    if (3 > argc || (0 == strcmp(argv[2], "verify") && 4 > argc)) {
        fprintf(stderr, "usage: t_beegfs FILE create|excl|ro|verify ...\n");
        return EXIT_FAILURE;
    }
    if (0 == strcmp(argv[2], "verify")) {
        return verify(argv[1], atoll(argv[3]));
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    amode = 0 == strcmp(argv[2], "ro") ? MPI_MODE_RDONLY : MPI_MODE_RDWR | MPI_MODE_CREATE;
    amode |= 0 == strcmp(argv[2], "excl") ? MPI_MODE_EXCL : 0;
    info = hints();
    rc = MPI_File_open(MPI_COMM_WORLD, argv[1], amode, info, &file);
    MPI_Info_free(&info);
    MPI_Error_class(rc, &class);
    printf("rank %d open=%s\n", rank,
           MPI_SUCCESS == class           ? "success"
           : MPI_ERR_FILE_EXISTS == class ? "exists"
                                          : "other");
    if (MPI_SUCCESS == rc) {
        print_hints(file);
        if (4 < argc) {
            write_blocks(file, atoi(argv[3]), atoi(argv[4]));
        }
        failures += MPI_SUCCESS != MPI_File_close(&file);
    }
    MPI_Finalize();
    return 0 == failures ? EXIT_SUCCESS : EXIT_FAILURE;
}
