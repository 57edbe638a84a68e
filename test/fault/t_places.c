/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Places that cannot take what is written: /dev/full, a file system with too little room, a limit
 * on the size of files, a read-only file, a directory that is gone or immutable, a file in place of
 * a directory. No shim: real errors.
 *
 *     t_places [SMALL-DIRECTORY]      a directory on a file system of about 1 MiB
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "t_fault.h"

static const t_request request = {1000, 300, 77, 20};

static int write_request(MPI_File file, const t_request *r, MPI_Count *count)
{
    t_blocks mine = t_request_blocks(r, t_rank);
    unsigned char *data = t_blocks_data(&mine, t_rank);
    MPI_Status status;
    int rc;

    memset(&status, 0, sizeof(status));
    t_blocks_view(file, &mine);
    rc = MPI_File_write_at_all(file, 0, data, (int) t_blocks_bytes(&mine), MPI_BYTE, &status);
    *count = t_elements(&status, MPI_BYTE);
    free(data);
    return rc;
}

static void dev_full(const char *hints, const char *name)
{
    MPI_Count count = -1;
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, "/dev/full", MPI_MODE_WRONLY, hints, &file)) {
        t_same_class(write_request(file, &request, &count), MPI_ERR_NO_SPACE, "/dev/full");
        t_fail_if(0 != count, "/dev/full took %lld bytes, says the status", (long long) count);
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("%s", name);
}

/** Holes first: a small file system fills up in the middle of the call. */
static void full_file_system(const char *dir, const char *hints, const char *name)
{
    t_request large = {40000, 300, 0, 10};
    char path[600];
    MPI_Count count = -1;
    MPI_File file;
    long long mine, all;

    large.count = (int) (3000000 / (t_size * large.block)) + 1;
    snprintf(path, sizeof(path), "%s/full", dir);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        t_same_class(write_request(file, &large, &count), MPI_ERR_NO_SPACE, "full file system");
        mine = count;
        MPI_Allreduce(&mine, &all, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
        t_fail_if(all >= large.count * t_size * large.block || 0 > count,
                  "all bytes were counted (%lld) though the file system is full", all);
        t_ok(MPI_File_set_size(file, 0), "set_size"); /* room again */
        if (t_ok(write_request(file, &request, &count), "write after making room")) {
            t_request_check(&request, 0, path, 0);
        }
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    t_verdict("%s", name);
}

static void size_limit(const char *hints, bool one_rank, const char *name)
{
    struct rlimit old, small = {20000, 20000};
    char path[512];
    MPI_Count count = -1;
    MPI_File file;
    int rc;

    t_path(path, sizeof(path), "limit");
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        if (!one_rank || 0 == t_rank) {
            setrlimit(RLIMIT_FSIZE, &small);
        }
        rc = write_request(file, &request, &count);
        setrlimit(RLIMIT_FSIZE, &old);
        t_same_class(rc, MPI_ERR_QUOTA, "RLIMIT_FSIZE");
        if (t_ok(write_request(file, &request, &count), "write after lifting the limit")) {
            t_request_check(&request, 0, path, 0);
        }
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("%s", name);
}

static void read_only(void)
{
    char path[512], bytes[8];
    t_expected nothing_written = {0};
    MPI_Request nothing;
    MPI_Count count = -1;
    MPI_File file;

    t_path(path, sizeof(path), "readonly");
    if (0 == t_rank) {
        t_prefill(path, 50000);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, NULL, &file)) {
        t_same_class(write_request(file, &request, &count), MPI_ERR_READ_ONLY, "read-only file");
        t_same_class(MPI_File_iwrite_at_all(file, 0, path, 8, MPI_BYTE, &nothing),
                     MPI_ERR_READ_ONLY, "read-only file, nonblocking");
        t_ok(MPI_File_close(&file), "close");
    }
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY, NULL, &file)) {
        t_same_class(MPI_File_read_at_all(file, 0, bytes, 8, MPI_BYTE, MPI_STATUS_IGNORE),
                     MPI_ERR_ACCESS, "read of a write-only file");
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_expected_check(&nothing_written, 0 == t_rank ? path : NULL, 50000);
    t_verdict("read_only_file");
}

/** The name goes away under an open file; POSIX keeps the file itself. */
static void removed_directory(void)
{
    char dir[512], path[600];
    t_blocks mine = t_request_blocks(&request, t_rank);
    int bytes = (int) t_blocks_bytes(&mine);
    unsigned char *data = t_alloc((size_t) bytes);
    MPI_Count count = -1;
    MPI_File file;

    t_path(dir, sizeof(dir), "gone");
    snprintf(path, sizeof(path), "%s/file", dir);
    if (0 == t_rank) {
        mkdir(dir, 0755);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        t_fail_if(0 == t_rank && (0 != unlink(path) || 0 != rmdir(dir)),
                  "cannot remove the directory: %s", strerror(errno));
        MPI_Barrier(MPI_COMM_WORLD);
        t_ok(write_request(file, &request, &count), "write to a removed file");
        t_ok(MPI_File_read_at_all(file, 0, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE),
             "read from a removed file");
        t_blocks_check(&mine, t_rank, data, "removed file");
        t_ok(MPI_File_close(&file), "close");
    }
    t_same_class(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
        -1, "open in a removed directory");
    free(data);
    t_verdict("directory_removed_under_us");
}

/** An open of a new file by all ranks, and by each rank alone. */
static void new_file_refused(const char *path, int class, const char *what)
{
    MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF};
    MPI_File file;

    for (int i = 0; i < 2; ++i) {
        t_same_class(
            MPI_File_open(comms[i], path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
            class, what);
    }
}

static void file_as_directory(void)
{
    char name[512], path[600];

    t_path(name, sizeof(name), "plain");
    snprintf(path, sizeof(path), "%s/file", name);
    if (0 == t_rank) {
        t_prefill(name, 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    new_file_refused(path, MPI_ERR_BAD_FILE, "open below a file");
    t_verdict("file_as_directory");
}

/** Switches the attribute of "chattr +i". Returns false if that is not allowed here. */
static bool set_immutable(const char *dir, bool on)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY), flags = 0;
    bool set = -1 != fd && 0 == ioctl(fd, FS_IOC_GETFLAGS, &flags);

    flags = on ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
    set = set && 0 == ioctl(fd, FS_IOC_SETFLAGS, &flags);
    if (-1 != fd) {
        close(fd);
    }
    return set;
}

static void immutable_directory(void)
{
    char dir[512], path[600];
    int set = 0;

    t_path(dir, sizeof(dir), "immutable");
    snprintf(path, sizeof(path), "%s/file", dir);
    if (0 == t_rank) {
        mkdir(dir, 0755);
        set = set_immutable(dir, true);
    }
    MPI_Bcast(&set, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (set) {
        new_file_refused(path, MPI_ERR_ACCESS, "open in an immutable directory");
        MPI_Barrier(MPI_COMM_WORLD);
        t_fail_if(0 == t_rank && !set_immutable(dir, false), "cannot be undone: %s",
                  strerror(errno));
    }
    if (0 == t_rank) {
        rmdir(dir);
    }
    if (set) {
        t_verdict("immutable_directory");
    } else if (0 == t_rank) {
        printf("skip immutable_directory # chattr +i is not allowed here\n");
    }
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    dev_full("exchange=on", "dev_full");
    dev_full("exchange=on,schedule=write_comm2,buffer_bytes=8192", "dev_full_many_cycles");
    dev_full("exchange=off", "dev_full_without_exchange");
    size_limit("exchange=on,aggregators=1", false, "size_limit");
    size_limit("exchange=on,aggregator_list=0,schedule=write", true, "size_limit_on_one_rank");
    size_limit("exchange=off", false, "size_limit_without_exchange");
    read_only();
    removed_directory();
    file_as_directory();
    immutable_directory();
    if (2 == argc) {
        full_file_system(argv[1], "exchange=on", "full_file_system");
        full_file_system(argv[1], "exchange=on,schedule=write_comm2,buffer_bytes=200000",
                         "full_file_system_many_cycles");
        full_file_system(argv[1], "exchange=off", "full_file_system_without_exchange");
    }
    return t_finish();
}
