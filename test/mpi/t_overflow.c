/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests for offsets that no file has: a repetition times the extent, or an offset times the
 * etype's size, passes INT64_MAX, and may come back as a small positive number. Every such request
 * ends, in the same error class on all ranks of a collective call, leaves the file as it was, and
 * the next call works. So it is when only one rank asks for them.
 *
 * Requests whose sum over the ranks passes INT64_MAX, where each of them is right, are served.
 */
#include "lib/t_call.h"
#include "lib/t_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 128 };

static char path[512];

static const struct {
    const char *name;
    t_call call;
} calls[] = {
    {"write_all", {true, true, false, T_BLOCK}},
    {"read_all", {false, true, false, T_BLOCK}},
    {"write_at_all", {true, true, true, T_BLOCK}},
    {"read_at_all", {false, true, true, T_BLOCK}},
    {"iwrite_at_all", {true, true, true, T_START}},
    {"iread_at_all", {false, true, true, T_START}},
    {"write_at_all_split", {true, true, true, T_BEGIN}},
    {"read_at_all_split", {false, true, true, T_BEGIN}},
    {"write_at", {true, false, true, T_BLOCK}},
    {"read_at", {false, false, true, T_BLOCK}},
    {"iwrite_at", {true, false, true, T_START}},
    {"iread_at", {false, false, true, T_START}},
};
enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

/* The start of a split call succeeds: its end returns the error. */
static int make_call(MPI_File file, const t_call *call, MPI_Offset at, unsigned char *data,
                     int count)
{
    MPI_Request request;
    MPI_Status status;
    int rc = t_call_start(file, call, at, data, count, MPI_BYTE, &status, &request);

    if (T_BEGIN == call->how) {
        t_ok(rc, "begin");
        rc = MPI_SUCCESS;
    }
    return MPI_SUCCESS == rc ? t_call_end(file, call, data, &status, &request) : rc;
}

/* The file holds t_pre everywhere, and nothing else. */
static void check_untouched(const char *name)
{
    unsigned char found[MOST + 1];
    int fd = open(path, O_RDONLY);
    ssize_t bytes = pread(fd, found, sizeof(found), 0);

    close(fd);
    t_fail_if(MOST != bytes, "%s: the file has %zd bytes", name, bytes);
    for (int i = 0; i < MOST && i < bytes; i++) {
        if (found[i] != t_pre(i)) {
            t_fail("%s: byte %d was written", name, i);
            return;
        }
    }
}

typedef struct wrong {
    const char *name;
    int etype;       /* bytes */
    MPI_Aint extent; /* of the filetype, which is one etype */
    MPI_Offset at;
    int count; /* of etypes */
} wrong;

static void set_view(MPI_File file, int etype_bytes, MPI_Aint extent)
{
    MPI_Datatype etype, type;

    MPI_Type_contiguous(etype_bytes, MPI_BYTE, &etype);
    MPI_Type_commit(&etype);
    MPI_Type_create_resized(etype, 0, extent, &type);
    MPI_Type_commit(&type);
    t_ok(MPI_File_set_view(file, 0, etype, type, "native", MPI_INFO_NULL), "set_view");
    MPI_Type_free(&type);
    MPI_Type_free(&etype);
}

/* `who` asks for the wrong offsets (-1: all ranks). In a collective call the others ask for a byte
 * of the file, and write what is there; they learn that the call failed. */
static void refuse(MPI_File file, const wrong *w, int number, int who)
{
    const t_call *call = &calls[number].call;
    unsigned char data[MOST * 8];
    bool mine = -1 == who || t_rank == who;
    int rc = MPI_SUCCESS;

    if (!call->at && 0 != w->at) {
        return; /* they go by the file pointer, which cannot be put there */
    }
    if (!call->collective && 0 == w->count) {
        return; /* individual calls without bytes succeed, as in io/ompio */
    }
    memset(data, 1, sizeof(data));
    set_view(file, mine ? w->etype : 1, mine ? w->extent : 1);
    if (mine) {
        rc = make_call(file, call, w->at, data, w->count * w->etype);
    } else if (call->collective) {
        data[0] = t_pre(call->at ? t_rank : 0);
        rc = make_call(file, call, t_rank, data, 1);
    }
    t_fail_if(t_class(rc) != (mine || call->collective ? MPI_ERR_IO : MPI_SUCCESS),
              "%s, %s, rank %d wrong: %s", w->name, calls[number].name, who,
              t_class_name(t_class(rc)));
}

static void run(const char *hints)
{
    static const wrong wrongs[] = {
        {"extent_2^61", 1, (MPI_Aint) 1 << 61, 0, 5},
        {"extent_2^60_wraps_to_positive", 1, (MPI_Aint) 1 << 60, 0, 100},
        {"extent_2^62_wraps_to_zero", 1, (MPI_Aint) 1 << 62, 0, 5},
        {"repetition_wraps_to_zero", 1, (MPI_Aint) 1 << 60, 16, 1},
        {"repetition_wraps_into_the_file", 1, ((MPI_Aint) 1 << 60) + 1, 16, 1},
        {"offset_times_etype_wraps_to_zero", 8, 8, (MPI_Offset) 1 << 61, 1},
        {"offset_times_etype_wraps_into_the_file", 8, 8, ((MPI_Offset) 1 << 61) + 1, 1},
        {"end_past_the_last_offset", 1, 1, INT64_MAX - 2, 10},
        {"offset_below_0", 1, 1, -1, 1},
        {"offset_below_0_for_no_byte", 1, 1, -1, 0},
    };
    unsigned char byte = 7;
    MPI_File file;

    for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
        if (0 == t_rank) {
            t_prefill(path, MOST);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, hints, &file)) {
            continue;
        }
        for (int call = 0; call < CALLS; call++) {
            for (int who = -1; who < t_size; who += t_size) { /* all, then the last */
                refuse(file, &wrongs[i], call, who);
                MPI_Barrier(MPI_COMM_WORLD);
                if (0 == t_rank) {
                    check_untouched(calls[call].name);
                }
                MPI_Barrier(MPI_COMM_WORLD);
            }
        }
        set_view(file, 1, 1);
        t_ok(MPI_File_write_at_all(file, t_rank, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), "after");
        t_ok(MPI_File_close(&file), "close");
        t_verdict("%s%s%s", wrongs[i].name, NULL == hints ? "" : "_", NULL == hints ? "" : hints);
    }
}

/* Each rank reads its byte of the file, and one 2^62 bytes further: past the end of the file. The
 * spans of three ranks add up to more than INT64_MAX. */
static void wide(const char *hints)
{
    unsigned char data[2] = {1, 1};
    MPI_Datatype type;
    MPI_Status status;
    MPI_File file;

    if (0 == t_rank) {
        t_prefill(path, MOST);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, hints, &file)) {
        MPI_Type_create_resized(MPI_BYTE, 0, (MPI_Aint) 1 << 62, &type);
        MPI_Type_commit(&type);
        t_ok(MPI_File_set_view(file, t_rank, MPI_BYTE, type, "native", MPI_INFO_NULL), "set_view");
        t_ok(MPI_File_read_at_all(file, 0, data, 2, MPI_BYTE, &status), "read_at_all");
        t_status_check(&status, 1, hints);
        t_fail_if(t_pre(t_rank) != data[0], "%s: byte %d is %d", hints, t_rank, data[0]);
        t_ok(MPI_File_close(&file), "close");
        MPI_Type_free(&type);
    }
    t_verdict("wide_%s", hints);
}

/* A seek that would wrap is refused, and the pointer stays. */
static void seeks(void)
{
    MPI_Offset at = -1;
    MPI_File file;

    if (!t_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, NULL, &file)) {
        return;
    }
    set_view(file, 1, (MPI_Aint) 1 << 60);
    t_ok(MPI_File_seek(file, 3, MPI_SEEK_SET), "seek");
    t_fail_if(MPI_SUCCESS == MPI_File_seek(file, 16, MPI_SEEK_SET),
              "seek to repetition 16 of 2^60 bytes");
    t_fail_if(MPI_SUCCESS == MPI_File_seek(file, 13, MPI_SEEK_CUR), "seek by 13 repetitions");
    t_fail_if(MPI_SUCCESS == MPI_File_seek(file, INT64_MAX, MPI_SEEK_CUR), "seek by all there is");
    t_ok(MPI_File_get_position(file, &at), "get_position");
    t_fail_if(3 != at, "the pointer is at %lld", (long long) at);
    t_ok(MPI_File_seek(file, 2, MPI_SEEK_CUR), "seek");
    t_ok(MPI_File_seek(file, -5, MPI_SEEK_CUR), "seek");
    t_fail_if(MPI_SUCCESS == MPI_File_seek(file, 15, MPI_SEEK_END), "seek past the end");
    t_ok(MPI_File_get_position(file, &at), "get_position");
    t_fail_if(0 != at, "the pointer is at %lld", (long long) at);
    t_ok(MPI_File_seek(file, 1, MPI_SEEK_END), "seek");
    t_ok(MPI_File_get_position(file, &at), "get_position");
    t_fail_if(2 != at, "the pointer is at %lld after a seek to one past the end", (long long) at);
    t_ok(MPI_File_close(&file), "close");
    t_verdict("a_seek_that_wraps_is_refused");
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "overflow");
    run(NULL);
    run("exchange=on");
    run("exchange=off");
    run("exchange=on,transport=isend,partition=static_cyclic");
    wide("exchange=auto");
    wide("exchange=off");
    wide("exchange=on,transport=isend");
    wide("exchange=on,partition=memory");
    wide("exchange=on,partition=static_cyclic");
    wide("exchange=on,aggregators=3,buffer_bytes=9223372036854775807,transport=isend");
    seeks();
    t_remove(path);
    return t_finish();
}
