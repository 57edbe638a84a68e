/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded into User Mode Linux on CPUs whose extended registers are larger than it expects. Such
 * a kernel sets only the part of a process's registers that it knows, and the host refuses a part:
 * the first process of a guest cannot start. Here the full set is read, the known part is put over
 * it, and the full set is written.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { REGISTERS_MAX = 64 << 10 };

static long set_registers(long pid, long kind, const struct iovec *known)
{
    static _Thread_local char all[REGISTERS_MAX];
    struct iovec full = {.iov_base = all, .iov_len = sizeof(all)};

    if (0 != syscall(SYS_ptrace, PTRACE_GETREGSET, pid, kind, &full)) {
        return -1;
    }
    memcpy(all, known->iov_base, known->iov_len < full.iov_len ? known->iov_len : full.iov_len);
    return syscall(SYS_ptrace, PTRACE_SETREGSET, pid, kind, &full);
}

long ptrace(enum __ptrace_request request, ...)
{
    va_list arguments;
    long pid, address, data, result, peeked = 0;
    int peeks = PTRACE_PEEKTEXT == request || PTRACE_PEEKDATA == request
                || PTRACE_PEEKUSER == request;

    va_start(arguments, request);
    pid = va_arg(arguments, long);
    address = va_arg(arguments, long);
    data = va_arg(arguments, long);
    va_end(arguments);
    if (PTRACE_SETREGSET == request && NT_X86_XSTATE == address) {
        return set_registers(pid, address, (const struct iovec *) data);
    }
    result = syscall(SYS_ptrace, request, pid, address, peeks ? (long) &peeked : data);
    return peeks && 0 == result ? peeked : result;
}
