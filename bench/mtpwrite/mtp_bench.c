/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Individual I/O of tiny elements: S bytes in elements of E bytes, 4 bytes apart in memory, to a
 * contiguous file. Build-IO (matching millions of memory pieces with the file) is what costs here.
 * E = 0 is contiguous memory. Prints the best of R writes and reads after one that is not counted,
 * and, where fbtl/mtpwrite is in use, its own figures for Build-IO and access. Several processes
 * have a file each and begin together; the slowest one counts.
 *
 *   mtp_bench -e E -s S -r R FILE      ->  "E S write_s read_s build_s access_s"
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned char content(long long i)
{
    return (unsigned char) (i * 7 + i / 255);
}

static long long place(long long i, int element)
{
    return 0 == element ? i : i / element * (element + 4) + i % element;
}

/* A performance variable of the component; 0 if there is none. */
static unsigned long long figure(MPI_T_pvar_session session, const char *wanted,
                                 MPI_T_pvar_handle *handle)
{
    int count, number;
    unsigned long long value = 0;

    if (MPI_T_PVAR_HANDLE_NULL == *handle) {
        MPI_T_pvar_get_num(&count);
        for (int i = 0; i < count; ++i) {
            char name[256];
            int length = sizeof(name), verbosity, class, bind, readonly, continuous, atomic;
            MPI_Datatype type;
            MPI_T_enum choice;

            if (MPI_SUCCESS
                    == MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &choice,
                                           NULL, NULL, &bind, &readonly, &continuous, &atomic)
                && NULL != strstr(name, wanted)) {
                MPI_T_pvar_handle_alloc(session, i, NULL, handle, &number);
                break;
            }
        }
    }
    if (MPI_T_PVAR_HANDLE_NULL != *handle) {
        MPI_T_pvar_read(session, *handle, &value);
    }
    return value;
}

struct load {
    int element;
    long long bytes;
    long long count; /* elements of `type` */
    MPI_Datatype type;
    char *memory;
    MPI_File file;
};

static double once(struct load *load, int write_it)
{
    MPI_Status status;
    MPI_Count moved;
    double start;
    int rc;

    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    MPI_File_seek(load->file, 0, MPI_SEEK_SET);
    rc = write_it ? MPI_File_write(load->file, load->memory, (int) load->count, load->type, &status)
                  : MPI_File_read(load->file, load->memory, (int) load->count, load->type, &status);
#if MPI_VERSION >= 4
    MPI_Get_elements_c(&status, MPI_BYTE, &moved);
#else
    MPI_Get_elements_x(&status, MPI_BYTE, &moved);
#endif
    if (MPI_SUCCESS != rc || moved != load->bytes) {
        fprintf(stderr, "mtp_bench: %lld of %lld bytes\n", (long long) moved, load->bytes);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return MPI_Wtime() - start;
}

static double best(struct load *load, int write_it, int repeats)
{
    double least = 1e9;

    (void) once(load, write_it);
    for (int i = 0; i < repeats; ++i) {
        double time = once(load, write_it);

        least = time < least ? time : least;
    }
    return least;
}

static void check(const struct load *load)
{
    for (long long i = 0; i < load->bytes; ++i) {
        if ((char) content(i) != load->memory[place(i, load->element)]) {
            fprintf(stderr, "mtp_bench: byte %lld is wrong\n", i);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

int main(int argc, char **argv)
{
    MPI_T_pvar_handle build = MPI_T_PVAR_HANDLE_NULL, access = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_session session;
    struct load load = {.element = 1, .bytes = 32 << 20};
    unsigned long long build_ns, access_ns;
    int repeats = 3, option, provided;
    double times[4]; /* write, read, build, access */
    char path[4096];
    int rank;
    long long span;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    while (-1 != (option = getopt(argc, argv, "e:s:r:"))) {
        load.element = 'e' == option ? atoi(optarg) : load.element;
        load.bytes = 's' == option ? atoll(optarg) : load.bytes;
        repeats = 'r' == option ? atoi(optarg) : repeats;
    }
    if (0 == load.element) {
        MPI_Type_contiguous(1, MPI_BYTE, &load.type);
    } else {
        MPI_Datatype element;

        MPI_Type_contiguous(load.element, MPI_BYTE, &element);
        MPI_Type_create_resized(element, 0, load.element + 4, &load.type);
        MPI_Type_free(&element);
    }
    MPI_Type_commit(&load.type);
    load.count = 0 == load.element ? load.bytes : load.bytes / load.element;
    load.bytes = load.count * (0 == load.element ? 1 : load.element);
    span = place(load.bytes - 1, load.element) + 5;
    load.memory = malloc((size_t) span);
    memset(load.memory, 0, (size_t) span);
    for (long long i = 0; i < load.bytes; ++i) {
        load.memory[place(i, load.element)] = (char) content(i);
    }
    snprintf(path, sizeof(path), "%s.%d", argv[optind], rank);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &load.file);
    MPI_T_pvar_session_create(&session);
    build_ns = figure(session, "fbtl_mtpwrite_time_build", &build);
    access_ns = figure(session, "fbtl_mtpwrite_time_access", &access);
    times[0] = best(&load, 1, repeats);
    build_ns = figure(session, "fbtl_mtpwrite_time_build", &build) - build_ns;
    access_ns = figure(session, "fbtl_mtpwrite_time_access", &access) - access_ns;
    memset(load.memory, 0, (size_t) span);
    times[1] = best(&load, 0, repeats);
    check(&load);
    times[2] = (double) build_ns * 1e-9 / (repeats + 1);
    times[3] = (double) access_ns * 1e-9 / (repeats + 1);
    MPI_Allreduce(MPI_IN_PLACE, times, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (0 == rank) {
        printf("%d %lld %.6f %.6f %.6f %.6f\n", load.element, load.bytes, times[0], times[1],
               times[2], times[3]);
    }
    MPI_T_pvar_session_free(&session);
    MPI_File_close(&load.file);
    unlink(path);
    free(load.memory);
    MPI_Type_free(&load.type);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
