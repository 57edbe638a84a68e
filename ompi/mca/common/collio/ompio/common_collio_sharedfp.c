/*
 * Copyright (c) 2026 The collio authors. All rights reserved.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * sharedfp/lockedfile prints "<file name>.locktest.<rank>" to a buffer of 256 bytes on its stack,
 * in a query that every MPI_File_open makes. A path of about 245 characters ends the program,
 * whether it uses shared file pointers or not (seen in 4.1.4 and 5.0.7). And for each open every
 * rank makes, locks and removes a file of that name, to see whether locks work; sharedfp/sm makes
 * and removes one in the session folder.
 *
 * None of our entries is called before these queries when only an fcoll of ours is in use: the file
 * is opened first, and the fcoll selected when the default view is set. But our components are
 * asked whether they can run, once per process, when the sharedfp components are loaded and not
 * used yet. There the queries are replaced by ones that look first whether there is a reason to
 * ask. Where no component can serve a file, shared file pointers give an error and all else works,
 * as Open MPI has it.
 */
#include "compat/common_collio_verbose.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

#include "ompi/mca/sharedfp/sharedfp.h"
#include "ompio/common_collio_fcoll.h"
#include "ompio/common_collio_sharedfp.h"

typedef mca_sharedfp_base_component_file_query_1_0_0_fn_t query_t;

enum { LOCKEDFILE_BYTES = 256, FCOLL_STOCK_MOST = 100 };

static mca_sharedfp_base_module_t *ask_lockedfile(ompio_file_t *fh, int *priority);
static mca_sharedfp_base_module_t *ask_sm(ompio_file_t *fh, int *priority);

typedef struct stock_t {
    const char *name;
    query_t checked;
    query_t original; /* NULL until it is replaced */
    int priority;
} stock_t;

static stock_t lockedfile = {.name = "lockedfile", .checked = ask_lockedfile};
static stock_t sm = {.name = "sm", .checked = ask_sm};

static int (*our_priority)(void);

void mca_common_collio_sharedfp_offer(int (*priority)(void))
{
    our_priority = priority;
}

bool mca_common_collio_fcoll_is_chosen(void)
{
    bool others = false;
    int most = 0;
    mca_base_component_list_item_t *item;

    if (!mca_base_framework_is_open(&ompi_fcoll_base_framework)) {
        return false;
    }
    OPAL_LIST_FOREACH(item, &ompi_fcoll_base_framework.framework_components,
                      mca_base_component_list_item_t)
    {
        const mca_fcoll_base_component_t *component =
            (const mca_fcoll_base_component_t *) item->cli_component;
        int priority = 0;

        if (mca_common_collio_fcoll_init_query != component->fcollm_init_query) {
            others = true;
        } else if (NULL != component->fcollm_file_query(NULL, &priority) && priority > most) {
            most = priority;
        }
    }
    return most > (others ? FCOLL_STOCK_MOST : 0);
}

static mca_sharedfp_base_module_t *ask(const stock_t *stock, ompio_file_t *fh, int *priority)
{
    if (NULL != our_priority && our_priority() > stock->priority) {
        MCA_COMMON_COLLIO_SHOW_ROOT(sharedfp, SELECT, fh,
                                    "sharedfp/%s: %s: not asked: sharedfp/ondemand wins",
                                    stock->name, fh->f_filename);
        *priority = 0;
        return NULL;
    }
    return stock->original(fh, priority);
}

static mca_sharedfp_base_module_t *ask_lockedfile(ompio_file_t *fh, int *priority)
{
    int length = snprintf(NULL, 0, "%s.locktest.%d", fh->f_filename, ompi_comm_rank(fh->f_comm));

    if (0 > length || LOCKEDFILE_BYTES <= length) {
        MCA_COMMON_COLLIO_SHOW_ROOT(sharedfp, SELECT, fh,
                                    "sharedfp/lockedfile: %s: not asked: the name is too long",
                                    fh->f_filename);
        *priority = 0;
        return NULL;
    }
    return ask(&lockedfile, fh, priority);
}

static mca_sharedfp_base_module_t *ask_sm(ompio_file_t *fh, int *priority)
{
    return ask(&sm, fh, priority);
}

/* The components may outlive ours, so the code that they call must stay. */
static bool stay_loaded(void)
{
    Dl_info info;

    return 0 != dladdr((void *) &our_priority, &info)
           && NULL != dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

/* What the user may have set; INT_MAX, that is, always ask, if it cannot be found. */
static int priority_of(const char *component)
{
    int index = mca_base_var_find("ompi", "sharedfp", component, "priority");
    const int *value = NULL;

    return 0 <= index && OPAL_SUCCESS == mca_base_var_get_value(index, &value, NULL, NULL)
                   && NULL != value
               ? *value
               : INT_MAX;
}

static void replace_query(mca_sharedfp_base_component_t *component, stock_t *stock)
{
    if (stock->checked != component->sharedfpm_file_query && stay_loaded()) {
        stock->original = component->sharedfpm_file_query;
        stock->priority = priority_of(stock->name);
        /* whoever sees our query also sees the original */
        __atomic_store_n(&component->sharedfpm_file_query, stock->checked, __ATOMIC_RELEASE);
    }
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

        if (0 == strcmp(lockedfile.name, item->cli_component->mca_component_name)) {
            replace_query(component, &lockedfile);
        } else if (0 == strcmp(sm.name, item->cli_component->mca_component_name)) {
            replace_query(component, &sm);
        }
    }
    pthread_mutex_unlock(&one_at_a_time);
}
