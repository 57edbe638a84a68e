/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What several nodes do to one file of a file system that they share: each case is a short program
 * that MPI defines the result of. Bytes are compared with computed ones, at the end past the cache
 * of the node that looks. Plain MPI; the component under test is chosen by the caller.
 *
 *     t_clients [--list] [--seconds N] DIR [CASE...]
 *
 * prints, on rank 0, one line for each case: "ok CASE", "ok CASE # refused: ..." where MPI returned
 * an error in place of an unsafe operation, or "not ok CASE # what was wrong". A case that does not
 * end in time ends the program with "not ok CASE # no end ...".
 */
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/t_call.h"
#include "t_clients.h"

enum { DEFAULT_SECONDS = 60, DIRECT_BYTES = 1 << 20, DIRECT_ALIGNMENT = 4096 };

MPI_File file;
int64_t end;
bool refused;
long long run_number;

static bool is_open;
static char path[4096];
static unsigned char version[MAX_BYTES]; /* expected version of each byte */
static test_case *first_case, **last_case = &first_case;
static const char *running = "";
static int seconds = DEFAULT_SECONDS;

void add_case(test_case *test)
{
    *last_case = test;
    last_case = &test->next;
}

void open_by(MPI_Comm comm, int mode, const char *hints)
{
    if (!t_open(comm, path, mode, hints, &file)) {
        fprintf(stderr, "t_clients: rank %d: %s: %s\n", t_rank, path, t_first_failure());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    is_open = true;
}

void open_file(int mode)
{
    open_by(MPI_COMM_WORLD, mode, NULL);
}

void close_file(void)
{
    if (is_open) {
        is_open = false;
        t_ok(MPI_File_close(&file), "MPI_File_close");
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

void sync_barrier_sync(void)
{
    t_ok(MPI_File_sync(file), "MPI_File_sync");
    MPI_Barrier(MPI_COMM_WORLD);
    t_ok(MPI_File_sync(file), "MPI_File_sync");
}

void expect(int64_t offset, int64_t bytes, int number)
{
    memset(version + offset, number, (size_t) bytes);
    end = offset + bytes > end ? offset + bytes : end;
}

void check_bytes(const char *what, const unsigned char *buffer, int64_t offset, int64_t bytes)
{
    int64_t bad = 0, first = -1;

    for (int64_t at = offset; at < offset + bytes; at++) {
        if (buffer[at - offset] != (0 == version[at] ? 0 : t_val(at, version[at]))) {
            first = 0 == bad++ ? at : first;
        }
    }
    t_fail_if(0 < bad, "%s: %lld of %lld bytes wrong, first at %lld", what, (long long) bad,
              (long long) bytes, (long long) first);
}

void put(bool together, int64_t offset, int64_t bytes, int number)
{
    t_call call = {.write = true, .collective = together, .at = true};
    unsigned char *buffer = t_alloc((size_t) bytes);
    MPI_Status status;

    t_fill(buffer, offset, bytes, number);
    t_ok(t_call_make(file, &call, offset, buffer, (int) bytes, MPI_BYTE, &status),
         together ? "MPI_File_write_at_all" : "MPI_File_write_at");
    free(buffer);
}

void get(bool together, int64_t offset, int64_t bytes)
{
    const char *name = together ? "MPI_File_read_at_all" : "MPI_File_read_at";
    t_call call = {.collective = together, .at = true};
    unsigned char *buffer = memset(t_alloc((size_t) bytes), 0xee, (size_t) bytes);
    MPI_Status status;

    t_ok(t_call_make(file, &call, offset, buffer, (int) bytes, MPI_BYTE, &status), name);
    t_status_check(&status, bytes, name);
    check_bytes(name, buffer, offset, bytes);
    free(buffer);
}

/* O_DIRECT reads what the server has. A file system without it has no cache to go past. */
int64_t read_stored(unsigned char *buffer, int64_t bytes)
{
    int fd = open(path, O_RDONLY | O_DIRECT);
    struct stat status;
    int64_t done = 0;
    ssize_t got = 0;
    void *part;

    fd = 0 > fd ? open(path, O_RDONLY) : fd;
    if (0 > fd || 0 != fstat(fd, &status)
        || 0 != posix_memalign(&part, DIRECT_ALIGNMENT, DIRECT_BYTES)) {
        return -1;
    }
    while (done < bytes && 0 < (got = pread(fd, part, DIRECT_BYTES, (off_t) done))) {
        int64_t take = got < bytes - done ? got : bytes - done;

        memcpy(buffer + done, part, (size_t) take);
        done += take;
    }
    free(part);
    close(fd);
    return 0 > got ? -1 : (int64_t) status.st_size;
}

void check_stored(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        unsigned char *buffer = calloc(1, MAX_BYTES);
        int64_t size = read_stored(buffer, MAX_BYTES);

        t_fail_if(size != end, "the stored file has %lld bytes instead of %lld", (long long) size,
                  (long long) end);
        check_bytes("stored file", buffer, 0, end);
        free(buffer);
    }
}

static void no_end(int number)
{
    char line[200];
    int length = snprintf(line, sizeof(line), "not ok %s # no end after %d s\n", running, seconds);

    (void) number;
    _exit(0 > write(STDOUT_FILENO, line, (size_t) length) ? 4 : 3);
}

/* The rank with the lowest number that found something wrong provides the message. */
static bool report(const char *name)
{
    int first = 0 < t_failures() ? t_rank : t_size, lowest;
    char message[512];

    snprintf(message, sizeof(message), "%s", t_first_failure());
    MPI_Allreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest < t_size) {
        MPI_Bcast(message, sizeof(message), MPI_CHAR, lowest, MPI_COMM_WORLD);
    }
    if (0 == t_rank && (refused || lowest == t_size)) {
        printf(refused ? "ok %s # refused: %s\n" : "ok %s\n", name, message);
    } else if (0 == t_rank) {
        printf("not ok %s # rank %d: %s\n", name, lowest, message);
    }
    return refused || lowest == t_size;
}

static bool run_case(const test_case *test, const char *dir)
{
    bool good;

    snprintf(path, sizeof(path), "%s/%s.%lld", dir, test->name, run_number);
    memset(version, 0, sizeof(version));
    end = 0;
    refused = false;
    t_failures_reset();
    running = test->name;
    if (0 == t_rank) {
        alarm((unsigned) seconds);
    }
    if (BARE != test->kind) {
        open_file(CREATE);
    }
    test->run();
    close_file();
    if (BARE != test->kind) {
        check_stored();
    }
    good = report(test->name);
    alarm(0);
    MPI_Barrier(MPI_COMM_WORLD);
    t_remove(path);
    return good;
}

static bool wanted(const test_case *test, int count, char **names)
{
    for (int i = 0; i < count; i++) {
        if (0 == strcmp(test->name, names[i])) {
            return true;
        }
    }
    return 0 == count && LONG != test->kind;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"list", no_argument, NULL, 'l'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {NULL, 0, NULL, 0}};
    bool list = false, good = true;
    int option;

    while (-1 != (option = getopt_long(argc, argv, "+", options, NULL)) && '?' != option) {
        list = list || 'l' == option;
        seconds = 's' == option ? atoi(optarg) : seconds;
    }
    if ('?' == option || (!list && optind >= argc)) {
        fprintf(stderr, "usage: t_clients [--list] [--seconds N] DIR [CASE...]\n");
        return 2;
    }
    for (const test_case *test = first_case; list && NULL != test; test = test->next) {
        if (wanted(test, 0, NULL)) {
            puts(test->name);
        }
    }
    if (list) {
        return 0;
    }
    t_init(&argc, &argv);
    run_number = (long long) getpid();
    MPI_Bcast(&run_number, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    signal(SIGALRM, no_end);
    setenv("T_DIR", argv[optind], 1); /* t_path */
    for (const test_case *test = first_case; NULL != test; test = test->next) {
        if (wanted(test, argc - optind - 1, argv + optind + 1)) {
            good = run_case(test, argv[optind]) && good;
        }
    }
    MPI_Finalize();
    return good ? 0 : 1;
}
