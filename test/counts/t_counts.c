/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * Calls whose cost test/counts/run counts: instructions below valgrind, system calls below strace,
 * and counters of the component.
 *
 *     tiny N       N collective writes of 8 bytes, after a few that are not counted
 *     files N      N times open and close, after a few that are not counted
 *     first N      one collective write of N scattered pieces per rank
 *     later N      the same a fourth time: the plan exists
 *     kept N       first N; prints the bytes that the components of all ranks keep after the close.
 *                  libfault is preloaded
 *     open N       two files, opened and closed with a mark around each call (a stat of /open-1,
 *                  /end-open-1, /close-1, /end-close-1, /open-2, ...)
 *
 * Only what runs inside counted_call is counted. Rank 0 prints counters as "NAME VALUE". The bytes
 * of first and later are compared with the file by POSIX.
 *
 * usage: t_counts KIND N FILE
 */
#include "lib/t_pvar.h"
#include "lib/t_util.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SKIPPED = 8, PIECE = 12 };

typedef struct job_t {
    void (*once)(struct job_t *job, int i);
    const char *path;
    MPI_File file;
    char *data;
    int bytes;
} job_t;

/* valgrind counts inside this function. */
__attribute__((noinline)) static void counted_call(job_t *job, int times)
{
    for (int i = 0; i < times; ++i) {
        job->once(job, i);
    }
    __asm__ volatile("" ::: "memory");
}

static void uncounted_calls(job_t *job)
{
    for (int i = 0; i < SKIPPED; ++i) {
        job->once(job, i);
    }
}

static MPI_File open_file(const char *path)
{
    MPI_File file;
    int rc = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                           &file);

    t_fail_if(MPI_SUCCESS != rc, "MPI_File_open failed");
    return file;
}

static void write_tiny(job_t *job, int i)
{
    MPI_File_write_at_all(job->file, (MPI_Offset) i * 8 * t_size + 8 * t_rank, job->data, 8,
                          MPI_BYTE, MPI_STATUS_IGNORE);
}

static void write_all(job_t *job, int i)
{
    (void) i;
    MPI_File_write_at_all(job->file, 0, job->data, job->bytes, MPI_BYTE, MPI_STATUS_IGNORE);
}

static void open_close(job_t *job, int i)
{
    MPI_File file = open_file(job->path);

    (void) i;
    MPI_File_close(&file);
}

static void mark(const char *call, int number)
{
    struct stat unused;
    char name[32];

    snprintf(name, sizeof(name), "/%s-%d", call, number);
    (void) stat(name, &unused);
}

static void open_twice(job_t *job)
{
    for (int i = 1; i <= 2; ++i) {
        MPI_File file;

        MPI_Barrier(MPI_COMM_WORLD);
        mark("open", i);
        file = open_file(job->path);
        mark("end-open", i);
        MPI_Barrier(MPI_COMM_WORLD);
        mark("close", i);
        MPI_File_close(&file);
        mark("end-close", i);
    }
}

/* Piece i of the file belongs to rank owner(i); neighbors have different owners, in an order that
 * does not repeat soon. */
static int owner(int i)
{
    unsigned int mixed = (unsigned int) (i / t_size) * 2654435761U;

    return (int) (((unsigned int) i + (mixed >> 16)) % (unsigned int) t_size);
}

static char content(int i)
{
    return (char) (1 + i % 127);
}

/* The view of this rank: N pieces of 12 bytes. */
static void set_view(job_t *job, int pieces)
{
    MPI_Aint *at = t_alloc((size_t) pieces * sizeof(*at));
    MPI_Datatype type;
    int count = 0;

    job->bytes = pieces * PIECE;
    job->data = t_alloc((size_t) job->bytes);
    for (int i = 0; i < pieces * t_size; ++i) {
        if (owner(i) == t_rank) {
            memset(job->data + (size_t) count * PIECE, content(i), PIECE);
            at[count++] = (MPI_Aint) i * PIECE;
        }
    }
    t_fail_if(count != pieces, "%d pieces instead of %d", count, pieces);
    MPI_Type_create_hindexed_block(count, PIECE, at, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_File_set_view(job->file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
    MPI_Type_free(&type);
    free(at);
}

static void check_file(const char *path, int pieces)
{
    int fd = open(path, O_RDONLY);
    char piece[PIECE], wanted[PIECE];

    for (int i = 0; 0 == t_rank && i < pieces * t_size; ++i) {
        memset(wanted, content(i), PIECE);
        t_fail_if(PIECE != pread(fd, piece, PIECE, (off_t) i * PIECE)
                      || 0 != memcmp(piece, wanted, PIECE),
                  "piece %d is wrong", i);
    }
    close(fd);
}

static void print_counters(MPI_File file)
{
    static const char *const names[] = {"messages", "meta_messages", "memory_high"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        double sum = t_pvar_sum(names[i], file);

        if (0 == t_rank) {
            printf("%s %.0f\n", names[i], sum);
        }
    }
}

static void scattered(job_t *job, int pieces, bool later)
{
    job->file = open_file(job->path);
    t_pvar_sum("messages", job->file); /* counters count from the first read */
    t_pvar_sum("meta_messages", job->file);
    t_pvar_sum("memory_high", job->file);
    set_view(job, pieces);
    job->once = write_all;
    for (int i = 0; later && i < 3; ++i) {
        job->once(job, i);
    }
    counted_call(job, 1);
    print_counters(job->file);
    MPI_File_close(&job->file);
    check_file(job->path, pieces);
    free(job->data);
}

/* The first file loads the components; what the process keeps for its next files is not counted. */
static void kept(job_t *job, int pieces)
{
    void (*begin)(void) = (void (*)(void)) dlsym(RTLD_DEFAULT, "count_begin");
    int64_t (*held)(void) = (int64_t(*)(void)) dlsym(RTLD_DEFAULT, "count_held");
    int64_t mine, all = 0;
    MPI_File file;

    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    t_fail_if(NULL == begin || NULL == held, "libfault is not preloaded");
    if (NULL != begin && NULL != held) {
        begin();
        mine = -held();
        scattered(job, pieces, false);
        mine += held();
        MPI_Allreduce(&mine, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    if (0 == t_rank) {
        printf("kept %lld\n", (long long) all);
    }
}

int main(int argc, char **argv)
{
    char eight[8] = "1234567";
    job_t job = {.path = argc > 3 ? argv[3] : "", .data = eight};
    const char *kind = argc > 3 ? argv[1] : "";
    int n = argc > 3 ? atoi(argv[2]) : 0;

    t_init(&argc, &argv);
    if (0 == strcmp(kind, "tiny")) {
        job.file = open_file(job.path);
        job.once = write_tiny;
        uncounted_calls(&job);
        counted_call(&job, n);
        MPI_File_close(&job.file);
    } else if (0 == strcmp(kind, "files")) {
        job.once = open_close;
        uncounted_calls(&job);
        counted_call(&job, n);
    } else if (0 == strcmp(kind, "open")) {
        open_twice(&job);
    } else if (0 == strcmp(kind, "first") || 0 == strcmp(kind, "later")) {
        scattered(&job, n, 0 == strcmp(kind, "later"));
    } else if (0 == strcmp(kind, "kept")) {
        kept(&job, n);
    } else {
        fprintf(stderr, "usage: t_counts tiny|files|first|later|kept|open N FILE\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    t_verdict("t_counts %s", kind);
    return t_finish();
}
