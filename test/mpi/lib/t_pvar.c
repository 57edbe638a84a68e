/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* MPI_T, made short. */
#include "t_pvar.h"

#include <stdlib.h>
#include <string.h>

typedef struct pvar {
    char name[256], text[1024];
    int index, bind, continuous;
    MPI_Datatype type;
} pvar;

const char *t_component(void)
{
    const char *name = getenv("COLLIO_FCOLL");

    return NULL == name ? "overlap" : name;
}

static void start(void)
{
    static bool started;
    int provided;

    if (!started) {
        MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
        started = true;
    }
}

static bool describe(int index, pvar *p)
{
    int name = sizeof(p->name), text = sizeof(p->text), verbosity, class, readonly, atomic;
    MPI_T_enum enumtype;

    p->index = index;
    return MPI_SUCCESS
           == MPI_T_pvar_get_info(index, p->name, &name, &verbosity, &class, &p->type, &enumtype,
                                  p->text, &text, &p->bind, &readonly, &p->continuous, &atomic);
}

static void prefix(char *text, size_t bytes, const char *what)
{
    const char *framework = getenv("T_FRAMEWORK");

    snprintf(text, bytes, "%s_%s_%s", NULL == framework ? "fcoll" : framework, t_component(), what);
}

/** The n-th variable whose name is (exact) or begins with (not exact) this. */
static bool find(const char *name, bool exact, int nth, pvar *p)
{
    int n = 0;

    start();
    MPI_T_pvar_get_num(&n);
    for (int i = 0; i < n; i++) {
        if (describe(i, p)
            && (exact ? 0 == strcmp(p->name, name) : 0 == strncmp(p->name, name, strlen(name)))
            && 0 == nth--) {
            return true;
        }
    }
    return false;
}

bool t_pvar_exists(const char *what)
{
    char name[256];
    pvar p;

    prefix(name, sizeof(name), what);
    return find(name, true, 0, &p);
}

int t_pvar_count(void)
{
    char name[256];
    pvar p;
    int n = 0;

    prefix(name, sizeof(name), "");
    while (find(name, false, n, &p)) {
        n++;
    }
    return n;
}

void t_pvar_describe(int i, char *name, int name_bytes, char *text, int text_bytes)
{
    char begin[256];
    pvar p = {.index = -1};

    prefix(begin, sizeof(begin), "");
    if (!find(begin, false, i, &p)) {
        p.name[0] = p.text[0] = '\0';
    }
    snprintf(name, (size_t) name_bytes, "%s", p.name);
    snprintf(text, (size_t) text_bytes, "%s", p.text);
}

static double number(const pvar *p, const void *value)
{
    if (MPI_DOUBLE == p->type) {
        return *(const double *) value;
    }
    if (MPI_UNSIGNED_LONG_LONG == p->type) {
        return (double) *(const unsigned long long *) value;
    }
    if (MPI_UNSIGNED_LONG == p->type) {
        return (double) *(const unsigned long *) value;
    }
    if (MPI_UNSIGNED == p->type) {
        return (double) *(const unsigned *) value;
    }
    if (MPI_INT == p->type) {
        return (double) *(const int *) value;
    }
    return -1;
}

/** Handles live as long as the program: a counter counts from the making of its handle on. */
typedef struct watched {
    char name[256];
    pvar p;
    MPI_T_pvar_handle handle;
    int count;
} watched;

enum { MOST = 128 };
static MPI_T_pvar_session session;
static watched watch[MOST];
static int watches;

static watched *watch_for(const char *name, MPI_File file)
{
    watched *w = watch;

    while (w < watch + watches && 0 != strcmp(w->name, name)) {
        w++;
    }
    if (w < watch + watches) {
        return w;
    }
    if (MOST == watches || !find(name, true, 0, &w->p)
        || (0 == watches && MPI_SUCCESS != MPI_T_pvar_session_create(&session))
        || MPI_SUCCESS
               != MPI_T_pvar_handle_alloc(session, w->p.index,
                                          MPI_T_BIND_NO_OBJECT == w->p.bind ? NULL : &file,
                                          &w->handle, &w->count)) {
        return NULL;
    }
    if (!w->p.continuous) {
        MPI_T_pvar_start(session, w->handle);
    }
    snprintf(w->name, sizeof(w->name), "%s", name);
    watches++;
    return w;
}

double t_pvar_read(const char *what, MPI_File file)
{
    char name[256];
    unsigned long long value[64] = {0};
    watched *w;

    prefix(name, sizeof(name), what);
    w = watch_for(name, file);
    if (NULL == w || 1 > w->count || 64 < w->count
        || MPI_SUCCESS != MPI_T_pvar_read(session, w->handle, value)) {
        return -1;
    }
    return number(&w->p, value);
}

double t_pvar_sum(const char *what, MPI_File file)
{
    double mine = t_pvar_read(what, file), all;

    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
