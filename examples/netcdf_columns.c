/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Each rank writes its columns of a netCDF-4 variable, collectively. docs/netcdf.md explains it.
 *
 *     mpicc netcdf_columns.c -o netcdf_columns $(pkg-config --cflags --libs netcdf-mpi) \
 *         -I$(pkg-config --variable=prefix netcdf-mpi)/include
 *     mpirun -np 4 --mca io ompio --mca fcoll overlap ./netcdf_columns
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>

enum { N = 512 };
static double data[N][N];

int main(int argc, char *argv[])
{
    int rank, ranks, nc, dims[2], variable, rc = 0;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    rc |= nc_create_par("out.nc", NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &nc);
    rc |= nc_def_dim(nc, "y", N, &dims[0]);
    rc |= nc_def_dim(nc, "x", (size_t) N * ranks, &dims[1]);
    rc |= nc_def_var(nc, "t", NC_DOUBLE, 2, dims, &variable);
    rc |= nc_def_var_fill(nc, variable, NC_NOFILL, NULL); /* no second write of every byte */
    rc |= nc_enddef(nc);
    rc |= nc_var_par_access(nc, variable, NC_COLLECTIVE); /* the default is independent */
    size_t start[2] = {0, (size_t) N * rank}, count[2] = {N, N};
    rc |= nc_put_vara_double(nc, variable, start, count, &data[0][0]);
    rc |= nc_close(nc);
    MPI_Finalize();
    return rc != 0;
}
