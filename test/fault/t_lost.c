/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank is killed, and the launcher lets the others live (`run` starts it so), or a message fails:
 *
 *     t_lost VICTIM WHERE [write|read] [nonblocking]
 *
 * WHERE: before   the victim dies instead of making the call: the others wait for it to agree
 *        access   it dies in its second access to the file (libfault), in the middle of the cycles
 *        send     it lives, but one of its messages cannot be sent
 *        receive  it lives, but one of its receives fails
 *        open-send, open-receive    the same while the file, the first of these processes, is
 *                 opened; open-send-2: of the messages of our reductions the third one
 *
 *        silent   nobody fails: calls are made until one does, because a link was cut; each rank
 *                 leaves a file silent.RANK with the class
 *
 * Every survivor must come out of the call with an error, and out of the next one too. It says so
 * in a line `survivor RANK: CLASS CLASS` that `run` counts, and leaves by _exit: closing the file
 * and MPI_Finalize are Open MPI's, and would wait for the dead rank.
 *
 * Where all ranks live, the file is closed and two more are opened: they must not use anything of
 * the lost one, where messages may still arrive. Each byte of the lost one is that of the call that
 * failed or of the call before it. `next RANK: FAILURES` tells.
 */
#include "break_pml.h"
#include "t_fault.h"

#include "lib/t_file.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 4096, COUNT = 16 };

static int transfer(MPI_File file, unsigned char *data, int write, int nonblocking)
{
    MPI_Request request;
    MPI_Status status;
    int rc;

    MPI_File_seek(file, 0, MPI_SEEK_SET);
    if (!nonblocking) {
        return write ? MPI_File_write_all(file, data, BLOCK * COUNT, MPI_BYTE, &status)
                     : MPI_File_read_all(file, data, BLOCK * COUNT, MPI_BYTE, &status);
    }
    rc = write ? MPI_File_iwrite_all(file, data, BLOCK * COUNT, MPI_BYTE, &request)
               : MPI_File_iread_all(file, data, BLOCK * COUNT, MPI_BYTE, &request);
    return MPI_SUCCESS == rc ? MPI_Wait(&request, &status) : rc;
}

/* open-send[-N], open-receive[-N]: arms the victim before the first open. */
static bool break_open(int victim, const char *where)
{
    int send = 0 == strncmp(where, "open-send", 9), after;

    if (0 != strncmp(where, "open-", 5)) {
        return false;
    }
    after = atoi(strrchr(where, '-') + 1);
    if (victim == t_rank) {
        break_pml_reduction(send, !send, after);
    }
    return true;
}

static void silent_path(char *path, size_t size, int rank)
{
    char name[64];

    snprintf(name, sizeof(name), "silent.%d", rank);
    t_path(path, size, name);
}

/* Calls until one fails. Standard output goes over the link that was cut. */
static void use_until_error(MPI_File file, unsigned char *data)
{
    char path[512];
    int class = MPI_SUCCESS;
    FILE *out;

    while (MPI_SUCCESS == class) {
        class = t_class(transfer(file, data, 1, 0));
    }
    silent_path(path, sizeof(path), t_rank);
    out = fopen(path, "w");
    if (NULL != out) {
        fprintf(out, "%d\n", class);
        fclose(out);
    }
    /* the launcher ends all ranks when one leaves without MPI_Finalize */
    for (int i = 0, rank = 0; i < 300 && rank < t_size; ++i) {
        silent_path(path, sizeof(path), rank);
        if (0 == access(path, F_OK)) {
            ++rank;
        } else {
            usleep(100000);
        }
    }
    _exit(0);
}

/* On rank 0: a byte of the lost file is of the call that failed, or of the call before. */
static void check_lost(const char *path)
{
    int64_t wrong = 0, first = -1;
    FILE *in = fopen(path, "r");

    for (int64_t at = 0; NULL != in && at < (int64_t) BLOCK * COUNT * t_size; ++at) {
        int writer = (int) (at / BLOCK % t_size), byte = fgetc(in);

        if (byte != t_val(at, writer) && byte != t_val(at, t_size + writer)) {
            first = 0 == wrong++ ? at : first;
        }
    }
    t_fail_if(NULL == in || 0 < wrong, "lost file: %lld bytes are of no call, first at %lld",
              (long long) wrong, (long long) first);
    if (NULL != in) {
        fclose(in);
    }
}

/* Other files of the same processes. */
static void use_next_files(const t_blocks *mine)
{
    unsigned char *data = t_blocks_data(mine, t_rank);
    char path[512];
    MPI_File file;

    t_path(path, sizeof(path), "next");
    for (int i = 0; i < 2; ++i) {
        t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
        t_blocks_view(file, mine);
        t_ok(transfer(file, data, 1, 0), "write to another file");
        memset(data, 0, BLOCK * COUNT);
        t_ok(transfer(file, data, 0, 0), "read from another file");
        t_blocks_check(mine, t_rank, data, "another file");
        t_ok(MPI_File_close(&file), "close of another file");
    }
    free(data);
}

int main(int argc, char *argv[])
{
    int victim, write = 1, nonblocking = 0, first, second;
    bool opening;
    char path[512], fault[128];
    t_blocks mine;
    unsigned char *data;
    MPI_File file;

    t_init(&argc, &argv);
    if (argc < 3) {
        return t_skip_all("lost", "started by run, with arguments");
    }
    victim = atoi(argv[1]) % t_size;
    for (int i = 3; i < argc; i++) {
        write = write && 0 != strcmp("read", argv[i]);
        nonblocking = nonblocking || 0 == strcmp("nonblocking", argv[i]);
    }
    t_path(path, sizeof(path), "lost");
    opening = break_open(victim, argv[2]);
    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
    mine = (t_blocks){t_rank * BLOCK, BLOCK, t_size * BLOCK, COUNT};
    data = t_blocks_data(&mine, t_rank);
    if (!opening) { /* else there is no view: setting one fails, too */
        t_blocks_view(file, &mine);
        t_ok(transfer(file, data, 1, nonblocking), "the call before");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == strcmp("silent", argv[2])) {
        use_until_error(file, data);
    }
    if (victim == t_rank && 0 == strcmp("before", argv[2])) {
        raise(SIGKILL);
    }
    if (0 == strcmp("access", argv[2])) {
        snprintf(fault, sizeof(fault), "match=lost,kill=2,rank=%d", victim);
        t_fault_set(fault);
    }
    if (victim == t_rank && 0 == strcmp("send", argv[2])) {
        break_pml(1, 0, 8); /* tags below are those of the first call, and of notices */
    }
    if (victim == t_rank && 0 == strcmp("receive", argv[2])) {
        break_pml(0, 1, 8);
    }
    if (write && !opening) {
        free(data);
        data = t_blocks_data(&mine, t_size + t_rank);
    }
    first = t_class(transfer(file, data, write, nonblocking));
    second = t_class(transfer(file, data, write, nonblocking));
    printf("survivor %d: %d %d\n", t_rank, first, second);
    if (opening || 0 == strcmp("send", argv[2]) || 0 == strcmp("receive", argv[2])) {
        t_ok(MPI_File_close(&file), "close");
        use_next_files(&mine);
        if (0 == t_rank && !opening) {
            check_lost(path);
        }
        printf("next %d: %d\n", t_rank, t_failures());
    }
    fflush(stdout);
    _exit(0);
}
