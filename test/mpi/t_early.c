/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that begin before they are agreed on. After calls without exchange a rank that sees the
 * same request again accesses the file at once. Such a prediction of some ranks must not decide for
 * all, call after call: when the others come with tiny interleaved pieces, one call at most may go
 * without an exchange. Seen by the counter of such calls; the bytes are compared by POSIX.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LIKE = 12, OTHER = 6, PIECES = 2000, PIECE = 16, HEADER = 4096 };

static char path[512];

static void write_calls(MPI_File file, const t_blocks *mine, int writer, int calls)
{
    t_blocks_view(file, mine);
    for (int i = 0; i < calls; i++) {
        t_blocks_write(file, mine, writer);
    }
}

static t_blocks header_of(int rank, int idle)
{
    return (t_blocks){(int64_t) rank * HEADER, HEADER, HEADER, idle == rank ? 0 : 1};
}

static t_blocks pieces_of(int rank, int same, int idle)
{
    return same == rank ? header_of(rank, idle)
                        : (t_blocks){(int64_t) t_size * HEADER + rank * PIECE, PIECE,
                                     (int64_t) t_size * PIECE, idle == rank ? 0 : PIECES};
}

static void check_file(int same, int idle)
{
    t_expected all = {0};

    for (int r = 0; r < t_size; r++) {
        t_expect(&all, header_of(r, idle), r);
        t_expect(&all, pieces_of(r, same, idle), r);
    }
    t_expected_check(&all, path, 0);
}

/* `same` has the same header in all calls, `idle` has nothing in any; -1: nobody is like that. */
static void change_after_direct_calls(const char *name, int same, int idle)
{
    t_blocks header = header_of(t_rank, idle), pieces = pieces_of(t_rank, same, idle);
    double skipped = 0;
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        t_ok(MPI_File_set_size(file, 0), "set_size");
        write_calls(file, &header, t_rank, LIKE);
        skipped = t_pvar_read("calls_direct", file);
        write_calls(file, &pieces, t_rank, OTHER);
        skipped = t_pvar_read("calls_direct", file) - skipped;
        t_ok(MPI_File_close(&file), "close");
    }
    t_fail_if(skipped > 1, "%s: %.0f of %d calls with tiny pieces had no exchange", name, skipped,
              OTHER);
    if (0 == t_rank) {
        check_file(same, idle);
    }
    t_verdict("%s", name);
}

/* What the last file ended with is a prediction for the first call of the next one: right, and that
 * call needs no second agreement; wrong, and no byte is. */
static void first_call_of_next_file(void)
{
    t_blocks header = header_of(t_rank, -1), pieces = pieces_of(t_rank, -1, -1);
    double settled, skipped;
    MPI_File file;

    for (int i = 0; i < 3; ++i) {
        t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
        t_ok(MPI_File_set_size(file, 0), "set_size");
        settled = t_pvar_read("time_complete", file);
        write_calls(file, &header, t_rank, 0 == i ? LIKE : 1);
        settled = t_pvar_read("time_complete", file) - settled;
        t_fail_if(0 < i && 0 < settled,
                  "a file like the last one: the first call was settled by itself");
        skipped = t_pvar_read("calls_direct", file);
        write_calls(file, &pieces, t_rank, 1);
        skipped = t_pvar_read("calls_direct", file) - skipped;
        t_fail_if(0 < skipped, "tiny pieces had no exchange");
        t_ok(MPI_File_close(&file), "close");
        if (0 == t_rank) {
            check_file(-1, -1);
        }
        t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file);
        write_calls(file, &header, t_rank, 2); /* the next file is like this one */
        t_ok(MPI_File_close(&file), "close");
    }
    t_verdict("first_call_of_next_file");
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "early");
    t_first_open(path);
    if (!t_pvar_exists("calls_direct")) {
        return t_skip_all("early", "the component has no counter for it");
    }
    change_after_direct_calls("all_ranks_change", -1, -1);
    change_after_direct_calls("a_rank_without_bytes_decides_nothing", -1, t_size - 1);
    change_after_direct_calls("a_rank_that_stays_the_same_costs_one_call", 0, -1);
    first_call_of_next_file();
    t_remove(path);
    return t_finish();
}
