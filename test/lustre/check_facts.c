/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * What a real Lustre did (2.17.57, two clients, files of 2 stripes of 1 MiB), one test for each
 * observation. The same program runs on the simulator and on a real Lustre:
 *
 *   check_facts DIR [DIR2]     DIR2 = the same directory through a second mount (second client)
 *
 * Tests that need a second client are skipped without DIR2.
 */

#include "check_facts.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

static const char *dir[2];
static const char *test_name;
char path[512];
char data[64 << 10];

/* ---- small helpers: every test has its own file ---- */

int open_as(int client, int flags)
{
    char name[512];
    int fd;

    snprintf(name, sizeof(name), "%s/facts.%s", dir[client], test_name);
    fd = open(name, flags, 0644);
    EXPECT(0 <= fd);
    return fd;
}

static const char *begin(const check_t *check, check_files_t *files)
{
    if (2 == check->clients && NULL == dir[1]) {
        return "needs a second client: give a second mount";
    }
    test_name = check->name;
    snprintf(path, sizeof(path), "%s/facts.%s", dir[0], test_name);
    unlink(path);
    if (0 < check->clients) {
        struct llapi_layout *layout = llapi_layout_alloc();

        EXPECT(0 == llapi_layout_stripe_count_set(layout, 2));
        EXPECT(0 == llapi_layout_stripe_size_set(layout, MIB));
        files->fd = llapi_layout_file_open(path, O_CREAT | O_EXCL | O_RDWR, 0644, layout);
        EXPECT(0 <= files->fd);
        llapi_layout_free(layout);
        files->other = 2 == check->clients ? open_as(1, O_RDWR) : -1;
    }
    return NULL;
}

static void end(const check_files_t *files)
{
    if (0 <= files->fd) {
        close(files->fd);
    }
    if (0 <= files->other) {
        close(files->other);
    }
    unlink(path);
}

static struct llapi_lu_ladvise advice_of(uint64_t start, uint64_t end, int mode, uint32_t flags)
{
    struct llapi_lu_ladvise advice;

    memset(&advice, 0, sizeof(advice));
    advice.lla_advice = LU_LADVISE_LOCKAHEAD;
    advice.lla_lockahead_mode = (__u16) mode;
    advice.lla_peradvice_flags = flags;
    advice.lla_start = start;
    advice.lla_end = end;
    advice.lla_lockahead_result = 99;
    return advice;
}

int ahead(int fd, uint64_t start, uint64_t end, int mode, uint32_t flags)
{
    struct llapi_lu_ladvise advice = advice_of(start, end, mode, flags);

    if (0 != llapi_ladvise(fd, 0, 1, &advice)) {
        EXPECT(99 == advice.lla_lockahead_result); /* left untouched on error */
        return -errno;
    }
    return (int) advice.lla_lockahead_result;
}

int async_write(int fd, uint64_t start, uint64_t end)
{
    return ahead(fd, start, end, MODE_WRITE_USER, LF_ASYNC);
}

int settled(int fd, uint64_t start, uint64_t end)
{
    usleep(100000);
    return async_write(fd, start, end);
}

int noexpand(int fd, uint32_t flags)
{
    struct llapi_lu_ladvise advice;

    memset(&advice, 0, sizeof(advice));
    advice.lla_advice = LU_LADVISE_LOCKNOEXPAND;
    advice.lla_peradvice_flags = flags;
    return 0 == llapi_ladvise(fd, 0, 1, &advice) ? 0 : -errno;
}

/* ---- lockahead, one client ---- */

CHECK(structs, 0)
{
    EXPECT(32 == sizeof(struct llapi_lu_ladvise));
    EXPECT(2 == offsetof(struct llapi_lu_ladvise, lla_lockahead_mode));
    EXPECT(4 == offsetof(struct llapi_lu_ladvise, lla_peradvice_flags));
    EXPECT(8 == offsetof(struct llapi_lu_ladvise, lla_start));
    EXPECT(16 == offsetof(struct llapi_lu_ladvise, lla_end));
    EXPECT(24 == offsetof(struct llapi_lu_ladvise, lla_lockahead_result));
    EXPECT(32 == sizeof(struct llapi_ladvise_hdr));
    EXPECT(0x802066fa == LL_IOC_LADVISE);
}

CHECK(magic, 0)
{
    struct statfs status;

    EXPECT(0 == statfs(dir[0], &status) && LL_SUPER_MAGIC == status.f_type);
}

CHECK(async_results, 1)
{
    EXPECT(SENT == async_write(fd, 0, MIB - 1));
    EXPECT(SAME == settled(fd, 0, MIB - 1));
    EXPECT(DIFFERENT == async_write(fd, 4096, 8191));
    EXPECT(SAME == ahead(fd, 0, MIB - 1, MODE_READ_USER, LF_ASYNC));
}

CHECK(blocking_results, 1)
{
    EXPECT(SENT == ahead(fd, 0, MIB - 1, MODE_WRITE_USER, 0));
    EXPECT(SENT == ahead(fd, 0, MIB - 1, MODE_WRITE_USER, 0));
    EXPECT(SAME == async_write(fd, 0, MIB - 1));
}

CHECK(end_is_inclusive_by_page, 1)
{
    EXPECT(SENT == ahead(fd, 0, MIB, MODE_WRITE_USER, 0)); /* also page 0 of the next stripe */
    EXPECT(SAME == async_write(fd, MIB, MIB + 4095));
    EXPECT(SENT == ahead(fd, 4 * MIB, 5 * MIB - 1, MODE_WRITE_USER, 0));
    EXPECT(SENT == async_write(fd, 5 * MIB, 5 * MIB + 4095)); /* the last byte: not the next */
    EXPECT(SENT == ahead(fd, 8 * MIB, 8 * MIB + 8192, MODE_WRITE_USER, 0));
    EXPECT(DIFFERENT == async_write(fd, 8 * MIB + 8192, 8 * MIB + 12287));
    EXPECT(SENT == ahead(fd, 10 * MIB, 10 * MIB + 8191, MODE_WRITE_USER, 0));
    EXPECT(SENT == async_write(fd, 10 * MIB + 8192, 10 * MIB + 12287));
}

CHECK(range_stops_at_the_first_status, 1)
{
    EXPECT(SENT == ahead(fd, 0, MIB - 1, MODE_WRITE_USER, 0));
    EXPECT(SAME == async_write(fd, 0, 2 * MIB - 1));
    EXPECT(SENT == settled(fd, MIB, 2 * MIB - 1));         /* it had not been requested */
    EXPECT(SENT == async_write(fd, 4 * MIB, 6 * MIB - 1)); /* none held: both are */
    EXPECT(SAME == settled(fd, 4 * MIB, 5 * MIB - 1));
    EXPECT(SAME == async_write(fd, 5 * MIB, 6 * MIB - 1));
}

CHECK(own_read_lock_blocks_async_write, 1)
{
    EXPECT(SENT == ahead(fd, 0, MIB - 1, MODE_READ_USER, 0));
    EXPECT(SENT == async_write(fd, 0, MIB - 1));
    EXPECT(SENT == settled(fd, 0, MIB - 1)); /* still not held */
}

CHECK(expansion, 1)
{
    EXPECT(4096 == pwrite(fd, data, 4096, 0));
    EXPECT(DIFFERENT == async_write(fd, 10 * MIB, 10 * MIB + 4095));
}

CHECK(no_expansion, 1)
{
    EXPECT(0 == noexpand(fd, 0));
    EXPECT(4096 == pwrite(fd, data, 4096, 0));
    EXPECT(SAME == async_write(fd, 0, 4095));
    EXPECT(SENT == async_write(fd, 10 * MIB, 10 * MIB + 4095));
    EXPECT(0 == noexpand(fd, LF_UNSET));
    EXPECT(4096 == pwrite(fd, data, 4096, MIB));
    EXPECT(DIFFERENT == async_write(fd, 11 * MIB, 11 * MIB + 4095));
}

CHECK(noexpand_hides_the_rest, 1)
{
    struct llapi_lu_ladvise advice[2];

    memset(advice, 0, sizeof(advice));
    advice[0].lla_advice = LU_LADVISE_LOCKNOEXPAND;
    advice[1] = advice_of(0, MIB - 1, 0, 0); /* mode 0 is invalid */
    EXPECT(0 == llapi_ladvise(fd, 0, 2, advice));
}

CHECK(errors, 1)
{
    struct llapi_lu_ladvise many[1024];
    struct llapi_lu_ladvise unknown;

    EXPECT(-EINVAL == ahead(fd, 0, MIB - 1, 0, 0));
    EXPECT(-EINVAL == ahead(fd, 0, MIB - 1, 3, 0));
    EXPECT(-EINVAL == ahead(fd, 4096, 4096, MODE_WRITE_USER, 0));
    EXPECT(-EINVAL == ahead(fd, 0, MIB - 1, MODE_WRITE_USER, LF_UNSET));
    EXPECT(-EINVAL == noexpand(fd, LF_ASYNC));
    for (int i = 0; i < 1024; ++i) {
        many[i] = advice_of((uint64_t) i * 8192, (uint64_t) i * 8192 + 4095, MODE_WRITE_USER,
                            LF_ASYNC);
    }
    EXPECT(-1 == llapi_ladvise(fd, 0, 0, many) && EINVAL == errno);
    EXPECT(-1 == llapi_ladvise(fd, 0, 1024, many) && EINVAL == errno);
    EXPECT(0 == llapi_ladvise(fd, 0, 64, many));
    EXPECT(0 == llapi_ladvise(fd, 0, 1023, many));
    unknown = advice_of(0, MIB - 1, MODE_WRITE_USER, 0);
    unknown.lla_advice = 77;
    EXPECT(-1 == llapi_ladvise(fd, 0, 1, &unknown) && EOPNOTSUPP == errno);
}

CHECK(not_lustre, 0)
{
    char name[] = "/dev/shm/factsXXXXXX";

    fd = mkstemp(name);
    EXPECT(-ENOTTY == ahead(fd, 0, MIB - 1, MODE_WRITE_USER, 0));
    EXPECT(-ENOTTY == llapi_group_lock(fd, 1));
    close(fd);
    unlink(name);
}

CHECK(read_only_descriptor_and_end, 1)
{
    int read_only = open_as(0, O_RDONLY);

    EXPECT(SENT == async_write(read_only, 0, MIB - 1));
    EXPECT(SAME == settled(read_only, 0, MIB - 1));
    EXPECT(SENT == ahead(read_only, 4 * MIB, UINT64_MAX, MODE_WRITE_USER, 0));
    close(read_only);
}

CHECK(raw_ioctl, 1)
{
    size_t size = sizeof(struct llapi_ladvise_hdr) + 1024 * sizeof(struct llapi_lu_ladvise);
    struct llapi_ladvise_hdr *header = calloc(1, size);

    header->lah_magic = LADVISE_MAGIC;
    header->lah_count = 1;
    header->lah_advise[0] = advice_of(0, MIB - 1, MODE_WRITE_USER, LF_ASYNC);
    EXPECT(0 == ioctl(fd, LL_IOC_LADVISE, header));
    usleep(100000);
    EXPECT(SAME == ioctl(fd, LL_IOC_LADVISE, header));
    header->lah_count = 1024;
    EXPECT(-1 == ioctl(fd, LL_IOC_LADVISE, header) && EFBIG == errno);
    free(header);
}

/* ---- two clients ---- */

CHECK(async_conflict_is_dropped, 2)
{
    EXPECT(SENT == ahead(fd, 0, MIB - 1, MODE_WRITE_USER, 0));
    EXPECT(SENT == async_write(other, 0, MIB - 1));
    EXPECT(SENT == settled(other, 0, MIB - 1));
    EXPECT(SAME == async_write(fd, 0, MIB - 1));                  /* the holder kept it */
    EXPECT(SENT == ahead(other, 0, MIB - 1, MODE_WRITE_USER, 0)); /* blocking takes it away */
    EXPECT(SAME == async_write(other, 0, MIB - 1));
    EXPECT(SENT == async_write(fd, 0, MIB - 1));
    EXPECT(SENT == settled(fd, 0, MIB - 1));
}

CHECK(readers_share, 2)
{
    EXPECT(SENT == ahead(fd, 0, MIB - 1, MODE_READ_USER, 0));
    EXPECT(SENT == ahead(other, 0, MIB - 1, MODE_READ_USER, 0));
    EXPECT(SAME == ahead(fd, 0, MIB - 1, MODE_READ_USER, LF_ASYNC));
    EXPECT(SAME == ahead(other, 0, MIB - 1, MODE_READ_USER, LF_ASYNC));
}

static void tell_library(void)
{
    Dl_info found = {.dli_fname = "?"};

    (void) dladdr((void *) (intptr_t) llapi_group_lock, &found);
    printf("# liblustreapi: %s\n", found.dli_fname);
}

int main(int argc, char **argv)
{
    if (2 > argc) {
        fprintf(stderr, "usage: check_facts DIR [DIR2]\n");
        return EXIT_FAILURE;
    }
    dir[0] = argv[1];
    dir[1] = argc > 2 ? argv[2] : NULL;
    tell_library();
    llapi_msg_set_level(LLAPI_MSG_OFF);
    return check_all("facts", begin, end);
}
