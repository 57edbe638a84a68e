/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_VERBOSE_H
#define COLLIO_VERBOSE_H

/**
 * Verbose output of a component on the stream of its framework: --mca fcoll_base_verbose 20. Below
 * the level of a line, the component reads one integer and computes nothing.
 */

#include "compat/compat.h"

#include "ompi/mca/fbtl/base/base.h"
#include "ompi/mca/fcoll/base/base.h"
#include "ompi/mca/fs/base/base.h"
#include "ompi/mca/sharedfp/base/base.h"
#include "opal/util/output.h"

enum {
    COLLIO_VERBOSE_SELECT = 1, /* whether the component serves a file, or the reason why not */
    COLLIO_VERBOSE_FILE = 10,  /* settings and properties of a file, new choices of calls */
    COLLIO_VERBOSE_CALL = 20,  /* each collective call, on rank 0 */
    COLLIO_VERBOSE_PHASE = 40  /* each phase of a call, on every rank */
};

/** Prints one line on a stream of Open MPI. Control bytes, which the name of a file or the value of
 *  a hint may have, are escaped. */
void collio_verbose_print(int stream, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** True if `framework` (fcoll, fbtl, fs, sharedfp) prints this level (SELECT, FILE, CALL, PHASE).
 */
#define COLLIO_VERBOSE(framework, level) \
    OPAL_UNLIKELY(COLLIO_VERBOSE_##level <= ompi_##framework##_base_framework.framework_verbose)

/** Prints one line if the framework prints this level: a format and its arguments, which are
 *  evaluated only then. */
#define COLLIO_SHOW(framework, level, ...)                                                         \
    do {                                                                                           \
        if (COLLIO_VERBOSE(framework, level)) {                                                    \
            collio_verbose_print(ompi_##framework##_base_framework.framework_output, __VA_ARGS__); \
        }                                                                                          \
    } while (0)

/** COLLIO_SHOW on rank 0 of a file's communicator, or in the only process that has the file. */
#define COLLIO_SHOW_ROOT(framework, level, fh, ...)                        \
    do {                                                                   \
        if (OMPIO_ROOT == (fh)->f_rank || MPI_COMM_NULL == (fh)->f_comm) { \
            COLLIO_SHOW(framework, level, __VA_ARGS__);                    \
        }                                                                  \
    } while (0)

#endif /* COLLIO_VERBOSE_H */
