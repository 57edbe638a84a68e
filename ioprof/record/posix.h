/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* What the wrappers of POSIX functions share. */
#ifndef IOPROF_RECORD_POSIX_H
#define IOPROF_RECORD_POSIX_H

#include "record/record.h"

#include <sys/types.h>

#define IOPROF_POSITION (-1) /* offset of a transfer at the file position */

struct ioprof_posix {
    struct ioprof_fd *fd;
    bool inside;
    uint64_t begin;
};

/** A call on a descriptor begins. False: not a file, or nothing to count. */
static inline bool ioprof_begin(struct ioprof_posix *p, int fd)
{
    p->fd = ioprof_fd_get(fd);
    if (NULL == p->fd || !ioprof_counts(p->fd, &p->inside)) {
        return false;
    }
    p->begin = ioprof_now();
    return true;
}

/** A call that has no descriptor yet, or a path, begins. */
static inline bool ioprof_begin_path(struct ioprof_posix *p)
{
    p->fd = NULL;
    if (!ioprof_counts(NULL, &p->inside)) {
        return false;
    }
    p->begin = ioprof_now();
    return true;
}

/** The end of a read or write that moved n bytes, or failed with n < 0. Keeps errno. */
void ioprof_end_data(const struct ioprof_posix *p, enum ioprof_id id, int fd, int64_t offset,
                     ssize_t n);
/** The end of another call on a descriptor. Keeps errno. */
void ioprof_end_other(const struct ioprof_posix *p, enum ioprof_id id, uint64_t bytes, bool failed);
/** The end of any call at the time `end`. */
void ioprof_end(const struct ioprof_posix *p, enum ioprof_id id, int file, uint64_t end,
                uint64_t offset, uint64_t bytes, bool failed);
/** The end of an open; `counted` is the result of ioprof_begin_path. Keeps errno. */
void ioprof_end_open(const struct ioprof_posix *p, bool counted, enum ioprof_id id,
                     const char *path, int fd, int flags);

/** Defines a function of libc. BEGIN: whether the call counts, in `p`. END uses `result`. */
#define IOPROF_POSIX(TYPE, name, PARAMS, ARGS, BEGIN, END) \
    IOPROF_EXPORT TYPE name PARAMS                         \
    {                                                      \
        struct ioprof_posix p;                             \
        TYPE result;                                       \
                                                           \
        if (!(BEGIN)) {                                    \
            return IOPROF_NEXT(name) ARGS;                 \
        }                                                  \
        result = IOPROF_NEXT(name) ARGS;                   \
        END;                                               \
        return result;                                     \
    }

#endif /* IOPROF_RECORD_POSIX_H */
