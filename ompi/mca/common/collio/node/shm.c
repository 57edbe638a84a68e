/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Shared memory under names that cannot be guessed. See shm.h.
 *
 *   payload ... | seal: key[1]     (after the payload, so that the payload stays aligned)
 *
 * Uses shm_open and not memfd_create: other processes can open a memfd by /proc/PID/fd only, which
 * fails between containers that share /dev/shm but not the process numbers.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include "node/shm.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    NAME_BYTES = sizeof("collio-0123456789abcdef") - 1,
    ALIGNMENT = 64,       /* alignment of the seal, in bytes */
    STEP_BYTES = 1 << 20, /* bytes of one allocation */
    NEW_SECONDS = 60      /* age below which an object may not have its lock yet */
};

static size_t seal_offset(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t mapped_bytes(size_t bytes)
{
    return seal_offset(bytes) + sizeof(int64_t);
}

static int64_t *seal_of(const collio_shm_t *segment)
{
    return (void *) ((char *) segment->at + seal_offset(segment->bytes));
}

/* Draws two positive random numbers. Returns 0 or an errno. */
static int draw_key(int64_t key[2])
{
    uint64_t random[2];

    if (sizeof(random) != getrandom(random, sizeof(random), 0)) { /* never short: getrandom(2) */
        return errno;
    }
    key[0] = (int64_t) (random[0] >> 1) | 1;
    key[1] = (int64_t) (random[1] >> 1) | 1;
    return 0;
}

static void set_name(collio_shm_t *segment, const int64_t key[2])
{
    snprintf(segment->name, sizeof(segment->name), "/collio-%016llx", (long long) key[0]);
}

/* Allocates in steps: tmpfs undoes the whole allocation when a signal interrupts it, so a large one
 * would never end under a timer signal every few milliseconds. */
static int shm_allocate(int fd, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        size_t step = bytes - at < STEP_BYTES ? bytes - at : STEP_BYTES;
        int rc = posix_fallocate(fd, (off_t) at, (off_t) step);

        if (0 != rc && EINTR != rc) {
            return rc;
        }
        if (0 == rc) {
            at += step;
        }
    }
    return 0;
}

static int shm_map(collio_shm_t *segment, int fd)
{
    size_t bytes = mapped_bytes(segment->bytes);
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (MAP_FAILED == at) {
        return errno;
    }
#ifdef MADV_POPULATE_READ
    /* Maps all pages by one call instead of a fault per page; if the call fails, faults map them.
     * The pages exist. POPULATE_READ costs a third of POPULATE_WRITE, because the kernel maps
     * several pages at a time, and it suffices: tmpfs does not track dirty pages, so pages mapped
     * for reading are also writable. */
    (void) madvise(at, bytes, MADV_POPULATE_READ);
#endif
    segment->at = at;
    return 0;
}

static bool (*relieve)(void);

void collio_shm_set_relief(bool (*relief)(void))
{
    relieve = relief;
}

bool collio_shm_relieve(void)
{
    return NULL != relieve && relieve();
}

/* Locks an object for its creator's lifetime. False: another process has the lock. */
static bool shm_lock(int fd)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    return 0 == fcntl(fd, F_OFD_SETLK, &whole);
}

/* Removes an object if its creator has died before it could. */
static void remove_orphan(const char *file)
{
    char name[sizeof(((collio_shm_t *) NULL)->name)];
    struct stat is;
    int fd;

    if (sizeof(name) <= (size_t) snprintf(name, sizeof(name), "/%s", file)) {
        return;
    }
    fd = shm_open(name, O_RDWR, 0600);
    if (fd < 0) {
        return;
    }
    if (0 == fstat(fd, &is) && S_ISREG(is.st_mode) && geteuid() == is.st_uid
        && 0600 == (is.st_mode & 07777) && is.st_mtime + NEW_SECONDS < time(NULL) && shm_lock(fd)) {
        (void) shm_unlink(name);
    }
    close(fd);
}

/* Removes what killed jobs have left; once per process. */
static void remove_orphans(void)
{
    static atomic_flag done = ATOMIC_FLAG_INIT;
    const struct dirent *entry;
    DIR *directory = atomic_flag_test_and_set(&done) ? NULL : opendir("/dev/shm");

    if (NULL == directory) {
        return;
    }
    while (NULL != (entry = readdir(directory))) {
        if (0 == strncmp(entry->d_name, "collio-", 7) && NAME_BYTES == strlen(entry->d_name)) {
            remove_orphan(entry->d_name);
        }
    }
    closedir(directory);
}

static int make(collio_shm_t *segment, size_t bytes, int64_t key[2])
{
    int fd, rc = draw_key(key);

    memset(segment, 0, sizeof(*segment));
    if (0 != rc) {
        return rc;
    }
    segment->bytes = bytes;
    set_name(segment, key);
    fd = shm_open(segment->name, O_CREAT | O_EXCL | O_RDWR, 0600); /* sets O_CLOEXEC */
    if (fd < 0) {
        return errno;
    }
    segment->holder = 1 + fd;
    (void) shm_lock(fd);
    rc = 0 == fchmod(fd, 0600) ? 0 : errno; /* the umask may have removed bits of the mode */
    if (0 == rc) {
        rc = shm_allocate(fd, mapped_bytes(bytes));
    }
    if (0 == rc) {
        rc = shm_map(segment, fd);
    }
    if (0 != rc) {
        collio_shm_fini(segment);
        return rc;
    }
    *seal_of(segment) = key[1];
    return 0;
}

int collio_shm_make(collio_shm_t *segment, size_t bytes, int64_t key[COLLIO_SHM_KEY])
{
    int rc;

    remove_orphans();
    rc = make(segment, bytes, key);
    if ((ENOSPC == rc || ENOMEM == rc) && collio_shm_relieve()) {
        rc = make(segment, bytes, key);
    }
    key[2] = rc;
    return rc;
}

const char *collio_shm_advice(int error)
{
    switch (error) {
    case EFBIG:
        return "raise the limit of file sizes (ulimit -f) or reduce cb_buffer_size";
    case EMFILE:
        return "raise the limit of open files (ulimit -n)";
    case ENOMEM:
        return "raise the limit of address space (ulimit -v) or memory or reduce cb_buffer_size";
    case ENOENT:
    case ESTALE:
        return "give all ranks of the node the same /dev/shm";
    default:
        return "enlarge /dev/shm or reduce cb_buffer_size";
    }
}

static int check_object(int fd, size_t bytes)
{
    struct stat is;

    if (0 != fstat(fd, &is)) {
        return errno;
    }
    return S_ISREG(is.st_mode) && geteuid() == is.st_uid && 0600 == (is.st_mode & 07777)
                   && (off_t) mapped_bytes(bytes) == is.st_size
               ? 0
               : ESTALE;
}

int collio_shm_attach(collio_shm_t *segment, size_t bytes, const int64_t key[COLLIO_SHM_KEY])
{
    int fd, rc;

    if (NULL != segment->at || 0 != key[2]) {
        return NULL != segment->at ? 0 : (int) key[2];
    }
    memset(segment, 0, sizeof(*segment));
    segment->bytes = bytes;
    set_name(segment, key);
    fd = shm_open(segment->name, O_RDWR, 0600); /* sets O_NOFOLLOW */
    if (fd < 0) {
        return errno;
    }
    rc = check_object(fd, bytes);
    if (0 == rc) {
        rc = shm_map(segment, fd);
    }
    close(fd);
    if (0 == rc && key[1] != *seal_of(segment)) {
        collio_shm_fini(segment);
        rc = ESTALE;
    }
    return rc;
}

void collio_shm_unlink(collio_shm_t *segment)
{
    if (0 != segment->holder) {
        (void) shm_unlink(segment->name);
        close(segment->holder - 1);
        segment->holder = 0;
    }
}

void collio_shm_fini(collio_shm_t *segment)
{
    collio_shm_unlink(segment);
    if (NULL != segment->at) {
        munmap(segment->at, mapped_bytes(segment->bytes));
        segment->at = NULL;
    }
}

void collio_shm_discard(collio_shm_t *segment)
{
    if (NULL != segment->at) {
        (void) madvise(segment->at, mapped_bytes(segment->bytes), MADV_REMOVE);
    }
    collio_shm_fini(segment);
}
