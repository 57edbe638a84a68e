/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small real HDF5 program: one contiguous and one chunked dataset, written by collective
 * transfers of hyperslabs, read back with another distribution. h5dump then tells the same story
 * (the runner compares its numbers): value(i, j) = 1000 i + j.
 */
#include "lib/t_file.h"

#include <hdf5.h>
#include <stdlib.h>

enum { ROWS = 24, COLUMNS = 20 };

static int value(hsize_t i, hsize_t j)
{
    return (int) (1000 * i + j);
}

/** The part of this rank: columns are dealt out, so that the ranks' pieces alternate. */
static void select_columns(hid_t space, int rank, hsize_t count[2])
{
    hsize_t start[2] = {0, (hsize_t) rank}, stride[2] = {1, (hsize_t) t_size};

    count[0] = ROWS;
    count[1] = rank < COLUMNS ? (hsize_t) ((COLUMNS - rank + t_size - 1) / t_size) : 0;
    if (0 == count[1]) {
        H5Sselect_none(space);
    } else {
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, NULL);
    }
}

static void transfer(hid_t dataset, int rank, bool writing)
{
    hsize_t count[2];
    hid_t space = H5Dget_space(dataset), memory, list = H5Pcreate(H5P_DATASET_XFER);
    int *data = t_alloc(ROWS * COLUMNS * sizeof(*data));
    herr_t rc;

    select_columns(space, rank, count);
    memory = H5Screate_simple(2, count, NULL);
    if (0 == count[1]) {
        H5Sselect_none(memory);
    }
    H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE);
    for (hsize_t i = 0; i < count[0]; i++) {
        for (hsize_t k = 0; k < count[1]; k++) {
            data[i * count[1] + k] = writing ? value(i, (hsize_t) rank + k * (hsize_t) t_size) : 0;
        }
    }
    rc = writing ? H5Dwrite(dataset, H5T_NATIVE_INT, memory, space, list, data)
                 : H5Dread(dataset, H5T_NATIVE_INT, memory, space, list, data);
    t_fail_if(0 > rc, writing ? "H5Dwrite failed" : "H5Dread failed");
    for (hsize_t i = 0; !writing && i < count[0]; i++) {
        for (hsize_t k = 0; k < count[1]; k++) {
            int want = value(i, (hsize_t) rank + k * (hsize_t) t_size);

            if (data[i * count[1] + k] != want) {
                t_fail("row %d: read %d, expected %d", (int) i, data[i * count[1] + k], want);
                i = count[0];
                break;
            }
        }
    }
    free(data);
    H5Pclose(list);
    H5Sclose(memory);
    H5Sclose(space);
}

static void datasets(hid_t file, bool create)
{
    hsize_t size[2] = {ROWS, COLUMNS}, chunk[2] = {8, 7};
    hid_t space = H5Screate_simple(2, size, NULL), chunked = H5Pcreate(H5P_DATASET_CREATE);
    hid_t plain, tiled;

    H5Pset_chunk(chunked, 2, chunk);
    if (create) {
        plain = H5Dcreate2(file, "plain", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT,
                           H5P_DEFAULT);
        tiled = H5Dcreate2(file, "tiled", H5T_STD_I32LE, space, H5P_DEFAULT, chunked, H5P_DEFAULT);
    } else {
        plain = H5Dopen2(file, "plain", H5P_DEFAULT);
        tiled = H5Dopen2(file, "tiled", H5P_DEFAULT);
    }
    transfer(plain, create ? t_rank : (t_rank + 1) % t_size, create);
    transfer(tiled, create ? t_rank : (t_rank + 1) % t_size, create);
    H5Dclose(plain);
    H5Dclose(tiled);
    H5Pclose(chunked);
    H5Sclose(space);
}

int main(int argc, char *argv[])
{
    char path[512];
    MPI_Info info;
    hid_t access, file;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "t_hdf5.h5");
    info = t_info(NULL);
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, info);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    if (0 > file) {
        t_fail("H5Fcreate failed");
    } else {
        datasets(file, true);
        H5Fclose(file);
    }
    t_verdict("hdf5_collective_write");
    file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (0 > file) {
        t_fail("H5Fopen failed");
    } else {
        datasets(file, false);
        H5Fclose(file);
    }
    t_verdict("hdf5_collective_read");
    H5Pclose(access);
    MPI_Info_free(&info);
    return t_finish();
}
