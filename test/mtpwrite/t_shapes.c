/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Views and buffers for the tests. Views of different ranks interleave, so that every sieved window
 * holds bytes of the others.
 */
#include "t_shapes.h"

#include <stdlib.h>

const char *const t_view_names[T_VIEWS] = {"default", "blocks64",  "sparse64", "irregular",
                                           "large",   "lonebytes", "farlarge"};
const char *const t_memory_names[T_MEMORIES] = {"plain", "one_of_five", "irregular", "rows",
                                                "backwards"};

static unsigned long long state = 88172645463325252ULL;

unsigned long long t_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

void t_seed(unsigned long long seed)
{
    state = seed * 2654435761ULL + 88172645463325252ULL;
}

static void make(shape *made, size_t count)
{
    made->count = count;
    made->offset = malloc(count * sizeof(*made->offset));
    made->length = malloc(count * sizeof(*made->length));
    made->disp = 0;
}

static void commit(shape *made)
{
    int *lengths = malloc(made->count * sizeof(*lengths));
    MPI_Aint *offsets = malloc(made->count * sizeof(*offsets));
    MPI_Datatype pieces;

    made->size = 0;
    for (size_t i = 0; i < made->count; ++i) {
        lengths[i] = (int) made->length[i];
        offsets[i] = (MPI_Aint) made->offset[i];
        made->size += made->length[i];
    }
    MPI_Type_create_hindexed((int) made->count, lengths, offsets, MPI_BYTE, &pieces);
    MPI_Type_create_resized(pieces, 0, (MPI_Aint) made->extent, &made->type);
    MPI_Type_commit(&made->type);
    MPI_Type_free(&pieces);
    free(lengths);
    free(offsets);
}

/* `count` blocks of `length`, every `stride`, from `first` on */
static void regular(shape *made, size_t count, long long first, long long length, long long stride)
{
    make(made, count);
    for (size_t i = 0; i < count; ++i) {
        made->offset[i] = first + (long long) i * stride;
        made->length[i] = length;
    }
    made->extent = (long long) count * stride;
    commit(made);
}

/* Cells of random size, dealt to the ranks in turn: same sequence on every rank. */
static void irregular(shape *made, int rank, int ranks)
{
    enum { CELLS = 40 };
    long long at = 0;

    t_seed(4711);
    make(made, CELLS);
    for (size_t i = 0; i < CELLS; ++i) {
        for (int r = 0; r < ranks; ++r) {
            long long length = 1 + (long long) (t_random() % (0 == i % 7 ? 3000 : 90));

            if (r == rank) {
                made->offset[i] = at;
                made->length[i] = length;
            }
            at += length + (long long) (t_random() % 50);
        }
    }
    made->extent = at;
    commit(made);
}

void t_view(shape *view, int number, int rank, int ranks)
{
    switch (number) {
    case 0: /* no filetype at all: each rank its own part */
        make(view, 1);
        view->offset[0] = 0;
        view->length[0] = 1;
        view->extent = 1;
        view->size = 1;
        view->type = MPI_BYTE;
        view->disp = 3 + 300000LL * rank;
        return;
    case 1:
        regular(view, 16, 64LL * rank, 64, 64LL * ranks);
        break;
    case 2:
        regular(view, 16, 64LL * rank, 64, 1024);
        break;
    case 3:
        irregular(view, rank, ranks);
        break;
    case 4:
        regular(view, 3, 8000LL * rank, 5000, 8000LL * ranks);
        break;
    case 5:
        regular(view, 64, rank, 1, ranks + 1);
        break;
    default: /* beyond 2^32, and far apart */
        regular(view, 3, 100000LL * rank, 5000, 1000000);
        view->disp = 4294967296LL + 77;
        return;
    }
    view->disp = 13;
}

void t_memory(shape *memory, int number)
{
    long long at = 0;

    switch (number) {
    case 0:
        make(memory, 1);
        memory->offset[0] = 0;
        memory->length[0] = 1;
        memory->extent = 1;
        memory->size = 1;
        memory->type = MPI_BYTE;
        return;
    case 1: /* the paper's: elements with 4 bytes between them */
        regular(memory, 1, 0, 1, 5);
        return;
    case 2:
        t_seed(1234);
        make(memory, 30);
        for (size_t i = 0; i < memory->count; ++i) {
            at += (long long) (t_random() % 20);
            memory->offset[i] = at;
            memory->length[i] = 1 + (long long) (t_random() % 700);
            at += memory->length[i];
        }
        memory->extent = at + 3;
        break;
    case 3: /* an array without its ghost cells */
        regular(memory, 8, 16, 1000, 1032);
        return;
    default: /* pieces from the end to the beginning */
        make(memory, 20);
        for (size_t i = 0; i < memory->count; ++i) {
            memory->offset[i] = (long long) (memory->count - 1 - i) * 24;
            memory->length[i] = 16;
        }
        memory->extent = 24 * (long long) memory->count;
        break;
    }
    commit(memory);
}

void t_shape_free(shape *shape)
{
    free(shape->offset);
    free(shape->length);
    if (MPI_BYTE != shape->type) {
        MPI_Type_free(&shape->type);
    }
}

long long t_locate(const shape *shape, long long stream)
{
    long long at = stream / shape->size * shape->extent;

    stream %= shape->size;
    for (size_t i = 0; i < shape->count; ++i) {
        if (stream < shape->length[i]) {
            return at + shape->offset[i] + stream;
        }
        stream -= shape->length[i];
    }
    return -1;
}
