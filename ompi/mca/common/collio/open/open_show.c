/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Verbose output of an open: settings, aggregators and file system. Runs only if fcoll_base_verbose
 * is high enough.
 */
#include "open/attach.h"

#include <inttypes.h>
#include <stdio.h>

#include "compat/verbose.h"
#include "file/file.h"

#define SHOW(file, format, ...)                                                                   \
    COLLIO_SHOW(fcoll, FILE, "%s: %s: " format, (file)->component->title, (file)->fh->f_filename, \
                __VA_ARGS__)

static void show_settings(const collio_file_t *file)
{
    char text[1024];

    collio_settings_set_changed(&file->component->set, &file->settings, text, sizeof(text));
    SHOW(file, "settings: %s", text);
}

static void show_aggregators(const collio_file_t *file)
{
    char list[512] = "";
    size_t used = 0;

    for (int i = 0; i < file->derived.aggregator_count && used < sizeof(list); ++i) {
        used += (size_t) snprintf(list + used, sizeof(list) - used, " %d@node%d",
                                  file->derived.aggregators[i],
                                  collio_node_of(&file->nodes, file->derived.aggregators[i]));
    }
    SHOW(file, "%d of %d ranks aggregate (nodes: %d, buffers: %" PRId64 " bytes each):%s%s",
         file->derived.aggregator_count, file->size, file->nodes.nodes, file->derived.buffer_bytes,
         list, used < sizeof(list) ? "" : "...");
}

static void show_file_system(const collio_file_t *file)
{
    static const char *const coherence[] = {
        [COLLIO_COHERENT] = "no action needed",
        [COLLIO_COHERENCE_SIZE] = "sizes are asked for again",
        [COLLIO_COHERENCE_LOCK] = "a lock for each transfer",
        [COLLIO_COHERENCE_FLUSH] = "writes are flushed, sizes are asked for again",
    };
    const collio_access_t *access = &file->access;
    char align[64];

    SHOW(file, "file system 0x%" PRIx32 " (%s), %d stripes of %zu bytes%s", access->file_system,
         access->network     ? "network"
         : access->in_memory ? "memory"
                             : "local",
         file->derived.striped ? file->fh->f_stripe_count : 0,
         file->derived.striped ? (size_t) file->fh->f_stripe_size : 0,
         file->derived.several_clients ? ", several clients that take locks" : "");
    collio_align_format(&file->derived.align, align, sizeof(align));
    SHOW(file, "alignment %s; coherence between nodes: %s", align, coherence[access->coherence]);
}

void collio_open_show(const collio_file_t *file)
{
    if (OMPI_SUCCESS != file->refused) {
        COLLIO_SHOW(fcoll, SELECT, "fcoll/%s: %s: selected, but every call fails: %s",
                    file->component->name, file->fh->f_filename,
                    ompi_mpi_errnum_get_string(file->refused));
        return;
    }
    COLLIO_SHOW(fcoll, SELECT, "fcoll/%s: %s: selected", file->component->name,
                file->fh->f_filename);
    if (COLLIO_VERBOSE(fcoll, FILE)) {
        show_settings(file);
        show_aggregators(file);
        show_file_system(file);
    }
}
