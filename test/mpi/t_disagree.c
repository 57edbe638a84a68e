/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
/*
 * Ranks that disagree: hints or parameters with other values on other ranks must give an error on
 * every rank, at the same call, and nobody may hang. Then an ordinary file must work.
 *
 *     t_disagree                   hints differ
 *     t_disagree NAME A B          parameter fcoll_<component>_NAME is A on even ranks, B on odd
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 100, COUNT = 30, STAGES = 3 };

static char path[512];

static t_blocks blocks_of(int rank)
{
    return (t_blocks){rank * BLOCK, BLOCK, t_size * BLOCK, COUNT};
}

/** Opens and writes until something fails; the class of each stage goes to class[]. */
static void attempt(const char *hints, int class[STAGES])
{
    static const char *const stage[STAGES] = {"open", "set_view", "write_all"};
    t_blocks mine = blocks_of(t_rank);
    unsigned char *data = t_blocks_data(&mine, t_rank);
    MPI_Datatype type = t_blocks_type(&mine);
    MPI_Info info = t_info(hints);
    MPI_File file = MPI_FILE_NULL;
    int least[STAGES], most[STAGES];

    memset(class, 0, STAGES * sizeof(*class));
    class[0] = t_class(
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file));
    if (MPI_SUCCESS == class[0]) {
        class[1] = t_class(
            MPI_File_set_view(file, mine.first, MPI_BYTE, type, "native", MPI_INFO_NULL));
        if (MPI_SUCCESS == class[1]) {
            class[2] = t_class(
                MPI_File_write_all(file, data, BLOCK * COUNT, MPI_BYTE, MPI_STATUS_IGNORE));
        }
        MPI_File_close(&file);
    }
    MPI_Allreduce(class, least, STAGES, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(class, most, STAGES, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    for (int s = 0; s < STAGES; s++) {
        if (least[s] != most[s] && 0 == t_rank) {
            t_fail("%s gives different results: classes %d to %d", stage[s], least[s], most[s]);
        }
    }
    MPI_Info_free(&info);
    MPI_Type_free(&type);
    free(data);
}

static bool any_error(const int class[STAGES])
{
    return MPI_SUCCESS != class[0] || MPI_SUCCESS != class[1] || MPI_SUCCESS != class[2];
}

static void hints_differ(const char *even, const char *odd, const char *name)
{
    int class[STAGES];

    attempt(0 == t_rank % 2 ? even : odd, class);
    if (!any_error(class)) {
        t_fail("hints '%s' and '%s' on different ranks were accepted", even, odd);
    }
    t_verdict(name);
}

static void same_works(const char *name)
{
    int class[STAGES];

    if (0 == t_rank) {
        unlink(path);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    attempt("exchange=on", class);
    if (any_error(class)) {
        t_fail("an ordinary file fails after the disagreement: classes %d %d %d", class[0],
               class[1], class[2]);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        t_blocks *all = t_alloc((size_t) t_size * sizeof(*all));
        int *writer = t_alloc((size_t) t_size * sizeof(*writer));

        for (int r = 0; r < t_size; r++) {
            all[r] = blocks_of(r);
            writer[r] = r;
        }
        t_blocks_check_file(path, all, writer, t_size, 0);
        free(all);
        free(writer);
        unlink(path);
    }
    t_verdict(name);
}

int main(int argc, char *argv[])
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");
    int class[STAGES];
    char name[256];

    if (4 == argc && NULL != rank) { /* before MPI_Init: that is when parameters are read */
        snprintf(name, sizeof(name), "OMPI_MCA_fcoll_%s_%s", t_component(), argv[1]);
        setenv(name, argv[2 + atoi(rank) % 2], 1);
    }
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "disagree");
    if (4 == argc) {
        attempt(NULL, class);
        if (!any_error(class)) {
            t_fail("parameter %s was %s and %s on different ranks, and accepted", argv[1], argv[2],
                   argv[3]);
        }
        snprintf(name, sizeof(name), "parameter_%s_differs", argv[1]);
        t_verdict(name);
        return t_finish();
    }
    hints_differ("exchange=on", "exchange=off", "hint_exchange_differs");
    hints_differ("exchange=on,buffer_bytes=65536", "exchange=on,buffer_bytes=131072",
                 "hint_buffer_bytes_differs");
    hints_differ("exchange=on,aggregators=1", "exchange=on,aggregators=2",
                 "hint_aggregators_differs");
    hints_differ("exchange=on,schedule=none", "exchange=on,schedule=write_comm",
                 "hint_schedule_differs");
    same_works("same_hints_after_all_that");
    return t_finish();
}
