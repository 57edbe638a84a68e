/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shared file pointers: every record is in the file once, and where the pointer says; seeks, views
 * and ordered calls, ranks that drift apart, several files and communicators at once. POSIX and
 * computed places are the oracle. With the argument "stock": what stock components get right, too.
 */
#include "lib/t_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

enum { RECORD = 24, RECORDS = 200 };

static char path[512];

#define t_check(is_so, ...) ((is_so) ? (void) 0 : t_fail(__VA_ARGS__))

typedef struct record_t {
    int64_t writer, number;
    char text[RECORD - 16];
} record_t;

static record_t record(int writer, int number)
{
    record_t made = {.writer = writer, .number = number};

    memset(made.text, 'a' + (writer + number) % 26, sizeof(made.text));
    return made;
}

static MPI_File opened(MPI_Comm comm, int amode)
{
    MPI_File file = MPI_FILE_NULL;

    if (!t_open(comm, path, amode, NULL, &file)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return file;
}

static void closed(MPI_File *file, const char *name)
{
    t_ok(MPI_File_close(file), "close");
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    t_verdict("%s", name);
}

static void expect_position(MPI_File file, int64_t want, const char *what)
{
    MPI_Offset place = -1;

    t_ok(MPI_File_get_position_shared(file, &place), "get_position_shared");
    t_check(want == place, "%s: the pointer is %lld, not %lld", what, (long long) place,
            (long long) want);
}

/* n records, one after the other, from `first` on: `each` of every writer, in its order. */
static void expect_records(int64_t first, int each, int writers)
{
    int *next = calloc((size_t) writers, sizeof(*next));
    int fd = open(path, O_RDONLY);
    record_t found, want;

    for (int i = 0; i < each * writers; i++) {
        if (RECORD != pread(fd, &found, RECORD, first + (int64_t) i * RECORD) || found.writer < 0
            || found.writer >= writers) {
            t_check(false, "record %d is not there", i);
            break;
        }
        want = record((int) found.writer, next[found.writer]++);
        t_check(0 == memcmp(&want, &found, RECORD), "record %d of rank %d is wrong", i,
                (int) found.writer);
    }
    for (int w = 0; w < writers; w++) {
        t_check(each == next[w], "%d records of rank %d, not %d", next[w], w, each);
    }
    close(fd);
    free(next);
}

/* All ranks at once, blocking and not; then each record is read once by somebody. */
static void together(void)
{
    MPI_File file = opened(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    record_t mine[RECORDS], got;
    int64_t sum = 0, all = 0, want = 0;
    MPI_Request request = MPI_REQUEST_NULL;

    for (int i = 0; i < RECORDS; i++) {
        mine[i] = record(t_rank, i);
        if (0 == i % 3) {
            t_ok(MPI_File_iwrite_shared(file, &mine[i], RECORD, MPI_BYTE, &request),
                 "iwrite_shared");
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            t_ok(MPI_File_write_shared(file, &mine[i], RECORD, MPI_BYTE, MPI_STATUS_IGNORE),
                 "write_shared");
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_position(file, (int64_t) t_size * RECORDS * RECORD, "after the writes");
    expect_records(0, RECORDS, t_size);
    t_ok(MPI_File_seek_shared(file, 0, MPI_SEEK_SET), "seek_shared");
    for (int i = 0; i < RECORDS; i++) {
        if (0 == i % 3) {
            t_ok(MPI_File_iread_shared(file, &got, RECORD, MPI_BYTE, &request), "iread_shared");
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            t_ok(MPI_File_read_shared(file, &got, RECORD, MPI_BYTE, MPI_STATUS_IGNORE),
                 "read_shared");
        }
        sum += got.writer * RECORDS + got.number;
    }
    MPI_Allreduce(&sum, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (int64_t i = 0; i < (int64_t) t_size * RECORDS; i++) {
        want += i;
    }
    t_check(want == all, "the records read are not those written");
    closed(&file, "together");
}

/* Rank r gives r + 1 records, rank 0 none; blocking and split, written and read. */
static void ordered(void)
{
    MPI_File file = opened(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    int mine = t_rank, before = t_rank * (t_rank - 1) / 2, all = t_size * (t_size - 1) / 2;
    record_t *data = calloc((size_t) t_size + 1, sizeof(*data)),
             *got = calloc((size_t) t_size + 1, sizeof(*got));
    int fd;

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < mine; i++) {
            data[i] = record(t_rank, i + round);
        }
        if (0 == round) {
            t_ok(MPI_File_write_ordered(file, data, mine * RECORD, MPI_BYTE, MPI_STATUS_IGNORE),
                 "write_ordered");
        } else {
            t_ok(MPI_File_write_ordered_begin(file, data, mine * RECORD, MPI_BYTE), "begin");
            t_ok(MPI_File_write_ordered_end(file, data, MPI_STATUS_IGNORE), "end");
        }
        MPI_Barrier(MPI_COMM_WORLD);
        expect_position(file, (int64_t) (round + 1) * all * RECORD, "after write_ordered");
        fd = open(path, O_RDONLY);
        t_check(mine * RECORD
                        == pread(fd, got, (size_t) (mine * RECORD), (round * all + before) * RECORD)
                    && 0 == memcmp(data, got, (size_t) (mine * RECORD)),
                "round %d: the records are not in their place", round);
        close(fd);
    }
    t_ok(MPI_File_seek_shared(file, -(MPI_Offset) all * RECORD, MPI_SEEK_CUR), "seek_shared");
    memset(got, 0, (size_t) t_size * sizeof(*got));
    t_ok(MPI_File_read_ordered_begin(file, got, mine * RECORD, MPI_BYTE), "begin");
    t_ok(MPI_File_read_ordered_end(file, got, MPI_STATUS_IGNORE), "end");
    t_check(0 == memcmp(data, got, (size_t) (mine * RECORD)), "read_ordered_begin");
    t_ok(MPI_File_seek_shared(file, -(MPI_Offset) all * RECORD, MPI_SEEK_END), "seek_shared");
    memset(got, 0, (size_t) t_size * sizeof(*got));
    t_ok(MPI_File_read_ordered(file, got, mine * RECORD, MPI_BYTE, MPI_STATUS_IGNORE),
         "read_ordered");
    t_check(0 == memcmp(data, got, (size_t) (mine * RECORD)), "read_ordered");
    free(data);
    free(got);
    closed(&file, "ordered");
}

/* Seeks need no meeting, so ranks drift apart: each writes after each seek, at a place that only
 * this seek and its own turn explain. More seeks than there are numbers for them. */
static void drift(void)
{
    enum { SEEKS = 1300 };
    MPI_File file = opened(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    int fd;

    for (int s = 0; s < SEEKS; s++) {
        int64_t data = (int64_t) s * t_size + t_rank + 1;

        if (0 == s % 97) { /* a view moves the pointer, too */
            t_ok(MPI_File_set_view(file, 0, MPI_INT64_T, MPI_INT64_T, "native", MPI_INFO_NULL),
                 "set_view");
            expect_position(file, 0, "after set_view");
        }
        t_ok(MPI_File_seek_shared(file, (MPI_Offset) s * t_size, MPI_SEEK_SET), "seek_shared");
        if (0 != (s + t_rank) % 5) { /* some ranks leave it alone at times */
            t_ok(MPI_File_write_shared(file, &data, 1, MPI_INT64_T, MPI_STATUS_IGNORE), "write");
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    fd = open(path, O_RDONLY);
    for (int s = 0; s < SEEKS && 0 == t_rank; s++) {
        int64_t found = 0, sum = 0, want = 0;
        int writers = 0;

        for (int r = 0; r < t_size; r++) {
            if (0 != (s + r) % 5) {
                want += (int64_t) s * t_size + r + 1;
                writers++;
            }
        }
        for (int i = 0; i < writers; i++) {
            t_check(8 == pread(fd, &found, 8, ((int64_t) s * t_size + i) * 8), "seek %d: short", s);
            sum += found;
        }
        t_check(sum == want, "seek %d: the numbers after it are not those written", s);
    }
    close(fd);
    closed(&file, "drift");
}

/* Two handles of a file, and one of each half of the ranks: pointers of their own. */
static void apart(void)
{
    MPI_File first = opened(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
    MPI_File second = opened(MPI_COMM_WORLD, MPI_MODE_RDWR);
    MPI_Comm half;
    MPI_File own;
    char data[64] = {0};

    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, t_rank, &half);
    own = opened(half, MPI_MODE_RDWR);
    t_ok(MPI_File_write_shared(first, data, 10, MPI_BYTE, MPI_STATUS_IGNORE), "first");
    t_ok(MPI_File_write_shared(second, data, 20, MPI_BYTE, MPI_STATUS_IGNORE), "second");
    if (t_rank < 2) { /* one of each half */
        t_ok(MPI_File_write_shared(own, data, 7 + t_rank, MPI_BYTE, MPI_STATUS_IGNORE), "own");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_position(first, 10LL * t_size, "first handle");
    expect_position(second, 20LL * t_size, "second handle");
    expect_position(own, 7 + t_rank % 2, "half of the ranks");
    t_ok(MPI_File_close(&own), "close");
    t_ok(MPI_File_close(&second), "close");
    MPI_Comm_free(&half);
    expect_position(first, 10LL * t_size, "first handle, alone");
    closed(&first, "apart");
}

/* Wrong seeks change nothing. */
static void wrong_seeks(MPI_File file)
{
    const MPI_Offset far = (MPI_Offset) 1 << 61;

    MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
    t_ok(MPI_File_set_view(file, 0, MPI_INT64_T, MPI_INT64_T, "native", MPI_INFO_NULL), "set_view");
    t_check(MPI_SUCCESS != MPI_File_seek_shared(file, -1, MPI_SEEK_SET), "a seek below 0");
    t_check(MPI_SUCCESS != MPI_File_seek_shared(file, -1000000, MPI_SEEK_CUR), "far below 0");
    t_check(MPI_SUCCESS != MPI_File_seek_shared(file, far, MPI_SEEK_SET), "2^64 bytes");
    expect_position(file, 0, "after wrong seeks");
    MPI_Barrier(MPI_COMM_WORLD);
    t_ok(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "set_view");
}

/* A file that is opened again begins at 0, or at its end. */
static void again(void)
{
    char data[100] = {0};

    for (int round = 0; round < 3; round++) {
        MPI_File file = opened(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR
                                                   | (2 == round ? MPI_MODE_APPEND : 0));
        int64_t begin = 2 == round ? 100LL * t_size : 0;

        expect_position(file, begin, "after open");
        MPI_Barrier(MPI_COMM_WORLD);
        if (2 > round) {
            wrong_seeks(file);
        }
        t_ok(MPI_File_write_shared(file, data, 100, MPI_BYTE, MPI_STATUS_IGNORE), "write");
        MPI_Barrier(MPI_COMM_WORLD);
        expect_position(file, begin + 100LL * t_size, "after the writes");
        MPI_Barrier(MPI_COMM_WORLD);
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    t_verdict("again");
}

/* Names of files that come and go beside the data, by any process; -1 where they cannot be seen. */
static int watch(void)
{
    char folder[512];
    int watcher = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    strcpy(folder, path);
    *strrchr(folder, '/') = '\0';
    if (-1 != watcher && -1 == inotify_add_watch(watcher, folder, IN_CREATE | IN_DELETE)) {
        close(watcher);
        watcher = -1;
    }
    return watcher;
}

static void expect_only(int watcher, const char *name)
{
    _Alignas(struct inotify_event) char events[65536];
    ssize_t bytes = read(watcher, events, sizeof(events));

    for (char *at = events; at < events + bytes;) {
        const struct inotify_event *event = (const struct inotify_event *) at;

        t_check(0 == strcmp(name, event->name), "a file that nobody asked for: %s", event->name);
        at += sizeof(*event) + event->len;
    }
    close(watcher);
}

/* Files that are opened, written and closed without shared pointers make no other files. */
static void unused(void)
{
    int watcher = watch(), blind = -1 == watcher, any;

    MPI_Allreduce(&blind, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any) {
        if (0 == t_rank) {
            printf("skip unused # no inotify\n");
        }
        return;
    }
    for (int i = 0; i < 20; i++) {
        MPI_File file = opened(MPI_COMM_WORLD, MPI_MODE_CREATE | MPI_MODE_RDWR);
        char byte = (char) i;

        t_ok(MPI_File_write_at_all(file, t_rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), "write");
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_only(watcher, strrchr(path, '/') + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    t_verdict("unused");
}

/* Processes of two jobs: the parent starts another, and both use one pointer. */
static int spawned(int argc, char *argv[])
{
    enum { TIMES = 50 };
    MPI_Comm parent, inter, both;
    MPI_File file;
    char data[10] = {0};

    MPI_Comm_get_parent(&parent);
    if (MPI_COMM_NULL != parent) {
        inter = parent;
    } else if (MPI_SUCCESS
               != MPI_Comm_spawn(argv[0], argv + 1, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                                 MPI_ERRCODES_IGNORE)) {
        return t_skip_all("spawn", "this machine cannot start a process");
    }
    MPI_Intercomm_merge(inter, MPI_COMM_NULL != parent, &both);
    file = opened(both, MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (int i = 0; i < TIMES; i++) {
        t_ok(MPI_File_write_shared(file, data, 10, MPI_BYTE, MPI_STATUS_IGNORE), "write_shared");
    }
    MPI_Barrier(both);
    expect_position(file, 2 * TIMES * 10, "after the writes of both");
    t_ok(MPI_File_close(&file), "close");
    MPI_Barrier(both);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&inter);
    if (MPI_COMM_NULL == parent) {
        unlink(path);
        t_verdict("spawned");
    }
    (void) argc;
    return t_finish();
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "pointer");
    if (1 < argc && 0 == strcmp("spawn", argv[1])) {
        return spawned(argc, argv);
    }
    together();
    ordered();
    if (1 < argc && 0 == strcmp("stock", argv[1])) {
        return t_finish();
    }
    drift();
    apart();
    again();
    unused();
    return t_finish();
}
