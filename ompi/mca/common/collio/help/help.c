/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Prints each help text once. See help.h.
 */
#include "help/help.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "opal/util/output.h"

#include "core/debug_assert.h"
#include "core/hash.h"

enum { TEXT_BYTES = 1024 };

/* A text that was printed, or that waits. */
typedef struct entry_t {
    struct entry_t *next; /* next entry of the list */
    uint64_t hash;        /* hash of the component, the text and, per file, the file's name */
    bool printed;         /* false: the text waits */
    char text[];          /* the text, if it waits */
} entry_t;

static entry_t *entries; /* list of all texts, the oldest first */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Adds an entry for this hash at the end of the list. Returns NULL if the list has one already
 * (*known), or if there is no memory. The caller holds the lock. */
static entry_t *add(uint64_t hash, const char *text, bool *known)
{
    entry_t **at = &entries, *entry;

    while (NULL != *at && hash != (*at)->hash) {
        at = &(*at)->next;
    }
    *known = NULL != *at;
    if (*known) {
        return NULL;
    }
    entry = calloc(1, sizeof(*entry) + strlen(text) + 1);
    if (NULL != entry) {
        entry->hash = hash;
        memcpy(entry->text, text, strlen(text) + 1);
        *at = entry;
    }
    return entry;
}

/* Is this the first process of the job on this node that prints the text? A file in the launcher's
 * directory marks a printed text; the directory is removed with the job. Without the directory,
 * every process is the first. */
static bool first_on_node(uint64_t hash)
{
    const char *directory = getenv("PMIX_SERVER_TMPDIR"), *job = getenv("PMIX_NAMESPACE");
    char path[PATH_MAX];
    int fd;

    if (NULL == directory || NULL == job
        || snprintf(path, sizeof(path), "%s/collio-help-%s-%016llx", directory, job,
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

/* Does this process print the text for the first time? Without memory for an entry, a text may be
 * printed twice, but it is never lost. */
static bool first_here(uint64_t hash)
{
    bool known;
    entry_t *entry;

    pthread_mutex_lock(&lock);
    entry = add(hash, "", &known);
    if (NULL != entry) {
        entry->printed = true;
    }
    pthread_mutex_unlock(&lock);
    return !known && first_on_node(hash);
}

void collio_help_rank(const char *who, const char *file, int rank, collio_help_scope_t scope,
                      const char *format, ...)
{
    char text[TEXT_BYTES], by_rank[32] = "";
    const char *name = NULL == file ? "" : file;
    va_list arguments;
    uint64_t hash;

    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    hash = collio_hash(collio_hash(COLLIO_HASH_BASIS, who, strlen(who)), text, strlen(text));
    if (COLLIO_HELP_PER_FILE == scope) {
        hash = collio_hash(hash, name, strlen(name));
    }
    if (!first_here(hash)) {
        return;
    }
    if (rank >= 0) {
        snprintf(by_rank, sizeof(by_rank), "rank %d: ", rank);
    }
    opal_output(0, "%s: %s%s%s%s", who, name, NULL == file ? "" : ": ", by_rank, text);
}

void collio_help_later(collio_help_scope_t scope, const char *format, ...)
{
    char text[TEXT_BYTES];
    bool known;
    va_list arguments;

    COLLIO_ASSERT(COLLIO_HELP_PER_JOB == scope); /* these texts name no file */
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    pthread_mutex_lock(&lock);
    if (NULL == add(collio_hash(COLLIO_HASH_BASIS, text, strlen(text)), text, &known) && !known) {
        opal_output(0, "collio: %s", text);
    }
    pthread_mutex_unlock(&lock);
}

/* Returns the first text that waits, or NULL. The caller holds the lock. */
static entry_t *waiting(void)
{
    entry_t *entry = entries;

    while (NULL != entry && entry->printed) {
        entry = entry->next;
    }
    return entry;
}

int64_t collio_help_waiting(ompi_communicator_t *comm)
{
    bool any;

    pthread_mutex_lock(&lock);
    any = NULL != waiting();
    pthread_mutex_unlock(&lock);
    if (!any) {
        return 0;
    }
    return ompi_comm_size(comm) - ompi_comm_rank(comm); /* the lowest rank has the highest number */
}

/* Prints the first text that waits; returns its hash, or 0. */
static uint64_t print_next(void)
{
    entry_t *entry;
    uint64_t hash = 0;

    pthread_mutex_lock(&lock);
    entry = waiting();
    if (NULL != entry) {
        if (first_on_node(entry->hash)) {
            opal_output(0, "collio: %s", entry->text);
        }
        entry->printed = true;
        hash = entry->hash;
    }
    pthread_mutex_unlock(&lock);
    return hash;
}

static void mark_printed(uint64_t hash)
{
    pthread_mutex_lock(&lock);
    for (entry_t *entry = entries; NULL != entry; entry = entry->next) {
        if (hash == entry->hash) {
            entry->printed = true;
        }
    }
    pthread_mutex_unlock(&lock);
}

void collio_help_agreed(ompi_communicator_t *comm, int64_t highest)
{
    while (highest > 0) {
        int printer = (int) (ompi_comm_size(comm) - highest);
        uint64_t hash = ompi_comm_rank(comm) == printer ? print_next() : 0;
        int64_t mine;

        if (OMPI_SUCCESS
            != comm->c_coll->coll_bcast(&hash, (int) sizeof(hash), MPI_BYTE, printer, comm,
                                        comm->c_coll->coll_bcast_module)) {
            return;
        }
        mark_printed(hash);
        mine = collio_help_waiting(comm);
        if (OMPI_SUCCESS != collio_allreduce(&mine, &highest, 1, MPI_INT64_T, MPI_MAX, comm)) {
            return;
        }
    }
}

void collio_help_flush(void)
{
    while (0 != print_next()) {
    }
}

void collio_help_fini(void)
{
    while (NULL != entries) {
        entry_t *next = entries->next;

        free(entries);
        entries = next;
    }
}
