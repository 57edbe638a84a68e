/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * File access without MPI: random requests (view x buffer x method x threads x engine x sieving)
 * against a byte-by-byte oracle, blocking and as jobs, from one thread and from several. Built with
 * the sources of collio alone, so that it also runs under the thread and address sanitizers.
 *
 * usage: access_check [-s seed] [-n rounds] DIRECTORY
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/access.h"

static uint64_t random_state;
static const char *directory;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static int64_t pick(int64_t least, int64_t most)
{
    return least + (int64_t) (next_random() % (uint64_t) (most - least + 1));
}

static void die(const char *what)
{
    fprintf(stderr, "access_check: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* A new file without a name. */
static int open_temporary(void)
{
    char path[4096];
    int fd;

    snprintf(path, sizeof(path), "%s/access_check.XXXXXX", directory);
    fd = mkstemp(path);
    if (0 > fd) {
        die(path);
    }
    unlink(path);
    return fd;
}

/* A tiling of random, ascending pieces. */
static void random_tiling(collio_tiling_t *tiling, int64_t base, int64_t largest,
                          int64_t largest_hole)
{
    collio_extent_t pieces[16];
    size_t count = (size_t) pick(1, 16);
    int64_t at = 0;

    for (size_t i = 0; i < count; ++i) {
        at += pick(0, largest_hole);
        pieces[i].offset = at;
        pieces[i].length = pick(1, largest);
        at += pieces[i].length;
    }
    at += pick(0, largest_hole);
    if (0 != collio_tiling_init(tiling, base, at, pieces, count)) {
        die("tiling_init");
    }
}

/* Where stream position `stream` lies: the slow way, piece by piece. */
static int64_t locate(const collio_tiling_t *tiling, int64_t stream)
{
    int64_t origin = tiling->base + stream / tiling->size * tiling->extent;

    stream %= tiling->size;
    for (size_t i = 0; i < tiling->count; ++i) {
        if (stream < collio_tiling_length(tiling, i)) {
            return origin + tiling->offset[i] + stream;
        }
        stream -= collio_tiling_length(tiling, i);
    }
    return -1;
}

struct round {
    collio_access_t access;
    collio_access_stats_t stats;
    collio_tiling_t file;
    collio_tiling_t memory;
    int64_t first;
    int64_t bytes;
    int64_t file_bytes; /* size of the image */
    int64_t memory_bytes;
    char *image; /* what the file should hold */
    char *buffer;
    int fd;
};

static void make_round(struct round *round)
{
    static const int threads[] = {0, 1, 2, 4, 7};

    memset(round, 0, sizeof(*round));
    round->fd = open_temporary();
    random_tiling(&round->file, pick(0, 5000), 0 == pick(0, 1) ? 16 : 3000, pick(0, 3000));
    random_tiling(&round->memory, 0, 0 == pick(0, 1) ? 8 : 2000, pick(0, 100));
    round->first = pick(0, 4 * round->file.size);
    round->bytes = pick(1, 100000);
    round->file_bytes = locate(&round->file, round->first + round->bytes - 1) + 1 + pick(0, 9999);
    round->memory_bytes = locate(&round->memory, round->bytes - 1) + 1;
    round->access.fd = round->fd;
    round->access.can_read = true;
    round->access.stats = &round->stats;
    round->access.tuning.method = (collio_method_t) pick(0, 3);
    round->access.tuning.sieve_read = (int) pick(0, 2);
    round->access.sieve_writes = 0 == pick(0, 1);
    round->access.tuning.sieve_read_bytes = (size_t) (pick(0, 2) * pick(1, 50000));
    round->access.tuning.sieve_write_bytes = (size_t) (pick(0, 2) * pick(1, 50000));
    round->access.tuning.stage_bytes = (size_t) (pick(0, 1) * pick(1, 70000));
    round->access.stripe_bytes = pick(0, 1) * 4096;
    round->access.tuning.threads = threads[pick(0, 4)];
    round->access.tuning.serial_below = pick(0, 3) > 0 ? 1 : 0;
    round->access.tuning.engine = (collio_engine_t) pick(0, 3);
    round->access.atomic = 0 == pick(0, 4);
    round->access.coherence = 0 == pick(0, 3) ? COLLIO_COHERENCE_LOCK : COLLIO_COHERENT;
    round->image = malloc((size_t) round->file_bytes);
    round->buffer = malloc((size_t) round->memory_bytes);
    if (NULL == round->image || NULL == round->buffer) {
        die("malloc");
    }
    for (int64_t i = 0; i < round->file_bytes; ++i) {
        round->image[i] = (char) next_random();
    }
    for (int64_t i = 0; i < round->memory_bytes; ++i) {
        round->buffer[i] = (char) next_random();
    }
}

static void end_round(struct round *round)
{
    collio_tiling_fini(&round->file);
    collio_tiling_fini(&round->memory);
    free(round->image);
    free(round->buffer);
    close(round->fd);
}

static void fill_file(struct round *round, int64_t bytes)
{
    if (0 != ftruncate(round->fd, 0)
        || bytes != pwrite(round->fd, round->image, (size_t) bytes, 0)) {
        die("fill the file");
    }
}

/* Blocking, or as a job. */
static void request(struct round *round, bool write, bool job, collio_outcome_t *outcome)
{
    collio_job_t async = {.access = &round->access,
                          .write = write,
                          .file = &round->file,
                          .first = round->first,
                          .bytes = round->bytes,
                          .memory = &round->memory,
                          .base = round->buffer};

    if (!job) {
        collio_access_run(&async);
        *outcome = async.outcome;
        return;
    }
    if (0 != collio_access_start(&async)) {
        die("access_start");
    }
    if (0 == pick(0, 1)) {
        collio_access_wait(&async);
    }
    while (!collio_access_test(&async)) {
    }
    *outcome = async.outcome;
}

static int compare(const char *what, const char *got, const char *wanted, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; ++i) {
        if (got[i] != wanted[i]) {
            fprintf(stderr, "%s: byte %lld of %lld is wrong\n", what, (long long) i,
                    (long long) bytes);
            return 1;
        }
    }
    return 0;
}

/* The whole file, foreign bytes and holes included, must be as computed. */
static int check_write(struct round *round, bool job)
{
    collio_outcome_t outcome;
    int64_t existing = pick(0, round->file_bytes);
    int64_t last = locate(&round->file, round->first + round->bytes - 1) + 1;
    int64_t size = last > existing ? last : existing;
    char *got = calloc(1, (size_t) round->file_bytes);
    int bad;

    fill_file(round, existing);
    memset(round->image + existing, 0, (size_t) (round->file_bytes - existing));
    request(round, true, job, &outcome);
    for (int64_t i = 0; i < round->bytes; ++i) {
        round->image[locate(&round->file, round->first + i)] =
            round->buffer[locate(&round->memory, i)];
    }
    bad = 0 != outcome.error || round->bytes != outcome.bytes || INT64_MAX != outcome.stop_offset;
    if (bad) {
        fprintf(stderr, "write: error %d bytes %lld of %lld\n", outcome.error,
                (long long) outcome.bytes, (long long) round->bytes);
    }
    if (size != pread(round->fd, got, (size_t) round->file_bytes, 0)) {
        fprintf(stderr, "write: the file has a wrong size\n");
        bad = 1;
    }
    bad |= compare("write", got, round->image, size);
    free(got);
    return bad;
}

/* Also at end of file: the count is exact, bytes past it are left alone. */
static int check_read(struct round *round, bool job)
{
    collio_outcome_t outcome;
    int64_t size = 0 == pick(0, 2) ? pick(0, round->file_bytes) : round->file_bytes;
    char *wanted = malloc((size_t) round->memory_bytes);
    int64_t count = 0;
    int bad;

    fill_file(round, size);
    memcpy(wanted, round->buffer, (size_t) round->memory_bytes);
    while (count < round->bytes && locate(&round->file, round->first + count) < size) {
        wanted[locate(&round->memory, count)] =
            round->image[locate(&round->file, round->first + count)];
        ++count;
    }
    request(round, false, job, &outcome);
    bad = 0 != outcome.error || count != outcome.bytes
          || (count < round->bytes) != (INT64_MAX != outcome.stop_offset);
    if (bad) {
        fprintf(stderr, "read: error %d bytes %lld, wanted %lld\n", outcome.error,
                (long long) outcome.bytes, (long long) count);
    }
    bad |= compare("read", round->buffer, wanted, round->memory_bytes);
    free(wanted);
    return bad;
}

static int run_rounds(long rounds)
{
    int failures = 0;

    for (long i = 0; i < rounds && 0 == failures; ++i) {
        struct round round;
        uint64_t seed = random_state;
        bool job = 0 == pick(0, 2);

        make_round(&round);
        failures += check_write(&round, job);
        failures += check_read(&round, job);
        if (0 != failures) {
            fprintf(stderr,
                    "round %ld: state %llu method %d engine %d threads %d sieve %d/%d "
                    "job %d\n",
                    i, (unsigned long long) seed, (int) round.access.tuning.method,
                    (int) round.access.tuning.engine, round.access.tuning.threads,
                    (int) round.access.tuning.sieve_read, (int) round.access.sieve_writes,
                    (int) job);
        }
        end_round(&round);
    }
    return failures;
}

/* Several threads write interleaved blocks with one descriptor: sieving, plain, as jobs. */
enum { WRITERS = 4, BLOCK = 64, BLOCKS = 3000 };

struct writer {
    int fd;
    int number;
    collio_access_stats_t *stats;
};

static void *interleaved_writer(void *arg)
{
    struct writer *writer = arg;
    collio_access_t access = {
        .fd = writer->fd,
        .can_read = true,
        .stats = writer->stats,
        .sieve_writes = true,
        .tuning = {.method = 3 == writer->number ? COLLIO_METHOD_DIRECT : COLLIO_METHOD_AUTO,
                   .sieve_write_bytes = 3 == writer->number ? BLOCK : 20000,
                   .threads = writer->number,
                   .serial_below = 1}};
    collio_extent_t piece = {.offset = (int64_t) writer->number * BLOCK, .length = BLOCK};
    collio_extent_t block = {.offset = 0, .length = BLOCK};
    collio_tiling_t file, memory;
    char *data = malloc((size_t) BLOCK * BLOCKS);
    collio_job_t job = {.access = &access,
                        .write = true,
                        .file = &file,
                        .bytes = (int64_t) BLOCK * BLOCKS,
                        .memory = &memory,
                        .base = data};

    memset(data, 'A' + writer->number, (size_t) BLOCK * BLOCKS);
    collio_tiling_init(&file, 0, (int64_t) WRITERS * BLOCK, &piece, 1);
    collio_tiling_init(&memory, 0, BLOCK, &block, 1);
    collio_access_run(&job);
    collio_tiling_fini(&file);
    collio_tiling_fini(&memory);
    free(data);
    return (void *) (intptr_t) (0 != job.outcome.error);
}

static int check_interleaved(bool own_descriptors)
{
    char path[64];
    struct writer writers[WRITERS];
    pthread_t threads[WRITERS];
    collio_access_stats_t stats = {0};
    char block[BLOCK];
    int failures = 0;
    int fd = open_temporary();

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    for (int i = 0; i < WRITERS; ++i) {
        writers[i] = (struct writer){
            .fd = own_descriptors ? open(path, O_RDWR) : fd, .number = i, .stats = &stats};
        pthread_create(&threads[i], NULL, interleaved_writer, &writers[i]);
    }
    for (int i = 0; i < WRITERS; ++i) {
        void *failed;

        pthread_join(threads[i], &failed);
        failures += NULL != failed;
        if (own_descriptors) {
            close(writers[i].fd);
        }
    }
    for (int64_t i = 0; i < (int64_t) WRITERS * BLOCKS && 0 == failures; ++i) {
        char wanted[BLOCK];

        memset(wanted, 'A' + (int) (i % WRITERS), BLOCK);
        if (BLOCK != pread(fd, block, BLOCK, i * BLOCK) || 0 != memcmp(block, wanted, BLOCK)) {
            fprintf(stderr, "interleaved writers: block %lld is wrong\n", (long long) i);
            failures = 1;
        }
    }
    if (0 == failures && (0 == stats.sieve_windows || 0 == stats.locks)) {
        fprintf(stderr, "interleaved writers: nothing was sieved\n");
        failures = 1;
    }
    close(fd);
    return failures;
}

/* Errors: the class's errno, the exact count, and no thread left behind. */
static int check_full(void)
{
    collio_access_stats_t stats = {0};
    collio_access_t access = {.fd = open("/dev/full", O_RDWR),
                              .can_read = true,
                              .stats = &stats,
                              .tuning = {.threads = 4, .serial_below = 1}};
    collio_extent_t piece = {.offset = 0, .length = 8};
    collio_tiling_t file, memory;
    static char data[1 << 20];
    collio_job_t job = {.access = &access,
                        .write = true,
                        .file = &file,
                        .bytes = 600000,
                        .memory = &memory,
                        .base = data};

    collio_tiling_init(&file, 0, 8, &piece, 1);
    collio_tiling_init(&memory, 0, 12, &piece, 1);
    collio_access_run(&job);
    collio_tiling_fini(&file);
    collio_tiling_fini(&memory);
    close(access.fd);
    if (ENOSPC != job.outcome.error || 0 != job.outcome.bytes || 0 != job.outcome.stop_offset) {
        fprintf(stderr, "full: error %d bytes %lld\n", job.outcome.error,
                (long long) job.outcome.bytes);
        return 1;
    }
    return 0;
}

/* Each engine: more jobs than its queue takes, aligned for direct access; every byte, and the
 * counter of just this engine. Threads that end at once start the jobs: the kernel cancels what
 * io_uring has not begun for such a thread. */
enum {
    JOBS = 300, /* more than the queues of all engines have room for */
    JOBS_PER_THREAD = 20,
    JOB_BYTES = 1 << 15 /* more than io_uring transfers within the submission */
};

static void *start_jobs(void *arg)
{
    collio_job_t *jobs = arg;

    for (int i = 0; i < JOBS_PER_THREAD; ++i) {
        if (0 != collio_access_start(&jobs[i])) {
            die("access_start");
        }
    }
    return NULL;
}

static int run_jobs(collio_access_t *access, bool write, char *data)
{
    collio_job_t jobs[JOBS];
    collio_segment_t segments[JOBS];
    int failures = 0;

    memset(jobs, 0, sizeof(jobs));
    for (int i = 0; i < JOBS; ++i) {
        segments[i].offset = (int64_t) i * JOB_BYTES;
        segments[i].length = JOB_BYTES;
        segments[i].addr = data + (size_t) i * JOB_BYTES;
        jobs[i].access = access;
        jobs[i].write = write;
        jobs[i].segments = &segments[i];
        jobs[i].count = 1;
    }
    for (int i = 0; i < JOBS; i += JOBS_PER_THREAD) {
        pthread_t thread;

        if (0 != pthread_create(&thread, NULL, start_jobs, &jobs[i])
            || 0 != pthread_join(thread, NULL)) {
            die("pthread");
        }
    }
    for (int i = 0; i < JOBS; ++i) {
        collio_access_wait(&jobs[i]);
        failures += 0 != jobs[i].outcome.error || JOB_BYTES != jobs[i].outcome.bytes;
    }
    return failures;
}

static int check_engine(collio_engine_t engine)
{
    collio_access_stats_t stats = {0};
    collio_access_t access = {.can_read = true, .tuning = {.engine = engine}, .stats = &stats};
    const size_t bytes = (size_t) JOBS * JOB_BYTES;
    const char *name = collio_engine_name(engine);
    void *out, *in;
    const char *why;
    int failures;

    if (engine != collio_engine_choose(engine, &why)) {
        printf("skip engine_%s # %s\n", name, why);
        return 0;
    }
    access.fd = open_temporary();
    if (0 != posix_memalign(&out, 4096, bytes) || 0 != posix_memalign(&in, 4096, bytes)) {
        die("posix_memalign");
    }
    for (size_t i = 0; i < bytes; ++i) {
        ((char *) out)[i] = (char) next_random();
    }
    failures = run_jobs(&access, true, out);
    if (bytes != (size_t) pread(access.fd, in, bytes, 0) || 0 != memcmp(in, out, bytes)) {
        fprintf(stderr, "engine %s: wrong bytes in the file\n", name);
        failures += 1;
    }
    memset(in, 0, bytes);
    failures += run_jobs(&access, false, in) + (0 != memcmp(in, out, bytes));
    if (0 == failures && 0 == stats.submitted[engine]) {
        printf("skip engine_%s # %s has no direct access\n", name, directory);
    } else {
        printf("%sok engine_%s\n", 0 == failures ? "" : "not ", name);
    }
    close(access.fd);
    free(out);
    free(in);
    return failures;
}

static void *nothing(void *arg)
{
    return arg;
}

static int threads_alive(void)
{
    FILE *in = fopen("/proc/self/status", "r");
    char line[256];
    int count = -1;

    while (NULL != in && NULL != fgets(line, sizeof(line), in)) {
        if (1 == sscanf(line, "Threads: %d", &count)) {
            break;
        }
    }
    if (NULL != in) {
        fclose(in);
    }
    return count;
}

int main(int argc, char **argv)
{
    uint64_t seed = (uint64_t) getpid() * 7919 + 1;
    long rounds = 200;
    int failures = 0;
    int option, before;
    pthread_t thread;

    while (-1 != (option = getopt(argc, argv, "s:n:"))) {
        if ('s' == option) {
            seed = strtoull(optarg, NULL, 0);
        } else if ('n' == option) {
            rounds = strtol(optarg, NULL, 0);
        } else {
            return 2;
        }
    }
    if (optind + 1 != argc) {
        fprintf(stderr, "usage: access_check [-s seed] [-n rounds] DIRECTORY\n");
        return 2;
    }
    directory = argv[optind];
    /* a sanitizer's own thread comes with the first thread */
    pthread_create(&thread, NULL, nothing, NULL);
    pthread_join(thread, NULL);
    before = threads_alive();
    random_state = 0 == seed ? 1 : seed;
    printf("# seed %llu\n", (unsigned long long) seed);
    for (int i = 0; i < 7; ++i) {
        next_random();
    }
    failures += run_rounds(rounds);
    failures += check_interleaved(false);
    failures += check_interleaved(true);
    failures += check_full();
    for (int engine = COLLIO_ENGINE_THREADS; engine <= COLLIO_ENGINE_IO_URING; ++engine) {
        failures += check_engine(engine);
    }
    collio_access_finalize();
    for (int i = 0; i < 50 && before != threads_alive(); ++i) {
        usleep(100000); /* the kernel's own workers end a little later */
    }
    if (before != threads_alive()) {
        fprintf(stderr, "threads were left behind\n");
        failures += 1;
    }
    puts(0 == failures ? "all right" : "FAILED");
    return 0 == failures ? 0 : 1;
}
