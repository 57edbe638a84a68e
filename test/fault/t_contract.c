/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of collective calls: blocking or not, with an exchange or without, every call
 * returns the same class on all ranks. An access that fails on one rank fails this call on all of
 * them, and no other call. Ranks that leave their loop after the error close the file and open the
 * next one. Every byte is compared by POSIX. Runs with libfault preloaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t_fault.h"

#include "lib/t_call.h"
#include "lib/t_pvar.h"

enum {
    BLOCK = 512, /* bytes of a rank and call */
    CALLS = 40,
    FAILS = 16, /* the call that fails */
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

static t_call call_of(kind_t kind)
{
    return (t_call){writes(kind), true, true, kind < IWRITE ? T_BLOCK : T_START};
}

static int transfer(MPI_File file, kind_t kind, int64_t at, void *data, int bytes,
                    MPI_Status *status)
{
    t_call call = call_of(kind);

    return t_call_make(file, &call, at, data, bytes, MPI_BYTE, status);
}

/* One call of this rank, checked: its bytes when it reads, its count unless it failed itself. */
static int call(MPI_File file, kind_t kind, int number)
{
    unsigned char data[BLOCK] = {0};
    int64_t at = place_of(number, t_rank);
    MPI_Status status = {0};
    int rc;

    if (writes(kind)) {
        t_fill(data, at, BLOCK, t_rank);
    }
    rc = transfer(file, kind, at, data, BLOCK, &status);
    if (MPI_SUCCESS == rc) {
        t_status_check(&status, BLOCK, kind_names[kind]);
        t_fail_if(!t_holds(data, at, BLOCK, t_rank), "%s: call %d returned other bytes",
                  kind_names[kind], number);
    }
    return rc;
}

/* The file as `calls` calls of all ranks leave it, made by POSIX. */
static void make_file(int calls)
{
    unsigned char data[BLOCK];
    int fd = open(path, O_RDWR | O_CREAT, 0600);

    for (int i = 0; i < calls; ++i) {
        t_fill(data, place_of(i, t_rank), BLOCK, t_rank);
        t_fail_if(BLOCK != pwrite(fd, data, BLOCK, place_of(i, t_rank)), "pwrite: %s",
                  strerror(errno));
    }
    close(fd);
}

/* Whose blocks a failed access leaves out: with an exchange the failing rank writes for all. */
typedef enum { LAST_RANK, ALL_RANKS } losers_t;

/* Every rank looks at its own blocks. The losers' blocks of calls from `hole` to `end` need not be
 * there. */
static void check_file(int calls, int hole, int end, losers_t losers)
{
    unsigned char data[BLOCK];
    int fd = open(path, O_RDONLY);

    for (int i = 0; i < calls; ++i) {
        if ((ALL_RANKS == losers || t_size - 1 == t_rank) && i >= hole && i < end) {
            continue;
        }
        if (BLOCK != pread(fd, data, BLOCK, place_of(i, t_rank))
            || !t_holds(data, place_of(i, t_rank), BLOCK, t_rank)) {
            t_fail("call %d: other bytes in the file", i);
            break;
        }
    }
    close(fd);
}

static bool begin(kind_t kind, const char *hints, MPI_File *file)
{
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!writes(kind)) {
        make_file(CALLS + 10);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, file);
}

/* The next access of the last rank fails. */
static void break_next(kind_t kind)
{
    char spec[128];

    snprintf(spec, sizeof(spec), "op=%s,match=contract,rank=%d,errno=%d,at=1,times=1",
             writes(kind) ? "write" : "read", t_size - 1, writes(kind) ? ENOSPC : EIO);
    t_fault_set(spec);
}

static int class_of(kind_t kind)
{
    return writes(kind) ? MPI_ERR_NO_SPACE : MPI_ERR_IO;
}

/* Fails the test unless all ranks have the same number. */
static void all_have(int number, const char *what)
{
    int mine[2] = {number, -number}, most[2];

    MPI_Allreduce(mine, most, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    t_fail_if(most[0] != -most[1], "%s: %d here, %d to %d elsewhere", what, number, -most[1],
              most[0]);
}

/* One call fails on one rank, and so on all; none of the others does. With `views` the program sets
 * a view before each call. */
static void one_fails(kind_t kind, const char *hints, bool views)
{
    MPI_File file;
    char name[128];

    snprintf(name, sizeof(name), "%s_fails%s_%s", kind_names[kind], views ? "_between_views" : "",
             hints);
    if (begin(kind, hints, &file)) {
        for (int i = 0; i < CALLS; ++i) {
            if (views) {
                t_ok(MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL),
                     "set_view");
            }
            if (FAILS == i) {
                break_next(kind);
            }
            t_same_class(call(file, kind, i), FAILS == i ? class_of(kind) : MPI_SUCCESS, name);
        }
        t_fault_set(NULL);
        t_ok(MPI_File_close(&file), "close");
        check_file(writes(kind) ? CALLS : 0, FAILS, FAILS + 1, LAST_RANK);
    }
    t_verdict("%s", name);
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

/* The call before a collective function fails: the function does not, and the next call works. */
static void function_after_error(kind_t kind, int which)
{
    static const char *const names[] = {"sync", "set_size", "preallocate", "set_atomicity",
                                        "set_view"};
    char name[128];
    MPI_File file;

    snprintf(name, sizeof(name), "%s_error_before_%s", kind_names[kind], names[which]);
    if (begin(kind, "exchange=off", &file)) {
        for (int i = 0; i < 4; ++i) {
            t_ok(call(file, kind, i), kind_names[kind]);
        }
        break_next(kind);
        t_same_class(call(file, kind, 4), class_of(kind), name);
        t_fault_set(NULL);
        t_ok(function_of(file, which), names[which]);
        t_ok(call(file, kind, 5), "a call after it");
        t_ok(MPI_File_close(&file), "close");
        check_file(writes(kind) ? 6 : 0, 4, 5, LAST_RANK);
    }
    t_verdict("%s", name);
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
        check_file(calls, calls, calls, LAST_RANK);
    }
}

/* All ranks leave their loop in the same call, close the file and open the next one. The last rank
 * is the only aggregator, so the access that fails is its own, with an exchange or without. */
static void leaves_after_error(kind_t kind, const char *exchange)
{
    MPI_File file;
    char hints[64];
    double direct;
    int made = 0;

    snprintf(hints, sizeof(hints), "%s,aggregator_list=%d", exchange, t_size - 1);
    if (begin(kind, hints, &file)) {
        direct = t_pvar_read("calls_direct", file);
        while (made < CALLS) {
            if (FAILS == made) {
                break_next(kind);
            }
            if (MPI_SUCCESS != call(file, kind, made++)) {
                break;
            }
        }
        t_fault_set(NULL);
        direct = t_pvar_read("calls_direct", file) - direct;
        t_ok(MPI_File_close(&file), "close");
        all_have(made, "calls made");
        t_fail_if(made < FAILS || made == CALLS, "left after %d calls", made);
        check_file(writes(kind) ? made : 0, FAILS, made, direct > 0 ? LAST_RANK : ALL_RANKS);
        next_file_works();
    }
    t_verdict("%s_loop_left_after_an_error_%s", kind_names[kind], exchange);
}

/* 50 calls at once, one of which fails on one rank, and so on all. The last rank starts them later
 * than the others, which come to set_size while their calls are outstanding. */
static void outstanding(kind_t kind)
{
    enum { MANY = 50 };
    static unsigned char data[MANY][BLOCK];
    MPI_Request request[MANY];
    t_call made = call_of(kind);
    int failed = -1, errors = 0, rc;
    char name[128];
    MPI_Status status;
    MPI_File file;

    snprintf(name, sizeof(name), "%s_50_outstanding_set_size", kind_names[kind]);
    if (begin(kind, "exchange=off", &file)) {
        if (t_size - 1 == t_rank) {
            usleep(50000);
        }
        for (int i = 0; i < MANY; ++i) {
            int64_t at = place_of(i, t_rank);

            t_fill(data[i], at, BLOCK, t_rank);
            if (FAILS == i) {
                break_next(kind);
            }
            t_ok(t_call_start(file, &made, at, data[i], BLOCK, MPI_BYTE, &status, &request[i]),
                 kind_names[kind]);
        }
        t_ok(MPI_File_set_size(file, place_of(MANY, 0)), "set_size");
        for (int i = 0; i < MANY; ++i) {
            rc = t_call_end(file, &made, data[i], &status, &request[i]);
            if (MPI_SUCCESS == rc) {
                t_status_check(&status, BLOCK, kind_names[kind]);
            } else {
                failed = i;
                errors += class_of(kind) == t_class(rc) ? 1 : 2;
            }
        }
        t_fault_set(NULL);
        all_have(failed, name);
        t_fail_if(1 != errors, "%d calls failed, or with another class", errors);
        t_ok(MPI_File_sync(file), "sync");
        t_ok(MPI_File_close(&file), "close");
        check_file(IWRITE == kind ? MANY : 0, failed, failed + 1, LAST_RANK);
    }
    t_verdict("%s", name);
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
    t_expected all = {0};
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
                t_expect(&all, request_of(i, r, tiny, pieces_of(seed, i, r)), r);
            }
        }
        t_ok(MPI_File_close(&file), "close");
        t_expected_check(&all, 0 == t_rank ? path : NULL, 0);
    }
    t_verdict("requests_change_%s", hints);
}

/* A split call that the mode of the handle does not allow: its end is an error as well, and the
 * next split call works. */
static void no_begin(bool write, bool at)
{
    const t_call wrong = {write, true, at, T_BEGIN}, good = {!write, true, at, T_BEGIN};
    unsigned char data[BLOCK];
    int64_t place = place_of(0, t_rank);
    MPI_Status status;
    MPI_File file;

    make_file(1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, write ? MPI_MODE_RDONLY : MPI_MODE_WRONLY, NULL, &file)) {
        t_fill(data, place, BLOCK, t_rank);
        t_ok(MPI_File_seek(file, place, MPI_SEEK_SET), "seek");
        t_fail_if(MPI_SUCCESS
                      == t_call_start(file, &wrong, place, data, BLOCK, MPI_BYTE, &status, NULL),
                  "the call begins");
        t_fail_if(MPI_SUCCESS == t_call_end(file, &wrong, data, &status, NULL), "the call ends");
        t_ok(t_call_make(file, &good, place, data, BLOCK, MPI_BYTE, &status), "next call");
        t_status_check(&status, BLOCK, "next call");
        t_fail_if(!t_holds(data, place, BLOCK, t_rank), "other bytes");
        t_ok(MPI_File_close(&file), "close");
    }
    check_file(1, 1, 1, LAST_RANK);
    t_verdict("%s%s_end_without_begin", write ? "write" : "read", at ? "_at" : "");
}

static void errors_of(kind_t kind)
{
    one_fails(kind, "exchange=off", false);
    one_fails(kind, "exchange=off", true);
    leaves_after_error(kind, "exchange=off");
    leaves_after_error(kind, "exchange=auto");
    leaves_after_error(kind, "exchange=on");
    for (int i = 0; i < 5; ++i) {
        function_after_error(kind, i);
    }
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "contract");
    if (!t_fault_there()) {
        return t_skip_all("contract", "libfault is not preloaded");
    }
    for (kind_t kind = WRITE; kind < KINDS; ++kind) {
        errors_of(kind);
    }
    for (int i = 0; i < 4; ++i) {
        no_begin(0 != (i & 1), 0 != (i & 2));
    }
    outstanding(IWRITE);
    outstanding(IREAD);
    change_shapes("exchange=auto", t_seed);
    change_shapes("exchange=off", t_seed + 1);
    change_shapes("exchange=on", t_seed + 2);
    t_remove(path);
    return t_finish();
}
