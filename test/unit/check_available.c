/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What the kernel's files say about memory, and the two rules about it. */
#include "available.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "node/node_available.h"
#include "unit.h"

UNIT_TEST(available_meminfo)
{
    ck_assert_int_eq(
        INT64_C(5) << 20,
        collio_available_meminfo("MemTotal:  100 kB\nMemFree: 7 kB\nMemAvailable:    5120 kB\n"));
    ck_assert_int_eq(INT64_MAX, collio_available_meminfo("MemTotal: 100 kB\n"));
    ck_assert_int_eq(INT64_MAX, collio_available_meminfo(""));
    ck_assert_int_eq(INT64_MAX, collio_available_meminfo("MemAvailable: x kB"));
}

UNIT_TEST(available_cgroup_of_both_versions)
{
    static const char both[] = "12:cpu,cpuacct:/a\n4:pids,memory:/slurm/job_7\n0::/user/me\n";
    char path[32];

    ck_assert(collio_available_cgroup(both, true, path, sizeof(path)));
    ck_assert_str_eq("/user/me", path);
    ck_assert(collio_available_cgroup(both, false, path, sizeof(path)));
    ck_assert_str_eq("/slurm/job_7", path);
    ck_assert(collio_available_cgroup("0::/", true, path, sizeof(path)));
    ck_assert_str_eq("/", path);
    ck_assert(!collio_available_cgroup("0::/x\n", false, path, sizeof(path)));
    ck_assert(!collio_available_cgroup("4:memoryx:/x\n", false, path, sizeof(path)));
    ck_assert(!collio_available_cgroup("", true, path, sizeof(path)));
    ck_assert(!collio_available_cgroup("0::/0123456789", true, path, 11));
    ck_assert(collio_available_cgroup("0::/0123456789", true, path, 12));
}

UNIT_TEST(available_parents_up_to_the_root)
{
    char path[] = "/a/b";

    ck_assert(collio_available_parent(path));
    ck_assert_str_eq("/a", path);
    ck_assert(collio_available_parent(path));
    ck_assert_str_eq("/", path);
    ck_assert(!collio_available_parent(path));
}

UNIT_TEST(available_limits)
{
    ck_assert_int_eq(4096, collio_available_limit("4096\n"));
    ck_assert_int_eq(INT64_MAX, collio_available_limit("max\n"));
    ck_assert_int_eq(INT64_MAX, collio_available_limit("9223372036854771712\n"));
    ck_assert_int_eq(INT64_MAX, collio_available_limit(""));
    ck_assert_int_eq(17, collio_available_stat("anon 3\ninactive_file 17\n", "inactive_file"));
    ck_assert_int_eq(0, collio_available_stat("anon 3\n", "inactive_file"));
    ck_assert_int_eq(INT64_MAX, collio_available_left(INT64_MAX, 5, 0));
    ck_assert_int_eq(70, collio_available_left(100, 50, 20));
    ck_assert_int_eq(100, collio_available_left(100, 50, 60));
    ck_assert_int_eq(0, collio_available_left(100, 150, 20));
}

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

/* node/node_available on files as the kernel has them: the least of all limits counts. */
UNIT_TEST(available_in_the_files_of_a_node)
{
    static const struct {
        const char *name, *text;
        int64_t left; /* with this file and those above it */
    } row[] = {
        {"proc/meminfo", "MemTotal: 99999 kB\nMemAvailable: 10240 kB\n", 10 << 20},
        {"proc/self/cgroup", "5:cpu,memory:/old\n0::/job/step\n", 10 << 20},
        {"sys/fs/cgroup/job/memory.max", "9437184\n", 9 << 20},
        {"sys/fs/cgroup/job/memory.current", "2097152\n", 7 << 20},
        {"sys/fs/cgroup/job/memory.stat", "anon 1048576\ninactive_file 1048576\n", 8 << 20},
        {"sys/fs/cgroup/job/step/memory.max", "max\n", 8 << 20},
        {"sys/fs/cgroup/job/step/memory.high", "6291456\n", 6 << 20},
        {"sys/fs/cgroup/memory/old/memory.limit_in_bytes", "5242880\n", 5 << 20},
        {"sys/fs/cgroup/memory/old/memory.usage_in_bytes", "1048576\n", 4 << 20},
        {"sys/fs/cgroup/memory/old/memory.stat", "total_inactive_file 524288\n", 9 << 19},
    };
    char root[] = "/tmp/check_available.XXXXXX";

    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_int_eq(INT64_MAX, collio_available_bytes(root));
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); ++i) {
        put_file(root, row[i].name, row[i].text);
        ck_assert_msg(row[i].left == collio_available_bytes(root), "%s: %" PRId64, row[i].name,
                      collio_available_bytes(root));
    }
    nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
