/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_CLIENTS_H
#define T_CLIENTS_H

#include "lib/t_file.h"

/**
 * The file of a case, which several nodes use, together with what it must contain. Every rank keeps
 * the whole expected content, as a version number for each byte: version 0 is a hole, and the byte
 * at an offset is t_val(offset, version). So a byte that was lost, a stale byte and a byte of
 * another place all differ from what is expected.
 */
enum { MAX_BYTES = 5 << 20, CREATE = MPI_MODE_CREATE | MPI_MODE_RDWR };

extern MPI_File file;
extern int64_t end;          /* expected size of the file */
extern bool refused;         /* an MPI call returned an error where a refusal is right */
extern long long run_number; /* the same on all ranks, for names of files */

/* WHOLE: the file is open when the case begins, and closed and compared after the case.
 * BARE: the case does that itself. LONG: as WHOLE, runs only when it is named. */
typedef enum case_kind { WHOLE, BARE, LONG } case_kind;

typedef struct test_case {
    const char *name;
    void (*run)(void);
    case_kind kind;
    struct test_case *next;
} test_case;

/* Defines a case: CASE(name, WHOLE) { ... } */
#define CASE(function, how)                                       \
    static void function(void);                                   \
    __attribute__((constructor)) static void add_##function(void) \
    {                                                             \
        static test_case test = {#function, function, how, NULL}; \
                                                                  \
        add_case(&test);                                          \
    }                                                             \
    static void function(void)

void add_case(test_case *test);

/* Collective: opens the file, which is made by its first opening; with hints, or by some ranks. */
void open_file(int mode);
void open_by(MPI_Comm comm, int mode, const char *hints);
void close_file(void);
/* Collective: no other rank uses the file in between what comes before and after. */
void sync_barrier_sync(void);

/* The file must have this version from now on; every rank calls it for all ranks' writes. */
void expect(int64_t offset, int64_t bytes, int version);
/* Counts the bytes that differ from what is expected at this offset. */
void check_bytes(const char *what, const unsigned char *buffer, int64_t offset, int64_t bytes);
/* Writes the bytes of a version, or reads and checks them: collectively or not. */
void put(bool together, int64_t offset, int64_t bytes, int version);
void get(bool together, int64_t offset, int64_t bytes);
/* Reads all of the closed file past this node's cache; returns its size, or -1. On one rank. */
int64_t read_stored(unsigned char *buffer, int64_t bytes);
/* Collective: rank 0 compares the stored file with what is expected. The file is closed. */
void check_stored(void);

#endif /* T_CLIENTS_H */
