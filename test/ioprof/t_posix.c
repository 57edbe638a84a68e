/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Every POSIX and stdio function that ioprof wraps, a known number of times with known sizes. `run`
 * has the table of what the profile must say. Built three times: plain, with 64-bit names, and with
 * the checked functions of _FORTIFY_SOURCE. The flags of a distribution must not choose them. */
#undef _FORTIFY_SOURCE
#ifdef T_FORTIFY
#    define _FORTIFY_SOURCE 2
#endif

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[1024], name[1200], name2[1200];
static char buffer[65536];
static int failures;

#define CHECK(condition)                                                                  \
    do {                                                                                  \
        if (!(condition)) {                                                               \
            fprintf(stderr, "line %d: %s (%s)\n", __LINE__, #condition, strerror(errno)); \
            failures++;                                                                   \
        }                                                                                 \
    } while (0)

static const char *path(const char *what, int rank)
{
    snprintf(name, sizeof(name), "%s/%s.%d", folder, what, rank);
    return name;
}

/** writes: write 100, pwrite 200, writev 300, pwritev 400, pwritev2 500; reads the same. */
static void transfers(int rank)
{
    struct iovec two[2] = {{buffer, 100}, {buffer + 100, 200}}, one = {buffer, 400},
                 last = {buffer, 500};
    volatile size_t hundred = 100, two_hundred = 200; /* not known to the compiler: checked calls */
    int fd = open(path("data", rank), O_CREAT | O_RDWR | O_TRUNC, 0600);

    CHECK(fd >= 0);
    CHECK(100 == write(fd, buffer, 100));
    CHECK(200 == pwrite(fd, buffer, 200, 100));
    CHECK(100 == lseek(fd, 0, SEEK_CUR));
    CHECK(300 == lseek(fd, 300, SEEK_SET));
    CHECK(300 == writev(fd, two, 2));
    CHECK(400 == pwritev(fd, &one, 1, 600));
    CHECK(500 == pwritev2(fd, &last, 1, 1000, 0));
    CHECK(0 == lseek(fd, 0, SEEK_SET));
    CHECK(100 == read(fd, buffer, hundred));
    CHECK(200 == pread(fd, buffer, two_hundred, 100));
    CHECK(300 == readv(fd, two, 2));
    CHECK(400 == preadv(fd, &one, 1, 600));
    CHECK(500 == preadv2(fd, &last, 1, 1000, 0));
    CHECK(0 == pread(fd, buffer, 10, 100000)); /* past the end: a call without bytes */
    CHECK(0 == fsync(fd));
    CHECK(0 == fdatasync(fd));
    CHECK(0 == ftruncate(fd, 5000));
    CHECK(0 == posix_fallocate(fd, 0, 6000));
    (void) !fallocate(fd, 0, 0, 6000); /* not every file system can */
    CHECK(-1 == pwrite(fd, buffer, 10, -1) && EINVAL == errno);
    CHECK(0 == close(fd));
}

static void metadata(int rank)
{
    struct stat st;
    struct statx stx;
    int fd = creat(path("meta", rank), 0600), where;
    void *memory;

    CHECK(fd >= 0);
    CHECK(0 == ftruncate(fd, 4096));
    CHECK(0 == fstat(fd, &st));
    CHECK(0 == close(fd));
    CHECK(0 == stat(name, &st) && 0 == lstat(name, &st));
    CHECK(0 == fstatat(AT_FDCWD, name, &st, 0));
    CHECK(0 == statx(AT_FDCWD, name, 0, STATX_SIZE, &stx));
    CHECK(0 == truncate(name, 8192));
    where = open(folder, O_RDONLY | O_DIRECTORY); /* not a file: not counted */
    CHECK(where >= 0);
    snprintf(name2, sizeof(name2), "meta.%d", rank);
    fd = openat(where, name2, O_RDWR);
    CHECK(fd >= 0);
    memory = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    CHECK(MAP_FAILED != memory);
    munmap(memory, 4096);
    CHECK(0 == close(fd));
    snprintf(name2, sizeof(name2), "%s/renamed.%d", folder, rank);
    CHECK(0 == rename(name, name2));
    CHECK(0 == unlink(name2));
    CHECK(-1 == open(name2, O_RDONLY) && ENOENT == errno);
    CHECK(-1 == unlink(name2) && ENOENT == errno);
    close(where);
}

/** Three descriptors of one description: all writes go to one file, one after the other. */
static void copies(int rank)
{
    int fd = open(path("dup", rank), O_CREAT | O_WRONLY | O_TRUNC, 0600), other, third, fourth;

    other = dup(fd);
    third = dup2(fd, 200);
    fourth = fcntl(fd, F_DUPFD_CLOEXEC, 300);
    CHECK(fd >= 0 && other >= 0 && 200 == third && fourth >= 300);
    CHECK(10 == write(fd, buffer, 10));
    CHECK(0 == close(fd));
    CHECK(20 == write(other, buffer, 20));
    CHECK(30 == write(third, buffer, 30));
    CHECK(40 == write(fourth, buffer, 40));
    CHECK(0 == close(other) && 0 == close(third) && 0 == close(fourth));
    fd = open(path("append", rank), O_CREAT | O_WRONLY | O_TRUNC | O_APPEND, 0600);
    other = open(name, O_WRONLY);
    CHECK(50 == pwrite(other, buffer, 50, 0));
    CHECK(7 == write(fd, buffer, 7)); /* at 50 */
    CHECK(0 == close(other) && 0 == close(fd));
}

/** Sockets, pipes, epoll, eventfd, /dev/null: no files. */
static void no_files(void)
{
    int ends[2], nothing, queue, event;
    uint64_t one = 1;
    struct stat st;

    CHECK(0 == socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
    CHECK(5 == write(ends[0], "hello", 5) && 5 == read(ends[1], buffer, 10));
    CHECK(0 == close(ends[0]) && 0 == close(ends[1]));
    CHECK(0 == pipe(ends));
    CHECK(5 == write(ends[1], "hello", 5) && 5 == read(ends[0], buffer, 10));
    CHECK(0 == fstat(ends[0], &st));
    CHECK(0 == close(ends[0]) && 0 == close(ends[1]));
    queue = epoll_create1(0);
    event = eventfd(0, 0);
    CHECK(queue >= 0 && event >= 0 && 8 == write(event, &one, 8) && 8 == read(event, &one, 8));
    CHECK(0 == close(queue) && 0 == close(event));
    nothing = open("/dev/null", O_WRONLY);
    CHECK(5 == write(nothing, "hello", 5) && 0 == close(nothing));
}

/** fwrite 300, fputs 5, fputc 1, fprintf 9; fread 300, fgets 5, fgetc 1, fscanf 3, getline 6. */
static void streams(int rank)
{
    FILE *f = fopen(path("stdio", rank), "w+");
    char *line = NULL;
    size_t room = 0;
    int number = 0;
    volatile size_t size = 100, n = 3;
    const char *volatile text = "five\n"; /* a constant would become fwrite */

    CHECK(NULL != f);
    memset(buffer, 'x', 300);
    CHECK(3 == fwrite(buffer, size, n, f));
    CHECK(fputs(text, f) >= 0);
    CHECK('c' == fputc('c', f));
    CHECK(9 == fprintf(f, "%d line\n", 111));
    CHECK(0 == fflush(f));
    CHECK(0 == fseek(f, 0, SEEK_SET));
    CHECK(3 == fread(buffer, size, n, f));
    CHECK(NULL != fgets(buffer, (int) size, f) && 5 == strlen(buffer));
    CHECK('c' == fgetc(f));
    CHECK(1 == fscanf(f, "%d", &number) && 111 == number);
    CHECK(6 == getline(&line, &room, f));
    CHECK(0 == fclose(f));
    free(line);
    f = fopen(name, "a");
    CHECK(NULL != f && 4 == fwrite(buffer, 1, 4, f) && 0 == fclose(f));
}

/** What children do is theirs. */
static void children(int rank)
{
    pid_t child = fork();
    int fd, status;

    if (0 == child) {
        fd = open(path("child", rank), O_CREAT | O_WRONLY, 0600);
        _exit(fd < 0 || 1000 != write(fd, buffer, 1000) || 0 != close(fd));
    }
    CHECK(child > 0 && child == waitpid(child, &status, 0) && 0 == status);
    child = vfork();
    if (0 == child) {
        execl("/bin/sh", "sh", "-c", "exit 3", (char *) NULL);
        _exit(9);
    }
    CHECK(child > 0 && child == waitpid(child, &status, 0) && 3 == WEXITSTATUS(status));
    snprintf(name2, sizeof(name2), "echo hello >'%s/shell.%d'", folder, rank);
    CHECK(0 == system(name2));
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    snprintf(folder, sizeof(folder), "%s", NULL == getenv("T_DIR") ? "/tmp" : getenv("T_DIR"));
    transfers(rank);
    metadata(rank);
    copies(rank);
    no_files();
    streams(rank);
    children(rank);
    MPI_Finalize();
    return 0 != failures;
}
