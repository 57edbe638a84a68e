/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What collio asks of a file system client, without MPI, on one file:
 *
 *     t_client drop PATH          drops the pages of the file while something holds them
 *     t_client count PATH TIMES   adds 1 to the first shared number of sharedfp/ondemand that many
 *                                 times, prints the number afterwards
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "access/access.h"
#include "sharedfp_ondemand_counter.h"

enum { PAGES = 8, BYTES = PAGES * 4096 };

static char data[BYTES];
static int held[2] = {-1, -1}; /* a pipe that holds pages of the file */
static int calls;              /* of posix_fadvise */

static int pages_cached(void *pages)
{
    unsigned char cached[PAGES] = {0};
    int count = 0;

    (void) mincore(pages, BYTES, cached);
    for (int i = 0; i < PAGES; i++) {
        count += cached[i] & 1;
    }
    return count;
}

/* In place of the C library's: the first call meets pages that another process is about to drop, as
 * a pipe that holds the pages; later calls meet free ones. */
int posix_fadvise(int fd, off_t offset, off_t bytes, int advice)
{
    int rc = (int) syscall(SYS_fadvise64, fd, offset, bytes, advice);

    calls++;
    while (held[0] >= 0 && 0 < read(held[0], data, sizeof(data))) {
    }
    return rc;
}

/* Drops the pages while something holds them for a moment. Prints the number of pages in the cache
 * before and afterwards. */
static int drop(int fd)
{
    void *pages;
    int before;

    if (BYTES != pwrite(fd, data, BYTES, 0) || 0 != collio_access_flush(fd)
        || BYTES != pread(fd, data, BYTES, 0) || 0 != pipe2(held, O_NONBLOCK)) {
        return 1;
    }
    pages = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
    if (MAP_FAILED == pages || 0 >= splice(fd, &(off_t){0}, held[1], NULL, BYTES, 0)) {
        return 1;
    }
    before = pages_cached(pages);
    if (0 != collio_access_refresh(fd)) {
        return 1;
    }
    printf("%d pages, %d after %d calls\n", before, pages_cached(pages), calls);
    return PAGES != before || 2 > calls || 0 != pages_cached(pages);
}

static int count(const char *path, int times)
{
    mca_sharedfp_ondemand_counter_t counter;
    int64_t before = -1;
    int error = 0;

    mca_sharedfp_ondemand_counter_init(&counter, strdup(path), false, true);
    for (int i = 0; 0 == error && i < times; i++) {
        error = mca_sharedfp_ondemand_counter_add(&counter, 0, 1, &before);
    }
    if (0 == error) {
        error = mca_sharedfp_ondemand_counter_add(&counter, 0, 0, &before);
    }
    printf("%lld%s%s\n", (long long) before, 0 == error ? "" : " ",
           0 == error ? "" : strerror(error));
    mca_sharedfp_ondemand_counter_fini(&counter, false);
    return 0 != error;
}

int main(int argc, char **argv)
{
    if (3 == argc && 0 == strcmp(argv[1], "drop")) {
        int fd = open(argv[2], O_RDWR | O_CREAT, 0600);

        return 0 > fd || 0 != drop(fd);
    }
    if (4 == argc && 0 == strcmp(argv[1], "count")) {
        return count(argv[2], atoi(argv[3]));
    }
    fprintf(stderr, "usage: t_client drop PATH | count PATH TIMES\n");
    return 2;
}
