/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Programs on simulated file systems; see t_stripes.h. */
#include "t_stripes.h"

#include "t_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int t_offset_verify(const char *path, int64_t bytes, int64_t shift)
{
    t_blocks all = {shift, bytes, bytes, 1};
    int64_t end = bytes + shift;
    unsigned char *buffer = t_alloc((size_t) end);
    int fd = open(path, O_RDONLY);

    t_fail_if(0 > fd || end != lseek(fd, 0, SEEK_END), "%s does not have %lld bytes", path,
              (long long) end);
    t_fail_if(0 == t_failures() && end != pread(fd, buffer, (size_t) end, 0), "pread");
    if (0 == t_failures()) {
        t_blocks_check(&all, 0, buffer + shift, path);
    }
    free(buffer);
    close(fd);
    return 0 == t_failures() ? EXIT_SUCCESS : EXIT_FAILURE;
}

MPI_Info t_hints_of(const char *variable)
{
    char *copy = strdup(NULL == getenv(variable) ? "" : getenv(variable));
    MPI_Info info;

    MPI_Info_create(&info);
    for (char *word = strtok(copy, " "); NULL != word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');

        *value = '\0';
        MPI_Info_set(info, word, value + 1);
    }
    free(copy);
    return info;
}

void t_striping(MPI_File file, char text[512])
{
    static const char *const keys[] = {"striping_factor", "striping_unit", "start_iodevice",
                                       "collio_pool", "cb_nodes"};
    char first[512];
    int length = 0;
    MPI_Info info;

    memset(text, 0, 512);
    MPI_File_get_info(file, &info);
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); ++k) {
        char value[64];

        length += snprintf(text + length, 512 - (size_t) length, " %s=%s", keys[k],
                           t_info_get(info, keys[k], value, sizeof(value)) ? value : "-");
    }
    MPI_Info_free(&info);
    memcpy(first, text, sizeof(first));
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, MPI_COMM_WORLD);
    t_fail_if(0 != strcmp(first, text), "hints differ:%s, rank 0 has%s", text, first);
}

const char *t_class_word(int rc)
{
    switch (t_class(rc)) {
    case MPI_SUCCESS:
        return "success";
    case MPI_ERR_FILE_EXISTS:
        return "exists";
    case MPI_ERR_IO:
        return "io";
    case MPI_ERR_NO_MEM:
        return "no_mem";
    case MPI_ERR_NO_SPACE:
        return "no_space";
    case MPI_ERR_QUOTA:
        return "quota";
    default:
        return "other";
    }
}
