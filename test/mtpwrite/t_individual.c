/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Individual access: call x view x buffer x method x engine x threads x sieving x atomic mode, all
 * in one run, since everything can be said per file by hints. Each case
 *
 *   1. fills the file with foreign bytes (POSIX), partly or fully,
 *   2. writes from every rank in three calls that continue each other, and compares the file
 *      pointer with the standard's,
 *   3. reads the file with POSIX and compares every byte, the foreign ones included,
 *   4. reads it back through MPI, in some cases beyond its end, and compares bytes and counts.
 *
 * usage: t_individual [-m pairwise|full] [-s seed] [-c calls] FILE
 *        pairwise: every pair of values; full: every three of them
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t_shapes.h"

enum { CALL, VIEW, MEMORY, METHOD, ENGINE, THREADS, SIEVE, WINDOW, ATOMIC, DIMENSIONS };
enum { WRITE, WRITE_AT, IWRITE, IWRITE_AT, WRITE_ALL, CALLS };

static const char *const call_names[] = {"write", "write_at", "iwrite", "iwrite_at", "write_all"};
static const char *const methods[] = {"auto", "vector", "pack", "direct"};
static const char *const engines[] = {"auto", "threads", "libaio", "io_uring"};
static const char *const threads[] = {"0", "1", "2", "4", "7"};
static const char *const sieves[] = {"automatic", "enable", "disable"};
static const char *const windows[] = {"0", "3000"};
static int values[DIMENSIONS] = {CALLS, T_VIEWS, T_MEMORIES, 4, 4, 5, 3, 2, 2};

static int rank, ranks;
static const char *path;
static unsigned long long seed = 1;

/* what the whole file holds, on every rank */
static unsigned char foreign(long long offset)
{
    return (unsigned char) (offset * 31 + offset / 257 + 5);
}

static unsigned char wanted(int of_rank, long long stream)
{
    return (unsigned char) (stream * 7 + stream / 253 + 101 * (of_rank + 1));
}

struct test {
    int at[DIMENSIONS];
    shape view;
    shape memory;
    long long bytes;    /* that this rank writes, in all */
    long long part[3];  /* in elements of the memory type */
    long long existing; /* size of the file before */
    int shortened;      /* read beyond the end */
    char *buffer;
    size_t buffer_bytes;
    MPI_File file;
    const char *failure;
};

static void name_test(const struct test *test, char *text, size_t size)
{
    snprintf(text, size, "%s/%s/%s/%s/%s/threads%s/sieve_%s/window%s/%s",
             call_names[test->at[CALL]], t_view_names[test->at[VIEW]],
             t_memory_names[test->at[MEMORY]], methods[test->at[METHOD]], engines[test->at[ENGINE]],
             threads[test->at[THREADS]], sieves[test->at[SIEVE]], windows[test->at[WINDOW]],
             test->at[ATOMIC] ? "atomic" : "nonatomic");
}

static void fail(struct test *test, const char *what)
{
    if (NULL == test->failure) {
        test->failure = what;
    }
}

static void prepare_file(const struct test *test)
{
    unsigned char *content = malloc((size_t) test->existing + 1);
    int fd;

    if (0 == rank) {
        for (long long i = 0; i < test->existing; ++i) {
            content[i] = foreign(i);
        }
        fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        if (0 > fd || test->existing != write(fd, content, (size_t) test->existing)) {
            perror(path);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        close(fd);
    }
    free(content);
    MPI_Barrier(MPI_COMM_WORLD);
}

static void open_file(struct test *test, int amode)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, "collio_method", methods[test->at[METHOD]]);
    MPI_Info_set(info, "collio_engine", engines[test->at[ENGINE]]);
    MPI_Info_set(info, "collio_num_threads", threads[test->at[THREADS]]);
    MPI_Info_set(info, "collio_serial_below", "1");
    MPI_Info_set(info, "romio_ds_read", sieves[test->at[SIEVE]]);
    MPI_Info_set(info, "romio_ds_write", sieves[test->at[SIEVE]]);
    MPI_Info_set(info, "ind_rd_buffer_size", windows[test->at[WINDOW]]);
    MPI_Info_set(info, "ind_wr_buffer_size", windows[test->at[WINDOW]]);
    if (MPI_SUCCESS != MPI_File_open(MPI_COMM_WORLD, path, amode, info, &test->file)) {
        fprintf(stderr, "cannot open %s\n", path);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Info_free(&info);
    MPI_File_set_view(test->file, test->view.disp, MPI_BYTE, test->view.type, "native",
                      MPI_INFO_NULL);
    MPI_File_set_atomicity(test->file, test->at[ATOMIC]);
}

static void fill_buffer(struct test *test)
{
    memset(test->buffer, 0x5a, test->buffer_bytes);
    for (long long i = 0; i < test->bytes; ++i) {
        test->buffer[t_locate(&test->memory, i)] = (char) wanted(rank, i);
    }
}

/* One call of the case's kind, at element `first` of the buffer. */
static void make_call(struct test *test, int write_it, long long first, long long count,
                      long long expected)
{
    char *buf = test->buffer + first * test->memory.extent;
    MPI_Offset offset = first * test->memory.size; /* in etypes */
    MPI_Datatype type = test->memory.type;
    MPI_Request request;
    MPI_Status status;
    int bytes = -1;
    int rc = MPI_SUCCESS;
    int number = (int) count;

    switch (test->at[CALL]) {
    case WRITE:
        rc = write_it ? MPI_File_write(test->file, buf, number, type, &status)
                      : MPI_File_read(test->file, buf, number, type, &status);
        break;
    case WRITE_AT:
        rc = write_it ? MPI_File_write_at(test->file, offset, buf, number, type, &status)
                      : MPI_File_read_at(test->file, offset, buf, number, type, &status);
        break;
    case IWRITE:
        rc = write_it ? MPI_File_iwrite(test->file, buf, number, type, &request)
                      : MPI_File_iread(test->file, buf, number, type, &request);
        break;
    case IWRITE_AT:
        rc = write_it ? MPI_File_iwrite_at(test->file, offset, buf, number, type, &request)
                      : MPI_File_iread_at(test->file, offset, buf, number, type, &request);
        break;
    default:
        rc = write_it ? MPI_File_write_all(test->file, buf, number, type, &status)
                      : MPI_File_read_all(test->file, buf, number, type, &status);
        break;
    }
    if (MPI_SUCCESS == rc && (IWRITE == test->at[CALL] || IWRITE_AT == test->at[CALL])) {
        rc = MPI_Wait(&request, &status);
    }
    if (MPI_SUCCESS != rc) {
        fail(test, write_it ? "the write failed" : "the read failed");
        return;
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes != expected && WRITE_ALL != test->at[CALL]) {
        fail(test, write_it ? "wrong count of a write" : "wrong count of a read");
    }
}

/* All parts; `available` bytes of the stream are in the file. */
static void call_parts(struct test *test, int write_it, long long available)
{
    long long first = 0;
    MPI_Offset position;

    for (int i = 0; i < 3; ++i) {
        long long bytes = test->part[i] * test->memory.size;
        long long left = available - first * test->memory.size;
        long long expected = left < bytes ? (left < 0 ? 0 : left) : bytes;

        make_call(test, write_it, first, test->part[i], expected);
        first += test->part[i];
        MPI_File_get_position(test->file, &position);
        if (WRITE_AT == test->at[CALL] || IWRITE_AT == test->at[CALL]) {
            if (0 != position) {
                fail(test, "an explicit offset moved the file pointer");
            }
        } else if (position != first * test->memory.size) {
            fail(test, "the file pointer is wrong");
        }
    }
}

/* Compares the whole file; rank 0. */
static void check_file(struct test *test, const long long *bytes)
{
    int fd = open(path, O_RDONLY);
    long long size = lseek(fd, 0, SEEK_END);
    unsigned char *got, *expected;
    long long from = test->at[VIEW] == T_VIEWS - 1 ? 4294967296LL : 0;

    got = malloc((size_t) (size - from + 1));
    expected = malloc((size_t) (size - from + 1));
    for (long long i = from; i < size; ++i) {
        expected[i - from] = i < test->existing ? foreign(i) : 0;
    }
    for (int r = 0; r < ranks; ++r) {
        shape view;

        t_view(&view, test->at[VIEW], r, ranks);
        for (long long i = 0; i < bytes[r]; ++i) {
            long long offset = view.disp + t_locate(&view, i);

            if (offset >= size) {
                fail(test, "the file is too short");
                break;
            }
            expected[offset - from] = wanted(r, i);
        }
        t_shape_free(&view);
    }
    if (size - from != pread(fd, got, (size_t) (size - from), from)) {
        fail(test, "cannot read the file");
    } else if (0 != memcmp(got, expected, (size_t) (size - from))) {
        long long at = 0;

        while (got[at] == expected[at]) {
            ++at;
        }
        fprintf(stderr, "# byte %lld of %lld is %02x, not %02x\n", from + at, size, got[at],
                expected[at]);
        fail(test, "wrong bytes in the file");
    }
    close(fd);
    free(got);
    free(expected);
}

static void check_buffer(struct test *test, long long available)
{
    char *expected = malloc(test->buffer_bytes + 1);

    memset(expected, 0x33, test->buffer_bytes);
    for (long long i = 0; i < test->bytes && i < available; ++i) {
        expected[t_locate(&test->memory, i)] = (char) wanted(rank, i);
    }
    if (0 != memcmp(expected, test->buffer, test->buffer_bytes)) {
        fail(test, "wrong bytes were read");
    }
    free(expected);
}

/* Cuts the file in the middle of somebody's data, when this kind of call can cope with it. */
static long long shorten(struct test *test)
{
    long long end = test->view.disp + t_locate(&test->view, test->bytes * 2 / 3) + 1;
    long long all, available = 0;

    MPI_Allreduce(&end, &all, 1, MPI_LONG_LONG, MPI_MIN, MPI_COMM_WORLD);
    if (0 == rank && 0 != truncate(path, (off_t) all)) {
        perror(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    while (available < test->bytes && test->view.disp + t_locate(&test->view, available) < all) {
        ++available;
    }
    return available;
}

static void run_test(struct test *test)
{
    long long *bytes = malloc((size_t) ranks * sizeof(*bytes));
    long long available;

    prepare_file(test);
    open_file(test, MPI_MODE_RDWR);
    fill_buffer(test);
    call_parts(test, 1, test->bytes);
    MPI_File_close(&test->file);
    MPI_Allgather(&test->bytes, 1, MPI_LONG_LONG, bytes, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
    if (0 == rank) {
        check_file(test, bytes);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    available = test->bytes;
    if (test->shortened) {
        available = shorten(test);
    }
    open_file(test, MPI_MODE_RDONLY);
    memset(test->buffer, 0x33, test->buffer_bytes);
    call_parts(test, 0, available);
    check_buffer(test, available);
    MPI_File_close(&test->file);
    free(bytes);
}

static void make_test(struct test *test, const int *at, long number)
{
    long long elements;

    memcpy(test->at, at, sizeof(test->at));
    test->failure = NULL;
    t_view(&test->view, at[VIEW], rank, ranks);
    t_memory(&test->memory, at[MEMORY]);
    t_seed(seed + 977 * (unsigned long long) number); /* the same on every rank */
    elements = (long long) (t_random() % 60000) / test->memory.size + 3;
    test->part[0] = elements / 3;
    test->part[1] = (long long) (t_random() % 2) * (elements / 3);
    test->part[2] = elements - test->part[0] - test->part[1];
    test->bytes = elements * test->memory.size;
    test->existing = at[VIEW] == T_VIEWS - 1 ? 0 : (long long) (t_random() % 200000);
    test->shortened = WRITE_ALL != at[CALL] && 0 == t_random() % 3;
    test->buffer_bytes = (size_t) ((elements + 1) * test->memory.extent);
    test->buffer = malloc(test->buffer_bytes);
}

static int do_test(const int *at, long number)
{
    struct test test;
    char name[256];
    int failed, any;

    make_test(&test, at, number);
    name_test(&test, name, sizeof(name));
    if (0 == rank && NULL != getenv("T_VERBOSE")) {
        fprintf(stderr, "# %ld %s\n", number, name);
    }
    run_test(&test);
    failed = NULL != test.failure;
    if (failed) {
        fprintf(stderr, "# rank %d: %s: %s\n", rank, name, test.failure);
    }
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (0 == rank && any) {
        printf("not ok %s # seed %llu number %ld\n", name, seed, number);
        fflush(stdout);
    }
    free(test.buffer);
    t_shape_free(&test.view);
    t_shape_free(&test.memory);
    return any;
}

/* Which combinations of two or three values were tried. */
enum { MOST_VALUES = 8, ALL_VALUES = DIMENSIONS * MOST_VALUES };
static char seen[ALL_VALUES][ALL_VALUES][ALL_VALUES];

static int value_of(const int *at, int dimension)
{
    return dimension * MOST_VALUES + at[dimension];
}

/* How many combinations of a case are new; `mark` notes them. Of two values: the second twice. */
static int new_combinations(const int *at, int strength, int mark)
{
    int count = 0;

    for (int a = 0; a < DIMENSIONS; ++a) {
        for (int b = a + 1; b < DIMENSIONS; ++b) {
            int last = 2 == strength ? b + 1 : DIMENSIONS;

            for (int c = 2 == strength ? b : b + 1; c < last; ++c) {
                char *tried = &seen[value_of(at, a)][value_of(at, b)][value_of(at, c)];

                count += !*tried;
                *tried |= (char) mark;
            }
        }
    }
    return count;
}

/* Every combination of so many values of different dimensions, greedily. */
static long run_covering(int strength, int *failures)
{
    long number = 0;
    int misses = 0;

    t_seed(seed);
    while (misses < 200) {
        int best[DIMENSIONS] = {0}, most = 0;

        t_seed(seed + 31 * (unsigned long long) (number + 1000 * misses));
        for (int trial = 0; trial < 40; ++trial) {
            int at[DIMENSIONS], count;

            for (int d = 0; d < DIMENSIONS; ++d) {
                at[d] = (int) (t_random() % (unsigned) values[d]);
            }
            count = new_combinations(at, strength, 0);
            if (count > most) {
                most = count;
                memcpy(best, at, sizeof(best));
            }
        }
        if (0 == most) {
            ++misses;
            continue;
        }
        new_combinations(best, strength, 1);
        *failures += do_test(best, number++);
    }
    return number;
}

int main(int argc, char **argv)
{
    int failures = 0, full = 0, option;
    long total;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    while (-1 != (option = getopt(argc, argv, "m:s:c:"))) {
        if ('m' == option) {
            full = 0 == strcmp(optarg, "full");
        } else if ('s' == option) {
            seed = strtoull(optarg, NULL, 0);
        } else if ('c' == option) {
            values[CALL] = atoi(optarg); /* the first so many kinds of call */
        } else {
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }
    path = argv[optind];
    if (0 == rank) {
        printf("# seed %llu\n", seed);
    }
    total = run_covering(full ? 3 : 2, &failures);
    if (0 == rank) {
        unlink(path);
        printf("# %ld cases, %d failed\n", total, failures);
    }
    MPI_Finalize();
    return 0 == failures ? 0 : 1;
}
