/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * See session.h. A directory is identified by device and inode, which no two directories of one
 * kernel share, and by the kernel's boot id. A rank without a directory or a boot id has a random
 * number, which differs from that of every other rank.
 */
#include "hook/session.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hook/handle.h"

#include "opal/util/proc.h"

#include "core/hash.h"

enum { ID, MINUS_ID, NETWORK, NUMBER };

static int64_t random_number(void)
{
    int64_t number;

    if (sizeof(number) != getrandom(&number, sizeof(number), 0)) {
        number = ((int64_t) getpid() << 32) ^ (int64_t) (uintptr_t) &number;
    }
    return number & INT64_MAX;
}

static int64_t identify(const char *directory)
{
    struct {
        char boot[64];  /* boot id of the kernel */
        uint64_t at[2]; /* device and inode */
    } found = {.boot = ""};
    struct stat about;
    ssize_t boot_bytes = -1;
    int fd;

    if (NULL == directory || 0 != stat(directory, &about)) {
        return random_number();
    }
    found.at[0] = (uint64_t) about.st_dev;
    found.at[1] = (uint64_t) about.st_ino;
    fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (-1 != fd) {
        boot_bytes = read(fd, found.boot, sizeof(found.boot));
        (void) close(fd);
    }
    if (0 >= boot_bytes) {
        return random_number();
    }
    return (int64_t) (collio_hash(COLLIO_HASH_BASIS, &found, sizeof(found)) & INT64_MAX);
}

/* The directory does not change, so it is looked at once per process. */
static int64_t directory_id(void)
{
    static _Atomic int64_t kept = -1;

    if (-1 == kept) {
        kept = identify(opal_process_info.job_session_dir);
    }
    return kept;
}

void collio_session_offer(const ompio_file_t *fh, bool network,
                          int64_t fields[COLLIO_SESSION_FIELDS])
{
    fields[ID] = directory_id();
    fields[MINUS_ID] = -fields[ID];
    fields[NETWORK] = network;
    fields[NUMBER] = 0 == ompi_comm_rank(fh->f_comm) ? random_number() : 0;
}

void collio_session_settle(const ompio_file_t *fh, const int64_t fields[COLLIO_SESSION_FIELDS])
{
    collio_handle_t *handle = collio_handle_find(fh);

    if (NULL != handle) {
        handle->session = (collio_session_t){.settled = true,
                                             .same = fields[ID] == -fields[MINUS_ID],
                                             .network = 0 != fields[NETWORK],
                                             .number = fields[NUMBER]};
    }
}

collio_session_t collio_session_of(const ompio_file_t *fh)
{
    const collio_handle_t *handle = collio_handle_find(fh);
    collio_session_t unknown = {.settled = false};

    if (NULL == handle) {
        return unknown;
    }
    return handle->session;
}
