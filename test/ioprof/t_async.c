/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Asynchronous I/O of a program: POSIX aio, and libaio and io_uring where they are built in and the
 * kernel allows them. Prints what it did: "aio", "libaio", "io_uring". */
#include "collio_config.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if COLLIO_HAVE_LIBAIO
#    include <libaio.h>
#endif
#if COLLIO_HAVE_LIBURING
#    include <liburing.h>
#endif

static char data[4096];

static int open_file(const char *what)
{
    char name[1200];

    snprintf(name, sizeof(name), "%s/%s", NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR"), what);
    return open(name, O_CREAT | O_RDWR | O_TRUNC, 0600);
}

static void posix_aio(void)
{
    struct aiocb block;
    const struct aiocb *list[1] = {&block};

    memset(&block, 0, sizeof(block));
    block.aio_fildes = open_file("aio");
    block.aio_buf = data;
    block.aio_nbytes = 1000;
    block.aio_offset = 24;
    if (0 != aio_write(&block)) {
        return;
    }
    while (EINPROGRESS == aio_error(&block)) {
        aio_suspend(list, 1, NULL);
    }
    if (1000 == aio_return(&block)) {
        printf("aio\n");
    }
    close(block.aio_fildes);
}

#if COLLIO_HAVE_LIBAIO
static void linux_aio(void)
{
    io_context_t context = NULL;
    struct iocb block, *blocks[1] = {&block};
    struct io_event event;
    int fd = open_file("libaio");

    if (0 == io_setup(4, &context)) {
        io_prep_pwrite(&block, fd, data, 2000, 48);
        if (1 == io_submit(context, 1, blocks) && 1 == io_getevents(context, 1, 1, &event, NULL)) {
            printf("libaio\n");
        }
        io_destroy(context);
    }
    close(fd);
}
#endif

#if COLLIO_HAVE_LIBURING
static void uring(void)
{
    struct io_uring ring;
    struct io_uring_cqe *cqe;
    int fd = open_file("uring");

    if (0 == io_uring_queue_init(4, &ring, 0)) {
        io_uring_prep_write(io_uring_get_sqe(&ring), fd, data, 3000, 96);
        if (1 == io_uring_submit(&ring) && 0 == io_uring_wait_cqe(&ring, &cqe)) {
            io_uring_cqe_seen(&ring, cqe);
            printf("io_uring\n");
        }
        io_uring_queue_exit(&ring);
    }
    close(fd);
}
#endif

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    posix_aio();
#if COLLIO_HAVE_LIBAIO
    linux_aio();
#endif
#if COLLIO_HAVE_LIBURING
    uring();
#endif
    MPI_Finalize();
    return 0;
}
