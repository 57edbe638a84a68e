/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_File_set_view fails on one rank, for a handle whose ranks then agree on sieved writes: at the
 * end of io/ompio's own function, or at its beginning, because the filetype has no whole number of
 * etypes. No rank waits for another, and the handle can be used.
 */
#include "lib/t_file.h"

#include "hook/hook.h"

#include <stdlib.h>

enum { BLOCK = 64, COUNT = 500 };

static collio_io_table_t real;

/* In place of io/ompio's own. */
static int fails(ompi_file_t *file, OMPI_MPI_OFFSET_TYPE disp, struct ompi_datatype_t *etype,
                 struct ompi_datatype_t *filetype, const char *datarep, opal_info_t *info)
{
    (void) real.io_module_file_set_view(file, disp, etype, filetype, datarep, info);
    return MPI_ERR_NO_MEM;
}

static t_blocks blocks_of(int rank)
{
    return (t_blocks){rank * BLOCK, BLOCK, 2 * t_size * BLOCK, COUNT};
}

static int set_view(MPI_File file, int etype_bytes)
{
    t_blocks mine = blocks_of(t_rank);
    MPI_Datatype type = t_blocks_type(&mine), etype;
    int rc;

    MPI_Type_contiguous(etype_bytes, MPI_BYTE, &etype);
    MPI_Type_commit(&etype);
    rc = MPI_File_set_view(file, mine.first, etype, type, "native", MPI_INFO_NULL);
    MPI_Type_free(&etype);

    MPI_Type_free(&type);
    return t_class(rc);
}

static void one_fails(const char *path, bool invalid, const char *name)
{
    enum { OTHER_BYTES = 7 }; /* no divisor of the filetype's size */

    int amode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN;
    t_blocks mine = blocks_of(t_rank);
    MPI_File file = MPI_FILE_NULL;
    t_expected all = {0};
    collio_hook_t *hook;
    int class, failure = invalid ? MPI_ERR_ARG : MPI_ERR_NO_MEM;

    t_open(MPI_COMM_WORLD, path, amode, "exchange=on", &file);
    hook = collio_hook_find(file);
    t_fail_if(NULL == hook, "no component of collio serves the file");
    if (NULL != hook && 1 == t_rank && !invalid) {
        real = hook->original;
        hook->original.io_module_file_set_view = fails;
    }
    class = set_view(file, invalid && 1 == t_rank ? OTHER_BYTES : 1);
    t_fail_if((1 == t_rank ? failure : MPI_SUCCESS) != class, "set_view: %s", t_class_name(class));
    MPI_Barrier(MPI_COMM_WORLD);
    if (NULL != hook && 1 == t_rank && !invalid) {
        hook->original = real;
    }
    class = set_view(file, 1);
    t_fail_if(MPI_SUCCESS != class, "the next set_view: %s", t_class_name(class));
    t_blocks_write(file, &mine, t_rank);
    t_blocks_read(file, &mine, t_rank);
    t_ok(MPI_File_close(&file), "close");
    for (int r = 0; r < t_size; r++) {
        t_expect(&all, blocks_of(r), r);
    }
    t_expected_check(&all, 0 == t_rank ? path : NULL, 0);
    t_verdict("%s", name);
}

int main(int argc, char **argv)
{
    char path[512];

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "view");
    one_fails(path, false, "a rank whose view cannot be set does not hold up the others");
    one_fails(path, true, "a rank with an invalid view does not hold up the others");
    t_remove(path);
    return t_finish();
}
