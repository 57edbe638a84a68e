/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_LLAPI_H
#define COLLIO_LLAPI_H

/**
 * Lustre's user library, as a table of functions. The library is loaded at run time, so that one
 * binary package serves sites and nodes with and without Lustre, and no header of Lustre is needed:
 * this file declares the documented interface.
 */

#include "collio_config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct llapi_lu_ladvise {
    uint16_t lla_advice;
    uint16_t lla_lockahead_mode;
    uint32_t lla_peradvice_flags;
    uint64_t lla_start;
    uint64_t lla_end;
    uint32_t lla_lockahead_result;
    uint32_t lla_value4;
};
_Static_assert(32 == sizeof(struct llapi_lu_ladvise), "the kernel's idea of it");

enum { LU_LADVISE_LOCKNOEXPAND = 3, LU_LADVISE_LOCKAHEAD = 4 };
enum { LF_ASYNC = 0x1, LF_UNSET = 0x2 };
enum { MODE_READ_USER = 1, MODE_WRITE_USER = 2 };
enum { LLA_RESULT_SENT = 0, LLA_RESULT_DIFFERENT = 1, LLA_RESULT_SAME = 2 };
enum { LAH_COUNT_MAX = 1024 };
enum { LLAPI_MSG_OFF = 0 };
enum {
    LLAPI_LAYOUT_COMP_USE_FIRST = 1,
    LLAPI_LAYOUT_COMP_USE_LAST = 2,
    LLAPI_LAYOUT_COMP_USE_NEXT = 3
};

struct llapi_layout;
#define LLAPI_LAYOUT_INVALID UINT64_C(0x1000000000000001)
#define LLAPI_LAYOUT_WIDE    (LLAPI_LAYOUT_INVALID + 2)

enum { COLLIO_LLAPI_ADVICES_MAX = LAH_COUNT_MAX - 1 }; /* maximum number of advices in one call */

enum { LCME_FL_STALE = 0x1, LCME_FL_INIT = 0x10 };
enum { LLAPI_LAYOUT_MDT = 0x2 };
enum { LLAPI_LAYOUT_GET_EXPECTED = 0x1 };
enum { O_LOV_DELAY_CREATE = O_NOCTTY | O_ASYNC };

/** The functions that collio uses: X(result, llapi_<name>, arguments). Functions of layouts return
 *  NULL or -1 after a failure and set errno, which stays 0 in some cases. Other functions return a
 *  negative errno, except ladvise, which returns -1 and sets errno. */
typedef struct llapi_layout collio_layout_t;
#define COLLIO_LLAPI_FUNCTIONS(X)                                                                 \
    X(int, ladvise, (int fd, unsigned long long flags, int count, struct llapi_lu_ladvise *list)) \
    X(int, group_lock, (int fd, int gid))                                                         \
    X(int, group_unlock, (int fd, int gid))                                                       \
    X(void, msg_set_level, (int level))                                                           \
    X(int, get_obd_count, (char *directory, int *count, int is_mdt))                              \
    X(collio_layout_t *, layout_alloc, (void) )                                                   \
    X(collio_layout_t *, layout_get_by_fd, (int fd, uint32_t flags))                              \
    X(collio_layout_t *, layout_get_by_path, (const char *path, uint32_t flags))                  \
    X(void, layout_free, (collio_layout_t * layout))                                              \
    X(int, layout_stripe_count_get, (const collio_layout_t *layout, uint64_t *count))             \
    X(int, layout_stripe_count_set, (collio_layout_t * layout, uint64_t count))                   \
    X(int, layout_stripe_size_get, (const collio_layout_t *layout, uint64_t *size))               \
    X(int, layout_stripe_size_set, (collio_layout_t * layout, uint64_t size))                     \
    X(int, layout_ost_index_set, (collio_layout_t * layout, int stripe, uint64_t index))          \
    X(int, layout_pool_name_get, (const collio_layout_t *layout, char *name, size_t size))        \
    X(int, layout_pool_name_set, (collio_layout_t * layout, const char *name))                    \
    X(int, layout_file_open,                                                                      \
      (const char *path, int flags, mode_t mode, const collio_layout_t *layout))                  \
    X(int, layout_comp_use, (collio_layout_t * layout, uint32_t position))                        \
    X(int, layout_comp_extent_get,                                                                \
      (const collio_layout_t *layout, uint64_t *start, uint64_t *end))                            \
    X(int, layout_pattern_get, (const collio_layout_t *layout, uint64_t *pattern))                \
    X(int, layout_comp_flags_get, (const collio_layout_t *layout, uint32_t *flags))               \
    X(bool, layout_is_composite, (collio_layout_t * layout))

/** The library. A function that the library lacks is NULL. */
typedef struct collio_llapi_t {
#define X(result, name, arguments) result(*name) arguments;
    COLLIO_LLAPI_FUNCTIONS(X)
#undef X
    bool has_layout;    /* the library can make and read plain layouts */
    bool has_composite; /* the library can read composite layouts (Lustre 2.10) */
    bool has_lockahead; /* the library has ladvise and group locks */
    char origin[256]; /* text for users: path of the library and what it lacks, or why it failed */
} collio_llapi_t;

/** Returns the library, which the first call loads. Never NULL: without the library, every function
 *  in the table is NULL. */
const collio_llapi_t *collio_llapi(void);

/** Returns the error of a call that has just failed, as a negative errno. Set errno to 0 before the
 *  call; if the library leaves errno at 0, the result is -EINVAL. */
int collio_llapi_failure(void);

/** llapi_ladvise: 0 or a negative errno. */
int collio_llapi_ladvise(int fd, int count, struct llapi_lu_ladvise *advice);

#endif /* COLLIO_LLAPI_H */
