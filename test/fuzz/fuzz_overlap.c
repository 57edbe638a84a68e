/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic mode: ranks write bytes that others of the same call write, too. Which of them wins is not
 * determined, but there must be one order of the calls that explains every byte. A byte that holds
 * the value of one writer says that this writer came after all others of the byte; the relation of
 * all bytes together must have no cycle. Afterwards the model takes the bytes of the file.
 */
#include "fuzz_run.h"
#include "lib/t_image.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For each byte of the range that is written: who writes it, and with which value. */
typedef struct writers {
    int64_t low, high;     /* file offsets, without plan->far */
    uint16_t *who;         /* bits, one per actor */
    unsigned char *values; /* [actor][byte] */
    bool after[T_WRITERS][T_WRITERS];
} writers;

static void note_part(const fuzz_run *run, const fuzz_call *call, int actor, writers *w)
{
    const fuzz_part *part = &call->part[actor];
    int64_t i = 0;

    for (int s = 0; s < part->file.count; s++) {
        for (int64_t b = 0; b < part->file.segment[s].length; b++, i++) {
            int64_t at = part->file.segment[s].at + b - run->plan->far - w->low;

            w->who[at] |= (uint16_t) (1 << actor);
            w->values[actor * (w->high - w->low) + at] = fuzz_value(run, call, actor,
                                                                    part->memory[i]);
        }
    }
}

/** The only writer whose value this is; -1 if several have it, -2 if none has. */
static int winner(const fuzz_run *run, const writers *w, int64_t at, unsigned char have)
{
    int found = -2;

    for (int a = 0; a < run->ranks; a++) {
        if (0 != (w->who[at] >> a & 1) && have == w->values[a * (w->high - w->low) + at]) {
            found = -2 == found ? a : -1;
        }
    }
    return found;
}

/** Rank 0: every byte has the value of a writer; notes who came after whom. */
static void relate(fuzz_run *run, writers *w, const unsigned char *have)
{
    for (int64_t at = 0; at < w->high - w->low; at++) {
        int last = 0 == w->who[at] ? -1 : winner(run, w, at, have[at]);

        if (-2 == last) {
            fuzz_fail(run, "atomic: offset %lld is %02x, which none of its writers wrote",
                      (long long) (run->plan->far + w->low + at), have[at]);
            return;
        }
        for (int a = 0; 0 <= last && a < run->ranks; a++) {
            w->after[last][a] |= a != last && 0 != (w->who[at] >> a & 1);
        }
    }
}

/** All ranks: the model becomes what rank 0 finds in the file. */
static void adopt(fuzz_run *run, writers *w)
{
    int64_t bytes = w->high - w->low;
    unsigned char *have = t_alloc((size_t) bytes);

    MPI_Barrier(run->comm);
    if (0 == run->rank) {
        memset(have, 0, (size_t) bytes);
        if (bytes != pread(run->fd, have, (size_t) bytes, (off_t) (run->plan->far + w->low))) {
            fuzz_fail(run, "atomic: the file is too short");
        }
        relate(run, w, have);
        if (!t_has_order(w->after, run->ranks)) {
            fuzz_fail(run, "atomic: no order of the ranks explains the bytes");
        }
    }
    MPI_Bcast(have, (int) bytes, MPI_BYTE, 0, run->comm);
    for (int64_t at = 0; at < bytes; at++) {
        if (0 != w->who[at]) { /* what lies between them is compared with the old model */
            run->bytes[w->low + at] = have[at];
        }
    }
    if (run->plan->far + w->high > run->size) {
        run->size = run->plan->far + w->high;
    }
    free(have);
}

/** Changes the drawn call into one that the ranks can make against each other. */
static void choose(const fuzz_run *run, fuzz_step *step)
{
    fuzz_op *op = &step->op[0];

    step->ops = 1;
    step->threads = false;
    op->handle = FUZZ_HAS(run->features, SECOND) ? step->handle : 0;
    op->write = op->at = true;
    op->gap = false;
    op->stagger = 0;
    op->collective |= !FUZZ_HAS(run->features, OVERLAP_OWN);
}

static void check_call(fuzz_run *run, const fuzz_call *call)
{
    writers w = {.low = run->touched_low, .high = run->touched_high};

    if (w.low >= w.high) {
        return;
    }
    w.who = t_alloc((size_t) (w.high - w.low) * sizeof(*w.who));
    memset(w.who, 0, (size_t) (w.high - w.low) * sizeof(*w.who));
    w.values = t_alloc((size_t) (w.high - w.low) * (size_t) run->ranks);
    for (int a = 0; a < run->ranks; a++) {
        note_part(run, call, a, &w);
    }
    adopt(run, &w);
    free(w.who);
    free(w.values);
}

void fuzz_overlap(fuzz_run *run, const fuzz_step *wanted)
{
    fuzz_step step = *wanted;
    fuzz_call *call;
    fuzz_handle *handle;

    choose(run, &step);
    handle = &run->handle[step.op[0].handle];
    if (!FUZZ_HAS(run->features, OVERLAP) || !FUZZ_HAS(run->features, ATOMIC)
        || !FUZZ_HAS(run->features, WRITE) || 0 != (MPI_MODE_RDONLY & handle->mode)) {
        return;
    }
    fuzz_show(run, "    overlapping writes in atomic mode");
    if (!handle->atomic) {
        fuzz_ok(run, MPI_File_set_atomicity(handle->file, 1), "set_atomicity");
    }
    call = t_alloc(sizeof(*call));
    fuzz_touch_clear(run);
    fuzz_call_prepare_overlap(run, &step, call);
    fuzz_call_show(run, call);
    fuzz_call_make(run, &step, call, 1);
    check_call(run, call);
    fuzz_buffer_check(run, call);
    MPI_Type_free(&call->type);
    fuzz_call_free(call);
    free(call);
    if (!handle->atomic) {
        fuzz_ok(run, MPI_File_set_atomicity(handle->file, 0), "set_atomicity");
    }
}
