/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Lines about the position of a rank in its files. See hang.h.
 *
 *   collio-hang: world=3 host=n1 pid=77 rank=1 of=4 comm=5 root=2 call=17 does=write phase=agree
 *                ms=12034 wait=all file=/scratch/out.h5
 *
 *   world       rank in MPI_COMM_WORLD
 *   rank, of    rank in the file's communicator, and its size
 *   comm, root  identify the communicator; root is the world rank of its rank 0
 *   call        number of the call that is in progress or, in phase `outside`, of the last call
 *   phase       `outside`: the rank is not in a collective call of this file
 *   ms          milliseconds since the phase began
 *   wait        all (a synchronization of the ranks), ranks of the file, lock (a byte-range lock),
 *               access (the file system), or `-`
 */
#include "call/hang.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 512, WAIT_BYTES = 128, LINE_BYTES = 1024 };

/* The position of this rank in one open file. The handler may run between any two stores, so every
 * field is valid by itself. */
typedef struct collio_hang_t {
    struct collio_hang_t *next;  /* next place of the list; set before the place is published */
    _Atomic bool used;           /* the file is open */
    char file[NAME_BYTES + 128]; /* fields of a line about the file: " rank=... root=..." */
    char name[NAME_BYTES];       /* name of the file */
    _Atomic uint32_t call;       /* number of the last call */
    _Atomic int phase;           /* phase of the call; PHASE_DONE: the rank is not in a call */
    const char *_Atomic does;    /* direction of the call: "write", "read" or "-" */
    _Atomic uint64_t since_ns;   /* time when the phase began */
    _Atomic int turn;            /* index of the valid text in `wait` */
    char wait[2][WAIT_BYTES];    /* texts: ranks, lock or access that the call waits for */
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

/* ---- one line: the handler uses these functions, so they neither allocate nor use stdio ---- */

typedef struct line_t {
    size_t used;                      /* bytes of the text */
    char at[LINE_BYTES + NAME_BYTES]; /* the text, without a terminating zero */
} line_t;

static void add(line_t *line, const char *text)
{
    while ('\0' != *text && line->used < sizeof(line->at) - 1) { /* room for the newline */
        line->at[line->used++] = *text++;
    }
}

static void add_number(line_t *line, const char *name, uint64_t number)
{
    char digits[24];
    size_t at = sizeof(digits) - 1;

    digits[at] = '\0';
    do {
        digits[--at] = (char) ('0' + number % 10);
        number /= 10;
    } while (0 != number);
    add(line, name);
    add(line, digits + at);
}

static void write_line(int fd, line_t *line)
{
    const char *at = line->at;

    line->at[line->used++] = '\n';
    while (line->used > 0) {
        ssize_t moved = write(fd, at, line->used);

        if (0 < moved) {
            at += moved;
            line->used -= (size_t) moved;
        } else if (0 == moved || EINTR != errno) {
            return;
        }
    }
}

static void write_place(int fd, const collio_hang_t *place)
{
    line_t line = {.used = 0};
    int phase = place->phase;
    uint64_t since = place->since_ns; /* read before the clock */

    add(&line, process);
    add(&line, place->file);
    add_number(&line, " call=", place->call);
    add(&line, " does=");
    add(&line, place->does);
    add(&line, " phase=");
    add(&line, COLLIO_PHASE_DONE == phase ? "outside" : collio_phase_name(phase));
    add_number(&line, " ms=", (collio_now() - since) / 1000000);
    add(&line, " wait=");
    add(&line, place->wait[place->turn]);
    add(&line, " file=");
    add(&line, place->name);
    write_line(fd, &line);
}

static void on_signal(int number)
{
    int error = errno, fd = record;
    line_t none = {.used = 0};
    bool any = false;

    (void) number;
    if (getpid() != owner || 0 > fd) { /* a child of fork() is not a rank */
        return;
    }
    for (const collio_hang_t *place = places; NULL != place; place = place->next) {
        if (place->used) {
            write_place(fd, place);
            any = true;
        }
    }
    if (!any) {
        add(&none, process);
        add(&none, " phase=no_file");
        write_line(fd, &none);
    }
    errno = error;
}

/* ---- the parameter, the handler ---- */

void collio_hang_register(void)
{
    parameter = mca_base_var_register(
        "ompi", "common", "collio", "hang",
        "A directory. On SIGUSR1 (kill -USR1 of mpirun reaches all ranks) each rank appends what "
        "it is doing in its files to a file there; collio-hang DIRECTORY reads them. Empty: "
        "SIGUSR1 is not touched. Set it to find out why a job hangs",
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

/* Installs the handler at the first call. True if it is installed. The caller holds the lock. */
static bool installed(const collio_file_t *file)
{
    const char *why;

    if (NULL == directory || '\0' == directory[0]) {
        return false;
    }
    if (!tried) {
        tried = true;
        describe_process();
        why = install();
        if (NULL != why) {
            collio_file_help(file, COLLIO_HELP_NO_RANK, COLLIO_HELP_HANG, why);
        }
    }
    return 0 <= record;
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

/* ---- places ---- */

static void describe_file(const collio_file_t *file, collio_hang_t *place)
{
    ompi_communicator_t *comm = file->fh->f_comm;
    char id[64];

    collio_comm_id(comm, id, sizeof(id));
    snprintf(place->file, sizeof(place->file), " rank=%d of=%d comm=%s root=%u", file->rank,
             file->size, id, (unsigned) ompi_comm_peer_lookup(comm, 0)->super.proc_name.vpid);
    snprintf(place->name, sizeof(place->name), "%s", file->fh->f_filename);
    place->call = 0;
    place->does = "-";
    place->phase = COLLIO_PHASE_DONE;
    place->since_ns = collio_now();
    snprintf(place->wait[place->turn], WAIT_BYTES, "-");
}

void collio_hang_attach(collio_file_t *file)
{
    collio_hang_t *place;

    pthread_mutex_lock(&lock);
    place = installed(file) ? places : NULL;
    while (NULL != place && place->used) {
        place = place->next;
    }
    if (NULL == place && 0 <= record) {
        place = calloc(1, sizeof(*place));
        if (NULL != place) {
            place->next = places;
            places = place;
        }
    }
    if (NULL != place) {
        describe_file(file, place);
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

/* ---- the position of a call ---- */

static void describe_wait(const collio_op_t *op, collio_phase_t phase, char *text, size_t size)
{
    switch (phase) {
    case COLLIO_PHASE_DONE:
        snprintf(text, size, "-");
        break;
    case COLLIO_PHASE_DIRECT:
        snprintf(text, size, "%s", op->job.lock.wanted ? "lock" : "access");
        break;
    case COLLIO_PHASE_LOCK:
        snprintf(text, size, "lock");
        break;
    case COLLIO_PHASE_CYCLES:
        collio_cycles_waits(&op->ex, text, size);
        break;
    default:
        snprintf(text, size, "all");
    }
}

void collio_hang_enter(const collio_op_t *op, collio_phase_t phase, uint64_t now)
{
    collio_hang_t *place = op->ex.file->hang;
    int turn = 1 - place->turn;

    place->call = op->ex.sequence;
    place->does = collio_op_direction(op);
    place->since_ns = now;
    if (COLLIO_PHASE_DIRECT == phase || COLLIO_PHASE_CYCLES == phase) {
        snprintf(place->wait[turn], WAIT_BYTES, "-"); /* the phase has not started its work */
    } else {
        describe_wait(op, phase, place->wait[turn], WAIT_BYTES);
    }
    place->turn = turn;
    place->phase = phase;
}

void collio_hang_wait(const collio_op_t *op)
{
    collio_hang_t *place = op->ex.file->hang;
    int turn = 1 - place->turn;

    describe_wait(op, op->phase, place->wait[turn], WAIT_BYTES);
    place->turn = turn;
}

static void write_call(const collio_file_t *file, const collio_op_t *op)
{
    collio_hang_t place = {.phase = COLLIO_PHASE_DONE};

    describe_file(file, &place);
    place.call = file->queue->sequence - 1;
    if (NULL != op) {
        place.call = op->ex.sequence;
        place.does = collio_op_direction(op);
        place.phase = op->phase;
        place.since_ns = op->phase_ns;
        describe_wait(op, op->phase, place.wait[0], WAIT_BYTES);
    }
    write_place(0 <= record ? record : STDERR_FILENO, &place);
}

/* Writes the line of another file, unless its handle has failed: its line was written before. */
static int write_other(collio_file_t *file)
{
    if (NULL != file->queue && 0 == file->lost) {
        OPAL_THREAD_LOCK(&file->queue->lock);
        write_call(file, collio_queue_first(file->queue));
        OPAL_THREAD_UNLOCK(&file->queue->lock);
    }
    return 0;
}

void collio_hang_write(const collio_op_t *op)
{
    int unused = 0;

    pthread_mutex_lock(&lock);
    if ('\0' == process[0]) {
        describe_process();
    }
    pthread_mutex_unlock(&lock);
    write_call(op->ex.file, op);
    collio_file_for_each(write_other, &unused);
}
