/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_WORK_H
#define T_WORK_H

#include "t_file.h"

/**
 * A file of the ranks of a communicator, whose blocks alternate. The number of the file decides
 * where the blocks begin and which bytes are written, together with the generation: 0 after the
 * open, another one for other bytes.
 */
enum { T_WORK_BLOCK = 600, T_WORK_COUNT = 8, T_WORK_BYTES = T_WORK_BLOCK * T_WORK_COUNT };

typedef struct t_work {
    MPI_Comm comm;
    MPI_File file;
    int number, generation, rank, size;
    char path[512];
} t_work;

t_blocks t_work_blocks(const t_work *work, int rank);
int t_work_writer(const t_work *work, int rank);
/* All are collective over comm. */
void t_work_open(t_work *work, MPI_Comm comm, const char *name, int number, const char *hints);
/* Writes the blocks of this rank. */
void t_work_write(t_work *work);
/* Reads what the next rank wrote. */
void t_work_read(t_work *work);
/* Closes the file; its rank 0 checks it. */
void t_work_close(t_work *work);
/* Compares every byte of a closed file by POSIX and removes it. Not collective, needs no MPI. */
void t_work_check(const t_work *work);
/* Open, write, read, close. */
void t_work_whole(MPI_Comm comm, const char *name, int number, const char *hints);

#endif
