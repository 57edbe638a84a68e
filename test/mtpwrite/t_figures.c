/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints the performance variables fbtl_mtpwrite_* after a known load, as "name value" lines, for
 * the script to look at: 1-byte elements with a gap of 4 in memory to a contiguous file (packed),
 * 64-byte blocks every 1,024 bytes (sieved, unless told otherwise), and nonblocking aligned blocks.
 *
 * usage: t_figures FILE
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void load(const char *path)
{
    enum { BYTES = 1 << 20 };
    MPI_Datatype element, spread, sparse;
    MPI_Request request;
    MPI_File file;
    void *data = NULL;

    if (0 != posix_memalign(&data, 4096, 5 * BYTES)) {
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    memset(data, 7, 5 * BYTES);
    MPI_Type_create_resized(MPI_BYTE, 0, 5, &spread);
    MPI_Type_commit(&spread);
    MPI_Type_contiguous(64, MPI_BYTE, &element);
    MPI_Type_create_resized(element, 0, 1024, &sparse);
    MPI_Type_commit(&sparse);
    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write(file, data, BYTES, spread, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_BYTE, sparse, "native", MPI_INFO_NULL);
    MPI_File_write(file, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    MPI_File_iwrite_at(file, 0, data, BYTES, MPI_BYTE, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    MPI_Type_free(&element);
    MPI_Type_free(&spread);
    MPI_Type_free(&sparse);
    free(data);
}

enum { MOST = 64 };

static struct {
    char name[256];
    MPI_T_pvar_handle handle;
} figures[MOST];
static int figure_count;
static MPI_T_pvar_session session;

/* Counters count from here on. The variables exist once a file was opened. */
static void find_all(const char *path)
{
    MPI_File file;
    int count;

    MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_close(&file);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count && figure_count < MOST; ++i) {
        char *name = figures[figure_count].name;
        int length = 256, verbosity, class, bind, readonly, continuous, atomic, number;
        MPI_Datatype type;
        MPI_T_enum choice;

        if (MPI_SUCCESS
                == MPI_T_pvar_get_info(i, name, &length, &verbosity, &class, &type, &choice, NULL,
                                       NULL, &bind, &readonly, &continuous, &atomic)
            && NULL != strstr(name, "fbtl_mtpwrite_")
            && MPI_SUCCESS
                   == MPI_T_pvar_handle_alloc(session, i, NULL, &figures[figure_count].handle,
                                              &number)) {
            ++figure_count;
        }
    }
}

static void print_all(void)
{
    for (int i = 0; i < figure_count; ++i) {
        unsigned long long value = 0;

        MPI_T_pvar_read(session, figures[i].handle, &value);
        printf("%s %llu\n", strstr(figures[i].name, "fbtl_mtpwrite_"), value);
        MPI_T_pvar_handle_free(session, &figures[i].handle);
    }
    MPI_T_pvar_session_free(&session);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    find_all(argv[1]);
    load(argv[1]);
    print_all();
    unlink(argv[1]);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
