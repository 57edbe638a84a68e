/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Faults on demand: an LD_PRELOAD library that makes file access short, slow, interrupted or
 * failing, and large allocations impossible. Told what to do by the environment variable FAULT, or
 * by the program itself through fault_set() (looked up with dlsym, so a program runs without it):
 *
 *     op=write|read|both    which calls (default: both)
 *     match=TEXT            only files whose path holds TEXT
 *     rank=N                only in this rank of MPI_COMM_WORLD
 *     short=N               move N bytes at most per call
 *     eintr=K               every K-th call is interrupted first
 *     errno=E at=K times=T  the K-th call fails with E, and T - 1 calls after it (default: all)
 *     errno=E after=N       after N bytes in all: a short transfer, then E
 *     delay_ms=N            every call takes N milliseconds longer
 *     jitter_ms=N           and by turns N milliseconds more or less than that
 *     kill=K                the K-th call kills the process (SIGKILL)
 *     shm_errno=E           posix_fallocate fails with E: no room in /dev/shm,
 *     shm_bytes=N           but only beyond N bytes of a file
 *     zero=K                the K-th call and all after it move no byte, and return no error
 *     fallocate_errno=E     fallocate fails with E: the file system has none
 *     stale=N               fstat, SEEK_HOLE and SEEK_DATA see the first N bytes of a file only:
 *                           old attributes of a network file system
 *     malloc=N              allocations of N bytes and more fail
 *     progress_us=N         every look for messages takes N microseconds longer: a slow network,
 *                           when set on the ranks that send
 *
 * For example FAULT=op=write,match=out,errno=28,at=3,rank=0. The asynchronous engines of the kernel
 * (io_uring, libaio) would pass by this library, so it makes their set-up fail: threads are used.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

typedef struct plan {
    bool on, write, read;
    char match[128];
    int64_t rank, short_bytes, eintr, error, at, times, after, delay_ms, jitter_ms, malloc_bytes,
        progress_us, kill_at, shm_errno, shm_bytes, zero_at, fallocate_errno, stale;
} plan;

static plan fault = {.rank = -1};
static atomic_llong calls, bytes_done, failed_calls, refused_allocations;

static int my_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    return NULL == rank ? 0 : atoi(rank);
}

static bool number(const char *word, const char *name, int64_t *value)
{
    size_t length = strlen(name);

    if (0 != strncmp(word, name, length) || '=' != word[length]) {
        return false;
    }
    *value = strtoll(word + length + 1, NULL, 10);
    return true;
}

static void set_word(plan *p, const char *word)
{
    if (0 == strncmp(word, "match=", 6)) {
        snprintf(p->match, sizeof(p->match), "%s", word + 6);
    } else if (0 == strncmp(word, "op=", 3)) {
        p->write = 0 != strcmp(word, "op=read");
        p->read = 0 != strcmp(word, "op=write");
    } else if (!number(word, "rank", &p->rank) && !number(word, "short", &p->short_bytes)
               && !number(word, "eintr", &p->eintr) && !number(word, "errno", &p->error)
               && !number(word, "at", &p->at) && !number(word, "times", &p->times)
               && !number(word, "after", &p->after) && !number(word, "delay_ms", &p->delay_ms)
               && !number(word, "jitter_ms", &p->jitter_ms) && !number(word, "kill", &p->kill_at)
               && !number(word, "shm_errno", &p->shm_errno)
               && !number(word, "shm_bytes", &p->shm_bytes) && !number(word, "zero", &p->zero_at)
               && !number(word, "fallocate_errno", &p->fallocate_errno)
               && !number(word, "stale", &p->stale) && !number(word, "malloc", &p->malloc_bytes)
               && !number(word, "progress_us", &p->progress_us)) {
        fprintf(stderr, "fault: unknown word '%s'\n", word);
        abort();
    }
}

/** Sets what goes wrong from now on; NULL or "" ends it. Counters start at 0 again. */
__attribute__((visibility("default"))) void fault_set(const char *spec)
{
    plan p = {.write = true, .read = true, .rank = -1};
    char copy[512], *save = NULL;

    fault.on = false;
    snprintf(copy, sizeof(copy), "%s", NULL == spec ? "" : spec);
    for (char *word = strtok_r(copy, ",", &save); NULL != word; word = strtok_r(NULL, ",", &save)) {
        set_word(&p, word);
        p.on = true;
    }
    p.on = p.on && (0 > p.rank || my_rank() == p.rank);
    calls = bytes_done = failed_calls = refused_allocations = 0;
    fault = p;
}

/** How many calls were made to fail, and how many allocations refused, since fault_set. */
__attribute__((visibility("default"))) long long fault_count(void)
{
    return failed_calls + refused_allocations;
}

__attribute__((constructor)) static void start(void)
{
    const char *spec = getenv("FAULT");

    if (NULL != spec) {
        fault_set(spec);
    }
}

static bool concerns(int fd, bool write)
{
    char link[64], path[4096];
    ssize_t n;

    if (!fault.on || !(write ? fault.write : fault.read)) {
        return false;
    }
    if ('\0' == fault.match[0]) {
        return true;
    }
    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    n = readlink(link, path, sizeof(path) - 1);
    path[n < 0 ? 0 : n] = '\0';
    return NULL != strstr(path, fault.match);
}

static void pause_us(int64_t us)
{
    struct timespec time = {us / 1000000, us % 1000000 * 1000};

    nanosleep(&time, NULL);
}

/** What becomes of a call for `bytes`: bytes to move now (> 0), or -1 with errno set. */
static int64_t decide(int64_t bytes)
{
    long long call = ++calls;
    int64_t move = bytes;

    if (0 < fault.kill_at && call == fault.kill_at) {
        raise(SIGKILL);
    }
    if (0 < fault.delay_ms) {
        pause_us((fault.delay_ms + (0 == call % 2 ? fault.jitter_ms : -fault.jitter_ms)) * 1000);
    }
    if (0 < fault.eintr && 0 == call % fault.eintr) {
        errno = EINTR;
        return -1;
    }
    if (0 != fault.error && 0 < fault.at && call >= fault.at
        && (0 == fault.times || call < fault.at + fault.times)) {
        failed_calls++;
        errno = (int) fault.error;
        return -1;
    }
    if (0 < fault.zero_at && call >= fault.zero_at) {
        failed_calls++;
        return 0;
    }
    if (0 < fault.short_bytes && move > fault.short_bytes) {
        move = fault.short_bytes;
    }
    if (0 != fault.error && 0 < fault.after) {
        int64_t left = fault.after - bytes_done;

        if (0 >= left) {
            failed_calls++;
            errno = (int) fault.error;
            return -1;
        }
        move = move < left ? move : left;
    }
    return move;
}

#define REAL(name, type) \
    static type real;    \
    real = NULL == real ? (type) dlsym(RTLD_NEXT, name) : real

typedef ssize_t (*pwrite_t)(int, const void *, size_t, off_t);
typedef ssize_t (*pread_t)(int, void *, size_t, off_t);
typedef ssize_t (*vector_t)(int, const struct iovec *, int, off_t);

static ssize_t faulty_pwrite(pwrite_t real, int fd, const void *buffer, size_t bytes, off_t at)
{
    int64_t move = concerns(fd, true) ? decide((int64_t) bytes) : (int64_t) bytes;
    ssize_t n = 0 > move ? -1 : real(fd, buffer, (size_t) move, at);

    bytes_done += n > 0 ? n : 0;
    return n;
}

static ssize_t faulty_pread(pread_t real, int fd, void *buffer, size_t bytes, off_t at)
{
    int64_t move = concerns(fd, false) ? decide((int64_t) bytes) : (int64_t) bytes;
    ssize_t n = 0 > move ? -1 : real(fd, buffer, (size_t) move, at);

    bytes_done += n > 0 ? n : 0;
    return n;
}

static ssize_t faulty_vector(vector_t real, int fd, const struct iovec *iov, int count, off_t at,
                             bool write)
{
    int64_t bytes = 0, move;
    struct iovec cut[1024];
    int n = 0;
    ssize_t done;

    for (int i = 0; i < count; i++) {
        bytes += (int64_t) iov[i].iov_len;
    }
    move = concerns(fd, write) ? decide(bytes) : bytes;
    if (0 > move) {
        return -1;
    }
    if (move == bytes || count > 1024) {
        done = real(fd, iov, count, at);
    } else {
        for (int64_t left = move; 0 < left && n < count; n++) {
            cut[n] = iov[n];
            cut[n].iov_len = (int64_t) iov[n].iov_len < left ? iov[n].iov_len : (size_t) left;
            left -= (int64_t) cut[n].iov_len;
        }
        done = real(fd, cut, n, at);
    }
    bytes_done += done > 0 ? done : 0;
    return done;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT ssize_t pwrite(int fd, const void *buffer, size_t bytes, off_t at)
{
    REAL("pwrite", pwrite_t);
    return faulty_pwrite(real, fd, buffer, bytes, at);
}

EXPORT ssize_t pwrite64(int fd, const void *buffer, size_t bytes, off_t at)
{
    REAL("pwrite64", pwrite_t);
    return faulty_pwrite(real, fd, buffer, bytes, at);
}

EXPORT ssize_t pread(int fd, void *buffer, size_t bytes, off_t at)
{
    REAL("pread", pread_t);
    return faulty_pread(real, fd, buffer, bytes, at);
}

EXPORT ssize_t pread64(int fd, void *buffer, size_t bytes, off_t at)
{
    REAL("pread64", pread_t);
    return faulty_pread(real, fd, buffer, bytes, at);
}

EXPORT ssize_t pwritev(int fd, const struct iovec *iov, int count, off_t at)
{
    REAL("pwritev", vector_t);
    return faulty_vector(real, fd, iov, count, at, true);
}

EXPORT ssize_t pwritev64(int fd, const struct iovec *iov, int count, off_t at)
{
    REAL("pwritev64", vector_t);
    return faulty_vector(real, fd, iov, count, at, true);
}

EXPORT ssize_t preadv(int fd, const struct iovec *iov, int count, off_t at)
{
    REAL("preadv", vector_t);
    return faulty_vector(real, fd, iov, count, at, false);
}

/* Reads that must not wait are never possible: all reads come to the functions above. */
EXPORT ssize_t preadv64v2(int fd, const struct iovec *iov, int count, off_t at, int flags)
{
    (void) fd, (void) iov, (void) count, (void) at, (void) flags;
    errno = EOPNOTSUPP;
    return -1;
}

EXPORT ssize_t preadv2(int fd, const struct iovec *iov, int count, off_t at, int flags)
{
    return preadv64v2(fd, iov, count, at, flags);
}

EXPORT ssize_t preadv64(int fd, const struct iovec *iov, int count, off_t at)
{
    REAL("preadv64", vector_t);
    return faulty_vector(real, fd, iov, count, at, false);
}

EXPORT int posix_fallocate(int fd, off_t at, off_t bytes)
{
    typedef int (*fallocate_t)(int, off_t, off_t);

    REAL("posix_fallocate", fallocate_t);
    if (fault.on && 0 != fault.shm_errno && at + bytes > fault.shm_bytes) {
        failed_calls++;
        return (int) fault.shm_errno;
    }
    return real(fd, at, bytes);
}

EXPORT int fallocate(int fd, int mode, off_t at, off_t bytes)
{
    typedef int (*fallocate_t)(int, int, off_t, off_t);

    REAL("fallocate", fallocate_t);
    if (0 != fault.fallocate_errno && concerns(fd, true)) {
        errno = (int) fault.fallocate_errno;
        return -1;
    }
    return real(fd, mode, at, bytes);
}

static bool is_stale(int fd)
{
    return 0 < fault.stale && concerns(fd, true);
}

EXPORT int fstat(int fd, struct stat *info)
{
    typedef int (*fstat_t)(int, struct stat *);
    int rc;

    REAL("fstat", fstat_t);
    rc = real(fd, info);
    if (0 == rc && is_stale(fd) && info->st_size > fault.stale) {
        info->st_size = fault.stale;
    }
    return rc;
}

EXPORT off_t lseek(int fd, off_t offset, int whence)
{
    typedef off_t (*lseek_t)(int, off_t, int);
    off_t at;

    REAL("lseek", lseek_t);
    if ((SEEK_HOLE != whence && SEEK_DATA != whence) || !is_stale(fd)) {
        return real(fd, offset, whence);
    }
    at = offset < fault.stale ? real(fd, offset, whence) : fault.stale;
    if (offset >= fault.stale || (SEEK_DATA == whence && at >= fault.stale)) {
        errno = ENXIO;
        return -1;
    }
    return at < fault.stale ? at : fault.stale;
}

/* Open MPI's progress engine: what moves messages while a rank waits. */
int opal_progress(void);

EXPORT int opal_progress(void)
{
    typedef int (*progress_t)(void);

    REAL("opal_progress", progress_t);
    if (fault.on && 0 < fault.progress_us) {
        pause_us(fault.progress_us);
    }
    return NULL == real ? 0 : real();
}

/* The kernel's asynchronous engines are not there. */
struct io_uring;
struct io_context;
int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags);
int io_setup(int maxevents, struct io_context **context);

EXPORT int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
    (void) entries;
    (void) ring;
    (void) flags;
    return -ENOSYS;
}

EXPORT int io_setup(int maxevents, struct io_context **context)
{
    (void) maxevents;
    (void) context;
    return -ENOSYS;
}

/* Allocations. glibc's own entries are called directly: dlsym itself allocates. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static bool refused(size_t bytes)
{
    if (!fault.on || 0 == fault.malloc_bytes || bytes < (size_t) fault.malloc_bytes) {
        return false;
    }
    refused_allocations++;
    errno = ENOMEM;
    return true;
}

EXPORT void *malloc(size_t bytes)
{
    return refused(bytes) ? NULL : __libc_malloc(bytes);
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    return refused(0 == bytes || count < SIZE_MAX / bytes ? count * bytes : SIZE_MAX)
               ? NULL
               : __libc_calloc(count, bytes);
}

EXPORT void *realloc(void *old, size_t bytes)
{
    return refused(bytes) ? NULL : __libc_realloc(old, bytes);
}

EXPORT int posix_memalign(void **result, size_t alignment, size_t bytes)
{
    void *p = refused(bytes) ? NULL : __libc_memalign(alignment, bytes);

    if (NULL == p) {
        return ENOMEM;
    }
    *result = p;
    return 0;
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return refused(bytes) ? NULL : __libc_memalign(alignment, bytes);
}
