/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * One rank runs out of memory, at every place where it can: allocation 1, 1 + STEP, 1 + 2 STEP, ...
 * of our library fails in a collective write, then in a read, until a call gets by without so many.
 * Every rank must come back (no hang), with the same error class, and the next write and read of
 * the same file must be right.
 *
 * usage: t_starve FILE VICTIM STEP [HINT=VALUE]...      with starve.so preloaded
 */

#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 200, PIECE_BYTES = 700, BYTES = PIECES * PIECE_BYTES };

static int rank, size, victim, failures;
static unsigned char data[BYTES], back[BYTES];
static void (*starve_begin)(long number);
static int (*starve_end)(void);

static int transfer(MPI_File fh, int write)
{
    return write ? MPI_File_write_at_all(fh, 0, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE)
                 : MPI_File_read_at_all(fh, 0, back, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void complain(const char *what, int write, long number)
{
    printf("t_starve: rank %d: %s, allocation %ld: %s\n", rank, write ? "write" : "read", number,
           what);
    failures++;
}

/* The call with the failure. Returns whether it came to that. */
static int starved_call(MPI_File fh, int write, long number)
{
    int hit, rc, class = MPI_SUCCESS, mine[3], all[3];

    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == victim) {
        starve_begin(number);
    }
    rc = transfer(fh, write);
    hit = rank == victim ? starve_end() : 0;
    MPI_Error_class(rc, &class);
    mine[0] = class, mine[1] = -class, mine[2] = hit;
    MPI_Allreduce(mine, all, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (all[0] != -all[1] && 0 == rank) {
        complain("error classes differ between ranks", write, number);
    }
    if (MPI_SUCCESS == rc && !write && 0 != memcmp(data, back, BYTES)) {
        complain("success, but wrong bytes", write, number);
    }
    return all[2];
}

static void starve_all(MPI_File fh, int write, long step)
{
    long number = 1;
    int hit;

    do {
        for (int i = 0; i < BYTES; i++) {
            data[i] = (unsigned char) (i * 7 + rank * 13 + number);
        }
        if (!write) {
            (void) transfer(fh, 1);
        }
        hit = starved_call(fh, write, number);
        memset(back, 0, BYTES);
        if (MPI_SUCCESS != transfer(fh, 1) || MPI_SUCCESS != transfer(fh, 0)
            || 0 != memcmp(data, back, BYTES)) {
            complain("the file cannot be used any more", write, number);
        }
        number += step;
    } while (hit);
    if (0 == rank) {
        printf("%s: %ld allocations\n", write ? "write" : "read", number - step);
    }
}

static MPI_Info hints(int count, char **words)
{
    MPI_Info info;

    MPI_Info_create(&info);
    for (int i = 0; i < count; i++) {
        char name[128];
        char *equals = strchr(words[i], '=');

        snprintf(name, sizeof(name), "collio_%.*s", (int) (equals - words[i]), words[i]);
        MPI_Info_set(info, name, equals + 1);
    }
    return info;
}

int main(int argc, char **argv)
{
    MPI_File fh;
    MPI_Datatype view;
    MPI_Info info;
    int all;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *(void **) &starve_begin = dlsym(RTLD_DEFAULT, "starve_begin");
    *(void **) &starve_end = dlsym(RTLD_DEFAULT, "starve_end");
    if (argc < 4 || NULL == starve_begin) {
        fprintf(stderr, "usage: t_starve FILE VICTIM STEP [HINT=VALUE]...  (with starve.so)\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    victim = atoi(argv[2]);
    info = hints(argc - 4, argv + 4);
    if (MPI_SUCCESS
        != MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, info, &fh)) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Type_vector(PIECES, PIECE_BYTES, PIECE_BYTES * size, MPI_BYTE, &view);
    MPI_Type_commit(&view);
    MPI_File_set_view(fh, (MPI_Offset) rank * PIECE_BYTES, MPI_BYTE, view, "native", MPI_INFO_NULL);
    starve_all(fh, 1, atol(argv[3]));
    starve_all(fh, 0, atol(argv[3]));
    MPI_File_close(&fh);
    MPI_Type_free(&view);
    MPI_Info_free(&info);
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0 == all ? 0 : 1;
}
