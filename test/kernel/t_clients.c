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
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t_clients.h"

enum { DEFAULT_SECONDS = 60 };

static test_case *first_case, **last_case = &first_case;
static const char *running = "";
static int seconds = DEFAULT_SECONDS;

void add_case(test_case *test)
{
    *last_case = test;
    last_case = &test->next;
}

static void no_end(int number)
{
    char line[MESSAGE_BYTES];
    int length = snprintf(line, sizeof(line), "not ok %s # no end after %d s\n", running, seconds);

    (void) number;
    if (0 > write(STDOUT_FILENO, line, (size_t) length)) {
        _exit(4);
    }
    _exit(3);
}

/* The rank with the lowest number that found something wrong provides the message. */
static bool report(const char *name, shared_file *file)
{
    long long total = 0;
    int first = file->wrong ? file->rank : file->size, lowest;

    MPI_Allreduce(&file->wrong, &total, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&first, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest < file->size) {
        MPI_Bcast(file->message, MESSAGE_BYTES, MPI_CHAR, lowest, MPI_COMM_WORLD);
    }
    if (0 == file->rank && 0 == total) {
        printf(file->refused ? "ok %s # refused: %s\n" : "ok %s\n", name, file->message);
    } else if (0 == file->rank) {
        printf("not ok %s # %lld wrong; rank %d: %s\n", name, total, lowest, file->message);
    }
    fflush(stdout);
    return 0 == total;
}

static bool run_case(const test_case *test, const char *dir, long long run)
{
    shared_file file = {.fh = MPI_FILE_NULL};
    bool good;

    MPI_Comm_rank(MPI_COMM_WORLD, &file.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &file.size);
    snprintf(file.path, sizeof(file.path), "%s/%s.%lld", dir, test->name, run);
    file.version = calloc(1, MAX_BYTES);
    running = test->name;
    if (0 == file.rank) {
        alarm((unsigned) seconds);
    }
    if (BARE != test->kind) {
        open_file(&file, CREATE);
    }
    test->run(&file);
    close_file(&file);
    if (BARE != test->kind) {
        check_stored(&file);
    }
    good = report(test->name, &file);
    alarm(0);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == file.rank) {
        unlink(file.path);
    }
    free(file.version);
    return good;
}

static bool wanted(const char *name, bool named_only, int count, char **names)
{
    for (int i = 0; i < count; i++) {
        if (0 == strcmp(name, names[i])) {
            return true;
        }
    }
    return 0 == count && !named_only;
}

static bool run_cases(const char *dir, int count, char **names)
{
    long long run = (long long) getpid();
    bool good = true;

    MPI_Bcast(&run, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
    signal(SIGALRM, no_end);
    for (const test_case *test = first_case; NULL != test; test = test->next) {
        if (wanted(test->name, LONG == test->kind, count, names)) {
            good = run_case(test, dir, run) && good;
        }
    }
    return good;
}

static void list_cases(void)
{
    for (const test_case *test = first_case; NULL != test; test = test->next) {
        if (LONG != test->kind) {
            puts(test->name);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"list", no_argument, NULL, 'l'},
                                            {"seconds", required_argument, NULL, 's'},
                                            {NULL, 0, NULL, 0}};
    bool good;
    int option;

    while (-1 != (option = getopt_long(argc, argv, "+", options, NULL))) {
        if ('l' == option) {
            list_cases();
            return 0;
        } else if ('s' == option) {
            seconds = atoi(optarg);
        } else {
            return 2;
        }
    }
    if (optind >= argc) {
        fprintf(stderr, "usage: t_clients [--list] [--seconds N] DIR [CASE...]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    good = run_cases(argv[optind], argc - optind - 1, argv + optind + 1);
    MPI_Finalize();
    return good ? 0 : 1;
}
