/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * A file that several nodes use, together with what it must contain. Every rank keeps the whole
 * expected content, as a version number for each byte: version 0 is a hole, and the byte at an
 * offset is a function of offset and version. So a byte that was lost, a stale byte and a byte of
 * another place all differ from what is expected.
 */
#ifndef T_CLIENTS_H
#define T_CLIENTS_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { MAX_BYTES = 5 << 20, MESSAGE_BYTES = 200, CREATE = MPI_MODE_CREATE | MPI_MODE_RDWR };

typedef struct shared_file {
    MPI_File fh;
    bool is_open;
    int rank, size; /* of this process in MPI_COMM_WORLD */
    char path[4096];
    unsigned char *version;      /* expected version of each byte, MAX_BYTES of them */
    long long end;               /* expected size of the file */
    long long wrong;             /* bytes or records that this rank found wrong */
    bool refused;                /* an MPI call returned an error where a refusal is right */
    char message[MESSAGE_BYTES]; /* first thing that this rank found wrong */
} shared_file;

/* WHOLE: the file is open when the case begins, and closed and compared behind the case.
 * BARE: the case does that itself. LONG: as WHOLE, runs only when it is named. */
typedef enum case_kind { WHOLE, BARE, LONG } case_kind;

typedef struct test_case {
    const char *name;
    void (*run)(shared_file *file);
    case_kind kind;
    struct test_case *next;
} test_case;

/* Defines a case: CASE(name, WHOLE) { ... }; `file` is its file. */
#define CASE(function, how)                                       \
    static void function(shared_file *file);                      \
    __attribute__((constructor)) static void add_##function(void) \
    {                                                             \
        static test_case test = {#function, function, how, NULL}; \
                                                                  \
        add_case(&test);                                          \
    }                                                             \
    static void function(shared_file *file)

void add_case(test_case *test);

/* Collective: opens the file, which is made by its first opening. */
void open_file(shared_file *file, int mode);
void close_file(shared_file *file);

/* Collective: no other rank uses the file in between what comes before and after. */
void sync_barrier_sync(shared_file *file);

/* Writes the content that belongs to an offset and version into memory. */
void fill(unsigned char *buffer, long long offset, size_t bytes, int version);
/* The file must have this version from now on; every rank calls it for all ranks' writes. */
void expect(shared_file *file, long long offset, size_t bytes, int version);
/* Counts the bytes that differ from what is expected at this offset. */
void check_bytes(shared_file *file, const char *what, const unsigned char *buffer, long long offset,
                 size_t bytes);
/* An MPI call that did not return MPI_SUCCESS is wrong. */
void check_call(shared_file *file, const char *call, int rc);
/* A call that transferred another number of bytes than asked for is wrong. */
void check_count(shared_file *file, const char *call, const MPI_Status *status, long long bytes);
/* Counts something wrong, and keeps the first message. */
void found_wrong(shared_file *file, long long count, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Individual and collective accesses at an offset, of version's bytes; reads are checked. */
void write_own(shared_file *file, long long offset, size_t bytes, int version);
void write_together(shared_file *file, long long offset, size_t bytes, int version);
void read_own(shared_file *file, long long offset, size_t bytes);
void read_together(shared_file *file, long long offset, size_t bytes);

/* Reads all of the closed file past this node's cache; returns its size, or -1. On one rank. */
long long read_stored(shared_file *file, unsigned char *buffer, size_t bytes);
/* Collective: rank 0 compares the stored file with what is expected. The file is closed. */
void check_stored(shared_file *file);

#endif /* T_CLIENTS_H */
