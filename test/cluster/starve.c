/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/*
 * starve: a preload that makes one allocation of libmca_common_collio fail, the one with a given
 * number; nobody else's are touched. t_starve tells it which (starve_begin) and learns whether it
 * came to that (starve_end).
 */

#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

void starve_begin(long number);
int starve_end(void);

static uintptr_t code_start, code_end; /* of our library */
static _Atomic long left;              /* allocations until the one that fails */
static _Atomic int failed;

static int find_library(struct dl_phdr_info *info, size_t size, void *data)
{
    (void) size;
    (void) data;
    if (NULL == info->dlpi_name || NULL == strstr(info->dlpi_name, "libmca_common_collio")) {
        return 0;
    }
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (PT_LOAD == part->p_type && 0 != (part->p_flags & PF_X)) {
            code_start = info->dlpi_addr + part->p_vaddr;
            code_end = code_start + part->p_memsz;
        }
    }
    return 1;
}

void starve_begin(long number)
{
    dl_iterate_phdr(find_library, NULL);
    failed = 0;
    left = number;
}

int starve_end(void)
{
    left = 0;
    return failed;
}

static int refused(const void *caller)
{
    uintptr_t from = (uintptr_t) caller;

    if (left <= 0 || from < code_start || from >= code_end || 1 != atomic_fetch_sub(&left, 1)) {
        return 0;
    }
    failed = 1;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

int posix_memalign(void **at, size_t alignment, size_t bytes)
{
    *at = refused(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, bytes);
    return NULL == *at ? ENOMEM : 0;
}
