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
#include "lib/t_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 700, COUNT = 6, PARTS = 2, FILES = 16 };

typedef struct ends_file {
    char path[512];
    int number, rank, size;
    bool written[PARTS];
    MPI_File file;
} ends_file;

static ends_file files[FILES];
static int file_count;
static ends_file *by_newer, *by_older, *self, *waited;
static unsigned char *waited_data;
static MPI_Request request = MPI_REQUEST_NULL;

static int writer_of(const ends_file *f, int rank, int part)
{
    return 1000 * f->number + PARTS * rank + part;
}

static t_blocks blocks_of(const ends_file *f, int rank, int part)
{
    return (t_blocks){8 * f->number + (PARTS * rank + part) * BLOCK, BLOCK,
                      PARTS * f->size * BLOCK + 24, COUNT};
}

static ends_file *open_file(MPI_Comm comm, const char *name)
{
    ends_file *f = &files[file_count];

    f->number = file_count++;
    MPI_Comm_rank(comm, &f->rank);
    MPI_Comm_size(comm, &f->size);
    t_path(f->path, sizeof(f->path), name);
    t_open(comm, f->path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &f->file);
    return f;
}

static void write_part(ends_file *f, int part)
{
    t_blocks mine = blocks_of(f, f->rank, part);

    t_blocks_view(f->file, &mine);
    t_blocks_write(f->file, &mine, writer_of(f, f->rank, part));
    f->written[part] = true;
}

static void read_part(ends_file *f, int part)
{
    int other = (f->rank + 1) % f->size;
    t_blocks theirs = blocks_of(f, other, part);

    t_blocks_view(f->file, &theirs);
    t_blocks_read(f->file, &theirs, writer_of(f, other, part));
}

static void close_file(ends_file *f)
{
    t_ok(MPI_File_close(&f->file), "close");
}

static void whole_file(MPI_Comm comm, const char *name)
{
    ends_file *f = open_file(comm, name);

    write_part(f, 0);
    read_part(f, 0);
    write_part(f, 1);
    close_file(f);
}

static void start_write(ends_file *f, int part)
{
    t_blocks mine = blocks_of(f, f->rank, part);

    waited_data = t_blocks_data(&mine, writer_of(f, f->rank, part));
    t_blocks_view(f->file, &mine);
    t_ok(MPI_File_iwrite_all(f->file, waited_data, BLOCK * COUNT, MPI_BYTE, &request),
         "iwrite_all");
    f->written[part] = true;
}

/* Set last, so it runs first. */
static int newer(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm;
    (void) key;
    (void) value;
    (void) extra;
    write_part(by_newer, 1);
    read_part(by_newer, 0);
    close_file(by_newer);
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
        write_part(by_older, 1);
        read_part(by_older, 0);
        close_file(by_older);
        write_part(self, 1);
        close_file(self);
        write_part(waited, 1);
        close_file(waited);
    }
    snprintf(name, sizeof(name), "ends_self_last%d", t_rank);
    whole_file(MPI_COMM_SELF, name);
    whole_file(MPI_COMM_WORLD, "ends_older");
    whole_file(MPI_COMM_WORLD, "ends_again");
    write_part(open_file(MPI_COMM_WORLD, "ends_left_open"), 0);
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
    write_part(by_newer, 0);
    by_older = open_file(MPI_COMM_WORLD, "ends_by_older");
    write_part(by_older, 0);
    snprintf(name, sizeof(name), "ends_self%d", t_rank);
    self = open_file(MPI_COMM_SELF, name);
    write_part(self, 0);
    write_part(open_file(MPI_COMM_WORLD, "ends_never_closed"), 0);
    waited = open_file(MPI_COMM_WORLD, "ends_waited");
    start_write(waited, 0);
}

/* MPI is over: POSIX only. Rank 0 compares the files of all, each rank its own. */
static void check_file(const ends_file *f)
{
    t_expected all = {0};

    for (int i = 0; i < PARTS * f->size; ++i) {
        if (f->written[i % PARTS]) {
            t_expect(&all, blocks_of(f, i / PARTS, i % PARTS), writer_of(f, i / PARTS, i % PARTS));
        }
    }
    t_expected_check(&all, f->path, 0);
    unlink(f->path);
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
    MPI_Finalize();
    for (int i = 0; i < file_count; ++i) {
        if ('\0' != files[i].path[0] && 0 == files[i].rank) {
            check_file(&files[i]);
        }
    }
    if (0 == t_rank) {
        snprintf(name, sizeof(name), "files in callbacks%s%s", '\0' != what[0] ? ", " : "", what);
        printf("%s %s\n", 0 == t_failures() ? "ok" : "not ok", name);
    }
    return 0 == t_failures() ? EXIT_SUCCESS : EXIT_FAILURE;
}
