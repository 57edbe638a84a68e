/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The osc component in use, and what a file system does for ranks on different nodes, found by
 * plain POSIX calls; MPI only keeps the ranks in step. Two ranks act, on two nodes if there are
 * two: the writer and the reader.
 *
 *     mpirun -np 2 collio-probe DIR [DIR2]
 *
 * With DIR2, the same directory through a second mount, every other rank uses that: two clients on
 * one node. Rank 0 prints one line for each property: "NAME: VALUE".
 */
#include "compat/compat.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE = 4096, HALF = PAGE / 2, TEXT = 200 };

typedef struct probe {
    int rank;
    int size;
    int writer;      /* rank that writes and holds locks: 0 */
    int reader;      /* a rank of another node, else 1; 0 if there is one rank only */
    bool two_mounts; /* DIR2 was given */
    bool two_caches; /* writer and reader have caches of their own */
    char path[4096]; /* of the test file, as this rank has to name it */
    int fd;          /* -1 on ranks that only take part in barriers */
} probe;

static void step(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Every rank calls it; the line is the reader's. */
static void print_line(const probe *p, const char *name, const char *text)
{
    char line[TEXT] = "";

    if (p->rank == p->reader) {
        snprintf(line, sizeof(line), "%s", text);
    }
    MPI_Bcast(line, TEXT, MPI_CHAR, p->reader, MPI_COMM_WORLD);
    if (0 == p->rank) {
        printf("%s: %s\n", name, line);
        fflush(stdout);
    }
}

/* ---- which ranks ----------------------------------------------------------------------------- */

static void read_boot(char boot[64])
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "r");

    memset(boot, 0, 64);
    if (NULL != file) {
        if (NULL == fgets(boot, 64, file)) {
            boot[0] = '\0';
        }
        fclose(file);
    }
}

/* Number of different names; *other is the first rank whose name differs from rank 0's, or 0. */
static int count_different(const char *all, int size, int *other)
{
    int different = 0;

    *other = 0;
    for (int r = size - 1; r >= 0; r--) {
        bool seen = false;

        for (int s = 0; s < r && !seen; s++) {
            seen = 0 == memcmp(all + (size_t) 64 * (size_t) r, all + (size_t) 64 * (size_t) s, 64);
        }
        different += !seen;
        if (0 != memcmp(all, all + (size_t) 64 * (size_t) r, 64)) {
            *other = r;
        }
    }
    return different;
}

static void find_nodes(probe *p)
{
    char host[64] = "", boot[64];
    char *all = calloc((size_t) p->size, 64);
    int nodes, kernels, other_node, other_kernel;

    gethostname(host, sizeof(host) - 1);
    MPI_Allgather(host, 64, MPI_CHAR, all, 64, MPI_CHAR, MPI_COMM_WORLD);
    nodes = count_different(all, p->size, &other_node);
    read_boot(boot);
    MPI_Allgather(boot, 64, MPI_CHAR, all, 64, MPI_CHAR, MPI_COMM_WORLD);
    kernels = count_different(all, p->size, &other_kernel);
    free(all);
    p->reader = other_kernel ? other_kernel : other_node ? other_node : p->size > 1;
    p->two_mounts = p->two_mounts && 1 == p->reader % 2;
    p->two_caches = p->two_mounts || 1 < kernels;
    if (0 == p->rank) {
        printf("ranks: %d\nnodes: %d\nkernels: %d\nclients compared: %s\n", p->size, nodes, kernels,
               0 == p->reader  ? "none, there is one rank"
               : 1 < kernels   ? "two nodes"
               : p->two_mounts ? "two mounts on one kernel"
                               : "one kernel, so caches are shared");
    }
}

/* ---- one-sided communication ----------------------------------------------------------------- */

/* A window does not name its osc component, but its functions do: by their file (mca_osc_rdma.so),
 * or by their symbol where components are part of libmpi. */
static void name_osc(MPI_Win win, char name[TEXT])
{
    Dl_info found = {0};
    const char *at;

    (void) dladdr((void *) (intptr_t) win->w_osc_module->osc_fence, &found);
    at = NULL == found.dli_fname ? NULL : strstr(found.dli_fname, "mca_osc_");
    if (NULL != at) {
        snprintf(name, TEXT, "%.*s", (int) strcspn(at + 8, "."), at + 8);
        return;
    }
    at = NULL == found.dli_sname ? NULL : strstr(found.dli_sname, "osc_");
    if (NULL != at) {
        snprintf(name, TEXT, "%.*s", (int) strcspn(at + 4, "_"), at + 4);
    }
}

/* The component that serves windows over memory that exists, as the transports put_* use them. */
static void probe_osc(const probe *p)
{
    char memory[64], text[TEXT] = "not known, its functions have no names";
    MPI_Win win;

    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (MPI_SUCCESS
        == MPI_Win_create(memory, sizeof(memory), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win)) {
        name_osc(win, text);
        MPI_Win_free(&win);
    } else {
        snprintf(text, sizeof(text), "none, MPI_Win_create fails");
    }
    print_line(p, "osc in use", text);
}

/* ---- properties ------------------------------------------------------------------------------ */

static int lock_page(const probe *p, short type, off_t start)
{
    struct flock lock = {.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = PAGE};

    return 0 == fcntl(p->fd, F_SETLK, &lock) ? 0 : errno;
}

static void probe_locks(const probe *p)
{
    char text[TEXT] = "";
    int held = 0, tried = 0;

    if (p->rank == p->writer) {
        held = lock_page(p, F_WRLCK, 0);
    }
    MPI_Bcast(&held, 1, MPI_INT, p->writer, MPI_COMM_WORLD);
    if (p->rank == p->reader && p->reader != p->writer) {
        tried = lock_page(p, F_WRLCK, 0);
    }
    step();
    if (0 != held) {
        snprintf(text, sizeof(text), "not available (%s)", strerror(held));
    } else if (p->reader == p->writer) {
        snprintf(text, sizeof(text), "granted to one rank");
    } else if (EACCES == tried || EAGAIN == tried) {
        snprintf(text, sizeof(text), "%s",
                 p->two_caches ? "global, a lock of one client keeps the other out"
                               : "work on this node; other nodes were not tested");
    } else if (0 == tried) {
        snprintf(text, sizeof(text), "local, both clients were granted the same lock");
    } else {
        snprintf(text, sizeof(text), "not available on the other client (%s)", strerror(tried));
    }
    print_line(p, "locks", text);
    if (p->fd >= 0) {
        lock_page(p, F_UNLCK, 0);
    }
}

static char first_byte(const probe *p)
{
    char byte = '?';

    return 1 == pread(p->fd, &byte, 1, 0) ? byte : '?';
}

static void reopen(probe *p)
{
    close(p->fd);
    p->fd = open(p->path, O_RDWR);
}

/* The reader has read the page; the writer has changed it and called fsync. */
static const char *when_visible(probe *p)
{
    if ('b' == first_byte(p)) {
        return "at once";
    }
    posix_fadvise(p->fd, 0, PAGE, POSIX_FADV_DONTNEED);
    if ('b' == first_byte(p)) {
        return "after the reader's cache was dropped";
    }
    lock_page(p, F_RDLCK, PAGE);
    lock_page(p, F_UNLCK, PAGE);
    if ('b' == first_byte(p)) {
        return "after a lock";
    }
    reopen(p);
    if ('b' == first_byte(p)) {
        return "after the file was opened again";
    }
    sleep(5);
    return 'b' == first_byte(p) ? "after some seconds" : "not within 5 s and an open";
}

static void write_page(const probe *p, char byte, off_t offset, size_t bytes)
{
    char page[PAGE];

    memset(page, byte, sizeof(page));
    if ((ssize_t) bytes != pwrite(p->fd, page, bytes, offset) || 0 != fsync(p->fd)) {
        perror("collio-probe: write");
    }
}

static void probe_cache(probe *p)
{
    const char *text = "";

    if (p->rank == p->writer) {
        write_page(p, 'a', 0, PAGE);
    }
    step();
    if (p->rank == p->reader) {
        reopen(p);
        (void) first_byte(p);
    }
    step();
    if (p->rank == p->writer) {
        write_page(p, 'b', 0, PAGE);
    }
    step();
    if (p->rank == p->reader) {
        text = when_visible(p);
    }
    step();
    print_line(p, "data of the other client is seen", text);
}

static void probe_size(probe *p)
{
    struct stat info = {0};
    const char *text = "";

    if (p->rank == p->reader) {
        fstat(p->fd, &info);
    }
    step();
    if (p->rank == p->writer) {
        write_page(p, 'c', 10 * PAGE, PAGE);
    }
    step();
    if (p->rank == p->reader) {
        fstat(p->fd, &info);
        text = "at once";
        if (11 * PAGE != info.st_size) {
            reopen(p);
            fstat(p->fd, &info);
            text = 11 * PAGE == info.st_size ? "after the file was opened again" : "late";
        }
    }
    step();
    print_line(p, "a new size is seen", text);
}

/* Both clients have the page in their caches, and each changes its half. */
static void probe_page(probe *p)
{
    char page[PAGE] = "";
    const char *text = "keeps the bytes of both";

    if (p->rank == p->writer) {
        write_page(p, 'd', 0, PAGE);
    }
    step();
    if (p->fd >= 0) {
        reopen(p);
        (void) first_byte(p);
    }
    step();
    if (p->rank == p->writer) {
        write_page(p, 'w', 0, HALF);
    }
    if (p->rank == p->reader && p->reader != p->writer) {
        write_page(p, 'r', HALF, HALF);
    }
    step();
    if (p->rank == p->reader) {
        reopen(p);
        if (PAGE != pread(p->fd, page, PAGE, 0) || 'w' != page[0] || 'w' != page[HALF - 1]
            || (p->reader != p->writer && ('r' != page[HALF] || 'r' != page[PAGE - 1]))) {
            text = "loses bytes of one of them";
        }
    }
    step();
    print_line(p, "a page with two writers", text);
}

static void probe_block(const probe *p)
{
    char text[TEXT] = "";
    struct stat info = {0};

    if (p->rank == p->reader) {
        fstat(p->fd, &info);
        snprintf(text, sizeof(text), "%ld bytes", (long) info.st_blksize);
    }
    print_line(p, "preferred block", text);
}

/* Every rank calls it; true if the writer and the reader have opened the file. */
static bool open_on_both(probe *p)
{
    int opened;

    for (int turn = 0; turn < 2; turn++) { /* the writer creates the file */
        if (p->rank == (turn ? p->reader : p->writer) && -1 == p->fd) {
            p->fd = open(p->path, O_RDWR | O_CREAT, 0600);
        }
        step();
    }
    opened = p->fd >= 0 || (p->rank != p->writer && p->rank != p->reader);
    MPI_Allreduce(MPI_IN_PLACE, &opened, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return opened;
}

static void probe_file(probe *p)
{
    if (open_on_both(p)) {
        probe_block(p);
        probe_locks(p);
        probe_cache(p);
        probe_size(p);
        probe_page(p);
    } else {
        print_line(p, "file", "cannot be opened on both nodes");
    }
    if (p->rank == p->writer) {
        unlink(p->path);
    }
}

int main(int argc, char *argv[])
{
    probe p = {.fd = -1, .two_mounts = argc > 2};
    int pid = (int) getpid();

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.size);
    MPI_Bcast(&pid, 1, MPI_INT, 0, MPI_COMM_WORLD);
    find_nodes(&p);
    probe_osc(&p);
    if (argc > 1) {
        snprintf(p.path, sizeof(p.path), "%s/collio-probe.%d",
                 argv[p.two_mounts ? 1 + p.rank % 2 : 1], pid);
        probe_file(&p);
    }
    MPI_Finalize();
    return 0;
}
