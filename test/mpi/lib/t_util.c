/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Failures are counted per rank and agreed at the verdict, so that a rank which found a wrong byte
 * still takes part in everything the others do: a failing test must not turn into a hang.
 */
#include "t_util.h"

#include <dirent.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int t_rank, t_size;
uint64_t t_seed = 20260101;

static atomic_int failures; /* threads of a test may fail at the same time */
static char first_failure[512];
static int verdicts, bad_verdicts;

uint64_t t_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t t_random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return t_mix(*state);
}

static unsigned hash_byte(int64_t offset, int64_t who)
{
    return (unsigned) (t_mix((uint64_t) offset * UINT64_C(0x9e3779b97f4a7c15) + t_seed
                             + ((uint64_t) who << 40))
                       >> 32);
}

unsigned char t_pre(int64_t offset)
{
    unsigned byte = hash_byte(offset, -1) & 0xfe;

    return (unsigned char) (0 == byte ? 2 : byte);
}

unsigned char t_val(int64_t offset, int writer)
{
    return (unsigned char) (hash_byte(offset, writer) | 1);
}

void t_fill(unsigned char *data, int64_t offset, int64_t bytes, int writer)
{
    for (int64_t i = 0; i < bytes; i++) {
        data[i] = t_val(offset + i, writer);
    }
}

bool t_holds(const unsigned char *data, int64_t offset, int64_t bytes, int writer)
{
    int64_t i = 0;

    while (i < bytes && data[i] == t_val(offset + i, writer)) {
        i++;
    }
    return i >= bytes;
}

void *t_alloc(size_t bytes)
{
    void *p = malloc(0 == bytes ? 1 : bytes);

    if (NULL == p) {
        fprintf(stderr, "rank %d: out of memory (%zu bytes)\n", t_rank, bytes);
        abort();
    }
    return p;
}

static void start(void)
{
    const char *seed = getenv("T_SEED");

    MPI_Comm_rank(MPI_COMM_WORLD, &t_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &t_size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
    if (NULL != seed) {
        t_seed = strtoull(seed, NULL, 0);
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
}

void t_init(int *argc, char ***argv)
{
    MPI_Init(argc, argv);
    start();
}

int t_init_thread(int *argc, char ***argv, int wanted)
{
    int provided;

    MPI_Init_thread(argc, argv, wanted, &provided);
    start();
    return provided;
}

void t_path(char *path, size_t bytes, const char *name)
{
    const char *dir = getenv("T_DIR");

    if (NULL == dir) {
        dir = getenv("TMPDIR");
    }
    snprintf(path, bytes, "%s/%s", NULL == dir ? "/tmp" : dir, name);
}

t_node t_node_here(void)
{
    t_node here = {.first = t_rank};
    MPI_Comm comm;
    int leads;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_rank(comm, &here.rank);
    MPI_Comm_size(comm, &here.ranks);
    MPI_Bcast(&here.first, 1, MPI_INT, 0, comm);
    MPI_Comm_free(&comm);
    leads = 0 == here.rank;
    MPI_Allreduce(&leads, &here.nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return here;
}

void t_fail(const char *format, ...)
{
    char text[512];
    va_list args;

    if (++failures > 20) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (1 == failures) {
        snprintf(first_failure, sizeof(first_failure), "%s", text);
    }
    printf("# rank %d of %d: %s (seed %llu)\n", t_rank, t_size, text, (unsigned long long) t_seed);
}

int t_failures(void)
{
    return failures;
}

const char *t_first_failure(void)
{
    return 0 == failures ? "" : first_failure;
}

void t_failures_reset(void)
{
    failures = 0;
}

int t_class(int rc)
{
    int class = MPI_SUCCESS;

    if (MPI_SUCCESS != rc) {
        MPI_Error_class(rc, &class);
    }
    return class;
}

const char *t_class_name(int class)
{
    static char text[MPI_MAX_ERROR_STRING];
    int length;

    if (MPI_SUCCESS == class) {
        return "MPI_SUCCESS";
    }
    if (MPI_SUCCESS != MPI_Error_string(class, text, &length)) {
        snprintf(text, sizeof(text), "class %d", class);
    }
    return text;
}

bool t_ok(int rc, const char *what)
{
    t_fail_if(MPI_SUCCESS != rc, "%s failed: %s", what, t_class_name(t_class(rc)));
    return MPI_SUCCESS == rc;
}

void t_remove(const char *path)
{
    if (0 == t_rank) {
        unlink(path);
    }
}

bool t_verdict(const char *name, ...)
{
    int mine = failures, all = 0;
    char text[512];
    va_list args;

    va_start(args, name);
    vsnprintf(text, sizeof(text), name, args);
    va_end(args);
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (0 == t_rank) {
        printf("%s %s\n", 0 == all ? "ok" : "not ok", text);
    }
    verdicts++;
    bad_verdicts += 0 != all;
    failures = 0;
    return 0 == all;
}

int t_finish(void)
{
    fflush(stdout);
    MPI_Finalize();
    return 0 == bad_verdicts ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int entries(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = -2; /* . and .. */

    while (NULL != dir && NULL != readdir(dir)) {
        ++count;
    }
    if (NULL != dir) {
        closedir(dir);
    }
    return count;
}

double t_memory_used(void)
{
    struct mallinfo2 info = mallinfo2();

    return (double) info.uordblks + (double) info.hblkhd;
}

int t_descriptors(void)
{
    return entries("/proc/self/fd");
}

double t_proc(const char *file, const char *name)
{
    FILE *in = fopen(file, "r");
    char line[256];
    double number = -1;

    while (NULL != in && NULL != fgets(line, sizeof(line), in)) {
        if (0 == strncmp(line, name, strlen(name)) && ':' == line[strlen(name)]) {
            number = strtod(line + strlen(name) + 1, NULL);
        }
    }
    if (NULL != in) {
        fclose(in);
    }
    return number;
}

int t_threads(void)
{
    return entries("/proc/self/task");
}

bool t_threads_left(void)
{
    for (int i = 0; i < 50 && 1 < t_threads(); ++i) {
        usleep(100000);
    }
    if (1 < t_threads()) {
        fprintf(stderr, "rank %d: %d threads after MPI_Finalize\n", t_rank, t_threads());
    }
    return 1 < t_threads();
}

int t_skip_all(const char *name, const char *reason)
{
    if (0 == t_rank) {
        printf("skip %s # %s\n", name, reason);
    }
    fflush(stdout);
    MPI_Finalize();
    if (0 != bad_verdicts) {
        return EXIT_FAILURE;
    }
    return 0 == verdicts ? T_SKIP : EXIT_SUCCESS;
}
