/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_REPEAT_H
#define COLLIO_REPEAT_H

#include <errno.h>

/** Stores the result of a system call, and repeats the call if a signal interrupts it: a program
 *  may have a timer whose handler has no SA_RESTART, and a slow server makes calls long. */
#define COLLIO_REPEAT(result, call) \
    do {                            \
        (result) = (call);          \
    } while (0 > (result) && EINTR == errno)

#endif /* COLLIO_REPEAT_H */
