/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small real PnetCDF program: a fixed and a record variable, written by collective calls and by
 * posted (buffered) calls that one wait_all flushes together; read back. ncmpidump then tells the
 * same story (the runner compares its numbers): value(i, j) = 1000 i + j.
 */
#include "lib/t_file.h"

#include <pnetcdf.h>
#include <stdlib.h>

enum { ROWS = 24, COLUMNS = 20, RECORDS = 3 };

static void must(int rc, const char *what)
{
    t_fail_if(NC_NOERR != rc, "%s: %s", what, ncmpi_strerror(rc));
}

static int value(MPI_Offset i, MPI_Offset j)
{
    return (int) (1000 * i + j);
}

/** Rows of this rank, as even as can be. */
static void my_rows(int rank, MPI_Offset *begin, MPI_Offset *count)
{
    *begin = ROWS * rank / t_size;
    *count = ROWS * (rank + 1) / t_size - *begin;
}

static void write_file(const char *path, MPI_Info info)
{
    int nc, dims[3], plain, record, requests[RECORDS], statuses[RECORDS];
    MPI_Offset begin, rows, start[3], count[3];
    int *data = t_alloc(ROWS * COLUMNS * (RECORDS + 1) * sizeof(*data));

    must(ncmpi_create(MPI_COMM_WORLD, path, NC_CLOBBER | NC_64BIT_DATA, info, &nc), "ncmpi_create");
    ncmpi_def_dim(nc, "time", NC_UNLIMITED, &dims[0]);
    ncmpi_def_dim(nc, "y", ROWS, &dims[1]);
    ncmpi_def_dim(nc, "x", COLUMNS, &dims[2]);
    ncmpi_def_var(nc, "plain", NC_INT, 2, dims + 1, &plain);
    ncmpi_def_var(nc, "record", NC_INT, 3, dims, &record);
    must(ncmpi_enddef(nc), "ncmpi_enddef");
    my_rows(t_rank, &begin, &rows);
    for (MPI_Offset i = 0; i < rows * COLUMNS; i++) {
        data[i] = value(begin + i / COLUMNS, i % COLUMNS);
        for (int r = 0; r < RECORDS; r++) {
            data[(r + 1) * ROWS * COLUMNS + i] = data[i] + 100000 * (r + 1);
        }
    }
    start[0] = begin;
    start[1] = 0;
    count[0] = rows;
    count[1] = COLUMNS;
    must(ncmpi_put_vara_int_all(nc, plain, start, count, data), "ncmpi_put_vara_int_all");
    for (int r = 0; r < RECORDS; r++) {
        MPI_Offset s[3] = {r, begin, 0}, c[3] = {1, rows, COLUMNS};

        must(ncmpi_iput_vara_int(nc, record, s, c, data + (r + 1) * ROWS * COLUMNS, &requests[r]),
             "ncmpi_iput_vara_int");
    }
    must(ncmpi_wait_all(nc, RECORDS, requests, statuses), "ncmpi_wait_all");
    must(ncmpi_close(nc), "ncmpi_close");
    free(data);
}

static void read_file(const char *path, MPI_Info info)
{
    int nc, plain, record;
    MPI_Offset begin, rows;
    int *data = t_alloc(ROWS * COLUMNS * sizeof(*data));

    must(ncmpi_open(MPI_COMM_WORLD, path, NC_NOWRITE, info, &nc), "ncmpi_open");
    ncmpi_inq_varid(nc, "plain", &plain);
    ncmpi_inq_varid(nc, "record", &record);
    my_rows((t_rank + 1) % t_size, &begin, &rows);
    for (int r = -1; r < RECORDS; r++) {
        MPI_Offset start[3] = {r, begin, 0}, count[3] = {1, rows, COLUMNS};

        must(0 > r ? ncmpi_get_vara_int_all(nc, plain, start + 1, count + 1, data)
                   : ncmpi_get_vara_int_all(nc, record, start, count, data),
             "ncmpi_get_vara_int_all");
        for (MPI_Offset i = 0; i < rows * COLUMNS; i++) {
            int want = value(begin + i / COLUMNS, i % COLUMNS) + 100000 * (r + 1);

            if (data[i] != want) {
                t_fail("record %d: read %d, expected %d", r, data[i], want);
                break;
            }
        }
    }
    must(ncmpi_close(nc), "ncmpi_close");
    free(data);
}

int main(int argc, char *argv[])
{
    char path[512];
    MPI_Info info;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "t_pnetcdf.nc");
    info = t_info(NULL);
    write_file(path, info);
    t_verdict("pnetcdf_collective_write");
    read_file(path, info);
    t_verdict("pnetcdf_collective_read");
    MPI_Info_free(&info);
    return t_finish();
}
