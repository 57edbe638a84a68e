/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of individual access: the error class, the exact count, the bytes before the failure, and
 * no thread left behind. One rank; the calls blocking and nonblocking, with 0 and 4 threads.
 *
 * usage: t_errors CLASS COUNT FILE [limit]
 *   writes 1 MiB (262,144 4-byte elements with a gap of 4 bytes in memory, contiguous in the file)
 *   and expects that class (a word of t_class_word) and count; -1: any count. "limit": under
 *   RLIMIT_FSIZE of COUNT bytes.
 */
#include "lib/t_file.h"
#include "lib/t_stripes.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ELEMENTS = 262144, BYTES = ELEMENTS * 4 };

static void check_bytes(const char *path, int64_t count, const char *threads)
{
    t_blocks all = {0, count, count, 1};
    unsigned char *got = t_alloc(BYTES);
    int fd = open(path, O_RDONLY);

    t_fail_if(0 > fd || count != read(fd, got, (size_t) count), "threads %s: a short file",
              threads);
    t_blocks_check(&all, 0, got, "before the failure");
    close(fd);
    free(got);
}

static bool regular(const char *path)
{
    struct stat about;

    return 0 == stat(path, &about) && S_ISREG(about.st_mode);
}

static void attempt(const char *path, const char *threads, bool nonblocking, const char *class,
                    int64_t expected)
{
    static unsigned char memory[ELEMENTS * 8];
    MPI_Datatype type, element;
    MPI_Request request;
    MPI_Status status;
    char hints[128];
    MPI_File file;
    int rc, count = -1;

    for (int64_t i = 0; i < BYTES; ++i) {
        memory[i / 4 * 8 + i % 4] = t_val(i, 0);
    }
    MPI_Type_contiguous(4, MPI_BYTE, &element);
    MPI_Type_create_resized(element, 0, 8, &type);
    MPI_Type_commit(&type);
    t_fail_if(regular(path) && 0 != truncate(path, 0), "truncate");
    snprintf(hints, sizeof(hints), "num_threads=%s,serial_below=1,stage_bytes=65536", threads);
    if (!t_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        return;
    }
    memset(&status, 0, sizeof(status));
    if (nonblocking) {
        rc = MPI_File_iwrite(file, memory, ELEMENTS, type, &request);
        rc = MPI_SUCCESS == rc ? MPI_Wait(&request, &status) : rc;
    } else {
        rc = MPI_File_write(file, memory, ELEMENTS, type, &status);
    }
    MPI_Get_count(&status, MPI_BYTE, &count);
    t_fail_if(0 != strcmp(class, t_class_word(rc)) || (0 <= expected && expected != count),
              "threads %s %s: class %s count %d, expected %s and %lld", threads,
              nonblocking ? "nonblocking" : "blocking", t_class_word(rc), count, class,
              (long long) expected);
    if (0 == t_failures() && regular(path)) {
        check_bytes(path, count, threads);
    }
    MPI_File_close(&file);
    MPI_Type_free(&element);
    MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
    static const char *const threads[] = {"0", "2", "4"};
    long long count;
    int rc;

    t_init(&argc, &argv);
    count = atoll(argv[2]);
    if (4 < argc) {
        struct rlimit limit = {.rlim_cur = (rlim_t) count, .rlim_max = RLIM_INFINITY};

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    for (size_t i = 0; i < 3; ++i) {
        attempt(argv[3], threads[i], false, argv[1], count);
        attempt(argv[3], threads[i], true, argv[1], count);
    }
    t_verdict("errors");
    rc = t_finish();
    return t_threads_left() ? EXIT_FAILURE : rc;
}
