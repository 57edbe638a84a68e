/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a program that the kernel refuses some system calls, by a seccomp filter, as containers and
 * services do:
 *
 *     refuse ERRNO CALL[,CALL...] PROGRAM [ARGUMENT...]        ERRNO: EPERM, ENOSYS or EAGAIN
 *
 * Ends with 77 where filters are not allowed.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char *name;
    int number;
} calls[] = {
    {"io_uring_setup", SYS_io_uring_setup},
    {"io_uring_enter", SYS_io_uring_enter},
    {"io_uring_register", SYS_io_uring_register},
    {"io_setup", SYS_io_setup},
    {"io_submit", SYS_io_submit},
    {"io_getevents", SYS_io_getevents},
    {"io_pgetevents", SYS_io_pgetevents},
};
enum { CALLS = sizeof(calls) / sizeof(calls[0]), NAMES_MAX = 32 };

static int error_of(const char *name)
{
    return 0 == strcmp(name, "EPERM")    ? EPERM
           : 0 == strcmp(name, "ENOSYS") ? ENOSYS
           : 0 == strcmp(name, "EAGAIN") ? EAGAIN
                                         : 0;
}

/* Adds the calls of a list to the filter. Returns the instructions of the filter; 0: unknown name.
 * */
static size_t add_calls(struct sock_filter *filter, size_t used, char *list, int error)
{
    for (char *name = strtok(list, ","); NULL != name; name = strtok(NULL, ",")) {
        size_t i = 0;

        while (i < CALLS && 0 != strcmp(name, calls[i].name)) {
            ++i;
        }
        if (CALLS == i || 2 * NAMES_MAX < used) {
            return 0;
        }
        filter[used++] = (struct sock_filter) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
                                                       (uint32_t) calls[i].number, 0, 1);
        filter[used++] = (struct sock_filter) BPF_STMT(
            BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t) error & SECCOMP_RET_DATA));
    }
    return used;
}

int main(int argc, char **argv)
{
    struct sock_filter filter[2 * NAMES_MAX + 4] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    struct sock_fprog program = {.filter = filter};
    size_t used = 4 > argc || 0 == error_of(argv[1])
                      ? 0
                      : add_calls(filter, 1, argv[2], error_of(argv[1]));

    if (0 == used) {
        fprintf(stderr, "usage: refuse EPERM|ENOSYS|EAGAIN CALL[,CALL...] PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    filter[used++] = (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program.len = (unsigned short) used;
    if (0 != prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        || 0 != prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) {
        puts("seccomp filters are not allowed here");
        return 77;
    }
    execvp(argv[3], &argv[3]);
    perror(argv[3]);
    return 1;
}
