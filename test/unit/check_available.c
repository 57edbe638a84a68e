/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's files say about memory, and the two rules about it. */
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/node_available.h"
#include "unit.h"

UNIT_TEST(available_rules)
{
    ck_assert(!collio_available_short(64, 2, 32));
    ck_assert(collio_available_short(63, 2, 32));
    ck_assert(!collio_available_short(INT64_MAX, 4, INT64_C(1) << 40));
    ck_assert(collio_available_lost(99, true, 100));
    ck_assert(!collio_available_lost(100, true, 100));
    ck_assert(collio_available_lost(24, false, 100));
    ck_assert(!collio_available_lost(25, false, 100));
}

static void put_file(const char *root, const char *name, const char *text)
{
    char path[512];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", root, name);
    for (char *slash = path + 1; NULL != (slash = strchr(slash, '/')); ++slash) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static int remove_one(const char *name, const struct stat *about, int kind, struct FTW *ftw)
{
    (void) about, (void) kind, (void) ftw;
    return remove(name);
}

/* Files as the kernel has them: the least of all limits counts. */
UNIT_TEST(available_in_the_files_of_a_node)
{
    static const struct {
        const char *name, *text;
        int64_t left; /* with this file and those above it */
    } row[] = {
        {"proc/meminfo", "", INT64_MAX},
        {"proc/meminfo", "MemTotal: 100 kB\n", INT64_MAX},
        {"proc/meminfo", "MemAvailable: x kB", INT64_MAX},
        {"proc/meminfo", "MemAvailable: 9223372036854775807 kB\n", INT64_MAX},
        {"proc/meminfo", "MemTotal:  99999 kB\nMemFree: 7 kB\nMemAvailable:    10240 kB\n",
         10 << 20},
        {"sys/fs/cgroup/memory.max", "1048576\n", 10 << 20}, /* no cgroup of this process yet */
        {"proc/self/cgroup", "", 10 << 20},
        {"proc/self/cgroup", "12:memoryx:/old\n", 10 << 20},
        {"proc/self/cgroup", "0::/", 1 << 20},
        {"proc/self/cgroup", "0::/job/step\n", 1 << 20}, /* every parent counts, up to the root */
        {"sys/fs/cgroup/memory.max", "9223372036854771712\n", 10 << 20},
        {"sys/fs/cgroup/memory.max", "max\n", 10 << 20},
        {"proc/self/cgroup", "12:cpu,cpuacct:/a\n5:pids,memory:/old\n0::/job/step\n", 10 << 20},
        {"sys/fs/cgroup/job/memory.max", "9437184\n", 9 << 20},
        {"sys/fs/cgroup/job/memory.current", "2097152\n", 7 << 20},
        {"sys/fs/cgroup/job/memory.stat", "anon 1048576\ninactive_file 1048576\n", 8 << 20},
        {"sys/fs/cgroup/job/memory.stat", "anon 1048576\n", 7 << 20},
        {"sys/fs/cgroup/job/memory.stat", "inactive_file 3145728\n", 9 << 20}, /* more than used */
        {"sys/fs/cgroup/job/memory.stat", "anon 1048576\ninactive_file 1048576\n", 8 << 20},
        {"sys/fs/cgroup/job/step/memory.max", "max\n", 8 << 20},
        {"sys/fs/cgroup/job/step/memory.high", "6291456\n", 6 << 20},
        {"sys/fs/cgroup/memory/old/memory.limit_in_bytes", "5242880\n", 5 << 20},
        {"sys/fs/cgroup/memory/old/memory.usage_in_bytes", "1048576\n", 4 << 20},
        {"sys/fs/cgroup/memory/old/memory.stat", "total_inactive_file 524288\n", 9 << 19},
        {"sys/fs/cgroup/memory/old/memory.usage_in_bytes", "6291456\n", 0},
    };
    char root[] = "/tmp/check_available.XXXXXX", line[6000] = "0::/";

    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_int_eq(INT64_MAX, collio_available_bytes(root));
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        put_file(root, row[i].name, row[i].text);
        ck_assert_msg(row[i].left == collio_available_bytes(root), "%s: %" PRId64, row[i].name,
                      collio_available_bytes(root));
    }
    memset(line + 4, 'x', sizeof(line) - 5); /* a path that is too long is no limit */
    put_file(root, "proc/self/cgroup", line);
    ck_assert_int_eq(10 << 20, collio_available_bytes(root));
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
