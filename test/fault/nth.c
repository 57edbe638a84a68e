/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * libfault: what code of our components asks for; nobody else's calls are touched, except by the
 * words malloc and shm_errno of fault.c.
 *
 * It makes the call with a given number fail: an allocation, a mapping, a segment of shared memory,
 * a thread. t_nth says which (nth_begin) and learns whether it came to that (nth_end).
 *
 * It adds up the memory of the components: bytes that were allocated and not freed since
 * count_begin, for t_footprint. Memory that they share with other processes is not in it.
 */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);
extern void __libc_free(void *at);

EXPORT void nth_begin(const char *kind, long number);
EXPORT int nth_end(void);
EXPORT void count_begin(void);
EXPORT int64_t count_held(void);
EXPORT int64_t count_high(void);

enum { MEMORY = 1, MAP = 2, SHM = 4, FALLOCATE = 8, THREAD = 16, MODULES = 8 };
enum { BLOCKS = 1 << 16 };

static const struct kind {
    const char *name;
    int bits;
} kinds[] = {
    {"memory", MEMORY}, {"map", MAP}, {"shm", SHM}, {"fallocate", FALLOCATE}, {"thread", THREAD}};

static struct {
    uintptr_t start, end;
} code[MODULES]; /* of our components */
static int modules;
static atomic_int wanted; /* kinds that count */
static atomic_long left;  /* calls until the one that fails */
static atomic_int failed;
static struct {
    void *at;
    size_t bytes;
} block[BLOCKS]; /* by a hash of the address; BLOCKS is much more than there are */
static atomic_int counting;
static int64_t held, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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

static int is_ours(const void *caller)
{
    uintptr_t from = (uintptr_t) caller;

    for (int i = 0; i < modules; i++) {
        if (from >= code[i].start && from < code[i].end) {
            return 1;
        }
    }
    return 0;
}

static int refused(int kind, const void *caller)
{
    if (0 != (kind & wanted) && is_ours(caller) && 1 == atomic_fetch_sub(&left, 1)) {
        failed = 1;
        return 1;
    }
    return 0;
}

/* Sets errno if it is true. */
static int no_memory(int kind, const void *caller, size_t bytes)
{
    int no = refused(kind, caller) || (MEMORY == kind && fault_refuses(bytes));

    errno = no ? ENOMEM : errno;
    return no;
}

void count_begin(void)
{
    modules = 0;
    dl_iterate_phdr(find_modules, NULL);
    counting = 1;
    high = held;
}

int64_t count_held(void)
{
    return held;
}

int64_t count_high(void)
{
    return high;
}

static size_t place_of(const void *at)
{
    return (size_t) (((uintptr_t) at >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 48) % BLOCKS;
}

/* Notes a block; NULL is not noted. */
static void *note(void *at, size_t bytes, const void *caller)
{
    size_t i = place_of(at);

    if (NULL == at || !counting || !is_ours(caller)) {
        return at;
    }
    pthread_mutex_lock(&lock);
    while (NULL != block[i].at && (void *) block != block[i].at) {
        i = (i + 1) % BLOCKS;
    }
    block[i].at = at;
    block[i].bytes = bytes;
    held += (int64_t) bytes;
    high = held > high ? held : high;
    pthread_mutex_unlock(&lock);
    return at;
}

/* A place that was freed has the address of `block` itself: searches go on after it. */
static void forget(void *at)
{
    size_t i = place_of(at);

    if (NULL == at || !counting) {
        return;
    }
    pthread_mutex_lock(&lock);
    for (int steps = 0; NULL != block[i].at && steps < BLOCKS; steps++, i = (i + 1) % BLOCKS) {
        if (at == block[i].at) {
            held -= (int64_t) block[i].bytes;
            block[i].at = block;
            break;
        }
    }
    pthread_mutex_unlock(&lock);
}

#define CALLER           __builtin_return_address(0)
#define REFUSED(kind)    refused(kind, CALLER)
#define NO_MEMORY(bytes) no_memory(MEMORY, CALLER, bytes)

EXPORT void *malloc(size_t bytes)
{
    return NO_MEMORY(bytes) ? NULL : note(__libc_malloc(bytes), bytes, CALLER);
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    size_t all = 0 == bytes || count < SIZE_MAX / bytes ? count * bytes : SIZE_MAX;

    return NO_MEMORY(all) ? NULL : note(__libc_calloc(count, bytes), all, CALLER);
}

EXPORT void *realloc(void *old, size_t bytes)
{
    if (NO_MEMORY(bytes)) {
        return NULL;
    }
    forget(old);
    return note(__libc_realloc(old, bytes), bytes, CALLER);
}

EXPORT void free(void *at)
{
    forget(at);
    __libc_free(at);
}

EXPORT char *strdup(const char *text)
{
    size_t bytes = strlen(text) + 1;
    char *copy = NO_MEMORY(bytes) ? NULL : __libc_malloc(bytes);

    return NULL == copy ? NULL : memcpy(copy, text, bytes);
}

EXPORT int posix_memalign(void **at, size_t alignment, size_t bytes)
{
    void *have = NO_MEMORY(bytes) ? NULL : __libc_memalign(alignment, bytes);

    if (NULL == have) {
        return ENOMEM;
    }
    *at = have;
    return 0;
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
    return NO_MEMORY(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

EXPORT void *mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
    typedef void *(*mmap_t)(void *, size_t, int, int, int, off_t);

    REAL("mmap", mmap_t);
    return no_memory(MAP, CALLER, bytes) ? MAP_FAILED : real(at, bytes, access, flags, fd, offset);
}

EXPORT int shm_open(const char *name, int flags, mode_t mode)
{
    typedef int (*shm_open_t)(const char *, int, mode_t);

    REAL("shm_open", shm_open_t);
    if (REFUSED(SHM)) {
        errno = EMFILE;
        return -1;
    }
    return real(name, flags, mode);
}

EXPORT int posix_fallocate(int fd, off_t at, off_t bytes)
{
    typedef int (*fallocate_t)(int, off_t, off_t);
    int error;

    REAL("posix_fallocate", fallocate_t);
    error = REFUSED(FALLOCATE) ? ENOSPC : fault_of_fallocate(at + bytes);
    return 0 != error ? error : real(fd, at, bytes);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*function)(void *), void *argument)
{
    typedef int (*create_t)(pthread_t *, const pthread_attr_t *, void *(*) (void *), void *);

    REAL("pthread_create", create_t);
    return REFUSED(THREAD) ? EAGAIN : real(thread, attributes, function, argument);
}
