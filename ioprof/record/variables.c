/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T performance variables of the components that do I/O. */
#include "record/mpi.h"

#include "profile/arena.h"

#include <stdlib.h>
#include <string.h>

/* Variables by the start of their name: components of Open MPI's I/O frameworks. */
static const char *const prefixes[] = {"fcoll_", "fbtl_", "fs_", "sharedfp_", "io_ompio_"};

struct variable {
    char name[256], text[1024];
    int index, binding, continuous;
    MPI_Datatype type;
};

static bool describe(int index, struct variable *v)
{
    int name = sizeof(v->name), text = sizeof(v->text), verbosity, class, readonly, atomic;
    MPI_T_enum values;

    v->index = index;
    if (MPI_SUCCESS
        != MPI_T_pvar_get_info(index, v->name, &name, &verbosity, &class, &v->type, &values,
                               v->text, &text, &v->binding, &readonly, &v->continuous, &atomic)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (0 == strncmp(v->name, prefixes[i], strlen(prefixes[i]))) {
            return MPI_T_BIND_NO_OBJECT == v->binding;
        }
    }
    return false;
}

/* A counter counts from the moment its handle is made: handles are made when a component brings
 * variables, which happens in the first MPI_File_open, and live until MPI_Finalize. */
#define MAX_WATCHED 512
static struct {
    struct variable v;
    MPI_T_pvar_handle handle;
} * watched;
static int nwatched, seen;
static MPI_T_pvar_session session;
static bool started, busy;

static void watch(int index)
{
    struct variable v;
    int count = 0;

    if (nwatched < MAX_WATCHED && describe(index, &v)
        && MPI_SUCCESS
               == MPI_T_pvar_handle_alloc(session, index, NULL, &watched[nwatched].handle,
                                          &count)) {
        if (1 != count) {
            MPI_T_pvar_handle_free(session, &watched[nwatched].handle);
            return;
        }
        if (!v.continuous) {
            MPI_T_pvar_start(session, watched[nwatched].handle);
        }
        watched[nwatched++].v = v;
    }
}

static bool start(void)
{
    int provided;

    if (started) {
        return NULL != watched;
    }
    started = true;
    if (MPI_SUCCESS != MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided)) {
        return false;
    }
    if (MPI_SUCCESS == MPI_T_pvar_session_create(&session)) {
        watched = calloc(MAX_WATCHED, sizeof(*watched));
    }
    return NULL != watched;
}

void ioprof_pvars_watch(void)
{
    int n = 0;

    if (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE)) {
        return; /* another thread is doing it */
    }
    if (start() && MPI_SUCCESS == MPI_T_pvar_get_num(&n)) {
        for (; seen < n; seen++) {
            watch(seen);
        }
    }
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
}

static bool read_value(const struct variable *v, MPI_T_pvar_handle handle, uint64_t *value)
{
    union {
        unsigned u;
        unsigned long l;
        unsigned long long ll;
        unsigned char room[64];
    } raw = {.room = {0}};

    if (MPI_SUCCESS != MPI_T_pvar_read(session, handle, &raw)) {
        return false;
    }
    if (MPI_UNSIGNED_LONG_LONG == v->type) {
        *value = raw.ll;
    } else if (MPI_UNSIGNED_LONG == v->type) {
        *value = raw.l;
    } else if (MPI_UNSIGNED == v->type || MPI_INT == v->type) {
        *value = raw.u;
    } else {
        return false;
    }
    return true;
}

static char *copy(struct ioprof_profile *profile, const char *text)
{
    char *result = ioprof_arena_new(&profile->memory, strlen(text) + 1);

    if (NULL == result) {
        return (char *) "";
    }
    return strcpy(result, text);
}

/** Adds the variables of this rank that are not 0. */
void ioprof_pvars_add(struct ioprof_profile *profile)
{
    if (NULL == watched) {
        return;
    }
    profile->pvars = ioprof_arena_new(&profile->memory,
                                      (size_t) (nwatched + 1) * sizeof(*profile->pvars));
    for (int i = 0; i < nwatched && NULL != profile->pvars; i++) {
        uint64_t value = 0;

        if (read_value(&watched[i].v, watched[i].handle, &value) && 0 != value) {
            profile->pvars[profile->npvars++] = (struct ioprof_pvar){
                copy(profile, watched[i].v.name),
                copy(profile, watched[i].v.text),
                value,
                value,
                value,
                1};
        }
        MPI_T_pvar_handle_free(session, &watched[i].handle);
    }
    MPI_T_pvar_session_free(&session);
    MPI_T_finalize();
    ioprof_sort(profile);
}
