/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * slowdisk: a preload that gives files below one folder the costs of a storage system.
 *
 *     SLOWDISK="FOLDER COSTS SERVERS STRIPE BYTES-PER-SECOND REQUEST-US LATENCY-US"
 *
 * The stripes of a file go to the servers in turn. A server handles one request at a time: a
 * request of n bytes takes request + n / rate, and begins when those before it are done. The times
 * until which the servers are taken are in the file COSTS (slow.h), which all processes map: one
 * queue for each server, whatever process or node asks. The caller sleeps until the last server is
 * done, plus the latency; the bytes go to the file (in memory) by the plain call.
 *
 * Covered: read, write, their p and v forms, and POSIX aio. Not: io_uring, libaio, mmap.
 */

#define _GNU_SOURCE
#include <aio.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "slow.h"

static struct {
    int servers; /* 0: nothing is slowed */
    int64_t stripe;
    double rate;
    int64_t request_ns;
    int64_t latency_ns;
    dev_t device; /* of the folder: a file system of its own */
    slow_costs_t *costs;
} disk;

static void setup(void)
{
    char folder[512];
    char costs[512];
    double request_us;
    double latency_us;
    int servers;
    long long stripe;
    const char *text = getenv("SLOWDISK");
    struct stat found;

    if (NULL == text
        || 7
               != sscanf(text, "%511s %511s %d %lld %lf %lf %lf", folder, costs, &servers, &stripe,
                         &disk.rate, &request_us, &latency_us)
        || servers < 1 || servers > SLOW_SERVERS || stripe < 1 || 0 != stat(folder, &found)) {
        return;
    }
    disk.costs = slow_map(costs);
    if (NULL == disk.costs) {
        return;
    }
    disk.stripe = stripe;
    disk.request_ns = (int64_t) (1e3 * request_us);
    disk.latency_ns = (int64_t) (1e3 * latency_us);
    disk.device = found.st_dev;
    disk.servers = servers;
}

static int is_slow(int fd)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct stat found;

    pthread_once(&once, setup);
    return disk.servers > 0 && 0 < atomic_load(&disk.costs->active) && 0 == fstat(fd, &found)
           && found.st_dev == disk.device;
}

static int64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t) t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Puts a request into the queue of its server; returns when it is done. */
static int64_t enqueue(int64_t now, int server, int64_t bytes)
{
    int64_t cost = disk.request_ns + (int64_t) ((double) bytes / disk.rate * 1e9);
    int64_t until = atomic_load(&disk.costs->busy_until[server]);
    int64_t done;

    do {
        done = (until > now ? until : now) + cost;
    } while (!atomic_compare_exchange_weak(&disk.costs->busy_until[server], &until, done));
    return done;
}

/* Sleeps for a request of `bytes` at `offset`; each server gets one part of it. */
static void pay(int64_t offset, int64_t bytes)
{
    int64_t share[SLOW_SERVERS] = {0};
    int64_t now = now_ns();
    int64_t done = now;
    struct timespec t;

    while (bytes > 0) {
        int64_t n = disk.stripe - offset % disk.stripe;

        n = n < bytes ? n : bytes;
        share[offset / disk.stripe % disk.servers] += n;
        offset += n;
        bytes -= n;
    }
    for (int i = 0; i < disk.servers; i++) {
        if (share[i] > 0) {
            int64_t end = enqueue(now, i, share[i]);

            done = end > done ? end : done;
        }
    }
    done += disk.latency_ns;
    t = (struct timespec){done / 1000000000, done % 1000000000};
    while (EINTR == clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL)) {
    }
}

static int64_t total(const struct iovec *iov, int count)
{
    int64_t bytes = 0;

    for (int i = 0; i < count; i++) {
        bytes += (int64_t) iov[i].iov_len;
    }
    return bytes;
}

static void pay_here(int fd, int64_t bytes)
{
    if (is_slow(fd)) {
        pay(lseek(fd, 0, SEEK_CUR), bytes);
    }
}

static void pay_at(int fd, int64_t offset, int64_t bytes)
{
    if (is_slow(fd)) {
        pay(offset, bytes);
    }
}

#define AT_OFFSET(suffix, type)                                                      \
    ssize_t pwrite##suffix(int fd, const void *from, size_t bytes, type offset)      \
    {                                                                                \
        pay_at(fd, offset, (int64_t) bytes);                                         \
        return syscall(SYS_pwrite64, fd, from, bytes, offset);                       \
    }                                                                                \
    ssize_t pread##suffix(int fd, void *to, size_t bytes, type offset)               \
    {                                                                                \
        pay_at(fd, offset, (int64_t) bytes);                                         \
        return syscall(SYS_pread64, fd, to, bytes, offset);                          \
    }                                                                                \
    ssize_t pwritev##suffix(int fd, const struct iovec *iov, int count, type offset) \
    {                                                                                \
        pay_at(fd, offset, total(iov, count));                                       \
        return syscall(SYS_pwritev, fd, iov, count, offset, 0);                      \
    }                                                                                \
    ssize_t preadv##suffix(int fd, const struct iovec *iov, int count, type offset)  \
    {                                                                                \
        pay_at(fd, offset, total(iov, count));                                       \
        return syscall(SYS_preadv, fd, iov, count, offset, 0);                       \
    }

AT_OFFSET(, off_t)
AT_OFFSET(64, off64_t)

ssize_t write(int fd, const void *from, size_t bytes)
{
    pay_here(fd, (int64_t) bytes);
    return syscall(SYS_write, fd, from, bytes);
}

ssize_t read(int fd, void *to, size_t bytes)
{
    pay_here(fd, (int64_t) bytes);
    return syscall(SYS_read, fd, to, bytes);
}

ssize_t writev(int fd, const struct iovec *iov, int count)
{
    pay_here(fd, total(iov, count));
    return syscall(SYS_writev, fd, iov, count);
}

ssize_t readv(int fd, const struct iovec *iov, int count)
{
    pay_here(fd, total(iov, count));
    return syscall(SYS_readv, fd, iov, count);
}

/* ---- POSIX aio: a thread for each request, because glibc's own threads call no wrapper ------- */

typedef struct request_t {
    struct request_t *next;
    const struct aiocb *of;
    int write;
    int error; /* EINPROGRESS until it is done */
    ssize_t result;
} request_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static request_t *requests;

static request_t **find(const struct aiocb *of)
{
    request_t **at = &requests;

    while (NULL != *at && (*at)->of != of) {
        at = &(*at)->next;
    }
    return at;
}

static void *serve(void *arg)
{
    request_t *request = arg;
    const struct aiocb *of = request->of;
    void *memory = (void *) of->aio_buf;
    ssize_t n = request->write ? pwrite64(of->aio_fildes, memory, of->aio_nbytes, of->aio_offset)
                               : pread64(of->aio_fildes, memory, of->aio_nbytes, of->aio_offset);
    int error = n < 0 ? errno : 0;

    pthread_mutex_lock(&lock);
    request->result = n;
    request->error = error;
    pthread_cond_broadcast(&finished);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static int start(const struct aiocb *of, int write)
{
    request_t *request = calloc(1, sizeof(*request));
    pthread_attr_t attributes;
    pthread_t thread;
    int rc;

    if (NULL == request) {
        return -1;
    }
    *request = (request_t){.of = of, .write = write, .error = EINPROGRESS};
    pthread_mutex_lock(&lock);
    request->next = requests;
    requests = request;
    pthread_mutex_unlock(&lock);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    rc = pthread_create(&thread, &attributes, serve, request);
    pthread_attr_destroy(&attributes);
    if (0 != rc) {
        serve(request);
    }
    return 0;
}

#define REAL(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))

int aio_write(struct aiocb *of)
{
    return is_slow(of->aio_fildes) ? start(of, 1) : REAL(aio_write)(of);
}

int aio_read(struct aiocb *of)
{
    return is_slow(of->aio_fildes) ? start(of, 0) : REAL(aio_read)(of);
}

int aio_error(const struct aiocb *of)
{
    request_t *request;
    int error = 0;

    pthread_mutex_lock(&lock);
    request = *find(of);
    error = NULL != request ? request->error : 0;
    pthread_mutex_unlock(&lock);
    return NULL != request ? error : REAL(aio_error)(of);
}

ssize_t aio_return(struct aiocb *of)
{
    request_t **at;
    request_t *request;
    ssize_t result;

    pthread_mutex_lock(&lock);
    at = find(of);
    request = *at;
    if (NULL != request) {
        *at = request->next;
    }
    pthread_mutex_unlock(&lock);
    if (NULL == request) {
        return REAL(aio_return)(of);
    }
    result = request->result;
    errno = result < 0 ? request->error : errno;
    free(request);
    return result;
}

int aio_suspend(const struct aiocb *const list[], int count, const struct timespec *timeout)
{
    int ours = 0;
    int done = 0;

    pthread_mutex_lock(&lock);
    for (;;) {
        ours = 0;
        for (int i = 0; i < count; i++) {
            request_t *request = NULL != list[i] ? *find(list[i]) : NULL;

            ours += NULL != request;
            done += NULL != request && EINPROGRESS != request->error;
        }
        if (0 == ours || 0 < done) {
            break;
        }
        pthread_cond_wait(&finished, &lock);
    }
    pthread_mutex_unlock(&lock);
    return 0 == ours ? REAL(aio_suspend)(list, count, timeout) : 0;
}

int aio_write64(struct aiocb64 *of)
{
    return aio_write((struct aiocb *) of);
}
int aio_read64(struct aiocb64 *of)
{
    return aio_read((struct aiocb *) of);
}
int aio_error64(const struct aiocb64 *of)
{
    return aio_error((const struct aiocb *) of);
}
ssize_t aio_return64(struct aiocb64 *of)
{
    return aio_return((struct aiocb *) of);
}
int aio_suspend64(const struct aiocb64 *const list[], int count, const struct timespec *timeout)
{
    return aio_suspend((const struct aiocb *const *) list, count, timeout);
}
