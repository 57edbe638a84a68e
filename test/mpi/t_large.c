/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * One piece over 2 GiB: the last rank writes and reads 2^31 + 4097 bytes at once, the others a
 * little before it, in thousands of cycles. Needs about 5 GiB of memory and as much on disk;
 * skipped where there is less.
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const int64_t big_bytes = (INT64_C(1) << 31) + 4096 + 8;
enum { SMALL = 4096 };

static char path[512];

static uint64_t word_at(int64_t offset)
{
    return t_mix((uint64_t) offset + t_seed);
}

static bool enough_room(void)
{
    struct statvfs fs;
    char dir[512];

    t_path(dir, sizeof(dir), ".");
    return 1024 * t_proc("/proc/meminfo", "MemAvailable") > 3.0 * (double) big_bytes
           && 0 == statvfs(dir, &fs) && (int64_t) (fs.f_bavail * fs.f_frsize) > 2 * big_bytes;
}

static void compare(const uint64_t *got, int64_t bytes, int64_t offset, const char *what)
{
    for (int64_t i = 0; i < bytes / 8; i++) {
        if (got[i] != word_at(offset + 8 * i)) {
            t_fail("%s: wrong word at file offset %lld", what, (long long) (offset + 8 * i));
            return;
        }
    }
}

static void compare_file(int64_t bytes)
{
    enum { WINDOW = 1 << 20 };
    int fd = open(path, O_RDONLY);
    uint64_t *window = t_alloc(WINDOW);

    for (int64_t at = 0; at < bytes && 0 == t_failures(); at += WINDOW) {
        int64_t n = bytes - at < WINDOW ? bytes - at : WINDOW;

        if (n != pread(fd, window, (size_t) n, at)) {
            t_fail("file ends before offset %lld", (long long) (at + n));
        } else {
            compare(window, n, at, "file");
        }
    }
    close(fd);
    free(window);
}

static void run(const char *hints, const char *name)
{
    bool last = t_size - 1 == t_rank;
    int64_t bytes = last ? big_bytes : SMALL, offset = (int64_t) t_rank * SMALL;
    uint64_t *data = t_alloc((size_t) bytes);
    MPI_Datatype word;
    MPI_File file;
    MPI_Status status;

    MPI_Type_contiguous(8, MPI_BYTE, &word);
    MPI_Type_commit(&word);
    for (int64_t i = 0; i < bytes / 8; i++) {
        data[i] = word_at(offset + 8 * i);
    }
    if (t_create(path, hints, &file)) {
        t_ok(MPI_File_write_at_all(file, offset, data, (int) (bytes / 8), word, &status), "write");
        t_status_check(&status, bytes, "write_at_all");
        memset(data, 0, (size_t) bytes);
        t_ok(MPI_File_read_at_all(file, offset, data, (int) (bytes / 8), word, &status), "read");
        t_status_check(&status, bytes, "read_at_all");
        compare(data, bytes, offset, "read_at_all");
        t_ok(MPI_File_close(&file), "close");
    }
    free(data);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        compare_file((int64_t) (t_size - 1) * SMALL + big_bytes);
        unlink(path);
    }
    MPI_Type_free(&word);
    t_verdict("%s", name);
}

int main(int argc, char *argv[])
{
    int room;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "large");
    room = enough_room();
    MPI_Bcast(&room, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!room) {
        return t_skip_all("piece_over_2_gib", "not enough memory or disk space");
    }
    run("exchange=on", "piece_over_2_gib");
    run("exchange=off", "piece_over_2_gib_no_exchange");
    run("exchange=on,aggregators=1,buffer_bytes=2097152,transport=isend,schedule=write_comm2",
        "piece_over_2_gib_one_aggregator_messages");
    run("exchange=on,aggregators=1,buffer_bytes=2097152,transport=shm,schedule=write_comm2",
        "piece_over_2_gib_one_aggregator_shm");
    return t_finish();
}
