/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the performance variables fbtl_mtpwrite_* after a known load, as "name value" lines, for
 * the script to look at: 1-byte elements with a gap of 4 in memory to a contiguous file (packed),
 * 64-byte blocks every 1,024 bytes (sieved, unless told otherwise), and nonblocking aligned blocks.
 *
 * usage: t_figures FILE
 */
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>

static void load(const char *path)
{
    enum { BYTES = 1 << 20 };
    MPI_Datatype element, spread, sparse;
    MPI_Request request;
    MPI_File file;
    void *data = NULL;

    if (0 != posix_memalign(&data, 4096, 5 * BYTES)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(data, 7, 5 * BYTES);
    MPI_Type_create_resized(MPI_BYTE, 0, 5, &spread);
    MPI_Type_commit(&spread);
    MPI_Type_contiguous(64, MPI_BYTE, &element);
    MPI_Type_create_resized(element, 0, 1024, &sparse);
    MPI_Type_commit(&sparse);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, data, BYTES, spread, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_BYTE, sparse, "native", MPI_INFO_NULL);
    MPI_File_write(file, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_iwrite_at(file, 0, data, BYTES, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&element);
    MPI_Type_free(&spread);
    MPI_Type_free(&sparse);
    free(data);
}

/* Counters count from their first read on. The variables exist once a file was opened. */
static void read_all(bool print)
{
    char name[256], text[8];

    for (int i = 0; i < t_pvar_count(); ++i) {
        double value;

        t_pvar_describe(i, name, sizeof(name), text, sizeof(text));
        value = t_pvar_read(name + strlen("fbtl_mtpwrite_"), MPI_FILE_NULL);
        if (print) {
            printf("%s %.0f\n", name, value);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_File file;

    setenv("T_FRAMEWORK", "fbtl", 1);
    setenv("COLLIO_FCOLL", "mtpwrite", 1);
    t_init(&argc, &argv);
    MPI_File_open(MPI_COMM_SELF, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    read_all(false);
    load(argv[1]);
    read_all(true);
    t_remove(argv[1]);
    return t_finish();
}
