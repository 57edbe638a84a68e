/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/*
 * Ranks that disagree: with hints or parameters that have other values on other ranks, or wrong
 * ones on some, all ranks use the values of rank 0 (MPI_File_get_info tells them), the bytes are
 * right, and nobody hangs.
 *
 *     t_disagree                   hints differ
 *     t_disagree NAME A B          parameter fcoll_<component>_NAME is A on even ranks, B on odd;
 *                                  hint collio_NAME must be A afterwards
 *     t_disagree NAME A B VALUE    the same, but the hint must be VALUE
 */
#include "lib/t_compat.h"
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 100, COUNT = 30, STAGES = 3 };

static char path[512];

static t_blocks blocks_of(int rank)
{
    return (t_blocks){rank * BLOCK, BLOCK, t_size * BLOCK, COUNT};
}

/** The hint that MPI_File_get_info gives must be this, on every rank. */
static void expect_hint(MPI_File file, const char *key, const char *want)
{
    char value[MPI_MAX_INFO_VAL] = "";
    MPI_Info info;
    bool there;

    t_ok(MPI_File_get_info(file, &info), "MPI_File_get_info");
    there = t_info_get(info, key, value, sizeof(value));
    MPI_Info_free(&info);
    if (!there || 0 != strcmp(want, value)) {
        t_fail("hint %s is '%s', expected '%s'", key, there ? value : "(missing)", want);
    }
}

/** Opens and writes; the class of each stage goes to class[]. With a key, its hint is looked at. */
static void attempt(const char *hints, const char *key, const char *want, int class[STAGES])
{
    static const char *const stage[STAGES] = {"open", "set_view", "write_all"};
    t_blocks mine = blocks_of(t_rank);
    unsigned char *data = t_blocks_data(&mine, t_rank);
    MPI_Datatype type = t_blocks_type(&mine);
    MPI_Info info = t_info(hints);
    MPI_File file = MPI_FILE_NULL;
    int least[STAGES], most[STAGES];

    memset(class, 0, STAGES * sizeof(*class));
    class[0] = t_class(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    if (MPI_SUCCESS == class[0]) {
        if (NULL != key) {
            expect_hint(file, key, want);
        }
        class[1] = t_class(
            MPI_File_set_view(file, mine.first, MPI_BYTE, type, "native", MPI_INFO_NULL));
        if (MPI_SUCCESS == class[1]) {
            class[2] = t_class(
                MPI_File_write_all(file, data, BLOCK * COUNT, MPI_BYTE, MPI_STATUS_IGNORE));
        }
        MPI_File_close(&file);
    }
    MPI_Allreduce(class, least, STAGES, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(class, most, STAGES, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int s = 0; s < STAGES; s++) {
        if (least[s] != most[s] && 0 == t_rank) {
            t_fail("%s gives different results: classes %d to %d", stage[s], least[s], most[s]);
        }
    }
    MPI_Info_free(&info);
    MPI_Type_free(&type);
    free(data);
}

static void check_bytes(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        t_blocks *all = t_alloc((size_t) t_size * sizeof(*all));
        int *writer = t_alloc((size_t) t_size * sizeof(*writer));

        for (int r = 0; r < t_size; r++) {
            all[r] = blocks_of(r);
            writer[r] = r;
        }
        t_blocks_check_file(path, all, writer, t_size, 0);
        free(all);
        free(writer);
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void expect_success(const char *hints, const char *key, const char *want, const char *name)
{
    int class[STAGES];

    attempt(hints, key, want, class);
    if (MPI_SUCCESS != class[0] || MPI_SUCCESS != class[1] || MPI_SUCCESS != class[2]) {
        t_fail("'%s': open, set_view and write_all give classes %d %d %d",
               NULL == hints ? "" : hints, class[0], class[1], class[2]);
    }
    check_bytes();
    t_verdict(name);
}

static void hints_differ(const char *even, const char *odd, const char *key, const char *want,
                         const char *name)
{
    expect_success(0 == t_rank % 2 ? even : odd, key, want, name);
}

/** Only the last rank has the hint, and it is wrong. */
static void wrong_on_one(const char *wrong, const char *key, const char *want, const char *name)
{
    expect_success(t_rank == t_size - 1 ? wrong : "exchange=on", key, want, name);
}

/** OMPIO reads cb_nodes again when a view is set, and divides by it. */
static void wrong_in_set_view(void)
{
    t_blocks mine = blocks_of(t_rank);
    MPI_Datatype type = t_blocks_type(&mine);
    MPI_Info info = t_info("cb_nodes=0,exchange=on");
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, "exchange=on", &file)) {
        t_ok(MPI_File_set_view(file, mine.first, MPI_BYTE, type, "native", info), "set_view");
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Info_free(&info);
    MPI_Type_free(&type);
    t_verdict("cb_nodes_0_in_set_view");
}

/* An erroneous program: no rank waits for ever, all are told the same, and the mode stays. */
static void modes_differ(void)
{
    unsigned char byte;
    MPI_Status status;
    MPI_File file;
    int class, was;

    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
    for (int before = 0; before < 2; ++before) {
        if (MPI_SUCCESS != t_class(MPI_File_set_atomicity(file, before))) {
            break; /* fbtl/posix has no atomic mode */
        }
        class = t_class(MPI_File_set_atomicity(file, t_rank % 2));
        if (MPI_ERR_NOT_SAME != class) {
            t_fail("set_atomicity returned %s", t_class_name(class));
        }
        t_ok(MPI_File_get_atomicity(file, &was), "get_atomicity");
        if (was != before) {
            t_fail("atomic mode was %d and is %d", before, was);
        }
        t_ok(MPI_File_read_at_all(file, 0, &byte, 1, MPI_BYTE, &status), "a call after it");
    }
    t_ok(MPI_File_close(&file), "close");
    t_verdict("atomic_mode_differs");
}

int main(int argc, char *argv[])
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    char name[256], key[64];

    if (4 <= argc && NULL != rank) { /* before MPI_Init: that is when parameters are read */
        snprintf(name, sizeof(name), "OMPI_MCA_fcoll_%s_%s", t_component(), argv[1]);
        setenv(name, argv[2 + atoi(rank) % 2], 1);
    }
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "disagree");
    if (4 <= argc) {
        snprintf(name, sizeof(name), "parameter_%s_differs_%s_%s", argv[1], argv[2], argv[3]);
        snprintf(key, sizeof(key), "%s%s", 0 == strncmp(argv[1], "buffer", 6) ? "cb_" : "collio_",
                 0 == strncmp(argv[1], "buffer", 6) ? "buffer_size" : argv[1]);
        expect_success(NULL, key, 5 == argc ? argv[4] : argv[2], name);
        return t_finish();
    }
    hints_differ("exchange=on", "exchange=off", "collio_exchange", "on", "hint_exchange_differs");
    hints_differ("exchange=off", "romio_cb_write=enable", "romio_cb_write", "disable",
                 "hint_romio_cb_write_differs");
    hints_differ("exchange=on,buffer_bytes=64K", "exchange=on,buffer_bytes=131072",
                 "cb_buffer_size", "65536", "hint_buffer_bytes_differs");
    hints_differ("exchange=on,aggregators=1", "exchange=on,cb_nodes=2", "cb_nodes", "1",
                 "hint_aggregators_differs");
    hints_differ("exchange=on,schedule=none", "exchange=on,schedule=write_comm", "collio_schedule",
                 "none", "hint_schedule_differs");
    hints_differ("exchange=on,aggregator_list=0", "exchange=on,aggregator_list=1",
                 "collio_aggregator_list", "0", "hint_aggregator_list_differs");
    wrong_on_one("exchange=ON,schedule=sometimes", "collio_schedule", "auto",
                 "wrong_schedule_on_one_rank");
    wrong_on_one("exchange=on,cb_nodes=abc", "collio_exchange", "on", "wrong_cb_nodes_on_one_rank");
    wrong_on_one("exchange=on,cb_nodes=0", "collio_exchange", "on", "cb_nodes_0_on_one_rank");
    wrong_on_one("exchange=on,sometimes=1", "collio_exchange", "on", "unknown_hint_on_one_rank");
    wrong_in_set_view();
    expect_success("exchange=on", "collio_exchange", "on", "same_hints_after_all_that");
    modes_differ();
    return t_finish();
}
