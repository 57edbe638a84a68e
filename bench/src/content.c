/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the file must hold. Each 8-byte word is a mix of its index and the seed, so every byte is
 * known from its offset alone: a piece that lands in the wrong place, twice, or not at all shows,
 * whoever wrote it. All kernels cover their file completely, so the whole file is checked.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { CHUNK = 1 << 20 };

static uint64_t word(int64_t index, uint64_t seed)
{
    return bench_mix((uint64_t) index + (seed << 40));
}

void bench_fill(char *at, int64_t offset, int64_t length, uint64_t seed)
{
    while (length > 0) {
        uint64_t w = word(offset >> 3, seed);
        int64_t skip = offset & 7;
        int64_t n = 8 - skip < length ? 8 - skip : length;

        memcpy(at, (char *) &w + skip, (size_t) n);
        at += n;
        offset += n;
        length -= n;
    }
}

/** Returns the number of bytes that are not as they should be. */
int64_t bench_check(const char *at, int64_t offset, int64_t length, uint64_t seed)
{
    int64_t bad = 0;

    while (length > 0) {
        uint64_t w = word(offset >> 3, seed);
        int64_t skip = offset & 7;
        int64_t n = 8 - skip < length ? 8 - skip : length;

        if (0 != memcmp(at, (char *) &w + skip, (size_t) n)) {
            for (int64_t i = 0; i < n; i++) {
                bad += at[i] != ((char *) &w)[skip + i];
            }
        }
        at += n;
        offset += n;
        length -= n;
    }
    return bad;
}

void bench_walk(const bench_call_t *call, char *buffer, bench_visit_t visit, void *arg)
{
    char *mem = buffer + call->mem_base;
    int64_t done = 0; /* bytes of the call so far */

    for (int64_t i = 0; i < call->count; i++) {
        int64_t offset = call->pieces[i].offset;
        int64_t left = call->pieces[i].length;

        while (left > 0) {
            int64_t n = left;
            char *at = mem + done;

            if (NULL != call->mem_rows) {
                int64_t row = done / call->mem_row_bytes;
                int64_t in_row = done % call->mem_row_bytes;

                n = call->mem_row_bytes - in_row < left ? call->mem_row_bytes - in_row : left;
                at = mem + call->mem_rows[row] + in_row;
            }
            visit(arg, at, offset, n);
            offset += n;
            done += n;
            left -= n;
        }
    }
}

/** This rank's share of the file: whole chunks, dealt in order. */
static void share(int64_t bytes, MPI_Comm comm, int64_t *from, int64_t *to)
{
    int rank;
    int ranks;
    int64_t chunks = (bytes + CHUNK - 1) / CHUNK;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    *from = chunks * rank / ranks * CHUNK;
    *to = chunks * (rank + 1) / ranks * CHUNK;
    *to = *to < bytes ? *to : bytes;
}

int64_t bench_verify_file(const char *path, int64_t bytes, uint64_t seed, MPI_Comm comm)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *chunk = bench_alloc(CHUNK);
    int64_t bad = 0;
    int64_t from;
    int64_t to;

    if (fd < 0) {
        bench_die("%s: %s", path, strerror(errno));
    }
    share(bytes, comm, &from, &to);
    for (int64_t at = from; at < to;) {
        int64_t want = to - at < CHUNK ? to - at : CHUNK;
        /* not by libc: a preload that slows or counts file access must not see the check */
        ssize_t n = syscall(SYS_pread64, fd, chunk, (size_t) want, at);

        if (n <= 0) { /* the file ends early: all that is missing is wrong */
            bad += to - at;
            break;
        }
        int64_t wrong = bench_check(chunk, at, n, seed);
        if (0 == bad && 0 < wrong) {
            fprintf(stderr, "collio_bench: %s: wrong bytes between %lld and %lld\n", path,
                    (long long) at, (long long) (at + n));
        }
        bad += wrong;
        at += n;
    }
    if (lseek(fd, 0, SEEK_END) > bytes) {
        fprintf(stderr, "collio_bench: %s: longer than %lld bytes\n", path, (long long) bytes);
        bad++;
    }
    close(fd);
    free(chunk);
    MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT64_T, MPI_SUM, comm);
    return bad;
}

void bench_create_file(const char *path, int64_t bytes, uint64_t seed, MPI_Comm comm)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    char *chunk = bench_alloc(CHUNK);
    int64_t from;
    int64_t to;

    if (fd < 0) {
        bench_die("%s: %s", path, strerror(errno));
    }
    share(bytes, comm, &from, &to);
    for (int64_t at = from; at < to;) {
        int64_t want = to - at < CHUNK ? to - at : CHUNK;

        bench_fill(chunk, at, want, seed);
        ssize_t n = syscall(SYS_pwrite64, fd, chunk, (size_t) want, at);
        if (n <= 0) {
            bench_die("%s: %s", path, strerror(errno));
        }
        at += n;
    }
    close(fd);
    free(chunk);
    MPI_Barrier(comm);
}
