/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_FILE_H
#define T_FILE_H

#include "t_image.h"
#include "t_list.h"
#include "t_util.h"

/**
 * Files with hints, and the pattern most programs use: one block every so many bytes.
 *
 *     first |block|.......|block|.......|block| ...
 *           <--- stride -->
 */
typedef struct t_blocks {
    int64_t first, block, stride;
    int count;
} t_blocks;

/* Hints as "name=value,name=value" (names as in hints; collio_ is put in front unless the name is
 * one of ROMIO's), and those of the environment variable T_HINTS. The caller frees the info. */
MPI_Info t_info(const char *hints);
void t_info_add(MPI_Info info, const char *hints);
/* The value of a hint in MPI_File_get_info, in static memory; NULL: it has none. */
const char *t_hint(MPI_File file, const char *key);
/* Collective over comm: opens with hints; fails the test when it cannot. */
bool t_open(MPI_Comm comm, const char *path, int amode, const char *hints, MPI_File *file);
/* Collective over MPI_COMM_WORLD: opens a new file to read and write; an old one is removed. */
bool t_create(const char *path, const char *hints, MPI_File *file);

void t_blocks_list(const t_blocks *blocks, t_list *list);
int64_t t_blocks_bytes(const t_blocks *blocks);
/* The type of one block, resized to the stride; committed, the caller frees it. */
MPI_Datatype t_blocks_type(const t_blocks *blocks);
/* Collective: sets the view (bytes) to the blocks. */
bool t_blocks_view(MPI_File file, const t_blocks *blocks);
/* The data of a writer, in a new buffer; or the check that a buffer holds it (writer -1: what
 * POSIX put there, t_pre). */
unsigned char *t_blocks_data(const t_blocks *blocks, int writer);
void t_blocks_check(const t_blocks *blocks, int writer, const unsigned char *buffer,
                    const char *what);
/* Collective: write_at_all or read_at_all of all blocks of the view, from its beginning. Result,
 * count and the bytes that were read are checked. */
void t_blocks_write(MPI_File file, const t_blocks *blocks, int writer);
void t_blocks_read(MPI_File file, const t_blocks *blocks, int writer);
/* The count in a status must be that many bytes. */
void t_status_check(const MPI_Status *status, int64_t bytes, const char *what);

/* What a file must hold: blocks, and who wrote them. A later one wins. */
typedef struct t_expected {
    t_blocks *blocks;
    int *writer;
    int count;
} t_expected;

void t_expect(t_expected *expected, t_blocks blocks, int writer);
/* Compares the file by POSIX (path NULL: compares nothing), and empties `expected`. What nobody
 * wrote is t_pre (below prefilled), else a hole. */
void t_expected_check(t_expected *expected, const char *path, int64_t prefilled);
/* Collective: when all ranks have come, rank 0 compares the file with the blocks of all ranks; the
 * writer of rank r is first + r. */
void t_ranks_check(const char *path, t_blocks (*of)(int rank), int first, int64_t prefilled);
/* Collective: opens and closes a new file. Performance variables exist from the first open on. */
void t_first_open(const char *path);
/* A file that has t_pre where `written`, from 0 to end. Then it must have `size` bytes, these and
 * zeros, and room for `asked` bytes on the disk. By one rank. */
void t_sparse_make(const char *path, int64_t end, bool (*written)(int64_t at));
void t_sparse_check(const char *path, int64_t size, bool (*written)(int64_t at), int64_t asked);
/* A file of this many bytes of t_pre. */
void t_prefill(const char *path, int64_t bytes);

#endif
