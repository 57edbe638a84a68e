/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The two cases of docs/ioprof.md: ranks own every n-th block of 1 KiB of a file, and write STEPS
 * times 4 MiB each with a collective call. Arguments are hints: t_pattern cb_nodes=1 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPS 4
#define BLOCK 1024
#define BYTES (4 << 20)

int main(int argc, char **argv)
{
    const char *folder = NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR");
    char name[1200], *data = calloc(1, BYTES);
    MPI_Datatype type;
    MPI_Info info;
    MPI_File f;
    int rank, ranks;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Info_create(&info);
    for (int i = 1; i < argc; i++) {
        char *value = strchr(argv[i], '=');

        if (NULL != value) {
            *value = '\0';
            MPI_Info_set(info, argv[i], value + 1);
        }
    }
    snprintf(name, sizeof(name), "%s/pattern.dat", folder);
    MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &f);
    MPI_Type_vector(BYTES / BLOCK, BLOCK, BLOCK * ranks, MPI_BYTE, &type);
    MPI_Type_create_resized(type, 0, (MPI_Aint) BYTES * ranks, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(f, (MPI_Offset) rank * BLOCK, MPI_BYTE, type, "native", MPI_INFO_NULL);
    for (int i = 0; i < STEPS; i++) {
        MPI_File_write_all(f, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_close(&f);
    MPI_Type_free(&type);
    MPI_Info_free(&info);
    MPI_Finalize();
    free(data);
    return 0;
}
