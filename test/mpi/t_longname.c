/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * File names of every length that the file system takes, and long paths: open, write, read, close.
 * Open MPI's sharedfp/lockedfile overruns a buffer of 256 bytes when it is asked about them.
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME = 255 }; /* the longest that file systems take */

static char path[4096];

static void use(const char *what)
{
    unsigned char mine = (unsigned char) (100 + t_rank), back = 0;
    MPI_File file;

    if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        t_fail("%s, path of %zu characters", what, strlen(path));
        return;
    }
    t_ok(MPI_File_write_at_all(file, t_rank, &mine, 1, MPI_BYTE, MPI_STATUS_IGNORE), "write");
    t_ok(MPI_File_close(&file), "close");
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        int fd = open(path, O_RDONLY);

        for (int r = 0; r < t_size; r++) {
            t_fail_if(1 != pread(fd, &back, 1, r) || back != 100 + r,
                      "%s, path of %zu characters: another byte of rank %d", what, strlen(path), r);
        }
        close(fd);
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fill(size_t from, size_t to)
{
    memset(path + from, 'n', to - from);
    path[to] = '\0';
}

int main(int argc, char *argv[])
{
    size_t start;
    char folder[4096];

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "");
    start = strlen(path);
    for (size_t length = 180; length <= NAME; length += length < 235 && length > 190 ? 20 : 5) {
        fill(start, start + length);
        use("a long name");
    }
    t_verdict("long_names");
    fill(start, start + 200);
    snprintf(folder, sizeof(folder), "%s", path);
    if (0 == t_rank) {
        mkdir(folder, 0755);
    }
    strcat(path, "/");
    start = strlen(path);
    for (size_t length = 10; length <= NAME; length += 49) {
        fill(start, start + length);
        use("a long path");
    }
    t_verdict("long_paths");
    if (0 == t_rank) {
        rmdir(folder);
    }
    return t_finish();
}
