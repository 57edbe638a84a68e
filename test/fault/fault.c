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
 *     third=1               move about a third of the bytes per call
 *     eintr=K eagain=K      every K-th call is interrupted first, or refused
 *     errno=E at=K times=T  the K-th call fails with E, and T - 1 calls after it (default: all)
 *     errno=E after=N       after N bytes in all: a short transfer, then E
 *     errno=E from=A to=B   writes of the file's bytes [A, B) fail with E
 *     delay_ms=N            every call takes N milliseconds longer
 *     jitter_ms=N           and by turns N milliseconds more or less than that
 *     kill=K                the K-th call kills the process (SIGKILL)
 *     shm_errno=E           posix_fallocate fails with E: no room in /dev/shm,
 *     shm_bytes=N           but only beyond N bytes of a file
 *     zero=K                the K-th call and all after it move no byte, and return no error
 *     fallocate_errno=E     fallocate fails with E: the file system has none
 *     fallocate_most=N      fallocate of more than N bytes is interrupted
 *     fsync_eintr=N         the first N calls of fsync are interrupted
 *     stale=N               fstat, SEEK_HOLE and SEEK_DATA see the first N bytes of a file only:
 *                           old attributes of a network file system
 *     lock_errno=E          byte-range locks fail with E; with lock_skip=S the first S of them
 *                           work, with lock_count=C only C fail then
 *     nolock=1              the file system says that it is NFS, and locks exclude no process:
 *                           containers of one node, each with a mount of its own
 *     lock_log=FILE         at the end: "locks N" in this file, the OFD locks that were tried
 *     uring=K aio_submit=K  every K-th submission to io_uring or libaio fails with
 *     queue_errno=E         E (default ENOMEM), but not the
 *     queue_skip=S          first S of them
 *     aio_eio=K             every K-th request of libaio ends with EIO,
 *     aio_short=K           or with 4096 bytes less
 *     exists=N              the first N opens that create a file, without O_EXCL, fail with EEXIST
 *     malloc=N              allocations of N bytes and more fail
 *     progress_us=N         every look for messages takes N microseconds longer: a slow network,
 *                           when set on the ranks that send
 *
 * For example FAULT=op=write,match=out,errno=28,at=3,rank=0. The transfers of the kernel's
 * asynchronous engines would pass by this library. Their set-up fails without a word for them, so
 * that threads are used.
 */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

fault_plan fault = {.rank = -1};
atomic_llong failed_calls;
static atomic_llong calls, bytes_done, refused_allocations, creates, fsyncs;

#define WORD(name, member)                     \
    {                                          \
        name "=", offsetof(fault_plan, member) \
    }

static const struct {
    const char *name;
    size_t at;
} words[] = {
    WORD("rank", rank),
    WORD("short", short_bytes),
    WORD("third", third),
    WORD("eintr", eintr),
    WORD("eagain", eagain),
    WORD("errno", error),
    WORD("at", at),
    WORD("times", times),
    WORD("after", after),
    WORD("from", from),
    WORD("to", to),
    WORD("delay_ms", delay_ms),
    WORD("jitter_ms", jitter_ms),
    WORD("kill", kill_at),
    WORD("shm_errno", shm_errno),
    WORD("shm_bytes", shm_bytes),
    WORD("zero", zero_at),
    WORD("fallocate_errno", fallocate_errno),
    WORD("fallocate_most", fallocate_most),
    WORD("fsync_eintr", fsync_eintr),
    WORD("stale", stale),
    WORD("exists", exists),
    WORD("malloc", malloc_bytes),
    WORD("lock_errno", lock_errno),
    WORD("lock_skip", lock_skip),
    WORD("lock_count", lock_count),
    WORD("nolock", nolock),
    WORD("uring", uring),
    WORD("aio_submit", aio_submit),
    WORD("queue_errno", queue_errno),
    WORD("queue_skip", queue_skip),
    WORD("aio_eio", aio_eio),
    WORD("aio_short", aio_short),
    WORD("progress_us", progress_us),
};

static int my_rank(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    return NULL == rank ? 0 : atoi(rank);
}

static void set_word(fault_plan *p, const char *word)
{
    const char *value = strchr(word, '=');

    if (0 == strncmp(word, "match=", 6)) {
        snprintf(p->match, sizeof(p->match), "%s", value + 1);
        return;
    }
    if (0 == strncmp(word, "lock_log=", 9)) {
        snprintf(p->lock_log, sizeof(p->lock_log), "%s", value + 1);
        return;
    }
    if (0 == strncmp(word, "op=", 3)) {
        p->write = 0 != strcmp(word, "op=read");
        p->read = 0 != strcmp(word, "op=write");
        return;
    }
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (0 == strncmp(word, words[i].name, strlen(words[i].name))) {
            *(int64_t *) ((char *) p + words[i].at) = strtoll(value + 1, NULL, 10);
            return;
        }
    }
    fprintf(stderr, "fault: unknown word '%s'\n", word);
    abort();
}

/** Sets what goes wrong from now on; NULL or "" ends it. Counters start at 0 again. */
__attribute__((visibility("default"))) void fault_set(const char *spec)
{
    fault_plan p = {.write = true, .read = true, .rank = -1};
    char copy[512], *save = NULL;

    fault.on = false;
    snprintf(copy, sizeof(copy), "%s", NULL == spec ? "" : spec);
    for (char *word = strtok_r(copy, ",", &save); NULL != word; word = strtok_r(NULL, ",", &save)) {
        set_word(&p, word);
        p.on = true;
    }
    p.on = p.on && (0 > p.rank || my_rank() == p.rank);
    calls = bytes_done = failed_calls = refused_allocations = creates = fsyncs = 0;
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

__attribute__((destructor)) static void end(void)
{
    FILE *out = '\0' == fault.lock_log[0] ? NULL : fopen(fault.lock_log, "a");

    if (NULL != out) {
        fprintf(out, "locks %lld\n", (long long) lock_calls);
        fclose(out);
    }
}

bool concerns(int fd, bool write)
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

    while (0 != nanosleep(&time, &time) && EINTR == errno) {
    }
}

static int64_t fails(int error)
{
    failed_calls += EINTR != error && EAGAIN != error;
    errno = error;
    return -1;
}

/** Bytes that a plan with limits lets pass (> 0), or -1 with errno set. */
static int64_t limited(int64_t move, off_t at, bool write)
{
    int64_t left = move;

    if (0 < fault.third && 1 < move) {
        left = 1 + move / 3;
    } else if (0 < fault.short_bytes) {
        left = fault.short_bytes;
    }
    move = move < left ? move : left;
    if (0 != fault.error && 0 < fault.after) {
        left = fault.after - bytes_done;
    } else if (0 != fault.error && write && at < fault.to && at + move > fault.from) {
        left = fault.from - at;
    }
    return 0 >= left ? fails((int) fault.error) : move < left ? move : left;
}

/** What becomes of a call for `bytes`: bytes to move now, or -1 with errno set. */
static int64_t decide(int64_t bytes, off_t at, bool write)
{
    long long call = ++calls;

    if (0 < fault.kill_at && call == fault.kill_at) {
        raise(SIGKILL);
    }
    if (0 < fault.delay_ms) {
        pause_us((fault.delay_ms + (0 == call % 2 ? fault.jitter_ms : -fault.jitter_ms)) * 1000);
    }
    if (0 < fault.eintr && 0 == call % fault.eintr) {
        return fails(EINTR);
    }
    if (0 < fault.eagain && 0 == call % fault.eagain) {
        return fails(EAGAIN);
    }
    if (0 != fault.error && 0 < fault.at && call >= fault.at
        && (0 == fault.times || call < fault.at + fault.times)) {
        return fails((int) fault.error);
    }
    if (0 < fault.zero_at && call >= fault.zero_at) {
        failed_calls++;
        return 0;
    }
    return 0 < bytes ? limited(bytes, at, write) : bytes;
}

typedef ssize_t (*vector_t)(int, const struct iovec *, int, off_t);

static ssize_t transfer(int fd, const struct iovec *iov, int count, off_t at, bool write)
{
    static vector_t real[2];
    struct iovec cut[1024];
    int64_t bytes = 0, move;
    ssize_t done;
    int n = 0;

    real[write] = NULL == real[write] ? (vector_t) dlsym(RTLD_NEXT, write ? "pwritev" : "preadv")
                                      : real[write];
    for (int i = 0; i < count; i++) {
        bytes += (int64_t) iov[i].iov_len;
    }
    move = concerns(fd, write) ? decide(bytes, at, write) : bytes;
    if (0 > move) {
        return -1;
    }
    if (move == bytes || count > 1024) {
        done = real[write](fd, iov, count, at);
    } else {
        for (int64_t left = move; 0 < left && n < count; n++) {
            cut[n] = iov[n];
            cut[n].iov_len = (int64_t) iov[n].iov_len < left ? iov[n].iov_len : (size_t) left;
            left -= (int64_t) cut[n].iov_len;
        }
        done = real[write](fd, cut, n, at);
    }
    bytes_done += done > 0 ? done : 0;
    return done;
}

#define TRANSFERS(suffix)                                                             \
    EXPORT ssize_t pwrite##suffix(int fd, const void *buffer, size_t bytes, off_t at) \
    {                                                                                 \
        return transfer(fd, &(struct iovec){(void *) buffer, bytes}, 1, at, true);    \
    }                                                                                 \
    EXPORT ssize_t pread##suffix(int fd, void *buffer, size_t bytes, off_t at)        \
    {                                                                                 \
        return transfer(fd, &(struct iovec){buffer, bytes}, 1, at, false);            \
    }                                                                                 \
    EXPORT ssize_t pwritev##suffix(int fd, const struct iovec *iov, int n, off_t at)  \
    {                                                                                 \
        return transfer(fd, iov, n, at, true);                                        \
    }                                                                                 \
    EXPORT ssize_t preadv##suffix(int fd, const struct iovec *iov, int n, off_t at)   \
    {                                                                                 \
        return transfer(fd, iov, n, at, false);                                       \
    }

TRANSFERS()
TRANSFERS(64)

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

int fault_of_fallocate(off_t end)
{
    if (!fault.on || 0 == fault.shm_errno || end <= fault.shm_bytes) {
        return 0;
    }
    failed_calls++;
    return (int) fault.shm_errno;
}

EXPORT int fallocate(int fd, int mode, off_t at, off_t bytes)
{
    typedef int (*fallocate_t)(int, int, off_t, off_t);

    REAL("fallocate", fallocate_t);
    if (0 != fault.fallocate_errno && concerns(fd, true)) {
        errno = (int) fault.fallocate_errno;
        return -1;
    }
    if (0 != fault.fallocate_most && bytes > fault.fallocate_most && concerns(fd, true)) {
        errno = EINTR;
        return -1;
    }
    return real(fd, mode, at, bytes);
}

EXPORT int fsync(int fd)
{
    typedef int (*fsync_t)(int);

    REAL("fsync", fsync_t);
    if (0 < fault.fsync_eintr && concerns(fd, true) && fsyncs++ < fault.fsync_eintr) {
        return (int) fails(EINTR);
    }
    return real(fd);
}

EXPORT int fstatfs(int fd, struct statfs *about)
{
    enum { NFS = 0x6969 };
    typedef int (*fstatfs_t)(int, struct statfs *);
    int rc;

    REAL("fstatfs", fstatfs_t);
    rc = real(fd, about);
    if (0 == rc && 0 != fault.nolock && concerns(fd, true)) {
        about->f_type = NFS;
    }
    return rc;
}

static bool is_stale(int fd)
{
    return 0 < fault.stale && concerns(fd, true);
}

static bool exists(const char *path, int flags)
{
    return fault.on && 0 < fault.exists && O_CREAT == (flags & (O_CREAT | O_EXCL))
           && NULL != strstr(path, fault.match) && creates++ < fault.exists;
}

#define OPENS(suffix)                                         \
    EXPORT int open##suffix(const char *path, int flags, ...) \
    {                                                         \
        typedef int (*open_t)(const char *, int, ...);        \
        va_list more;                                         \
        int mode;                                             \
                                                              \
        REAL("open" #suffix, open_t);                         \
        if (exists(path, flags)) {                            \
            return (int) fails(EEXIST);                       \
        }                                                     \
        va_start(more, flags);                                \
        mode = va_arg(more, int);                             \
        va_end(more);                                         \
        return real(path, flags, mode);                       \
    }

OPENS()
OPENS(64)

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

bool fault_refuses(size_t bytes)
{
    if (!fault.on || 0 == fault.malloc_bytes || bytes < (size_t) fault.malloc_bytes) {
        return false;
    }
    refused_allocations++;
    return true;
}
