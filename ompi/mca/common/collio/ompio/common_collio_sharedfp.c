/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * sharedfp/lockedfile prints "<file name>.locktest.<rank>" to a buffer of 256 bytes on its stack,
 * in a query that every MPI_File_open makes. A path of about 245 characters ends the program,
 * whether it uses shared file pointers or not (seen in 4.1.4 and 5.0.7).
 *
 * None of our entries is called before that query when only an fcoll of ours is in use: the file is
 * opened first, and the fcoll selected when the default view is set. But our components are asked
 * whether they can run, once per process, when the sharedfp components are loaded and not used yet.
 * There lockedfile's query is replaced by one that looks at the length first. The other sharedfp
 * components serve such files; where none can, shared file pointers give an error and all else
 * works, as Open MPI has it.
 */
#include "compat/common_collio_compat.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "ompi/mca/sharedfp/base/base.h"
#include "ompi/mca/sharedfp/sharedfp.h"
#include "ompio/common_collio_sharedfp.h"

enum { LOCKEDFILE_BYTES = 256 };

static mca_sharedfp_base_component_file_query_1_0_0_fn_t original_query;

static mca_sharedfp_base_module_t *checked_query(ompio_file_t *fh, int *priority)
{
    int length = snprintf(NULL, 0, "%s.locktest.%d", fh->f_filename, ompi_comm_rank(fh->f_comm));

    if (0 > length || LOCKEDFILE_BYTES <= length) {
        *priority = 0;
        return NULL;
    }
    return original_query(fh, priority);
}

/* lockedfile may outlive our components, so the code that it calls must stay. */
static bool stay_loaded(void)
{
    Dl_info info;

    return 0 != dladdr((void *) &original_query, &info)
           && NULL != dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/* Threads that open their first files at the same time come here at the same time: the second one
 * must not take our query for the original, which would then call itself for ever. */
void mca_common_collio_sharedfp_guard(void)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    mca_base_component_list_item_t *item;

    if (!mca_base_framework_is_open(&ompi_sharedfp_base_framework)) {
        return;
    }
    pthread_mutex_lock(&one_at_a_time);
    OPAL_LIST_FOREACH(item, &ompi_sharedfp_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        mca_sharedfp_base_component_t *component =
            (mca_sharedfp_base_component_t *) item->cli_component;

        if (0 == strcmp("lockedfile", item->cli_component->mca_component_name)
            && checked_query != component->sharedfpm_file_query && stay_loaded()) {
            original_query = component->sharedfpm_file_query;
            /* whoever sees our query also sees the original */
            __atomic_store_n(&component->sharedfpm_file_query, checked_query, __ATOMIC_RELEASE);
        }
    }
    pthread_mutex_unlock(&one_at_a_time);
}
