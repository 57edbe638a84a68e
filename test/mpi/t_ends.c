/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that are used while MPI_Finalize runs. Libraries (HDF5) attach an attribute to
 * MPI_COMM_SELF whose delete callback writes to files that the program left open, and closes them.
 * MPI runs these callbacks newest first, so some run before what collio does at the end and some
 * after it. Here callbacks of both kinds write to open files, complete a nonblocking write, close
 * files and open further ones. One file is never closed. All files are compared by POSIX after
 * MPI_Finalize.
 *
 *   t_ends           callbacks that were set before and after the first open
 *   t_ends mixed     rank 0 has opened a file before, so that its callbacks run in another order
 *   t_ends first     the first file is opened in a callback
 */
#include "lib/t_work.h"

#include <stdlib.h>
#include <string.h>

enum { FILES = 16 };

static t_work files[FILES];
static int file_count;
static t_work *by_newer, *by_older, *self, *waited;
static unsigned char *waited_data;
static MPI_Request request = MPI_REQUEST_NULL;

static t_work *open_file(MPI_Comm comm, const char *name)
{
    t_work *f = &files[file_count];

    t_work_open(f, comm, name, file_count++, NULL);
    t_work_write(f);
    return f;
}

static void close_file(t_work *f)
{
    t_ok(MPI_File_close(&f->file), "close");
}

/* Other bytes, read back by another rank. */
static void write_again_and_close(t_work *f)
{
    f->generation = 1;
    t_work_write(f);
    t_work_read(f);
    close_file(f);
}

static void whole_file(MPI_Comm comm, const char *name)
{
    write_again_and_close(open_file(comm, name));
}

static void start_write(t_work *f)
{
    t_blocks mine = t_work_blocks(f, f->rank);

    waited_data = t_blocks_data(&mine, t_work_writer(f, f->rank));
    t_blocks_view(f->file, &mine);
    t_ok(MPI_File_iwrite_all(f->file, waited_data, T_WORK_BYTES, MPI_BYTE, &request), "iwrite_all");
}

/* Set last, so it runs first. */
static int newer(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm;
    (void) key;
    (void) value;
    (void) extra;
    write_again_and_close(by_newer);
    whole_file(MPI_COMM_WORLD, "ends_newer");
    return MPI_SUCCESS;
}

/* Set first, so it runs last. */
static int older(MPI_Comm comm, int key, void *value, void *extra)
{
    char name[32];

    (void) comm;
    (void) key;
    (void) value;
    (void) extra;
    if (NULL != by_older) {
        t_ok(MPI_Wait(&request, MPI_STATUS_IGNORE), "wait");
        free(waited_data);
        t_work_read(waited);
        close_file(waited);
        write_again_and_close(by_older);
        write_again_and_close(self);
    }
    snprintf(name, sizeof(name), "ends_self_last%d", t_rank);
    whole_file(MPI_COMM_SELF, name);
    whole_file(MPI_COMM_WORLD, "ends_older");
    whole_file(MPI_COMM_WORLD, "ends_again");
    open_file(MPI_COMM_WORLD, "ends_left_open");
    return MPI_SUCCESS;
}

static void call_at_finalize(MPI_Comm_delete_attr_function *function)
{
    int key = MPI_KEYVAL_INVALID;

    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, function, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

static void open_files(void)
{
    char name[32];

    whole_file(MPI_COMM_WORLD, "ends_closed"); /* what it leaves is kept */
    by_newer = open_file(MPI_COMM_WORLD, "ends_by_newer");
    by_older = open_file(MPI_COMM_WORLD, "ends_by_older");
    snprintf(name, sizeof(name), "ends_self%d", t_rank);
    self = open_file(MPI_COMM_SELF, name);
    open_file(MPI_COMM_WORLD, "ends_never_closed");
    waited = open_file(MPI_COMM_WORLD, "ends_waited");
    waited->generation = 1;
    start_write(waited);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char name[32];

    t_init(&argc, &argv);
    if (0 == strcmp(what, "mixed") && 0 == t_rank) {
        whole_file(MPI_COMM_SELF, "ends_before");
    } else {
        ++file_count; /* the numbers of later files are the same on all ranks */
    }
    call_at_finalize(older);
    if (0 != strcmp(what, "first")) {
        open_files();
        call_at_finalize(newer);
    }
    MPI_Finalize(); /* MPI is over. Rank 0 compares the files of all, each rank its own */
    for (int i = 0; i < file_count; ++i) {
        if ('\0' != files[i].path[0] && 0 == files[i].rank) {
            t_work_check(&files[i]);
        }
    }
    if (0 == t_rank) {
        snprintf(name, sizeof(name), "files in callbacks%s%s", '\0' != what[0] ? ", " : "", what);
        printf("%s %s\n", 0 == t_failures() ? "ok" : "not ok", name);
    }
    return 0 == t_failures() ? EXIT_SUCCESS : EXIT_FAILURE;
}
