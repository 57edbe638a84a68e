/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * One rank cannot get something, at every place where it asks for it: call 1, 2, 3, ... of a kind
 * fails in a sequence of open, set_view, write, read and close, until a sequence needs fewer calls.
 * Each sequence must end (no hang), with the same class on all ranks in each of its calls; what
 * succeeds must be right; the next sequence, without failures, must be right; no descriptor and
 * nothing in /dev/shm may be left. T_NTH_FIRST begins at another number, T_NTH_SHOW prints them.
 *
 *     t_nth KIND VICTIM [STEP [calls|alone]]  with libfault preloaded; KIND: memory, map, shm,
 *                                          fallocate, thread. `run` gives it a /dev/shm of
 *                                          its own. calls: only writes and reads of one open file
 *                                          have failures, and the file stays usable.
 *                                          alone: no other rank has data
 */
#include "t_fault.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void (*nth_begin)(const char *kind, long number);
static int (*nth_end)(void);
static const t_request request = {700, 50, 33, 80}; /* enough pieces for marks */
static char path[512];
static int round_number;              /* each write has other bytes */
static MPI_File kept = MPI_FILE_NULL; /* calls: the open file */
static int alone = -1;                /* alone: the rank with data */

static int writer_of(int rank)
{
    return 100 * round_number + rank;
}

static int files_in(const char *folder, const char *text)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int n = 0;

    while (NULL != dir && NULL != (entry = readdir(dir))) {
        n += NULL != strstr(entry->d_name, text);
    }
    if (NULL != dir) {
        closedir(dir);
    }
    return n;
}

/** Fails the test unless all ranks have the same class. True if the call succeeded. */
static bool agreed(int rc, const char *what, const char *kind, long number)
{
    int mine[2] = {t_class(rc), -t_class(rc)}, all[2];

    MPI_Allreduce(mine, all, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    t_fail_if(all[0] != -all[1], "%s %ld: %s gives '%s' here, another class elsewhere", kind,
              number, what, t_class_name(t_class(rc)));
    return MPI_SUCCESS == all[0] && MPI_SUCCESS == all[1];
}

static int open_file(MPI_File *file)
{
    MPI_Info info = t_info(NULL);
    int rc = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, file);

    MPI_Info_free(&info);
    return rc;
}

static int set_view(MPI_File file, const t_blocks *blocks)
{
    MPI_Datatype type = t_blocks_type(blocks);
    int rc = MPI_File_set_view(file, blocks->first, MPI_BYTE, type, "native", MPI_INFO_NULL);

    MPI_Type_free(&type);
    return rc;
}

/** A write and a read. With a number, what fails may fail; without, all must be well. */
static bool transfers(MPI_File file, const char *kind, long number)
{
    t_blocks mine = t_request_blocks(&request, t_rank);
    int bytes = -1 == alone || t_rank == alone ? (int) t_blocks_bytes(&mine) : 0;
    bool written, read;
    unsigned char *data;
    MPI_Status status;

    ++round_number;
    data = t_blocks_data(&mine, writer_of(t_rank));
    memset(&status, 0, sizeof(status));
    written = agreed(MPI_File_write_at_all(file, 0, data, bytes, MPI_BYTE, &status), "write_at_all",
                     kind, number);
    if (written) {
        t_status_check(&status, bytes, "write_at_all");
    }
    memset(data, 0, (size_t) bytes);
    read = agreed(MPI_File_read_at_all(file, 0, data, bytes, MPI_BYTE, &status), "read_at_all",
                  kind, number);
    if (read && written) {
        t_status_check(&status, bytes, "read_at_all");
        if (0 < bytes) {
            t_blocks_check(&mine, writer_of(t_rank), data, "read_at_all");
        }
    }
    free(data);
    return written && read;
}

/** Open to close, or on the file that is open. */
static void sequence(const char *kind, long number)
{
    t_blocks mine = t_request_blocks(&request, t_rank);
    MPI_File file = MPI_FILE_NULL;
    bool good = true;
    int rc;

    if (MPI_FILE_NULL != kept) {
        good = transfers(kept, kind, number);
    } else {
        rc = open_file(&file);
        good = agreed(rc, "open", kind, number)
               && agreed(set_view(file, &mine), "set_view", kind, number)
               && transfers(file, kind, number);
    }
    if (MPI_FILE_NULL != file) {
        rc = MPI_File_close(&file);
        good = good && MPI_SUCCESS == rc;
    }
    t_fail_if(0 == number && !good, "%s: a sequence without failures failed", kind);
}

static void check_file(void)
{
    if (-1 == alone) {
        t_request_check(&request, writer_of(0), path, 0);
    }
    if (MPI_FILE_NULL == kept) {
        t_remove(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/** Returns how many failures there were. */
static long every_number(const char *kind, int victim, long step)
{
    const char *first = getenv("T_NTH_FIRST");
    long number = NULL == first ? 1 : atol(first), times = 0;
    int hit, wrong, all;

    do {
        if (NULL != getenv("T_NTH_SHOW") && 0 == t_rank) {
            fprintf(stderr, "%s %ld\n", kind, number);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (t_rank == victim) {
            nth_begin(kind, number);
        }
        sequence(kind, number);
        hit = t_rank == victim ? nth_end() : 0;
        MPI_Bcast(&hit, 1, MPI_INT, victim, MPI_COMM_WORLD);
        sequence(kind, 0);
        check_file();
        number += step;
        times += hit;
        wrong = t_failures();
        MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    } while (hit && 0 == all);
    return times;
}

int main(int argc, char *argv[])
{
    int before, after;
    bool threads;
    long times;

    t_init(&argc, &argv);
    *(void **) &nth_begin = dlsym(RTLD_DEFAULT, "nth_begin");
    *(void **) &nth_end = dlsym(RTLD_DEFAULT, "nth_end");
    if (argc < 3 || NULL == nth_begin || NULL == nth_end) {
        return t_skip_all("nth", "started by run, with arguments and libfault");
    }
    threads = 0 == strcmp("thread", argv[1]);
    t_path(path, sizeof(path), "nth");
    alone = argc > 4 && 0 == strcmp("alone", argv[4]) ? atoi(argv[2]) % t_size : -1;
    if (threads) { /* the pool is made once, by the first call: only load the components */
        MPI_File file;

        t_ok(open_file(&file), "open");
        t_ok(MPI_File_close(&file), "close");
    } else { /* what lives as long as the process is there afterwards */
        sequence(argv[1], 0);
        check_file();
    }
    if (argc > 4 && -1 == alone) {
        t_blocks mine = t_request_blocks(&request, t_rank);

        t_ok(open_file(&kept), "open");
        t_ok(set_view(kept, &mine), "set_view");
    }
    before = files_in("/proc/self/fd", "");
    times = every_number(argv[1], atoi(argv[2]) % t_size, argc > 3 ? atol(argv[3]) : 1);
    after = files_in("/proc/self/fd", "");
    t_fail_if(after > before && !threads, "%d descriptors are open, %d were", after, before);
    if (MPI_FILE_NULL != kept) {
        t_ok(MPI_File_close(&kept), "close");
        check_file();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    t_fail_if(NULL != getenv("T_OWN_SHM") && 0 == t_rank && 0 < files_in("/dev/shm", "collio"),
              "a segment is left in /dev/shm");
    t_fail_if(0 == times, "nothing failed");
    t_verdict("%s: each of %ld failures", argv[1], times);
    return t_finish();
}
