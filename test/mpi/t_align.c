/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Alignment of domains and windows. The program stands in front of fstatfs, fstat, pwrite and
 * pwritev: it turns the file system into NFS with blocks of 64 KiB, and notes which rank writes
 * where. With alignment no block has two writers, and every write begins with a block or with the
 * request; without it the test must see a block with two writers, or it would see nothing. A
 * second write of the same shape goes elsewhere: a block of the file system is given up for the
 * plan, a unit that was set is not. Bytes are compared by POSIX.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { NFS = 0x6969, BLOCK = 65536, SET = 3 * 32768, PIECE = 1000, PIECES = 1200, MOST = 4096 };
enum { FIRST = 12345, MOVED = 7654321 }; /* where the two writes begin */

static char path[512];
static bool pretend, asked;
static bool noting;
static int64_t noted[MOST][2]; /* offset, end */
static int notes;

int fstatfs(int fd, struct statfs *about)
{
    int rc = (int) syscall(SYS_fstatfs, fd, about);

    if (0 == rc && pretend) {
        about->f_type = NFS;
    }
    return rc;
}

int fstat(int fd, struct stat *about)
{
    int rc = fstatat(fd, "", about, 0x1000 /* AT_EMPTY_PATH */);

    if (0 == rc && pretend) {
        asked = true;
        about->st_blksize = BLOCK;
    }
    return rc;
}

static void note(int64_t offset, ssize_t bytes)
{
    if (noting && bytes > 0) {
        int i = __atomic_fetch_add(&notes, 1, __ATOMIC_RELAXED);

        if (i < MOST) {
            noted[i][0] = offset;
            noted[i][1] = offset + bytes;
        }
    }
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    ssize_t moved = syscall(SYS_pwrite64, fd, data, bytes, offset);

    note(offset, moved);
    return moved;
}

ssize_t pwritev(int fd, const struct iovec *iov, int count, off_t offset)
{
    ssize_t moved = syscall(SYS_pwritev, fd, iov, count, (long) offset, 0L);

    note(offset, moved);
    return moved;
}

static t_blocks blocks_at(int64_t first, int rank)
{
    return (t_blocks){first + (int64_t) rank * PIECE, PIECE, (int64_t) t_size * PIECE, PIECES};
}

/* Blocks that two ranks wrote to, and writes that begin inside a block. */
static void judge(int64_t first, int64_t unit, int64_t *shared, int64_t *inside)
{
    int64_t end = first + (int64_t) t_size * PIECE * PIECES;
    int blocks = (int) (end / unit + 1);
    int *mine = calloc((size_t) blocks, sizeof(*mine)),
        *writers = calloc((size_t) blocks, sizeof(*writers));
    int64_t begun = 0;

    t_fail_if(notes > MOST, "%d writes: more than were noted", notes);
    for (int i = 0; i < notes && i < MOST; i++) {
        for (int64_t b = noted[i][0] / unit; b <= (noted[i][1] - 1) / unit && b < blocks; b++) {
            mine[b] = 1;
        }
        begun += 0 != noted[i][0] % unit && noted[i][0] != first;
    }
    MPI_Allreduce(mine, writers, blocks, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&begun, inside, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    *shared = 0;
    for (int b = 0; b < blocks; b++) {
        *shared += writers[b] > 1;
    }
    free(mine);
    free(writers);
}

typedef struct align_case {
    const char *name;
    const char *hints;
    int64_t unit;    /* expected, or looked for in vain */
    bool network;    /* what the file system pretends to be */
    bool aligned;    /* is expected */
    bool moves_with; /* the plan is kept when the request moves */
} align_case;

static void write_at(MPI_File file, const align_case *c, int64_t first, bool aligned)
{
    t_blocks mine = blocks_at(first, t_rank);
    int64_t shared, inside;

    t_blocks_view(file, &mine);
    notes = 0;
    noting = true;
    t_blocks_write(file, &mine, t_rank);
    noting = false;
    judge(first, c->unit, &shared, &inside);
    t_fail_if(aligned && (shared > 0 || inside > 0),
              "%s, at %lld: %lld blocks have two writers, %lld writes begin inside one", c->name,
              (long long) first, (long long) shared, (long long) inside);
    t_fail_if(!aligned && t_size > 1 && 0 == shared, "%s, at %lld: no block has two writers",
              c->name, (long long) first);
}

static void check_bytes(void)
{
    t_expected all = {0};

    for (int i = 0; i < 2 * t_size; i++) {
        t_expect(&all, blocks_at(i < t_size ? FIRST : MOVED, i % t_size), i % t_size);
    }
    t_expected_check(&all, path, 0);
}

static void run(const align_case *c)
{
    MPI_File file;
    double hits;

    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    pretend = c->network;
    asked = false;
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, c->hints, &file)) {
        hits = t_pvar_read("plan_hits", file);
        write_at(file, c, FIRST, c->aligned);
        write_at(file, c, MOVED, c->aligned && !c->moves_with);
        hits = t_pvar_read("plan_hits", file) - hits;
        t_fail_if((hits > 0) != c->moves_with, "%s: the plan was %s", c->name,
                  hits > 0 ? "kept" : "made anew");
        t_fail_if(c->network && NULL == strstr(c->hints, "align_bytes") && !asked,
                  "%s: nobody asked for the size of a block", c->name);
        t_ok(MPI_File_close(&file), "close");
        pretend = false;
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == t_rank) {
            check_bytes();
        }
    }
    pretend = false;
    t_verdict("%s", c->name);
}

#define FEW "exchange=on,aggregators=2,schedule=write_comm2,buffer_bytes=1M"

int main(int argc, char *argv[])
{
    static const align_case cases[] = {
        {"network", FEW, BLOCK, true, true, true},
        {"network_isend", FEW ",transport=isend", BLOCK, true, true, true},
        {"network_small_buffer", FEW ",buffer_bytes=262144", BLOCK, true, true, true},
        {"local", FEW, BLOCK, false, false, true},
        {"switched_off", FEW ",align_bytes=1", BLOCK, true, false, true},
        {"set", FEW ",align_bytes=96K", SET, false, true, false},
        {"set_wins", FEW ",align_bytes=96K", SET, true, true, false}};

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "align");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run(&cases[i]);
    }
    t_remove(path);
    return t_finish();
}
