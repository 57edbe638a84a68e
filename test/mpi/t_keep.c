/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is kept between files: communicators, shared memory, buffers, plans. Files of the same
 * processes, one after the other and several at a time, on communicators that are duplicated,
 * freed, reordered, subsets, or MPI_COMM_SELF. Every file is written, read back and compared by
 * POSIX.
 *
 *   t_keep           the above
 *   t_keep many      many files: no memory, descriptor or mapping is left behind by any of them
 *   t_keep count     prints the messages of open + close of some files, for the runner to compare
 */
#include "lib/t_messages.h"
#include "lib/t_pvar.h"
#include "lib/t_work.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double kept(void)
{
    return t_pvar_read("files_reused", MPI_FILE_NULL);
}

/* The counter counts from its first read on; it exists from the first open on. */
static void test_one_after_the_other(void)
{
    double before;

    t_work_whole(MPI_COMM_WORLD, "keep_a", 0, NULL);
    before = kept();
    for (int i = 1; i < 6; ++i) {
        t_work_whole(MPI_COMM_WORLD, "keep_a", i, NULL);
    }
    t_fail_if(before >= 0 && kept() - before != 5, "%g of 5 files have found a context",
              kept() - before);
    t_verdict("files one after the other");
}

/* The plan of the first file serves the second: same shape, elsewhere in the file. */
static void test_plans(void)
{
    double misses = -1, hits = 0;

    for (int i = 0; i < 3; ++i) {
        t_work f;

        t_work_open(&f, MPI_COMM_WORLD, "keep_p", i, "exchange=on");
        t_work_write(&f);
        t_work_close(&f);
        if (0 == i) {
            misses = t_pvar_read("plan_misses", MPI_FILE_NULL);
            hits = t_pvar_read("plan_hits", MPI_FILE_NULL);
        }
    }
    t_fail_if(misses >= 0
                  && (t_pvar_read("plan_misses", MPI_FILE_NULL) != misses
                      || t_pvar_read("plan_hits", MPI_FILE_NULL) != hits + 2),
              "later files: %g calls planned anew, %g of 2 reused a plan",
              t_pvar_read("plan_misses", MPI_FILE_NULL) - misses,
              t_pvar_read("plan_hits", MPI_FILE_NULL) - hits);
    t_verdict("a plan serves the next files");
}

static void test_duplicates(void)
{
    double before = kept();
    MPI_Comm outer, inner;

    for (int i = 0; i < 4; ++i) { /* as libraries do for every file */
        MPI_Comm_dup(MPI_COMM_WORLD, &outer);
        MPI_Comm_dup(outer, &inner);
        MPI_Comm_free(&outer);
        t_work_whole(inner, "keep_u", i, "exchange=on");
        MPI_Comm_free(&inner);
    }
    t_fail_if(before >= 0 && kept() - before != 4,
              "%g of 4 files on duplicates have found a context", kept() - before);
    t_verdict("duplicates of a communicator, freed between files");
}

static int attached; /* copies of the attribute of test_attributes */

static int copy_attribute(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *flag)
{
    (void) comm;
    (void) key;
    (void) extra;
    *(void **) copy = value;
    *flag = 1;
    ++attached;
    return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void *value, void *extra)
{
    (void) comm;
    (void) key;
    (void) value;
    (void) extra;
    --attached;
    return MPI_SUCCESS;
}

/* Attributes of the user's communicator are not attached to what is kept. */
static void test_attributes(void)
{
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm comm;

    MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL);
    for (int i = 0; i < 3; ++i) {
        MPI_Comm_split(MPI_COMM_WORLD, 0, 0 == i ? -t_rank : t_rank, &comm);
        MPI_Comm_set_attr(comm, key, NULL);
        attached = 1;
        t_work_whole(comm, "keep_a", i, 1 == i ? "keep=off" : "exchange=on");
        t_fail_if(1 != attached, "the attribute is attached to %d communicators after the close",
                  attached);
        MPI_Comm_free(&comm);
        t_fail_if(0 != attached,
                  "the attribute is attached to %d communicators after MPI_Comm_free", attached);
    }
    MPI_Comm_free_keyval(&key);
    t_verdict("attributes of the communicator");
}

/* Open at a time: more than a set has slots for, on communicators with the same processes, halves
 * in reverse order and single ranks. State in the wrong place (per process instead of per file,
 * world rank instead of file rank) shows here. */
static void test_at_once(void)
{
    enum { FILES = 8, COMMS = 4 };
    MPI_Comm comm[COMMS] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL, MPI_COMM_SELF};
    int group[COMMS] = {0, 0, t_rank % 2, t_rank};
    t_work f[FILES];
    char name[32];

    MPI_Comm_dup(MPI_COMM_WORLD, &comm[1]);
    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, -t_rank, &comm[2]);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < FILES; ++i) {
            snprintf(name, sizeof(name), "keep_o%d.%d", i, group[i % COMMS]);
            t_work_open(&f[i], comm[i % COMMS], name, i, i < COMMS ? "exchange=on" : NULL);
        }
        for (int i = 0; i < FILES; ++i) {
            t_work_write(&f[(i + round) % FILES]);
        }
        for (int i = FILES; i-- > 0;) {
            t_work_read(&f[i]);
        }
        for (int i = 0; i < FILES; ++i) { /* not in the order of the opens */
            t_work_close(&f[(i * 3 + round) % FILES]);
        }
    }
    MPI_Comm_free(&comm[1]);
    MPI_Comm_free(&comm[2]);
    t_verdict("several files open at a time");
}

/* A large message of rank 0, which waits in a collective call, must arrive at the last rank, which
 * receives it before it makes the call. */
static void test_message(void)
{
    enum { BYTES = 16 << 20 };
    unsigned char *message = memset(t_alloc(BYTES), 0 == t_rank ? 77 : 0, BYTES);
    MPI_Request request = MPI_REQUEST_NULL;
    int last = t_size - 1;
    t_work f;

    t_work_open(&f, MPI_COMM_WORLD, "keep_g", 7, NULL);
    for (int i = 0; i < 3 && last > 0; i++) {
        if (0 == t_rank) {
            MPI_Isend(message, BYTES, MPI_BYTE, last, 7, MPI_COMM_WORLD, &request);
        } else if (last == t_rank) {
            usleep(50000);
            MPI_Recv(message, BYTES, MPI_BYTE, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            t_fail_if(77 != message[0] || 0 != memcmp(message, message + 1, BYTES - 1),
                      "other bytes in the message");
        }
        t_work_write(&f);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    t_work_write(&f);
    t_work_close(&f);
    free(message);
    t_verdict("a message under way while its sender waits in a call");
}

/* Nonblocking calls of two files are under way while a third one is opened and used. */
static void test_under_way(void)
{
    t_work f[2];
    unsigned char *data[2];
    MPI_Request request[2];

    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 2; ++i) {
            t_blocks mine;

            t_work_open(&f[i], MPI_COMM_WORLD, i ? "keep_n1" : "keep_n0", i, "exchange=on");
            mine = t_work_blocks(&f[i], f[i].rank);
            data[i] = t_blocks_data(&mine, t_work_writer(&f[i], f[i].rank));
            t_blocks_view(f[i].file, &mine);
            t_ok(MPI_File_iwrite_all(f[i].file, data[i], T_WORK_BYTES, MPI_BYTE, &request[i]),
                 "iwrite_all");
        }
        t_work_whole(MPI_COMM_WORLD, "keep_n2", 2, "exchange=on");
        for (int i = 2; i-- > 0;) {
            t_ok(MPI_Wait(&request[i], MPI_STATUS_IGNORE), "wait");
            free(data[i]);
            t_work_close(&f[i]);
        }
    }
    t_verdict("an open while calls of other files are under way");
}

static void test_subsets(void)
{
    MPI_Comm halves, reversed;
    char name[32];

    MPI_Comm_split(MPI_COMM_WORLD, t_rank % 2, t_rank, &halves);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -t_rank, &reversed);
    for (int i = 0; i < 3; ++i) {
        snprintf(name, sizeof(name), "keep_h%d", t_rank % 2);
        t_work_whole(halves, name, i, NULL);
        t_work_whole(reversed, "keep_r", i, "exchange=on");
        t_work_whole(MPI_COMM_WORLD, "keep_w", i, "exchange=on");
        snprintf(name, sizeof(name), "keep_self%d", t_rank);
        t_work_whole(MPI_COMM_SELF, name, i, 0 == i % 2 ? NULL : "exchange=on");
    }
    MPI_Comm_free(&halves);
    MPI_Comm_free(&reversed);
    t_verdict("subsets, another order, MPI_COMM_SELF");
}

/* More sets than a process keeps: what is too many works, and is not kept. */
static void test_many_sets(void)
{
    for (int mask = 1; mask < 40; ++mask) {
        bool in = 0 == t_rank || 0 != ((mask >> (t_rank % 6)) & 1);
        MPI_Comm comm;

        MPI_Comm_split(MPI_COMM_WORLD, in ? 0 : MPI_UNDEFINED, mask % 2 ? t_rank : -t_rank, &comm);
        if (in) {
            t_work_whole(comm, "keep_m", mask, "exchange=on");
            MPI_Comm_free(&comm);
        }
    }
    t_verdict("more sets of processes than are kept");
}

static void test_no_calls(void)
{
    t_work f;

    for (int i = 0; i < 5; ++i) {
        t_work_open(&f, MPI_COMM_WORLD, "keep_e", i, NULL);
        t_ok(MPI_File_close(&f.file), "close");
    }
    t_work_whole(MPI_COMM_WORLD, "keep_e", 1, NULL);
    t_verdict("files without a call");
}

/* An open that fails on all ranks, and a file in between. */
static void test_failed_open(void)
{
    char path[512];
    MPI_File file;

    t_path(path, sizeof(path), "no/such/folder/file");
    for (int i = 0; i < 3; ++i) {
        int rc = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, &file);

        t_fail_if(MPI_SUCCESS == rc, "a file in no folder was opened");
        t_work_whole(MPI_COMM_WORLD, "keep_f", i, "exchange=on");
    }
    t_verdict("opens that fail");
}

/* Mappings of this process; *named: segments of ours whose name still exists in /dev/shm. */
static int count_maps(int *named)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    int count = 0;

    *named = 0;
    while (NULL != maps && NULL != fgets(line, sizeof(line), maps)) {
        ++count;
        *named += NULL != strstr(line, "/dev/shm/collio-") && NULL == strstr(line, "(deleted)");
    }
    if (NULL != maps) {
        fclose(maps);
    }
    return count;
}

typedef struct held {
    int descriptors, maps, named;
    long resident;
} held;

static held look(void)
{
    held now = {.descriptors = t_descriptors(),
                .resident = (long) t_proc("/proc/self/status", "VmRSS")};

    now.maps = count_maps(&now.named);
    return now;
}

static void test_many(void)
{
    enum { FIRST = 100, FILES = 1000, SLACK_KIB = 4096, SLACK = 8 };
    held before = {0}, after;
    t_work f;

    for (int i = 0; i < FIRST + FILES; ++i) {
        if (FIRST == i) {
            before = look();
        }
        t_work_open(&f, MPI_COMM_WORLD, "keep_t", i % 7, 0 == i % 3 ? "exchange=on" : NULL);
        t_work_write(&f);
        t_work_close(&f);
    }
    after = look();
    t_fail_if(after.descriptors > before.descriptors || after.maps > before.maps + SLACK
                  || after.resident > before.resident + SLACK_KIB || 0 != after.named,
              "after %d files: %d descriptors (were %d), %d mappings (%d), %ld KiB (%ld), %d names",
              FILES, after.descriptors, before.descriptors, after.maps, before.maps, after.resident,
              before.resident, after.named);
    t_verdict("1000 files leave nothing behind");
}

/* Messages of all ranks for open and close, and for a call in between. */
static void count_file(int number, bool call)
{
    long before, mine, all = 0;
    t_work f;

    MPI_Barrier(MPI_COMM_WORLD);
    before = t_messages();
    t_work_open(&f, MPI_COMM_WORLD, "keep_c", 0, NULL);
    if (call) {
        t_work_write(&f);
    }
    t_ok(MPI_File_close(&f.file), "close");
    mine = t_messages() - before;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (0 == t_rank) {
        printf("messages %s %d %ld\n", call ? "call" : "empty", number, all);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    t_init(&argc, &argv);
    if (0 == strcmp(what, "count")) {
        for (int i = 0; i < 8; ++i) {
            count_file(i / 2, 1 == i % 2);
        }
        t_verdict("counted");
    } else if (0 == strcmp(what, "many")) {
        test_many();
    } else {
        test_attributes(); /* first: the sets are new */
        test_one_after_the_other();
        test_no_calls();
        test_plans();
        test_duplicates();
        test_at_once();
        test_message();
        test_under_way();
        test_subsets();
        test_failed_open();
        test_many_sets();
    }
    return t_finish();
}
