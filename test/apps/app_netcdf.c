/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * netCDF-4 as climate models use it: a time series of blocks, collective access.
 *
 * Usage: app_netcdf FILE     writes and reads; value(t, i, j) = 10000 t + 100 i + j
 */
#include <mpi.h>
#include <netcdf.h>
#include <netcdf_par.h>
#include <stdio.h>
#include <string.h>

enum { STEPS = 3, ROWS = 48, COLUMNS = 40 };

static int rank, size, failures;
static int data[ROWS * COLUMNS];

static void must(int rc, const char *what)
{
    if (NC_NOERR != rc) {
        fprintf(stderr, "app_netcdf: rank %d: %s: %s\n", rank, what, nc_strerror(rc));
        ++failures;
    }
}

/* Columns are dealt out in blocks: every rank's part of a record is ROWS short runs. */
static void part(int who, size_t t, size_t start[3], size_t count[3])
{
    start[0] = t;
    start[1] = 0;
    start[2] = (size_t) (COLUMNS * who / size);
    count[0] = 1;
    count[1] = ROWS;
    count[2] = (size_t) (COLUMNS * (who + 1) / size) - start[2];
}

static int value(const size_t start[3], const size_t count[3], size_t i)
{
    return (int) (10000 * start[0] + 100 * (i / count[2]) + start[2] + i % count[2]);
}

static void write_file(const char *path)
{
    int file, dims[3], variable;

    must(nc_create_par(path, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file),
         "create");
    must(nc_def_dim(file, "time", NC_UNLIMITED, &dims[0]), "time");
    must(nc_def_dim(file, "row", ROWS, &dims[1]), "row");
    must(nc_def_dim(file, "column", COLUMNS, &dims[2]), "column");
    must(nc_def_var(file, "field", NC_INT, 3, dims, &variable), "field");
    must(nc_enddef(file), "enddef");
    must(nc_var_par_access(file, variable, NC_COLLECTIVE), "collective access");
    for (size_t t = 0; t < STEPS; ++t) {
        size_t start[3], count[3];

        part(rank, t, start, count);
        for (size_t i = 0; i < count[1] * count[2]; ++i) {
            data[i] = value(start, count, i);
        }
        must(nc_put_vara_int(file, variable, start, count, data), "put");
    }
    must(nc_close(file), "close");
}

static void read_file(const char *path)
{
    int file, variable;

    must(nc_open_par(path, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &file), "open");
    must(nc_inq_varid(file, "field", &variable), "field");
    must(nc_var_par_access(file, variable, NC_COLLECTIVE), "collective access");
    for (size_t t = 0; t < STEPS; ++t) {
        size_t start[3], count[3];

        part(size - 1 - rank, t, start, count);
        memset(data, 0xff, sizeof(data));
        must(nc_get_vara_int(file, variable, start, count, data), "get");
        for (size_t i = 0; i < count[1] * count[2]; ++i) {
            if (data[i] != value(start, count, i)) {
                must(NC_EINVAL, "the comparison of what was read");
                break;
            }
        }
    }
    must(nc_close(file), "close");
}

int main(int argc, char *argv[])
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (2 != argc) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    write_file(argv[1]);
    read_file(argv[1]);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0 == failures ? 0 : 1;
}
