/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shared memory and the processes of a node (node/shm, node/process), without MPI: forked
 * processes stand for the ranks. What is under a segment's name, but is not that segment, must be
 * refused; signals must not keep memory from being allocated; a process that ended must be noticed,
 * and no other.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE /* F_OFD_SETLK */
#endif
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "node/process.h"
#include "node/shm.h"

enum { BYTES = 100000 };

static int failures, failed_tests;

static void expect(int fact, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void expect(int fact, const char *format, ...)
{
    va_list arguments;

    if (!fact) {
        va_start(arguments, format);
        printf("# ");
        vprintf(format, arguments);
        printf("\n");
        va_end(arguments);
        failures++;
    }
}

static void verdict(const char *name)
{
    printf("%s %s\n", 0 == failures ? "ok" : "not ok", name);
    fflush(stdout);
    failed_tests += 0 != failures;
    failures = 0;
}

static int name_exists(const char *name)
{
    char path[128];

    snprintf(path, sizeof(path), "/dev/shm%s", name);
    return 0 == access(path, F_OK);
}

/* Runs a function in a child: its exit code, or 256 + the signal that ended it. */
static int in_child(int (*function)(const int64_t *key), const int64_t *key)
{
    pid_t child = fork();
    int status = 0;

    if (0 == child) {
        alarm(20);
        _exit(function(key));
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 256 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Attaches, and touches every byte. */
static int attach_and_touch(const int64_t *key)
{
    collio_shm_t segment = {0};
    int rc = collio_shm_attach(&segment, BYTES, key);

    if (0 == rc) {
        memset(segment.at, 7, BYTES);
        collio_shm_fini(&segment);
    }
    return rc;
}

static void shared_by_all(void)
{
    collio_shm_t segment;
    int64_t key[COLLIO_SHM_KEY];
    const unsigned char *at;
    int rc = collio_shm_make(&segment, BYTES, key);

    expect(0 == rc, "make: %s", strerror(rc));
    expect(name_exists(segment.name), "the name does not exist");
    rc = in_child(attach_and_touch, key);
    expect(0 == rc, "attach: %d", rc);
    at = segment.at;
    expect(7 == at[0] && 7 == at[BYTES - 1], "the other process's bytes are not here");
    collio_shm_unlink(&segment);
    expect(!name_exists(segment.name), "the name is still there");
    rc = in_child(attach_and_touch, key);
    expect(ENOENT == rc, "attached without a name: %d", rc);
    collio_shm_fini(&segment);
    verdict("a segment is shared, and leaves no name behind");
}

static void names_are_random(void)
{
    collio_shm_t a, b;
    int64_t key[COLLIO_SHM_KEY], other[COLLIO_SHM_KEY];
    char pid[32];

    expect(0 == collio_shm_make(&a, BYTES, key), "make");
    expect(0 == collio_shm_make(&b, BYTES, other), "make");
    snprintf(pid, sizeof(pid), "-%ld-", (long) getpid());
    expect(0 != strcmp(a.name, b.name) && key[0] > 0 && key[1] > 0 && key[1] != other[1],
           "two segments have the same key");
    expect(NULL == strstr(a.name, pid), "the name %s holds the process number", a.name);
    collio_shm_fini(&a);
    collio_shm_fini(&b);
    verdict("names and keys are random");
}

/* An object that has the name of the key, but is not the segment. */
static void plant(const char *name, off_t bytes, mode_t mode)
{
    int fd = shm_open(name, O_CREAT | O_EXCL | O_RDWR, 0600);

    expect(fd >= 0 && 0 == ftruncate(fd, bytes) && 0 == fchmod(fd, mode), "plant %s", name);
    if (fd >= 0) {
        close(fd);
    }
}

/* The size that a segment of BYTES has in /dev/shm. */
static off_t whole_size(const char *name)
{
    char path[128];
    struct stat is = {0};

    snprintf(path, sizeof(path), "/dev/shm%s", name);
    expect(0 == stat(path, &is), "stat %s", path);
    return is.st_size;
}

static void others_are_refused(void)
{
    static const struct {
        const char *what;
        int of_size; /* 0: nothing in it, 1: half, 2: as large as the segment, 3: larger */
        mode_t mode;
        uid_t owner;
    } planted[] = {
        {"empty", 0, 0600, 0},  {"smaller", 1, 0600, 0},     {"of the same size", 2, 0600, 0},
        {"larger", 3, 0600, 0}, {"open to all", 2, 0666, 0}, {"of another owner", 2, 0600, 1},
    };

    for (size_t i = 0; i < sizeof(planted) / sizeof(planted[0]); i++) {
        collio_shm_t segment;
        char path[128];
        int64_t key[COLLIO_SHM_KEY];
        off_t whole;
        int rc;

        if (0 != planted[i].owner && 0 != geteuid()) {
            printf("skip a leftover %s is refused # needs root\n", planted[i].what);
            continue;
        }
        expect(0 == collio_shm_make(&segment, BYTES, key), "make");
        whole = whole_size(segment.name);
        collio_shm_unlink(&segment);
        plant(segment.name, whole * planted[i].of_size / 2, planted[i].mode);
        snprintf(path, sizeof(path), "/dev/shm%s", segment.name);
        if (0 != planted[i].owner) {
            expect(0 == chown(path, planted[i].owner, planted[i].owner), "chown");
        }
        rc = in_child(attach_and_touch, key);
        expect(ESTALE == rc, "a leftover %s: %d instead of ESTALE (256 + n: signal n)",
               planted[i].what, rc);
        shm_unlink(segment.name);
        collio_shm_fini(&segment);
    }
    verdict("leftovers under the same name are refused: smaller, larger, other owner, other key");
}

static void links_are_refused(void)
{
    collio_shm_t segment, victim;
    char path[128], target[128];
    int64_t key[COLLIO_SHM_KEY], other[COLLIO_SHM_KEY];
    int rc;

    expect(0 == collio_shm_make(&segment, BYTES, key), "make");
    expect(0 == collio_shm_make(&victim, BYTES, other), "make");
    collio_shm_unlink(&segment);
    snprintf(path, sizeof(path), "/dev/shm%s", segment.name);
    snprintf(target, sizeof(target), "/dev/shm%s", victim.name);
    expect(0 == symlink(target, path), "symlink");
    rc = in_child(attach_and_touch, key);
    expect(ELOOP == rc, "a symbolic link was followed: %d", rc);
    unlink(path);
    collio_shm_fini(&segment);
    collio_shm_fini(&victim);
    verdict("symbolic links are refused");
}

static void age(const char *name, time_t seconds)
{
    struct timespec times[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    char path[128];

    snprintf(path, sizeof(path), "/dev/shm%s", name);
    expect(0 == utimensat(AT_FDCWD, path, times, 0), "utimensat %s", path);
}

/* Makes a segment, and dies with its name. */
static int die(const int64_t *key)
{
    static collio_shm_t segment;

    if (0 == collio_shm_make(&segment, BYTES, (int64_t *) key)) {
        age(segment.name, 1000);
        raise(SIGKILL);
    }
    return 1;
}

/* What a killed process has left goes away with the first segment of a process; what is new, in use
 * or not ours stays. Runs before this process makes another segment. */
static void orphans_are_removed(void)
{
    enum { NEW, LOCKED, OPEN, LONG, OTHER, STAY };
    static const char *const stay[STAY] = {"/collio-0123456789abcdef", "/collio-1123456789abcdef",
                                           "/collio-2123456789abcdef", "/collio-0123456789abcdef0",
                                           "/collio-mine"};
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    collio_shm_t segment;
    int64_t *key = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char dead[64];
    int locked;

    expect(256 + SIGKILL == in_child(die, key), "the child is not dead");
    snprintf(dead, sizeof(dead), "/collio-%016llx", (long long) key[0]);
    expect(name_exists(dead), "the dead process left no name");
    for (int i = 0; i < STAY; i++) {
        plant(stay[i], 100, OPEN == i ? 0644 : 0600);
        age(stay[i], NEW == i ? 0 : 1000);
    }
    locked = shm_open(stay[LOCKED], O_RDWR, 0600);
    expect(0 == fcntl(locked, F_OFD_SETLK, &whole), "lock");
    expect(0 == collio_shm_make(&segment, BYTES, key), "make");
    expect(0 != fcntl(segment.holder - 1, F_SETLK, &whole), "a segment is not locked");
    expect(!name_exists(dead), "the name of a dead process stays");
    for (int i = 0; i < STAY; i++) {
        expect(name_exists(stay[i]), "%s was removed", stay[i]);
        shm_unlink(stay[i]);
    }
    shm_unlink(dead);
    close(locked);
    collio_shm_fini(&segment);
    munmap(key, 4096);
    verdict("what a killed process has left is removed");
}

/* In place of the C library's: with a timer signal every few milliseconds, a kernel that gives up
 * an interrupted allocation as a whole never ends a large one, and interrupts small ones now and
 * then. (Some kernels do not let signals interrupt it at all.) */
static int interrupting, interruptions;

int posix_fallocate(int fd, off_t at, off_t bytes)
{
    if (interrupting && (bytes > 8 << 20 || 0 != ++interruptions % 3)) {
        return EINTR;
    }
    return 0 == fallocate(fd, 0, at, bytes) ? 0 : errno;
}

static void signals_do_no_harm(void)
{
    collio_shm_t segment;
    int64_t key[COLLIO_SHM_KEY];
    int rc;

    alarm(60); /* for ever, otherwise */
    interrupting = 1;
    rc = collio_shm_make(&segment, (size_t) 64 << 20, key);
    interrupting = 0;
    alarm(0);
    expect(0 == rc && interruptions > 0, "interrupted %d times: %s", interruptions, strerror(rc));
    if (0 == rc) {
        collio_shm_fini(&segment);
    }
    verdict("signals do not keep a segment from being made");
}

static void *outlive_main(void *pipe_end)
{
    char c;

    (void) !read(*(int *) pipe_end, &c, 1);
    _exit(0);
}

/* A child that tells who it is and waits until the pipe is closed; with `thread`, in a second
 * thread, when the first one has ended. */
static pid_t start_child(collio_process_t *process, int *hold, int thread)
{
    int tell[2], wait[2];
    pid_t child;

    if (0 != pipe(tell) || 0 != pipe(wait)) {
        return -1;
    }
    child = fork();
    if (0 == child) {
        collio_process_t self = collio_process_self();
        static int end;
        pthread_t other;

        close(wait[1]);
        end = wait[0];
        (void) !write(tell[1], &self, sizeof(self));
        if (thread && 0 == pthread_create(&other, NULL, outlive_main, &end)) {
            pthread_exit(NULL);
        }
        outlive_main(&end);
    }
    close(wait[0]);
    close(tell[1]);
    (void) !read(tell[0], process, sizeof(*process));
    close(tell[0]);
    *hold = wait[1];
    return child;
}

static void ends_are_noticed(void)
{
    collio_process_t self = collio_process_self(), process = {0}, other;
    int hold = -1;
    pid_t child = start_child(&process, &hold, 0);

    expect(child == process.pid, "the child says it is %lld", (long long) process.pid);
    expect(!collio_process_ended(&process, &self), "a living process is said to have ended");
    other = process;
    other.start -= 1;
    expect(collio_process_ended(&other, &self), "a reused number is not noticed");
    other = process;
    other.space += 1;
    kill(child, SIGKILL);
    siginfo_t information;
    waitid(P_PID, (id_t) child, &information, WEXITED | WNOWAIT);
    expect(collio_process_ended(&process, &self), "a zombie is not noticed");
    waitpid(child, NULL, 0);
    expect(collio_process_ended(&process, &self), "an end is not noticed");
    expect(!collio_process_ended(&other, &self),
           "a process of another namespace is said to have ended");
    close(hold);
    verdict("a process that ended is noticed, also as a zombie and by a reused number");
}

static void threads_live_on(void)
{
    collio_process_t self = collio_process_self(), process = {0};
    int hold = -1;
    pid_t child = start_child(&process, &hold, 1);

    for (int i = 0; i < 20; i++) {
        usleep(10000);
        expect(!collio_process_ended(&process, &self),
               "a process without its first thread is said to have ended");
    }
    close(hold);
    waitpid(child, NULL, 0);
    expect(collio_process_ended(&process, &self), "its end is not noticed");
    verdict("a process lives as long as one of its threads");
}

int main(void)
{
    orphans_are_removed();
    shared_by_all();
    names_are_random();
    others_are_refused();
    links_are_refused();
    signals_do_no_harm();
    ends_are_noticed();
    threads_live_on();
    return 0 == failed_tests ? 0 : 1;
}
