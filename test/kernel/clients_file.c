/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The file of a case and its expected content: see t_clients.h. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "t_clients.h"

enum { DIRECT_BYTES = 1 << 20, DIRECT_ALIGNMENT = 4096 };

static unsigned char byte_at(long long offset, int version)
{
    unsigned hash = (unsigned) offset * 2654435761u >> 17;

    return 0 == version ? 0 : (unsigned char) (hash + (unsigned) version * 37u);
}

void fill(unsigned char *buffer, long long offset, size_t bytes, int version)
{
    for (size_t i = 0; i < bytes; i++) {
        buffer[i] = byte_at(offset + (long long) i, version);
    }
}

void expect(shared_file *file, long long offset, size_t bytes, int version)
{
    memset(file->version + offset, version, bytes);
    if (offset + (long long) bytes > file->end) {
        file->end = offset + (long long) bytes;
    }
}

void found_wrong(shared_file *file, long long count, const char *format, ...)
{
    va_list arguments;

    if (0 == file->wrong) {
        va_start(arguments, format);
        vsnprintf(file->message, sizeof(file->message), format, arguments);
        va_end(arguments);
    }
    file->wrong += count;
}

void check_bytes(shared_file *file, const char *what, const unsigned char *buffer, long long offset,
                 size_t bytes)
{
    long long bad = 0, first = -1;

    for (size_t i = 0; i < bytes; i++) {
        if (buffer[i] != byte_at(offset + (long long) i, file->version[offset + (long long) i])) {
            first = 0 > first ? offset + (long long) i : first;
            bad++;
        }
    }
    if (0 < bad) {
        found_wrong(file, bad, "%s: %lld of %zu bytes wrong, first at %lld", what, bad, bytes,
                    first);
    }
}

void check_call(shared_file *file, const char *call, int rc)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (MPI_SUCCESS != rc) {
        MPI_Error_string(rc, text, &length);
        found_wrong(file, 1, "%s: %s", call, text);
    }
}

void check_count(shared_file *file, const char *call, const MPI_Status *status, long long bytes)
{
    int count = -1;

    MPI_Get_count(status, MPI_BYTE, &count);
    if (count != bytes) {
        found_wrong(file, bytes - count, "%s: %d bytes instead of %lld", call, count, bytes);
    }
}

void open_file(shared_file *file, int mode)
{
    int rc = MPI_File_open(MPI_COMM_WORLD, file->path, mode, MPI_INFO_NULL, &file->fh);

    check_call(file, "MPI_File_open", rc);
    if (MPI_SUCCESS != rc) {
        fprintf(stderr, "t_clients: rank %d: %s: %s\n", file->rank, file->path, file->message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    file->is_open = true;
}

void close_file(shared_file *file)
{
    if (file->is_open) {
        file->is_open = false;
        check_call(file, "MPI_File_close", MPI_File_close(&file->fh));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

void sync_barrier_sync(shared_file *file)
{
    check_call(file, "MPI_File_sync", MPI_File_sync(file->fh));
    MPI_Barrier(MPI_COMM_WORLD);
    check_call(file, "MPI_File_sync", MPI_File_sync(file->fh));
}

static void write_bytes(shared_file *file, long long offset, size_t bytes, int version,
                        bool together)
{
    unsigned char *buffer = malloc(bytes + 1);
    MPI_Status status;

    fill(buffer, offset, bytes, version);
    if (together) {
        check_call(file, "MPI_File_write_at_all",
                   MPI_File_write_at_all(file->fh, offset, buffer, (int) bytes, MPI_BYTE, &status));
    } else {
        check_call(file, "MPI_File_write_at",
                   MPI_File_write_at(file->fh, offset, buffer, (int) bytes, MPI_BYTE, &status));
    }
    free(buffer);
}

void write_own(shared_file *file, long long offset, size_t bytes, int version)
{
    write_bytes(file, offset, bytes, version, false);
}

void write_together(shared_file *file, long long offset, size_t bytes, int version)
{
    write_bytes(file, offset, bytes, version, true);
}

static void read_bytes(shared_file *file, long long offset, size_t bytes, bool together)
{
    const char *call = together ? "MPI_File_read_at_all" : "MPI_File_read_at";
    unsigned char *buffer = malloc(bytes + 1);
    MPI_Status status;

    memset(buffer, 0xee, bytes);
    if (together) {
        check_call(file, call,
                   MPI_File_read_at_all(file->fh, offset, buffer, (int) bytes, MPI_BYTE, &status));
    } else {
        check_call(file, call,
                   MPI_File_read_at(file->fh, offset, buffer, (int) bytes, MPI_BYTE, &status));
    }
    check_count(file, call, &status, (long long) bytes);
    check_bytes(file, call, buffer, offset, bytes);
    free(buffer);
}

void read_own(shared_file *file, long long offset, size_t bytes)
{
    read_bytes(file, offset, bytes, false);
}

void read_together(shared_file *file, long long offset, size_t bytes)
{
    read_bytes(file, offset, bytes, true);
}

/* O_DIRECT reads what the server has. A file system without it has no cache to go past. */
long long read_stored(shared_file *file, unsigned char *buffer, size_t bytes)
{
    int fd = open(file->path, O_RDONLY | O_DIRECT);
    struct stat status;
    size_t done = 0;
    ssize_t got = 0;
    void *part;

    if (0 > fd) {
        fd = open(file->path, O_RDONLY);
    }
    if (0 > fd || 0 != fstat(fd, &status)
        || 0 != posix_memalign(&part, DIRECT_ALIGNMENT, DIRECT_BYTES)) {
        return -1;
    }
    while (done < bytes && 0 < (got = pread(fd, part, DIRECT_BYTES, (off_t) done))) {
        size_t take = (size_t) got < bytes - done ? (size_t) got : bytes - done;
        memcpy(buffer + done, part, take);
        done += take;
    }
    free(part);
    close(fd);
    return 0 > got ? -1 : (long long) status.st_size;
}

void check_stored(shared_file *file)
{
    unsigned char *buffer;
    long long size;

    MPI_Barrier(MPI_COMM_WORLD);
    if (0 != file->rank) {
        return;
    }
    buffer = calloc(1, MAX_BYTES);
    size = read_stored(file, buffer, MAX_BYTES);
    if (size != file->end) {
        found_wrong(file, 1, "the stored file has %lld bytes instead of %lld", size, file->end);
    }
    check_bytes(file, "stored file", buffer, 0, (size_t) file->end);
    free(buffer);
}
