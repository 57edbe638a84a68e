/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic mode: writes that overlap must come out as if the ranks had written one after the other,
 * in some order that holds for the whole call. Every rank writes its bytes over parts of everybody
 * else's blocks; who came last at a byte is read from the file by POSIX, and there must be an order
 * of the ranks that explains all bytes. Works on any number of nodes.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[512];

static void check_serial(const t_blocks *all)
{
    t_list *pieces = calloc((size_t) t_size, sizeof(*pieces)), touched = {0};
    t_image image;

    for (int r = 0; r < t_size; r++) {
        t_blocks_list(&all[r], &pieces[r]);
        t_blocks_list(&all[r], &touched);
    }
    t_image_make(&image, &touched, 0);
    image.size = t_list_end(&touched);
    t_image_check_atomic(&image, path, pieces, t_size);
    t_image_free(&image);
    for (int r = 0; r < t_size; r++) {
        t_list_free(&pieces[r]);
    }
    t_list_free(&touched);
    free(pieces);
}

static double gathered(MPI_File file)
{
    return t_pvar_exists("requests_gathered") ? t_pvar_sum("requests_gathered", file) : 0;
}

/* Everybody over everybody else, twice: the second call has the plan. */
static void serial(const char *hints, int kind, bool layers)
{
    t_blocks *all = t_alloc((size_t) t_size * sizeof(*all));
    uint64_t state = t_seed + (uint64_t) kind;
    MPI_File file;
    double before;

    for (int r = 0; r < t_size; r++) {
        all[r].first = (int64_t) (t_random(&state) % 2000);
        all[r].block = 1 + (int64_t) (t_random(&state) % 900);
        all[r].stride = all[r].block + 1 + (int64_t) (t_random(&state) % 700);
        all[r].count = 1 + (int) (50000 / all[r].stride);
    }
    if (t_create(path, hints, &file)) {
        t_ok(MPI_File_set_atomicity(file, 1), "set_atomicity");
        t_blocks_view(file, &all[t_rank]);
        before = gathered(file);
        for (int call = 0; call < 2; call++) {
            t_blocks_write(file, &all[t_rank], t_rank);
            if (0 == t_rank) {
                check_serial(all);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
        t_fail_if(layers && gathered(file) == before, "there was no layer 1");
        t_ok(MPI_File_close(&file), "close");
    }
    free(all);
    t_verdict("one rank after the other: %s", hints);
}

/* Local aggregators: one or two of each node, by memory or by messages. */
static void two_layers(int kind)
{
    static const char *const intras[] = {"shm", "isend"};
    int nodes = t_node_here().nodes;
    char hints[192];

    for (int i = 0; i < 4; i++) {
        for (int aggregators = 1; aggregators <= 4; aggregators += 3) {
            int c = 1 + i % 2;

            snprintf(hints, sizeof(hints),
                     "exchange=on,aggregators=%d,buffer_bytes=16384,intra=%s,"
                     "local_aggregators_per_node=%d",
                     aggregators, intras[i / 2], c);
            serial(hints, kind++, 1 == c && nodes < t_size && (nodes > 1 || aggregators > 1));
        }
    }
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "serial");
    if (t_size > T_WRITERS) {
        return t_skip_all("t_serial", "too many ranks");
    }
    t_first_open(path);
    serial("exchange=off", 0, false);
    serial("exchange=on,aggregators=1,buffer_bytes=16384", 1, false);
    serial("exchange=on,aggregators=3,buffer_bytes=16384,partition=static_cyclic", 2, false);
    if (0 == strcmp(t_component(), "tam")) {
        two_layers(3);
    }
    t_remove(path);
    return t_finish();
}
