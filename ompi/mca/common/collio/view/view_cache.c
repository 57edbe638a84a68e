/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flattened views and datatypes, kept per file.
 *
 * Problem: applications use the same view and the same few datatypes again and again, and
 * flattening a type of a million pieces costs more than many a request.
 * Method: entries are found by the address of the datatype. The cache holds a reference to every
 * datatype in it, so no other datatype can come to live at that address, and committed datatypes
 * never change: the address is the content. io/ompio duplicates the filetype at every set_view, so
 * its duplicate identifies the view; the displacement and the extent, which are io/ompio's own, are
 * compared too. Programs with many variables have a datatype for each and use them in turn, so
 * there is room for many small ones; large ones give way, the oldest first. Lifetime: until the
 * file is closed or an entry gives way; a nonblocking request holds its own references.
 * Cost: a hit is a comparison or two, because the search begins where the last one ended.
 */
#include "compat/compat.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "ompi/datatype/ompi_datatype.h"

#include "hook/hook.h"
#include "view/view.h"

enum {
    MOST_TYPES = 64,
    LEAST_TYPES = 4,      /* kept however large they are */
    MOST_PIECES = 1 << 18 /* of all types together, if there are more: up to 6 MiB */
};

struct entry {
    ompi_datatype_t *type; /* we hold a reference */
    collio_flat_t *flat;
};

struct collio_flat_cache_t {
    struct entry view;
    struct entry types[MOST_TYPES]; /* a ring */
    size_t oldest, count;
    size_t last; /* found */
    size_t pieces;
};

static collio_flat_t *flat_new(void)
{
    collio_flat_t *flat = calloc(1, sizeof(*flat));

    if (NULL != flat) {
        atomic_init(&flat->references, 1);
    }
    return flat;
}

collio_flat_t *collio_flat_retain(collio_flat_t *flat)
{
    if (NULL != flat) {
        atomic_fetch_add(&flat->references, 1);
    }
    return flat;
}

void collio_flat_release(collio_flat_t *flat)
{
    if (NULL != flat && 1 == atomic_fetch_sub(&flat->references, 1)) {
        collio_tiling_fini(&flat->tiling);
        free(flat);
    }
}

static void entry_clear(struct entry *entry)
{
    if (NULL != entry->flat) {
        collio_flat_release(entry->flat);
        OBJ_RELEASE(entry->type);
        entry->flat = NULL;
    }
}

static void entry_set(struct entry *entry, ompi_datatype_t *type, collio_flat_t *flat)
{
    entry_clear(entry);
    OBJ_RETAIN(type);
    entry->type = type;
    entry->flat = collio_flat_retain(flat);
}

/* NULL: the file has none, and things are flattened for each call */
static collio_flat_cache_t *cache_of(ompio_file_t *fh)
{
    collio_hook_t *hook = collio_hook_get(fh);

    if (NULL == hook) {
        return NULL;
    }
    if (NULL == hook->flats) {
        hook->flats = calloc(1, sizeof(*hook->flats));
        hook->free_flats = collio_flat_cache_free;
    }
    return hook->flats;
}

static void drop_oldest(collio_flat_cache_t *cache)
{
    struct entry *entry = &cache->types[cache->oldest];

    cache->pieces -= entry->flat->tiling.count;
    entry_clear(entry);
    cache->oldest = (cache->oldest + 1) % MOST_TYPES;
    --cache->count;
}

static void keep_type(collio_flat_cache_t *cache, ompi_datatype_t *type, collio_flat_t *flat)
{
    while (MOST_TYPES == cache->count
           || (cache->count >= LEAST_TYPES && cache->pieces + flat->tiling.count > MOST_PIECES)) {
        drop_oldest(cache);
    }
    cache->last = (cache->oldest + cache->count++) % MOST_TYPES;
    cache->pieces += flat->tiling.count;
    entry_set(&cache->types[cache->last], type, flat);
}

static collio_flat_t *find_type(collio_flat_cache_t *cache, const ompi_datatype_t *type)
{
    for (size_t i = 0; i < MOST_TYPES; ++i) {
        size_t at = (cache->last + i) % MOST_TYPES;

        if (NULL != cache->types[at].flat && type == cache->types[at].type) {
            cache->last = at;
            return cache->types[at].flat;
        }
    }
    return NULL;
}

void collio_flat_cache_free(collio_flat_cache_t *cache)
{
    if (NULL == cache) {
        return;
    }
    entry_clear(&cache->view);
    while (cache->count > 0) {
        drop_oldest(cache);
    }
    free(cache);
}

static bool view_cached(const collio_flat_cache_t *cache, ompio_file_t *fh)
{
    const collio_flat_t *flat = NULL == cache ? NULL : cache->view.flat;

    return NULL != flat && fh->f_filetype == cache->view.type
           && (int64_t) COLLIO_FVIEW(fh).f_disp == flat->tiling.base
           && (int64_t) COLLIO_FVIEW(fh).f_view_extent == flat->tiling.extent;
}

int collio_flat_view(ompio_file_t *fh, collio_flat_t **flat)
{
    collio_flat_cache_t *cache = cache_of(fh);
    collio_flat_t *made;
    int64_t stream;
    int rc;

    if (view_cached(cache, fh)) {
        *flat = collio_flat_retain(cache->view.flat);
        return 0;
    }
    made = flat_new();
    if (NULL == made) {
        return -ENOMEM;
    }
    rc = collio_view_file(fh, &made->tiling, &stream);
    if (0 != rc) {
        free(made);
        return rc;
    }
    if (NULL != cache && NULL != fh->f_filetype) {
        entry_set(&cache->view, fh->f_filetype, made);
    }
    *flat = made;
    return 0;
}

int collio_flat_type(ompio_file_t *fh, ompi_datatype_t *type, collio_flat_t **flat)
{
    collio_flat_cache_t *cache = cache_of(fh);
    collio_flat_t *made;
    int rc;

    made = NULL == cache ? NULL : find_type(cache, type);
    if (NULL != made) {
        *flat = collio_flat_retain(made);
        return 0;
    }
    made = flat_new();
    if (NULL == made) {
        return -ENOMEM;
    }
    rc = collio_view_tile_type(type, &made->tiling);
    if (0 != rc) {
        free(made);
        return rc;
    }
    if (NULL != cache) {
        keep_type(cache, type, made);
    }
    *flat = made;
    return 0;
}
