/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Sequences of calls that look alike: most views and accesses are small changes of earlier ones. */
#include "fuzz_plan.h"

#include <string.h>

enum { HISTORY = 6 };

/* What earlier steps did, to be done again with a difference. */
typedef struct memory {
    fuzz_views views[HISTORY];
    fuzz_op op[HISTORY];
    int view_count, op_count;
    bool same; /* all views of the sequence are the same on all ranks: shared pointers */
    uint64_t
        many; /* a sequence with many small calls: drawn apart, other seeds stay as they were */
} memory;

const char *fuzz_feature_name(int feature)
{
    static const char *const names[] = {
#define NAME(name, text) text,
        FUZZ_FEATURES(NAME)
#undef NAME
    };

    return names[feature];
}

static const struct choice {
    const char *name, *values;
    int percent;
} choices[] = {
    {"collio_exchange", "on\0on\0off\0auto\0", 60},
    {"collio_schedule", "none\0comm\0write\0write_comm\0write_comm2\0", 35},
    {"collio_transport", "isend\0put_fence\0put_lock\0shm\0", 35},
    {"collio_partition", "even\0static_cyclic\0group_cyclic\0memory\0memory\0", 30},
    {"collio_aggregators", "1\0002\0003\0005\0", 35},
    {"collio_buffer_bytes", "4096\0008192\00020000\000100000\0", 40},
    {"collio_plan_reuse", "false\0true\0", 15},
    {"collio_sync_send", "on\0off\0", 15},
    {"collio_placement", "spread\0round_robin\0", 10},
    {"romio_cb_write", "enable\0disable\0automatic\0", 15},
    {"romio_cb_read", "enable\0disable\0automatic\0", 15},
    {"collio_local_aggregators_per_node", "1\0002\0003\0", 25},
    {"collio_intra", "shm\0isend\0", 15},
    {"collio_sieve_read", "on\0off\0", 15},
    {"collio_sieve_write", "on\0off\0", 15},
    {"collio_sieve_write_bytes", "512\0004096\0", 10},
    {"collio_sieve_read_bytes", "512\0004096\0", 10},
    {"collio_method", "vector\0pack\0direct\0", 15},
    {"collio_engine", "threads\0io_uring\0libaio\0", 10},
    {"collio_num_threads", "1\0002\0", 10},
    {"collio_serial_below", "1\0", 10},
    {"collio_stage_bytes", "512\0004096\0", 10},
    {"collio_aggregator_list", "0\0", 5},
    {"collio_local_aggregators", "1\0002\0003\0", 10},
    {"collio_memory_group_bytes", "3000\00050000\0", 8},
    {"collio_memory_domain_bytes", "1000\00020000\0", 8},
    {"collio_memory_min_bytes", "1\0004096\0", 8},
    {"collio_memory_available", "30000\0001M\0", 8},
    {"cb_nodes", "1\0002\0", 5},
    {"cb_buffer_size", "5000\0", 5},
    {"romio_ds_write", "enable\0disable\0", 5},
    {"romio_ds_read", "enable\0disable\0", 5},
    {"ind_wr_buffer_size", "700\0", 5},
    {"ind_rd_buffer_size", "700\0", 5},
    {"collio_keep", "true\0false\0", 25},
    {"collio_align_bytes", "1\000100\0004096\0", 10},
    {"collio_report", "on\0table\0lines\0json\0", 3}, /* run sends it to /dev/null */
};

static const char *nth(const char *values, int n)
{
    while (0 < n--) {
        values += strlen(values) + 1;
    }
    return values;
}

/* A handle that sieves its writes puts back what was in the gaps: another handle of the file must
 * have asked for it, too, or it takes no lock and loses its bytes (docs/mtpwrite.md). */
static bool sieves_writes(const fuzz_plan *plan)
{
    bool sieves = false;

    for (int i = 0; i < plan->hints; i++) {
        sieves = sieves || 0 == strcmp(plan->hint[i].name, "collio_sieve_write")
                 || 0 == strcmp(plan->hint[i].name, "romio_ds_write");
    }
    return sieves;
}

static void plan_hints(uint64_t *random, fuzz_plan *plan)
{
    for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
        int count = 0;

        while ('\0' != *nth(choices[i].values, count)) {
            count++;
        }
        count = fuzz_below(random, count);
        if (fuzz_chance(random, choices[i].percent) && plan->hints < FUZZ_HINTS) {
            fuzz_hint *hint = &plan->hint[plan->hints++];

            hint->name = choices[i].name;
            snprintf(hint->value, sizeof(hint->value), "%s", nth(choices[i].values, count));
        }
    }
    plan->plain_handle = fuzz_below(random, 3) - 1;
    plan->plain_handle = sieves_writes(plan) ? -1 : plan->plain_handle;
}

/** Most sequences with many small calls make them without an exchange. */
static void skip_exchange(uint64_t *random, fuzz_plan *plan)
{
    const char *values = fuzz_chance(random, 50) ? "off" : "auto";

    for (int i = 0; i < plan->hints; i++) {
        if (0 == strcmp(plan->hint[i].name, "collio_exchange") && fuzz_chance(random, 80)) {
            snprintf(plan->hint[i].value, sizeof(plan->hint[i].value), "%s", values);
        }
    }
}

static void plan_file(uint64_t *random, fuzz_plan *plan)
{
    plan->handles = fuzz_chance(random, 25) ? 2 : 1;
    plan->reversed = fuzz_chance(random, 50);
    plan->mode[0] = plan->mode[1] = MPI_MODE_RDWR | MPI_MODE_CREATE;
    if (fuzz_chance(random, 12)) {
        plan->mode[0] = MPI_MODE_WRONLY | MPI_MODE_CREATE;
    }
    if (fuzz_chance(random, 30)) {
        plan->mode[1] = MPI_MODE_RDONLY;
    }
    if (fuzz_chance(random, 5)) {
        plan->mode[0] |= MPI_MODE_APPEND;
    }
    plan->prefill = fuzz_chance(random, 45) ? -1
                                            : fuzz_below(random, 1 << (3 + fuzz_below(random, 13)));
    plan->far = fuzz_chance(random, 6) ? (INT64_C(5) << 30) + 123 : 0;
}

static void plan_views(uint64_t *random, memory *memory, fuzz_views *views)
{
    if (0 < memory->view_count && fuzz_chance(random, 75)) {
        int latest = memory->view_count < HISTORY ? memory->view_count : HISTORY;

        *views = memory->views[fuzz_below(random, latest)];
        fuzz_views_alike(random, memory->same, views);
    } else {
        fuzz_views_random(random, memory->same, views);
    }
    memory->views[memory->view_count++ % HISTORY] = *views;
}

static void new_op(uint64_t *random, fuzz_op *op)
{
    memset(op, 0, sizeof(*op));
    op->write = fuzz_chance(random, 55);
    op->collective = fuzz_chance(random, 72);
    op->at = fuzz_chance(random, 60);
    op->how = fuzz_chance(random, 60) ? T_BLOCK : fuzz_chance(random, 65) ? T_START : T_BEGIN;
    op->offset = fuzz_chance(random, 50) ? 0 : fuzz_below(random, 1 << fuzz_below(random, 10));
    op->stagger = fuzz_below(random, 2);
    op->amount = 1 + fuzz_below(random, 1 << (3 + fuzz_below(random, 11)));
    op->amount += fuzz_chance(random, 4) ? fuzz_below(random, 50000) : 0;
    op->ragged = fuzz_chance(random, 15);
    op->odd_rank = fuzz_chance(random, 20) ? fuzz_below(random, FUZZ_RANKS / 2) : -1;
    op->odd = fuzz_chance(random, 50) ? 1 + fuzz_below(random, 9) : -1 - fuzz_below(random, 9);
    op->idle = fuzz_chance(random, 20) ? 1u << fuzz_below(random, 8) : 0;
    op->idle |= fuzz_chance(random, 5) ? (unsigned) fuzz_below(random, 256) : 0;
    op->memory = fuzz_chance(random, 50) ? 0 : 1 + fuzz_below(random, 4);
    op->seed = t_random(random);
}

/** One difference from a call that was there. */
static void alter_op(uint64_t *random, fuzz_op *op)
{
    switch (fuzz_below(random, 12)) {
    case 0:
        op->offset += 1 + fuzz_below(random, 64);
        break;
    case 1:
        op->offset = fuzz_below(random, 1 << fuzz_below(random, 11));
        break;
    case 2:
        op->idle ^= 1u << fuzz_below(random, 8);
        break;
    case 3:
        op->odd_rank = fuzz_below(random, FUZZ_RANKS / 2);
        op->odd = fuzz_below(random, 19) - 9;
        break;
    case 4:
        op->amount = 1 + op->amount / 2;
        break;
    case 5:
        op->amount = 1 + op->amount * 2 % 10000;
        break;
    case 6:
        op->write = !op->write;
        break;
    case 7:
        op->at = !op->at;
        break;
    case 8:
        op->how = (t_how) fuzz_below(random, 3);
        break;
    case 9:
        op->memory = fuzz_below(random, 5);
        break;
    case 10:
        op->ragged = !op->ragged;
        break;
    default: /* the very same call */
        break;
    }
}

static void plan_op(uint64_t *random, memory *memory, int handles, fuzz_op *op)
{
    if (0 < memory->op_count && fuzz_chance(random, 65)) {
        int latest = memory->op_count < HISTORY ? memory->op_count : HISTORY;

        *op = memory->op[fuzz_below(random, latest)];
        alter_op(random, op);
    } else {
        new_op(random, op);
    }
    op->handle = fuzz_below(random, handles);
    op->gap = fuzz_chance(random, 25);
    memory->op[memory->op_count++ % HISTORY] = *op;
}

/** What most of the many small calls are made of: alike, so that ranks make their accesses before
 *  they agree. */
static void many_begin(uint64_t *random, int handles, fuzz_op *op)
{
    new_op(random, op);
    op->handle = fuzz_below(random, handles);
    op->collective = true;
    op->how = fuzz_chance(random, 70) ? T_START : T_BLOCK;
    op->amount = 1 + fuzz_below(random, 1 << fuzz_below(random, 10));
    op->stagger = 1;
    op->odd_rank = -1;
    op->ragged = fuzz_chance(random, 8);
    op->memory = fuzz_chance(random, 80) ? 0 : op->memory;
    op->idle = fuzz_chance(random, 85) ? 0 : op->idle;
    op->offset = fuzz_chance(random, 70) ? 0 : op->offset;
}

/** The next of them: usually after the last one, and sometimes something that ends what the calls
 *  before it have in common. */
static void many_next(uint64_t *random, int size, int handles, fuzz_op *op)
{
    op->seed = t_random(random);
    op->offset += (int64_t) size * (op->amount + 10);
    if (fuzz_chance(random, 88)) {
        return;
    }
    switch (fuzz_below(random, 9)) {
    case 0:
        op->write = !op->write;
        break;
    case 1: /* too large to be made at once */
        op->amount = fuzz_chance(random, 50) ? 1 + op->amount % 500
                                             : 4000 + fuzz_below(random, 12000);
        break;
    case 2:
        op->how = T_START == op->how ? T_BLOCK : T_START;
        break;
    case 3:
        op->collective = !op->collective;
        break;
    case 4:
        op->handle = fuzz_below(random, handles);
        break;
    case 5:
        op->memory = fuzz_below(random, 5);
        break;
    case 6:
        op->at = !op->at;
        break;
    default:
        op->idle ^= 1u << fuzz_below(random, 8);
        op->odd_rank = fuzz_below(random, FUZZ_RANKS / 2);
        op->odd = fuzz_below(random, 19) - 9;
    }
}

static void plan_many(uint64_t *random, const fuzz_plan *plan, fuzz_step *step)
{
    step->ops = 2 + fuzz_below(random, fuzz_chance(random, 40) ? FUZZ_OPS - 1 : 10);
    many_begin(random, plan->handles, &step->op[0]);
    for (int i = 1; i < step->ops; i++) {
        step->op[i] = step->op[i - 1];
        many_next(random, plan->size, plan->handles, &step->op[i]);
    }
}

static fuzz_step_kind plan_kind(uint64_t *random, const memory *memory)
{
    static const struct {
        fuzz_step_kind kind;
        int weight, weight_same;
    } weights[] = {
        {FUZZ_DATA, 51, 36},      {FUZZ_SET_VIEW, 20, 12}, {FUZZ_SET_SIZE, 4, 3},
        {FUZZ_PREALLOCATE, 1, 1}, {FUZZ_SYNC, 2, 2},       {FUZZ_ATOMICITY, 3, 2},
        {FUZZ_SEEK, 6, 4},        {FUZZ_ORDERED, 1, 14},   {FUZZ_IN_TURN, 1, 12},
        {FUZZ_SEEK_SHARED, 0, 8}, {FUZZ_REOPEN, 2, 2},     {FUZZ_OVERLAP, 4, 2},
        {FUZZ_OTHER, 5, 2},
    };
    int at = fuzz_below(random, 100);

    for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
        at -= memory->same ? weights[i].weight_same : weights[i].weight;
        if (0 > at) {
            return weights[i].kind;
        }
    }
    return FUZZ_DATA;
}

static void plan_step(uint64_t *random, memory *memory, const fuzz_plan *plan, fuzz_step *step)
{
    step->kind = plan_kind(random, memory);
    if (0 != memory->many && fuzz_chance(&memory->many, 40)) {
        step->kind = FUZZ_MANY;
    }
    step->handle = fuzz_below(random, plan->handles);
    step->ops = 1;
    step->value = fuzz_below(random, 1 << (3 + fuzz_below(random, 14)));
    step->whence = fuzz_below(random, 3);
    step->completion = fuzz_below(random, 4);
    step->seed = t_random(random);
    step->check = fuzz_chance(random, 60);
    step->threads = fuzz_chance(random, 50);
    step->hints = fuzz_chance(random, 30);
    if (FUZZ_DATA == step->kind && fuzz_chance(random, 25)) {
        step->ops += 1 + fuzz_below(random, FUZZ_BURST - 1);
    }
    for (int i = 0; i < step->ops; i++) {
        plan_op(random, memory, plan->handles, &step->op[i]);
    }
    if (FUZZ_MANY == step->kind) {
        plan_many(&memory->many, plan, step);
    }
    if (FUZZ_ORDERED == step->kind || FUZZ_IN_TURN == step->kind
        || FUZZ_SEEK_SHARED == step->kind) {
        step->handle = 0; /* two handles may share a pointer or not: only one uses it */
    }
    if (FUZZ_SET_VIEW == step->kind) {
        plan_views(random, memory, &step->views);
    }
}

void fuzz_plan_make(uint64_t seed, int size, fuzz_plan *plan)
{
    uint64_t random = t_mix(seed + UINT64_C(0x5bd1e995)) + (uint64_t) size;
    memory memory = {.view_count = 0};

    memset(plan, 0, sizeof(*plan));
    plan->seed = seed;
    plan->size = size;
    memory.same = fuzz_chance(&random, 12);
    memory.many = 0 == t_mix(seed + 7) % 4 ? t_mix(seed + 3) | 1 : 0;
    plan_hints(&random, plan);
    if (0 != memory.many) {
        skip_exchange(&memory.many, plan);
    }
    plan_file(&random, plan);
    plan->steps = 3 + fuzz_below(&random, FUZZ_STEPS - 8);
    for (int i = 0; i < plan->steps; i++) {
        plan_step(&random, &memory, plan, &plan->step[i]);
    }
}
