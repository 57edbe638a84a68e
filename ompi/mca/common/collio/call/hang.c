/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * The position of a rank in a job that hangs: one line per open file, which collio-hang reads.
 *
 *   SIGUSR1    If the parameter common_collio_hang names a directory, each rank appends its lines
 *              to a file in this directory. The handler only formats and writes. It reads records
 *              (places) that are not freed while the handler is installed, so a rank that makes no
 *              MPI call also writes its lines.
 *   timeout    When a call ends because the time limit `timeout` has passed, the rank writes a line
 *              for each file, to the same file or, without the parameter, to stderr.
 *
 * Without the parameter a call reads one pointer per phase and records nothing.
 *
 *   collio-hang: world=3 host=n1 pid=77 ms=12034 rank=1 of=4 comm=5 root=2 call=17 does=write
 *                phase=agree wait=all file=/scratch/out.h5
 *
 *   world       rank in MPI_COMM_WORLD
 *   ms          milliseconds since the phase began
 *   rank, of    rank in the file's communicator, and its size
 *   comm, root  identify the communicator; root is the world rank of its rank 0
 *   call        number of the call that is in progress or, in phase `outside`, of the last call
 *   phase       `outside`: the rank is not in a collective call of this file
 *   wait        all (a synchronization of the ranks), ranks of the file, lock (a byte-range lock),
 *               access (the file system), or `-`
 */
#include "call/op.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 1024, WAIT_BYTES = 128 };

/* The position of this rank in one open file. The handler may run between any two stores, so every
 * field is valid by itself. */
typedef struct collio_hang_t {
    struct collio_hang_t *next; /* next place of the list; set before the place is published */
    _Atomic bool used;          /* the file is open */
    _Atomic uint64_t since_ns;  /* time when the phase began */
    _Atomic int turn;           /* index of the valid text */
    char text[2][TEXT_BYTES];   /* the line starting at " rank=" */
} collio_hang_t;

static char *directory;    /* value of the parameter */
static int parameter = -1; /* index of the parameter; -1: not registered */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(collio_hang_t *) places; /* list of places; a place stays until hang_fini */
static bool tried;                      /* this process has tried to install the handler */
static _Atomic int record = -1;         /* descriptor of this rank's file; -1: no handler */
static struct sigaction before;         /* action of SIGUSR1 that hang_fini restores */
static pid_t owner;                     /* process that has installed the handler */
static char process[128];               /* first fields of a line: "collio-hang: ... pid=..." */

/* Used by the handler, so it neither allocates nor uses stdio. */
static void write_line(int fd, uint64_t since_ns, const char *text)
{
    uint64_t ms = (collio_now() - since_ns) / 1000000;
    char line[sizeof(process) + TEXT_BYTES + 32], digits[24];
    char *digit = digits + sizeof(digits) - 1, *end;

    *digit = '\0';
    do {
        *--digit = (char) ('0' + ms % 10);
        ms /= 10;
    } while (0 != ms);
    end = stpcpy(stpcpy(stpcpy(stpcpy(line, process), " ms="), digit), text);
    *end++ = '\n';
    if (0 > write(fd, line, (size_t) (end - line))) {
        return; /* nothing can be done about a full disk here */
    }
}

static void on_signal(int number)
{
    int error = errno, fd = record;
    bool any = false;

    (void) number;
    if (getpid() != owner || 0 > fd) { /* a child of fork() is not a rank */
        return;
    }
    for (const collio_hang_t *place = places; NULL != place; place = place->next) {
        if (place->used) {
            write_line(fd, place->since_ns, place->text[place->turn]);
            any = true;
        }
    }
    if (!any) {
        write_line(fd, collio_now(), " phase=no_file");
    }
    errno = error;
}

void collio_hang_register(void)
{
    parameter = mca_base_var_register(
        "ompi", "common", "collio", "hang",
        "A directory where each rank writes, on SIGUSR1, what it is doing in its files. Set it to "
        "find out why a job hangs (docs/troubleshooting.md)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY,
        &directory);
}

static void describe_process(void)
{
    char host[64] = "";

    (void) gethostname(host, sizeof(host) - 1);
    snprintf(process, sizeof(process), "collio-hang: world=%u host=%s pid=%ld",
             (unsigned) OMPI_PROC_MY_NAME->vpid, host, (long) getpid());
}

/* Opens this rank's file and installs the handler. Returns NULL, or the reason of a failure. */
static const char *install(void)
{
    struct sigaction mine = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    char path[4096], host[64] = "";
    int fd;

    if (0 != sigaction(SIGUSR1, NULL, &before)) {
        return strerror(errno);
    }
    if (SIG_DFL != before.sa_handler && SIG_IGN != before.sa_handler) {
        return "the program has a handler for SIGUSR1";
    }
    (void) gethostname(host, sizeof(host) - 1);
    snprintf(path, sizeof(path), "%s/collio-hang.%s.%ld", directory, host, (long) getpid());
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (0 > fd) {
        return strerror(errno);
    }
    owner = getpid();
    record = fd;
    sigemptyset(&mine.sa_mask);
    if (0 != sigaction(SIGUSR1, &mine, NULL)) {
        return strerror(errno);
    }
    return NULL;
}

void collio_hang_open(void)
{
    const char *why = NULL;

    pthread_mutex_lock(&lock);
    if (!tried && NULL != directory && '\0' != directory[0]) {
        tried = true;
        describe_process();
        why = install();
    }
    pthread_mutex_unlock(&lock);
    if (NULL != why) {
        collio_help("collio", NULL, COLLIO_HELP_HANG, why);
    }
}

void collio_hang_fini(void)
{
    if (0 <= record) {
        (void) sigaction(SIGUSR1, &before, NULL);
        close(record);
        record = -1;
    }
    while (NULL != places) {
        collio_hang_t *next = places->next;

        free(places);
        places = next;
    }
    tried = false;
    if (0 <= parameter) {
        (void) mca_base_var_deregister(parameter);
        parameter = -1;
    }
}

/* Returns what the call waits for in `phase`, which may be the phase that begins. */
static const char *wait_of(const collio_op_t *op, collio_phase_t phase, char text[WAIT_BYTES])
{
    switch (phase) {
    case COLLIO_PHASE_DONE:
        return "-";
    case COLLIO_PHASE_LOCK:
        return "lock";
    case COLLIO_PHASE_DIRECT:
        if (op->phase != phase) {
            return "-";
        }
        return op->job.lock.wanted ? "lock" : "access";
    case COLLIO_PHASE_CYCLES:
        snprintf(text, WAIT_BYTES, "-");
        if (op->phase == phase) {
            collio_cycles_waits(&op->ex, text, WAIT_BYTES);
        }
        return text;
    default:
        return "all";
    }
}

/* Formats the line of a file starting at " rank=". op: NULL outside of calls. */
static void hang_describe(const collio_file_t *file, const collio_op_t *op, collio_phase_t phase,
                          char text[TEXT_BYTES])
{
    ompi_communicator_t *comm = file->fh->f_comm;
    uint32_t calls = file->context->sequence;
    char id[64], wait[WAIT_BYTES];

    collio_comm_id(comm, id, sizeof(id));
    snprintf(text, TEXT_BYTES,
             " rank=%d of=%d comm=%s root=%u call=%" PRIu32 " does=%s phase=%s wait=%s file=%s",
             file->rank, file->size, id,
             (unsigned) ompi_comm_peer_lookup(comm, 0)->super.proc_name.vpid,
             NULL == op ? calls - (0 < calls) : op->ex.sequence,
             NULL == op ? "-" : collio_op_direction(op),
             COLLIO_PHASE_DONE == phase ? "outside" : collio_phase_name(phase),
             wait_of(op, phase, wait), file->fh->f_filename);
}

void collio_hang_attach(collio_file_t *file)
{
    collio_hang_t *place;

    if (0 > record) {
        return;
    }
    pthread_mutex_lock(&lock);
    place = places;
    while (NULL != place && place->used) {
        place = place->next;
    }
    if (NULL == place) {
        place = calloc(1, sizeof(*place));
        if (NULL != place) {
            place->next = places;
            places = place;
        }
    }
    if (NULL != place) {
        hang_describe(file, NULL, COLLIO_PHASE_DONE, place->text[place->turn]);
        place->since_ns = collio_now();
        place->used = true;
        file->hang = place;
    }
    pthread_mutex_unlock(&lock);
}

void collio_hang_detach(collio_file_t *file)
{
    if (NULL != file->hang) {
        file->hang->used = false;
        file->hang = NULL;
    }
}

void collio_hang_note(const collio_op_t *op, collio_phase_t phase, uint64_t since_ns)
{
    collio_hang_t *place = op->ex.file->hang;
    int turn = 1 - place->turn;

    hang_describe(op->ex.file, op, phase, place->text[turn]);
    place->since_ns = since_ns;
    place->turn = turn;
}

static void write_call(const collio_file_t *file, const collio_op_t *op)
{
    char text[TEXT_BYTES];

    hang_describe(file, op, NULL == op ? COLLIO_PHASE_DONE : op->phase, text);
    write_line(0 <= record ? record : STDERR_FILENO, NULL == op ? collio_now() : op->phase_ns,
               text);
}

/* Writes the line of another file, unless its handle has failed: its line was written before. */
static void write_other(void *value, void *unused)
{
    const collio_file_t *file = value;

    (void) unused;
    if (NULL != file->queue && 0 == file->lost) {
        OPAL_THREAD_LOCK(&file->queue->lock);
        write_call(file, collio_queue_first(file->queue));
        OPAL_THREAD_UNLOCK(&file->queue->lock);
    }
}

void collio_hang_write(const collio_op_t *op)
{
    pthread_mutex_lock(&lock);
    if ('\0' == process[0]) {
        describe_process();
    }
    pthread_mutex_unlock(&lock);
    write_call(op->ex.file, op);
    collio_handle_for_each(COLLIO_PLACE_FCOLL, write_other, NULL);
}
