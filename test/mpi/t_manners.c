/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Manners: files with names of every length that the file system takes, and with long paths, are
 * opened (Open MPI's sharedfp/lockedfile overruns a buffer of 256 bytes). A file that is created
 * has the mode that the user's umask leaves of rw-rw-rw-; a file that is there keeps its mode and
 * owner. The segments that ranks share have no name any more once the file is open, and only
 * their owner may use them. Nothing but the file is in its directory.
 */
#include "lib/t_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 3000, COUNT = 5 };

static char folder[600], path[700];

static void transfer(MPI_File file)
{
    t_blocks mine = {t_rank * BLOCK, BLOCK, t_size * BLOCK, COUNT};

    t_blocks_view(file, &mine);
    t_blocks_write(file, &mine, t_rank);
}

static void check_mode(mode_t wanted)
{
    struct stat is;

    if (0 != stat(path, &is)) {
        t_fail("the file is not there: %s", strerror(errno));
    } else if (wanted != (is.st_mode & 07777) || geteuid() != is.st_uid) {
        t_fail("the file has mode %o, not %o", (unsigned) is.st_mode & 07777, (unsigned) wanted);
    }
}

static void modes(mode_t mask)
{
    mode_t old = umask(mask);
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_RDWR, NULL,
               &file)) {
        transfer(file);
        check_mode(0666 & ~mask);
        t_ok(MPI_File_close(&file), "close");
    }
    check_mode(0666 & ~mask);
    MPI_Barrier(MPI_COMM_WORLD);
    t_fail_if(0 == t_rank && 0 != chmod(path, 0640), "chmod: %s", strerror(errno));
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        transfer(file);
        t_ok(MPI_File_close(&file), "close");
    }
    check_mode(0640);
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    umask(old);
    t_verdict("mode_of_a_new_file_with_umask_%03o", (unsigned) mask);
}

/** What is in the directory: the file, and nothing else. */
static void check_folder(const char *when)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (NULL != dir && NULL != (entry = readdir(dir))) {
        t_fail_if('.' != entry->d_name[0] && 0 != strcmp("file", entry->d_name),
                  "%s there is a file %s", when, entry->d_name);
    }
    if (NULL != dir) {
        closedir(dir);
    }
}

/** The object behind a mapping, where the kernel shows it. */
static void check_object(const char *range)
{
    char link[128];
    struct stat is;

    snprintf(link, sizeof(link), "/proc/self/map_files/%s", range);
    t_fail_if(0 == stat(link, &is)
                  && (0600 != (is.st_mode & 07777) || geteuid() != is.st_uid || 0 != is.st_nlink),
              "a segment has mode %o and %d names", (unsigned) is.st_mode & 07777,
              (int) is.st_nlink);
}

/** Segments of ours that this rank has mapped; every one must be without a name. */
static int check_segments(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024], range[64];
    int found = 0;

    while (NULL != maps && NULL != fgets(line, sizeof(line), maps)) {
        if (NULL != strstr(line, "/dev/shm/collio-") && 1 == sscanf(line, "%63s", range)) {
            found++;
            check_object(range);
            t_fail_if(NULL == strstr(line, "(deleted)"), "a segment still has its name: %s", line);
        }
    }
    if (NULL != maps) {
        fclose(maps);
    }
    return found;
}

static void segments(void)
{
    MPI_File file;
    int found = 0, most = 0;

    umask(0); /* the mode of a segment must not depend on it */
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
               "exchange=on,transport=shm,buffer_bytes=32768", &file)) {
        for (int i = 0; i < 3; i++) {
            transfer(file);
            MPI_Barrier(MPI_COMM_WORLD); /* who made a segment has taken its name away */
            found = check_segments();
            check_folder("while the file is open");
        }
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Allreduce(&found, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    t_fail_if(1 < t_size && 0 == most, "no rank has mapped a segment: nothing was tested");
    MPI_Barrier(MPI_COMM_WORLD);
    check_folder("after the close");
    t_verdict("segments_have_no_name_and_nothing_else_is_written");
}

static char long_path[4096];

static void use(const char *what)
{
    unsigned char mine = (unsigned char) (100 + t_rank), back = 0;
    MPI_File file;

    if (!t_open(MPI_COMM_WORLD, long_path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        t_fail("%s, long_path of %zu characters", what, strlen(long_path));
        return;
    }
    t_ok(MPI_File_write_at_all(file, t_rank, &mine, 1, MPI_BYTE, MPI_STATUS_IGNORE), "write");
    t_ok(MPI_File_close(&file), "close");
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        int fd = open(long_path, O_RDONLY);

        for (int r = 0; r < t_size; r++) {
            t_fail_if(1 != pread(fd, &back, 1, r) || back != 100 + r,
                      "%s, long_path of %zu characters: another byte of rank %d", what,
                      strlen(long_path), r);
        }
        close(fd);
        unlink(long_path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void fill(size_t from, size_t to)
{
    memset(long_path + from, 'n', to - from);
    long_path[to] = '\0';
}

static void names(void)
{
    enum { LONGEST = 255 }; /* name that file systems take */
    size_t start;
    char below[4096];

    t_path(long_path, sizeof(long_path), "");
    start = strlen(long_path);
    for (size_t length = 180; length <= LONGEST; length += length < 235 && length > 190 ? 20 : 5) {
        fill(start, start + length);
        use("a long name");
    }
    t_verdict("long_names");
    fill(start, start + 200);
    snprintf(below, sizeof(below), "%s", long_path);
    if (0 == t_rank) {
        mkdir(below, 0755);
    }
    strcat(long_path, "/");
    start = strlen(long_path);
    for (size_t length = 10; length <= LONGEST; length += 49) {
        fill(start, start + length);
        use("a long path");
    }
    t_verdict("long_paths");
    if (0 == t_rank) {
        rmdir(below);
    }
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(folder, sizeof(folder), "manners");
    snprintf(path, sizeof(path), "%s/file", folder);
    t_fail_if(0 == t_rank && 0 != mkdir(folder, 0700), "mkdir: %s", strerror(errno));
    MPI_Barrier(MPI_COMM_WORLD);
    names();
    modes(022);
    modes(077);
    modes(0);
    segments();
    if (0 == t_rank) {
        unlink(path);
        rmdir(folder);
    }
    return t_finish();
}
