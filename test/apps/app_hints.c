/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Opens a file with hints and writes to it. Prints the hints that MPI_File_get_info returns on rank
 * 0, and the number of ranks on which they differ.
 *
 *     app_hints FILE [KEY=VALUE...]
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 8192 };

static void list_hints(MPI_File file, char text[TEXT])
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    size_t used = 0;
    MPI_Info info;
    int count, found;

    memset(text, 0, TEXT);
    MPI_File_get_info(file, &info);
    MPI_Info_get_nkeys(info, &count);
    for (int i = 0; i < count; i++) {
        MPI_Info_get_nthkey(info, i, key);
        MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found);
        used += (size_t) snprintf(text + used, TEXT - used, "hint %s %s\n", key, value);
    }
    MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
    char mine[TEXT], first[TEXT];
    int rank, differs, sum, data[1024], back[1024];
    MPI_Info info;
    MPI_File file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    MPI_Info_create(&info);
    for (int i = 2; i < argc; i++) {
        char *value = strchr(argv[i], '=');

        *value = '\0';
        MPI_Info_set(info, argv[i], value + 1);
    }
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    list_hints(file, mine);
    memcpy(first, mine, TEXT);
    MPI_Bcast(first, TEXT, MPI_CHAR, 0, MPI_COMM_WORLD);
    differs = 0 != memcmp(first, mine, TEXT);
    for (int i = 0; i < 1024; i++) {
        data[i] = 1024 * rank + i;
    }
    MPI_File_write_at_all(file, (MPI_Offset) rank * sizeof(data), data, 1024, MPI_INT,
                          MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, (MPI_Offset) rank * sizeof(data), back, 1024, MPI_INT,
                         MPI_STATUS_IGNORE);
    differs |= 0 != memcmp(data, back, sizeof(data));
    MPI_Reduce(&differs, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%sdiffer %d\n", mine, sum);
    }
    MPI_File_close(&file);
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
