/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A preload that adds up the memory of our components: bytes that their code has asked for and not
 * freed. Memory that they share with other processes is not in it. t_footprint reads the sums.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void __libc_free(void *at);

EXPORT void count_begin(void);
EXPORT int64_t count_held(void);
EXPORT int64_t count_high(void);

enum { MODULES = 8, BLOCKS = 1 << 16 };

static struct {
    uintptr_t start;
    uintptr_t end;
} code[MODULES]; /* code of our components */
static int modules;
static struct {
    void *at;
    size_t bytes;
} block[BLOCKS]; /* by a hash of the address; BLOCKS is much more than there are */
static int64_t held, high;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find_modules(struct dl_phdr_info *info, size_t size, void *data)
{
    (void) size;
    (void) data;
    if (NULL == strstr(info->dlpi_name, "mca_common_collio")
        && NULL == strstr(info->dlpi_name, "mca_fcoll_overlap")
        && NULL == strstr(info->dlpi_name, "mca_fcoll_tam")) {
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

void count_begin(void)
{
    modules = 0;
    dl_iterate_phdr(find_modules, NULL);
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

static size_t place_of(const void *at)
{
    return (size_t) (((uintptr_t) at >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 48) % BLOCKS;
}

/* Notes a block; NULL is not noted. */
static void *note(void *at, size_t bytes, const void *caller)
{
    size_t i = place_of(at);

    if (NULL == at || !is_ours(caller)) {
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

/* A place that was freed has the address of `block` itself: searches go on behind it. */
static void forget(void *at)
{
    size_t i = place_of(at);

    if (NULL == at || 0 == modules) {
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

EXPORT void *malloc(size_t bytes)
{
    return note(__libc_malloc(bytes), bytes, __builtin_return_address(0));
}

EXPORT void *calloc(size_t count, size_t bytes)
{
    return note(__libc_calloc(count, bytes), count * bytes, __builtin_return_address(0));
}

EXPORT void *realloc(void *old, size_t bytes)
{
    forget(old);
    return note(__libc_realloc(old, bytes), bytes, __builtin_return_address(0));
}

EXPORT void free(void *at)
{
    forget(at);
    __libc_free(at);
}
