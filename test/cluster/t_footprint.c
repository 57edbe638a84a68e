/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the memory that the components take for a file and for a collective write with an
 * exchange, in bytes: the most that a rank without an aggregator takes, the most that an aggregator
 * takes, and the segments that the ranks of a node share. footprint.so is preloaded.
 *
 *   t_footprint FILE AGGREGATORS    writes 1 MiB, divided evenly among the ranks; then, through a
 *                                   view of many pieces, as much as the view has. For the latter it
 *                                   prints how much of the memory the counter memory_high contains,
 *                                   on the rank where that is the smallest part.
 */
#ifndef _GNU_SOURCE
#    define _GNU_SOURCE
#endif
#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
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

static void set_hints(MPI_Info info, const char *aggregators)
{
    char window[32], list[32];

    snprintf(list, sizeof(list), "0-%d", atoi(aggregators) - 1);
    snprintf(window, sizeof(window), "%d", 2 * WINDOW);
    MPI_Info_set(info, "collio_exchange", "on");
    MPI_Info_set(info, "collio_transport", "isend");
    MPI_Info_set(info, "collio_schedule", "none");
    MPI_Info_set(info, "collio_aggregator_list", list);
    MPI_Info_set(info, "collio_buffer_bytes", window);
}

/* The maximum of each sum over ranks that aggregate, and over ranks that do not. */
static void print(const char *what, int64_t held, int64_t high, int rank, int aggregates)
{
    int64_t mine[5] = {0}, all[5];

    mine[aggregates ? 2 : 0] = held;
    mine[aggregates ? 3 : 1] = high;
    mine[4] = shared_bytes();
    MPI_Reduce(mine, all, 5, MPI_INT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("{\"step\":\"%s\",\"rank\":%lld,\"rank_high\":%lld,\"aggregator\":%lld,"
               "\"aggregator_high\":%lld,\"shared\":%lld}\n",
               what, (long long) all[0], (long long) all[1], (long long) all[2], (long long) all[3],
               (long long) all[4]);
    }
}

static int64_t counter(const char *wanted)
{
    int count = 0, provided;
    long long value = -1;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count; i++) {
        char name[256];
        int bytes = sizeof(name), level, class, bind, readonly, continuous, atomic, values;
        MPI_Datatype type;
        MPI_T_enum choices;
        MPI_T_pvar_session session;
        MPI_T_pvar_handle handle;

        if (MPI_SUCCESS
                != MPI_T_pvar_get_info(i, name, &bytes, &level, &class, &type, &choices, NULL, NULL,
                                       &bind, &readonly, &continuous, &atomic)
            || 0 != strcmp(name, wanted)) {
            continue;
        }
        MPI_T_pvar_session_create(&session);
        MPI_T_pvar_handle_alloc(session, i, NULL, &handle, &values);
        MPI_T_pvar_read(session, handle, &value);
        MPI_T_pvar_session_free(&session);
    }
    MPI_T_finalize();
    return value;
}

/* Pieces of 1 to 13 bytes; the ranks interleave. */
static MPI_Datatype make_view(int rank, int ranks, int *bytes)
{
    int *length = malloc(sizeof(int) * PIECES), *place = malloc(sizeof(int) * PIECES);
    MPI_Datatype type;

    *bytes = 0;
    for (int i = 0; i < PIECES; i++) {
        length[i] = 1 + i * 7 % 13;
        place[i] = (i * ranks + rank) * STRIDE;
        *bytes += length[i];
    }
    MPI_Type_indexed(PIECES, length, place, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    free(length);
    free(place);
    return type;
}

/* Percent of the memory of this rank, since `before`, that memory_high contains. */
static void print_counted(MPI_File file, int rank, int ranks, int64_t before, count_t high)
{
    int bytes, percent, least;
    MPI_Datatype type = make_view(rank, ranks, &bytes);
    char *data = calloc(1, (size_t) bytes);

    MPI_File_set_view(file, 0, MPI_BYTE, type, "native", MPI_INFO_NULL);
    MPI_File_write_all(file, data, bytes, MPI_BYTE, MPI_STATUS_IGNORE);
    percent = (int) (100 * counter("fcoll_overlap_memory_high") / (high() - before));
    MPI_Reduce(&percent, &least, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("{\"step\":\"view\",\"counted_percent\":%d,\"high\":%lld}\n", least,
               (long long) (high() - before));
    }
    MPI_Type_free(&type);
    free(data);
}

int main(int argc, char **argv)
{
    void (*begin)(void);
    count_t held, high;
    MPI_File file;
    MPI_Info info;
    int rank, ranks, bytes, aggregates;
    int64_t before;
    char *data;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    begin = (void (*)(void)) dlsym(RTLD_DEFAULT, "count_begin");
    held = (count_t) dlsym(RTLD_DEFAULT, "count_held");
    high = (count_t) dlsym(RTLD_DEFAULT, "count_high");
    if (argc < 3 || NULL == begin || NULL == held || NULL == high) {
        printf("usage: t_footprint FILE AGGREGATORS, with footprint.so preloaded\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    bytes = TOTAL / ranks;
    data = calloc(1, (size_t) bytes);
    MPI_Info_create(&info);
    set_hints(info, argv[2]);
    /* the first file loads the components */
    MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    aggregates = rank < atoi(argv[2]);
    begin();
    before = held();
    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    print("open", held() - before, high() - before, rank, aggregates);
    begin();
    MPI_File_write_at_all(file, (MPI_Offset) rank * bytes, data, bytes, MPI_BYTE,
                          MPI_STATUS_IGNORE);
    print("write", held() - before, high() - before, rank, aggregates);
    print_counted(file, rank, ranks, before, high);
    MPI_File_close(&file);
    MPI_Info_free(&info);
    free(data);
    MPI_Finalize();
    return 0;
}
