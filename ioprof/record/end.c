/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The end of a rank that does not reach MPI_Finalize: it writes its records to a file of its own.
 *
 * Runs in signal handlers: no malloc, no locks, no stdio. */
#include "record/record.h"

#include "profile/output.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_FACTS 16

static struct ioprof_fact facts[MAX_FACTS];
static size_t nfacts;
static char part_path[IOPROF_OUTPUT_BYTES + 32];
static char unfinished_path[IOPROF_OUTPUT_BYTES + 32]; /* the part's name until it is whole */
enum { OFF, ARMED, WRITING };
static atomic_int state = OFF; /* off before MPI_Init, and after a profile is written */
static int exit_status;
static const int signals[] = {SIGHUP, SIGINT,  SIGQUIT, SIGILL,  SIGABRT, SIGBUS,
                              SIGFPE, SIGSEGV, SIGTERM, SIGXCPU, SIGXFSZ, SIGSYS};
#define NSIGNALS (sizeof(signals) / sizeof(signals[0]))
static struct sigaction before[NSIGNALS];

void ioprof_set_fact(const char *key, const char *value)
{
    size_t i = 0;

    while (i < nfacts && 0 != strcmp(facts[i].key, key)) {
        i++;
    }
    if (i < MAX_FACTS) {
        facts[i].key = (char *) key;
        facts[i].value = ioprof_keep_string(value);
        if (NULL == facts[i].value) {
            facts[i].value = strdup(value);
        }
        if (i == nfacts) {
            nfacts++;
        }
    }
}

void ioprof_forget(void)
{
    ioprof_active = false;
    state = OFF;
}

static int write_all(int fd, const char *at, size_t bytes)
{
    while (bytes > 0) {
        long n = syscall(SYS_write, fd, at, bytes);

        if (n < 0 && EINTR != errno) {
            return -1;
        }
        if (n >= 0) {
            at += n;
        }
        bytes -= n < 0 ? 0 : (size_t) n;
    }
    return 0;
}

int ioprof_write_file(const char *path, const void *data, size_t bytes)
{
    struct ioprof_output output;
    int fd = ioprof_output_open(&output, path, unfinished_path), whole, saved;

    if (fd < 0) {
        return -1;
    }
    whole = 0 == write_all(fd, data, bytes);
    saved = errno;
    if (0 != syscall(SYS_close, fd) && whole) {
        whole = 0;
        saved = errno;
    }
    errno = saved;
    return ioprof_output_end(&output, whole);
}

const char *ioprof_part_path(void)
{
    return part_path;
}

int ioprof_encode_rank(struct ioprof_buffer *out, enum ioprof_end end, uint64_t code)
{
    static struct ioprof_profile profile;
    struct ioprof_buffer log = {0};
    struct ioprof_chunk chunk = {.rank = ioprof_me.rank};
    int rc;

    ioprof_snapshot(&profile, end, code);
    profile.facts = facts;
    profile.nfacts = nfacts;
    if (ioprof_events_on) {
        ioprof_events_encode(&log);
        chunk.data = log.data;
        chunk.bytes = log.bytes;
        profile.chunks = &chunk;
        profile.nchunks = 1;
        if (log.failed) {
            profile.nchunks = 0;
        }
    }
    rc = ioprof_encode(&profile, out);
    ioprof_buffer_free(&log);
    return rc;
}

static void print_error(const char *what)
{
    const char *texts[] = {"ioprof: cannot write ", part_path, ": ", what, "\n"};

    for (int i = 0; i < 5; i++) {
        (void) !syscall(SYS_write, 2, texts[i], strlen(texts[i]));
    }
}

/** A part is whole or not there: SIGKILL may come at any time, for example on a slow file system
 *  after the batch system's grace time. */
static void encode_and_write(enum ioprof_end end, uint64_t code)
{
    struct ioprof_buffer out = {0};

    if (ioprof_encode_rank(&out, end, code) < 0) {
        print_error("no memory");
    } else if (ioprof_write_file(part_path, out.data, out.bytes) < 0) {
        print_error(ENOSPC == errno  ? "no space left"
                    : ELOOP == errno ? "it is a symbolic link, which ioprof does not follow"
                                     : "check the permissions of the folder");
    }
    ioprof_buffer_free(&out);
}

static void block_signals(sigset_t *before_it)
{
    sigset_t all;

    sigfillset(&all); /* a handler of the program may call exit, which would wait for itself */
    (void) pthread_sigmask(SIG_BLOCK, &all, before_it);
}

/** A second signal must not end the process before the part is written. In this thread it is
 *  blocked; another thread that handles it, or exits, waits here. */
void ioprof_write_part(enum ioprof_end end, uint64_t code)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int saved = errno, expected = ARMED;
    sigset_t mask;

    block_signals(&mask);
    if (atomic_compare_exchange_strong(&state, &expected, WRITING)) {
        ioprof_active = false;
        encode_and_write(end, code);
        state = OFF;
    }
    while (WRITING == state) {
        (void) syscall(SYS_nanosleep, &pause, NULL);
    }
    (void) pthread_sigmask(SIG_SETMASK, &mask, NULL);
    errno = saved;
}

/** Writes the part, then lets the signal do what it did before: a fault happens again when the
 *  instruction is repeated, with its true cause; what somebody sent is sent again. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    int saved = errno;

    (void) context;
    ioprof_write_part(IOPROF_SIGNALLED, (uint64_t) number);
    for (size_t i = 0; i < NSIGNALS; i++) {
        if (signals[i] == number) {
            sigaction(number, &before[i], NULL);
        }
    }
    if (info->si_code <= 0 || SIGXCPU == number || SIGXFSZ == number) {
        raise(number);
    }
    errno = saved;
}

/** A handler that the program or the MPI library has set for an error is called after ours; one for
 *  a signal that may be a message (SIGTERM, SIGINT, ...) is left alone. */
static void watch_signals(void)
{
    struct sigaction action;

    memset(&action, 0, sizeof(action));
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < NSIGNALS; i++) {
        bool error = SIGILL == signals[i] || SIGABRT == signals[i] || SIGBUS == signals[i]
                     || SIGFPE == signals[i] || SIGSEGV == signals[i] || SIGSYS == signals[i];

        if (0 != sigaction(signals[i], NULL, &before[i])
            || (0 == (before[i].sa_flags & SA_SIGINFO) && SIG_IGN == before[i].sa_handler)) {
            continue;
        }
        if (error || (0 == (before[i].sa_flags & SA_SIGINFO) && SIG_DFL == before[i].sa_handler)) {
            sigaction(signals[i], &action, NULL);
        }
    }
}

/** Keeps the status: destructors do not get it. The part is written after all such functions of the
 *  program, which may do I/O. */
static void keep_status(int status, void *unused)
{
    (void) unused;
    exit_status = status;
}

void ioprof_end_init(int rank, const char *output)
{
    ioprof_me.rank = (uint64_t) rank;
    snprintf(part_path, sizeof(part_path), "%s.part.%d", output, rank);
    snprintf(unfinished_path, sizeof(unfinished_path), "%s.unfinished.%d", output, rank);
    state = ARMED;
    watch_signals();
    (void) on_exit(keep_status, NULL);
}

IOPROF_EXPORT void _exit(int status)
{
    static void (*next)(int) __attribute__((noreturn));

    ioprof_write_part(IOPROF_EXITED, (uint64_t) status);
    next = (__typeof__(next)) dlsym(RTLD_NEXT, "_exit");
    next(status);
}

IOPROF_EXPORT void _Exit(int status)
{
    _exit(status);
}

/** exit() and the end of main come here. */
static void __attribute__((destructor)) at_exit(void)
{
    ioprof_write_part(IOPROF_EXITED, (uint64_t) exit_status);
}
