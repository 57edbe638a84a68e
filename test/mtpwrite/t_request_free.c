/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_Request_free of nonblocking reads and writes.
 *
 *   local      it returns although the transfer cannot begin yet (atomic mode, and this process
 *              itself holds the range by a lock that MPI knows nothing of)
 *   delivered  data of a freed read that needs conversion (external32) reach the user's buffer
 *   stress     threads free, test and complete requests at the same time
 *
 * usage: t_request_free [-t SECONDS] FILE
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { INTS = 5000, THREADS = 4, SLOTS = 8 };

static const char *path;
static atomic_int over;

static void check(bool fine, const char *what)
{
    t_fail_if(!fine, "%s", what);
}

/* Big-endian integers 0, 1, 2, ...: what external32 means by them. */
static void prepare(void)
{
    int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);

    for (unsigned i = 0; i < INTS; ++i) {
        unsigned char bytes[4] = {(unsigned char) (i >> 24), (unsigned char) (i >> 16),
                                  (unsigned char) (i >> 8), (unsigned char) i};

        check(4 == write(fd, bytes, 4), "the file cannot be made");
    }
    close(fd);
}

static int in_order(const int *data)
{
    for (int i = 0; i < INTS; ++i) {
        if (i != data[i]) {
            return 0;
        }
    }
    return 1;
}

static MPI_File open_external(void)
{
    MPI_File file;

    MPI_File_open(MPI_COMM_SELF, (char *) path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    return file;
}

static void freed_read_is_delivered(void)
{
    int *data = calloc(INTS, sizeof(*data));
    MPI_File file = open_external();
    MPI_Request request;

    check(MPI_SUCCESS == MPI_File_iread_at(file, 0, data, INTS, MPI_INT, &request), "iread_at");
    MPI_Request_free(&request);
    check(MPI_REQUEST_NULL == request, "the handle is not null after MPI_Request_free");
    MPI_File_close(&file); /* not before the transfer has ended */
    check(in_order(data), "a freed read did not reach the buffer");
    free(data);
}

static void free_is_local(void)
{
    int *data = calloc(INTS, sizeof(*data));
    int fd = open(path, O_RDWR);
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    MPI_File file = open_external();
    MPI_Request request;

    MPI_File_set_atomicity(file, 1);
    check(0 == fcntl(fd, F_OFD_SETLK, &range), "no lock for the test itself");
    check(MPI_SUCCESS == MPI_File_iread_at(file, 0, data, INTS, MPI_INT, &request), "iread_at");
    MPI_Request_free(&request); /* would wait for ever */
    check(0 == data[1], "a locked range was read");
    range.l_type = F_UNLCK;
    fcntl(fd, F_OFD_SETLK, &range);
    MPI_File_close(&file);
    check(in_order(data), "a freed read of atomic mode did not reach the buffer");
    close(fd);
    free(data);
}

static void *stress(void *arg)
{
    unsigned seed = (unsigned) (size_t) arg;
    MPI_File file = open_external();
    int *data[SLOTS];
    MPI_Request request[SLOTS];

    for (int i = 0; i < SLOTS; ++i) {
        data[i] = calloc(INTS, sizeof(**data));
        for (int k = 0; k < INTS; ++k) {
            data[i][k] = k;
        }
        request[i] = MPI_REQUEST_NULL;
    }
    while (!atomic_load(&over)) {
        for (int i = 0; i < SLOTS; ++i) {
            int done, count = 1 + rand_r(&seed) % INTS;

            if (rand_r(&seed) & 1) {
                MPI_File_iread_at(file, 0, data[i], count, MPI_INT, &request[i]);
            } else {
                MPI_File_iwrite_at(file, 0, data[i], count, MPI_INT, &request[i]);
            }
            if (rand_r(&seed) & 1) {
                MPI_Request_free(&request[i]);
            } else if (rand_r(&seed) & 1) {
                MPI_Test(&request[i], &done, MPI_STATUS_IGNORE);
            }
        }
        MPI_Waitall(SLOTS, request, MPI_STATUSES_IGNORE);
    }
    MPI_File_close(&file);
    for (int i = 0; i < SLOTS; ++i) {
        check(in_order(data[i]), "wrong bytes after the stress");
        free(data[i]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided = t_init_thread(&argc, &argv, MPI_THREAD_MULTIPLE), option, seconds = 4;
    pthread_t threads[THREADS];

    while (-1 != (option = getopt(argc, argv, "t:"))) {
        seconds = 't' == option ? atoi(optarg) : seconds;
    }
    path = argv[optind];
    prepare();
    freed_read_is_delivered();
    free_is_local();
    if (MPI_THREAD_MULTIPLE == provided) {
        for (size_t i = 0; i < THREADS; ++i) {
            pthread_create(&threads[i], NULL, stress, (void *) (i + 1));
        }
        sleep((unsigned) seconds);
        atomic_store(&over, 1);
        for (size_t i = 0; i < THREADS; ++i) {
            pthread_join(threads[i], NULL);
        }
    }
    t_remove(path);
    t_verdict("request_free");
    return t_finish();
}
