/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Loads liblustreapi. Each function is found by its name, so that a library that is older than the
 * headers can be used; a function that the library lacks is NULL.
 */

#define _GNU_SOURCE
#include "stripes/llapi.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static collio_llapi_t api;

/* Opens the library in the directory of configure's --with-lustre, else in the search path. */
static void *library_open(void)
{
    static const char *const names[] = {COLLIO_LUSTREAPI_FOLDER "liblustreapi.so.1",
                                        "liblustreapi.so.1", "liblustreapi.so"};
    void *handle = NULL;

    for (size_t i = 0; NULL == handle && i < sizeof(names) / sizeof(names[0]); ++i) {
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

static void llapi_describe(void)
{
    Dl_info found = {.dli_fname = "?"};

    (void) dladdr((void *) (intptr_t) api.group_lock, &found);
    snprintf(api.origin, sizeof(api.origin), "%s%s%s", found.dli_fname,
             api.has_lockahead ? "" : ", without lockahead",
             api.has_layout ? "" : ", without layouts");
}

static void llapi_load(void)
{
    void *library = library_open(), *address;

    if (NULL == library) {
        snprintf(api.origin, sizeof(api.origin), "not found: %s", dlerror());
        return;
    }
#define X(result, name, arguments)            \
    address = dlsym(library, "llapi_" #name); \
    memcpy(&api.name, &address, sizeof(address));
    COLLIO_LLAPI_FUNCTIONS(X)
#undef X
    api.has_lockahead = NULL != api.ladvise && NULL != api.group_lock && NULL != api.group_unlock;
    api.has_layout = NULL != api.layout_alloc && NULL != api.layout_get_by_fd
                     && NULL != api.layout_free && NULL != api.layout_stripe_count_get
                     && NULL != api.layout_stripe_count_set && NULL != api.layout_stripe_size_get
                     && NULL != api.layout_stripe_size_set && NULL != api.layout_ost_index_set
                     && NULL != api.layout_pool_name_set && NULL != api.layout_file_open;
    api.has_composite = NULL != api.layout_comp_use && NULL != api.layout_comp_extent_get
                        && NULL != api.layout_is_composite;
    if (NULL != api.msg_set_level) {
        api.msg_set_level(LLAPI_MSG_OFF); /* collio reports errors itself */
    }
    llapi_describe();
}

const collio_llapi_t *collio_llapi(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, llapi_load);
    return &api;
}

int collio_llapi_failure(void)
{
    return 0 < errno ? -errno : -EINVAL;
}

int collio_llapi_ladvise(int fd, int count, struct llapi_lu_ladvise *advice)
{
    errno = 0;
    return 0 == collio_llapi()->ladvise(fd, 0, count, advice) ? 0 : collio_llapi_failure();
}
