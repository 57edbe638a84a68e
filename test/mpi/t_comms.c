/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Communicators: MPI_COMM_SELF, halves of the world (ranks in reverse order), and several files
 * open at the same time whose calls alternate. State kept in the wrong place (per process instead
 * of per file, world rank instead of file rank) shows here. And a large message that is under way
 * while its sender waits in a collective call for the receiver: it must arrive.
 */
#include "lib/t_work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Rank 0 sends, and waits in the call; the last rank receives before it comes. */
static void message_under_way(t_work *p)
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
    t_work_write(p);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    free(message);
}

int main(int argc, char *argv[])
{
    t_work self, half, world, again;
    MPI_Comm halves;
    char name[64];

    t_init(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, -t_rank, &halves);

    snprintf(name, sizeof(name), "self.%d", t_rank);
    t_work_whole(MPI_COMM_SELF, name, 10 + t_rank, NULL);
    t_verdict("comm_self");

    snprintf(name, sizeof(name), "half.%d", t_rank % 2);
    t_work_whole(halves, name, 2, NULL);
    t_verdict("sub_communicators");

    t_work_open(&world, MPI_COMM_WORLD, "world", 3, NULL);
    t_work_open(&half, halves, name, 4, NULL);
    t_work_open(&again, MPI_COMM_WORLD, "again", 5, NULL);
    snprintf(name, sizeof(name), "self.%d", t_rank);
    t_work_open(&self, MPI_COMM_SELF, name, 20 + t_rank, NULL);
    t_work_write(&world);
    t_work_write(&self);
    t_work_write(&half);
    t_work_write(&again);
    t_work_read(&half);
    t_work_read(&world);
    t_work_close(&world); /* the first opened goes first: the others must not notice */
    t_work_read(&again);
    t_work_read(&self);
    t_work_close(&self);
    t_work_close(&half);
    t_work_close(&again);
    t_verdict("several_files_at_once");

    t_work_open(&world, MPI_COMM_WORLD, "message", 7, NULL);
    for (int i = 0; i < 3; i++) {
        message_under_way(&world);
    }
    t_work_read(&world);
    t_work_close(&world);
    t_verdict("a_message_under_way");
    MPI_Comm_free(&halves);
    return t_finish();
}
