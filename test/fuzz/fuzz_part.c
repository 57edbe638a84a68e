/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * What each rank does in a call, and what the file is afterwards. All ranks compute this for all
 * ranks. A part whose outcome would depend on who comes first is emptied: two ranks that write the
 * same byte, or a read of what another call of the same step writes.
 */
#include "fuzz_run.h"

#include <stdlib.h>
#include <string.h>

enum { NOBODY, READ, WRITTEN };

unsigned char fuzz_value(const fuzz_run *run, const fuzz_call *call, int actor, int64_t place)
{
    uint32_t tag = (uint32_t) (run->plan->seed * 2654435761u + (uint32_t) run->step * 40503u
                               + (uint32_t) call->number * 9973u
                               + (uint32_t) run->who[actor] * 7919u);
    uint32_t hash = ((uint32_t) place + tag) * 2654435761u;

    return (unsigned char) ((hash >> 24) | 1); /* never what a hole has */
}

/** The memory type of a call: some etypes, in one of several forms. */
static fuzz_type *memory_type(const fuzz_op *op, fuzz_leaf leaf, int who)
{
    uint64_t random = op->seed + (op->seed & 1 ? (uint64_t) who : 0);
    fuzz_type *t;

    switch (op->memory) {
    case 0:
        return fuzz_type_leaf(leaf);
    case 1:
        t = fuzz_type_new(FUZZ_VECTOR, fuzz_type_leaf(leaf));
        t->n = 1 + fuzz_below(&random, 6);
        t->block = 1 + fuzz_below(&random, 6);
        t->stride = t->block + fuzz_below(&random, 5);
        return t;
    case 2: /* the last comes first */
        t = fuzz_type_new(FUZZ_STRUCT, fuzz_type_leaf(leaf));
        t->n = 2 + fuzz_below(&random, 4);
        for (int i = 0; i < t->n; i++) {
            t->length[i] = 1 + fuzz_below(&random, 4);
            t->at[i] = (t->n - 1 - i) * 5 * fuzz_leaf_size(leaf);
        }
        return t;
    case 3: /* writes may take the same bytes twice */
        if (op->write) {
            t = fuzz_type_new(FUZZ_VECTOR, fuzz_type_leaf(leaf));
            t->n = 1 + fuzz_below(&random, 4);
            t->block = 3;
            t->stride = fuzz_below(&random, 3);
            return t;
        }
        return fuzz_type_random(&random, leaf, false, 2);
    default:
        return fuzz_type_random(&random, leaf, false, 3);
    }
}

/** Places in memory of the stream as the file has it: external32 turns elements round. */
static void memory_places(fuzz_part *part, int64_t element, bool external)
{
    fuzz_flat flat;
    int64_t extent, i = 0;

    fuzz_type_flatten(part->type, &flat);
    extent = flat.ub - flat.lb;
    part->memory = t_alloc((size_t) part->bytes * sizeof(*part->memory));
    part->low = INT64_MAX;
    part->high = INT64_MIN;
    for (int c = 0; c < part->count; c++) {
        for (int s = 0; s < flat.count; s++) {
            int64_t at = c * extent + flat.segment[s].at, length = flat.segment[s].length;

            part->low = at < part->low ? at : part->low;
            part->high = at + length > part->high ? at + length : part->high;
            for (int64_t b = 0; b < length; b++, i++) {
                int64_t to = external ? i - i % element + element - 1 - i % element : i;

                part->memory[to] = at + b;
            }
        }
    }
    if (0 == part->count) {
        part->low = part->high = 0;
    }
    fuzz_flat_free(&flat);
}

static void empty(fuzz_part *part)
{
    free(part->memory);
    fuzz_flat_free(&part->file);
    part->memory = t_alloc(1);
    part->count = 0;
    part->bytes = part->there = part->low = part->high = 0;
}

/** True if the part is allowed beside all others of the step; then it is noted. */
static bool claim(fuzz_run *run, const fuzz_part *part, bool write, bool overlap)
{
    int64_t far = run->plan->far;

    for (int i = 0; i < part->file.count; i++) {
        fuzz_segment s = part->file.segment[i];

        if (s.at + s.length - far > FUZZ_MODEL) {
            return false;
        }
        for (int64_t b = s.at - far; b < s.at - far + s.length; b++) {
            if (!overlap && (WRITTEN == run->touched[b] || (write && NOBODY != run->touched[b]))) {
                return false;
            }
        }
    }
    for (int i = 0; i < part->file.count; i++) {
        fuzz_segment s = part->file.segment[i];

        s.at -= far;
        memset(run->touched + s.at, write ? WRITTEN : READ, (size_t) s.length);
        run->touched_low = s.at < run->touched_low ? s.at : run->touched_low;
        run->touched_high = s.at + s.length > run->touched_high ? s.at + s.length
                                                                : run->touched_high;
    }
    return true;
}

void fuzz_touch_clear(fuzz_run *run)
{
    if (run->touched_high > run->touched_low) {
        memset(run->touched + run->touched_low, NOBODY,
               (size_t) (run->touched_high - run->touched_low));
    }
    run->touched_low = FUZZ_MODEL;
    run->touched_high = 0;
}

/** Bytes of a read that are there: views ascend, so they are the first ones. */
static int64_t bytes_there(const fuzz_run *run, const fuzz_part *part)
{
    int64_t there = 0;

    for (int i = 0; i < part->file.count; i++) {
        fuzz_segment s = part->file.segment[i];
        int64_t left = run->size - s.at;

        left = 0 > left ? 0 : left;
        there += left < s.length ? left : s.length;
    }
    return there;
}

static int count_of(const fuzz_run *run, const fuzz_op *op, int actor, int64_t unit,
                    int64_t element)
{
    int who = run->who[actor];
    int64_t amount = op->amount / element;

    if (FUZZ_HAS(run->features, IDLE) && 0 != (op->idle >> who & 1)) {
        return 0;
    }
    if (op->ragged) {
        amount = amount * (1 + (int64_t) (t_mix(op->seed + (uint64_t) who) % 8)) / 8;
    }
    if (who == op->odd_rank) {
        amount += op->odd;
    }
    amount = 0 >= amount ? 1 : amount;
    amount = amount * element / unit;
    return 0 == amount ? 1 : (int) amount;
}

static bool may_pass_end(const fuzz_run *run, const fuzz_op *op)
{
    return FUZZ_HAS(run->features, PAST_END)
           && (op->collective || FUZZ_HAS(run->features, PAST_END_OWN));
}

void fuzz_part_make(fuzz_run *run, const fuzz_call *call, int actor, int64_t offset, int64_t most)
{
    const fuzz_handle *handle = &run->handle[call->op.handle];
    const fuzz_view *view = &handle->view[actor];
    fuzz_part *part = (fuzz_part *) &call->part[actor];
    int64_t element = fuzz_leaf_size(view->etype);
    fuzz_flat one;

    part->takes_part = true;
    part->offset = offset;
    part->type = memory_type(&call->op, view->etype, run->who[actor]);
    fuzz_type_flatten(part->type, &one);
    part->count = count_of(run, &call->op, actor, one.size, element);
    part->count = part->count > most / one.size ? (int) (most / one.size) : part->count;
    part->bytes = part->count * one.size;
    fuzz_flat_free(&one);
    fuzz_view_map(view, offset * element, part->bytes, &part->file);
    memory_places(part, element, view->external);
    part->there = call->op.write ? part->bytes : bytes_there(run, part);
    if ((part->there < part->bytes && (call->end_moves || !may_pass_end(run, &call->op)))
        || !claim(run, part, call->op.write, call->overlap)) {
        empty(part);
    }
    if (0 == part->count && !call->op.collective) {
        part->takes_part = 0 == (call->op.seed & 2);
    }
}

static bool same_views(const fuzz_run *run, const fuzz_handle *handle)
{
    for (int a = 1; a < run->ranks; a++) {
        if (!fuzz_view_equal(&handle->view[0], &handle->view[a])) {
            return false;
        }
    }
    return true;
}

/** The call without what is left out, and as the handle's mode allows it. */
static void settle(fuzz_run *run, const fuzz_step *step, int number, fuzz_op *op)
{
    const fuzz_handle *handle;

    *op = step->op[number];
    op->handle = FUZZ_HAS(run->features, SECOND) ? op->handle : 0;
    handle = &run->handle[op->handle];
    op->collective |= !FUZZ_HAS(run->features, INDIVIDUAL);
    op->at |= !FUZZ_HAS(run->features, POINTER);
    op->gap &= FUZZ_HAS(run->features, GAP);
    op->memory = FUZZ_HAS(run->features, MEMORY) ? op->memory : 0;
    if (MPI_MODE_WRONLY & handle->mode) {
        op->write = true;
    } else if (MPI_MODE_RDONLY & handle->mode) {
        op->write = false;
    }
    if (T_START == op->how && !FUZZ_HAS(run->features, NONBLOCKING)) {
        op->how = T_BLOCK;
    }
    if (T_BEGIN == op->how && (!FUZZ_HAS(run->features, SPLIT) || !op->collective)) {
        op->how = T_BLOCK;
    }
    for (int i = 0; i < step->ops && T_BEGIN == op->how; i++) {
        int other = FUZZ_HAS(run->features, SECOND) ? step->op[i].handle : 0;

        if (i != number && other == op->handle
            && (step->op[i].collective || !FUZZ_HAS(run->features, INDIVIDUAL))) {
            op->how = T_BLOCK; /* one split call, and no other collective beside it */
        }
    }
    if (op->write && 0 == op->stagger && same_views(run, handle)) {
        op->stagger = 1;
    }
}

static bool writes(const fuzz_run *run, const fuzz_step *step)
{
    for (int i = 0; i < step->ops; i++) {
        int handle = FUZZ_HAS(run->features, SECOND) ? step->op[i].handle : 0;

        if (step->op[i].write || 0 != (MPI_MODE_WRONLY & run->handle[handle].mode)) {
            return true;
        }
    }
    return false;
}

/** Where, in a view without holes, the first bytes are that nobody touches in this step, and how
 *  many. Sieving and locks must get along with a neighbour there. */
static int64_t aim(const fuzz_run *run, const fuzz_call *call, int actor, int64_t *most)
{
    const fuzz_view *view = &run->handle[call->op.handle].view[actor];
    int64_t element = fuzz_leaf_size(view->etype), span = run->touched_high - run->touched_low;
    int64_t first = view->displacement + view->flat.segment[0].at - run->plan->far, at, end;

    if (1 != view->flat.count || view->flat.size != view->flat.ub - view->flat.lb || 0 >= span) {
        return -1;
    }
    at = run->touched_low
         + (int64_t) (t_mix(call->op.seed + (uint64_t) run->who[actor]) % (uint64_t) span);
    at = at < first ? first : at;
    for (; at < run->touched_high && NOBODY != run->touched[at]; at++) {
    }
    at = first + (at - first + element - 1) / element * element;
    for (end = at; end < run->touched_high && NOBODY == run->touched[end]; end++) {
    }
    *most = (end - at) / element * element;
    return 0 < *most ? (at - first) / element : -1;
}

/** What each rank does, from where its pointer is or from its offset on. */
static void make_parts(fuzz_run *run, const fuzz_step *step, fuzz_call *call)
{
    fuzz_handle *handle = &run->handle[call->op.handle];

    call->request = MPI_REQUEST_NULL;
    call->end_moves = writes(run, step);
    for (int a = 0; a < run->ranks; a++) {
        int64_t element = fuzz_leaf_size(handle->view[a].etype);
        int64_t later = (int64_t) run->who[a] * call->op.stagger * (call->op.amount / element + 10);

        int64_t most = INT64_MAX, gap = call->op.gap && call->op.at ? aim(run, call, a, &most) : -1;

        if (0 > gap) {
            most = INT64_MAX;
            gap = call->op.at ? call->op.offset + later : handle->pointer[a];
        }
        fuzz_part_make(run, call, a, gap, most);
        if (!call->op.at) {
            handle->pointer[a] += call->part[a].bytes / element;
        }
    }
}

bool fuzz_call_prepare(fuzz_run *run, const fuzz_step *step, int number, fuzz_call *call)
{
    memset(call, 0, sizeof(*call));
    call->number = number;
    settle(run, step, number, &call->op);
    if (!(call->op.write ? FUZZ_HAS(run->features, WRITE) : FUZZ_HAS(run->features, READ))) {
        return false;
    }
    make_parts(run, step, call);
    return true;
}

void fuzz_call_prepare_overlap(fuzz_run *run, const fuzz_step *step, fuzz_call *call)
{
    memset(call, 0, sizeof(*call));
    settle(run, step, 0, &call->op);
    call->op.stagger = 0;
    call->overlap = true;
    make_parts(run, step, call);
}

void fuzz_call_apply(fuzz_run *run, const fuzz_call *call)
{
    for (int a = 0; call->op.write && a < run->ranks; a++) {
        const fuzz_part *part = &call->part[a];
        int64_t i = 0;

        for (int s = 0; s < part->file.count; s++) {
            fuzz_segment segment = part->file.segment[s];

            for (int64_t b = 0; b < segment.length; b++, i++) {
                run->bytes[segment.at - run->plan->far + b] = fuzz_value(run, call, a,
                                                                         part->memory[i]);
            }
            run->size = segment.at + segment.length > run->size ? segment.at + segment.length
                                                                : run->size;
        }
    }
}

void fuzz_call_free(fuzz_call *call)
{
    for (int a = 0; a < FUZZ_RANKS; a++) {
        free(call->part[a].memory);
        fuzz_type_free(call->part[a].type);
        fuzz_flat_free(&call->part[a].file);
    }
    free(call->memory);
}

void fuzz_call_show(const fuzz_run *run, const fuzz_call *call)
{
    fuzz_show(run, "    %s on handle %d%s", fuzz_call_name(&call->op), call->op.handle,
              call->op.at ? " at" : "");
    for (int a = 0; a < run->ranks; a++) {
        const fuzz_part *part = &call->part[a];
        char text[1024], places[400] = "";
        size_t used = 0;

        fuzz_type_tell(part->type, text, sizeof(text));
        for (int i = 0; i < part->file.count && used < 300; i++) {
            used += (size_t) snprintf(places + used, sizeof(places) - used, " %lld+%lld",
                                      (long long) part->file.segment[i].at,
                                      (long long) part->file.segment[i].length);
        }
        fuzz_show(run, "      rank %d: offset %lld, %d x %s, %lld bytes (%lld there):%s%s", a,
                  (long long) part->offset, part->count, text, (long long) part->bytes,
                  (long long) part->there, places,
                  300 <= used        ? " ..."
                  : part->takes_part ? ""
                                     : " (does not call)");
    }
}
