/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * One MPI program for everything that `run` does with files on (simulated) Lustre. What it writes
 * at an offset depends on the offset alone, so `verify`, which is no MPI program and runs without
 * the simulator, can check any file with plain reads.
 *
 *   t_lla info FILE [ro|excl]                        component, striping, hints after the open
 *   t_lla ops FILE                                   sizes, sync, delete, errors
 *   t_lla ahead FILE write|read BLOCK COUNT SHIFT    through the lockahead struct itself, then
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

#include "lib/t_stripes.h"

#define EXPECT(condition) t_fail_if(!(condition), "%s:%d: %s", __FILE__, __LINE__, #condition)

static MPI_File open_file(const char *path, int amode)
{
    const char *command = getenv("LLA_AFTER_OPEN");
    MPI_Info info = t_hints_of("LLA_HINTS");
    MPI_File file = MPI_FILE_NULL;

    if (!t_ok(MPI_File_open(MPI_COMM_WORLD, path, amode, info, &file), "open")) {
        MPI_Finalize();
        exit(3);
    }
    MPI_Info_free(&info);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank && NULL != command) {
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
    t_striping(file, text);
    if (0 == t_rank) {
        printf("fs=%s lustre=%d stripe_size=%zu stripe_count=%d collective=%d individual=%d%s\n",
               fh->f_fs_component->mca_component_name, LUSTRE == fh->f_fstype, fh->f_stripe_size,
               fh->f_stripe_count, mine[3], mine[4], text);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
}

static void exclusive(const char *path)
{
    MPI_Info info = t_hints_of("LLA_HINTS");
    MPI_File file = MPI_FILE_NULL;
    int rc = MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL,
                           info, &file);

    printf("rank %d open=%s\n", t_rank, t_class_word(rc));
    if (MPI_SUCCESS == rc) {
        EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    }
}

static int open_class(const char *path, int amode)
{
    MPI_File file;
    int rc = MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &file);

    if (MPI_SUCCESS == rc) {
        MPI_File_close(&file);
    }
    return t_class(rc);
}

static void ops(const char *path)
{
    MPI_File file;
    MPI_Offset size = -1;
    unsigned char buffer[100];

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
    t_offset_fill(buffer, t_rank * 100, 100);
    EXPECT(MPI_SUCCESS
           == MPI_File_write_at_all(file, t_rank * 100, buffer, 100, MPI_BYTE, MPI_STATUS_IGNORE));
    EXPECT(MPI_SUCCESS == MPI_File_sync(file));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT(MPI_SUCCESS == MPI_File_get_size(file, &size) && t_size * 100 == size);
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    EXPECT(MPI_ERR_FILE_EXISTS
           == open_class(path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL));

    file = open_file(path, MPI_MODE_WRONLY | MPI_MODE_APPEND);
    EXPECT(MPI_SUCCESS == MPI_File_get_position(file, &size) && t_size * 100 == size);
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));

    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank) {
        EXPECT(MPI_SUCCESS == MPI_File_delete(path, MPI_INFO_NULL));
        EXPECT(MPI_ERR_NO_SUCH_FILE == t_class(MPI_File_delete(path, MPI_INFO_NULL)));
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
    return ((int64_t) i * t_size + t_rank) * pattern->block + pattern->shift;
}

static void set_view(MPI_File file, const pattern_t *pattern, int64_t base)
{
    MPI_Datatype type;

    MPI_Type_vector(pattern->count, (int) pattern->block, (int) pattern->block * t_size, MPI_BYTE,
                    &type);
    MPI_Type_commit(&type);
    EXPECT(MPI_SUCCESS
           == MPI_File_set_view(file, base + t_rank * pattern->block, MPI_BYTE, type, "native",
                                MPI_INFO_NULL));
    MPI_Type_free(&type);
}

/* All blocks of this rank: fills the buffer, or compares it. */
static void all_blocks(void (*what)(unsigned char *, int64_t, int64_t), const pattern_t *pattern,
                       int64_t base, unsigned char *buffer)
{
    for (int i = 0; i < pattern->count; ++i) {
        what(buffer + i * pattern->block, base + offset_of(pattern, i), pattern->block);
    }
}

static void check_blocks(unsigned char *buffer, int64_t offset, int64_t length)
{
    t_offset_check(buffer, offset, length);
}

static void access_at(MPI_File file, const pattern_t *pattern, unsigned char *buffer, int i)
{
    int64_t offset = offset_of(pattern, i);
    int length = (int) pattern->block;

    if (pattern->write) {
        t_offset_fill(buffer, offset, length);
        EXPECT(MPI_SUCCESS
               == MPI_File_write_at(file, offset, buffer, length, MPI_BYTE, MPI_STATUS_IGNORE));
    } else {
        EXPECT(MPI_SUCCESS
               == MPI_File_read_at(file, offset, buffer, length, MPI_BYTE, MPI_STATUS_IGNORE));
        t_offset_check(buffer, offset, length);
    }
}

/* Asks for all blocks through the struct, then accesses them one by one. */
static void ahead(const char *path, const pattern_t *pattern)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    collio_lockahead_t *lockahead = lockahead_of(handle(file));
    collio_extent_t *range = malloc((size_t) pattern->count * sizeof(*range));
    unsigned char *buffer = malloc((size_t) pattern->block);

    for (int i = 0; i < pattern->count; ++i) {
        range[i].offset = offset_of(pattern, i);
        range[i].length = pattern->block;
    }
    if (NULL != lockahead && COLLIO_LOCKAHEAD_OFF != lockahead->collective) {
        lockahead->request(lockahead, range, (size_t) pattern->count, pattern->write, false);
    }
    MPI_Barrier(MPI_COMM_WORLD);
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

    for (int call = 0; call < calls; ++call) {
        int64_t base = (int64_t) call * bytes * t_size;

        set_view(file, pattern, base);
        if (pattern->write) {
            all_blocks(t_offset_fill, pattern, base, buffer);
        }
        seconds += transfer(file, pattern->write, collective, buffer, (int) bytes);
        if (!pattern->write) {
            all_blocks(check_blocks, pattern, base, buffer);
        }
    }
    if (0 == t_rank) {
        printf("seconds=%.3f stripes=%d\n", seconds, handle(file)->f_stripe_count);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    free(buffer);
}

static void steps(const char *path, const pattern_t *pattern)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    unsigned char *buffer = malloc((size_t) pattern->block);

    set_view(file, pattern, 0);
    for (int i = 0; i < pattern->count; ++i) {
        t_offset_fill(buffer, offset_of(pattern, i), pattern->block);
        EXPECT(MPI_SUCCESS
               == MPI_File_write(file, buffer, (int) pattern->block, MPI_BYTE, MPI_STATUS_IGNORE));
    }
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

    set_view(file, &pattern, base);
    all_blocks(t_offset_fill, &pattern, base, buffer);
    (void) transfer(file, true, collective, buffer, (int) bytes);
    if (again) {
        memset(buffer, 0, (size_t) bytes);
        (void) transfer(file, false, !collective, buffer, (int) bytes);
        all_blocks(check_blocks, &pattern, base, buffer);
    }
    free(buffer);
    return bytes * t_size;
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
    if (0 == t_rank) {
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

    t_offset_fill(buffer, bytes * t_rank, bytes);
    wrote = MPI_File_write_at_all(file, bytes * t_rank, buffer, (int) bytes, MPI_BYTE,
                                  MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank && NULL != command) {
        EXPECT(0 == system(command));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    synced = MPI_File_sync(file);
    printf("rank %d write=%s sync=%s close=%s\n", t_rank, t_class_word(wrote), t_class_word(synced),
           t_class_word(MPI_File_close(&file)));
    free(buffer);
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
        ahead(argv[2], &pattern);
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
    if (argc > 3 && 0 == strcmp(argv[1], "verify")) {
        return t_offset_verify(argv[2], atoll(argv[3]), argc > 4 ? atoll(argv[4]) : 0);
    }
    if (argc > 1 && 0 == strcmp(argv[1], "file_bytes")) {
        printf("%zu\n", sizeof(mca_fs_lustre_lla_file_t));
        return EXIT_SUCCESS;
    }
    t_init(&argc, &argv);
    if (argc > 2) {
        run(argc, argv);
    } else {
        EXPECT(!"a known command");
    }
    t_verdict("t_lla");
    return t_finish();
}
