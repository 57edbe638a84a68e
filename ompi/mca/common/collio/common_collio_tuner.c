/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/**
 * What `auto` chooses: rules for the first call. See tuner.h.
 */
#include "common_collio_tuner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common_collio_op.h"

enum { LARGE_PIECE = 32 << 10 };

struct mca_common_collio_tuner_t {
    bool used[2]; /* read, write */
    bool exchange[2];
    const mca_common_collio_schedule_t *schedule[2];
    int transport[2];
};

mca_common_collio_tuner_t *mca_common_collio_tuner_new(void)
{
    return calloc(1, sizeof(mca_common_collio_tuner_t));
}

void mca_common_collio_tuner_free(mca_common_collio_tuner_t *tuner)
{
    free(tuner);
}

/* An exchange pays where pieces are small, or where they come from many nodes and interleave. */
static bool exchange_rule(const mca_common_collio_op_t *op)
{
    int64_t bytes = op->all[MCA_COMMON_COLLIO_AGREE_BYTES];
    int64_t pieces = op->all[MCA_COMMON_COLLIO_AGREE_PIECES];
    int64_t span = op->all[MCA_COMMON_COLLIO_AGREE_HI] + op->all[MCA_COMMON_COLLIO_AGREE_LO];
    bool interleaved = op->all[MCA_COMMON_COLLIO_AGREE_SPANS] > span;

    if (op->file->size < 2) {
        return false;
    }
    if (op->atomic) {
        return true;
    }
    if (!interleaved || 1 == op->file->nodes.nodes) {
        return bytes / (pieces > 0 ? pieces : 1) < LARGE_PIECE && pieces > op->file->size;
    }
    return true;
}

void mca_common_collio_tuner_choose(mca_common_collio_op_t *op)
{
    const mca_common_collio_settings_t *settings = &op->file->settings;
    mca_common_collio_tuner_t *tuner = op->file->tuner;
    int wanted = op->write ? settings->exchange_write : settings->exchange_read;

    op->exchange = MCA_COMMON_COLLIO_SETTING_AUTO == wanted
                       ? exchange_rule(op)
                       : MCA_COMMON_COLLIO_SETTING_ON == wanted;
    op->schedule = MCA_COMMON_COLLIO_SCHEDULE_AUTO == settings->schedule
                       ? &mca_common_collio_schedule_none
                       : mca_common_collio_schedules[settings->schedule
                                                     - MCA_COMMON_COLLIO_SCHEDULE_FIRST];
    op->transport = settings->transport;
    if (MCA_COMMON_COLLIO_TRANSPORT_AUTO == op->transport) {
        op->transport = MCA_COMMON_COLLIO_TRANSPORT_SHM;
    }
    if (op->atomic) {
        op->transport = MCA_COMMON_COLLIO_TRANSPORT_ISEND;
    }
    tuner->used[op->write] = true;
    tuner->exchange[op->write] = op->exchange;
    tuner->schedule[op->write] = op->schedule;
    tuner->transport[op->write] = op->transport;
}

void mca_common_collio_tuner_learn(mca_common_collio_op_t *op, int64_t nanoseconds)
{
    (void) op;
    (void) nanoseconds;
}

void mca_common_collio_tuner_describe(const mca_common_collio_tuner_t *tuner, char *text,
                                      size_t size)
{
    int used = 0;

    text[0] = '\0';
    for (int write = 1; write >= 0; --write) {
        if (!tuner->used[write] || used >= (int) size) {
            continue;
        }
        used += tuner->exchange[write]
                    ? snprintf(text + used, size - (size_t) used, "%s: schedule %s, transport %s  ",
                               write ? "write" : "read", tuner->schedule[write]->name,
                               mca_common_collio_transport_name(tuner->transport[write]))
                    : snprintf(text + used, size - (size_t) used, "%s: no exchange  ",
                               write ? "write" : "read");
    }
}
