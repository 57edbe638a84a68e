/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The descriptor table: which file, if any, is behind a descriptor. */
#include "record/record.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_FDS  65536
#define UNKNOWN  0
#define NOT_FILE (-1)

static int entries[MAX_FDS]; /* UNKNOWN, NOT_FILE, or index of the description + 1 */
static struct ioprof_fd *descriptions;
static uint32_t next_free;

void ioprof_fds_init(void)
{
    void *memory = mmap(NULL, MAX_FDS * sizeof(*descriptions), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (MAP_FAILED != memory) {
        descriptions = memory;
    }
}

static struct ioprof_fd *new_description(int *index)
{
    for (int tries = 0; NULL != descriptions && tries < MAX_FDS; tries++) {
        uint32_t at = __atomic_fetch_add(&next_free, 1, __ATOMIC_RELAXED) % MAX_FDS;
        int none = 0;

        if (__atomic_compare_exchange_n(&descriptions[at].refs, &none, 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            *index = (int) at;
            return &descriptions[at];
        }
    }
    IOPROF_ADD(ioprof_me.fds_dropped, 1);
    return NULL;
}

static void drop(int entry)
{
    if (entry > 0) {
        __atomic_sub_fetch(&descriptions[entry - 1].refs, 1, __ATOMIC_ACQ_REL);
    }
}

static void set_entry(int fd, int entry)
{
    drop(__atomic_exchange_n(&entries[fd], entry, __ATOMIC_ACQ_REL));
}

/** Neither fstat() nor lseek() of this library: they would count. */
static bool is_regular(int fd, uint64_t *block, uint64_t *device)
{
    struct stat st;

    if (0 != syscall(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) || !S_ISREG(st.st_mode)) {
        return false;
    }
    *block = (uint64_t) st.st_blksize;
    *device = (uint64_t) st.st_dev;
    return true;
}

static bool path_of(int fd, char *path, size_t bytes)
{
    char link[40];
    ssize_t length;

    snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    length = readlink(link, path, bytes - 1);
    path[length < 0 ? 0 : length] = '\0';
    return length > 0;
}

/** Finds out what a descriptor is; `opened`: a wrapper of an open function just made it. */
static struct ioprof_fd *classify(int fd, int flags, bool opened)
{
    char path[4096 + 16];
    struct ioprof_fd *description;
    uint64_t block = 0, device = 0;
    int index = 0;

    /* Shared memory segments of MPI libraries come from shm_open, which no wrapper sees. */
    if (!is_regular(fd, &block, &device) || !path_of(fd, path, sizeof(path)) || '/' != path[0]
        || ioprof_path_excluded(path) || (!opened && 0 == strncmp(path, "/dev/shm/", 9))
        || NULL == (description = new_description(&index))) {
        set_entry(fd, NOT_FILE);
        return NULL;
    }
    description->file = ioprof_file_get(path);
    description->mpi = ioprof_thread.in_mpi_file > 0;
    description->append = 0 != (flags & O_APPEND);
    description->position = opened ? 0 : syscall(SYS_lseek, fd, 0, SEEK_CUR);
    if (description->file >= 0) {
        struct ioprof_file *file = ioprof_file_record(description->file);

        file->block = block;
        ioprof_layout_read(fd, file, device);
        IOPROF_ADD(file->append, opened && description->append);
    }
    set_entry(fd, index + 1);
    return description;
}

struct ioprof_fd *ioprof_fd_get(int fd)
{
    int entry, saved = errno;
    struct ioprof_fd *description;

    if (fd < 0 || !ioprof_active) {
        return NULL;
    }
    if (fd >= MAX_FDS) {
        IOPROF_ADD(ioprof_me.fds_dropped, 1);
        return NULL;
    }
    entry = __atomic_load_n(&entries[fd], __ATOMIC_ACQUIRE);
    if (UNKNOWN != entry) {
        if (NOT_FILE == entry) {
            return NULL;
        }
        return &descriptions[entry - 1];
    }
    if (ioprof_thread.in_library > 0) {
        return NULL; /* the library's own */
    }
    description = classify(fd, (int) syscall(SYS_fcntl, fd, F_GETFL), false);
    errno = saved;
    return description;
}

struct ioprof_fd *ioprof_fd_opened(int fd, int flags)
{
    int saved = errno;
    struct ioprof_fd *description = NULL;

    if (fd >= 0 && fd < MAX_FDS && ioprof_active) {
        if (ioprof_thread.in_library > 0 && 0 == ioprof_thread.in_mpi_file) {
            set_entry(fd, NOT_FILE);
        } else {
            description = classify(fd, flags, true);
        }
    }
    errno = saved;
    return description;
}

void ioprof_fd_dup(int from, int to)
{
    int entry;

    if (from < 0 || from >= MAX_FDS || to < 0 || to >= MAX_FDS || from == to || !ioprof_active) {
        return;
    }
    entry = __atomic_load_n(&entries[from], __ATOMIC_ACQUIRE);
    if (entry > 0) {
        __atomic_add_fetch(&descriptions[entry - 1].refs, 1, __ATOMIC_ACQ_REL);
    }
    set_entry(to, entry);
}

void ioprof_fd_closing(int fd)
{
    struct ioprof_fd *description = ioprof_fd_get(fd);
    struct ioprof_file *file = NULL == description ? NULL : ioprof_file_record(description->file);
    int saved = errno;

    if (NULL != file && NULL != file->fs && 0 == file->stripes) {
        ioprof_layout_read(fd, file, 0);
    }
    errno = saved;
}

void ioprof_fd_closed(int fd)
{
    if (fd >= 0 && fd < MAX_FDS && ioprof_active) {
        set_entry(fd, UNKNOWN);
    }
}
