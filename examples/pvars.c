/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the MPI_T performance variables of the components around a collective write: what one call
 * did, in the program that made it.
 *
 *     mpicc pvars.c -o pvars
 *     mpirun -np 4 --mca io ompio --mca fcoll overlap ./pvars FILE
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 256, BYTES = 1 << 20 };

struct variable {
    char name[128], text[256]; /* the text ends with the unit: [nanoseconds], [bytes], [count] */
    MPI_T_pvar_handle handle;
    unsigned long long before, after;
};

static struct variable variables[MOST];
static int count;

/* The variables exist once a file was opened: the first open loads the components. */
static void find_variables(MPI_T_pvar_session session)
{
    static const char *const prefixes[] = {"fcoll_overlap_", "fcoll_tam_", "fbtl_mtpwrite_",
                                           "fs_lustre_lla_"};
    int total = 0;

    MPI_T_pvar_get_num(&total);
    for (int i = 0; i < total && count < MOST; i++) {
        struct variable *v = &variables[count];
        int name = sizeof(v->name), text = sizeof(v->text), items;
        int verbosity, var_class, bind, readonly, continuous, atomic;
        MPI_Datatype type;
        MPI_T_enum names;

        if (MPI_SUCCESS
            != MPI_T_pvar_get_info(i, v->name, &name, &verbosity, &var_class, &type, &names,
                                   v->text, &text, &bind, &readonly, &continuous, &atomic)) {
            continue;
        }
        for (size_t p = 0; p < sizeof(prefixes) / sizeof(prefixes[0]); p++) {
            if (0 == strncmp(v->name, prefixes[p], strlen(prefixes[p]))
                && MPI_UNSIGNED_LONG_LONG == type
                && MPI_SUCCESS == MPI_T_pvar_handle_alloc(session, i, NULL, &v->handle, &items)) {
                count++; /* continuous: it counts without MPI_T_pvar_start */
                break;
            }
        }
    }
}

int main(int argc, char *argv[])
{
    static char data[BYTES];
    MPI_T_pvar_session session;
    MPI_File file;
    int rank, provided;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 2
        || MPI_SUCCESS
               != MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY,
                                MPI_INFO_NULL, &file)) {
        fprintf(stderr, "usage: pvars FILE (a file that can be written)\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    find_variables(session);
    for (int i = 0; i < count; i++) {
        MPI_T_pvar_read(session, variables[i].handle, &variables[i].before);
    }

    MPI_File_write_at_all(file, (MPI_Offset) rank * BYTES, data, BYTES, MPI_BYTE,
                          MPI_STATUS_IGNORE);

    for (int i = 0; i < count; i++) {
        struct variable *v = &variables[i];

        MPI_T_pvar_read(session, v->handle, &v->after);
        if (0 == rank && v->after > v->before) { /* rank 0's own figures */
            printf("%-32s %16llu  %s\n", v->name, v->after - v->before, v->text);
        }
        MPI_T_pvar_handle_free(session, &v->handle);
    }
    if (0 == rank && 0 == count) {
        printf("none of the components is in use: try --mca fcoll overlap\n");
    }
    MPI_File_close(&file);
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
