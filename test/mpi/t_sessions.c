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
#include "lib/t_work.h"

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
        t_work_whole(comm, "sessions", FILES * number + i, NULL);
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
        t_work_whole(MPI_COMM_WORLD, "sessions", 90, NULL);
    }
    for (int i = 0; i < SESSIONS; ++i) {
        session(i, world || 0 == strcmp(what, "held"));
    }
    if (world) {
        t_work_whole(MPI_COMM_WORLD, "sessions", 91, NULL);
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
