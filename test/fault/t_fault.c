/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Checks after a failed call; see t_fault.h. */
#include "t_fault.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

t_blocks t_request_blocks(const t_request *request, int rank)
{
    return (t_blocks){request->first + rank * request->block, request->block,
                      t_size * request->block + request->gap, request->count};
}

int64_t t_request_end(const t_request *request)
{
    return request->first + request->count * (t_size * request->block + request->gap);
}

void t_request_check(const t_request *request, int first, const char *path, int64_t prefilled)
{
    t_expected all = {0};

    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < t_size; r++) {
        t_expect(&all, t_request_blocks(request, r), first + r);
    }
    t_expected_check(&all, 0 == t_rank ? path : NULL, prefilled);
}

bool t_fault_there(void)
{
    return NULL != dlsym(RTLD_DEFAULT, "fault_set");
}

void t_fault_set(const char *spec)
{
    void (*set)(const char *) = NULL;

    *(void **) &set = dlsym(RTLD_DEFAULT, "fault_set");
    if (NULL == set) {
        t_fail("the fault library is not preloaded");
    } else {
        set(spec);
    }
}

long long t_fault_count(void)
{
    long long (*count)(void) = NULL;

    *(void **) &count = dlsym(RTLD_DEFAULT, "fault_count");
    return NULL == count ? 0 : count();
}

void t_same_class(int rc, int wanted, const char *what)
{
    int class = t_class(rc), least, most;

    MPI_Allreduce(&class, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&class, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (least != most) {
        t_fail("%s: this rank got '%s', others another class (%d to %d)", what, t_class_name(class),
               least, most);
    } else if (0 > wanted ? MPI_SUCCESS == class : class != wanted) {
        char name[MPI_MAX_ERROR_STRING];

        snprintf(name, sizeof(name), "%s", 0 > wanted ? "some error" : t_class_name(wanted));
        t_fail("%s: got '%s', expected '%s'", what, t_class_name(class), name);
    }
}

/** New bytes of a rank in the file; -1 when some byte is neither old nor new. */
static int64_t new_bytes(const unsigned char *image, const t_blocks *blocks, int writer)
{
    int64_t n = 0;

    for (int i = 0; i < blocks->count; i++) {
        for (int64_t k = 0; k < blocks->block; k++) {
            int64_t at = blocks->first + i * blocks->stride + k;

            if (image[at] == t_val(at, writer)) {
                n++;
            } else if (image[at] != t_pre(at)) {
                t_fail("file offset %lld: 0x%02x is neither old nor new", (long long) at,
                       image[at]);
                return -1;
            }
        }
    }
    return n;
}

static void check_gaps(unsigned char *image, const t_request *request, int64_t size)
{
    for (int r = 0; r < t_size; r++) {
        t_blocks b = t_request_blocks(request, r);

        for (int i = 0; i < b.count; i++) {
            for (int64_t k = 0; k < b.block; k++) {
                image[b.first + i * b.stride + k] = t_pre(b.first + i * b.stride + k);
            }
        }
    }
    for (int64_t at = 0; at < size; at++) {
        if (image[at] != t_pre(at)) {
            t_fail("file offset %lld, outside the request: 0x%02x, expected 0x%02x", (long long) at,
                   image[at], t_pre(at));
            return;
        }
    }
}

void t_check_partial(const char *path, const t_request *request, int64_t my_count, int64_t old_size)
{
    long long mine = my_count, *counts = t_alloc((size_t) t_size * sizeof(*counts));

    MPI_Gather(&mine, 1, MPI_LONG_LONG, counts, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    if (0 == t_rank) {
        unsigned char *image = t_alloc((size_t) old_size);
        int fd = open(path, O_RDONLY);
        ssize_t got = 0, n;

        while (0 < (n = pread(fd, image + got, (size_t) (old_size - got), got))) {
            got += n;
        }
        if (got != old_size || old_size != lseek(fd, 0, SEEK_END)) {
            t_fail("the size of the file changed from %lld", (long long) old_size);
        } else {
            for (int r = 0; r < t_size; r++) {
                t_blocks b = t_request_blocks(request, r);
                int64_t there = new_bytes(image, &b, r);

                t_fail_if(0 <= there && there < counts[r],
                          "rank %d was told %lld bytes, but only %lld are in the file", r,
                          counts[r], (long long) there);
            }
            check_gaps(image, request, old_size);
        }
        close(fd);
        free(image);
    }
    free(counts);
}
