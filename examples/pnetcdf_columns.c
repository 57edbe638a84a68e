/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each rank posts its columns of two PnetCDF variables; ncmpi_wait_all writes both in one
 * collective call. docs/netcdf.md explains it.
 *
 *     mpicc pnetcdf_columns.c -o pnetcdf_columns -lpnetcdf
 *     mpirun -np 4 --mca io ompio --mca fcoll overlap ./pnetcdf_columns
 */
#include <mpi.h>
#include <pnetcdf.h>
enum { N = 512 };
static double t[N][N], u[N][N];

int main(int argc, char *argv[])
{
    int rank, ranks, nc, dims[2], var[2], requests[2], statuses[2], rc = 0;
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Info_create(&info);
    MPI_Info_set(info, "nc_var_align_size", "1048576"); /* variables begin at a stripe */
    rc |= ncmpi_create(MPI_COMM_WORLD, "out5.nc", NC_CLOBBER | NC_64BIT_DATA, info, &nc);
    rc |= ncmpi_def_dim(nc, "y", N, &dims[0]);
    rc |= ncmpi_def_dim(nc, "x", (MPI_Offset) N * ranks, &dims[1]);
    rc |= ncmpi_def_var(nc, "t", NC_DOUBLE, 2, dims, &var[0]);
    rc |= ncmpi_def_var(nc, "u", NC_DOUBLE, 2, dims, &var[1]);
    rc |= ncmpi_enddef(nc);
    MPI_Offset start[2] = {0, (MPI_Offset) N * rank}, count[2] = {N, N};
    rc |= ncmpi_iput_vara_double(nc, var[0], start, count, &t[0][0], &requests[0]);
    rc |= ncmpi_iput_vara_double(nc, var[1], start, count, &u[0][0], &requests[1]);
    rc |= ncmpi_wait_all(nc, 2, requests, statuses); /* one collective call */
    rc |= ncmpi_close(nc);
    MPI_Info_free(&info);
    MPI_Finalize();
    return rc != 0;
}
