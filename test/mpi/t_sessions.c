/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI sessions. When the last session ends, MPI frees all communicators and closes its components,
 * and the attributes of MPI_COMM_SELF are not deleted. A later session of the same processes must
 * find nothing of the former one. Every file is compared by POSIX.
 *
 *   t_sessions         three sessions, one after the other
 *   t_sessions held    the same; the library of the components stays loaded in between, as it does
 *                      where a tool is linked with it
 *   t_sessions world   MPI_Init, and sessions that begin and end before and after MPI_Finalize
 */
#include "lib/t_file.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef MPI_SESSION_NULL

enum { BLOCK = 600, COUNT = 8, FILES = 3, SESSIONS = 3 };

static int hold(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void) size;
    (void) unused;
    if (NULL != strstr(info->dlpi_name, "libmca_common_collio")) {
        (void) dlopen(info->dlpi_name, RTLD_NOW | RTLD_NODELETE);
    }
    return 0;
}

static void whole_file(MPI_Comm comm, int number)
{
    int rank, size, writer[64];
    t_blocks all[64];
    unsigned char *data;
    char path[512];
    MPI_File file;

    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < size; ++i) {
        all[i] = (t_blocks){8 * number + i * BLOCK, BLOCK, size * BLOCK + 40, COUNT};
        writer[i] = 100 * number + i;
    }
    t_path(path, sizeof(path), "sessions");
    if (t_open(comm, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        data = t_blocks_data(&all[rank], writer[rank]);
        t_blocks_view(file, &all[rank]);
        t_ok(MPI_File_write_all(file, data, BLOCK * COUNT, MPI_BYTE, MPI_STATUS_IGNORE),
             "write_all");
        free(data);
        t_ok(MPI_File_close(&file), "close");
    }
    MPI_Barrier(comm);
    if (0 == rank) {
        t_blocks_check_file(path, all, writer, size, 0);
        unlink(path);
    }
    MPI_Barrier(comm);
}

static void session(int number, bool held)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;

    t_ok(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), "session_init");
    t_ok(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), "group_from_session_pset");
    t_ok(MPI_Comm_create_from_group(group, "collio", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
         "comm_create_from_group");
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &t_rank);
    MPI_Comm_size(comm, &t_size);
    for (int i = 0; i < FILES; ++i) {
        whole_file(comm, FILES * number + i);
    }
    if (held) {
        dl_iterate_phdr(hold, NULL);
    }
    MPI_Comm_free(&comm);
    t_ok(MPI_Session_finalize(&session), "session_finalize");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    bool world = 0 == strcmp(what, "world");

    if (world) {
        t_init(&argc, &argv);
        whole_file(MPI_COMM_WORLD, 90);
    }
    for (int i = 0; i < SESSIONS; ++i) {
        session(i, world || 0 == strcmp(what, "held"));
    }
    if (world) {
        whole_file(MPI_COMM_WORLD, 91);
        MPI_Finalize();
        session(SESSIONS, true);
        session(SESSIONS + 1, true);
    }
    if (0 == t_rank) {
        printf("%s files of sessions\n", 0 == t_failures() ? "ok" : "not ok");
    }
    return 0 == t_failures() ? EXIT_SUCCESS : EXIT_FAILURE;
}

#else

int main(int argc, char **argv)
{
    t_init(&argc, &argv);
    return t_skip_all("files of sessions", "this MPI has no sessions");
}

#endif
