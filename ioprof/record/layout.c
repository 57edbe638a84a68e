/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Where a file is: file system, mount, and its stripes on Lustre and BeeGFS. Asked when a file is
 * opened, and once more when it is closed if there were no stripes yet. System calls only. */
#include "record/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define LUSTRE_MAGIC      0x0bd00bd0
#define BEEGFS_MAGIC      0x19830326
#define BEEGFS_STRIPEINFO 0x800c6619 /* ioctl, on a file: struct beegfs_stripes */
#define ROOM              (256 << 10)
#define MAX_MOUNTS        32

struct beegfs_stripes {
    uint32_t pattern, chunk_bytes;
    uint16_t targets;
};

/* Mounts that were looked up, by device. */
static struct {
    uint64_t device;
    char *fs, *mount;
} mounts[MAX_MOUNTS];
static int nmounts;
static bool striped; /* a file was on Lustre or BeeGFS: without any nothing is asked twice */
static bool busy;    /* one thread at a time, and not in a signal handler that has interrupted it */

struct stripes {
    uint64_t bytes; /* size of a stripe; 0: not known */
    uint64_t count;
};

/* Layouts, little endian. Plain: magic u32, pattern u32, 16 bytes, stripe size u32, stripe count
 * u16. Composite: magic u32, 10 bytes, number of entries u16, 16 bytes; each entry has 48 bytes: id
 * u32, flags u32, begin u64, end u64, offset and size of a plain layout u32. */
#define MAGIC_V1    0x0bd10bd0U
#define MAGIC_V3    0x0bd30bd0U
#define MAGIC_COMP  0x0bd60bd0U
#define PATTERN_MDT 0x100U /* data on the metadata server: no stripes */
#define ENTRY_INIT  0x10U  /* the component exists */
#define PLAIN_BYTES 32
#define COMP_BYTES  32
#define ENTRY_BYTES 48
#define MANY        0xffffU /* stripe count of "all servers" in a layout that does not exist yet */

static uint64_t number(const unsigned char *at, int bytes)
{
    uint64_t value = 0;

    for (int i = 0; i < bytes; i++) {
        value |= (uint64_t) at[i] << (8 * i);
    }
    return value;
}

static struct stripes plain(const unsigned char *data, size_t bytes)
{
    struct stripes none = {0, 0}, found;

    if (bytes < PLAIN_BYTES || 0 != (number(data + 4, 4) & PATTERN_MDT)) {
        return none;
    }
    found = (struct stripes){number(data + 24, 4), number(data + 28, 2)};
    if (0 == found.bytes || 0 == found.count || MANY == found.count) {
        return none;
    }
    return found;
}

static struct stripes composite(const unsigned char *data, size_t bytes)
{
    struct stripes found = {0, 0};
    uint64_t entries = bytes < COMP_BYTES ? 0 : number(data + 14, 2);

    for (uint64_t i = 0; i < entries && COMP_BYTES + (i + 1) * ENTRY_BYTES <= bytes; i++) {
        const unsigned char *entry = data + COMP_BYTES + i * ENTRY_BYTES;
        uint64_t offset = number(entry + 24, 4), size = number(entry + 28, 4);

        if (0 != (number(entry + 4, 4) & ENTRY_INIT) && offset <= bytes && size <= bytes - offset) {
            struct stripes part = plain(data + offset, size);

            if (0 != part.bytes) {
                found = part;
            }
        }
    }
    return found;
}

/** Reads the extended attribute lustre.lov. Of a file with several components it is the last one
 *  that exists: the one that holds the end of the file. */
static struct stripes lustre_stripes(const unsigned char *data, size_t bytes)
{
    uint64_t magic = bytes < 4 ? 0 : number(data, 4);

    if (MAGIC_COMP == magic) {
        return composite(data, bytes);
    }
    return MAGIC_V1 == magic || MAGIC_V3 == magic ? plain(data, bytes) : (struct stripes){0, 0};
}

static struct stripes read_stripes(int fd, long magic, char *room)
{
    struct stripes stripes = {0, 0};
    struct beegfs_stripes beegfs;
    long n;

    if (LUSTRE_MAGIC == magic) {
        n = syscall(SYS_fgetxattr, fd, "lustre.lov", room, (size_t) ROOM);
        stripes = lustre_stripes((unsigned char *) room, n < 0 ? 0 : (size_t) n);
    } else if (BEEGFS_MAGIC == magic && 0 == syscall(SYS_ioctl, fd, BEEGFS_STRIPEINFO, &beegfs)) {
        stripes = (struct stripes){beegfs.chunk_bytes, beegfs.targets};
    }
    return stripes;
}

/** Ends a word of mountinfo, and undoes the escapes of blanks and the like (\040). */
static char *take_word(char **at)
{
    char *word = *at, *from = word, *to = word;

    for (; '\0' != *from && ' ' != *from && '\n' != *from; from++) {
        if ('\\' == from[0] && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7'
            && from[3] >= '0' && from[3] <= '7') {
            *to++ = (char) ((from[1] - '0') * 64 + (from[2] - '0') * 8 + from[3] - '0');
            from += 3;
        } else {
            *to++ = *from;
        }
    }
    *at = from + (' ' == *from);
    *to = '\0';
    return word;
}

struct mount_line {
    char *fs;    /* type of the file system */
    char *mount; /* where it is mounted */
    bool whole;  /* its root directory is mounted there, not a directory below it */
};

/** Looks for a device in a line "ID PARENT MAJOR:MINOR ROOT MOUNT OPTIONS ... - TYPE ...". */
static bool read_line(char *line, uint64_t device, struct mount_line *found)
{
    char *at = line, *colon, *dash;
    unsigned major_number, minor_number;

    (void) take_word(&at);
    (void) take_word(&at);
    colon = take_word(&at);
    major_number = (unsigned) strtoul(colon, &colon, 10);
    minor_number = 0;
    if (':' == *colon) {
        minor_number = (unsigned) strtoul(colon + 1, NULL, 10);
    }
    if (gnu_dev_makedev(major_number, minor_number) != device) {
        return false;
    }
    found->whole = 0 == strcmp("/", take_word(&at));
    found->mount = take_word(&at);
    dash = strstr(at, " - ");
    if (NULL == dash) {
        return false;
    }
    at = dash + 3;
    found->fs = take_word(&at);
    return true;
}

/** Finds the mount of a device: the last one of its root directory, which hides the others, or the
 *  last one of any directory, where (in a container) no root directory is mounted. */
static void find_mount(uint64_t device, char *room)
{
    int fd = (int) syscall(SYS_openat, AT_FDCWD, "/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    struct mount_line best = {NULL, NULL, false}, found;
    char *line = room, *end;
    size_t used = 0;
    long n;

    if (fd < 0) {
        return;
    }
    while (used + 1 < ROOM && (n = syscall(SYS_read, fd, room + used, ROOM - 1 - used)) > 0) {
        used += (size_t) n;
    }
    (void) syscall(SYS_close, fd);
    room[used] = '\0';
    for (; NULL != (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        if (read_line(line, device, &found) && (found.whole || !best.whole)) {
            best = found;
        }
    }
    if (NULL != best.fs) {
        mounts[nmounts].device = device;
        mounts[nmounts].fs = ioprof_keep_string(best.fs);
        mounts[nmounts].mount = ioprof_keep_string(best.mount);
        nmounts += NULL != mounts[nmounts].fs && NULL != mounts[nmounts].mount;
    }
}

static void set_mount(struct ioprof_file *file, uint64_t device, char *room)
{
    for (int pass = 0; pass < 2 && NULL == file->fs; pass++) {
        for (int i = 0; i < nmounts; i++) {
            if (mounts[i].device == device) {
                file->fs = mounts[i].fs;
                file->mount = mounts[i].mount;
            }
        }
        if (NULL == file->fs && 0 == pass && nmounts < MAX_MOUNTS) {
            find_mount(device, room);
        }
    }
}

void ioprof_layout_read(int fd, struct ioprof_file *file, uint64_t device)
{
    struct stripes stripes;
    struct statfs fs;
    void *room;
    bool here;

    if (0 != file->stripes || (NULL != file->fs && !striped)
        || 0 != syscall(SYS_fstatfs, fd, &fs)) {
        return;
    }
    here = LUSTRE_MAGIC == fs.f_type || BEEGFS_MAGIC == fs.f_type;
    striped |= here;
    if ((NULL != file->fs && !here) || __atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
        return;
    }
    room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (MAP_FAILED != room) {
        set_mount(file, device, room);
        stripes = read_stripes(fd, (long) fs.f_type, room);
        file->stripe_bytes = stripes.bytes;
        file->stripes = stripes.count;
        (void) syscall(SYS_munmap, room, (size_t) ROOM);
    }
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}
