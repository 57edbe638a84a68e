/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Writes a 3-D array with parallel HDF5, one block per rank, as a simulation on a grid does: 5 time
 * steps, one dataset per step. docs/getting-started.md walks through it.
 *
 *     h5pcc hdf5_blocks.c -o hdf5_blocks
 *     mpirun -np 8 ./hdf5_blocks out.h5 independent
 *     mpirun -np 8 --mca io ompio --mca fcoll overlap ./hdf5_blocks out.h5 collective
 *
 * Prints the time of the slowest rank, and whether HDF5 made collective calls.
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 64, STEPS = 5 }; /* points of a rank's block in each direction; time steps */

static hid_t create(const char *path)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), file;

    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    H5Pset_coll_metadata_write(access, 1);
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    H5Pclose(access);
    return file;
}

/* Writes this rank's block of one dataset. */
static int write_step(hid_t file, int step, const hsize_t grid[3], const hsize_t start[3],
                      const double *block, hid_t transfer)
{
    const hsize_t count[3] = {SIDE, SIDE, SIDE};
    char name[32];
    hid_t space = H5Screate_simple(3, grid, NULL);
    hid_t memory = H5Screate_simple(3, count, NULL);
    hid_t set;
    int rc;

    snprintf(name, sizeof(name), "step%d", step);
    set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    rc = H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, transfer, block);
    H5Dclose(set);
    H5Sclose(memory);
    H5Sclose(space);
    return rc;
}

int main(int argc, char *argv[])
{
    int ranks, rank, dims[3] = {0, 0, 0}, place[3], periods[3] = {0, 0, 0}, rc = 0;
    hsize_t grid[3], start[3];
    H5D_mpio_actual_io_mode_t mode = H5D_MPIO_NO_COLLECTIVE;
    double *block, seconds, slowest;
    hid_t file, transfer;
    MPI_Comm cart;

    MPI_Init(&argc, &argv);
    if (3 != argc) {
        fprintf(stderr, "usage: hdf5_blocks FILE independent|collective\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Dims_create(ranks, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &cart);
    MPI_Cart_coords(cart, rank, 3, place);
    for (int i = 0; i < 3; i++) {
        grid[i] = (hsize_t) dims[i] * SIDE;
        start[i] = (hsize_t) place[i] * SIDE;
    }
    block = malloc(sizeof(*block) * SIDE * SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        block[i] = rank + i * 1e-6;
    }

    transfer = H5Pcreate(H5P_DATASET_XFER); /* independent, unless the next call changes it */
    if (0 == strcmp(argv[2], "collective")) {
        H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = MPI_Wtime();
    file = create(argv[1]);
    for (int step = 0; step < STEPS; step++) {
        rc |= write_step(file, step, grid, start, block, transfer);
    }
    H5Pget_mpio_actual_io_mode(transfer, &mode);
    rc |= H5Fclose(file);
    seconds = MPI_Wtime() - seconds;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%d steps of %llu x %llu x %llu doubles in %.3f s, HDF5 made %s calls\n", STEPS,
               (unsigned long long) grid[0], (unsigned long long) grid[1],
               (unsigned long long) grid[2], slowest,
               H5D_MPIO_NO_COLLECTIVE == mode ? "independent" : "collective");
    }
    H5Pclose(transfer);
    free(block);
    MPI_Comm_free(&cart);
    MPI_Finalize();
    return rc < 0 ? 1 : 0;
}
