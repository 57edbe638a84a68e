/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Prints what an MPI program notices of the components that serve its files: the messages that a
 * rank sends in each phase, and the hints that MPI_File_get_info returns. test/open/run compares
 * two runs: collio installed and not named, and not installed. Two calls of access() on names that
 * do not exist enclose the part whose system calls it compares.
 */
#include "lib/t_compat.h"
#include "lib/t_file.h"
#include "lib/t_messages.h"

#include <string.h>
#include <unistd.h>

enum { BYTES = 4096, FILES = 3 };

static char path[700];

static MPI_Info hints(void)
{
    static const char *const pairs[][2] = {{"cb_nodes", "2"},
                                           {"cb_buffer_size", "65536"},
                                           {"collective_buffering", "perhaps"},
                                           {"collio_nonsense", "1"},
                                           {"collio_schedule", "fast"},
                                           {"collio_sieve_read", "maybe"},
                                           {"romio_cb_write", "enable"},
                                           {"romio_ds_write", "wrong"},
                                           {"striping_factor", "2"},
                                           {"striping_unit", "65537"}};
    MPI_Info info;

    MPI_Info_create(&info);
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        MPI_Info_set(info, pairs[i][0], pairs[i][1]);
    }
    return info;
}

static void print_hints(MPI_File file)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    int count = 0;
    MPI_Info info;

    t_ok(MPI_File_get_info(file, &info), "get_info");
    MPI_Info_get_nkeys(info, &count);
    for (int i = 0; i < count; i++) {
        MPI_Info_get_nthkey(info, i, key);
        if (t_info_get(info, key, value, sizeof(value))) {
            printf("rank %d hint %s=%s\n", t_rank, key, value);
        }
    }
    MPI_Info_free(&info);
}

static void one_file(bool print)
{
    unsigned char data[BYTES];
    MPI_Info info = hints();
    long before = t_messages(), opened, used;
    MPI_File file;

    memset(data, t_rank, sizeof(data));
    t_ok(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file), "open");
    opened = t_messages();
    t_ok(MPI_File_write_at_all(file, t_rank * BYTES, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE),
         "write_at_all");
    t_ok(MPI_File_read_at_all(file, t_rank * BYTES, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE),
         "read_at_all");
    t_ok(MPI_File_write_at(file, t_rank * BYTES, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE),
         "write_at");
    t_ok(MPI_File_write_ordered(file, data, BYTES, MPI_BYTE, MPI_STATUS_IGNORE), "write_ordered");
    used = t_messages();
    if (print) {
        print_hints(file);
    }
    t_ok(MPI_File_close(&file), "close");
    if (print) {
        printf("rank %d messages: open %ld, calls %ld, close %ld\n", t_rank, opened - before,
               used - opened, t_messages() - used);
    }
    MPI_Info_free(&info);
}

int main(int argc, char *argv[])
{
    t_init(&argc, &argv);
    t_path(path, sizeof(path), "file");
    one_file(false); /* loads the components */
    one_file(true);
    (void) access("/collio-test-begin", F_OK);
    for (int i = 0; i < FILES; i++) {
        one_file(false);
    }
    (void) access("/collio-test-end", F_OK);
    t_remove(path);
    return t_finish();
}
