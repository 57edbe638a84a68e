/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* PnetCDF: a variable of ints, 1000 for each rank, written and read collectively. */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    MPI_Offset start[1], count[1] = {1000};
    static int data[1000];
    char name[1200];
    int rank, ranks, nc, dimension, variable, rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(name, sizeof(name), "%s/known.nc", NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR"));
    start[0] = (MPI_Offset) rank * 1000;
    rc = ncmpi_create(MPI_COMM_WORLD, name, NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &nc);
    rc |= ncmpi_def_dim(nc, "x", (MPI_Offset) ranks * 1000, &dimension);
    rc |= ncmpi_def_var(nc, "data", NC_INT, 1, &dimension, &variable);
    rc |= ncmpi_enddef(nc);
    rc |= ncmpi_put_vara_int_all(nc, variable, start, count, data);
    rc |= ncmpi_get_vara_int_all(nc, variable, start, count, data);
    rc |= ncmpi_close(nc);
    MPI_Finalize();
    return rc;
}
