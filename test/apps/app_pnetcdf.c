/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * PnetCDF as E3SM's I/O library uses it: many nonblocking puts of irregular pieces of several
 * variables, which one wait_all turns into one large collective write with an irregular view. And a
 * variable of records, which blocking and posted calls write.
 *
 * Usage: app_pnetcdf FILE     writes and reads; value(v, i) = 100000 v + i, in record v as well
 */
#include <mpi.h>
#include <pnetcdf.h>
#include <stdio.h>

enum { RECORDS = 3, VARIABLES = 5, CELLS = 3000, PIECE = 7, MOST = CELLS / PIECE + 1 };

static int rank, size, failures;
static int data[VARIABLES][CELLS];

static void must(int rc, const char *what)
{
    if (NC_NOERR != rc) {
        fprintf(stderr, "app_pnetcdf: rank %d: %s: %s\n", rank, what, ncmpi_strerror(rc));
        ++failures;
    }
}

/* Pieces of PIECE cells are dealt out to the ranks; returns how many this one has. */
static int pieces(int who, MPI_Offset start[MOST][1], MPI_Offset count[MOST][1])
{
    int n = 0;

    for (MPI_Offset at = (MPI_Offset) PIECE * who; at < CELLS; at += (MPI_Offset) PIECE * size) {
        start[n][0] = at;
        count[n++][0] = at + PIECE > CELLS ? CELLS - at : PIECE;
    }
    return n;
}

static void transfer(int file, const int *variables, int who, int writing)
{
    MPI_Offset start[MOST][1], count[MOST][1], *starts[MOST], *counts[MOST];
    int n = pieces(who, start, count), requests[VARIABLES], statuses[VARIABLES];

    for (int i = 0; i < n; ++i) {
        starts[i] = start[i];
        counts[i] = count[i];
    }
    for (int v = 0; v < VARIABLES; ++v) {
        int at = 0;

        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < (int) count[i][0]; ++k) {
                data[v][at++] = writing ? 100000 * v + (int) start[i][0] + k : -1;
            }
        }
        must(
            writing
                ? ncmpi_iput_varn_int(file, variables[v], n, starts, counts, data[v], &requests[v])
                : ncmpi_iget_varn_int(file, variables[v], n, starts, counts, data[v], &requests[v]),
            writing ? "iput_varn" : "iget_varn");
    }
    must(ncmpi_wait_all(file, VARIABLES, requests, statuses), "wait_all");
    for (int v = 0; v < VARIABLES; ++v) {
        int at = 0, wrong = 0;

        must(statuses[v], "a request");
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < (int) count[i][0]; ++k) {
                wrong += data[v][at++] != 100000 * v + (int) start[i][0] + k;
            }
        }
        must(0 == wrong ? NC_NOERR : NC_EINVAL, "the comparison of the data");
    }
}

/* Even parts of the cells of each record; the first record by a call of its own. */
static void transfer_records(int file, int variable, int who, int writing)
{
    MPI_Offset begin = CELLS * who / size, cells = CELLS * (who + 1) / size - begin;
    int requests[RECORDS], statuses[RECORDS];

    for (int r = 0; r < RECORDS; ++r) {
        MPI_Offset start[2] = {r, begin}, count[2] = {1, cells};

        for (int i = 0; i < cells; ++i) {
            data[r][i] = writing ? 100000 * r + (int) begin + i : -1;
        }
        if (!writing || 0 == r) {
            must(writing ? ncmpi_put_vara_int_all(file, variable, start, count, data[r])
                         : ncmpi_get_vara_int_all(file, variable, start, count, data[r]),
                 "vara_all");
        } else {
            must(ncmpi_iput_vara_int(file, variable, start, count, data[r], &requests[r]),
                 "iput_vara");
        }
    }
    if (writing) {
        must(ncmpi_wait_all(file, RECORDS - 1, requests + 1, statuses), "wait_all");
    }
    for (int i = 0; i < RECORDS * cells; ++i) {
        if (data[i / cells][i % cells] != 100000 * (i / cells) + begin + i % cells) {
            must(NC_EINVAL, "the comparison of the records");
            break;
        }
    }
}

int main(int argc, char *argv[])
{
    int file, dimension[2], variables[VARIABLES], records;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (2 != argc) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    must(ncmpi_create(MPI_COMM_WORLD, argv[1], NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file),
         "create");
    must(ncmpi_def_dim(file, "time", NC_UNLIMITED, &dimension[0]), "def_dim");
    must(ncmpi_def_dim(file, "cell", CELLS, &dimension[1]), "def_dim");
    for (int v = 0; v < VARIABLES; ++v) {
        char name[8];

        snprintf(name, sizeof(name), "v%d", v);
        must(ncmpi_def_var(file, name, NC_INT, 1, &dimension[1], &variables[v]), "def_var");
    }
    must(ncmpi_def_var(file, "records", NC_INT, 2, dimension, &records), "def_var");
    must(ncmpi_enddef(file), "enddef");
    transfer(file, variables, rank, 1);
    transfer_records(file, records, rank, 1);
    must(ncmpi_close(file), "close");
    must(ncmpi_open(MPI_COMM_WORLD, argv[1], NC_NOWRITE, MPI_INFO_NULL, &file), "open");
    transfer(file, variables, size - 1 - rank, 0);
    transfer_records(file, records, size - 1 - rank, 0);
    must(ncmpi_close(file), "close");
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0 == failures ? 0 : 1;
}
