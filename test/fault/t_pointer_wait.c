/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank that waits for the lock of the shared number, in its first call at the shared pointer: its
 * messages arrive meanwhile. Rank 1 has the lock, and gives it back when rank 0 has received a
 * message that needs rank 0's progress. For ranks whose shared number is beside the data.
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RECORD = 1000, MESSAGE = 16 << 20, START_US = 300000, LIMIT_S = 20 };

/* Returns a descriptor of the shared number, which this process has locked. */
static int lock_number(const char *data)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char pattern[600];
    glob_t found;
    int fd = -1;

    snprintf(pattern, sizeof(pattern), "%.*s.collio-pointer-*",
             (int) (strrchr(data, '/') - data) + 1, data);
    if (0 == glob(pattern, 0, NULL, &found)) {
        fd = open(found.gl_pathv[0], O_RDWR);
        globfree(&found);
    }
    t_fail_if(-1 == fd || 0 != fcntl(fd, F_SETLK, &whole), "no shared number %s", pattern);
    return fd;
}

/* Sends the message. Returns false if it takes longer than LIMIT_S. */
static bool sent(char *message, MPI_Request *request)
{
    double end = MPI_Wtime() + LIMIT_S;
    int done = 0;

    MPI_Isend(message, MESSAGE, MPI_BYTE, 0, 0, MPI_COMM_WORLD, request);
    while (!done && MPI_Wtime() < end) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    return 0 != done;
}

static void write_record(MPI_File file)
{
    unsigned char record[RECORD];

    t_fill(record, 0, RECORD, t_rank);
    t_ok(MPI_File_write_shared(file, record, RECORD, MPI_BYTE, MPI_STATUS_IGNORE), "write_shared");
}

static void waits(const char *path)
{
    char *message = t_alloc(MESSAGE);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File file = MPI_FILE_NULL;
    MPI_Offset place = -1;
    int fd = -1;

    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
    if (1 == t_rank) {
        write_record(file);
        fd = lock_number(path);
    } else if (0 == t_rank) {
        MPI_Irecv(message, MESSAGE, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (1 == t_rank) {
        usleep(START_US); /* rank 0 waits by then */
        t_fail_if(!sent(message, &request), "rank 0 did not receive in %d s", LIMIT_S);
        close(fd);
    } else if (0 == t_rank) {
        write_record(file);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    t_ok(MPI_File_get_position_shared(file, &place), "get_position_shared");
    t_fail_if(2 * RECORD != place, "the pointer is %lld", (long long) place);
    t_ok(MPI_File_close(&file), "close");
    free(message);
    t_verdict("messages arrive while a rank waits for the shared number");
}

int main(int argc, char **argv)
{
    char path[512];

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "pointer");
    waits(path);
    t_remove(path);
    return t_finish();
}
