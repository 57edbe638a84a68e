/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Lines for the user that several ranks may want to tell: each is told once.
 */
#include "settings/findings.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "opal/util/output.h"

#include "core/hash.h"

typedef struct finding_t {
    struct finding_t *next;
    uint64_t hash;
    bool told;
    char text[];
} finding_t;

static finding_t *findings; /* in the order in which they were found */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void collio_finding(const char *format, ...)
{
    finding_t **at = &findings, *new;
    char text[1024];
    va_list arguments;
    uint64_t hash;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    hash = collio_hash(COLLIO_HASH_BASIS, text, strlen(text));
    pthread_mutex_lock(&lock);
    while (NULL != *at && hash != (*at)->hash) {
        at = &(*at)->next;
    }
    if (NULL == *at) {
        new = calloc(1, sizeof(*new) + strlen(text) + 1);
        if (NULL == new) {
            opal_output(0, "collio: %s.", text);
        } else {
            new->hash = hash;
            memcpy(new->text, text, strlen(text) + 1);
            *at = new;
        }
    }
    pthread_mutex_unlock(&lock);
}

/* The first one that waits; with the lock. */
static finding_t *waiting(void)
{
    finding_t *finding = findings;

    while (NULL != finding && finding->told) {
        finding = finding->next;
    }
    return finding;
}

int64_t collio_findings_waiting(ompi_communicator_t *comm)
{
    bool any;

    pthread_mutex_lock(&lock);
    any = NULL != waiting();
    pthread_mutex_unlock(&lock);
    return any ? ompi_comm_size(comm) - ompi_comm_rank(comm) : 0; /* the lowest rank has most */
}

/* Is this the first process of the job on this node to tell it? The launcher's folder is the job's
 * own and is removed with it; without one, everybody is the first. */
static bool first_to_tell(uint64_t hash)
{
    const char *folder = getenv("PMIX_SERVER_TMPDIR"), *job = getenv("PMIX_NAMESPACE");
    char path[PATH_MAX];
    int fd;

    if (NULL == folder || NULL == job
        || snprintf(path, sizeof(path), "%s/collio-told-%s-%016llx", folder, job,
                    (unsigned long long) hash)
               >= (int) sizeof(path)) {
        return true;
    }
    fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) {
        return EEXIST != errno;
    }
    close(fd);
    return true;
}

/* Tells the first one that waits; returns its hash. */
static uint64_t tell_next(void)
{
    finding_t *finding;
    uint64_t hash = 0;

    pthread_mutex_lock(&lock);
    finding = waiting();
    if (NULL != finding) {
        if (first_to_tell(finding->hash)) {
            opal_output(0, "collio: %s.", finding->text);
        }
        finding->told = true;
        hash = finding->hash;
    }
    pthread_mutex_unlock(&lock);
    return hash;
}

static void forget(uint64_t hash)
{
    pthread_mutex_lock(&lock);
    for (finding_t *finding = findings; NULL != finding; finding = finding->next) {
        if (hash == finding->hash) {
            finding->told = true;
        }
    }
    pthread_mutex_unlock(&lock);
}

void collio_findings_tell(ompi_communicator_t *comm, int64_t highest)
{
    while (highest > 0) {
        int teller = (int) (ompi_comm_size(comm) - highest);
        uint64_t hash = ompi_comm_rank(comm) == teller ? tell_next() : 0;
        int64_t mine;

        if (OMPI_SUCCESS
            != comm->c_coll->coll_bcast(&hash, (int) sizeof(hash), MPI_BYTE, teller, comm,
                                        comm->c_coll->coll_bcast_module)) {
            return;
        }
        forget(hash);
        mine = collio_findings_waiting(comm);
        if (OMPI_SUCCESS != collio_allreduce(&mine, &highest, 1, MPI_INT64_T, MPI_MAX, comm)) {
            return;
        }
    }
}

void collio_findings_tell_mine(void)
{
    while (0 != tell_next()) {
    }
}

void collio_findings_fini(void)
{
    while (NULL != findings) {
        finding_t *next = findings->next;

        free(findings);
        findings = next;
    }
}
