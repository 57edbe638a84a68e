/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The file table: records found by path, without locks. */
#include "record/record.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define OTHER   0 /* record of files that found no room */
#define STRINGS (64U << 20)

static struct ioprof_file *files;
static uint64_t *last_end; /* of each file: where its last POSIX transfer ended */
static uint64_t max_files, used;
static uint32_t *slots; /* hash table: index + 1 */
static uint64_t nslots;
static char *strings;
static uint64_t string_bytes;

static void *map(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (MAP_FAILED == memory) {
        return NULL;
    }
    return memory;
}

static void file_init(uint64_t index, char *path)
{
    struct ioprof_file *file = &files[index];

    memset(file->first_ns, 0xff, sizeof(file->first_ns));
    file->low = IOPROF_UNSET;
    file->files = 1;
    file->path = path;
}

void ioprof_files_init(void)
{
    if (IOPROF_LEVEL_TOTALS == ioprof_settings.level) {
        return;
    }
    max_files = ioprof_settings.max_files + 1;
    nslots = 64;
    while (nslots < 2 * max_files) {
        nslots *= 2;
    }
    files = map(max_files * sizeof(*files));
    last_end = map(max_files * sizeof(*last_end));
    slots = map(nslots * sizeof(*slots));
    strings = map(STRINGS);
    if (NULL == files || NULL == last_end || NULL == slots || NULL == strings) {
        files = NULL; /* as at level totals */
        return;
    }
    file_init(OTHER, (char *) IOPROF_OTHER_FILES);
    files[OTHER].files = 0;
    used = 1;
}

char *ioprof_keep_string(const char *text)
{
    size_t bytes = strlen(text) + 1;
    uint64_t at;

    if (NULL == strings) {
        return NULL;
    }
    at = IOPROF_ADD(string_bytes, bytes);
    if (at + bytes > STRINGS) {
        return NULL;
    }
    return memcpy(strings + at, text, bytes);
}

static uint64_t hash(const char *text)
{
    uint64_t value = 14695981039346656037U;

    for (; '\0' != *text; text++) {
        value = (value ^ (unsigned char) *text) * 1099511628211U;
    }
    return value ^ (value >> 29);
}

static int no_room(void)
{
    IOPROF_ADD(ioprof_me.files_dropped, 1);
    IOPROF_ADD(files[OTHER].files, 1);
    return OTHER;
}

/** Searches; with `create` a path that is not there is added. */
static int look_up(const char *path, bool create)
{
    uint64_t at = hash(path) & (nslots - 1), fresh = 0;

    for (;; at = (at + 1) & (nslots - 1)) {
        uint32_t index = __atomic_load_n(&slots[at], __ATOMIC_ACQUIRE);

        if (0 == index) {
            if (!create) {
                return IOPROF_NO_FILE;
            }
            if (0 == fresh) {
                char *copy;

                fresh = 0;
                if (__atomic_load_n(&used, __ATOMIC_RELAXED) < max_files) {
                    fresh = IOPROF_ADD(used, 1);
                }
                copy = 0 == fresh || fresh >= max_files ? NULL : ioprof_keep_string(path);
                if (NULL == copy) {
                    return no_room();
                }
                file_init(fresh, copy);
            }
            if (__atomic_compare_exchange_n(&slots[at], &index, (uint32_t) fresh + 1, false,
                                            __ATOMIC_RELEASE, __ATOMIC_ACQUIRE)) {
                return (int) fresh;
            }
        }
        if (0 == strcmp(files[index - 1].path, path)) {
            if (0 != fresh) { /* another thread was faster */
                files[fresh].path = NULL;
            }
            return (int) index - 1;
        }
    }
}

int ioprof_file_get(const char *path)
{
    if (NULL == files) {
        return IOPROF_NO_FILE;
    }
    return look_up(path, true);
}

const char *ioprof_whole_path(const char *path, char whole[IOPROF_PATH_BYTES])
{
    size_t length;

    if ('/' == path[0] || NULL == getcwd(whole, IOPROF_PATH_BYTES / 2)) {
        return path;
    }
    while ('.' == path[0] && '/' == path[1]) {
        path += 2;
    }
    length = strlen(whole);
    whole[length] = '/';
    strncpy(whole + length + 1, path, IOPROF_PATH_BYTES - length - 2);
    whole[IOPROF_PATH_BYTES - 1] = '\0';
    return whole;
}

int ioprof_file_find(const char *path)
{
    char whole[IOPROF_PATH_BYTES];

    if (NULL == files || NULL == path) {
        return IOPROF_NO_FILE;
    }
    return look_up(ioprof_whole_path(path, whole), false);
}

static bool has_prefix(const char *path, const char *prefix, size_t length)
{
    return 0 != length && 0 == strncmp(path, prefix, length)
           && ('/' == path[length] || '\0' == path[length] || '/' == prefix[length - 1]);
}

bool ioprof_path_excluded(const char *path)
{
    const char *at = ioprof_settings.exclude;

    while ('\0' != *at) {
        size_t length = strcspn(at, ":");

        if (has_prefix(path, at, length) && !has_prefix(path, "/dev/shm", 8)) {
            return true;
        }
        at += length + (':' == at[length]);
    }
    return false;
}

struct ioprof_file *ioprof_file_record(int file)
{
    if (file < 0 || NULL == files) {
        return NULL;
    }
    return &files[file];
}

void ioprof_file_access(int index, uint64_t offset, uint64_t bytes)
{
    struct ioprof_file *file = &files[index];
    uint64_t last = __atomic_exchange_n(&last_end[index], offset + bytes, __ATOMIC_RELAXED);

    if (OTHER == index || 0 == bytes) {
        return;
    }
    if (0 != last && offset >= last) {
        IOPROF_ADD(file->sequential, 1);
        IOPROF_ADD(file->consecutive, offset == last);
    }
    IOPROF_ADD(file->unaligned, 0 != file->block && 0 != offset % file->block);
    IOPROF_ADD(file->stripe_unaligned, 0 != file->stripe_bytes && 0 != offset % file->stripe_bytes);
    ioprof_to_least(&file->low, offset);
    ioprof_to_most(&file->high, offset + bytes);
}

static void finish(struct ioprof_file *file, uint64_t rank)
{
    uint64_t bytes = 0;

    file->ranks = 0;
    for (int class = 0; class < IOPROF_CLASSES; class ++) {
        file->readers[class] = 0 != file->cell[class][IOPROF_READ].bytes;
        file->writers[class] = 0 != file->cell[class][IOPROF_WRITE].bytes;
        for (int kind = 0; kind < IOPROF_KINDS; kind++) {
            file->ranks |= 0 != file->cell[class][kind].calls;
        }
    }
    file->open_ranks = 0
                       != file->cell[IOPROF_POSIX][IOPROF_OPEN].calls
                              + file->cell[IOPROF_INSIDE][IOPROF_OPEN].calls;
    for (int class = IOPROF_POSIX; class <= IOPROF_INSIDE; class ++) {
        bytes += file->cell[class][IOPROF_READ].bytes + file->cell[class][IOPROF_WRITE].bytes;
    }
    file->top_rank = rank;
    file->top_rank_bytes = bytes;
    file->low_rank_bytes = bytes;
}

/** Unused records (never called, or lost to a faster thread) are left out of the copy. */
struct ioprof_file *ioprof_files_finish(uint64_t rank, size_t *count)
{
    uint64_t n = __atomic_load_n(&used, __ATOMIC_RELAXED), kept = 0;
    struct ioprof_file *copy;

    *count = 0;
    if (n >= max_files) {
        n = max_files;
    }
    copy = NULL == files || 0 == n ? NULL : map(n * sizeof(*copy));
    for (uint64_t i = 0; NULL != copy && i < n; i++) {
        if (NULL == files[i].path) {
            continue;
        }
        finish(&files[i], rank);
        if (0 != files[i].ranks) {
            copy[kept++] = files[i];
        }
    }
    *count = (size_t) kept;
    return copy;
}
