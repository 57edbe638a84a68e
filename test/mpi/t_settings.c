/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings act: two files that differ in one setting differ in a figure that the setting is about,
 * be it a counter of the component, system calls, threads of the process, or synchronous sends. The
 * bytes are the same.
 *
 *   t_settings NAME      the runner has set the parameter of this name: a file without the hint
 */
#include "lib/t_file.h"
#include "lib/t_messages.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PIECE = 512,
    PIECES = 2048,
    CHUNK = 64,
    CALLS = 2
}; /* gaps as large: in the file, in memory */

static char path[512];

typedef struct setting {
    const char *name;
    const char *common; /* hints of both files */
    const char *one;
    const char *other;
    const char *figure; /* syscw, syscr: /proc/self/io. Threads: /proc/self/status. ssend:
                           synchronous sends. Else a counter */
    int rank;           /* whose figure counts; -1: the sum of all */
} setting;

/* Several file domains on one node. */
#define MEMORY "exchange=on,partition=memory,buffer_bytes=64K"

static const setting settings[] = {
    {"method", "exchange=off,romio_ds_write=disable", "method=direct", "method=vector", "syscw",
     -1},
    {"romio_ds_read", "exchange=off,method=direct", "romio_ds_read=disable", "romio_ds_read=enable",
     "syscr", -1},
    {"ind_rd_buffer_size", "exchange=off,romio_ds_read=enable", "ind_rd_buffer_size=8192",
     "ind_rd_buffer_size=1048576", "syscr", -1},
    {"romio_ds_write", "exchange=off,method=direct", "romio_ds_write=disable",
     "romio_ds_write=enable", "syscw", -1},
    {"ind_wr_buffer_size", "exchange=off,romio_ds_write=enable", "ind_wr_buffer_size=8192",
     "ind_wr_buffer_size=1048576", "syscw", -1},
    {"stage_bytes", "exchange=off,method=pack,romio_ds_write=enable", "stage_bytes=8192",
     "stage_bytes=1048576", "syscw", -1},
    {"serial_below", "exchange=off,num_threads=2,method=direct", "serial_below=1000000",
     "serial_below=1", "Threads", -1}, /* before num_threads: threads stay */
    {"num_threads", "exchange=off,serial_below=1,method=direct", "num_threads=1", "num_threads=4",
     "Threads", -1},
    {"exchange", "report=off", "exchange=off", "exchange=on", "cycles", -1},
    {"romio_cb_write", "romio_cb_read=disable", "romio_cb_write=disable", "romio_cb_write=enable",
     "cycles", -1},
    {"romio_cb_read", "romio_cb_write=disable", "romio_cb_read=disable", "romio_cb_read=enable",
     "cycles", -1},
    {"schedule", "cb_buffer_size=16384", "schedule=none", "schedule=write", "cycles", -1},
    {"transport", "cb_nodes=1", "transport=isend", "transport=shm", "shm_bytes", -1},
    {"cb_buffer_size", "exchange=on", "cb_buffer_size=16384", "cb_buffer_size=1048576", "cycles",
     -1},
    {"cb_nodes", "exchange=on", "cb_nodes=1", "cb_nodes=2", "cycles", 2},
    {"aggregator_list", "exchange=on", "aggregator_list=0", "aggregator_list=3", "cycles", 3},
    {"placement", "exchange=on,cb_nodes=2", "placement=spread", "placement=round_robin", "cycles",
     1},
    {"memory_per_node", MEMORY, "memory_per_node=1", "memory_per_node=2", "cycles", 2},
    {"memory_domain_bytes", MEMORY, "memory_domain_bytes=1G", "memory_domain_bytes=8192", "cycles",
     2},
    {"memory_min_bytes", MEMORY ",memory_available=1M,memory_domain_bytes=8192",
     "memory_min_bytes=1", "memory_min_bytes=2M", "cycles", 2},
    {"partition", "transport=shm,cb_nodes=2,cb_buffer_size=1048576,align_bytes=4096",
     "partition=even", "partition=static_cyclic", "shm_bytes", 0},
    {"plan_reuse", "exchange=on", "plan_reuse=false", "plan_reuse=true", "plan_hits", -1},
    {"keep", "exchange=on", "keep=false", "keep=true", "files_reused", -1},
    {"sync_send", "exchange=on,transport=isend,cb_nodes=1,keep=off", "sync_send=off",
     "sync_send=on", "ssend", -1},
};
static const setting parameters[] = {
    {"sync_send", "exchange=on,transport=isend,keep=off", "sync_send=off", "report=off", "ssend",
     -1},
    {"local_aggregators", "exchange=on,transport=isend,aggregator_list=3", "local_aggregators=4",
     "report=off", "requests_gathered", -1},
};

static double figure(const char *name, MPI_File file)
{
    if (0 == strcmp("Threads", name)) {
        return t_proc("/proc/self/status", name);
    }
    if (0 == strcmp("ssend", name)) {
        return (double) t_messages_synchronous();
    }
    return 0 == strncmp("sysc", name, 4) ? t_proc("/proc/self/io", name) : t_pvar_read(name, file);
}

/* Between packed bytes and every second chunk of memory. */
static void spread(unsigned char *memory, unsigned char *packed, int64_t bytes, bool back)
{
    for (int64_t at = 0; at < bytes; at += CHUNK) {
        memcpy(back ? packed + at : memory + 2 * at, back ? memory + 2 * at : packed + at, CHUNK);
    }
}

static void calls(MPI_File file, const t_blocks *mine, const char *what)
{
    int64_t bytes = t_blocks_bytes(mine);
    unsigned char *data = t_blocks_data(mine, t_rank), *memory = t_alloc((size_t) (2 * bytes));
    int count = (int) (bytes / CHUNK);
    MPI_Datatype chunk, element;

    MPI_Type_contiguous(CHUNK, MPI_BYTE, &chunk);
    MPI_Type_create_resized(chunk, 0, 2 * CHUNK, &element);
    MPI_Type_commit(&element);
    for (int i = 0; i < CALLS; i++) {
        spread(memory, data, bytes, false);
        t_ok(MPI_File_write_at_all(file, 0, memory, count, element, MPI_STATUS_IGNORE), "write");
        memset(memory, 0xee, (size_t) (2 * bytes));
        t_ok(MPI_File_read_at_all(file, 0, memory, count, element, MPI_STATUS_IGNORE), "read");
        spread(memory, data, bytes, true);
        t_blocks_check(mine, t_rank, data, what);
    }
    MPI_Type_free(&element);
    MPI_Type_free(&chunk);
    free(data);
    free(memory);
}

static double with(const setting *what, const char *hint)
{
    t_blocks mine = {(int64_t) t_rank * 2 * PIECE * PIECES, PIECE, 2 * PIECE, PIECES};
    bool total = 0 == strcmp("Threads", what->figure) || 0 == strcmp("keep", what->name);
    double before, here, all = 0;
    char hints[256];
    MPI_File file;

    snprintf(hints, sizeof(hints), "%s,%s", what->common, hint);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        t_blocks_view(file, &mine);
        before = total ? 0 : figure(what->figure, file); /* else: what the calls add */
        calls(file, &mine, what->name);
        here = 0 <= what->rank && t_rank != what->rank ? 0 : figure(what->figure, file) - before;
        MPI_Allreduce(&here, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        t_ok(MPI_File_close(&file), "close");
    }
    return all;
}

static void compare(const setting *what)
{
    double one = with(what, what->one), other = with(what, what->other);

    t_fail_if(one == other, "%s: %s is %.0f with %s and with %s", what->name, what->figure, one,
              what->one, what->other);
    t_verdict("%s", what->name);
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "settings");
    if (4 != t_size || 0 > t_proc("/proc/self/io", "syscw")) {
        return t_skip_all("settings", "needs 4 ranks and /proc/self/io");
    }
    for (size_t i = 0; 1 == argc && i < sizeof(settings) / sizeof(settings[0]); i++) {
        compare(&settings[i]);
    }
    for (size_t i = 0; 1 < argc && i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        if (0 == strcmp(argv[1], parameters[i].name)) {
            compare(&parameters[i]);
        }
    }
    t_remove(path);
    return t_finish();
}
