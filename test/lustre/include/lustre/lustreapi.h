/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef LUSTRESIM_LUSTREAPI_H
#define LUSTRESIM_LUSTREAPI_H

/**
 * The part of <lustre/lustreapi.h> that the tests use, written from the documented interface (man
 * pages of llapi_ladvise, llapi_group_lock, llapi_layout and the values in the Lustre
 * documentation).
 */

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/ioctl.h>
#include <linux/types.h>

#ifndef LL_SUPER_MAGIC
#    define LL_SUPER_MAGIC 0x0BD00BD0
#endif

enum lu_ladvise_type {
    LU_LADVISE_WILLREAD = 1,
    LU_LADVISE_DONTNEED = 2,
    LU_LADVISE_LOCKNOEXPAND = 3,
    LU_LADVISE_LOCKAHEAD = 4
};

enum ladvise_flag { LF_ASYNC = 0x1, LF_UNSET = 0x2 };

enum lock_mode_user { MODE_READ_USER = 1, MODE_WRITE_USER };

enum lockahead_results { LLA_RESULT_SENT = 0, LLA_RESULT_DIFFERENT, LLA_RESULT_SAME };

#define LADVISE_MAGIC 0x1ADF1CE0
#define LAH_COUNT_MAX 1024

struct llapi_lu_ladvise {
    __u16 lla_advice;
    __u16 lla_value1;
    __u32 lla_value2;
    __u64 lla_start;
    __u64 lla_end;
    __u32 lla_value3;
    __u32 lla_value4;
};
#define lla_lockahead_mode   lla_value1
#define lla_peradvice_flags  lla_value2
#define lla_lockahead_result lla_value3

struct llapi_ladvise_hdr {
    __u32 lah_magic;
    __u32 lah_count;
    __u64 lah_flags;
    __u32 lah_value1;
    __u32 lah_value2;
    __u64 lah_value3;
    struct llapi_lu_ladvise lah_advise[];
};

#define LL_IOC_LADVISE      _IOR('f', 250, struct llapi_lu_ladvise)
#define LL_IOC_GROUP_LOCK   _IOW('f', 158, long)
#define LL_IOC_GROUP_UNLOCK _IOW('f', 159, long)

/* Returns 0, or -1 with errno. */
int llapi_ladvise(int fd, unsigned long long flags, int num_advise,
                  struct llapi_lu_ladvise *ladvise);
/* Return 0 or a negative errno. */
int llapi_group_lock(int fd, int gid);
int llapi_group_unlock(int fd, int gid);

enum llapi_message_level { LLAPI_MSG_OFF = 0, LLAPI_MSG_ERROR = 2, LLAPI_MSG_MAX = 7 };
void llapi_msg_set_level(int level);

#define O_LOV_DELAY_CREATE  (O_NOCTTY | FASYNC)
#define LOV_MAXPOOLNAME     15
#define LOV_MIN_STRIPE_SIZE 65536
#define LUSTRE_EOF          0xffffffffffffffffULL

struct llapi_layout;

#define LLAPI_LAYOUT_INVALID 0x1000000000000001ULL
#define LLAPI_LAYOUT_DEFAULT (LLAPI_LAYOUT_INVALID + 1)
#define LLAPI_LAYOUT_WIDE    (LLAPI_LAYOUT_INVALID + 2)

#define LLAPI_LAYOUT_RAID0 0ULL
#define LLAPI_LAYOUT_MDT   2ULL

enum llapi_layout_get_flags { LLAPI_LAYOUT_GET_EXPECTED = 0x1 };

enum lov_comp_md_entry_flags { LCME_FL_STALE = 0x1, LCME_FL_INIT = 0x10 };

enum llapi_layout_comp_use {
    LLAPI_LAYOUT_COMP_USE_FIRST = 1,
    LLAPI_LAYOUT_COMP_USE_LAST = 2,
    LLAPI_LAYOUT_COMP_USE_NEXT = 3
};

/* Pointers: NULL and errno on failure. Integers: 0, or -1 and errno. */
struct llapi_layout *llapi_layout_alloc(void);
struct llapi_layout *llapi_layout_get_by_fd(int fd, uint32_t flags);
/* With LLAPI_LAYOUT_GET_EXPECTED also of a file that does not exist: what it would get. */
struct llapi_layout *llapi_layout_get_by_path(const char *path, uint32_t flags);
void llapi_layout_free(struct llapi_layout *layout);
int llapi_layout_stripe_count_get(const struct llapi_layout *layout, uint64_t *count);
int llapi_layout_stripe_count_set(struct llapi_layout *layout, uint64_t count);
int llapi_layout_stripe_size_get(const struct llapi_layout *layout, uint64_t *size);
int llapi_layout_stripe_size_set(struct llapi_layout *layout, uint64_t size);
int llapi_layout_ost_index_set(struct llapi_layout *layout, int stripe_number, uint64_t index);
int llapi_layout_pool_name_get(const struct llapi_layout *layout, char *name, size_t size);
int llapi_layout_pool_name_set(struct llapi_layout *layout, const char *name);
int llapi_layout_comp_extent_get(const struct llapi_layout *layout, uint64_t *start, uint64_t *end);
int llapi_layout_comp_extent_set(struct llapi_layout *layout, uint64_t start, uint64_t end);
int llapi_layout_comp_add(struct llapi_layout *layout);
/* The first component of another mirror. */
int llapi_layout_add_first_comp(struct llapi_layout *layout);
int llapi_layout_comp_flags_get(const struct llapi_layout *layout, uint32_t *flags);
int llapi_layout_comp_flags_set(struct llapi_layout *layout, uint32_t flags);
int llapi_layout_pattern_get(const struct llapi_layout *layout, uint64_t *pattern);
int llapi_layout_pattern_set(struct llapi_layout *layout, uint64_t pattern);
/* 0, 1 when there is no next component, -1 and errno on failure. */
int llapi_layout_comp_use(struct llapi_layout *layout, uint32_t position);
bool llapi_layout_is_composite(struct llapi_layout *layout);
/* How many OSTs (MDTs) the file system of a directory has. 0 or a negative errno. */
int llapi_get_obd_count(char *mnt, int *count, int is_mdt);
/* A descriptor, or -1 and errno (which stays 0 if the pool does not exist). An existing file keeps
 * its layout. */
int llapi_layout_file_open(const char *path, int open_flags, mode_t mode,
                           const struct llapi_layout *layout);

#endif /* LUSTRESIM_LUSTREAPI_H */
