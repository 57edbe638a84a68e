/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_preallocate on file systems without fallocate (older NFS, FUSE), where some ranks see an
 * old size of the file: bytes that were written stay, the file grows to what was asked for, and new
 * space reads as zeros. A file system that takes no bytes ends the call with an error, the same on
 * all ranks. Signals that interrupt every large fallocate do not keep the call from ending, and
 * signals that interrupt the flush do not make it fail.
 */
#include "t_fault.h"

enum { FIRST = 3000, FAR = 60000, END = 70000, OLD = 1000 };
#define NO_FALLOCATE "match=stale,fallocate_errno=95"

static char path[512];

static bool written(int64_t at)
{
    return at < FIRST || (at >= FAR && at < END);
}

/* The bytes come from rank 0 by POSIX; whoever is stale does not see all of them. */
static void make_file(void)
{
    if (0 == t_rank) {
        t_sparse_make(path, END, written);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* The ranks from `first` to `last` see the first OLD bytes only. */
static void stale(int first, int last, int64_t asked, const char *name)
{
    MPI_File file;

    make_file();
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, NULL, &file)) {
        t_fault_set(t_rank >= first && t_rank <= last ? NO_FALLOCATE ",stale=1000" : NO_FALLOCATE);
        t_same_class(MPI_File_preallocate(file, asked), MPI_SUCCESS, name);
        t_fault_set(NULL);
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        t_sparse_check(path, asked > END ? asked : END, written, asked);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_verdict("%s", name);
}

static void takes_nothing(const char *spec, const char *name)
{
    MPI_File file;

    make_file();
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, NULL, &file)) {
        t_fault_set(spec);
        t_same_class(MPI_File_preallocate(file, 2 * END), MPI_ERR_IO, name);
        t_fault_set(NULL);
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("%s", name);
}

static void interrupted(const char *spec, int64_t asked, const char *name)
{
    MPI_File file;

    make_file();
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, NULL, &file)) {
        t_fault_set(spec);
        t_same_class(MPI_File_preallocate(file, asked), MPI_SUCCESS, name);
        t_fault_set(NULL);
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        t_sparse_check(path, asked, written, asked);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_verdict("%s", name);
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "stale");
    stale(1, 0, 100000, "no_rank_is_stale");
    if (1 < t_size) {
        stale(0, 0, 100000, "rank_0_is_stale");
        stale(0, 0, END - 100, "rank_0_is_stale_and_the_file_is_large_enough");
        stale(0, 0, OLD + 100, "rank_0_is_stale_and_nothing_is_missing");
        stale(0, t_size - 2, 3 << 20, "only_the_last_rank_sees_all");
        stale(1, t_size - 1, 100000, "only_rank_0_sees_all");
    }
    takes_nothing(NO_FALLOCATE ",zero=1", "no_byte_is_taken");
    takes_nothing(NO_FALLOCATE ",zero=2,short=1000", "some_bytes_are_taken");
    interrupted("match=stale,fallocate_most=1048576", (5 << 20) + 300,
                "large_allocations_are_interrupted");
    interrupted(NO_FALLOCATE ",fsync_eintr=3", 100000, "the_flush_is_interrupted");
    t_remove(path);
    return t_finish();
}
