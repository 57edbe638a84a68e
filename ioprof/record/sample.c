/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Memory of this process and counters of its host. No thread of its own: the first recorded call
 * that ends EVERY_NS after the last sample takes the next one. System calls only, no malloc. */
#include "record/record.h"

#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVERY_NS 10000000ULL
#define TEXT     16384 /* of /proc/net/dev and the like; what is longer is cut */

static uint64_t next_sample; /* 0: at once */
static int64_t io_now;       /* resident memory that calls of MPI-IO have added so far */
static bool node_on;
static uint64_t node_last[IOPROF_NODE_COUNTERS];
static uint64_t node_time; /* of the last sample of the host; 0: none yet */
static glob_t lustre;      /* files with the counters of Lustre clients */

bool ioprof_sample_due(uint64_t now)
{
    uint64_t next = __atomic_load_n(&next_sample, __ATOMIC_RELAXED);

    return ioprof_active && now >= next
           && __atomic_compare_exchange_n(&next_sample, &next, now + EVERY_NS, false,
                                          __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/** Reads a file of /proc as text, around the wrappers. */
static bool read_text(const char *path, char *text, size_t room)
{
    int fd = (int) syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    size_t used = 0;
    long n = 0;

    if (fd < 0) {
        return false;
    }
    while (used + 1 < room && (n = syscall(SYS_read, fd, text + used, room - 1 - used)) > 0) {
        used += (size_t) n;
    }
    (void) syscall(SYS_close, fd);
    text[used] = '\0';
    return used > 0;
}

/** Number `index` of the line at `at`, counted from 0; 0 if there is none. */
static uint64_t number_of(const char *at, int index)
{
    size_t end = strcspn(at, "\n"), i = 0;

    for (;; index--) {
        uint64_t value = 0;

        while (i < end && (at[i] < '0' || at[i] > '9')) {
            i++;
        }
        if (i == end) {
            return 0;
        }
        while (i < end && at[i] >= '0' && at[i] <= '9') {
            value = 10 * value + (uint64_t) (at[i++] - '0');
        }
        if (0 == index) {
            return value;
        }
    }
}

static const char *next_line(const char *at)
{
    at += strcspn(at, "\n");
    if ('\0' == *at) {
        return NULL;
    }
    return at + 1;
}

/** user, nice, system, idle, iowait, irq, softirq, steal, in ticks of 10 ms */
static void read_cpu(char *text, uint64_t *counters)
{
    if (read_text("/proc/stat", text, TEXT) && 0 == strncmp(text, "cpu ", 4)) {
        static const int busy[] = {0, 1, 2, 5, 6, 7};

        for (size_t i = 0; i < sizeof(busy) / sizeof(busy[0]); i++) {
            counters[IOPROF_NODE_CPU] += number_of(text, busy[i]) * 10000000U;
        }
    }
}

static void read_network(char *text, uint64_t *counters)
{
    const char *line = read_text("/proc/net/dev", text, TEXT) ? text : NULL;

    for (; NULL != line; line = next_line(line)) {
        const char *colon = strchr(line, ':');

        if (NULL != colon && colon < line + strcspn(line, "\n")
            && NULL == memmem(line, (size_t) (colon - line), " lo", 3)) {
            counters[IOPROF_NODE_RECEIVED] += number_of(colon, 0);
            counters[IOPROF_NODE_SENT] += number_of(colon, 8);
        }
    }
}

/** Whole disks only: a partition's name ends with a digit that follows on a disk's name. */
static bool is_disk(const char *name)
{
    size_t length = strcspn(name, " ");

    if (0 == strncmp(name, "nvme", 4)) {
        return NULL == memchr(name, 'p', length);
    }
    return (0 == strncmp(name, "sd", 2) || 0 == strncmp(name, "vd", 2)
            || 0 == strncmp(name, "xvd", 3))
           && length > 0 && (name[length - 1] < '0' || name[length - 1] > '9');
}

/** major, minor, name, reads, merged, sectors read, ms, writes, merged, sectors written */
static void read_disks(char *text, uint64_t *counters)
{
    const char *line = read_text("/proc/diskstats", text, TEXT) ? text : NULL;

    for (; NULL != line && '\0' != *line; line = next_line(line)) {
        const char *name = line + strspn(line, " 0123456789"), *rest = name + strcspn(name, " \n");

        if (is_disk(name)) {
            counters[IOPROF_NODE_DISK_READ] += 512 * number_of(rest, 2);
            counters[IOPROF_NODE_DISK_WRITTEN] += 512 * number_of(rest, 6);
        }
    }
}

/** A line of a Lustre client's stats: "NAME SAMPLES samples [UNIT] MIN MAX SUM". That of lnet has
 *  no name: messages now and at most, errors, messages sent, received, routed and dropped, and the
 *  bytes of these four. */
struct lustre_line {
    const char
        *directory; /* in the path of the file: llite counts calls, osc requests to servers */
    const char *name;
    int number; /* of the line, counted from 0 */
    enum ioprof_node counter;
};

static void read_lustre(char *text, uint64_t *counters)
{
    static const struct lustre_line lines[] = {
        {"llite", "read_bytes ", 3, IOPROF_NODE_LUSTRE_READ},
        {"llite", "write_bytes ", 3, IOPROF_NODE_LUSTRE_WRITTEN},
        {"osc", "ost_read ", 0, IOPROF_NODE_LUSTRE_READS},
        {"osc", "ost_write ", 0, IOPROF_NODE_LUSTRE_WRITES},
        {"lnet", "", 3, IOPROF_NODE_LNET_SENDS},
        {"lnet", "", 4, IOPROF_NODE_LNET_RECEIVES},
        {"lnet", "", 7, IOPROF_NODE_LNET_SENT},
        {"lnet", "", 8, IOPROF_NODE_LNET_RECEIVED},
    };

    for (size_t i = 0; i < lustre.gl_pathc; i++) {
        const char *path = lustre.gl_pathv[i];
        const char *line = read_text(path, text, TEXT) ? text : NULL;

        for (; NULL != line; line = next_line(line)) {
            for (size_t k = 0; k < sizeof(lines) / sizeof(lines[0]); k++) {
                if (NULL != strstr(path, lines[k].directory)
                    && 0 == strncmp(line, lines[k].name, strlen(lines[k].name))) {
                    counters[lines[k].counter] += number_of(line, lines[k].number);
                }
            }
        }
    }
}

/** What the counters have grown by since the last time. */
static void sample_node(uint64_t now)
{
    static char text[TEXT];
    static bool busy;
    uint64_t counters[IOPROF_NODE_COUNTERS] = {0}, more[IOPROF_NODE_COUNTERS];

    if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
        return; /* another thread, or the call that this signal interrupted */
    }
    read_cpu(text, counters);
    read_network(text, counters);
    read_disks(text, counters);
    read_lustre(text, counters);
    for (int i = 0; i < IOPROF_NODE_COUNTERS; i++) {
        more[i] = 0 == node_last[i] || counters[i] < node_last[i] ? 0 : counters[i] - node_last[i];
        node_last[i] = counters[i];
    }
    if (0 != node_time) {
        ioprof_count_node(node_time, now, more);
    }
    node_time = now;
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

uint64_t ioprof_sample(uint64_t now)
{
    uint64_t begin = ioprof_now(), resident = 0;
    int saved = errno;
    char text[128];

    if (read_text("/proc/self/statm", text, sizeof(text))) {
        resident = number_of(text, 1) * (uint64_t) sysconf(_SC_PAGESIZE);
        ioprof_count_memory(now, resident);
    }
    if (node_on) {
        sample_node(now);
    }
    IOPROF_ADD(ioprof_me.sample_ns, ioprof_now() - begin);
    errno = saved;
    return resident;
}

void ioprof_memory_changed(uint64_t before, uint64_t after, uint64_t bytes_read)
{
    int64_t change = (int64_t) (after - before);

    /* A read may touch the program's buffer for the first time: that is no memory of MPI-IO. */
    if (change > 0) {
        change = change > (int64_t) bytes_read ? change - (int64_t) bytes_read : 0;
    }
    change = __atomic_add_fetch(&io_now, change, __ATOMIC_RELAXED);
    ioprof_to_most(&ioprof_me.memory_io, change > 0 ? (uint64_t) change : 0);
}

uint64_t ioprof_memory_peak(void)
{
    struct rusage usage;

    if (0 == getrusage(RUSAGE_SELF, &usage)) {
        return (uint64_t) usage.ru_maxrss * 1024;
    }
    return 0;
}

void ioprof_node_start(void)
{
    const char *places = getenv("IOPROF_LUSTRE_STATS"), *lnet = NULL;

    if (NULL == places) {
        places = "{/proc/fs,/sys/kernel/debug}/lustre/{llite,osc}/*/stats";
        lnet = 0 == access("/sys/kernel/debug/lnet/stats", R_OK) ? "/sys/kernel/debug/lnet/stats"
                                                                 : "/proc/sys/lnet/stats";
    }
    (void) glob(places, GLOB_BRACE, NULL, &lustre);
    if (NULL != lnet) {
        (void) glob(lnet, GLOB_APPEND, NULL, &lustre);
    }
    node_on = true;
    sample_node(ioprof_now());
}
