/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Files with hints, blocks, and their comparison; see t_file.h. */
#include "t_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_hint(MPI_Info info, const char *key, const char *value)
{
    static const char *const plain[] = {"cb_", "romio_", "collective_", "striping_", "ind_"};
    char full[MPI_MAX_INFO_KEY];
    bool prefix = true;

    for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
        prefix = prefix && 0 != strncmp(key, plain[i], strlen(plain[i]));
    }
    snprintf(full, sizeof(full), "%s%s", prefix ? "collio_" : "", key);
    MPI_Info_set(info, full, value);
}

void t_info_add(MPI_Info info, const char *hints)
{
    char copy[1024], *save = NULL;

    snprintf(copy, sizeof(copy), "%s", NULL == hints ? "" : hints);
    for (char *word = strtok_r(copy, ",", &save); NULL != word; word = strtok_r(NULL, ",", &save)) {
        char *value = strchr(word, '=');

        if (NULL != value) {
            *value = '\0';
            add_hint(info, word, value + 1);
        }
    }
}

MPI_Info t_info(const char *hints)
{
    MPI_Info info;

    MPI_Info_create(&info);
    t_info_add(info, getenv("T_HINTS"));
    t_info_add(info, hints);
    return info;
}

const char *t_hint(MPI_File file, const char *key)
{
    static char value[MPI_MAX_INFO_VAL];
    MPI_Info info;
    bool there;

    t_ok(MPI_File_get_info(file, &info), "MPI_File_get_info");
    there = t_info_get(info, key, value, sizeof(value));
    MPI_Info_free(&info);
    return there ? value : NULL;
}

bool t_open(MPI_Comm comm, const char *path, int amode, const char *hints, MPI_File *file)
{
    MPI_Info info = t_info(hints);
    int rc = MPI_File_open(comm, path, amode, info, file);

    MPI_Info_free(&info);
    return t_ok(rc, "MPI_File_open");
}

bool t_create(const char *path, const char *hints, MPI_File *file)
{
    t_remove(path);
    MPI_Barrier(MPI_COMM_WORLD);
    return t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, hints, file);
}

void t_blocks_list(const t_blocks *blocks, t_list *list)
{
    for (int i = 0; i < blocks->count; i++) {
        t_list_add(list, blocks->first + i * blocks->stride, blocks->block);
    }
}

int64_t t_blocks_bytes(const t_blocks *blocks)
{
    return blocks->block * blocks->count;
}

MPI_Datatype t_blocks_type(const t_blocks *blocks)
{
    MPI_Datatype one, type;

    MPI_Type_contiguous((int) blocks->block, MPI_BYTE, &one);
    MPI_Type_create_resized(one, 0, (MPI_Aint) blocks->stride, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&one);
    return type;
}

bool t_blocks_view(MPI_File file, const t_blocks *blocks)
{
    MPI_Datatype type = t_blocks_type(blocks);
    int rc = MPI_File_set_view(file, blocks->first, MPI_BYTE, type, "native", MPI_INFO_NULL);

    MPI_Type_free(&type);
    return t_ok(rc, "MPI_File_set_view");
}

unsigned char *t_blocks_data(const t_blocks *blocks, int writer)
{
    t_list list = {0};
    unsigned char *data;

    t_blocks_list(blocks, &list);
    data = t_list_data(&list, writer);
    t_list_free(&list);
    return data;
}

void t_blocks_check(const t_blocks *blocks, int writer, const unsigned char *buffer,
                    const char *what)
{
    bool same = true;

    for (int i = 0; same && i < blocks->count; i++) { /* block by block: tests limit memory */
        t_blocks one = {blocks->first + i * blocks->stride, blocks->block, blocks->block, 1};
        unsigned char *want = t_blocks_data(&one, writer);
        const unsigned char *got = buffer + i * blocks->block;

        for (int64_t k = 0; same && k < blocks->block; k++) {
            same = got[k] == want[k];
            t_fail_if(!same, "%s: file offset %lld: read 0x%02x, expected 0x%02x", what,
                      (long long) (one.first + k), got[k], want[k]);
        }
        free(want);
    }
}

void t_blocks_write(MPI_File file, const t_blocks *blocks, int writer)
{
    unsigned char *data = t_blocks_data(blocks, writer);
    int bytes = (int) t_blocks_bytes(blocks);
    MPI_Status status;

    if (t_ok(MPI_File_write_at_all(file, 0, data, bytes, MPI_BYTE, &status), "write_at_all")) {
        t_status_check(&status, bytes, "write_at_all");
    }
    free(data);
}

void t_blocks_read(MPI_File file, const t_blocks *blocks, int writer)
{
    int bytes = (int) t_blocks_bytes(blocks);
    unsigned char *data = t_alloc((size_t) bytes);
    MPI_Status status;

    memset(data, 0, (size_t) bytes);
    if (t_ok(MPI_File_read_at_all(file, 0, data, bytes, MPI_BYTE, &status), "read_at_all")) {
        t_status_check(&status, bytes, "read_at_all");
        t_blocks_check(blocks, writer, data, "read_at_all");
    }
    free(data);
}

void t_status_check(const MPI_Status *status, int64_t bytes, const char *what)
{
    MPI_Count count = t_elements(status, MPI_BYTE);

    t_fail_if((int64_t) count != bytes, "%s: status says %lld bytes, expected %lld", what,
              (long long) count, (long long) bytes);
}

void t_expect(t_expected *expected, t_blocks blocks, int writer)
{
    size_t count = (size_t) expected->count + 1;

    expected->blocks = realloc(expected->blocks, count * sizeof(*expected->blocks));
    expected->writer = realloc(expected->writer, count * sizeof(*expected->writer));
    if (NULL == expected->blocks || NULL == expected->writer) {
        abort();
    }
    expected->blocks[expected->count] = blocks;
    expected->writer[expected->count++] = writer;
}

static void check_file(const t_expected *expected, const char *path, int64_t prefilled)
{
    t_list touched = {0};
    t_image image;

    for (int i = 0; i < expected->count; i++) {
        t_blocks_list(&expected->blocks[i], &touched);
    }
    t_list_add(&touched, 0, prefilled);
    t_image_make(&image, &touched, 0);
    t_image_prefill(&image, prefilled);
    for (int i = 0; i < expected->count; i++) {
        t_list one = {0};

        t_blocks_list(&expected->blocks[i], &one);
        t_image_write(&image, &one, expected->writer[i]);
        t_list_free(&one);
    }
    t_image_check(&image, path);
    t_image_free(&image);
    t_list_free(&touched);
}

void t_expected_check(t_expected *expected, const char *path, int64_t prefilled)
{
    if (NULL != path) {
        check_file(expected, path, prefilled);
    }
    free(expected->blocks);
    free(expected->writer);
    *expected = (t_expected){0};
}

void t_ranks_check(const char *path, t_blocks (*of)(int rank), int first, int64_t prefilled)
{
    t_expected all = {0};

    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < t_size; r++) {
        t_expect(&all, of(r), first + r);
    }
    t_expected_check(&all, 0 == t_rank ? path : NULL, prefilled);
    MPI_Barrier(MPI_COMM_WORLD);
}

void t_first_open(const char *path)
{
    MPI_File file;

    if (t_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, NULL, &file)) {
        MPI_File_close(&file);
    }
}

void t_sparse_make(const char *path, int64_t end, bool (*written)(int64_t at))
{
    int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);

    for (int64_t i = 0; i < end; i++) {
        unsigned char byte = t_pre(i);

        t_fail_if(written(i) && 1 != pwrite(fd, &byte, 1, i), "pwrite: %s", strerror(errno));
    }
    close(fd);
}

void t_sparse_check(const char *path, int64_t size, bool (*written)(int64_t at), int64_t asked)
{
    unsigned char *found = t_alloc((size_t) size + 1);
    int fd = open(path, O_RDONLY);
    ssize_t bytes = pread(fd, found, (size_t) size + 1, 0);
    struct stat info = {0};

    fstat(fd, &info);
    close(fd);
    t_fail_if(bytes != size, "the file has %zd bytes, expected %lld", bytes, (long long) size);
    for (int64_t i = 0; i < bytes && i < size; i++) {
        if (found[i] != (written(i) ? t_pre(i) : 0)) {
            t_fail("byte %lld is %d", (long long) i, found[i]);
            break;
        }
    }
    t_fail_if(info.st_blocks * 512 < asked, "%lld bytes of space for %lld",
              (long long) info.st_blocks * 512, (long long) asked);
    free(found);
}

void t_prefill(const char *path, int64_t bytes)
{
    t_list all = {0};
    t_image image;
    int rc;

    t_list_add(&all, 0, bytes);
    t_image_make(&image, &all, 0);
    t_image_prefill(&image, bytes);
    rc = t_image_store(&image, path);
    t_fail_if(0 != rc, "cannot make %s: %s", path, strerror(rc));
    t_image_free(&image);
    t_list_free(&all);
}
