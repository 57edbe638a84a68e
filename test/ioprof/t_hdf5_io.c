/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* HDF5: a dataset of ints, 1000 for each rank, written and read collectively. The library's own
 * metadata comes on top, in calls of its own. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    hsize_t size[1], start[1], count[1] = {1000};
    hid_t access, file, space, memory, set, transfer;
    static int data[1000];
    char name[1200];
    int rank, ranks, rc;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    snprintf(name, sizeof(name), "%s/known.h5", NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR"));
    size[0] = (hsize_t) ranks * 1000;
    start[0] = (hsize_t) rank * 1000;
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    space = H5Screate_simple(1, size, NULL);
    set = H5Dcreate2(file, "data", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    memory = H5Screate_simple(1, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    transfer = H5Pcreate(H5P_DATASET_XFER);
    H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    rc = H5Dwrite(set, H5T_NATIVE_INT, memory, space, transfer, data) < 0;
    rc |= H5Dread(set, H5T_NATIVE_INT, memory, space, transfer, data) < 0;
    H5Dclose(set);
    H5Fclose(file);
    H5Pclose(transfer);
    H5Pclose(access);
    H5Sclose(space);
    H5Sclose(memory);
    MPI_Finalize();
    return rc;
}
