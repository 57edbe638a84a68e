/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Which descriptors are simulated files, and for which client.
 *
 * A file is simulated when its resolved path is below LUSTRESIM_DIR. Data are real bytes of that
 * directory's own file system; only locks, layouts and ioctls come from us. Who counts as a client
 * (a Lustre mount) is LUSTRESIM_CLIENT: `rank` (the default: rank k of every run is the same
 * client), `two` (even and odd ranks are two clients), or a name.
 * A path below LUSTRESIM_MOUNT2 (a symbolic link to LUSTRESIM_DIR) is a second mount, and so
 * another client, in the same process.
 */

#include "sim_preload.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DESCRIPTORS = 65536 };

static pthread_mutex_t table_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t attach_once = PTHREAD_ONCE_INIT;
static sim_open_t *table[DESCRIPTORS];
static sim_space_t *the_space;
static char root[PATH_MAX];
static uint32_t mount_client[2];

static void name_client(char *name, size_t size)
{
    const char *kind = getenv("LUSTRESIM_CLIENT");
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    if (NULL == kind || 0 == strcmp(kind, "rank")) {
        snprintf(name, size, "rank-%.20s", NULL == rank ? "0" : rank);
    } else if (0 == strcmp(kind, "two")) {
        snprintf(name, size, "mount-%d", NULL == rank ? 0 : atoi(rank) % 2);
    } else {
        snprintf(name, size, "%s", kind);
    }
}

static void attach(void)
{
    const char *dir = getenv("LUSTRESIM_DIR");
    char name[56];
    char second[64];

    if (NULL == dir || NULL == realpath(dir, root)) {
        return;
    }
    the_space = sim_attach(root);
    if (NULL == the_space) {
        perror("lustresim: cannot map the control file");
        return;
    }
    name_client(name, sizeof(name));
    mount_client[0] = sim_client(the_space, name);
    if (NULL != getenv("LUSTRESIM_MOUNT2")) {
        snprintf(second, sizeof(second), "%s#2", name);
        mount_client[1] = sim_client(the_space, second);
    }
}

sim_space_t *sim_space(void)
{
    pthread_once(&attach_once, attach);
    return the_space;
}

void *sim_next(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (NULL == function) {
        fprintf(stderr, "lustresim: no %s in this C library\n", name);
        abort();
    }
    return function;
}

static bool below(const char *path, const char *dir)
{
    size_t length = strlen(dir);

    return 0 == strncmp(path, dir, length) && ('\0' == path[length] || '/' == path[length]);
}

bool sim_inside(const char *path)
{
    char resolved[PATH_MAX];

    return NULL != sim_space() && NULL != realpath(path, resolved) && below(resolved, root);
}

sim_open_t *sim_open_of(int fd)
{
    sim_open_t *open = NULL;

    if (NULL != sim_space() && 0 <= fd && fd < DESCRIPTORS) {
        pthread_mutex_lock(&table_mutex);
        open = table[fd];
        pthread_mutex_unlock(&table_mutex);
    }
    return open;
}

static bool simulated(int fd, struct stat *status)
{
    char link[64];
    char path[PATH_MAX];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof(path) - 1);
    if (0 > length) {
        return false;
    }
    path[length] = '\0';
    return below(path, root) && NULL == strstr(path, "/.lustresim")
           && 0 == syscall(SYS_fstat, fd, status) && S_ISREG(status->st_mode);
}

uint64_t sim_birth(int dir, const char *path)
{
    struct statx status;
    int flags = AT_SYMLINK_NOFOLLOW | ('\0' == *path ? AT_EMPTY_PATH : 0);

    if (0 != syscall(SYS_statx, dir, path, flags, STATX_BTIME, &status)
        || 0 == (status.stx_mask & STATX_BTIME)) {
        return 0;
    }
    return (uint64_t) status.stx_btime.tv_sec * UINT64_C(1000000000) + status.stx_btime.tv_nsec;
}

/* True if the client already has the file open for writing. Then a further open stays on the
 * client, and the servers do not give the file a layout. */
static bool open_for_writing(uint32_t client, uint32_t file)
{
    bool found = false;

    pthread_mutex_lock(&table_mutex);
    for (int fd = 0; fd < DESCRIPTORS && !found; ++fd) {
        found = NULL != table[fd] && table[fd]->write && client == table[fd]->client
                && file == table[fd]->file;
    }
    pthread_mutex_unlock(&table_mutex);
    return found;
}

void sim_opened(int fd, const char *path, int flags)
{
    const char *second = getenv("LUSTRESIM_MOUNT2");
    struct stat status;
    sim_open_t *open;
    sim_layout_t layout;

    if (0 > fd || DESCRIPTORS <= fd || NULL == sim_space() || !simulated(fd, &status)) {
        return;
    }
    open = calloc(1, sizeof(*open));
    if (NULL == open) {
        abort();
    }
    open->references = 1;
    open->append = 0 != (flags & O_APPEND);
    open->write = O_RDONLY != (flags & O_ACCMODE);
    open->client = mount_client[NULL != second && NULL != path && below(path, second) ? 1 : 0];
    open->evicted = the_space->evicted[open->client];
    open->file = sim_file(the_space, status.st_dev, status.st_ino, sim_birth(fd, ""));
    if ((O_NOCTTY | FASYNC) != (flags & (O_NOCTTY | FASYNC)) /* not O_LOV_DELAY_CREATE */
        && open->write && !open_for_writing(open->client, open->file)) {
        sim_file_layout(the_space, open->file, &layout);
    }
    pthread_mutex_lock(&table_mutex);
    table[fd] = open;
    pthread_mutex_unlock(&table_mutex);
}

void sim_duplicated(int from, int to)
{
    if (NULL == sim_space() || 0 > from || 0 > to || DESCRIPTORS <= from || DESCRIPTORS <= to) {
        return;
    }
    pthread_mutex_lock(&table_mutex);
    table[to] = table[from];
    if (NULL != table[to]) {
        ++table[to]->references;
    }
    pthread_mutex_unlock(&table_mutex);
}

void sim_closed(int fd)
{
    sim_open_t *open = NULL;

    if (NULL == sim_space() || 0 > fd || DESCRIPTORS <= fd) {
        return;
    }
    pthread_mutex_lock(&table_mutex);
    if (NULL != table[fd] && 0 == --table[fd]->references) {
        open = table[fd];
    }
    table[fd] = NULL;
    pthread_mutex_unlock(&table_mutex);
    if (NULL != open) {
        sim_group_unlock(open);
        free(open->dirty);
        free(open);
    }
}
