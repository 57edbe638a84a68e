/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic mode against torn reads, a write-only and a read-only handle, and the hints as
 * MPI_File_get_info reports them. One line "ok NAME" or "not ok NAME" each, from rank 0.
 *
 * usage: t_handles FILE
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <string.h>

static const char *path;

static void verdict(const char *name)
{
    t_verdict("%s", name);
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_File open_file(int amode)
{
    MPI_File file;

    if (!t_open(MPI_COMM_WORLD, path, amode, NULL, &file)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return file;
}

/* Rank 0 writes whole patterns over and over, the others read: never a mixture. */
static void test_atomic(void)
{
    enum { BYTES = 300000, TIMES = 60 };
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_RDWR);
    char *data = calloc(1, BYTES);

    if (0 == t_rank) {
        MPI_File_write_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    }
    MPI_File_set_atomicity(file, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < TIMES; ++i) {
        if (0 == t_rank) {
            memset(data, i, BYTES);
            MPI_File_write_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
        } else {
            MPI_File_read_at(file, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
            t_fail_if(0 != memcmp(data, data + 1, BYTES - 1), "read %d has bytes of two writes", i);
        }
    }
    MPI_File_close(&file);
    free(data);
    verdict("atomic_not_torn");
}

static void expect_class(int rc, int wanted, const char *what)
{
    t_fail_if(wanted != t_class(rc), "%s: %s", what, t_class_name(t_class(rc)));
}

/* Reading a write-only file and writing a read-only one: refused, with the right class. */
static void test_refused(void)
{
    char byte = 'x';
    MPI_File file = open_file(MPI_MODE_CREATE | MPI_MODE_WRONLY);

    expect_class(MPI_File_read(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ACCESS,
                 "read of a write-only file");
    MPI_File_close(&file);
    file = open_file(MPI_MODE_RDONLY);
    expect_class(MPI_File_write(file, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY,
                 "write of a read-only file");
    MPI_File_close(&file);
    verdict("refused");
}

static void test_info(void)
{
    static const char *const hints[][2] = {{"romio_ds_write", "disable"},
                                           {"ind_wr_buffer_size", "65536"},
                                           {"ind_rd_buffer_size", "4194304"}};
    char value[MPI_MAX_INFO_VAL + 1];
    MPI_Info used;
    MPI_File file;

    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
           "romio_ds_write=disable,ind_wr_buffer_size=65536", &file);
    MPI_File_get_info(file, &used);
    for (size_t i = 0; i < 3; ++i) {
        bool found = t_info_get(used, hints[i][0], value, sizeof(value));

        t_fail_if(!found || 0 != strcmp(value, hints[i][1]), "hint %s is %s", hints[i][0],
                  found ? value : "missing");
    }
    MPI_Info_free(&used);
    MPI_File_close(&file);
    verdict("info");
}

int main(int argc, char **argv)
{
    t_init(&argc, &argv);
    path = argv[1];
    test_atomic();
    test_refused();
    test_info();
    return t_finish();
}
