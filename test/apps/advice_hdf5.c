/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What docs/hdf5.md advises, one setting at a time: a dataset of a row of blocks per rank is
 * written in two steps, and test/apps/run compares the bytes and calls of two such runs.
 *
 * Usage: advice_hdf5 FILE [WORD...]
 *   chunks     chunks as large as the block of a rank; else the dataset is contiguous
 *   shared     chunks that two ranks share
 *   never      H5D_FILL_TIME_NEVER
 *   value      a fill value is set
 *   align      H5Pset_alignment: 64 KiB for objects of 64 KiB or more
 *   default    no H5Pset_dxpl_mpio
 *   float      the memory type differs from the file type
 *   deflate    a filter
 *   plainmeta  without collective metadata
 *   steps      40 steps
 *   read       opens the file again and reads it
 *
 * Rank 0 prints "offset N" of the first dataset, and "collective 1" if HDF5 made collective calls.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 256, COLUMNS = 128, STEPS = 2, MANY_STEPS = 40 }; /* doubles of a rank: 256 KiB */

static int rank, size, words;
static char **word;

static int has(const char *what)
{
    for (int i = 0; i < words; i++) {
        if (0 == strcmp(word[i], what)) {
            return 1;
        }
    }
    return 0;
}

static hid_t file_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
    if (!has("plainmeta")) {
        H5Pset_all_coll_metadata_ops(access, 1);
        H5Pset_coll_metadata_write(access, 1);
    }
    if (has("align")) {
        H5Pset_alignment(access, 64 << 10, 64 << 10);
    }
    return access;
}

static hid_t creation(void)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    const hsize_t chunk[2] = {ROWS, has("shared") ? 2 * COLUMNS : COLUMNS};
    const double value = 1;

    if (has("chunks") || has("shared") || has("deflate")) {
        H5Pset_chunk(list, 2, chunk);
    }
    if (has("never")) {
        H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
    }
    if (has("value")) {
        H5Pset_fill_value(list, H5T_NATIVE_DOUBLE, &value);
    }
    if (has("deflate")) {
        H5Pset_deflate(list, 1);
    }
    return list;
}

/* Columns of the dataset belong to the ranks, so a block is not contiguous in the file. */
static void transfer(hid_t set, void *block, int writing)
{
    const hsize_t start[2] = {0, (hsize_t) rank * COLUMNS}, count[2] = {ROWS, COLUMNS};
    hid_t list = H5Pcreate(H5P_DATASET_XFER), memory = H5Screate_simple(2, count, NULL);
    hid_t space = H5Dget_space(set), type = has("float") ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    H5D_mpio_actual_io_mode_t mode = H5D_MPIO_NO_COLLECTIVE;
    uint32_t local = 0, all = 0;

    if (!has("default")) {
        H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE);
    }
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
    if (0 > (writing ? H5Dwrite(set, type, memory, space, list, block)
                     : H5Dread(set, type, memory, space, list, block))) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    H5Pget_mpio_actual_io_mode(list, &mode);
    H5Pget_mpio_no_collective_cause(list, &local, &all);
    if (0 == rank) {
        printf("collective %d\ncause %u\n", H5D_MPIO_NO_COLLECTIVE != mode, all);
    }
    H5Pclose(list);
    H5Sclose(memory);
    H5Sclose(space);
}

static void steps(const char *path, void *block, int writing)
{
    const hsize_t dims[2] = {ROWS, (hsize_t) size * COLUMNS};
    hid_t access = file_access(), list = creation(), space = H5Screate_simple(2, dims, NULL);
    hid_t file = writing ? H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access)
                         : H5Fopen(path, H5F_ACC_RDONLY, access);

    for (int step = 0; step < (has("steps") ? MANY_STEPS : STEPS); step++) {
        char name[32];
        hid_t set;

        snprintf(name, sizeof(name), "step%d", step);
        set = writing
                  ? H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT)
                  : H5Dopen2(file, name, H5P_DEFAULT);
        transfer(set, block, writing);
        if (0 == rank && 0 == step && writing) {
            printf("offset %lld\n", (long long) H5Dget_offset(set));
        }
        H5Dclose(set);
    }
    H5Fclose(file);
    H5Sclose(space);
    H5Pclose(list);
    H5Pclose(access);
}

int main(int argc, char *argv[])
{
    double *block;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    word = argv + 2;
    words = argc - 2;
    block = calloc(ROWS * COLUMNS, sizeof(*block));
    steps(argv[1], block, 1);
    if (has("read")) {
        steps(argv[1], block, 0);
    }
    free(block);
    MPI_Finalize();
    return 0;
}
