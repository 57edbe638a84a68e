/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_LLAPI_H
#define COLLIO_LLAPI_H

/**
 * Lustre's user library, as a table of functions. It is loaded at run time, so that one binary
 * package serves sites and nodes with and without Lustre. Where configure found no header, the
 * documented interface is declared here.
 */

#include "collio_config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#if COLLIO_HAVE_LUSTREAPI
/* Inline functions of Lustre's header compare unsigned values with 0. */
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wtype-limits"
#    include <lustre/lustreapi.h>
#    pragma GCC diagnostic pop
#else

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
#    define LLAPI_LAYOUT_INVALID UINT64_C(0x1000000000000001)
#    define LLAPI_LAYOUT_WIDE    (LLAPI_LAYOUT_INVALID + 2)
#endif

enum { COLLIO_LLAPI_ADVICES_MAX = LAH_COUNT_MAX - 1 }; /* of one call */

/* Values of the documented interface whose names are not in every release's header. */
enum {
    COLLIO_LLAPI_COMP_STALE = 0x1,                 /* LCME_FL_STALE */
    COLLIO_LLAPI_COMP_INIT = 0x10,                 /* LCME_FL_INIT */
    COLLIO_LLAPI_PATTERN_MDT = 0x2,                /* LLAPI_LAYOUT_MDT */
    COLLIO_LLAPI_GET_EXPECTED = 0x1,               /* LLAPI_LAYOUT_GET_EXPECTED */
    COLLIO_LLAPI_DELAY_CREATE = O_NOCTTY | O_ASYNC /* O_LOV_DELAY_CREATE */
};

/** NULL where the library has no such function. */
typedef struct collio_llapi_t {
    /* 0, or -1 and errno */
    int (*ladvise)(int fd, unsigned long long flags, int count, struct llapi_lu_ladvise *advice);
    /* 0, or a negative errno */
    int (*group_lock)(int fd, int gid);
    int (*group_unlock)(int fd, int gid);
    void (*msg_set_level)(int level);
    /* NULL, or -1, and errno, which stays 0 in some failures */
    struct llapi_layout *(*layout_alloc)(void);
    struct llapi_layout *(*layout_get_by_fd)(int fd, uint32_t flags);
    struct llapi_layout *(*layout_get_by_path)(const char *path, uint32_t flags);
    void (*layout_free)(struct llapi_layout *layout);
    int (*stripe_count_get)(const struct llapi_layout *layout, uint64_t *count);
    int (*stripe_count_set)(struct llapi_layout *layout, uint64_t count);
    int (*stripe_size_get)(const struct llapi_layout *layout, uint64_t *size);
    int (*stripe_size_set)(struct llapi_layout *layout, uint64_t size);
    int (*ost_index_set)(struct llapi_layout *layout, int stripe, uint64_t index);
    int (*pool_name_get)(const struct llapi_layout *layout, char *name, size_t size);
    int (*pool_name_set)(struct llapi_layout *layout, const char *name);
    int (*layout_file_open)(const char *path, int flags, mode_t mode,
                            const struct llapi_layout *layout);
    /* composite layouts, since 2.10 */
    int (*comp_use)(struct llapi_layout *layout, uint32_t position);
    int (*comp_extent_get)(const struct llapi_layout *layout, uint64_t *start, uint64_t *end);
    int (*pattern_get)(const struct llapi_layout *layout, uint64_t *pattern);
    int (*comp_flags_get)(const struct llapi_layout *layout, uint32_t *flags);
    bool (*is_composite)(struct llapi_layout *layout);

    /* the number of OSTs; 0, or a negative errno */
    int (*get_obd_count)(char *directory, int *count, int is_mdt);

    bool has_layout; /* everything to make and read plain layouts */
    bool has_composite;
    bool has_lockahead; /* ladvise and group locks */
    char origin[256];   /* for people: its path and what it lacks, or why there is none */
} collio_llapi_t;

/** The library; looked up at the first call. Never NULL: without it, every function is. */
const collio_llapi_t *collio_llapi(void);

/** The error of a call that has just failed, as a negative errno. It failed whatever errno says:
 *  set errno to 0 before the call, and a library that leaves it there gives -EINVAL. */
int collio_llapi_failure(void);

/** llapi_ladvise: 0 or a negative errno. */
int collio_llapi_ladvise(int fd, int count, struct llapi_lu_ladvise *advice);

#endif /* COLLIO_LLAPI_H */
