/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_LIST_H
#define T_LIST_H

#include <stddef.h>
#include <stdint.h>

/** A piece of a file, or of memory. */
typedef struct t_ext {
    int64_t off, len;
} t_ext;

/** Pieces in the order of the data stream: the i-th byte moved is the i-th byte of the list. */
typedef struct t_list {
    t_ext *v;
    size_t n, cap;
} t_list;

void t_list_free(t_list *list);
void t_list_add(t_list *list, int64_t off, int64_t len); /* joins with the last piece if it can */
int64_t t_list_bytes(const t_list *list);
int64_t t_list_end(const t_list *list); /* highest offset + 1; 0 when empty */
/* The bytes of a writer at these pieces (-1: what POSIX put there, t_pre), in a new buffer. */
unsigned char *t_list_data(const t_list *list, int writer);
/* The bytes [from, to) of the stream, appended to out. */
void t_list_slice(const t_list *list, int64_t from, int64_t to, t_list *out);
/* Sorted union of the pieces, each widened by pad on both sides (never below 0). */
void t_list_regions(const t_list *list, int64_t pad, t_list *out);

#endif
