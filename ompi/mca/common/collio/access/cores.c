/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the cores on which the threads of this process run. See pool.h.
 *
 * The launcher, mpirun or its daemon on this node, runs on the cores of the job: it has the mask of
 * the batch system, of a cgroup or of taskset, and binds only its children. The children are the
 * ranks of the node, or shells that started them. All of it is read from /proc once, so it needs no
 * message and works for every release and launcher. The kernel limits each mask to the cgroup's
 * CPUs.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/pool.h"

enum { ANCESTORS_MAX = 16, PATH_BYTES = 64 };

/* False: no such process, or the kernel has more CPUs than a set. */
static bool cores_of(pid_t pid, collio_cores_t *cores)
{
    memset(cores, 0, sizeof(*cores));
    return 0 == sched_getaffinity(pid, sizeof(*cores), (cpu_set_t *) cores);
}

/* Returns the parent of a process, or 0. The name in /proc/PID/stat may have any character. */
static pid_t parent_of(pid_t pid)
{
    char path[PATH_BYTES], text[512], *at;
    size_t n;
    FILE *file;
    int parent = 0;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int) pid);
    file = fopen(path, "re");
    if (NULL == file) {
        return 0;
    }
    n = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[n] = '\0';
    at = strrchr(text, ')');
    return NULL != at && 1 == sscanf(at + 1, " %*c %d", &parent) ? parent : 0;
}

/* True if the launcher has started the process as a rank, or started a shell that became one. */
static bool is_of_a_rank(pid_t pid)
{
    static const char name[] = "OMPI_COMM_WORLD_RANK=";
    char path[PATH_BYTES], *entry = NULL;
    size_t room = 0;
    bool found = false;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/environ", (int) pid);
    file = fopen(path, "re");
    if (NULL == file) {
        return false;
    }
    while (!found && 0 < getdelim(&entry, &room, '\0', file)) {
        found = 0 == strncmp(name, entry, sizeof(name) - 1);
    }
    free(entry);
    fclose(file);
    return found;
}

/* Returns the launcher, or 0. *child: the child of the launcher that leads to this process. */
static pid_t find_launcher(pid_t *child)
{
    pid_t pid = getppid();

    *child = getpid();
    for (int i = 0; i < ANCESTORS_MAX && 0 < pid && is_of_a_rank(pid); ++i) {
        *child = pid;
        pid = parent_of(pid);
    }
    return pid;
}

/* The sets of the other ranks of the node. */
typedef struct others_t {
    collio_cores_t *cores; /* set of each process */
    size_t count;          /* number of processes */
} others_t;

static bool add_child(others_t *others, pid_t pid)
{
    collio_cores_t *larger = realloc(others->cores, (others->count + 1) * sizeof(*larger));

    if (NULL == larger) {
        return false;
    }
    others->cores = larger;
    if (cores_of(pid, &larger[others->count])) {
        others->count += 1;
    }
    return true;
}

/* Adds the children of one thread of the launcher, except `child`. False: they are not known. */
static bool add_children(others_t *others, pid_t launcher, const char *thread, pid_t child)
{
    char path[PATH_BYTES];
    bool known = true;
    FILE *file;
    int pid;

    if (sizeof(path) <= (size_t) snprintf(path, sizeof(path), "/proc/%d/task/%s/children",
                                          (int) launcher, thread)) {
        return false;
    }
    file = fopen(path, "re");
    if (NULL == file) {
        return false;
    }
    while (known && 1 == fscanf(file, "%d", &pid)) {
        known = child == pid || add_child(others, pid);
    }
    fclose(file);
    return known;
}

/* False: the other ranks of the node are not known. */
static bool find_others(others_t *others, pid_t launcher, pid_t child)
{
    char path[PATH_BYTES];
    const struct dirent *entry;
    bool known = true;
    DIR *dir;

    snprintf(path, sizeof(path), "/proc/%d/task", (int) launcher);
    dir = opendir(path);
    if (NULL == dir) {
        return false;
    }
    while (known && NULL != (entry = readdir(dir))) {
        known = '.' == entry->d_name[0] || add_children(others, launcher, entry->d_name, child);
    }
    closedir(dir);
    return known;
}

void collio_cores_find(collio_cores_t *cores, bool inherit)
{
    collio_cores_t job;
    others_t others = {0};
    pid_t launcher, child;

    if (!cores_of(getpid(), cores) || inherit) {
        return;
    }
    launcher = find_launcher(&child);
    if (0 < launcher && cores_of(launcher, &job) && find_others(&others, launcher, child)) {
        collio_cores_extend(cores, &job, others.cores, others.count);
    }
    free(others.cores);
}
