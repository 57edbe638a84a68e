/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * One MPI program for everything that `run` does with files on (simulated) Lustre. What it writes
 * at an offset depends on the offset alone, so `verify`, which is no MPI program and runs without
 * the simulator, can check any file with plain reads.
 *
 *   t_lla info FILE [ro|excl]                        component, striping, hints after the open
 *   t_lla ops FILE                                   sizes, sync, delete, errors
 *   t_lla ahead FILE write|read BLOCK COUNT SHIFT [again]
 *                                                    through the lockahead struct itself, then
 *                                                    individual calls
 *   t_lla individual FILE write|read BLOCK COUNT     a view of COUNT interleaved blocks per rank
 *   t_lla steps FILE BLOCK COUNT                     the same view, written block by block
 *   t_lla collective FILE write|read BLOCK COUNT CALLS
 *   t_lla fuzz FILE SEED ROUNDS                      views of random blocks, one behind the other,
 *                                                    collective or not; prints the bytes
 *   t_lla exclusive FILE                             class of an open with MPI_MODE_EXCL
 *   t_lla classes FILE BLOCK COUNT                   classes of a collective write, sync and close;
 *                                                    LLA_BEFORE_SYNC runs on rank 0 in between
 *   t_lla verify FILE BYTES [SHIFT]
 *   t_lla file_bytes                                 size of what an open allocates for the file
 *
 * Block i of rank r is block i * ranks + r of the file, SHIFT bytes further on. LLA_HINTS is a list
 * of key=value; the shell command LLA_AFTER_OPEN runs on rank 0 when all ranks have the file open.
 */

#include "ompi/mca/common/collio/access/lockahead.h"
#include "ompi/mca/fs/lustre_lla/fs_lustre_lla.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test/mpi/lib/t_compat.h"

static int rank;
static int ranks;
static int failures;

#define EXPECT(condition)                                                           \
    do {                                                                            \
        if (!(condition)) {                                                         \
            printf("# rank %d: %s:%d: %s\n", rank, __FILE__, __LINE__, #condition); \
            ++failures;                                                             \
        }                                                                           \
    } while (0)

static unsigned char byte_at(int64_t offset)
{
    return (unsigned char) (((uint64_t) offset * UINT64_C(2654435761)) >> 13);
}

static void fill(unsigned char *buffer, int64_t offset, int64_t length)
{
    for (int64_t i = 0; i < length; ++i) {
        buffer[i] = byte_at(offset + i);
    }
}

static void compare(const unsigned char *buffer, int64_t offset, int64_t length)
{
    for (int64_t i = 0; i < length; ++i) {
        if (buffer[i] != byte_at(offset + i)) {
            printf("# rank %d: wrong byte at %" PRId64 "\n", rank, offset + i);
            ++failures;
            return;
        }
    }
}

static MPI_Info hints(void)
{
    const char *list = getenv("LLA_HINTS");
    char *copy;
    MPI_Info info;

    if (NULL == list || '\0' == *list) {
        return MPI_INFO_NULL;
    }
    copy = strdup(list);
    MPI_Info_create(&info);
    for (char *word = strtok(copy, " "); NULL != word; word = strtok(NULL, " ")) {
        char *value = strchr(word, '=');

        *value = '\0';
        MPI_Info_set(info, word, value + 1);
    }
    free(copy);
    return info;
}

static MPI_File open_file(const char *path, int amode)
{
    const char *command = getenv("LLA_AFTER_OPEN");
    MPI_Info info = hints();
    MPI_File file = MPI_FILE_NULL;
    int rc = MPI_File_open(MPI_COMM_WORLD, path, amode, info, &file);

    if (MPI_SUCCESS != rc) {
        char text[MPI_MAX_ERROR_STRING];
        int length;

        MPI_Error_string(rc, text, &length);
        printf("# rank %d: open: %s\n", rank, text);
        MPI_Finalize();
        exit(3);
    }
    if (MPI_INFO_NULL != info) {
        MPI_Info_free(&info);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank && NULL != command) {
        EXPECT(0 == system(command));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return file;
}

static ompio_file_t *handle(MPI_File file)
{
    return (ompio_file_t *) file->f_io_selected_data; /* its first member */
}

/* As collio_lockahead_of(), without the library. */
static collio_lockahead_t *lockahead_of(ompio_file_t *fh)
{
    return 0 == strcmp("lustre_lla", fh->f_fs_component->mca_component_name) ? fh->f_fs_ptr : NULL;
}

/* What MPI_File_get_info returns: the same on all ranks. */
static void hints_after(MPI_File file, char text[512])
{
    static const char *const keys[] = {"striping_factor", "striping_unit", "start_iodevice",
                                       "collio_pool"};
    char first[512];
    int length = 0;
    MPI_Info used;

    MPI_File_get_info(file, &used);
    for (size_t k = 0; k < sizeof(keys) / sizeof(keys[0]); ++k) {
        char value[64];

        length += snprintf(text + length, 512 - (size_t) length, " %s=%s", keys[k],
                           t_info_get(used, keys[k], value, sizeof(value)) ? value : "-");
    }
    MPI_Info_free(&used);
    memcpy(first, text, sizeof(first));
    MPI_Bcast(first, sizeof(first), MPI_CHAR, 0, MPI_COMM_WORLD);
    EXPECT(0 == strcmp(first, text));
}

static void info(const char *path, const char *how)
{
    int amode = 0 == strcmp(how, "ro")     ? MPI_MODE_RDONLY
                : 0 == strcmp(how, "excl") ? MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL
                                           : MPI_MODE_RDWR | MPI_MODE_CREATE;
    MPI_File file = open_file(path, amode);
    ompio_file_t *fh = handle(file);
    collio_lockahead_t *lockahead = lockahead_of(fh);
    char text[512];
    int32_t mine[5] = {fh->f_fstype, (int32_t) fh->f_stripe_size, fh->f_stripe_count,
                       NULL == lockahead ? -1 : (int) lockahead->collective,
                       NULL == lockahead ? -1 : (int) lockahead->individual};
    int32_t lowest[5];

    MPI_Allreduce(mine, lowest, 5, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    EXPECT(0 == memcmp(mine, lowest, sizeof(mine))); /* the same on all ranks */
    hints_after(file, text);
    if (0 == rank) {
        printf("fs=%s lustre=%d stripe_size=%zu stripe_count=%d collective=%d individual=%d%s\n",
               fh->f_fs_component->mca_component_name, LUSTRE == fh->f_fstype, fh->f_stripe_size,
               fh->f_stripe_count, mine[3], mine[4], text);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
}

static const char *class_name(int rc)
{
    int class = MPI_ERR_OTHER;

    MPI_Error_class(rc, &class);
    switch (class) {
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

static void exclusive(const char *path)
{
    MPI_Info info = hints();
    MPI_File file = MPI_FILE_NULL;
    int rc = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL,
                           info, &file);

    printf("rank %d open=%s\n", rank, class_name(rc));
    if (MPI_SUCCESS == rc) {
        EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    }
}

static int open_class(const char *path, int amode)
{
    MPI_File file;
    int class = 0;
    int rc = MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file);

    MPI_Error_class(rc, &class);
    if (MPI_SUCCESS == rc) {
        MPI_File_close(&file);
    }
    return class;
}

static void ops(const char *path)
{
    MPI_File file;
    MPI_Offset size = -1;
    unsigned char buffer[100];
    int rc;

    EXPECT(MPI_ERR_NO_SUCH_FILE == open_class(path, MPI_MODE_RDONLY));
    EXPECT(MPI_ERR_NO_SUCH_FILE == open_class("/nowhere/at/all", MPI_MODE_RDWR));
    file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL);
    EXPECT(MPI_SUCCESS == MPI_File_get_size(file, &size) && 0 == size);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_SUCCESS == MPI_File_set_size(file, 10000));
    EXPECT(MPI_SUCCESS == MPI_File_get_size(file, &size) && 10000 == size);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_SUCCESS == MPI_File_set_size(file, 100));
    EXPECT(MPI_SUCCESS == MPI_File_get_size(file, &size) && 100 == size);
    MPI_Barrier(MPI_COMM_WORLD);
    fill(buffer, rank * 100, 100);
    EXPECT(MPI_SUCCESS
           == MPI_File_write_at_all(file, rank * 100, buffer, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(MPI_SUCCESS == MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_SUCCESS == MPI_File_get_size(file, &size) && ranks * 100 == size);
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    EXPECT(MPI_ERR_FILE_EXISTS
           == open_class(path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL));

    file = open_file(path, MPI_MODE_WRONLY | MPI_MODE_APPEND);
    EXPECT(MPI_SUCCESS == MPI_File_get_position(file, &size) && ranks * 100 == size);
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));

    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank) {
        EXPECT(MPI_SUCCESS == MPI_File_delete(path, MPI_INFO_NULL));
        rc = MPI_File_delete(path, MPI_INFO_NULL);
        MPI_Error_class(rc, &rc);
        EXPECT(MPI_ERR_NO_SUCH_FILE == rc);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE);
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_ERR_NO_SUCH_FILE == open_class(path, MPI_MODE_RDONLY));
}

typedef struct pattern_t {
    bool write;
    int64_t block;
    int count;
    int64_t shift;
} pattern_t;

static int64_t offset_of(const pattern_t *pattern, int i)
{
    return ((int64_t) i * ranks + rank) * pattern->block + pattern->shift;
}

static void access_at(MPI_File file, const pattern_t *pattern, unsigned char *buffer, int i)
{
    int64_t offset = offset_of(pattern, i);
    int length = (int) pattern->block;

    if (pattern->write) {
        fill(buffer, offset, length);
        EXPECT(MPI_SUCCESS
               == MPI_File_write_at(file, offset, buffer, length, MPI_BYTE, MPI_STATUS_IGNORE));
    } else {
        EXPECT(MPI_SUCCESS
               == MPI_File_read_at(file, offset, buffer, length, MPI_BYTE, MPI_STATUS_IGNORE));
        compare(buffer, offset, length);
    }
}

/* Asks for all blocks through the struct (twice with `again`), then accesses them one by one. */
static void ahead(const char *path, const pattern_t *pattern, bool again)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    collio_lockahead_t *lockahead = lockahead_of(handle(file));
    collio_extent_t *range = malloc((size_t) pattern->count * sizeof(*range));
    unsigned char *buffer = malloc((size_t) pattern->block);

    for (int i = 0; i < pattern->count; ++i) {
        range[i].offset = offset_of(pattern, i);
        range[i].length = pattern->block;
    }
    for (int turn = 0; turn < (again ? 2 : 1); ++turn) {
        if (NULL != lockahead && COLLIO_LOCKAHEAD_OFF != lockahead->collective) {
            lockahead->request(lockahead, range, (size_t) pattern->count, pattern->write, false);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; i < pattern->count; ++i) {
        access_at(file, pattern, buffer, i);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    free(buffer);
    free(range);
}

/* One call, with the time of the slowest rank. */
static double transfer(MPI_File file, bool write, bool collective, unsigned char *buffer,
                       int length)
{
    double mine;
    double slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    mine = MPI_Wtime();
    if (write) {
        EXPECT(MPI_SUCCESS
               == (collective ? MPI_File_write_at_all : MPI_File_write_at)(
                   file, 0, buffer, length, MPI_BYTE, MPI_STATUS_IGNORE));
    } else {
        EXPECT(MPI_SUCCESS
               == (collective ? MPI_File_read_at_all : MPI_File_read_at)(
                   file, 0, buffer, length, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    mine = MPI_Wtime() - mine;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void through_view(const char *path, const pattern_t *pattern, bool collective, int calls)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    int64_t bytes = pattern->block * pattern->count;
    unsigned char *buffer = malloc((size_t) bytes);
    double seconds = 0;
    MPI_Datatype type;

    MPI_Type_vector(pattern->count, (int) pattern->block, (int) pattern->block * ranks, MPI_BYTE,
                    &type);
    MPI_Type_commit(&type);
    for (int call = 0; call < calls; ++call) {
        int64_t base = (int64_t) call * bytes * ranks;

        EXPECT(MPI_SUCCESS
               == MPI_File_set_view(file, base + rank * pattern->block, MPI_BYTE, type, "native",
                                    MPI_INFO_NULL));
        for (int i = 0; pattern->write && i < pattern->count; ++i) {
            fill(buffer + i * pattern->block, base + offset_of(pattern, i), pattern->block);
        }
        seconds += transfer(file, pattern->write, collective, buffer, (int) bytes);
        for (int i = 0; !pattern->write && i < pattern->count; ++i) {
            compare(buffer + i * pattern->block, base + offset_of(pattern, i), pattern->block);
        }
    }
    if (0 == rank) {
        printf("seconds=%.3f stripes=%d\n", seconds, handle(file)->f_stripe_count);
    }
    MPI_Type_free(&type);
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    free(buffer);
}

static void steps(const char *path, const pattern_t *pattern)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    unsigned char *buffer = malloc((size_t) pattern->block);
    MPI_Datatype type;

    MPI_Type_vector(pattern->count, (int) pattern->block, (int) pattern->block * ranks, MPI_BYTE,
                    &type);
    MPI_Type_commit(&type);
    EXPECT(
        MPI_SUCCESS
        == MPI_File_set_view(file, rank * pattern->block, MPI_BYTE, type, "native", MPI_INFO_NULL));
    for (int i = 0; i < pattern->count; ++i) {
        fill(buffer, offset_of(pattern, i), pattern->block);
        EXPECT(MPI_SUCCESS
               == MPI_File_write(file, buffer, (int) pattern->block, MPI_BYTE, MPI_STATUS_IGNORE));
    }
    MPI_Type_free(&type);
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    free(buffer);
}

/* One random region: written through a view, and read again in another way. */
static int64_t fuzz_region(MPI_File file, int64_t base)
{
    pattern_t pattern = {.block = 1 + rand() % 70000, .count = 1 + rand() % 12};
    bool collective = 0 != rand() % 3;
    bool again = 0 != rand() % 2;
    int64_t bytes = pattern.block * pattern.count;
    unsigned char *buffer = malloc((size_t) bytes);
    MPI_Datatype type;

    MPI_Type_vector(pattern.count, (int) pattern.block, (int) pattern.block * ranks, MPI_BYTE,
                    &type);
    MPI_Type_commit(&type);
    EXPECT(MPI_SUCCESS
           == MPI_File_set_view(file, base + rank * pattern.block, MPI_BYTE, type, "native",
                                MPI_INFO_NULL));
    for (int i = 0; i < pattern.count; ++i) {
        fill(buffer + i * pattern.block, base + offset_of(&pattern, i), pattern.block);
    }
    (void) transfer(file, true, collective, buffer, (int) bytes);
    if (again) {
        memset(buffer, 0, (size_t) bytes);
        (void) transfer(file, false, !collective, buffer, (int) bytes);
        for (int i = 0; i < pattern.count; ++i) {
            compare(buffer + i * pattern.block, base + offset_of(&pattern, i), pattern.block);
        }
    }
    MPI_Type_free(&type);
    free(buffer);
    return bytes * ranks;
}

static void fuzz(const char *path, unsigned seed, int rounds)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    int64_t base = 0;

    srand(seed); /* the same on all ranks */
    for (int round = 0; round < rounds; ++round) {
        base += fuzz_region(file, base);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    if (0 == rank) {
        printf("fuzz bytes=%" PRId64 "\n", base);
    }
}

static void classes(const char *path, const pattern_t *pattern)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    const char *command = getenv("LLA_BEFORE_SYNC");
    int64_t bytes = pattern->block * pattern->count;
    unsigned char *buffer = malloc((size_t) bytes);
    int wrote;
    int synced;

    fill(buffer, bytes * rank, bytes);
    wrote = MPI_File_write_at_all(file, bytes * rank, buffer, (int) bytes, MPI_BYTE,
                                  MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == rank && NULL != command) {
        EXPECT(0 == system(command));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    synced = MPI_File_sync(file);
    printf("rank %d write=%s sync=%s close=%s\n", rank, class_name(wrote), class_name(synced),
           class_name(MPI_File_close(&file)));
    free(buffer);
}

static int verify(const char *path, int64_t bytes, int64_t shift)
{
    int64_t end = bytes + shift;
    unsigned char *buffer = malloc((size_t) end);
    int fd = open(path, O_RDONLY);

    EXPECT(0 <= fd && end == lseek(fd, 0, SEEK_END));
    EXPECT(0 == failures && end == pread(fd, buffer, (size_t) end, 0));
    if (0 == failures) {
        compare(buffer + shift, shift, bytes);
    }
    free(buffer);
    close(fd);
    return 0 == failures ? EXIT_SUCCESS : EXIT_FAILURE;
}

static void run(int argc, char **argv)
{
    pattern_t pattern = {.write = argc > 3 && 0 == strcmp(argv[3], "write"),
                         .block = argc > 4 ? atoll(argv[4]) : 0,
                         .count = argc > 5 ? atoi(argv[5]) : 0};

    if (0 == strcmp(argv[1], "info")) {
        info(argv[2], argc > 3 ? argv[3] : "");
    } else if (0 == strcmp(argv[1], "exclusive")) {
        exclusive(argv[2]);
    } else if (0 == strcmp(argv[1], "fuzz") && argc > 4) {
        fuzz(argv[2], (unsigned) atoi(argv[3]), atoi(argv[4]));
    } else if (0 == strcmp(argv[1], "steps") && argc > 4) {
        pattern.block = atoll(argv[3]);
        pattern.count = atoi(argv[4]);
        steps(argv[2], &pattern);
    } else if (0 == strcmp(argv[1], "classes") && argc > 4) {
        pattern.block = atoll(argv[3]);
        pattern.count = atoi(argv[4]);
        classes(argv[2], &pattern);
    } else if (0 == strcmp(argv[1], "ops")) {
        ops(argv[2]);
    } else if (0 == strcmp(argv[1], "ahead") && argc > 6) {
        pattern.shift = atoll(argv[6]);
        ahead(argv[2], &pattern, argc > 7);
    } else if (0 == strcmp(argv[1], "individual") && argc > 5) {
        through_view(argv[2], &pattern, false, 1);
    } else if (0 == strcmp(argv[1], "collective") && argc > 6) {
        through_view(argv[2], &pattern, true, atoi(argv[6]));
    } else {
        EXPECT(!"a known command");
    }
}

int main(int argc, char **argv)
{
    int all = 0;

    if (argc > 3 && 0 == strcmp(argv[1], "verify")) {
        return verify(argv[2], atoll(argv[3]), argc > 4 ? atoll(argv[4]) : 0);
    }
    if (argc > 1 && 0 == strcmp(argv[1], "file_bytes")) {
        printf("%zu\n", sizeof(mca_fs_lustre_lla_file_t));
        return EXIT_SUCCESS;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc > 2) {
        run(argc, argv);
    }
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0 == all && argc > 2 ? EXIT_SUCCESS : EXIT_FAILURE;
}
