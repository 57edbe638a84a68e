/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Preloaded in front of libioprof.so: answers some system calls in place of the kernel.
 *
 *   T_DIR/hold    a pipe: a process that gives its output the final name waits until somebody has
 *                 opened and closed the other end
 *   T_FS          every file is on: lustre (2 stripes of 1 MiB), components (3 of them; the last
 *                 that exists has 4 stripes of 2 MiB), mdt (data on the metadata server), late
 *                 (as lustre, but not when the first two files are opened), beegfs (3 chunks of
 *                 512 KiB) */
#include "record/plain_libc.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

static void hold(void)
{
    const char *folder = getenv("T_DIR");
    char path[1200], byte;
    int pipe;

    snprintf(path, sizeof(path), "%s/hold", NULL == folder ? "." : folder);
    pipe = open(path, O_RDONLY);
    while (pipe >= 0 && read(pipe, &byte, 1) > 0) {
    }
    if (pipe >= 0) {
        close(pipe);
    }
}

static void put(unsigned char *at, uint64_t value, int bytes)
{
    memcpy(at, &value, (size_t) bytes); /* little endian, as Lustre has it */
}

/** A plain layout of 32 bytes; its length. */
static long put_plain(unsigned char *at, uint64_t pattern, uint64_t bytes, uint64_t count)
{
    memset(at, 0, 32);
    put(at, 0x0bd10bd0, 4);
    put(at + 4, pattern, 4);
    put(at + 24, bytes, 4);
    put(at + 28, count, 2);
    return 32;
}

static long put_components(unsigned char *at)
{
    static const struct {
        uint64_t flags, bytes, count;
    } parts[3] = {{0x10, 1 << 20, 1}, {0x10, 2 << 20, 4}, {0, 4 << 20, 8}};
    uint64_t offset = 32 + 3 * 48;

    memset(at, 0, offset);
    put(at, 0x0bd60bd0, 4);
    put(at + 14, 3, 2);
    for (int i = 0; i < 3; i++) {
        unsigned char *entry = at + 32 + 48 * i;

        put(entry + 4, parts[i].flags, 4);
        put(entry + 24, offset, 4);
        put(entry + 28, 32, 4);
        offset += (uint64_t) put_plain(at + offset, 1, parts[i].bytes, parts[i].count);
    }
    return (long) offset;
}

/** The answer to fgetxattr of "lustre.lov". */
static long answer_layout(const char *fs, unsigned char *at)
{
    static int asked;

    if (0 == strcmp(fs, "late")) {
        return asked++ < 2 ? -1 : put_plain(at, 1, 1 << 20, 2);
    }
    return 0 == strcmp(fs, "lustre")       ? put_plain(at, 1, 1 << 20, 2)
           : 0 == strcmp(fs, "mdt")        ? put_plain(at, 0x100, 1 << 20, 1)
           : 0 == strcmp(fs, "components") ? put_components(at)
                                           : -1;
}

long syscall(long number, ...)
{
    static long (*next)(long, ...);
    const char *fs = getenv("T_FS");
    long arguments[6], rc;
    va_list list;

    va_start(list, number);
    for (int i = 0; i < 6; i++) {
        arguments[i] = va_arg(list, long);
    }
    va_end(list);
    if (NULL == next) {
        next = (__typeof__(next)) dlsym(RTLD_NEXT, "syscall");
    }
    if (SYS_renameat2 == number) {
        hold();
    }
    if (NULL != fs && SYS_fgetxattr == number) {
        return answer_layout(fs, (unsigned char *) arguments[2]);
    }
    if (NULL != fs && SYS_ioctl == number && 0x800c6619 == arguments[1]) {
        memcpy((void *) arguments[2], (uint32_t[3]){1, 512 << 10, 3}, 12);
        return 0;
    }
    rc = next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
              arguments[5]);
    if (NULL != fs && SYS_fstatfs == number && 0 == rc) {
        ((struct statfs *) arguments[1])->f_type = 0 == strcmp(fs, "beegfs") ? 0x19830326
                                                                             : 0x0bd00bd0;
    }
    return rc;
}
