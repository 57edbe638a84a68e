/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What docs/netcdf.md advises for PnetCDF, one setting at a time: four variables whose columns
 * belong to the ranks.
 *
 * Usage: advice_pnetcdf FILE [WORD...]
 *   together   posts all variables and completes them in one ncmpi_wait_all
 *   align      the hint nc_var_align_size, 64 KiB
 *   swap       the hint nc_in_place_swap
 *
 * Rank 0 prints "offset N" of the last variable, and "peak N": KiB of memory that the puts added.
 */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { ROWS = 256, COLUMNS = 1024, VARIABLES = 4 }; /* 2 MiB of a rank in each variable */

static int words;
static char **word;

static int has(const char *what)
{
    for (int i = 0; i < words; i++) {
        if (0 == strcmp(word[i], what)) {
            return 1;
        }
    }
    return 0;
}

static void must(int rc)
{
    if (NC_NOERR != rc) {
        fprintf(stderr, "advice_pnetcdf: %s\n", ncmpi_strerror(rc));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static long peak(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

int main(int argc, char *argv[])
{
    int rank, size, nc, dims[2], variable[VARIABLES], request[VARIABLES], status[VARIABLES];
    MPI_Offset start[2] = {0, 0}, count[2] = {ROWS, COLUMNS}, offset;
    double *block[VARIABLES];
    MPI_Info info;
    long before;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    word = argv + 2;
    words = argc - 2;
    MPI_Info_create(&info);
    MPI_Info_set(info, "nc_in_place_swap", has("swap") ? "enable" : "disable");
    if (has("align")) {
        MPI_Info_set(info, "nc_var_align_size", "65536");
    }
    start[1] = (MPI_Offset) rank * COLUMNS;
    must(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, info, &nc));
    MPI_Info_free(&info);
    must(ncmpi_def_dim(nc, "row", ROWS, &dims[0]));
    must(ncmpi_def_dim(nc, "column", (MPI_Offset) size * COLUMNS, &dims[1]));
    for (int i = 0; i < VARIABLES; i++) {
        const char name[2] = {(char) ('a' + i), '\0'};

        must(ncmpi_def_var(nc, name, NC_DOUBLE, 2, dims, &variable[i]));
        block[i] = malloc(ROWS * COLUMNS * sizeof(double));
        memset(block[i], 1, ROWS * COLUMNS * sizeof(double));
    }
    must(ncmpi_enddef(nc));
    must(ncmpi_inq_varoffset(nc, variable[VARIABLES - 1], &offset));
    before = peak();
    for (int i = 0; i < VARIABLES; i++) {
        if (has("together")) {
            must(ncmpi_iput_vara_double(nc, variable[i], start, count, block[i], &request[i]));
        } else {
            must(ncmpi_put_vara_double_all(nc, variable[i], start, count, block[i]));
        }
    }
    if (has("together")) {
        must(ncmpi_wait_all(nc, VARIABLES, request, status));
    }
    if (size - 1 == rank) {
        printf("offset %lld\npeak %ld\n", (long long) offset, peak() - before);
    }
    must(ncmpi_close(nc));
    for (int i = 0; i < VARIABLES; i++) {
        free(block[i]);
    }
    MPI_Finalize();
    return 0;
}
