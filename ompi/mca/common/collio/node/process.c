/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Liveness of processes by kill(pid, 0) and /proc/PID/stat. See process.h. A pidfd per peer would
 * give the same result but needs ranks * ranks descriptors on a node.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "node/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct facts_t {
    int64_t pid;     /* number of the process in the namespace for which /proc was mounted */
    char state;      /* letter of the process state; Z: zombie, X: dead */
    int64_t threads; /* number of threads */
    int64_t start;   /* start time, in clock ticks since boot */
} facts_t;

/* Reads /proc/PID/stat: "pid (name) state ppid ...". The name may contain any character, so fields
 * are counted from the last parenthesis. Returns 0 or an errno. */
static int read_facts(const char *path, facts_t *facts)
{
    enum { THREADS = 17, START = 19 }; /* fields after the state */
    char text[1024], *at, *save = NULL;
    ssize_t n;
    int fd;

    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return errno;
    }
    n = read(fd, text, sizeof(text) - 1);
    if (n <= 0) {
        int rc = n < 0 ? errno : EIO;

        close(fd);
        return rc;
    }
    close(fd);
    text[n] = '\0';
    at = strrchr(text, ')');
    if (NULL == at || ' ' != at[1] || '\0' == at[2]) {
        return EIO;
    }
    facts->pid = strtoll(text, NULL, 10);
    facts->state = at[2];
    at = strtok_r(at + 3, " ", &save);
    for (int field = 1; NULL != at; ++field, at = strtok_r(NULL, " ", &save)) {
        if (THREADS == field) {
            facts->threads = strtoll(at, NULL, 10);
        } else if (START == field) {
            facts->start = strtoll(at, NULL, 10);
            return 0;
        }
    }
    return EIO;
}

collio_process_t collio_process_self(void)
{
    collio_process_t self = {.pid = getpid()};
    struct stat space, clock;
    facts_t facts = {0};

    if (0 == stat("/proc/self/ns/pid", &space)) {
        self.space = (int64_t) space.st_ino;
        /* a time namespace shifts the start times that its processes read */
        if (0 == stat("/proc/self/ns/time", &clock)) {
            self.space ^= (int64_t) ((uint64_t) clock.st_ino << 32);
        }
    }
    /* the numbers differ if /proc was mounted for another namespace */
    if (0 == read_facts("/proc/self/stat", &facts) && facts.pid == self.pid) {
        self.start = facts.start;
    }
    return self;
}

bool collio_process_ended(const collio_process_t *process, const collio_process_t *self)
{
    facts_t facts = {0};
    char path[40];

    if (0 == self->space || process->space != self->space || process->pid <= 0) {
        return false;
    }
    if (0 != kill((pid_t) process->pid, 0) && ESRCH == errno) {
        return true;
    }
    if (0 == self->start || 0 == process->start) {
        return false;
    }
    snprintf(path, sizeof(path), "/proc/%lld/stat", (long long) process->pid);
    if (0
        != read_facts(
            path, &facts)) { /* not readable, or just ended: then kill fails in the next check */
        return false;
    }
    if (process->start != facts.start) {
        return true; /* another process has reused the number */
    }
    /* the main thread may be a zombie while other threads still run */
    return ('Z' == facts.state || 'X' == facts.state) && facts.threads <= 1;
}
