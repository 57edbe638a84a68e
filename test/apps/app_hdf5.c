/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5 as simulations use it: contiguous, chunked and compressed datasets, collective metadata, a
 * dataset that grows in time, more chunks than ranks, ranks without data, columns of the ranks by
 * turns. Built with HDF5's own h5pcc.
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
#include <string.h>

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

/* Columns are dealt out one by one; with `turned`, each rank has those of the next one. */
static void columns_of(int turned, hsize_t *start, hsize_t *count)
{
    int mine = (rank + turned) % size;

    *start = (hsize_t) mine;
    *count = mine < COLUMNS ? (hsize_t) ((COLUMNS - mine + size - 1) / size) : 0;
}

static void transfer(hid_t set, int step, int columns, int writing)
{
    hsize_t start[3] = {(hsize_t) step, 0, 0}, count[3] = {1, ROWS, COLUMNS};
    hsize_t stride[3] = {1, 1, columns ? (hsize_t) size : 1}, all;
    hid_t there = H5Dget_space(set), here, list = H5Pcreate(H5P_DATASET_XFER);
    int *data = malloc(ROWS * COLUMNS * sizeof(int)), *want = malloc(ROWS * COLUMNS * sizeof(int));
    herr_t rc;

    if (columns) {
        columns_of(!writing, &start[2], &count[2]);
    } else {
        rows_of(!writing, &start[1], &count[1]);
    }
    all = count[1] * count[2];
    here = H5Screate_simple(3, count, NULL);
    if (0 == all) {
        H5Sselect_none(there);
        H5Sselect_none(here);
    } else {
        H5Sselect_hyperslab(there, H5S_SELECT_SET, start, stride, count, NULL);
    }
    H5Pset_dxpl_mpio(list, H5FD_MPIO_COLLECTIVE);
    for (hsize_t i = 0; i < all; ++i) {
        hsize_t row = start[1] + i / count[2], column = start[2] + i % count[2] * stride[2];

        want[i] = (int) (1000 * row + column) + step;
        data[i] = writing ? want[i] : -1;
    }
    rc = writing ? H5Dwrite(set, H5T_NATIVE_INT, here, there, list, data)
                 : H5Dread(set, H5T_NATIVE_INT, here, there, list, data);
    must(0 <= rc, writing ? "H5Dwrite" : "H5Dread");
    must(0 == memcmp(data, want, all * sizeof(int)), "the comparison of the data");
    free(data);
    free(want);
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

/* PLAIN: contiguous; CHUNKS: plain chunks; PACKED: shuffled and deflated ones. Chunked sets grow in
 * the first dimension. */
enum { PLAIN, CHUNKS, PACKED, KINDS };

static void write_set(hid_t file, const char *name, int kind)
{
    hsize_t now[3] = {PLAIN == kind ? STEPS : 1, ROWS, COLUMNS};
    hsize_t most[3] = {PLAIN == kind ? STEPS : H5S_UNLIMITED, ROWS, COLUMNS};
    hsize_t chunk[3] = {1, 16, 16};
    hid_t space = H5Screate_simple(3, now, most), list = H5Pcreate(H5P_DATASET_CREATE), set;

    if (PLAIN != kind) {
        H5Pset_chunk(list, 3, chunk);
    }
    H5Pset_obj_track_times(list, 0);
    if (PACKED == kind) {
        H5Pset_shuffle(list);
        H5Pset_deflate(list, 6);
    }
    set = H5Dcreate2(file, name, H5T_NATIVE_INT, space, H5P_DEFAULT, list, H5P_DEFAULT);
    must(0 <= set, "H5Dcreate");
    for (int step = 0; step < STEPS; ++step) {
        now[0] = (hsize_t) step + 1;
        must(PLAIN == kind || 0 <= H5Dset_extent(set, now), "H5Dset_extent");
        transfer(set, step, PLAIN == kind, 1);
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
        write_set(file, name, CHUNKS);
    }
}

int main(int argc, char *argv[])
{
    static const char *const names[KINDS] = {"plain", "chunks", "packed"};
    hid_t file;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (2 > argc) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    file = open_file(argv[1], 1);
    for (int i = 0; i < KINDS; ++i) {
        write_set(file, names[i], i);
    }
    if (2 < argc) {
        write_many(file);
        MPI_Finalize();
        return 0 == failures ? 0 : 1;
    }
    H5Fclose(file);

    file = open_file(argv[1], 0);
    for (int i = 0; i < KINDS; ++i) {
        hid_t set = H5Dopen2(file, names[i], H5P_DEFAULT);

        must(0 <= set, "H5Dopen");
        for (int step = 0; step < STEPS; ++step) {
            transfer(set, step, PLAIN == i, 0);
        }
        H5Dclose(set);
    }
    H5Fclose(file);
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0 == failures ? 0 : 1;
}
