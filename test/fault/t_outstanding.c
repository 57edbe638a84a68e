/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Many nonblocking calls without an exchange that are outstanding together: an error is returned by
 * the same call on all ranks; ranks start different numbers of calls before they wait, some have
 * nothing to access, some calls are too large to be made at once. Every byte is compared by POSIX.
 *
 * And blocking calls without an exchange, in both directions by turns. The first collective read
 * after collective writes finds what all ranks have written, and the first collective write after
 * collective reads harms no rank that is still reading, however long that rank takes. Runs with
 * libfault preloaded.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "t_fault.h"

enum { MANY = 50, ROOM = 128 << 10, FAILS = 20 };
enum { ROUNDS = 12, IN_ROUND = 8, SMALL = 512, LATE_US = 20000 };

static char path[512];

/* Bytes of one call. Each rank and call has its own place of ROOM bytes. */
static int bytes_of(uint64_t seed, int number, int rank)
{
    uint64_t draw = t_mix(seed + 977 * (uint64_t) number + 31 * (uint64_t) rank);

    if (0 == seed) {
        return 64;
    }
    return 0 == draw % 5 ? 0 : 0 == draw % 7 ? ROOM - (int) (draw % 1000) : 1 + (int) (draw % 300);
}

static int64_t place_of(int number, int rank)
{
    return ((int64_t) number * t_size + rank) * ROOM;
}

/* Own places only. `hole`: a call that failed on the last rank. */
static void check_file(uint64_t seed, int hole)
{
    static unsigned char data[ROOM];
    int fd = open(path, O_RDONLY);

    for (int i = 0; i < MANY; ++i) {
        int bytes = bytes_of(seed, i, t_rank);

        if (i == hole && t_size - 1 == t_rank) {
            continue;
        }
        if (bytes != pread(fd, data, (size_t) bytes, place_of(i, t_rank))
            || !t_holds(data, place_of(i, t_rank), bytes, t_rank)) {
            t_fail("call %d: other bytes in the file", i);
            break;
        }
    }
    close(fd);
}

static void start(MPI_File file, bool write, uint64_t seed, int number, unsigned char *data,
                  MPI_Request *request)
{
    int64_t at = place_of(number, t_rank);
    int bytes = bytes_of(seed, number, t_rank);

    if (0 != seed && 0 == t_mix(seed ^ (uint64_t) (number * t_size + t_rank)) % 16) {
        usleep(500); /* others are ahead of this rank */
    }
    if (write) {
        t_fill(data, at, bytes, t_rank);
        t_ok(MPI_File_iwrite_at_all(file, at, data, bytes, MPI_BYTE, request), "iwrite_at_all");
    } else {
        t_ok(MPI_File_iread_at_all(file, at, data, bytes, MPI_BYTE, request), "iread_at_all");
    }
}

static void end(bool write, uint64_t seed, int number, const unsigned char *data, int hole,
                MPI_Request *request)
{
    int bytes = bytes_of(seed, number, t_rank), rc;
    MPI_Status status;

    rc = MPI_Wait(request, &status);
    rc = MPI_ERR_IN_STATUS == t_class(rc) ? status.MPI_ERROR : rc;
    if (number == hole) {
        t_same_class(rc, write ? MPI_ERR_NO_SPACE : MPI_ERR_IO, "the call that failed on one rank");
        return;
    }
    t_ok(rc, "wait");
    t_status_check(&status, bytes, "wait");
    t_fail_if(!t_holds(data, place_of(number, t_rank), bytes, t_rank),
              "call %d: other bytes in memory", number);
}

/* MANY calls, at most `most` of which are under way at a time, differently on each rank if there
 * is a seed: a rank waits when it likes, for the oldest call. */
static void calls(MPI_File file, bool write, uint64_t seed, int most, int hole)
{
    unsigned char *data = calloc(MANY, ROOM);
    MPI_Request request[MANY];
    int ended = 0;

    for (int i = 0; i < MANY; ++i) {
        int own = 0 == seed ? most
                            : 1 + (int) (t_mix(seed + (uint64_t) (i + t_rank)) % (uint64_t) most);

        start(file, write, seed, i, data + (size_t) i * ROOM, &request[i]);
        for (; i + 1 - ended > own; ++ended) {
            end(write, seed, ended, data + (size_t) ended * ROOM, hole, &request[ended]);
        }
    }
    for (; ended < MANY; ++ended) {
        end(write, seed, ended, data + (size_t) ended * ROOM, hole, &request[ended]);
    }
    free(data);
}

static void run(bool write, uint64_t seed, bool fails)
{
    char spec[128];
    MPI_File file;

    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, "exchange=off", &file);
    snprintf(spec, sizeof(spec), "op=%s,match=outstanding,rank=%d,errno=%d,at=%d,times=1",
             write ? "write" : "read", t_size - 1, write ? ENOSPC : EIO, FAILS + 1);
    t_fault_set(fails ? spec : NULL);
    calls(file, write, seed, MANY, fails ? FAILS : -1);
    t_fault_set(NULL);
    t_ok(MPI_File_close(&file), "close");
    check_file(seed, write && fails ? FAILS : -1);
    t_verdict("%s%s%s", write ? "iwrite" : "iread", fails ? "_one_fails" : "",
              0 == seed ? "" : "_random");
}

/* In every round another rank is late for the last call. */
static void be_late(int round, int call)
{
    if (IN_ROUND - 1 == call && round % t_size == t_rank) {
        usleep(LATE_US);
    }
}

static void write_own(MPI_File file, int round)
{
    unsigned char data[SMALL];
    MPI_Status status;

    for (int call = 0; call < IN_ROUND; ++call) {
        t_fill(data, place_of(call, t_rank), SMALL, round);
        be_late(round, call);
        t_ok(MPI_File_write_at_all(file, place_of(call, t_rank), data, SMALL, MPI_BYTE, &status),
             "write_at_all");
        t_status_check(&status, SMALL, "write_at_all");
    }
}

/* The blocks of rank + shift, the last ones first: they may still be on their way. */
static void read_others(MPI_File file, int round, int shift)
{
    unsigned char data[SMALL];
    int other = (t_rank + shift) % t_size;
    MPI_Status status;

    for (int call = 0; call < IN_ROUND; ++call) {
        be_late(round + 1, call);
        t_ok(MPI_File_read_at_all(file, place_of(IN_ROUND - 1 - call, other), data, SMALL, MPI_BYTE,
                                  &status),
             "read_at_all");
        t_status_check(&status, SMALL, "read_at_all");
        t_fail_if(!t_holds(data, place_of(IN_ROUND - 1 - call, other), SMALL, round),
                  "round %d, block %d of rank %d: other bytes", round, IN_ROUND - 1 - call, other);
    }
}

static void by_turns(const char *hints)
{
    MPI_File file;

    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
    for (int round = 0; round < ROUNDS; ++round) {
        write_own(file, round);
        read_others(file, round, 1 + round % 3);
    }
    t_ok(MPI_File_close(&file), "close");
    t_verdict("by_turns_%s", hints);
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "outstanding");
    if (!t_fault_there()) {
        return t_skip_all("outstanding", "libfault is not preloaded");
    }
    for (int i = 0; i < 4; ++i) {
        run(true, 0 == i ? 0 : t_seed + (uint64_t) i, false);
        run(false, 0 == i ? 0 : t_seed + (uint64_t) i, false);
    }
    run(true, 0, true);
    run(true, 0, false); /* what the failed call left out, for the reads */
    run(false, 0, true);
    by_turns("exchange=off");
    by_turns("exchange=auto");
    t_remove(path);
    return t_finish();
}
