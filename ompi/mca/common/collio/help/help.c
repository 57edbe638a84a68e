/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Prints each help text once. See help.h.
 */
#include "help/help.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "opal/util/output.h"

#include "core/debug_assert.h"
#include "core/hash.h"
#include "core/printable.h"

enum {
    TEXT_BYTES = 1024,
    PRINTED_MAX = 256,  /* texts that are remembered: a job may have a wrong hint in every file */
    WAITING_MAX = 64,   /* texts that wait; others are printed at once */
    ON_NODE_MAX = 4096, /* texts that processes of the node are reminded of */
    PLACES = 16         /* places of a text among these */
};

/* A text that waits. */
typedef struct entry_t {
    struct entry_t *next; /* next entry of the list */
    uint64_t hash;        /* hash of the text */
    char text[];          /* the text */
} entry_t;

static entry_t *waiting;              /* list of the texts that wait, the oldest first */
static uint64_t printed[PRINTED_MAX]; /* hashes of the last texts that were printed */
static size_t printed_count;          /* number of texts that were printed */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* True if the text is one of the last that were printed. The caller holds the lock. */
static bool was_printed(uint64_t hash)
{
    for (size_t i = 0; i < printed_count && i < PRINTED_MAX; ++i) {
        if (hash == printed[i]) {
            return true;
        }
    }
    return false;
}

/* Returns true if the text was not printed by this process, and remembers it. The caller holds the
 * lock. */
static bool remember(uint64_t hash)
{
    if (was_printed(hash)) {
        return false;
    }
    printed[printed_count++ % PRINTED_MAX] = hash;
    return true;
}

/* Returns the place of the list at which the text with this hash waits, or else the end of the
 * list. *count = number of texts before it. The caller holds the lock. */
static entry_t **help_find(uint64_t hash, int *count)
{
    entry_t **at = &waiting;

    for (*count = 0; NULL != *at && hash != (*at)->hash; ++*count) {
        at = &(*at)->next;
    }
    return at;
}

static void remove_entry(entry_t **at)
{
    entry_t *entry = *at;

    *at = entry->next;
    free(entry);
}

/* Maps the table of the texts that processes of the job have printed on this node: a file in the
 * launcher's directory, which is removed with the job. Allocates its space first, because a store
 * to memory returns no error if the disk is full. Returns NULL if there is none. */
static _Atomic uint64_t *table_of_node(void)
{
    const char *directory = getenv("PMIX_SERVER_TMPDIR"), *job = getenv("PMIX_NAMESPACE");
    char path[PATH_MAX];
    void *table = MAP_FAILED;
    int fd;

    if (NULL == directory || NULL == job
        || snprintf(path, sizeof(path), "%s/collio-help-%s", directory, job)
               >= (int) sizeof(path)) {
        return NULL;
    }
    fd = open(path, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        return NULL;
    }
    if (0 == posix_fallocate(fd, 0, ON_NODE_MAX * sizeof(uint64_t))) {
        table = mmap(NULL, ON_NODE_MAX * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                     0);
    }
    close(fd);
    return MAP_FAILED == table ? NULL : table;
}

/* True if this is the first process of the job on this node that prints the text. A text has a few
 * places in the table, by its hash; where others have taken all, it replaces one, which may then be
 * printed again. Without the table, every process is the first. */
static bool first_on_node(uint64_t hash)
{
    _Atomic uint64_t *table = table_of_node();
    bool first = true, placed = NULL == table;

    for (uint64_t i = 0; i < PLACES && !placed; ++i) {
        uint64_t there = 0;

        placed = atomic_compare_exchange_strong(&table[(hash + i) % ON_NODE_MAX], &there, hash);
        first = placed || hash != there;
        placed = placed || !first;
    }
    if (!placed) {
        atomic_store(&table[hash % ON_NODE_MAX], hash);
    }
    if (NULL != table) {
        (void) munmap(table, ON_NODE_MAX * sizeof(uint64_t));
    }
    return first;
}

/* True if this process prints the text for the first time. */
static bool first_here(uint64_t hash)
{
    bool first;

    pthread_mutex_lock(&lock);
    first = remember(hash);
    pthread_mutex_unlock(&lock);
    return first && first_on_node(hash);
}

/* Formats a text, whose values a user may have chosen: it is one line without control bytes. */
static void format_text(char text[TEXT_BYTES], const char *format, va_list arguments)
{
    char raw[TEXT_BYTES];

    vsnprintf(raw, sizeof(raw), format, arguments);
    collio_printable(text, TEXT_BYTES, raw);
}

void collio_help_rank(const char *who, const char *file, int rank, collio_help_scope_t scope,
                      const char *format, ...)
{
    char text[TEXT_BYTES], name[TEXT_BYTES], by_rank[32] = "";
    va_list arguments;
    uint64_t hash;

    va_start(arguments, format);
    format_text(text, format, arguments);
    va_end(arguments);
    collio_printable(name, sizeof(name), NULL == file ? "" : file);
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
    int count;
    uint64_t hash;
    entry_t **at, *entry;
    va_list arguments;

    COLLIO_ASSERT(COLLIO_HELP_PER_JOB == scope); /* these texts name no file */
    va_start(arguments, format);
    format_text(text, format, arguments);
    va_end(arguments);
    hash = collio_hash(COLLIO_HASH_BASIS, text, strlen(text));
    pthread_mutex_lock(&lock);
    at = help_find(hash, &count);
    if (NULL == *at && !was_printed(hash)) {
        entry = count < WAITING_MAX ? calloc(1, sizeof(*entry) + strlen(text) + 1) : NULL;
        if (NULL != entry) {
            entry->hash = hash;
            memcpy(entry->text, text, strlen(text) + 1);
            *at = entry;
        } else if (remember(hash) && first_on_node(hash)) {
            opal_output(0, "collio: %s", text);
        }
    }
    pthread_mutex_unlock(&lock);
}

int64_t collio_help_waiting(ompi_communicator_t *comm)
{
    bool any;

    pthread_mutex_lock(&lock);
    any = NULL != waiting;
    pthread_mutex_unlock(&lock);
    if (!any) {
        return 0;
    }
    return ompi_comm_size(comm) - ompi_comm_rank(comm); /* the lowest rank has the highest number */
}

/* Prints the first text that waits; returns its hash, or 0. */
static uint64_t print_next(void)
{
    uint64_t hash = 0;

    pthread_mutex_lock(&lock);
    if (NULL != waiting) {
        hash = waiting->hash;
        if (remember(hash) && first_on_node(hash)) {
            opal_output(0, "collio: %s", waiting->text);
        }
        remove_entry(&waiting);
    }
    pthread_mutex_unlock(&lock);
    return hash;
}

static void mark_printed(uint64_t hash)
{
    entry_t **at;
    int count;

    pthread_mutex_lock(&lock);
    at = help_find(hash, &count);
    if (NULL != *at) {
        (void) remember(hash);
        remove_entry(at);
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
    while (NULL != waiting) {
        remove_entry(&waiting);
    }
    printed_count = 0;
}
