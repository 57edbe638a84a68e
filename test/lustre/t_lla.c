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
 *   t_lla steps FILE write BLOCK COUNT               the same view, written block by block
 *   t_lla collective FILE write|read BLOCK COUNT CALLS
 *   t_lla fuzz FILE SEED ROUNDS                      views of random blocks, one after the other,
 *                                                    collective or not; prints the bytes
 *   t_lla exclusive FILE                             class of an open with MPI_MODE_EXCL
 *   t_lla classes FILE BYTES                         classes of a collective write, sync and close;
 *                                                    LLA_BEFORE_SYNC runs on rank 0 in between
 *   t_lla verify FILE BYTES [SHIFT]
 *   t_lla file_bytes                                 size of what an open allocates for the file
 *
 * Block i of rank r is block i * ranks + r of the file, SHIFT bytes further on. LLA_HINTS is a list
 * of key=value; the shell commands LLA_AFTER_OPEN and LLA_AFTER_VIEW run on rank 0 when all ranks
 * have opened the file or set a view. With LLA_READ_ONLY, `individual` opens the file for reading.
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

#include "lib/t_call.h"
#include "lib/t_file.h"
#include "lib/t_stripes.h"

#define EXPECT(condition) t_fail_if(!(condition), "%s:%d: %s", __FILE__, __LINE__, #condition)

/* Rank 0 runs the shell command of a variable, if there is one, while the other ranks wait. */
static void run_command(const char *variable)
{
    const char *command = getenv(variable);

    MPI_Barrier(MPI_COMM_WORLD);
    if (0 == t_rank && NULL != command) {
        EXPECT(0 == system(command));
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static MPI_File open_file(const char *path, int amode)
{
    MPI_Info info = t_hints_of("LLA_HINTS");
    MPI_File file = MPI_FILE_NULL;

    if (!t_ok(MPI_File_open(MPI_COMM_WORLD, path, amode, info, &file), "open")) {
        MPI_Finalize();
        exit(3);
    }
    MPI_Info_free(&info);
    run_command("LLA_AFTER_OPEN");
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

/* The blocks of this rank: every t_size-th of the file, from `base` on. */
static t_blocks blocks_of(int64_t block, int count, int64_t base)
{
    return (t_blocks){base + t_rank * block, block, t_size * block, count};
}

/* The blocks are one repetition of the view. */
static void set_view(MPI_File file, const t_blocks *mine)
{
    MPI_Datatype type;

    MPI_Type_vector(mine->count, (int) mine->block, (int) mine->stride, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    EXPECT(MPI_SUCCESS
           == MPI_File_set_view(file, mine->first, MPI_BYTE, type, "native", MPI_INFO_NULL));
    MPI_Type_free(&type);
    run_command("LLA_AFTER_VIEW");
}

/* Writes, or reads and compares, blocks of the file by one call at `offset` of the view. */
static void transfer(MPI_File file, bool write, bool collective, int64_t offset,
                     const t_blocks *blocks)
{
    t_call call = {write, collective, true, T_BLOCK};
    int bytes = (int) t_blocks_bytes(blocks);
    unsigned char *buffer = write ? t_blocks_data(blocks, 0) : t_alloc((size_t) bytes);
    MPI_Status status;

    EXPECT(MPI_SUCCESS == t_call_make(file, &call, offset, buffer, bytes, MPI_BYTE, &status));
    if (!write) {
        t_blocks_check(blocks, 0, buffer, "read");
    }
    free(buffer);
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
    t_blocks mine = blocks_of(100, 1, 0);

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
    transfer(file, true, true, mine.first, &mine);
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

static t_blocks block_of(const t_blocks *mine, int i)
{
    return (t_blocks){mine->first + i * mine->stride, mine->block, mine->block, 1};
}

/* Asks for all blocks through the struct, then accesses them one by one. */
static void ahead(const char *path, bool write, const t_blocks *mine)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    collio_lockahead_t *lockahead = lockahead_of(handle(file));
    collio_extent_t *range = malloc((size_t) mine->count * sizeof(*range));

    for (int i = 0; i < mine->count; ++i) {
        range[i] = (collio_extent_t){block_of(mine, i).first, mine->block};
    }
    if (NULL != lockahead && COLLIO_LOCKAHEAD_OFF != lockahead->collective) {
        lockahead->request(lockahead, range, (size_t) mine->count, write,
                           !lockahead->async_collective);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < mine->count; ++i) {
        t_blocks block = block_of(mine, i);

        transfer(file, write, false, block.first, &block);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    free(range);
}

static void through_view(const char *path, bool write, t_blocks mine, bool collective, int calls)
{
    MPI_File file = open_file(
        path, NULL == getenv("LLA_READ_ONLY") ? MPI_MODE_RDWR | MPI_MODE_CREATE : MPI_MODE_RDONLY);

    for (int call = 0; call < calls; ++call) {
        set_view(file, &mine);
        MPI_Barrier(MPI_COMM_WORLD);
        transfer(file, write, collective, 0, &mine);
        mine.first += t_size * t_blocks_bytes(&mine);
    }
    if (0 == t_rank) {
        printf("stripes=%d\n", handle(file)->f_stripe_count);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
}

static void steps(const char *path, const t_blocks *mine)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);

    set_view(file, mine);
    for (int i = 0; i < mine->count; ++i) {
        t_blocks block = block_of(mine, i);

        transfer(file, true, false, i * mine->block, &block);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
}

/* Random regions, each written through a view; half of them are read again in the other way. */
static void fuzz(const char *path, unsigned seed, int rounds)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    int64_t base = 0;

    srand(seed); /* the same on all ranks */
    for (int round = 0; round < rounds; ++round) {
        int64_t block = 1 + rand() % 70000;
        t_blocks mine = blocks_of(block, 1 + rand() % 12, base);
        bool collective = 0 != rand() % 3;

        set_view(file, &mine);
        transfer(file, true, collective, 0, &mine);
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 != rand() % 2) {
            transfer(file, false, !collective, 0, &mine);
        }
        base += t_size * t_blocks_bytes(&mine);
    }
    EXPECT(MPI_SUCCESS == MPI_File_close(&file));
    if (0 == t_rank) {
        printf("fuzz bytes=%" PRId64 "\n", base);
    }
}

static void classes(const char *path, int64_t bytes)
{
    MPI_File file = open_file(path, MPI_MODE_RDWR | MPI_MODE_CREATE);
    t_blocks mine = blocks_of(bytes, 1, 0);
    unsigned char *buffer = t_blocks_data(&mine, 0);
    int synced, wrote = MPI_File_write_at_all(file, mine.first, buffer, (int) bytes, MPI_BYTE,
                                              MPI_STATUS_IGNORE);

    run_command("LLA_BEFORE_SYNC");
    synced = MPI_File_sync(file);
    printf("rank %d write=%s sync=%s close=%s\n", t_rank, t_class_word(wrote), t_class_word(synced),
           t_class_word(MPI_File_close(&file)));
    free(buffer);
}

static void run(const char *command, const char *path, int argc, char **argv)
{
    bool write = 0 < argc && 0 == strcmp(argv[0], "write");
    t_blocks mine = blocks_of(argc > 1 ? atoll(argv[1]) : 0, argc > 2 ? atoi(argv[2]) : 0,
                              argc > 3 && 0 == strcmp(command, "ahead") ? atoll(argv[3]) : 0);

    if (0 == strcmp(command, "info")) {
        info(path, argc > 0 ? argv[0] : "");
    } else if (0 == strcmp(command, "exclusive")) {
        exclusive(path);
    } else if (0 == strcmp(command, "fuzz") && argc > 1) {
        fuzz(path, (unsigned) atoi(argv[0]), atoi(argv[1]));
    } else if (0 == strcmp(command, "classes") && argc > 0) {
        classes(path, atoll(argv[0]));
    } else if (0 == strcmp(command, "ops")) {
        ops(path);
    } else if (0 == strcmp(command, "ahead") && argc > 3) {
        ahead(path, write, &mine);
    } else if (0 == strcmp(command, "steps") && argc > 2) {
        steps(path, &mine);
    } else if (0 == strcmp(command, "individual") && argc > 2) {
        through_view(path, write, mine, false, 1);
    } else if (0 == strcmp(command, "collective") && argc > 3) {
        through_view(path, write, mine, true, atoi(argv[3]));
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
    run(argc > 1 ? argv[1] : "", argc > 2 ? argv[2] : "", argc - 3, argv + 3);
    t_verdict("t_lla");
    return t_finish();
}
