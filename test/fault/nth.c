/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A preload that makes the call with a given number fail: an allocation, a mapping, a segment of
 * shared memory, a thread. Only calls by code of our components count; nobody else's are touched.
 * t_nth says which (nth_begin) and learns whether it came to that (nth_end).
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

EXPORT void nth_begin(const char *kind, long number);
EXPORT int nth_end(void);

enum { MEMORY = 1, MAP = 2, SHM = 4, FALLOCATE = 8, THREAD = 16, OPEN = 32, MODULES = 8 };

static const struct kind {
    const char *name;
    int bits;
} kinds[] = {{"memory", MEMORY},       {"map", MAP},       {"shm", SHM},
             {"fallocate", FALLOCATE}, {"thread", THREAD}, {"open", OPEN}};

static struct {
    uintptr_t start, end;
} code[MODULES]; /* of our components */
static int modules;
static atomic_int wanted; /* kinds that count */
static atomic_long left;  /* calls until the one that fails */
static atomic_int failed;

static int find_modules(struct dl_phdr_info *info, size_t size, void *data)
{
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = NULL == slash ? info->dlpi_name : slash + 1;

    (void) size;
    (void) data;
    if (NULL == strstr(name, "mca_common_collio") && NULL == strstr(name, "mca_fcoll_overlap")
        && NULL == strstr(name, "mca_fcoll_tam") && NULL == strstr(name, "mca_fbtl_mtpwrite")
        && NULL == strstr(name, "mca_fs_lustre_lla") && NULL == strstr(name, "mca_fs_beegfs")
        && NULL == strstr(name, "mca_sharedfp_ondemand")) {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum && modules < MODULES; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (PT_LOAD == part->p_type && 0 != (part->p_flags & PF_X)) {
            code[modules].start = info->dlpi_addr + part->p_vaddr;
            code[modules++].end = info->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return 0;
}

void nth_begin(const char *kind, long number)
{
    int bits = 0;

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        bits |= 0 == strcmp(kinds[i].name, kind) ? kinds[i].bits : 0;
    }
    modules = 0;
    dl_iterate_phdr(find_modules, NULL);
    failed = 0;
    left = number;
    wanted = bits;
}

int nth_end(void)
{
    wanted = 0;
    return failed;
}

static int refused(int kind, const void *caller)
{
    uintptr_t from = (uintptr_t) caller;

    for (int i = 0; 0 != (kind & wanted) && i < modules; i++) {
        if (from >= code[i].start && from < code[i].end && 1 == atomic_fetch_sub(&left, 1)) {
            failed = 1;
            return 1;
        }
    }
    return 0;
}

#define REFUSED(kind) refused(kind, __builtin_return_address(0))

static int no_memory(int is_refused)
{
    if (is_refused) {
        errno = ENOMEM;
    }
    return is_refused;
}

EXPORT void *malloc(size_t bytes)
{
    return no_memory(REFUSED(MEMORY)) ? NULL : __libc_malloc(bytes);
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    return no_memory(REFUSED(MEMORY)) ? NULL : __libc_calloc(count, bytes);
}

EXPORT void *realloc(void *old, size_t bytes)
{
    return no_memory(REFUSED(MEMORY)) ? NULL : __libc_realloc(old, bytes);
}

EXPORT char *strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = no_memory(REFUSED(MEMORY)) ? NULL : __libc_malloc(bytes);

    return NULL == copy ? NULL : memcpy(copy, text, bytes);
}

EXPORT int posix_memalign(void **at, size_t alignment, size_t bytes)
{
    void *have = REFUSED(MEMORY) ? NULL : __libc_memalign(alignment, bytes);

    if (NULL == have) {
        return ENOMEM;
    }
    *at = have;
    return 0;
}

#define REAL(type, name)                           \
    static type real;                              \
    if (NULL == real) {                            \
        *(void **) &real = dlsym(RTLD_NEXT, name); \
    }

EXPORT void *mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
    typedef void *(*mmap_t)(void *, size_t, int, int, int, off_t);

    REAL(mmap_t, "mmap")
    return no_memory(REFUSED(MAP)) ? MAP_FAILED : real(at, bytes, access, flags, fd, offset);
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    typedef int (*shm_open_t)(const char *, int, mode_t);

    REAL(shm_open_t, "shm_open")
    if (REFUSED(SHM)) {
        errno = EMFILE;
        return -1;
    }
    return real(name, flags, mode);
}

EXPORT int posix_fallocate(int fd, off_t at, off_t bytes)
{
    typedef int (*fallocate_t)(int, off_t, off_t);

    REAL(fallocate_t, "posix_fallocate")
    return REFUSED(FALLOCATE) ? ENOSPC : real(fd, at, bytes);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    typedef int (*create_t)(pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);

    REAL(create_t, "pthread_create")
    return REFUSED(THREAD) ? EAGAIN : real(thread, attributes, function, argument);
}

EXPORT int open(const char *path, int flags, ...)
{
    typedef int (*open_t)(const char *, int, ...);
    mode_t mode = 0;
    va_list args;

    REAL(open_t, "open")
    if (REFUSED(OPEN)) {
        errno = EMFILE;
        return -1;
    }
    if (0 != (flags & O_CREAT)) {
        va_start(args, flags);
        mode = va_arg(args, mode_t);
        va_end(args);
    }
    return real(path, flags, mode);
}
