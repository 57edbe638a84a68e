/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/** check_facts: what was seen of group locks, of layouts, and of the library's messages. */

#include "check_facts.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- group locks ---- */

CHECK(group_errors, 1)
{
    EXPECT(-EINVAL == llapi_group_lock(fd, 0));
    EXPECT(0 == llapi_group_lock(fd, 7));
    EXPECT(-EINVAL == llapi_group_lock(fd, 7));
    EXPECT(-EINVAL == llapi_group_unlock(fd, 8));
    EXPECT(0 == llapi_group_unlock(fd, 7));
    EXPECT(-EINVAL == llapi_group_unlock(fd, 7));
}

CHECK(group_shared_and_refused, 2)
{
    int b = open_as(1, O_RDWR | O_NONBLOCK);
    int c = open_as(0, O_RDWR | O_NONBLOCK);

    EXPECT(0 == llapi_group_lock(fd, 7));
    EXPECT(-EAGAIN == llapi_group_lock(b, 8));
    EXPECT(-EAGAIN == llapi_group_lock(c, 8));
    EXPECT(0 == llapi_group_lock(b, 7));
    EXPECT(4096 == pwrite(fd, data, 4096, 0));
    EXPECT(4096 == pwrite(b, data, 4096, 4096));
    EXPECT(0 == llapi_group_unlock(b, 7));
    EXPECT(0 == llapi_group_unlock(fd, 7));
    close(b);
    close(c);
}

static atomic_int written;

static void *write_page(void *argument)
{
    int fd = *(int *) argument;

    EXPECT(4096 == pwrite(fd, data, 4096, 0));
    atomic_store(&written, 1);
    return NULL;
}

/* With `by_close` the lock is given back by closing the descriptor. */
static void group_blocks(int other, bool by_close)
{
    int own = open_as(0, O_RDWR);
    pthread_t thread;

    EXPECT(0 == llapi_group_lock(own, 7));
    atomic_store(&written, 0);
    pthread_create(&thread, NULL, write_page, &other);
    usleep(300000);
    EXPECT(0 == atomic_load(&written));
    if (!by_close) {
        EXPECT(0 == llapi_group_unlock(own, 7));
    } else {
        close(own);
    }
    pthread_join(thread, NULL);
    EXPECT(1 == atomic_load(&written));
    if (!by_close) {
        close(own);
    }
}

CHECK(group_blocks_writers, 2)
{
    group_blocks(other, false);
}

CHECK(close_gives_the_group_lock_back, 2)
{
    group_blocks(other, true);
}

CHECK(group_lock_clears_caches, 2)
{
    EXPECT(SENT == ahead(fd, 0, MIB - 1, MODE_WRITE_USER, 0));
    EXPECT(0 == llapi_group_lock(other, 7));
    EXPECT(0 == llapi_group_unlock(other, 7));
    EXPECT(SENT == async_write(other, 0, MIB - 1));
    EXPECT(SAME == settled(other, 0, MIB - 1)); /* so the first client had lost it */
}

/* ---- layouts ---- */

static uint64_t stripes_of(uint64_t *size)
{
    int fd = open(path, O_RDONLY);
    struct llapi_layout *layout = llapi_layout_get_by_fd(fd, 0);
    uint64_t count = 0;

    EXPECT(NULL != layout);
    if (NULL != layout) {
        EXPECT(0 == llapi_layout_stripe_count_get(layout, &count));
        EXPECT(0 == llapi_layout_stripe_size_get(layout, size));
        llapi_layout_free(layout);
    }
    close(fd);
    return count;
}

CHECK(existing_file_keeps_its_layout, 1)
{
    struct llapi_layout *layout = llapi_layout_alloc();
    uint64_t size;
    int again;

    EXPECT(0 == llapi_layout_stripe_count_set(layout, 1));
    again = llapi_layout_file_open(path, O_RDWR, 0644, layout);
    EXPECT(0 <= again && 2 == stripes_of(&size));
    llapi_layout_free(layout);
    close(again);
}

CHECK(index_alone_is_one_stripe, 0)
{
    struct llapi_layout *layout = llapi_layout_alloc();
    uint64_t count = 0;

    EXPECT(0 == llapi_layout_ost_index_set(layout, 0, 0));
    EXPECT(0 == llapi_layout_stripe_count_get(layout, &count) && 1 == count);
    llapi_layout_free(layout);
}

/* Refused, although errno may stay 0. */
CHECK(unknown_pool_is_refused, 0)
{
    struct llapi_layout *layout = llapi_layout_alloc();

    EXPECT(0 == llapi_layout_pool_name_set(layout, "collio_none"));
    EXPECT(-1 == llapi_layout_file_open(path, O_CREAT | O_RDWR, 0644, layout));
    llapi_layout_free(layout);
}

/* [0, 1 MiB) on the MDT, then one stripe. A descriptor, or -1 where no such file is allowed. */
static int open_on_mdt(void)
{
    struct llapi_layout *layout = llapi_layout_alloc();
    int fd = -1;

    if (0 == llapi_layout_comp_extent_set(layout, 0, MIB)
        && 0 == llapi_layout_pattern_set(layout, LLAPI_LAYOUT_MDT)
        && 0 == llapi_layout_stripe_size_set(layout, MIB) && 0 == llapi_layout_comp_add(layout)
        && 0 == llapi_layout_comp_extent_set(layout, MIB, LUSTRE_EOF)) {
        fd = llapi_layout_file_open(path, O_CREAT | O_RDWR, 0644, layout);
    }
    llapi_layout_free(layout);
    return fd;
}

/* Without expansion, data on the MDT cannot be written or read; those on OSTs can. */
CHECK(mdt_data_need_expansion, 0)
{
    fd = open_on_mdt();
    if (0 > fd) {
        printf("# no file with data on the MDT can be created here\n");
        return;
    }
    EXPECT(4096 == pwrite(fd, data, 4096, 0));
    EXPECT(0 == noexpand(fd, 0));
    EXPECT(-1 == pwrite(fd, data, 4096, 8192) && EOPNOTSUPP == errno);
    EXPECT(-1 == pread(fd, data, 4096, 0) && EOPNOTSUPP == errno);
    EXPECT(4096 == pwrite(fd, data, 4096, (off_t) MIB));
    EXPECT(0 == noexpand(fd, LF_UNSET));
    EXPECT(4096 == pwrite(fd, data, 4096, 8192));
    EXPECT(4096 == pread(fd, data, 4096, 0));
    close(fd);
}

/* While a file without a layout is open for writing, a further open of this client does not give it
 * one: that takes an open that reaches the server, or a write. */
CHECK(delayed_layouts_stay_away, 0)
{
    struct llapi_layout *layout;
    uint64_t size = 0;
    int own;

    own = open(path, O_CREAT | O_EXCL | O_RDWR | O_LOV_DELAY_CREATE, 0644);
    fd = open(path, O_RDWR);
    EXPECT(0 <= own && 0 <= fd);
    layout = llapi_layout_get_by_fd(fd, 0);
    EXPECT(NULL == layout
           || (0 == llapi_layout_stripe_size_get(layout, &size) && LLAPI_LAYOUT_INVALID <= size));
    llapi_layout_free(layout);
    close(own);
    close(fd);
    fd = open(path, O_RDWR);
    EXPECT(1 <= stripes_of(&size) && 0 == size % 65536);
    close(fd);
}

CHECK(library_can_be_silenced, 1)
{
    char text[256] = "";
    int pipes[2];
    int kept = dup(2);
    ssize_t length;

    EXPECT(0 == pipe(pipes));
    fcntl(pipes[0], F_SETFL, O_NONBLOCK);
    dup2(pipes[1], 2);
    llapi_msg_set_level(LLAPI_MSG_MAX);
    (void) llapi_ladvise(fd, 0, 0, NULL);
    length = read(pipes[0], text, sizeof(text) - 1);
    llapi_msg_set_level(LLAPI_MSG_OFF);
    (void) llapi_ladvise(fd, 0, 0, NULL);
    EXPECT(0 < length);
    EXPECT(-1 == read(pipes[0], text, sizeof(text)) && EAGAIN == errno);
    dup2(kept, 2);
    close(kept);
    close(pipes[0]);
    close(pipes[1]);
}
