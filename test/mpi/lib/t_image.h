/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef T_IMAGE_H
#define T_IMAGE_H

#include "t_list.h"
#include "t_util.h"

/**
 * What a file must look like, kept only around the places that are touched (files may be sparse
 * and huge). Made and compared on one rank with plain POSIX calls; no MPI-IO in here.
 */
typedef struct t_image {
    t_list regions;        /* sorted, disjoint parts of the file that are looked at */
    unsigned char **bytes; /* per region */
    int64_t size;          /* size the file must have */
} t_image;

/* Regions: everything in touched, and pad bytes before and after. All bytes 0, size 0. */
void t_image_make(t_image *image, const t_list *touched, int64_t pad);
void t_image_free(t_image *image);
/* POSIX puts t_pre() in every region below end, and the file ends there (or at a region's end). */
void t_image_prefill(t_image *image, int64_t end);
/* The pieces now hold t_val() of this writer; the size grows if needed. */
void t_image_write(t_image *image, const t_list *pieces, int writer);
/* Creates the file with this content. Returns 0 or an errno. */
int t_image_store(const t_image *image, const char *path);
/* Fails (t_fail, first wrong byte) when the file is not exactly this. */
void t_image_check(const t_image *image, const char *path);
enum { T_WRITERS = 64 };
/* after[a][b]: writer a came after writer b. Is there an order of the writers that has it all? */
bool t_has_order(bool after[T_WRITERS][T_WRITERS], int writers);
/* The same where several writers wrote the same bytes in one atomic call: every byte must be of
 * one of its writers, and an order of the writers must explain all bytes. */
void t_image_check_atomic(const t_image *image, const char *path, const t_list *pieces,
                          int writers);

#endif
