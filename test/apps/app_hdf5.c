/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5 as simulations use it: chunked and compressed datasets, collective metadata, a dataset that
 * grows in time, more chunks than ranks, ranks without data. Built with HDF5's own h5pcc.
 *
 * Usage: app_hdf5 FILE            writes the file, opens it again and reads it with another
 *                                 distribution
 *        app_hdf5 FILE unclosed   writes the file; HDF5 flushes and closes it in MPI_Finalize
 *
 * value(i, j) = 1000 i + j; h5dump must show the same, and the stock component's file be equal.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 96, COLUMNS = 80, STEPS = 3 };

static int rank, size, failures;

static void must(int good, const char *what)
{
    if (!good) {
        fprintf(stderr, "app_hdf5: rank %d: %s failed\n", rank, what);
        ++failures;
    }
}

/* Rows are dealt out; with `turned`, in the opposite order. The last rank of three or more has
 * none. */
static void rows_of(int turned, hsize_t *start, hsize_t *count)
{
    int workers = 3 <= size ? size - 1 : size;
    int mine = turned ? workers - 1 - rank : rank;

    *start = *count = 0;
    if (0 <= mine && mine < workers) {
        *start = (hsize_t) (ROWS * mine / workers);
        *count = (hsize_t) (ROWS * (mine + 1) / workers) - *start;
    }
}

static void transfer(hid_t set, int step, int writing)
{
    hsize_t start[3] = {(hsize_t) step, 0, 0}, count[3] = {1, 0, COLUMNS};
    hid_t there = H5Dget_space(set), here, list = H5Pcreate(H5P_DATASET_XFER);
    int *data = malloc(ROWS * COLUMNS * sizeof(int));
    herr_t rc;

    rows_of(!writing, &start[1], &count[1]);
    here = H5Screate_simple(3, count, NULL);
    if (0 == count[1]) {
        H5Sselect_none(there);
        H5Sselect_none(here);
    } else {
        H5Sselect_hyperslab(there, H5S_SELECT_SET, start, NULL, count, NULL);
    }
    H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE);
    for (hsize_t i = 0; i < count[1] * COLUMNS; ++i) {
        data[i] = writing ? (int) (1000 * (start[1] + i / COLUMNS) + i % COLUMNS) + step : -1;
    }
    rc = writing ? H5Dwrite(set, H5T_NATIVE_INT, here, there, list, data)
                 : H5Dread(set, H5T_NATIVE_INT, here, there, list, data);
    must(0 <= rc, writing ? "H5Dwrite" : "H5Dread");
    for (hsize_t i = 0; !writing && i < count[1] * COLUMNS; ++i) {
        if (data[i] != (int) (1000 * (start[1] + i / COLUMNS) + i % COLUMNS) + step) {
            must(0, "the comparison of what was read");
            break;
        }
    }
    free(data);
    H5Pclose(list);
    H5Sclose(here);
    H5Sclose(there);
}

static hid_t open_file(const char *path, int create)
{
    hid_t list = H5Pcreate(H5P_FILE_ACCESS), file;

    H5Pset_fapl_mpio(list, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_all_coll_metadata_ops(list, 1);
    H5Pset_coll_metadata_write(list, 1);
    file = create ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, list)
                  : H5Fopen(path, H5F_ACC_RDONLY, list);
    must(0 <= file, create ? "H5Fcreate" : "H5Fopen");
    H5Pclose(list);
    return file;
}

/* "chunks": plain chunks; "packed": shuffled and deflated ones; both grow in the first dimension */
static void write_set(hid_t file, const char *name, int packed)
{
    hsize_t now[3] = {1, ROWS, COLUMNS}, most[3] = {H5S_UNLIMITED, ROWS, COLUMNS};
    hsize_t chunk[3] = {1, 16, 16};
    hid_t space = H5Screate_simple(3, now, most), list = H5Pcreate(H5P_DATASET_CREATE), set;

    H5Pset_chunk(list, 3, chunk);
    H5Pset_obj_track_times(list, 0);
    if (packed) {
        H5Pset_shuffle(list);
        H5Pset_deflate(list, 6);
    }
    set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
    must(0 <= set, "H5Dcreate");
    for (int step = 0; step < STEPS; ++step) {
        now[0] = (hsize_t) step + 1;
        must(0 <= H5Dset_extent(set, now), "H5Dset_extent");
        transfer(set, step, 1);
    }
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
}

/* Small datasets: metadata that HDF5 still holds when the program ends. */
static void write_many(hid_t file)
{
    char name[16];

    for (int i = 0; i < 20; ++i) {
        snprintf(name, sizeof(name), "small%d", i);
        write_set(file, name, 0);
    }
}

int main(int argc, char *argv[])
{
    static const char *const names[] = {"chunks", "packed"};
    hid_t file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (2 > argc) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    file = open_file(argv[1], 1);
    for (int i = 0; i < 2; ++i) {
        write_set(file, names[i], 1 == i);
    }
    if (2 < argc) {
        write_many(file);
        MPI_Finalize();
        return 0 == failures ? 0 : 1;
    }
    H5Fclose(file);

    file = open_file(argv[1], 0);
    for (int i = 0; i < 2; ++i) {
        hid_t set = H5Dopen2(file, names[i], H5P_DEFAULT);

        must(0 <= set, "H5Dopen");
        for (int step = 0; step < STEPS; ++step) {
            transfer(set, step, 0);
        }
        H5Dclose(set);
    }
    H5Fclose(file);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0 == failures ? 0 : 1;
}
