/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of the file access is hidden, with a slow file and a slow exchange. With libfault every
 * write, or read, takes 100 ms. A page of the user's memory in each window is protected: the first
 * copy from or to it takes 150 ms, in the handler of the fault. The aggregator has such memory, so
 * its shuffle is slow, whatever the transport; under `comm`, whose access blocks the aggregator,
 * the other ranks have it. Both delays are sleeps, so a busy machine disturbs little.
 *
 * By the component's own counters nothing is hidden under `none`, and more than half of the access
 * time under the others. By the clock of the caller at least 0.6 of the access time is saved
 * against the same call under `none`: two accesses at a time with no exchange beside them save 0.5.
 * What was read is compared byte by byte.
 *
 * `comm` by isend is not measured: senders pack ahead of the aggregator under `none`, too. Nor is
 * `comm` by put_fence: what it hides is what the network does alone between two fences.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/t_pvar.h"
#include "t_fault.h"

enum { CYCLES = 6, BLOCK = 256, SPARE = 0xee, WINDOW = 512 << 10, COPY_MS = 150 };
static const double slow_ns = 100e6;
static char path[512];
static unsigned char *memory; /* of the user: data at even places, SPARE at odd */
static int64_t memory_bytes;
static long page_bytes;

typedef struct figures {
    double hidden, io, cycles;
    double wall; /* nanoseconds of the call on the slowest rank */
} figures;

static const char *const calls[] = {"writes", "reads"};

/* A copy has reached a protected page: it takes its time, then it goes on. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    unsigned char *at = info->si_addr;
    struct timespec pause = {0, COPY_MS * 1000000L};

    (void) context;
    if (NULL == memory || at < memory || at >= memory + memory_bytes) {
        signal(number, SIG_DFL);
        return;
    }
    nanosleep(&pause, NULL);
    mprotect(memory + (at - memory) / page_bytes * page_bytes, (size_t) page_bytes,
             PROT_READ | PROT_WRITE);
}

/* Protects a page in the middle of each window, or takes all protection back. */
static void protect(bool on)
{
    int64_t part = memory_bytes / CYCLES;

    for (int64_t i = 0; on && i < CYCLES; i++) {
        int64_t at = (i * part + part / 2) / page_bytes * page_bytes;

        mprotect(memory + at, (size_t) page_bytes, PROT_NONE);
    }
    if (!on) {
        mprotect(memory, (size_t) memory_bytes, PROT_READ | PROT_WRITE);
    }
}

static void prepare_memory(const t_blocks *mine)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    unsigned char *data = t_blocks_data(mine, t_rank);
    int64_t bytes = t_blocks_bytes(mine);

    page_bytes = sysconf(_SC_PAGESIZE);
    memory_bytes = 2 * bytes;
    memory = mmap(NULL, (size_t) memory_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    if (MAP_FAILED == memory) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int64_t i = 0; i < bytes; i++) {
        memory[2 * i] = data[i];
        memory[2 * i + 1] = SPARE;
    }
    free(data);
    sigaction(SIGSEGV, &action, NULL);
}

static void check_memory(const t_blocks *mine)
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
    return (figures){t_pvar_read("time_hidden", file), t_pvar_read("time_io", file),
                     t_pvar_read("cycles", file), 0};
}

/* One call; the aggregator's figures, for everybody. */
static figures one_call(MPI_File file, bool write, const t_blocks *mine, bool slow)
{
    int64_t bytes = t_blocks_bytes(mine);
    figures before = figures_now(file), after;
    MPI_Datatype element;
    double wall;
    int rc;

    MPI_Type_create_resized(MPI_BYTE, 0, 2, &element);
    MPI_Type_commit(&element);
    for (int64_t i = 0; !write && i < bytes; i++) {
        memory[2 * i] = SPARE;
    }
    protect(slow);
    t_fault_set(write ? "op=write,match=hidden,delay_ms=100" : "op=read,match=hidden,delay_ms=100");
    MPI_Barrier(MPI_COMM_WORLD);
    wall = MPI_Wtime();
    rc = write ? MPI_File_write_at_all(file, 0, memory, (int) bytes, element, MPI_STATUS_IGNORE)
               : MPI_File_read_at_all(file, 0, memory, (int) bytes, element, MPI_STATUS_IGNORE);
    wall = 1e9 * (MPI_Wtime() - wall);
    t_fault_set(NULL);
    protect(false);
    after = figures_now(file);
    t_ok(rc, write ? "write" : "read");
    MPI_Type_free(&element);
    after.hidden -= before.hidden;
    after.io -= before.io;
    after.cycles -= before.cycles;
    MPI_Bcast(&after, sizeof(after), MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&wall, &after.wall, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return after;
}

/* A write and a read (result[0], result[1]). Messages and packed puts have a staging as large as
 * the window. */
static void measure(const char *schedule, const char *transport, bool requesters, figures result[2])
{
    t_blocks mine = {t_rank * BLOCK, BLOCK, (int64_t) t_size * BLOCK,
                     (int) (CYCLES * (int64_t) WINDOW / (t_size * BLOCK))};
    int buffer = WINDOW * (0 == strcmp(schedule, "none") ? 1 : 2)
                 * (0 == strcmp(transport, "shm") ? 1 : 2);
    bool slow = requesters == (0 != t_rank);
    char hints[256];
    MPI_File file;

    memset(result, 0, 2 * sizeof(*result));
    if (NULL == memory) {
        prepare_memory(&mine);
    }
    snprintf(hints, sizeof(hints),
             "exchange=on,aggregator_list=0,transport=%s,buffer_bytes=%d,schedule=%s", transport,
             buffer, schedule);
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file)) {
        t_blocks_view(file, &mine);
        result[0] = one_call(file, true, &mine, slow);
        result[1] = one_call(file, false, &mine, slow);
        check_memory(&mine);
        t_ok(MPI_File_close(&file), "close");
    }
}

static void check_none(const char *transport, const figures result[2])
{
    for (int i = 0; i < 2; i++) {
        t_fail_if(0 != result[i].hidden || slow_ns * result[i].cycles > result[i].io
                      || (1 < t_size && CYCLES > result[i].cycles),
                  "none: hidden %.0f of %.0f ns, in %.0f cycles", result[i].hidden, result[i].io,
                  result[i].cycles);
        t_verdict("nothing_is_hidden_under_none_%s_%s", transport, calls[i]);
    }
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
    return saved(none, figures) > 0.6 && share(figures) > 0.5;
}

/* A measurement that another program has disturbed is repeated, twice at most. */
static void check_hidden(const char *schedule, const char *transport, bool requesters)
{
    figures none[2], result[2];

    for (int tries = 0; tries < 3; tries++) {
        measure("none", transport, requesters, none);
        measure(schedule, transport, requesters, result);
        for (int i = 0; 0 == t_rank && i < 2; i++) {
            printf("# %s %s %s: hidden %.3f of the access time, saved %.3f, %.0f cycles\n",
                   transport, schedule, calls[i], share(&result[i]), saved(&none[i], &result[i]),
                   result[i].cycles);
        }
        if (good(&none[0], &result[0]) && good(&none[1], &result[1])) {
            break;
        }
    }
    for (int i = 0; i < 2; i++) {
        t_fail_if(!good(&none[i], &result[i]),
                  "%s: hidden %.3f, saved %.3f of the access time of %s", schedule,
                  share(&result[i]), saved(&none[i], &result[i]), calls[i]);
        t_verdict("%s_are_hidden_under_%s_%s", calls[i], schedule, transport);
    }
}

/* t_hidden TRANSPORT */
int main(int argc, char *argv[])
{
    const char *transport = 1 < argc ? argv[1] : "isend";
    figures none[2];

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "hidden");
    if (!t_fault_there()) {
        return t_skip_all("hidden_time", "libfault is not preloaded");
    }
    t_first_open(path);
    if (!t_pvar_exists("time_hidden")) {
        return t_skip_all("hidden_time", "the component has no counters for it");
    }
    measure("none", transport, false, none);
    check_none(transport, none);
    if (1 < t_size) {
        check_hidden("write", transport, false);
        check_hidden("write_comm", transport, false);
        check_hidden("write_comm2", transport, false);
        if (0 == strcmp("shm", transport) || 0 == strcmp("put_lock", transport)) {
            check_hidden("comm", transport, true);
        }
    }
    t_remove(path);
    return t_finish();
}
