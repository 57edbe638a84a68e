/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/*
 * errors = late: calls without an exchange do not wait for other ranks. The rank that failed
 * returns its error from that call; the others from a later call, all from the same one, or from
 * the collective function that comes next. No rank is more than AHEAD calls ahead of the slowest.
 * A rank that changes its request, or leaves its loop after an error, hangs nobody. Every byte is
 * compared by POSIX. Runs with libfault preloaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/t_pvar.h"
#include "t_fault.h"

enum {
    BLOCK = 512, /* bytes of a rank and call */
    AHEAD = 32,  /* the setting `ahead` of all files here */
    CALLS = 3 * AHEAD,
    FAILS = AHEAD / 2,
    NEVER = CALLS
};

static char path[512];

typedef enum { WRITE, READ, IWRITE, IREAD, KINDS } kind_t;
static const char *const kind_names[] = {"write", "read", "iwrite", "iread"};

static int64_t place_of(int call, int rank)
{
    return ((int64_t) call * t_size + rank) * BLOCK;
}

static bool writes(kind_t kind)
{
    return WRITE == kind || IWRITE == kind;
}

static void fill(unsigned char *data, int64_t at, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; ++i) {
        data[i] = t_val(at + i, t_rank);
    }
}

static int wait_for(MPI_Request *request, MPI_Status *status)
{
    int rc = MPI_Wait(request, status);

    return MPI_ERR_IN_STATUS == t_class(rc) ? status->MPI_ERROR : rc;
}

static int transfer(MPI_File file, kind_t kind, int64_t at, void *data, int bytes,
                    MPI_Status *status)
{
    MPI_Request request;
    int rc;

    switch (kind) {
    case WRITE:
        return MPI_File_write_at_all(file, at, data, bytes, MPI_BYTE, status);
    case READ:
        return MPI_File_read_at_all(file, at, data, bytes, MPI_BYTE, status);
    case IWRITE:
        rc = MPI_File_iwrite_at_all(file, at, data, bytes, MPI_BYTE, &request);
        break;
    default:
        rc = MPI_File_iread_at_all(file, at, data, bytes, MPI_BYTE, &request);
    }
    return MPI_SUCCESS != rc ? rc : wait_for(&request, status);
}

/* One call of this rank, checked: its bytes when it reads, its count unless it failed itself. */
static int call(MPI_File file, kind_t kind, int number)
{
    unsigned char data[BLOCK], wanted[BLOCK];
    int64_t at = place_of(number, t_rank);
    MPI_Status status = {0};
    int rc;

    fill(wanted, at, BLOCK);
    memset(data, 0, sizeof(data));
    if (writes(kind)) {
        memcpy(data, wanted, sizeof(data));
    }
    rc = transfer(file, kind, at, data, BLOCK, &status);
    if (MPI_SUCCESS == rc) {
        t_status_check(&status, BLOCK, kind_names[kind]);
        if (!writes(kind) && 0 != memcmp(data, wanted, BLOCK)) {
            t_fail("%s: call %d returned other bytes", kind_names[kind], number);
        }
    }
    return rc;
}

/* The file as `calls` calls of all ranks leave it, made by POSIX. */
static void make_file(int calls)
{
    unsigned char data[BLOCK];
    int fd = open(path, O_RDWR | O_CREAT, 0600);

    for (int i = 0; i < calls; ++i) {
        fill(data, place_of(i, t_rank), BLOCK);
        if (BLOCK != pwrite(fd, data, BLOCK, place_of(i, t_rank))) {
            t_fail("pwrite: %s", strerror(errno));
        }
    }
    close(fd);
}

/* Every rank looks at its own blocks. Calls from `hole` to `end` need not be there. */
static void check_file(int calls, int hole, int end)
{
    unsigned char data[BLOCK], wanted[BLOCK];
    int fd = open(path, O_RDONLY);

    for (int i = 0; i < calls; ++i) {
        if (i >= hole && i < end) {
            continue;
        }
        fill(wanted, place_of(i, t_rank), BLOCK);
        if (BLOCK != pread(fd, data, BLOCK, place_of(i, t_rank))
            || 0 != memcmp(data, wanted, BLOCK)) {
            t_fail("call %d: other bytes in the file", i);
            break;
        }
    }
    close(fd);
}

static bool begin(kind_t kind, const char *hints, MPI_File *file)
{
    if (0 == t_rank) {
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!writes(kind)) {
        make_file(CALLS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, file);
}

/* The next access of this rank fails, if it is the last rank. */
static void break_next(kind_t kind)
{
    char spec[128];

    snprintf(spec, sizeof(spec), "op=%s,match=late,rank=%d,errno=%d,at=1,times=1",
             writes(kind) ? "write" : "read", t_size - 1, writes(kind) ? ENOSPC : EIO);
    t_fault_set(spec);
}

static int class_of(kind_t kind)
{
    return writes(kind) ? MPI_ERR_NO_SPACE : MPI_ERR_IO;
}

/* Calls go ahead, and the bytes are right. */
static void goes_ahead(kind_t kind, const char *hints, bool expected)
{
    char name[128];
    double ahead;
    MPI_File file;

    if (begin(kind, hints, &file)) {
        ahead = t_pvar_read("calls_ahead", file);
        for (int i = 0; i < CALLS; ++i) {
            t_ok(call(file, kind, i), kind_names[kind]);
        }
        ahead = t_pvar_read("calls_ahead", file) - ahead;
        t_ok(MPI_File_close(&file), "close");
        if ((ahead > 0) != expected) {
            t_fail("%.0f of %d calls without a meeting", ahead, CALLS);
        }
        check_file(CALLS, NEVER, NEVER);
    }
    snprintf(name, sizeof(name), "%s_%s_%s", kind_names[kind],
             expected ? "does_not_wait" : "waits_for_all", hints);
    t_verdict(name);
}

/* One call fails on one rank. late: the others learn it in one later call, else in this one. */
static void one_fails(kind_t kind, const char *hints, bool late)
{
    int told[2] = {NEVER, NEVER}, least[2], most[2], rc;
    MPI_File file;
    char name[128];

    late = late && t_size > 1; /* nobody else is to be told */
    if (begin(kind, hints, &file)) {
        for (int i = 0, errors = 0; i < CALLS; ++i) {
            if (FAILS == i) {
                break_next(kind);
            }
            rc = call(file, kind, i);
            if (MPI_SUCCESS != rc && class_of(kind) != t_class(rc)) {
                t_fail("call %d: '%s'", i, t_class_name(t_class(rc)));
            }
            if (MPI_SUCCESS != rc && errors < 2) {
                told[errors++] = i;
            }
        }
        t_fault_set(NULL);
        t_ok(MPI_File_close(&file), "close");
        check_file(writes(kind) ? CALLS : 0, FAILS, t_size - 1 == t_rank ? FAILS + 1 : FAILS);
    }
    /* the rank that failed is told twice: by its call, and by the agreement */
    if (t_size - 1 == t_rank && FAILS != told[0]) {
        t_fail("the failing call %d returned no error, call %d did", FAILS, told[0]);
    }
    told[0] = t_size - 1 == t_rank && late ? told[1] : told[0];
    MPI_Allreduce(told, least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(told, most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (least[0] != most[0] || least[0] < FAILS + late || most[0] > FAILS + late * (AHEAD + 1)) {
        t_fail("this rank was told in call %d, others in %d to %d", told[0], least[0], most[0]);
    }
    snprintf(name, sizeof(name), "%s_fails_%s", kind_names[kind], hints);
    t_verdict(name);
}

static int function_of(MPI_File file, int which)
{
    switch (which) {
    case 0:
        return MPI_File_sync(file);
    case 1:
        return MPI_File_set_size(file, place_of(CALLS, 0));
    case 2:
        return MPI_File_preallocate(file, place_of(CALLS, 0));
    case 3:
        return MPI_File_set_atomicity(file, 1);
    default:
        return MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    }
}

/* The last call before a collective function fails: it returns the error, on all ranks. */
enum { AT_CLOSE = 5 };
static void told_by_function(kind_t kind, int which)
{
    static const char *const names[] = {"sync",          "set_size", "preallocate",
                                        "set_atomicity", "set_view", "close"};
    char name[128];
    MPI_File file;
    int rc;

    snprintf(name, sizeof(name), "%s_error_is_told_by_%s", kind_names[kind], names[which]);
    if (begin(kind, "ahead=32,errors=late,exchange=off", &file)) {
        for (int i = 0; i < 4; ++i) {
            t_ok(call(file, kind, i), kind_names[kind]);
        }
        break_next(kind);
        rc = call(file, kind, 4);
        t_fault_set(NULL);
        if ((MPI_SUCCESS != rc) != (t_size - 1 == t_rank)) {
            t_fail("the call itself: '%s'", t_class_name(t_class(rc)));
        }
        if (which < AT_CLOSE) { /* which prints a line: test/fault/run looks for it */
            t_same_class(function_of(file, which), t_size > 1 ? class_of(kind) : MPI_SUCCESS, name);
            t_ok(function_of(file, which), "a second time");
            t_ok(call(file, kind, 5), "a call after it");
        }
        t_ok(MPI_File_close(&file), "close");
        check_file(writes(kind) ? 6 - (AT_CLOSE == which) : 0, 4, t_size - 1 == t_rank ? 5 : 4);
    }
    t_verdict(name);
}

/* A view for each call, as programs with several variables set it: the ranks do not wait for each
 * other, and learn of an error in a later call. */
static void views_between(kind_t kind)
{
    int told[2] = {NEVER, NEVER}, errors = 0;
    char name[128];
    double ahead;
    MPI_File file;

    if (begin(kind, "ahead=32,errors=late,exchange=off", &file)) {
        ahead = t_pvar_read("calls_ahead", file);
        for (int i = 0; i < CALLS; ++i) {
            int rc;

            t_ok(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), "view");
            if (FAILS == i) {
                break_next(kind);
            }
            rc = call(file, kind, i);
            if (MPI_SUCCESS != rc && errors < 2) {
                told[errors++] = i;
            }
        }
        t_fault_set(NULL);
        ahead = t_pvar_read("calls_ahead", file) - ahead;
        t_ok(MPI_File_close(&file), "close");
        /* two meetings: the first call, and the one in which all are told */
        if (ahead < CALLS - 4) {
            t_fail("%.0f of %d calls without a meeting", ahead, CALLS);
        }
        check_file(writes(kind) ? CALLS : 0, FAILS, t_size - 1 == t_rank ? FAILS + 1 : FAILS);
    }
    /* set_view makes no rank wait, but communicates: nobody is more than a call ahead */
    if (t_size > 1
        && (1 + (t_size - 1 == t_rank) != errors || told[errors - 1] <= FAILS
            || told[errors - 1] > FAILS + 3)) {
        t_fail("%d errors, in calls %d and %d", errors, told[0], told[1]);
    }
    snprintf(name, sizeof(name), "%s_with_views_between", kind_names[kind]);
    t_verdict(name);
}

/* A file with exchanges, which need the same numbers of calls on all ranks: it uses the
 * communicator of the file before it. */
static void next_file_works(void)
{
    MPI_File file;
    int calls = 4;

    MPI_Barrier(MPI_COMM_WORLD); /* all have checked the file before it */

    if (begin(WRITE, "exchange=on,transport=isend", &file)) {
        for (int i = 0; i < calls; ++i) {
            t_ok(call(file, WRITE, i), "write to the next file");
        }
        t_ok(MPI_File_close(&file), "close");
        check_file(calls, calls, calls);
    }
}

/* Ranks leave their loop when they see an error, each at its own time, and close. */
static void leaves_after_error(kind_t kind, const char *hints)
{
    MPI_File file;
    char name[128];
    int made = 0;

    if (begin(kind, hints, &file)) {
        while (made < CALLS) {
            if (FAILS == made) {
                break_next(kind);
            }
            if (MPI_SUCCESS != call(file, kind, made++)) {
                break;
            }
        }
        t_fault_set(NULL);
        t_ok(MPI_File_close(&file), "close");
        if (made < FAILS || made == CALLS) {
            t_fail("left after %d calls", made);
        }
        check_file(writes(kind) ? made : 0, FAILS, t_size - 1 == t_rank ? FAILS + 1 : FAILS);
        next_file_works();
    }
    snprintf(name, sizeof(name), "%s_loop_left_after_an_error_%s", kind_names[kind], hints);
    t_verdict(name);
}

/* 50 calls at once, one of which fails on one rank; the last rank starts them late, so that others
 * come to set_size with calls that it does not know of yet. */
static void outstanding(kind_t kind, bool resize)
{
    enum { MANY = 50 };
    static unsigned char data[MANY][BLOCK];
    MPI_Request request[MANY];
    int failed = 0, rc;
    char name[128];
    MPI_File file;

    if (begin(kind, "ahead=32,errors=late,exchange=off", &file)) {
        if (resize && t_size - 1 == t_rank) {
            usleep(50000);
        }
        for (int i = 0; i < MANY; ++i) {
            int64_t at = place_of(i, t_rank);

            fill(data[i], at, BLOCK);
            if (FAILS == i) {
                break_next(kind);
            }
            rc = IWRITE == kind
                     ? MPI_File_iwrite_at_all(file, at, data[i], BLOCK, MPI_BYTE, &request[i])
                     : MPI_File_iread_at_all(file, at, data[i], BLOCK, MPI_BYTE, &request[i]);
            t_ok(rc, kind_names[kind]);
        }
        failed += resize && MPI_SUCCESS != MPI_File_set_size(file, place_of(MANY, 0));
        for (int i = 0; i < MANY; ++i) {
            MPI_Status status;

            rc = wait_for(&request[i], &status);
            failed += MPI_SUCCESS != rc;
            if (MPI_SUCCESS == rc) {
                t_status_check(&status, BLOCK, kind_names[kind]);
            }
        }
        t_fault_set(NULL);
        rc = MPI_File_sync(file);
        failed += MPI_SUCCESS != rc;
        if (0 == failed) {
            t_fail("the error was never told");
        }
        t_ok(MPI_File_close(&file), "close");
        check_file(IWRITE == kind ? MANY : 0, 0, t_size - 1 == t_rank ? MANY : 0);
    }
    snprintf(name, sizeof(name), "%s_50_outstanding%s", kind_names[kind],
             resize ? "_set_size" : "");
    t_verdict(name);
}

/* One rank is slow. The others count how far they are ahead of it. */
static void bounded(void)
{
    char counts[600];
    _Atomic int *count;
    MPI_File file;
    int fd, most = 0;

    snprintf(counts, sizeof(counts), "%s.counts", path);
    fd = open(counts, O_RDWR | O_CREAT, 0600);
    if (0 != ftruncate(fd, 4096)) {
        t_fail("ftruncate: %s", strerror(errno));
    }
    count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (begin(WRITE, "ahead=32,errors=late,exchange=off", &file)) {
        if (t_size - 1 == t_rank) {
            t_fault_set("op=write,match=late,delay_ms=1");
        }
        for (int i = 0; i < CALLS; ++i) {
            int ahead;

            t_ok(call(file, WRITE, i), "write");
            count[t_rank] = i + 1;
            ahead = i + 1 - count[t_size - 1];
            most = ahead > most ? ahead : most;
        }
        t_fault_set(NULL);
        t_ok(MPI_File_close(&file), "close");
        check_file(CALLS, NEVER, NEVER);
        if (most > AHEAD + 1) { /* the slow rank counts after its call has returned */
            t_fail("%d calls ahead of the slowest", most);
        }
    }
    munmap(count, 4096);
    close(fd);
    unlink(counts);
    t_verdict("nobody_is_too_far_ahead");
}

enum { TINY = 16, PIECES = 64, SLOT = TINY * PIECES };

/* The view of a rank: a slot of each call in one piece, or in tiny pieces between the others'. */
static t_blocks view_of(int rank, bool tiny)
{
    int64_t block = tiny ? TINY : SLOT;

    return (t_blocks){rank * block, block, t_size * block, 1};
}

/* What the first n * TINY bytes of its slot of a call are. */
static t_blocks request_of(int number, int rank, bool tiny, int n)
{
    int64_t region = (int64_t) number * t_size * SLOT;

    return tiny ? (t_blocks){region + (int64_t) rank * TINY, TINY, (int64_t) t_size * TINY, n}
                : (t_blocks){region + (int64_t) rank * SLOT, (int64_t) n * TINY, SLOT, n > 0};
}

/* Mostly the whole slot. In some calls some ranks have less, or nothing. */
static int pieces_of(uint64_t seed, int number, int rank)
{
    uint64_t own = t_mix(t_mix(seed + (uint64_t) number) + (uint64_t) rank);

    if (0 == t_mix(seed * 3 + (uint64_t) number) % 6 && 0 == own % 3) {
        return (int) (own / 3 % (PIECES + 1));
    }
    return PIECES;
}

static void step(MPI_File file, uint64_t seed, int number, bool tiny)
{
    t_blocks mine = request_of(number, t_rank, tiny, pieces_of(seed, number, t_rank));
    unsigned char *data = t_blocks_data(&mine, t_rank);
    int bytes = (int) t_blocks_bytes(&mine);
    uint64_t how = t_mix(seed * 7 + (uint64_t) number);
    int64_t at = (int64_t) number * SLOT;
    MPI_Status status = {0};

    if (t_ok(transfer(file, how % 2 ? IWRITE : WRITE, at, data, bytes, &status), "write")) {
        t_status_check(&status, bytes, "write");
    }
    memset(data, 0, (size_t) bytes);
    if (0 == how % 3
        && t_ok(transfer(file, how % 5 ? READ : IREAD, at, data, bytes, &status), "read")) {
        t_status_check(&status, bytes, "read");
        t_blocks_check(&mine, t_rank, data, "read");
    }
    free(data);
}

static void change_shapes(const char *hints, uint64_t seed)
{
    enum { PHASES = 6, STEPS = 40 };
    t_blocks *all = t_alloc((size_t) (PHASES * STEPS * t_size) * sizeof(*all));
    int *writer = t_alloc((size_t) (PHASES * STEPS * t_size) * sizeof(*writer));
    char name[160];
    MPI_File file;

    if (begin(WRITE, hints, &file)) {
        for (int i = 0; i < PHASES * STEPS; ++i) {
            bool tiny = 0 == t_mix(seed + (uint64_t) (i / STEPS)) % 2;
            t_blocks view = view_of(t_rank, tiny);

            if (0 == i % STEPS) {
                t_blocks_view(file, &view);
            }
            step(file, seed, i, tiny);
            for (int r = 0; r < t_size; ++r) {
                all[i * t_size + r] = request_of(i, r, tiny, pieces_of(seed, i, r));
                writer[i * t_size + r] = r;
            }
        }
        t_ok(MPI_File_close(&file), "close");
        if (0 == t_rank) {
            t_blocks_check_file(path, all, writer, PHASES * STEPS * t_size, 0);
        }
    }
    free(all);
    free(writer);
    snprintf(name, sizeof(name), "requests_change_%s", hints);
    t_verdict(name);
}

static bool one_node(void)
{
    MPI_Comm node;
    int ranks;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &ranks);
    MPI_Comm_free(&node);
    return ranks == t_size;
}

static void errors_of(kind_t kind)
{
    goes_ahead(kind, "ahead=32,errors=late,exchange=off", true);
    goes_ahead(kind, "errors=call,exchange=off", false);
    one_fails(kind, "ahead=32,errors=late,exchange=off", true);
    one_fails(kind, "errors=call,exchange=off", false);
    leaves_after_error(kind, "ahead=32,errors=late,exchange=off");
    leaves_after_error(kind, "ahead=32,errors=late");
    for (int i = 0; i < 4; ++i) {
        told_by_function(kind, i);
    }
    if (one_node()) {
        views_between(kind);
    } else {
        told_by_function(kind, 4);
    }
    told_by_function(kind, AT_CLOSE);
}

int main(int argc, char *argv[])
{
    MPI_File file;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "late");
    if (!t_fault_there()) {
        return t_skip_all("late", "libfault is not preloaded");
    }
    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
    MPI_File_close(&file);
    if (!t_pvar_exists("calls_ahead")) {
        return t_skip_all("late", "the component has no counter for it");
    }
    for (kind_t kind = WRITE; kind < KINDS; ++kind) {
        errors_of(kind);
    }
    goes_ahead(READ, "exchange=off", true);
    goes_ahead(WRITE, "exchange=off", false);
    for (int resize = 0; resize < 2; ++resize) {
        outstanding(IWRITE, resize);
        outstanding(IREAD, resize);
    }
    bounded();
    change_shapes("ahead=32,errors=late", t_seed);
    change_shapes("ahead=32,errors=late,exchange=off", t_seed + 1);
    change_shapes("errors=call", t_seed + 2);
    if (0 == t_rank) {
        unlink(path);
    }
    return t_finish();
}
