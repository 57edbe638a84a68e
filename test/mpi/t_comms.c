/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: MPI_COMM_SELF, halves of the world (ranks in reverse order), and several files
 * open at the same time whose calls alternate. State kept in the wrong place (per process instead
 * of per file, world rank instead of file rank) shows here. And a large message that is under way
 * while its sender waits in a collective call for the receiver: it must arrive.
 */
#include "lib/t_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 700, COUNT = 12, GAP = 50 };

typedef struct place {
    MPI_Comm comm;
    int rank, size, writer_base;
    char path[512];
    MPI_File file;
} place;

static t_blocks blocks_of(const place *p, int rank)
{
    return (t_blocks){20 + rank * BLOCK, BLOCK, p->size * BLOCK + GAP, COUNT};
}

static void open_place(place *p, MPI_Comm comm, const char *name, int writer_base)
{
    p->comm = comm;
    p->writer_base = writer_base;
    MPI_Comm_rank(comm, &p->rank);
    MPI_Comm_size(comm, &p->size);
    t_path(p->path, sizeof(p->path), name);
    if (0 == p->rank) {
        unlink(p->path);
    }
    MPI_Barrier(comm);
    t_open(comm, p->path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &p->file);
}

static void write_place(place *p)
{
    t_blocks mine = blocks_of(p, p->rank);
    unsigned char *data = t_blocks_data(&mine, p->writer_base + p->rank);
    MPI_Status status;

    t_blocks_view(p->file, &mine);
    if (t_ok(MPI_File_write_all(p->file, data, BLOCK * COUNT, MPI_BYTE, &status), "write_all")) {
        t_status_check(&status, BLOCK * COUNT, "write_all");
    }
    free(data);
}

/** Reads what the next rank wrote. */
static void read_place(place *p)
{
    int other = (p->rank + 1) % p->size;
    t_blocks theirs = blocks_of(p, other);
    unsigned char *data = t_alloc(BLOCK * COUNT);
    MPI_Status status;

    t_ok(MPI_File_sync(p->file), "sync");
    MPI_Barrier(p->comm);
    t_blocks_view(p->file, &theirs);
    if (t_ok(MPI_File_read_all(p->file, data, BLOCK * COUNT, MPI_BYTE, &status), "read_all")) {
        t_status_check(&status, BLOCK * COUNT, "read_all");
        t_blocks_check(&theirs, p->writer_base + other, data, "read_all");
    }
    free(data);
}

static void close_place(place *p)
{
    t_ok(MPI_File_close(&p->file), "close");
    MPI_Barrier(p->comm);
    if (0 == p->rank) {
        t_blocks *all = t_alloc((size_t) p->size * sizeof(*all));
        int *writer = t_alloc((size_t) p->size * sizeof(*writer));

        for (int r = 0; r < p->size; r++) {
            all[r] = blocks_of(p, r);
            writer[r] = p->writer_base + r;
        }
        t_blocks_check_file(p->path, all, writer, p->size, 0);
        unlink(p->path);
        free(all);
        free(writer);
    }
}

/* Rank 0 sends, and waits in the call; the last rank receives before it comes. */
static void message_under_way(place *p)
{
    enum { BYTES = 16 << 20 };
    unsigned char *message = t_alloc(BYTES);
    MPI_Request request = MPI_REQUEST_NULL;
    int last = p->size - 1;

    if (0 == p->rank && last > 0) {
        memset(message, 77, BYTES);
        MPI_Isend(message, BYTES, MPI_BYTE, last, 7, p->comm, &request);
    } else if (last == p->rank && last > 0) {
        usleep(50000);
        MPI_Recv(message, BYTES, MPI_BYTE, 0, 7, p->comm, MPI_STATUS_IGNORE);
        for (int i = 0; i < BYTES; i++) {
            if (77 != message[i]) {
                t_fail("byte %d of the message is %d", i, message[i]);
                break;
            }
        }
    }
    write_place(p);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(message);
}

int main(int argc, char *argv[])
{
    place self, half, world, again;
    MPI_Comm halves;
    char name[64];

    t_init(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, -t_rank, &halves);

    snprintf(name, sizeof(name), "self.%d", t_rank);
    open_place(&self, MPI_COMM_SELF, name, 100 + t_rank);
    write_place(&self);
    read_place(&self);
    close_place(&self);
    t_verdict("comm_self");

    snprintf(name, sizeof(name), "half.%d", t_rank % 2);
    open_place(&half, halves, name, 200);
    write_place(&half);
    read_place(&half);
    close_place(&half);
    t_verdict("sub_communicators");

    open_place(&world, MPI_COMM_WORLD, "world", 300);
    open_place(&half, halves, name, 400);
    open_place(&again, MPI_COMM_WORLD, "again", 500);
    snprintf(name, sizeof(name), "self.%d", t_rank);
    open_place(&self, MPI_COMM_SELF, name, 600 + t_rank);
    write_place(&world);
    write_place(&self);
    write_place(&half);
    write_place(&again);
    read_place(&half);
    read_place(&world);
    close_place(&world); /* the first opened goes first: the others must not notice */
    read_place(&again);
    read_place(&self);
    close_place(&self);
    close_place(&half);
    close_place(&again);
    t_verdict("several_files_at_once");

    open_place(&world, MPI_COMM_WORLD, "message", 700);
    for (int i = 0; i < 3; i++) {
        message_under_way(&world);
    }
    read_place(&world);
    close_place(&world);
    t_verdict("a_message_under_way");
    MPI_Comm_free(&halves);
    return t_finish();
}
