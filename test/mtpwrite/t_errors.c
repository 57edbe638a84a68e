/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors of individual access: the error class, the exact count, the bytes before the failure, and
 * no thread left behind. One rank; the calls blocking and nonblocking, with 0 and 4 threads.
 *
 * usage: t_errors CLASS COUNT FILE [limit]
 *   writes 1 MiB (262,144 4-byte elements with a gap of 4 bytes in memory, contiguous in the file)
 *   and expects that class (name without MPI_ERR_) and count; -1: any count. "limit": under
 *   RLIMIT_FSIZE of COUNT bytes.
 */
#include <dirent.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ELEMENTS = 262144, BYTES = ELEMENTS * 4 };

static const struct {
    const char *name;
    int error_class;
} classes[] = {{"SUCCESS", MPI_SUCCESS},         {"NO_SPACE", MPI_ERR_NO_SPACE},
               {"QUOTA", MPI_ERR_QUOTA},         {"IO", MPI_ERR_IO},
               {"READ_ONLY", MPI_ERR_READ_ONLY}, {"ACCESS", MPI_ERR_ACCESS}};

static int class_of(const char *name)
{
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i) {
        if (0 == strcmp(name, classes[i].name)) {
            return classes[i].error_class;
        }
    }
    return -1;
}

static int tasks(void)
{
    DIR *dir = opendir("/proc/self/task");
    int count = 0;

    while (NULL != readdir(dir)) {
        ++count;
    }
    closedir(dir);
    return count - 2;
}

static unsigned char content(long long i)
{
    return (unsigned char) (i * 11 + i / 251);
}

static int check_bytes(const char *path, long long count)
{
    unsigned char *got = malloc(BYTES);
    int fd = open(path, O_RDONLY);
    int wrong = 0 > fd || count != read(fd, got, (size_t) count);

    for (long long i = 0; i < count && !wrong; ++i) {
        wrong = got[i] != content(i);
    }
    close(fd);
    free(got);
    return wrong;
}

static int attempt(const char *path, const char *threads, int nonblocking, int expected_class,
                   long long expected)
{
    static char memory[ELEMENTS * 8];
    int rc, error_class, failures = 0, regular;
    MPI_Datatype type, element;
    MPI_Request request;
    MPI_Status status;
    int count = -1;
    MPI_File file;
    MPI_Info info;
    struct stat about;

    for (long long i = 0; i < BYTES; ++i) {
        memory[i / 4 * 8 + i % 4] = (char) content(i);
    }
    MPI_Type_contiguous(4, MPI_BYTE, &element);
    MPI_Type_create_resized(element, 0, 8, &type);
    MPI_Type_commit(&type);
    MPI_Info_create(&info);
    MPI_Info_set(info, "collio_num_threads", threads);
    MPI_Info_set(info, "collio_serial_below", "1");
    MPI_Info_set(info, "collio_stage_bytes", "65536");
    regular = 0 == stat(path, &about) && S_ISREG(about.st_mode);
    if (regular && 0 != truncate(path, 0)) {
        perror(path);
    }
    rc = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    if (MPI_SUCCESS != rc) {
        fprintf(stderr, "t_errors: cannot open %s\n", path);
        return 1;
    }
    memset(&status, 0, sizeof(status));
    if (nonblocking) {
        rc = MPI_File_iwrite(file, memory, ELEMENTS, type, &request);
        rc = MPI_SUCCESS == rc ? MPI_Wait(&request, &status) : rc;
    } else {
        rc = MPI_File_write(file, memory, ELEMENTS, type, &status);
    }
    MPI_Error_class(rc, &error_class);
    MPI_Get_count(&status, MPI_BYTE, &count);
    if (error_class != expected_class || (0 <= expected && expected != count)) {
        fprintf(stderr, "t_errors: threads %s %s: class %d count %lld, expected %d and %lld\n",
                threads, nonblocking ? "nonblocking" : "blocking", error_class, (long long) count,
                expected_class, expected);
        failures = 1;
    }
    regular = 0 == stat(path, &about) && S_ISREG(about.st_mode);
    if (0 == failures && regular && check_bytes(path, count)) {
        fprintf(stderr, "t_errors: threads %s: wrong bytes before the failure\n", threads);
        failures = 1;
    }
    MPI_File_close(&file);
    MPI_Info_free(&info);
    MPI_Type_free(&element);
    MPI_Type_free(&type);
    return failures;
}

int main(int argc, char **argv)
{
    static const char *const threads[] = {"0", "2", "4"};
    int failures = 0;
    long long count;

    MPI_Init(&argc, &argv);
    count = atoll(argv[2]);
    if (4 < argc) {
        struct rlimit limit = {.rlim_cur = (rlim_t) count, .rlim_max = RLIM_INFINITY};

        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    for (size_t i = 0; i < 3; ++i) {
        failures += attempt(argv[3], threads[i], 0, class_of(argv[1]), count);
        failures += attempt(argv[3], threads[i], 1, class_of(argv[1]), count);
    }
    MPI_Finalize();
    for (int i = 0; i < 50 && 1 < tasks(); ++i) {
        usleep(100000);
    }
    if (1 < tasks()) {
        fprintf(stderr, "t_errors: %d threads after MPI_Finalize\n", tasks());
        failures += 1;
    }
    return 0 == failures ? 0 : 1;
}
