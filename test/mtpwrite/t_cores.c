/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes the threads of the pool work, then prints on which CPUs the kernel lets each of them run:
 * "rank 0 own 0 threads 0-1 0-1". A thread of the pool blocks all signals, other threads do not.
 *
 * usage: t_cores FILE [all]     all: by a collective write of a communicator of all ranks
 */
#include "lib/t_file.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Copies the value of a line of /proc/self/task/TASK/status, or "". */
static void status_of(const char *task, const char *name, char *value, size_t bytes)
{
    char path[300], line[256];
    FILE *file;

    value[0] = '\0';
    snprintf(path, sizeof(path), "/proc/self/task/%s/status", task);
    file = fopen(path, "r");
    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        if (0 == strncmp(line, name, strlen(name))) {
            snprintf(value, bytes, "%.*s", (int) strcspn(line + strlen(name), "\n"),
                     line + strlen(name));
        }
    }
    if (NULL != file) {
        fclose(file);
    }
}

static void print_threads(void)
{
    char main_thread[32], own[64], blocked[64], cores[64], line[1024];
    size_t used;
    const struct dirent *task;
    DIR *tasks = opendir("/proc/self/task");

    snprintf(main_thread, sizeof(main_thread), "%d", (int) getpid());
    status_of(main_thread, "Cpus_allowed_list:\t", own, sizeof(own));
    used = (size_t) snprintf(line, sizeof(line), "rank %d own %s threads", t_rank, own);
    while (NULL != tasks && NULL != (task = readdir(tasks))) {
        status_of(task->d_name, "SigBlk:\t", blocked, sizeof(blocked));
        status_of(task->d_name, "Cpus_allowed_list:\t", cores, sizeof(cores));
        if (0 == strncmp(blocked, "fffffff", 7)) {
            used += (size_t) snprintf(line + used, sizeof(line) - used, " %s", cores);
        }
    }
    if (NULL != tasks) {
        closedir(tasks);
    }
    puts(line);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    enum { ELEMENTS = 1 << 20, GAP = 5 };
    char *data = calloc(ELEMENTS, GAP), path[4096];
    bool all = 2 < argc;
    MPI_Datatype spread;
    MPI_File file;

    t_init(&argc, &argv);
    snprintf(path, sizeof(path), "%s.%d", argv[1], all ? 0 : t_rank);
    MPI_Type_create_resized(MPI_BYTE, 0, GAP, &spread);
    MPI_Type_commit(&spread);
    MPI_File_open(all ? MPI_COMM_WORLD : MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
                  MPI_INFO_NULL, &file);
    if (all) {
        MPI_File_write_at_all(file, (MPI_Offset) t_rank * ELEMENTS, data, ELEMENTS, spread,
                              MPI_STATUS_IGNORE);
    } else {
        MPI_File_write(file, data, ELEMENTS, spread, MPI_STATUS_IGNORE);
    }
    print_threads();
    MPI_Barrier(MPI_COMM_WORLD); /* a rank that has ended is bound to nothing */
    MPI_File_close(&file);
    if (!all || 0 == t_rank) {
        MPI_File_delete(path, MPI_INFO_NULL);
    }
    MPI_Type_free(&spread);
    free(data);
    return t_finish();
}
