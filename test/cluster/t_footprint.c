/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the memory that the components take for a file and for a collective write with an
 * exchange, in bytes: the most that a rank without an aggregator takes, the most that an aggregator
 * takes, and the segments that the ranks of a node share. libfault is preloaded.
 *
 *   t_footprint FILE AGGREGATORS    writes 1 MiB, divided evenly among the ranks; then, through a
 *                                   view of many pieces, as much as the view has. For the latter it
 *                                   prints how much of the memory the counter memory_high contains,
 *                                   on the rank where that is the smallest part.
 */
#include "lib/t_file.h"
#include "lib/t_pvar.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

enum { TOTAL = 1 << 20, WINDOW = 64 << 10, PIECES = 20000, STRIDE = 16 };

typedef int64_t (*count_t)(void);

/* Bytes of our segments that this process has mapped. */
static int64_t shared_bytes(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[512];
    int64_t sum = 0;

    while (NULL != maps && NULL != fgets(line, sizeof(line), maps)) {
        unsigned long start, end;

        if (NULL != strstr(line, "/dev/shm/collio") && 2 == sscanf(line, "%lx-%lx", &start, &end)) {
            sum += (int64_t) (end - start);
        }
    }
    if (NULL != maps) {
        fclose(maps);
    }
    return sum;
}

/* The maximum of each sum over ranks that aggregate, and over ranks that do not. */
static void print(const char *what, int64_t held, int64_t high, bool aggregates)
{
    int64_t mine[5] = {0}, all[5];

    mine[aggregates ? 2 : 0] = held;
    mine[aggregates ? 3 : 1] = high;
    mine[4] = shared_bytes();
    MPI_Reduce(mine, all, 5, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == t_rank) {
        printf("{\"step\":\"%s\",\"rank\":%lld,\"rank_high\":%lld,\"aggregator\":%lld,"
               "\"aggregator_high\":%lld,\"shared\":%lld}\n",
               what, (long long) all[0], (long long) all[1], (long long) all[2], (long long) all[3],
               (long long) all[4]);
    }
}

/* Pieces of 1 to 13 bytes; the ranks interleave. */
static MPI_Datatype make_view(int *bytes)
{
    int *length = malloc(sizeof(int) * PIECES), *place = malloc(sizeof(int) * PIECES);
    MPI_Datatype type;

    *bytes = 0;
    for (int i = 0; i < PIECES; i++) {
        length[i] = 1 + i * 7 % 13;
        place[i] = (i * t_size + t_rank) * STRIDE;
        *bytes += length[i];
    }
    MPI_Type_indexed(PIECES, length, place, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    free(length);
    free(place);
    return type;
}

/* Percent of the memory of this rank, since `before`, that memory_high contains. */
static void print_counted(MPI_File file, int64_t before, count_t high)
{
    int bytes, percent, least;
    MPI_Datatype type = make_view(&bytes);
    char *data = calloc(1, (size_t) bytes);

    MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    percent = (int) (100 * t_pvar_read("memory_high", file) / (double) (high() - before));
    MPI_Reduce(&percent, &least, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (0 == t_rank) {
        printf("{\"step\":\"view\",\"counted_percent\":%d,\"high\":%lld}\n", least,
               (long long) (high() - before));
    }
    MPI_Type_free(&type);
    free(data);
}

int main(int argc, char **argv)
{
    void (*begin)(void) = (void (*)(void)) dlsym(RTLD_DEFAULT, "count_begin");
    count_t held = (count_t) dlsym(RTLD_DEFAULT, "count_held");
    count_t high = (count_t) dlsym(RTLD_DEFAULT, "count_high");
    MPI_File file;
    bool aggregates;
    int64_t before;
    char hints[256], *data;
    int bytes;

    t_init(&argc, &argv);
    if (argc < 3 || NULL == begin || NULL == held || NULL == high) {
        printf("usage: t_footprint FILE AGGREGATORS, with libfault preloaded\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    bytes = TOTAL / t_size;
    data = calloc(1, (size_t) bytes);
    snprintf(hints, sizeof(hints),
             "exchange=on,transport=isend,schedule=none,aggregator_list=0-%d,buffer_bytes=%d",
             atoi(argv[2]) - 1, 2 * WINDOW);
    /* the first file loads the components */
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    aggregates = t_rank < atoi(argv[2]);
    begin();
    before = held();
    t_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, hints, &file);
    print("open", held() - before, high() - before, aggregates);
    begin();
    MPI_File_write_at_all(file, (MPI_Offset) t_rank * bytes, data, bytes, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    print("write", held() - before, high() - before, aggregates);
    print_counted(file, before, high);
    MPI_File_close(&file);
    free(data);
    return t_finish();
}
