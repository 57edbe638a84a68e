/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What docs/netcdf.md advises for netCDF-4, one setting at a time; columns belong to the ranks.
 *
 * Usage: advice_netcdf FILE [WORD...]
 *   chunks   chunks as large as the block of a rank; else the variable is contiguous
 *   nofill   nc_set_fill(NC_NOFILL) before the variable is defined
 *   late     the same after it
 *   variable nc_def_var_fill(NC_NOFILL)
 *   default  no nc_var_par_access
 *   align    nc_set_alignment: 64 KiB for objects of 64 KiB or more
 *
 * Rank 0 prints "offset N", the place of its first number in the file.
 */
#define _GNU_SOURCE /* memmem */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, COLUMNS = 128, FILE_BYTES = 4 << 20 };

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
        fprintf(stderr, "advice_netcdf: %s\n", nc_strerror(rc));
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* netCDF does not tell where a variable is. */
static void print_offset(const char *path, double number)
{
    char *bytes = malloc(FILE_BYTES), *found;
    FILE *in = fopen(path, "r");
    size_t length = fread(bytes, 1, FILE_BYTES, in);

    found = memmem(bytes, length, &number, sizeof(number));
    printf("offset %ld\n", NULL == found ? -1 : (long) (found - bytes));
    fclose(in);
    free(bytes);
}

int main(int argc, char *argv[])
{
    int rank, size, nc, dims[2], variable;
    size_t start[2] = {0, 0}, count[2] = {ROWS, COLUMNS};
    double *block = calloc(ROWS * COLUMNS, sizeof(*block));

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    word = argv + 2;
    words = argc - 2;
    start[1] = (size_t) rank * COLUMNS;
    block[0] = 12345.678 + rank; /* found by print_offset */
    if (has("align")) {
        must(nc_set_alignment(64 << 10, 64 << 10));
    }
    must(nc_create_par(argv[1], NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &nc));
    must(nc_def_dim(nc, "row", ROWS, &dims[0]));
    must(nc_def_dim(nc, "column", (size_t) size * COLUMNS, &dims[1]));
    if (has("nofill")) {
        must(nc_set_fill(nc, NC_NOFILL, NULL));
    }
    must(nc_def_var(nc, "t", NC_DOUBLE, 2, dims, &variable));
    if (has("chunks")) {
        must(nc_def_var_chunking(nc, variable, NC_CHUNKED, count));
    }
    if (has("late")) {
        must(nc_set_fill(nc, NC_NOFILL, NULL));
    }
    if (has("variable")) {
        must(nc_def_var_fill(nc, variable, NC_NOFILL, NULL));
    }
    must(nc_enddef(nc));
    if (!has("default")) {
        must(nc_var_par_access(nc, variable, NC_COLLECTIVE));
    }
    must(nc_put_vara_double(nc, variable, start, count, block));
    must(nc_close(nc));
    if (0 == rank) {
        print_offset(argv[1], block[0]);
    }
    free(block);
    MPI_Finalize();
    return 0;
}
