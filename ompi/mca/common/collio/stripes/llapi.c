/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/**
 * Finding liblustreapi. Each function is looked up by name in the library, so that one that is
 * older than our headers gives what it has, and a missing function is a NULL.
 */

#define _GNU_SOURCE
#include "stripes/llapi.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static collio_llapi_t api;

static const struct {
    const char *name;
    size_t at;
} functions[] = {
#define FUNCTION(name, member)                 \
    {                                          \
        name, offsetof(collio_llapi_t, member) \
    }
    FUNCTION("llapi_ladvise", ladvise),
    FUNCTION("llapi_group_lock", group_lock),
    FUNCTION("llapi_group_unlock", group_unlock),
    FUNCTION("llapi_msg_set_level", msg_set_level),
    FUNCTION("llapi_layout_alloc", layout_alloc),
    FUNCTION("llapi_layout_get_by_fd", layout_get_by_fd),
    FUNCTION("llapi_layout_get_by_path", layout_get_by_path),
    FUNCTION("llapi_layout_free", layout_free),
    FUNCTION("llapi_layout_stripe_count_get", stripe_count_get),
    FUNCTION("llapi_layout_stripe_count_set", stripe_count_set),
    FUNCTION("llapi_layout_stripe_size_get", stripe_size_get),
    FUNCTION("llapi_layout_stripe_size_set", stripe_size_set),
    FUNCTION("llapi_layout_ost_index_set", ost_index_set),
    FUNCTION("llapi_layout_pool_name_get", pool_name_get),
    FUNCTION("llapi_layout_pool_name_set", pool_name_set),
    FUNCTION("llapi_layout_file_open", layout_file_open),
    FUNCTION("llapi_layout_comp_use", comp_use),
    FUNCTION("llapi_layout_comp_extent_get", comp_extent_get),
    FUNCTION("llapi_layout_pattern_get", pattern_get),
    FUNCTION("llapi_layout_comp_flags_get", comp_flags_get),
    FUNCTION("llapi_layout_is_composite", is_composite),
    FUNCTION("llapi_get_obd_count", get_obd_count),
#undef FUNCTION
};

/* The folder is that of configure's --with-lustre, or empty: the loader's search path. */
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

static void describe(void)
{
    Dl_info found = {.dli_fname = "?"};

    (void) dladdr((void *) (intptr_t) api.group_lock, &found);
    snprintf(api.origin, sizeof(api.origin), "%s%s%s", found.dli_fname,
             api.has_lockahead ? "" : ", without lockahead",
             api.has_layout ? "" : ", without layouts");
}

static void look_up(void)
{
    void *library = library_open();

    if (NULL == library) {
        snprintf(api.origin, sizeof(api.origin), "not found: %s", dlerror());
        return;
    }
    for (size_t f = 0; f < sizeof(functions) / sizeof(functions[0]); ++f) {
        void *address = dlsym(library, functions[f].name);

        memcpy((char *) &api + functions[f].at, &address, sizeof(address));
    }
    api.has_lockahead = NULL != api.ladvise && NULL != api.group_lock && NULL != api.group_unlock;
    api.has_layout = NULL != api.layout_alloc && NULL != api.layout_get_by_fd
                     && NULL != api.layout_free && NULL != api.stripe_count_get
                     && NULL != api.stripe_count_set && NULL != api.stripe_size_get
                     && NULL != api.stripe_size_set && NULL != api.ost_index_set
                     && NULL != api.pool_name_set && NULL != api.layout_file_open;
    api.has_composite = NULL != api.comp_use && NULL != api.comp_extent_get
                        && NULL != api.is_composite;
    if (NULL != api.msg_set_level) {
        api.msg_set_level(LLAPI_MSG_OFF); /* what matters of an error, we say ourselves */
    }
    describe();
}

const collio_llapi_t *collio_llapi(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, look_up);
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
