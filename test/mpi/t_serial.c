/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic mode: writes that overlap must come out as if the ranks had written one after the other,
 * in some order that holds for the whole call. Every rank writes its number over parts of everybody
 * else's blocks; who came last at a byte is read from the file by POSIX, and there must be an order
 * of the ranks that explains all bytes. Works on any number of nodes, up to MOST ranks.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 64 };

static char path[512];

/* Which of two writers of the same byte came last? */
static bool beats[MOST][MOST];

static void note_winners(const unsigned char *bytes, int64_t length, const t_blocks *all)
{
    for (int64_t at = 0; at < length; at++) {
        int winner = bytes[at] - 1;
        bool there[MOST] = {false};
        int writers = 0;

        for (int r = 0; r < t_size; r++) {
            int64_t from = at - all[r].first;

            there[r] = from >= 0 && from < all[r].stride * all[r].count
                       && from % all[r].stride < all[r].block;
            writers += there[r];
        }
        if ((winner >= 0 && !there[winner]) || (winner < 0) != (0 == writers)) {
            t_fail("byte %lld: rank %d did not write it", (long long) at, winner);
            return;
        }
        for (int r = 0; winner >= 0 && r < t_size; r++) {
            beats[winner][r] |= there[r] && r != winner;
        }
    }
}

/* Is there an order of the ranks that explains it all? Takes away, again and again, a rank that
 * beats nobody who is left. */
static bool is_serial(void)
{
    bool gone[MOST] = {false};
    int left = t_size;

    for (bool found = true; found && left > 0;) {
        found = false;
        for (int r = 0; r < t_size; r++) {
            bool first = !gone[r];

            for (int other = 0; other < t_size; other++) {
                first = first && (gone[other] || !beats[r][other]);
            }
            if (first) {
                gone[r] = found = true;
                --left;
            }
        }
    }
    return 0 == left;
}

static void check_serial(const t_blocks *all)
{
    int64_t length = 0;
    unsigned char *bytes;
    FILE *in = fopen(path, "rb");

    for (int r = 0; r < t_size; r++) {
        int64_t end = all[r].first + all[r].stride * (all[r].count - 1) + all[r].block;

        length = end > length ? end : length;
    }
    bytes = t_alloc((size_t) length);
    if (NULL == in || fread(bytes, 1, (size_t) length, in) != (size_t) length) {
        t_fail("the file is shorter than %lld bytes", (long long) length);
    } else {
        memset(beats, 0, sizeof(beats));
        note_winners(bytes, length, all);
        t_fail_if(!is_serial(), "no order of the ranks gives what is in the file");
    }
    if (NULL != in) {
        fclose(in);
    }
    free(bytes);
}

static double gathered(MPI_File file)
{
    double mine = t_pvar_exists("requests_gathered") ? t_pvar_read("requests_gathered", file) : 0,
           all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* Everybody over everybody else, twice: the second call has the plan. */
static void serial(const char *hints, int kind, bool layers)
{
    t_blocks *all = t_alloc((size_t) t_size * sizeof(*all));
    uint64_t state = t_seed + (uint64_t) kind;
    unsigned char *data;
    MPI_File file;
    double before;

    for (int r = 0; r < t_size; r++) {
        all[r].first = (int64_t) (t_random(&state) % 2000);
        all[r].block = 1 + (int64_t) (t_random(&state) % 900);
        all[r].stride = all[r].block + 1 + (int64_t) (t_random(&state) % 700);
        all[r].count = 1 + (int) (50000 / all[r].stride);
    }
    data = t_alloc((size_t) t_blocks_bytes(&all[t_rank]));
    memset(data, t_rank + 1, (size_t) t_blocks_bytes(&all[t_rank]));
    if (t_create(path, hints, &file)) {
        t_ok(MPI_File_set_atomicity(file, 1), "set_atomicity");
        t_blocks_view(file, &all[t_rank]);
        before = gathered(file);
        for (int call = 0; call < 2; call++) {
            t_ok(MPI_File_write_at_all(file, 0, data, (int) t_blocks_bytes(&all[t_rank]), MPI_BYTE,
                                       MPI_STATUS_IGNORE),
                 "write");
            if (0 == t_rank) {
                check_serial(all);
            }
            MPI_Barrier(MPI_COMM_WORLD);
        }
        t_fail_if(layers && gathered(file) == before, "there was no layer 1");
        t_ok(MPI_File_close(&file), "close");
    }
    free(data);
    free(all);
    t_verdict("one rank after the other: %s", hints);
}

/* Local aggregators: one or two of each node, by memory or by messages. */
static void two_layers(int kind)
{
    static const char *const intras[] = {"shm", "isend"};
    int nodes, leads, local;
    MPI_Comm comm;
    char hints[192];

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    MPI_Comm_rank(comm, &local);
    MPI_Comm_free(&comm);
    leads = 0 == local;
    MPI_Allreduce(&leads, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
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
    MPI_File file;

    t_init(&argc, &argv);
    t_path(path, sizeof(path), "serial");
    if (t_size > MOST) {
        return t_skip_all("t_serial", "too many ranks");
    }
    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        MPI_File_close(&file); /* the counters exist from the first open on */
    }
    serial("exchange=off", 0, false);
    serial("exchange=on,aggregators=1,buffer_bytes=16384", 1, false);
    serial("exchange=on,aggregators=3,buffer_bytes=16384,partition=static_cyclic", 2, false);
    if (0 == strcmp(t_component(), "tam")) {
        two_layers(3);
    }
    t_remove(path);
    return t_finish();
}
