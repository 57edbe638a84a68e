/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/*
 * How much of the file access is hidden. The only thing injected is a slow file: with libfault
 * every write, or read, takes 50 ms. The exchange is slow by itself: user memory is every second
 * byte of a buffer, so it is copied byte by byte, and the windows are as large as it takes. How
 * large is found out first, without the slow file and without overlap: they grow until the exchange
 * of a cycle takes clearly longer than its access will. Then, by the component's own counters,
 * nothing is hidden under `none`, and more than half of the access time under every asynchronous
 * schedule, be it writes or reads, by every transport. And by the clock of the caller: against the
 * same call under `none`, at least a third of the access time is saved. A measurement that another program
 * has disturbed may be repeated once, after a look whether the exchange is still that slow. What
 * was read is compared byte by byte.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/t_pvar.h"
#include "t_fault.h"

enum { CYCLES = 6, BLOCK = 256, SPARE = 0xee };
static const double slow_ns = 50e6;
static const int64_t window_first = INT64_C(32) << 20, window_step = INT64_C(8) << 20,
                     window_most = INT64_C(64) << 20;
static const double most_seconds = 120; /* a part of what mpirun is given */
static char path[512];
static double began;

typedef struct figures {
    double hidden, io, exchange, cycles;
    double wall; /* nanoseconds of the call on the slowest rank */
} figures;

/* What the request of this size is, and the user's memory: data at even places, SPARE at odd. */
static t_blocks blocks_of(int64_t window)
{
    t_blocks mine = {t_rank * BLOCK, BLOCK, (int64_t) t_size * BLOCK,
                     (int) (CYCLES * window / ((int64_t) t_size * BLOCK))};

    return mine;
}

static unsigned char *spread(const t_blocks *mine)
{
    unsigned char *data = t_blocks_data(mine, t_rank);
    int64_t bytes = t_blocks_bytes(mine);
    unsigned char *memory = t_alloc((size_t) (2 * bytes));

    for (int64_t i = 0; i < bytes; i++) {
        memory[2 * i] = data[i];
        memory[2 * i + 1] = SPARE;
    }
    free(data);
    return memory;
}

static void check_memory(const t_blocks *mine, const unsigned char *memory)
{
    int64_t bytes = t_blocks_bytes(mine);
    unsigned char *packed = t_alloc((size_t) bytes);

    for (int64_t i = 0; i < bytes; i++) {
        packed[i] = memory[2 * i];
        if (SPARE != memory[2 * i + 1]) {
            t_fail("the read touched byte %lld, which is not in the datatype",
                   (long long) (2 * i + 1));
            break;
        }
    }
    t_blocks_check(mine, t_rank, packed, "read");
    free(packed);
}

static figures figures_now(MPI_File file)
{
    figures now = {t_pvar_read("time_hidden", file), t_pvar_read("time_io", file),
                   t_pvar_read("time_exchange", file), t_pvar_read("cycles", file), 0};

    return now;
}

/* One call; the aggregator's figures, for everybody. */
static figures one_call(MPI_File file, bool write, const t_blocks *mine, unsigned char *memory,
                        bool slow)
{
    int64_t bytes = t_blocks_bytes(mine);
    MPI_Datatype element;
    figures before, after;
    double wall;
    int rc;

    MPI_Type_create_resized(MPI_BYTE, 0, 2, &element);
    MPI_Type_commit(&element);
    for (int64_t i = 0; !write && i < bytes; i++) {
        memory[2 * i] = SPARE;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    before = figures_now(file);
    t_fault_set(!slow   ? NULL
                : write ? "op=write,match=hidden,delay_ms=50"
                        : "op=read,match=hidden,delay_ms=50");
    wall = MPI_Wtime();
    rc = write ? MPI_File_write_at_all(file, 0, memory, (int) bytes, element, MPI_STATUS_IGNORE)
               : MPI_File_read_at_all(file, 0, memory, (int) bytes, element, MPI_STATUS_IGNORE);
    wall = 1e9 * (MPI_Wtime() - wall);
    t_fault_set(NULL);
    after = figures_now(file);
    t_ok(rc, write ? "write" : "read");
    MPI_Type_free(&element);
    after.hidden -= before.hidden;
    after.io -= before.io;
    after.exchange -= before.exchange;
    after.cycles -= before.cycles;
    MPI_Bcast(&after, sizeof(after), MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&wall, &after.wall, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return after;
}

/* A write and a read (result[0], result[1]) in windows of this size. Messages and packed puts have
 * a staging as large as the window. */
static void measure(const char *schedule, const char *transport, int64_t window, bool slow,
                    figures result[2])
{
    int64_t buffer = window * (0 == strcmp(schedule, "none") ? 1 : 2)
                     * (0 == strcmp(transport, "shm") ? 1 : 2);
    static unsigned char *memory;
    static int64_t filled; /* for windows of this size; a read leaves what was written */
    t_blocks mine = blocks_of(window);
    char hints[256];
    MPI_File file;

    memset(result, 0, 2 * sizeof(*result));
    if (window != filled) {
        free(memory);
        memory = spread(&mine);
        filled = window;
    }
    snprintf(hints, sizeof(hints),
             "exchange=on,aggregator_list=0,transport=%s,buffer_bytes=%lld,schedule=%s", transport,
             (long long) buffer, schedule);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        t_blocks_view(file, &mine);
        result[0] = one_call(file, true, &mine, memory, slow);
        result[1] = one_call(file, false, &mine, memory, slow);
        if (slow) {
            check_memory(&mine, memory);
        }
        t_ok(MPI_File_close(&file), "close");
    }
}

static bool long_enough(const figures *figures)
{
    return figures->exchange / figures->cycles > 1.5 * (slow_ns + figures->io / figures->cycles);
}

/* On a machine that is busy with other work every measurement takes long and tells little: better
 * none than to be ended by mpirun's limit. Rank 0's clock decides for all. */
static bool too_busy(void)
{
    int late = MPI_Wtime() - began > most_seconds;

    MPI_Bcast(&late, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return late;
}

/* The window, from this one on, whose exchange takes longer than a slow access; 0 when none does.
 * What is true once may be another program's doing, so it must be true twice. */
static int64_t calibrate(const char *transport, int64_t window)
{
    int good = 0;

    while (window <= window_most && 2 > good && !too_busy()) {
        figures result[2];

        measure("none", transport, window, false, result);
        if (0 == t_rank) {
            printf("# %s, windows of %lld MiB: exchange %.0f and %.0f ms a cycle\n", transport,
                   (long long) (window >> 20), result[0].exchange / result[0].cycles / 1e6,
                   result[1].exchange / result[1].cycles / 1e6);
        }
        if (long_enough(&result[0]) && long_enough(&result[1])) {
            good++;
        } else {
            good = 0;
            window += window_step;
        }
    }
    return 2 == good ? window : 0;
}

static double share(const figures *figures)
{
    return figures->io > 0 ? figures->hidden / figures->io : 0;
}

/* The part of the access time that the call is shorter than under `none`. */
static double saved(const figures *none, const figures *figures)
{
    return none->io > 0 ? (none->wall - figures->wall) / none->io : 0;
}

static bool good(const figures *none, const figures *figures)
{
    return share(figures) > 0.5 && saved(none, figures) > 1.0 / 3;
}

static void check_none(const char *transport, int64_t window, figures result[2])
{
    static const char *const calls[] = {"writes", "reads"};
    char name[128];

    measure("none", transport, window, true, result);
    for (int i = 0; i < 2; i++) {
        if (0 != result[i].hidden || slow_ns * result[i].cycles > result[i].io) {
            t_fail("none: hidden %.0f of %.0f ns, in %.0f cycles", result[i].hidden, result[i].io,
                   result[i].cycles);
        }
        snprintf(name, sizeof(name), "nothing_is_hidden_under_none_%s_%s", transport, calls[i]);
        t_verdict(name);
    }
}

/* Measures schedule and `none` once more, in larger windows if the machine has become faster. */
static void measure_again(const char *schedule, const char *transport, int64_t *window,
                          figures none[2], figures result[2])
{
    int64_t larger = calibrate(transport, *window);

    *window = 0 < larger ? larger : *window;
    measure("none", transport, *window, true, none);
    measure(schedule, transport, *window, true, result);
}

static void check_hidden(const char *schedule, const char *transport, int64_t *window,
                         figures none[2])
{
    static const char *const calls[] = {"writes", "reads"};
    figures result[2], again[2];
    bool fine[2];
    char name[128];

    measure(schedule, transport, *window, true, result);
    for (int i = 0; i < 2; i++) {
        fine[i] = good(&none[i], &result[i]);
        if (0 == t_rank) {
            printf("# %s %s %s: hidden %.3f of the access time, saved %.3f, %.0f cycles\n",
                   transport, schedule, calls[i], share(&result[i]), saved(&none[i], &result[i]),
                   result[i].cycles);
        }
    }
    if (!fine[0] || !fine[1]) {
        measure_again(schedule, transport, window, none, again);
    }
    for (int i = 0; i < 2; i++) {
        if (!fine[i] && !good(&none[i], &again[i])) {
            t_fail("%s: hidden %.3f, saved %.3f of the access time of %s", schedule,
                   share(&again[i]), saved(&none[i], &again[i]), calls[i]);
        }
        snprintf(name, sizeof(name), "%s_are_hidden_under_%s_%s", calls[i], schedule, transport);
        t_verdict(name);
    }
}

int main(int argc, char *argv[])
{
    static const char *const transports[] = {"isend", "shm", "put_lock", "put_fence"};
    static const char *const schedules[] = {"write", "write_comm", "write_comm2"};
    bool found = true, busy = false;
    MPI_File file;

    t_init(&argc, &argv);
    began = MPI_Wtime();
    t_path(path, sizeof(path), "hidden");
    if (!t_fault_there()) {
        return t_skip_all("hidden_time", "libfault is not preloaded");
    }
    t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
    MPI_File_close(&file);
    if (!t_pvar_exists("time_hidden") || !t_pvar_exists("time_exchange")) {
        return t_skip_all("hidden_time", "the component has no counters for it");
    }
    for (size_t t = 0; t < sizeof(transports) / sizeof(transports[0]) && !busy; t++) {
        int64_t window = 1 < t_size ? calibrate(transports[t], window_first) : 0;
        figures none[2];

        check_none(transports[t], 0 < window ? window : window_first, none);
        busy = too_busy();
        for (size_t i = 0; !busy && 0 < window && i < sizeof(schedules) / sizeof(schedules[0]);
             i++) {
            check_hidden(schedules[i], transports[t], &window, none);
            busy = too_busy();
        }
        found = found && (1 == t_size || 0 < window);
    }
    if (0 == t_rank) {
        unlink(path);
    }
    if (busy) {
        return t_skip_all("access_is_hidden", "the machine is too busy to measure it");
    }
    return found ? t_finish()
                 : t_skip_all("access_is_hidden",
                              "no exchange that fits in memory is slower than the file");
}
