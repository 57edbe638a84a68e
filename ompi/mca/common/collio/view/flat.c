/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * Flattened views and datatypes, kept.
 *
 * Problem: programs use the same views and the same few datatypes again and again, and flattening a
 * type of a million pieces takes longer than most requests.
 *
 *   datatypes   a ring per file; found by the address of the datatype. The ring holds a reference
 *               to the datatype and committed datatypes do not change, so equal addresses are equal
 *               datatypes.
 *   views       one ring per process. io/ompio duplicates the filetype in every set_view, so a view
 *               is found by its content: by Open MPI's description of the filetype, a few words for
 *               a regular type, or else by the pieces into which io/ompio has flattened the view.
 *               The displacement is not part of a kept view. A file points to its current view by
 *               the duplicate.
 *
 * A ring is bounded in entries and pieces; the oldest entry is replaced first. Requests and plans
 * hold references of their own.
 * Cost: a hit on the current view or on a datatype is a comparison or two. A view that is set again
 * takes the comparison of two short descriptions if it is regular; 4 instructions per piece if it
 * follows an equal view; else 8 per piece.
 */
#include "compat/compat.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ompi/datatype/ompi_datatype.h"
#include "opal/datatype/opal_convertor.h"
#include "opal/datatype/opal_datatype_internal.h"

#include "view/view.h"

enum {
    MOST_ENTRIES = 64,     /* entries of a ring */
    MOST_PIECES = 1 << 18, /* pieces of all entries of a ring together: up to 4 MiB */
    REGULAR = 16           /* pieces per element of a description that is kept, or more */
};

/** What to flatten, or to find: a datatype, or a view. */
typedef struct flat_key_t {
    ompi_datatype_t *type;    /* the datatype; NULL for a view */
    const struct iovec *list; /* io/ompio's list of the pieces of one repetition of the view */
    size_t count;             /* number of pieces in `list` */
    int64_t extent;           /* extent of the view */
    const void *description;  /* Open MPI's description of the filetype of a view */
    size_t described;         /* bytes of `description`; 0: not used, because it is long */
} flat_key_t;

typedef struct flat_entry_t {
    ompi_datatype_t *type; /* the datatype, with a reference; NULL for a view */
    collio_flat_t *flat;   /* the flattened view or datatype; NULL in an unused entry */
} flat_entry_t;

typedef struct flat_ring_t {
    flat_entry_t entry[MOST_ENTRIES]; /* used entries are neighbors */
    size_t least;                     /* entries that are kept for any number of pieces */
    size_t oldest;                    /* index of the entry that is replaced first */
    size_t count;                     /* number of used entries */
    size_t last;                      /* index of the entry that was found or added last */
    size_t pieces;                    /* pieces of all entries */
} flat_ring_t;

typedef struct collio_flat_cache_t {
    flat_ring_t types;         /* datatypes of buffers */
    ompi_datatype_t *filetype; /* io/ompio's current duplicate, with a reference */
    collio_flat_t *view;       /* the view of `filetype` */
} collio_flat_cache_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* protects `views` */
static flat_ring_t views;
static _Atomic int64_t held; /* bytes of all lists */

int64_t collio_flat_held(void)
{
    return atomic_load_explicit(&held, memory_order_relaxed);
}

static int64_t flat_bytes_of(const collio_flat_t *flat)
{
    return (int64_t) (sizeof(*flat) + flat->described) + collio_tiling_memory(&flat->tiling);
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
        held -= flat_bytes_of(flat);
        collio_tiling_fini(&flat->tiling);
        free(flat);
    }
}

/* Equal descriptions have equal pieces; different ones may, too. Loops of Open MPI have bytes that
 * are not set: descriptions that differ only there are compared by their pieces. */
static bool is_of_key(const flat_entry_t *entry, const flat_key_t *key)
{
    const collio_flat_t *flat = entry->flat;

    if (NULL == flat || NULL != key->type) {
        return NULL != flat && entry->type == key->type;
    }
    if (flat->tiling.extent != key->extent) {
        return false;
    }
    return (0 < key->described && flat->described == key->described
            && 0 == memcmp(flat->description, key->description, key->described))
           || collio_tiling_has(&flat->tiling, key->list, key->count);
}

/* Returns the flattened entry of a key, or NULL. Begins at the entry that was found last. */
static collio_flat_t *flat_find(flat_ring_t *ring, const flat_key_t *key)
{
    for (size_t i = 0; i < MOST_ENTRIES; ++i) {
        size_t at = (ring->last + i) % MOST_ENTRIES;

        if (is_of_key(&ring->entry[at], key)) {
            ring->last = at;
            return collio_flat_retain(ring->entry[at].flat);
        }
    }
    return NULL;
}

static void drop_oldest(flat_ring_t *ring)
{
    flat_entry_t *entry = &ring->entry[ring->oldest];

    ring->pieces -= entry->flat->tiling.count;
    collio_flat_release(entry->flat);
    entry->flat = NULL;
    if (NULL != entry->type) {
        OBJ_RELEASE(entry->type);
    }
    ring->oldest = (ring->oldest + 1) % MOST_ENTRIES;
    --ring->count;
}

static void drop_all(flat_ring_t *ring)
{
    while (0 < ring->count) {
        drop_oldest(ring);
    }
}

static void flat_keep(flat_ring_t *ring, ompi_datatype_t *type, collio_flat_t *flat)
{
    size_t pieces = flat->tiling.count;

    if (0 == ring->least && MOST_PIECES < pieces) {
        return;
    }
    while (MOST_ENTRIES == ring->count
           || (ring->least < ring->count && MOST_PIECES < ring->pieces + pieces)) {
        drop_oldest(ring);
    }
    if (NULL != type) {
        OBJ_RETAIN(type);
    }
    ring->last = (ring->oldest + ring->count++) % MOST_ENTRIES;
    ring->pieces += pieces;
    ring->entry[ring->last] = (flat_entry_t){type, collio_flat_retain(flat)};
}

/* ---- flattening. Cost: O(pieces of one element of the type) ---- */

enum { RAW_BATCH = 512 }; /* pieces that the convertor returns at a time */

/* Adds the pieces of one element of `type`, in type order, by Open MPI's convertor. */
static int add_type(ompi_datatype_t *type, collio_tiling_t *tiling)
{
    opal_convertor_t convertor;
    struct iovec raw[RAW_BATCH];
    int64_t missing = (int64_t) type->super.size;
    int rc = 0, finished = 0;

    OBJ_CONSTRUCT(&convertor, opal_convertor_t);
    if (OPAL_SUCCESS
        != opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &type->super, 1, NULL,
                                                    0, &convertor)) {
        rc = -EINVAL;
        goto out_cleanup;
    }
    while (0 == rc && 0 == finished) {
        uint32_t pieces = RAW_BATCH;
        size_t bytes = 0;

        finished = opal_convertor_raw(&convertor, raw, &pieces, &bytes);
        rc = collio_tiling_add(tiling, raw, pieces);
        missing -= (int64_t) bytes;
    }
    if (0 == rc && 0 != missing) {
        rc = -EINVAL;
    }
out_cleanup:
    opal_convertor_cleanup(&convertor);
    OBJ_DESTRUCT(&convertor);
    return rc;
}

/* Flattens one element of `type`; folds a regular type. */
static int flatten_type(ompi_datatype_t *type, collio_tiling_t *tiling)
{
    ptrdiff_t lb, extent;
    int rc = 0;

    ompi_datatype_get_extent(type, &lb, &extent);
    collio_tiling_open(tiling, 0, (int64_t) extent);
    if (0 < type->super.size) {
        rc = add_type(type, tiling);
    }
    collio_tiling_close(tiling);
    collio_tiling_fold(tiling);
    return rc;
}

_Static_assert(sizeof(struct iovec) == sizeof(collio_extent_t)
                   && sizeof(((struct iovec *) 0)->iov_base) == sizeof(int64_t),
               "an iovec is two 64-bit words");

/* Flattens the datatype or the view of the key. */
static int flatten(const flat_key_t *key, collio_flat_t **flat)
{
    collio_flat_t *made = calloc(1, sizeof(*made) + key->described);
    int rc;

    if (NULL == made) {
        return -ENOMEM;
    }
    atomic_init(&made->references, 1);
    made->described = key->described;
    if (0 < key->described) {
        memcpy(made->description, key->description, key->described);
    }
    rc = NULL != key->type
             ? flatten_type(key->type, &made->tiling)
             : collio_tiling_init(&made->tiling, 0, key->extent, key->list, key->count);
    if (0 != rc) {
        collio_tiling_fini(&made->tiling);
        free(made);
        return rc;
    }
    held += flat_bytes_of(made);
    *flat = made;
    return 0;
}

/* A view without a description is found by comparing lists of pieces. If pieces of its list were
 * joined or left out, the same list would not compare as equal later, so the view is not kept. */
static int find_or_make(flat_ring_t *ring, const flat_key_t *key, collio_flat_t **flat)
{
    int rc = 0;

    *flat = flat_find(ring, key);
    if (NULL == *flat) {
        rc = flatten(key, flat);
        if (0 == rc
            && (NULL != key->type || 0 < key->described || key->count == (*flat)->tiling.count)) {
            flat_keep(ring, key->type, *flat);
        }
    }
    return rc;
}

/* Replaces the current view of a file; NULL: by none. */
static void set_current(collio_flat_cache_t *cache, ompi_datatype_t *filetype, collio_flat_t *view)
{
    if (NULL != cache->filetype) {
        OBJ_RELEASE(cache->filetype);
        collio_flat_release(cache->view);
    }
    if (NULL != filetype) {
        OBJ_RETAIN(filetype);
    }
    cache->filetype = filetype;
    cache->view = collio_flat_retain(view);
}

static void free_cache(collio_flat_cache_t *cache)
{
    drop_all(&cache->types);
    set_current(cache, NULL, NULL);
    free(cache);
}

collio_flat_cache_t *collio_flat_cache(collio_handle_t *handle)
{
    enum { LEAST_TYPES = 3 }; /* datatypes that are kept beside the one that is added */
    collio_hook_t *hook = handle->place[COLLIO_PLACE_HOOK];

    if (NULL == hook || NULL != hook->flats) {
        return NULL == hook ? NULL : hook->flats;
    }
    hook->flats = calloc(1, sizeof(*hook->flats));
    if (NULL != hook->flats) {
        hook->flats->types.least = LEAST_TYPES;
        hook->free_flats = free_cache;
    }
    return hook->flats;
}

/* True if the current view is that of `filetype`. */
static bool is_current(const collio_flat_cache_t *cache, const ompi_datatype_t *filetype,
                       int64_t extent)
{
    const dt_type_desc_t *a, *b;

    if (NULL == cache->view || NULL == filetype || extent != cache->view->tiling.extent) {
        return false;
    }
    a = &filetype->super.desc;
    b = &cache->filetype->super.desc;
    return filetype == cache->filetype
           || (a->used == b->used && 0 == memcmp(a->desc, b->desc, a->used * sizeof(*a->desc)));
}

/* Returns a kept view of the key, or flattens it. */
static int find_view(const ompio_file_t *fh, flat_key_t *key, collio_flat_t **flat)
{
    int rc;

    key->count = NULL == key->list ? 0 : COLLIO_FVIEW(fh).f_iov_count;
    if (NULL != fh->f_filetype && fh->f_filetype->super.desc.used <= key->count / REGULAR) {
        key->description = fh->f_filetype->super.desc.desc;
        key->described = fh->f_filetype->super.desc.used * sizeof(dt_elem_desc_t);
    }
    pthread_mutex_lock(&mutex);
    rc = find_or_make(&views, key, flat);
    pthread_mutex_unlock(&mutex);
    return rc;
}

int collio_flat_view(ompio_file_t *fh, collio_flat_cache_t *cache, collio_flat_t **flat)
{
    flat_key_t key = {.list = COLLIO_FVIEW(fh).f_decoded_iov,
                      .extent = (int64_t) COLLIO_FVIEW(fh).f_view_extent};
    int rc = 0;

    if (NULL != cache && is_current(cache, fh->f_filetype, key.extent)) {
        *flat = collio_flat_retain(cache->view);
    } else {
        rc = find_view(fh, &key, flat);
    }
    if (0 == rc && NULL != cache && NULL != fh->f_filetype && fh->f_filetype != cache->filetype) {
        set_current(cache, fh->f_filetype, *flat);
    }
    return rc;
}

int collio_flat_type(collio_flat_cache_t *cache, ompi_datatype_t *type, collio_flat_t **flat)
{
    flat_key_t key = {.type = type};

    return NULL == cache ? flatten(&key, flat) : find_or_make(&cache->types, &key, flat);
}

void collio_flat_finalize(void)
{
    pthread_mutex_lock(&mutex);
    drop_all(&views);
    pthread_mutex_unlock(&mutex);
}
