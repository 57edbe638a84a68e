/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI_T performance variables of our components, known by the prefix of their names. A variable
 * is read at the start and the end of a phase; the report has the sum over the ranks and the
 * largest rank of the difference.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PVARS = 160, NAME_LENGTH = 96, MAX_VALUES = 4096 };

typedef struct pvar_t {
    char name[NAME_LENGTH];
    MPI_T_pvar_handle handle;
    MPI_Datatype type;
    int count;
    int var_class;
    double begin;
    double sum;
    double most;
} pvar_t;

struct bench_pvars_t {
    MPI_T_pvar_session session;
    int count;
    pvar_t list[MAX_PVARS];
};

static bool wanted(const char *name)
{
    static const char *const prefixes[] = {"fcoll_overlap_", "fcoll_tam_", "fbtl_mtpwrite_",
                                           "fs_lustre_lla_"};

    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (0 == strncmp(name, prefixes[i], strlen(prefixes[i]))) {
            return true;
        }
    }
    return false;
}

/** All elements of a variable together. */
static double value_of(bench_pvars_t *pv, const pvar_t *var)
{
    union {
        int i[MAX_VALUES];
        unsigned u[MAX_VALUES];
        unsigned long ul[MAX_VALUES];
        unsigned long long ull[MAX_VALUES];
        double d[MAX_VALUES];
    } *raw = bench_alloc(sizeof(*raw));
    double sum = 0;

    memset(raw, 0, sizeof(*raw));
    if (MPI_SUCCESS == MPI_T_pvar_read(pv->session, var->handle, raw)) {
        for (int i = 0; i < var->count; i++) {
            sum += MPI_DOUBLE == var->type               ? raw->d[i]
                   : MPI_INT == var->type                ? raw->i[i]
                   : MPI_UNSIGNED == var->type           ? raw->u[i]
                   : MPI_UNSIGNED_LONG == var->type      ? (double) raw->ul[i]
                   : MPI_UNSIGNED_LONG_LONG == var->type ? (double) raw->ull[i]
                                                         : 0;
        }
    }
    free(raw);
    return sum;
}

/** Adds variable index to the list if it is wanted and can be bound to the file, the
 *  communicator or nothing. */
static void add(bench_pvars_t *pv, int index, MPI_File *file, MPI_Comm *comm)
{
    pvar_t *var = &pv->list[pv->count];
    int name_length = NAME_LENGTH;
    int verbosity;
    int bind;
    int readonly;
    int continuous;
    int atomic;
    int rc;
    MPI_T_enum unused;
    void *object = NULL;

    rc = MPI_T_pvar_get_info(index, var->name, &name_length, &verbosity, &var->var_class,
                             &var->type, &unused, NULL, NULL, &bind, &readonly, &continuous,
                             &atomic);
    if (MPI_SUCCESS != rc || !wanted(var->name)) {
        return;
    }
    if (MPI_T_BIND_MPI_FILE == bind) {
        object = file;
    } else if (MPI_T_BIND_MPI_COMM == bind) {
        object = comm;
    } else if (MPI_T_BIND_NO_OBJECT != bind) {
        return;
    }
    if (MPI_SUCCESS
        != MPI_T_pvar_handle_alloc(pv->session, index, object, &var->handle, &var->count)) {
        return;
    }
    if (var->count > MAX_VALUES) {
        MPI_T_pvar_handle_free(pv->session, &var->handle);
        return;
    }
    if (!continuous) {
        MPI_T_pvar_start(pv->session, var->handle);
    }
    pv->count++;
}

bench_pvars_t *bench_pvars_open(MPI_File file, MPI_Comm comm)
{
    bench_pvars_t *pv = bench_alloc(sizeof(*pv));
    int total = 0;

    memset(pv, 0, sizeof(*pv));
    if (MPI_SUCCESS != MPI_T_pvar_session_create(&pv->session)) {
        free(pv);
        return NULL;
    }
    MPI_T_pvar_get_num(&total);
    for (int i = 0; i < total && pv->count < MAX_PVARS; i++) {
        add(pv, i, &file, &comm);
    }
    for (int i = 0; i < pv->count; i++) {
        pv->list[i].begin = value_of(pv, &pv->list[i]);
    }
    return pv;
}

void bench_pvars_read(bench_pvars_t *pv, MPI_Comm comm)
{
    double change[2][MAX_PVARS] = {{0}};
    int count = NULL != pv ? pv->count : 0;
    int most = count;

    for (int i = 0; i < count; i++) {
        pvar_t *var = &pv->list[i];
        bool level = MPI_T_PVAR_CLASS_STATE == var->var_class
                     || MPI_T_PVAR_CLASS_LEVEL == var->var_class
                     || MPI_T_PVAR_CLASS_SIZE == var->var_class
                     || MPI_T_PVAR_CLASS_HIGHWATERMARK == var->var_class;

        change[0][i] = value_of(pv, var) - (level ? 0 : var->begin);
        change[1][i] = change[0][i];
    }
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_INT, MPI_MAX, comm);
    MPI_Allreduce(MPI_IN_PLACE, change[0], most, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, change[1], most, MPI_DOUBLE, MPI_MAX, comm);
    for (int i = 0; i < count; i++) {
        pv->list[i].sum = change[0][i];
        pv->list[i].most = change[1][i];
    }
}

void bench_pvars_print(const bench_pvars_t *pv)
{
    printf("\"pvars\":{");
    for (int i = 0; NULL != pv && i < pv->count; i++) {
        printf("%s\"%s\":{\"sum\":%.9g,\"max\":%.9g}", i > 0 ? "," : "", pv->list[i].name,
               pv->list[i].sum, pv->list[i].most);
    }
    printf("},");
}

void bench_pvars_close(bench_pvars_t *pv)
{
    if (NULL == pv) {
        return;
    }
    for (int i = 0; i < pv->count; i++) {
        MPI_T_pvar_handle_free(pv->session, &pv->list[i].handle);
    }
    MPI_T_pvar_session_free(&pv->session);
    free(pv);
}
