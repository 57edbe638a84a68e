/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/** lustresim DIR COMMAND: looks into, and resets, the lock manager of a directory. */

#include "sim_manager.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: lustresim DIR COMMAND\n"
    "  stats     all counters and the modelled time, one per line\n"
    "  get NAME  one counter\n"
    "  advices   the lockahead advices: client, first and last byte, mode, sync/async, result\n"
    "  locks     the locks that are held: file, object, client, mode, first and last byte, users\n"
    "  evict NAME  throws the client out: its locks and its dirty data are lost\n"
    "  reset     clears counters and log, reads the LUSTRESIM_* settings again\n"
    "  forget    reset, and drops all locks\n";

static int print_stats(const sim_space_t *space, const char *wanted)
{
    int found = NULL == wanted;

#define X(name)                                                  \
    if (NULL == wanted) {                                        \
        printf("%s %" PRIu64 "\n", #name, space->counters.name); \
    } else if (0 == strcmp(wanted, #name)) {                     \
        printf("%" PRIu64 "\n", space->counters.name);           \
        found = 1;                                               \
    }
    SIM_COUNTERS(X)
#undef X
    if (NULL == wanted || 0 == strcmp(wanted, "model_ms")) {
        printf("%s%.3f\n", NULL == wanted ? "model_ms " : "", (double) sim_clock_end(space) / 1e6);
        found = 1;
    }
    return found ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int evict(sim_space_t *space, const char *name)
{
    uint32_t client = sim_client(space, name);

    sim_enter(space);
    sim_evict(space, client);
    sim_leave(space);
    return EXIT_SUCCESS;
}

static void print_advices(const sim_space_t *space)
{
    for (uint32_t i = 0; i < space->log_count; ++i) {
        const sim_log_t *entry = &space->log[i];
        const char *client = space->client[entry->client];

        printf("%s %" PRIu64 " %" PRIu64 " %s %s %d\n", '\0' == *client ? "?" : client,
               entry->start, entry->end, 2 == entry->mode ? "write" : "read",
               entry->async ? "async" : "sync", entry->result);
    }
}

static void print_locks(sim_space_t *space)
{
    static const char *const modes[] = {"?", "read", "write", "group"};

    sim_enter(space);
    for (uint32_t f = 0; f < SIM_FILES; ++f) {
        for (uint32_t o = 0; 0 != space->file[f].inode && o < SIM_OBJECTS; ++o) {
            for (int32_t l = space->file[f].locks[o]; - 1 != l; l = space->lock[l].next) {
                const sim_lock_t *lock = &space->lock[l];

                printf("%u %u %s %s %" PRIu64 " %" PRIu64 " %u\n", f, o,
                       space->client[lock->client], modes[lock->mode], lock->start, lock->end,
                       lock->users);
            }
        }
    }
    sim_leave(space);
}

int main(int argc, char **argv)
{
    sim_space_t *space;

    if (3 > argc) {
        fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    space = sim_attach(argv[1]);
    if (NULL == space) {
        perror(argv[1]);
        return EXIT_FAILURE;
    }
    if (0 == strcmp(argv[2], "stats")) {
        return print_stats(space, NULL);
    }
    if (0 == strcmp(argv[2], "get") && 4 == argc) {
        return print_stats(space, argv[3]);
    }
    if (0 == strcmp(argv[2], "evict") && 4 == argc) {
        return evict(space, argv[3]);
    }
    if (0 == strcmp(argv[2], "advices")) {
        print_advices(space);
    } else if (0 == strcmp(argv[2], "locks")) {
        print_locks(space);
    } else if (0 == strcmp(argv[2], "reset") || 0 == strcmp(argv[2], "forget")) {
        sim_reset(space, 0 == strcmp(argv[2], "forget"));
    } else {
        fputs(usage, stderr);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
