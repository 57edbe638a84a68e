/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * The lock manager by itself, without preloading: layouts against a byte-by-byte oracle, the growth
 * of locks, callbacks, glimpses, and a holder that dies.
 */

#include "check.h"
#include "sim/sim_manager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

static sim_space_t *space;
static uint32_t file;
static uint64_t next_inode = 1;

static void fresh(uint32_t stripes)
{
    sim_layout_t layout = {
        .count = 1,
        .component = {
            {.end = SIM_EOF, .stripe_size = MIB, .stripe_count = stripes, .first_ost = 0}}};

    file = sim_file(space, 1, next_inode++, 7);
    EXPECT(0 == sim_file_set_layout(space, file, &layout));
    sim_reset(space, false);
}

/* Takes and releases a lock on object 0; gives back what was granted. */
static sim_lock_t touch(uint32_t client, sim_mode_t mode, bool no_expand, uint64_t start,
                        uint64_t end)
{
    sim_request_t request = {.client = client, .file = file, .mode = mode, .no_expand = no_expand};
    sim_span_t span = {.object = 0, .start = start, .end = end};
    int32_t lock = sim_lock(space, &request, &span);
    sim_lock_t copy = space->lock[lock];

    sim_unlock(space, file, 0, lock);
    return copy;
}

static int speculate(uint32_t client, uint64_t start, uint64_t end)
{
    sim_request_t request = {
        .client = client, .file = file, .mode = SIM_WRITE, .no_expand = true, .speculative = true};
    sim_span_t span = {.object = 0, .start = start, .end = end};

    return sim_lockahead(space, &request, &span);
}

/* Every byte of a range is in exactly one span, at the place the RAID 0 rule says. */
CHECK(spans_match_bytes, 0)
{
    unsigned seed = (unsigned) time(NULL);

    printf("# seed %u\n", seed);
    srand(seed);
    for (int round = 0; round < 200; ++round) {
        uint32_t stripes = 1 + (uint32_t) rand() % 5;
        uint64_t size = 1 + (uint64_t) rand() % 7;
        uint64_t border = (uint64_t) rand() % 60;
        uint64_t start = (uint64_t) rand() % 100;
        uint64_t end = start + (uint64_t) rand() % 100;
        sim_layout_t layout = {
            .count = 2,
            .component = {
                {.end = border, .stripe_size = 3, .stripe_count = 2},
                {.start = border, .end = SIM_EOF, .stripe_size = size, .stripe_count = stripes}}};
        sim_span_t span[SIM_OBJECTS];
        size_t count = sim_spans(&layout, start, end, span);
        uint64_t covered = 0;

        for (uint64_t b = start; b <= end; ++b) {
            uint32_t n = b < border ? 0 : 1;
            const sim_component_t *c = &layout.component[n];
            uint32_t object = n * SIM_STRIPES + (uint32_t) (b / c->stripe_size) % c->stripe_count;
            uint64_t at = b / (c->stripe_size * c->stripe_count) * c->stripe_size
                          + b % c->stripe_size;
            int hits = 0;

            for (size_t s = 0; s < count; ++s) {
                hits += object == span[s].object && span[s].start <= at && at <= span[s].end;
            }
            EXPECT(1 == hits);
        }
        for (size_t s = 0; s < count; ++s) {
            covered += span[s].end - span[s].start + 1;
            EXPECT(0 == s || span[s - 1].object < span[s].object);
        }
        EXPECT(covered == end - start + 1);
    }
}

CHECK(locks_grow_to_their_neighbours, 0)
{
    sim_lock_t lock;

    fresh(1);
    lock = touch(0, SIM_WRITE, false, 8 * MIB, 9 * MIB - 1);
    EXPECT(0 == lock.start && SIM_EOF == lock.end);
    lock = touch(1, SIM_WRITE, false, 16 * MIB, 17 * MIB - 1); /* takes all of it away */
    EXPECT(0 == lock.start && SIM_EOF == lock.end);
    EXPECT(1 == space->counters.revocations && 2 == space->counters.expanded);
    fresh(1);
    touch(0, SIM_WRITE, true, 0, MIB - 1);
    touch(1, SIM_WRITE, true, 4 * MIB, 5 * MIB - 1);
    lock = touch(2, SIM_WRITE, false, 2 * MIB, 3 * MIB - 1);
    EXPECT(2 * MIB == lock.start && 4 * MIB - 1 == lock.end); /* upwards only */
    EXPECT(0 == space->counters.revocations);
}

CHECK(objects_in_demand_grow_less, 0)
{
    sim_lock_t lock;

    fresh(1);
    for (uint64_t i = 0; i < 33; ++i) {
        touch(1, SIM_WRITE, true, i * 4 * MIB, i * 4 * MIB + 4095);
    }
    lock = touch(0, SIM_WRITE, false, 512 * MIB, 513 * MIB - 1);
    EXPECT(512 * MIB == lock.start && 544 * MIB - 1 == lock.end); /* 32 MiB upwards */
}

CHECK(two_writers_fight, 0)
{
    fresh(1);
    for (uint64_t i = 0; i < 20; ++i) {
        touch((uint32_t) (i % 2), SIM_WRITE, false, i * MIB, (i + 1) * MIB - 1);
    }
    EXPECT(19 == space->counters.revocations);
    EXPECT(19 == space->counters.completions);
    EXPECT(20 + 3 * 19 == space->counters.rpcs); /* enqueue; callback, cancel, completion */
    fresh(1);
    for (uint64_t i = 0; i < 20; ++i) {
        touch((uint32_t) (i % 2), SIM_WRITE, true, i * MIB, (i + 1) * MIB - 1);
    }
    EXPECT(0 == space->counters.revocations && 20 == space->counters.rpcs);
}

/* A write right after its own request does not find the lock: it asks again. */
CHECK(speculation_takes_its_time, 0)
{
    fresh(1);
    space->config.async_us = 60000000;
    EXPECT(0 == speculate(0, 0, MIB - 1) && 0 == speculate(0, 0, MIB - 1));
    EXPECT(1 == space->counters.denied && 1 == space->counters.in_flight);
    touch(0, SIM_WRITE, true, 0, 4095);
    EXPECT(3 == space->counters.enqueues && 1 == space->counters.self_revocations);
    space->config.async_us = 0;
    EXPECT(0 == speculate(0, 4 * MIB, 5 * MIB - 1));
    touch(0, SIM_WRITE, true, 4 * MIB, 4 * MIB + 4095);
    EXPECT(4 == space->counters.enqueues && 1 == space->counters.self_revocations);
}

static void composite(sim_layout_t *layout, uint32_t mirrors)
{
    *layout = (sim_layout_t){.count = 2 * mirrors, .composite = 1};
    for (uint32_t m = 0; m < mirrors; ++m) {
        layout->component[2 * m] = (sim_component_t){
            .end = 4 * MIB, .stripe_size = MIB, .stripe_count = 1, .mirror = m};
        layout->component[2 * m + 1] = (sim_component_t){.start = 4 * MIB,
                                                         .end = SIM_EOF,
                                                         .stripe_size = MIB,
                                                         .stripe_count = UINT32_MAX,
                                                         .mirror = m};
    }
    file = sim_file(space, 1, next_inode++, 7);
    EXPECT(0 == sim_file_set_layout(space, file, layout));
    sim_file_layout(space, file, layout);
}

CHECK(components_get_objects_when_written, 0)
{
    sim_layout_t layout;
    sim_span_t span[SIM_OBJECTS];

    composite(&layout, 1);
    EXPECT(!layout.component[0].empty && layout.component[1].empty);
    EXPECT(UINT32_MAX == layout.component[1].stripe_count);
    EXPECT(1 == sim_spans(&layout, 0, 16 * MIB, span));
    sim_file_instantiate(space, file, 8 * MIB, 8 * MIB + 1);
    sim_file_layout(space, file, &layout);
    EXPECT(4 == layout.component[1].stripe_count && 5 == sim_spans(&layout, 0, 16 * MIB, span));
}

CHECK(writes_make_other_mirrors_stale, 0)
{
    sim_layout_t layout;
    sim_span_t span[SIM_OBJECTS];

    composite(&layout, 2);
    EXPECT(1 == sim_spans(&layout, 0, MIB, span) && 0 == span[0].object);
    sim_file_instantiate(space, file, 0, MIB);
    sim_file_layout(space, file, &layout);
    EXPECT(!layout.component[0].stale && layout.component[2].stale && layout.component[3].stale);
}

CHECK(quota_and_grant, 0)
{
    sim_layout_t layout;

    fresh(2);
    sim_file_layout(space, file, &layout);
    space->config.quota_bytes = 4 * MIB;
    space->config.grant_bytes = MIB;
    EXPECT(0 == sim_charge(space, 0, &layout, 0, 4 * MIB - 1));
    EXPECT(0 == sim_charge(space, 0, &layout, 4 * MIB, 5 * MIB - 1)); /* in its grant */
    EXPECT(-EDQUOT == sim_charge(space, 0, &layout, 5 * MIB, 5 * MIB));
    EXPECT(0 == sim_charge(space, 1, &layout, 5 * MIB, 6 * MIB - 1)); /* each client has one */
    fresh(2);
    space->config.ost_bytes = 2 * MIB;
    EXPECT(0 == sim_charge(space, 0, &layout, 0, 4 * MIB - 1));
    EXPECT(-ENOSPC == sim_charge(space, 0, &layout, 4 * MIB, 4 * MIB));
    EXPECT(1 == space->counters.refused);
    fresh(2); /* sets no limits again */
}

CHECK(sizes_are_glimpsed, 0)
{
    fresh(4);
    sim_glimpse(space, 0, file);
    EXPECT(4 == space->counters.glimpses && 4 == space->counters.rpcs);
    touch(0, SIM_WRITE, false, 0, 4095); /* object 0 up to its end */
    sim_glimpse(space, 0, file);
    EXPECT(7 == space->counters.glimpses);
    sim_glimpse(space, 1, file); /* the server has to ask the writer */
    EXPECT(11 == space->counters.glimpses && 4 + 1 + 3 + 5 == space->counters.rpcs);
}

/* A process is killed with a lock in use: the next one gets it after the time-out. */
CHECK(dead_holders_are_evicted, 0)
{
    sim_request_t request = {.client = 0, .file = 0, .mode = SIM_WRITE};
    sim_span_t span = {.object = 0, .start = 0, .end = 4095};
    pid_t child;

    fresh(1);
    request.file = file;
    setenv("LUSTRESIM_TIMEOUT", "1", 1);
    child = fork();
    if (0 == child) {
        sim_lock(space, &request, &span);
        sim_enter(space); /* also holding the manager's mutex */
        raise(SIGKILL);
    }
    waitpid(child, NULL, 0);
    touch(1, SIM_WRITE, true, 0, 4095);
    EXPECT(1 == space->counters.evictions);
    unsetenv("LUSTRESIM_TIMEOUT");
}

CHECK(removed_files_are_forgotten, 0)
{
    sim_layout_t layout;

    fresh(4);
    touch(0, SIM_WRITE, false, 0, 4095);
    sim_file_forget(space, 1, next_inode - 1, 8); /* another file's */
    EXPECT(4 == space->file[file].layout.component[0].stripe_count);
    sim_file_forget(space, 1, next_inode - 1, 7);
    file = sim_file(space, 1, next_inode - 1, 7);
    sim_file_layout(space, file, &layout);
    EXPECT(1 == layout.count && 1 == layout.component[0].stripe_count);
    touch(1, SIM_WRITE, false, 0, 4095);
    EXPECT(0 == space->counters.revocations);
    file = sim_file(space, 1, next_inode - 1, 8); /* the inode again, in another file */
    EXPECT(0 == space->file[file].layout.count);
}

int main(int argc, char **argv)
{
    if (2 != argc || NULL == (space = sim_attach(argv[1]))) {
        fprintf(stderr, "usage: check_sim EMPTY-DIRECTORY\n");
        return EXIT_FAILURE;
    }
    return check_all("sim", NULL, NULL);
}
