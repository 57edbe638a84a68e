/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Opening and closing a file: creates and frees the record with everything that the engine keeps
 * for the file. All ranks take part in the same agreements, including ranks with an error.
 */
#include "open/attach.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "call/op.h"
#include "compat/verbose.h"
#include "hook/guard.h"
#include "hook/handle.h"
#include "hook/hook.h"
#include "hook/reach.h"
#include "node/agreement.h"
#include "node/map.h"
#include "open/context.h"
#include "open/set.h"
#include "settings/hint_file.h"
#include "settings/striping.h"
#include "tuner/tuner.h"

/* Upper bound on the buffers of an aggregator, in bytes. Sums over the aggregators of a node stay
 * far below INT64_MAX. */
#define BUFFER_MAX (INT64_C(1) << 40)

static int64_t resolve_buffer(const collio_file_t *file)
{
    enum { OMPIO_DEFAULT = 32 << 20 };
    collio_site_t site = collio_file_site(file);
    int64_t allowed = file->fh->f_bytes_per_agg;

    if (0 != file->settings.buffer_bytes) {
        return file->settings.buffer_bytes < BUFFER_MAX ? (int64_t) file->settings.buffer_bytes
                                                        : BUFFER_MAX;
    }
    if (allowed > 0 && OMPIO_DEFAULT != allowed) {
        return allowed; /* the user has set io_ompio_bytes_per_agg */
    }
    return collio_default_buffer(&site);
}

/* Facts: numbers that, like settings, determine the file domains. They may differ between nodes, so
 * the ranks agree on them. */
enum {
    LAYERS,
    FILE_SYSTEM,
    STRIPED,
    LOCKS,
    STRIPE_BYTES,
    STRIPES,
    LOCKAHEAD,
    BUFFER,
    NUMBER,
    FACTS
};

/* Uses the stripes that an fs component for Lustre has read, else reads them from the file system.
 * False: the file has no stripes. */
static bool find_stripes(const collio_file_t *file, collio_stripes_t *stripes)
{
    const ompio_file_t *fh = file->fh;

    if (LUSTRE == fh->f_fstype && fh->f_stripe_size > 0) {
        stripes->count = fh->f_stripe_count;
        stripes->bytes = (int64_t) fh->f_stripe_size;
        return true;
    }
    if (collio_stripes_read(fh->fd, file->access.file_system, stripes)) {
        return true;
    }
    stripes->count = fh->f_stripe_count;
    stripes->bytes = (int64_t) fh->f_stripe_size;
    return false;
}

/* True if the servers give locks to clients, so that clients wait for each other's locks (Lustre).
 */
static bool gives_locks(const collio_file_t *file)
{
    return LUSTRE == file->fh->f_fstype || COLLIO_STRIPES_LUSTRE == file->access.file_system;
}

static void find_facts(const collio_file_t *file, collio_fact_t *facts)
{
    collio_stripes_t stripes;
    bool striped = find_stripes(file, &stripes);
    const collio_lockahead_t *lockahead = collio_lockahead_of(file->fh);
    const ompio_file_t *fh = file->fh;
    const collio_fact_t found[FACTS] = {
        [LAYERS] = {"number of layers", file->component->two_layers ? 2 : 1},
        [FILE_SYSTEM] = {"kind of file system", (int64_t) fh->f_fstype},
        [STRIPED] = {"whether the file has stripes", striped},
        [LOCKS] = {"whether servers give locks to clients", gives_locks(file)},
        [STRIPE_BYTES] = {"stripe size", stripes.bytes},
        [STRIPES] = {"stripe count", stripes.count},
        [LOCKAHEAD] = {"lockahead mode", NULL == lockahead ? 0 : (int64_t) lockahead->collective},
        [BUFFER] = {"io_ompio_bytes_per_agg", (int64_t) fh->f_bytes_per_agg},
        [NUMBER] = {"io_ompio_num_aggregators", collio_parameter("io", "ompio", "num_aggregators")},
    };

    memcpy(facts, found, sizeof(found));
}

static void use_facts(ompio_file_t *fh, const collio_fact_t *facts)
{
    fh->f_fstype = (int) facts[FILE_SYSTEM].value;
    fh->f_stripe_size = (size_t) facts[STRIPE_BYTES].value;
    fh->f_stripe_count = (int) facts[STRIPES].value;
    fh->f_bytes_per_agg = (int) facts[BUFFER].value;
}

/* Returns the alignment that follows from the facts of this rank. Reads st_blksize only if it is
 * used, because fstat may send a request to the server. */
static collio_align_t find_alignment(const collio_file_t *file, bool striped)
{
    collio_align_facts_t facts = {.file_system = file->access.file_system,
                                  .striped = striped,
                                  .stripe_bytes = (int64_t) file->fh->f_stripe_size,
                                  .set_bytes = (int64_t) file->settings.align_bytes};
    struct stat about;

    if (file->access.network && 0 == facts.stripe_bytes && 0 == facts.set_bytes
        && 0 == fstat(file->fh->fd, &about)) {
        facts.block_bytes = (int64_t) about.st_blksize;
    }
    return collio_align_choose(&facts);
}

/* An exchange accesses a few MiB at a time through the page cache. io_uring passes such a copy to a
 * kernel worker that starts late, or makes it during the submission. Measured: the exchange hid
 * 30 ms of 70 ms with io_uring, and 55 ms with a thread of collio. Therefore `auto` is threads. */
static void choose_engine(collio_file_t *file)
{
    collio_engine_t named = (collio_engine_t) file->settings.engine;
    const char *why = NULL;

    file->access.tuning.engine = COLLIO_ENGINE_AUTO == named ? COLLIO_ENGINE_THREADS
                                                             : collio_engine_choose(named, &why);
    if (NULL != why && 0 == file->rank) {
        collio_file_help(file, COLLIO_HELP_ENGINE, collio_engine_name(named), why);
    }
}

/* Reports modes of the exchange that have no effect, because the exchange is off. */
static void report_unused(collio_file_t *file)
{
    const collio_settings_t *settings = &file->settings;
    bool schedule = COLLIO_SCHEDULE_AUTO != settings->schedule;
    bool transport = COLLIO_TRANSPORT_AUTO != settings->transport;
    bool layers = collio_settings_layers(settings);
    char modes[64];

    if (0 == file->rank && (schedule || transport || layers)
        && COLLIO_SETTING_OFF == settings->exchange_write
        && COLLIO_SETTING_OFF == settings->exchange_read) {
        snprintf(modes, sizeof(modes), "%s%s%s%s%s", schedule ? "schedule" : "",
                 schedule && transport ? " and " : "", transport ? "transport" : "",
                 (schedule || transport) && layers ? " and " : "", layers ? "two layers" : "");
        collio_file_help(file, COLLIO_HELP_UNUSED_MODE, modes);
    }
}

static void derived_close(collio_file_t *file)
{
    collio_tuner_drop(file);
    free(file->derived.aggregators);
    free(file->derived.racks.node_of);
    file->derived = (collio_derived_t){.my_aggregator = -1};
}

static void file_free(collio_file_t *file)
{
    if (0 != file->lost) {
        return; /* messages may still arrive, and freeing communicators communicates: see lost.c */
    }
    collio_tuner_close(file);
    if (!collio_set_give(file)) {
        collio_context_close(file);
    }
    collio_queue_close(file);
    if (NULL == file->set) {
        collio_map_free(file->map);
    }
    derived_close(file);
    free(file);
}

/* Individual access through a stock fbtl locks the whole file on NFS. If these locks do not reach
 * other nodes, the NFS client overwrites bytes of other nodes. Collective over the file. */
static void warn_of_local_locks(collio_file_t *file, int64_t guard)
{
    enum { NFS = 0x6969 };

    if (NFS != file->access.file_system || collio_guard_serves_all(guard)
        || COLLIO_REACH_LOCAL != collio_locks_reach(file->fh) || 0 != file->rank) {
        return;
    }
    collio_file_help(file, COLLIO_HELP_NFS_LOCAL_LOCKS);
}

/* Fields of the agreement of an open: the maximum of each. X = -MINUS_X if X is equal on all
 * ranks. */
enum {
    SETTINGS,                                  /* first field of settings and facts */
    ERROR = SETTINGS + COLLIO_SETTINGS_FIELDS, /* error class, or OMPI_SUCCESS */
    MEASURED,                                  /* hash of the tuner's measurements */
    MINUS_MEASURED,                            /* -MEASURED */
    MAGIC,                                     /* file system (statfs f_type) */
    MINUS_MAGIC,                               /* -MAGIC */
    MINUS_BUFFER,                              /* negated buffer bytes of an aggregator */
    NETWORK,                                   /* 1 if the file system is on a network */
    CLIENT,                                    /* client of the servers that give locks, or 0 */
    MINUS_CLIENT,                              /* -CLIENT */
    ALIGNMENT,                                 /* packed alignment */
    AGGREGATORS,                               /* hash of the list of aggregators */
    MINUS_AGGREGATORS,                         /* -AGGREGATORS */
    SHORT,   /* 1 if this rank's node has too little memory for its buffers */
    GUARD,   /* reason against sieved writes */
    SESSION, /* first field of the session directory */
    PAGE = SESSION + COLLIO_SESSION_FIELDS, /* key of the page for agreements of calls */
    UNKEPT = PAGE + COLLIO_SHM_KEY,         /* 1 if this rank has no record for a process set */
    HINTS,                                  /* bytes of hints in the hint file */
    ENTRIES,                                /* first field of the set's entries */
    FIELDS = ENTRIES + COLLIO_SET_FIELDS
};
_Static_assert((int) FIELDS <= (int) COLLIO_AGREEMENT_FIELDS, "an open is one agreement");

/* Writes this rank's fields from ERROR to SESSION. `rc`: result of derive(). */
static void offer_record(collio_file_t *file, int rc, int64_t *mine)
{
    mine[ERROR] = OMPI_SUCCESS == rc ? OMPI_SUCCESS : MPI_ERR_NO_MEM;
    mine[MEASURED] = collio_tuner_hash(file->tuner);
    mine[MINUS_MEASURED] = -mine[MEASURED];
    mine[MAGIC] = file->access.file_system;
    mine[MINUS_MAGIC] = -mine[MAGIC];
    mine[MINUS_BUFFER] = -file->derived.buffer_bytes;
    mine[NETWORK] = file->access.network;
    mine[CLIENT] = gives_locks(file) ? collio_access_client(file->access.fd) : 0;
    mine[MINUS_CLIENT] = -mine[CLIENT];
    mine[ALIGNMENT] = collio_align_pack(&file->derived.align);
    mine[AGGREGATORS] = collio_file_aggregators_hash(file);
    mine[MINUS_AGGREGATORS] = -mine[AGGREGATORS];
    mine[SHORT] = OMPI_SUCCESS == rc && collio_kept_falls_short(file);
    mine[GUARD] = collio_guard_request(file->fh, &file->access);
    collio_session_offer(file->fh, file->access.network, &mine[SESSION]);
}

/* Sets the agreed values of the record. Returns 0 or an error class, the same on all ranks. */
static int settle_record(collio_file_t *file, const int64_t *all)
{
    const char *why;

    file->access.file_system = all[MAGIC] == -all[MINUS_MAGIC] ? (uint32_t) all[MAGIC] : 0;
    /* One rank may run on the file server, where the file system looks local. */
    file->access.network = 0 != all[NETWORK];
    file->derived.several_clients = file->derived.locks
                                    && (1 < file->nodes.nodes || all[CLIENT] != -all[MINUS_CLIENT]);
    file->derived.buffer_bytes = -all[MINUS_BUFFER]; /* minimum over the ranks */
    file->derived.align = collio_align_unpack(all[ALIGNMENT]);
    file->access.stripe_bytes = file->derived.align.unit > 1 ? file->derived.align.unit : 0;
    collio_session_settle(file->fh, &all[SESSION]);
    why = collio_guard_settle(file->fh, &file->access, all[GUARD]);
    if (NULL != why && 0 == file->rank) {
        collio_file_help(file, COLLIO_HELP_SIEVING, why);
    }
    warn_of_local_locks(file, all[GUARD]);
    report_unused(file);
    if (file->derived.list_refused) { /* MPI_File_get_info must not return the refused list */
        file->settings.aggregator_list[0] = '\0';
    }
    if (all[MEASURED] != -all[MINUS_MEASURED]) { /* ranks have different measurements: drop them */
        collio_tuner_reset(file->tuner);
    }
    if (OMPI_SUCCESS == all[ERROR] && all[AGGREGATORS] != -all[MINUS_AGGREGATORS]) {
        if (0 == file->rank) {
            collio_file_help(file, COLLIO_HELP_AGGREGATORS_DIFFER);
        }
        return MPI_ERR_NOT_SAME;
    }
    return (int) all[ERROR];
}

/* Computes file->derived and `tuner` from settings and facts; all other input is the same in every
 * pass of attach_agree(). The first file of its processes also gets `kept`. `hash`: of settings and
 * facts. `short_of_memory`: a node has too little memory, so `auto` is partition memory. `rc`: an
 * earlier error of this rank. Local. Returns an Open MPI error code. */
static int derive(collio_file_t *file, const collio_fact_t *facts, int64_t hash,
                  bool short_of_memory, int rc)
{
    bool striped = 0 != facts[STRIPED].value;

    collio_context_keep_close(file);
    derived_close(file);
    use_facts(file->fh, facts);
    file->derived = (collio_derived_t){
        .settings_hash = hash,
        .two_layers = 2 == facts[LAYERS].value,
        .buffers = collio_transport_buffers(&file->settings),
        .striped = striped,
        .locks = 0 != facts[LOCKS].value,
        .lockahead = (collio_lockahead_mode_t) facts[LOCKAHEAD].value,
        .ompio_aggregators = (int) facts[NUMBER].value,
        .my_aggregator = -1,
        .align = find_alignment(file, striped),
    };
    file->derived.partition = collio_layout_partition(file, short_of_memory);
    file->memory = (collio_file_memory_t){0};
    file->derived.buffer_bytes = resolve_buffer(file);
    if (OMPI_SUCCESS == rc) {
        rc = collio_file_aggregators(file);
    }
    if (OMPI_SUCCESS == rc && NULL == file->set) {
        rc = collio_context_keep_open(file);
    }
    file->tuner = collio_tuner_open(file);
    if (OMPI_SUCCESS == rc && NULL == file->tuner) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    return rc;
}

/* Each rank derives the file's values as if all ranks had its settings and facts, and one reduction
 * compares them. If the hint file has hints that ranks do not have yet, or if settings or facts
 * differ, another pass uses those of rank 0. If a node has too little memory for the buffers,
 * another pass uses partition memory. `rc`: an earlier error of this
 * rank; `unkept`: this rank has no record for a process set. Returns 0 or an error class, the same
 * on all ranks unless the file handle has failed. */
static int attach_agree(collio_file_t *file, int rc, bool unkept, int64_t *all)
{
    enum { PASSES = 4 };
    collio_settings_set_t *set = &file->component->set;
    ompio_file_t *fh = file->fh;
    collio_fact_t facts[FACTS];
    int64_t mine[FIELDS];
    bool short_of_memory = false;

    collio_caches_open(fh, &file->access);
    collio_lockahead_guard(fh, &file->access);
    file->access.jobs = 2; /* a schedule has two buffers */
    find_facts(file, facts);
    collio_settings_resolve(file->component, fh, &file->settings);
    choose_engine(file);
    memset(&mine[PAGE], 0, sizeof(*mine) * COLLIO_SHM_KEY);
    if (NULL == file->set) {
        collio_agreement_offer(file, &mine[PAGE]);
    }
    mine[UNKEPT] = unkept;
    mine[HINTS] = collio_hint_file_offer(fh);
    for (int pass = 0; pass < PASSES; ++pass) {
        int64_t hash = collio_settings_set_offer(set, fh->f_comm, &file->settings, facts, FACTS,
                                                 &mine[SETTINGS]);

        offer_record(file, derive(file, facts, hash, short_of_memory, rc), mine);
        if (mine[SHORT] && collio_set_relieve()) {
            mine[SHORT] = collio_kept_falls_short(file);
        }
        collio_set_offer(file->set,
                         &mine[ENTRIES]); /* after collio_set_relieve, which frees entries */
        if (0 != collio_agreement_wait(file, COLLIO_SCOPE_FILE, mine, all, FIELDS)) {
            return file->lost;
        }
        if (collio_hint_file_settle(fh, all[HINTS])) {
            mine[HINTS] = collio_hint_file_offer(fh);
            collio_settings_resolve(file->component, fh, &file->settings);
            choose_engine(file);
            continue;
        }
        if (OMPI_SUCCESS
            != collio_settings_set_settle(set, fh->f_comm, fh->f_info, &file->settings, facts,
                                          FACTS, &all[SETTINGS])) {
            collio_file_lose(file, MPI_ERR_OTHER);
            return file->lost;
        }
        if (collio_settings_set_differ(&all[SETTINGS])) {
            continue;
        }
        if (0 != file->settings.partition || short_of_memory || all[SHORT] <= 0) {
            return settle_record(file, all);
        }
        short_of_memory = true;
    }
    return MPI_ERR_NOT_SAME; /* ranks differ although all use the settings of rank 0 */
}

/* Makes map, queue and the rule of calls. `rc`: an earlier error of this rank. Collective.
 * Returns an Open MPI error code. */
static int prepare_first(collio_file_t *file, int rc)
{
    if (OMPI_SUCCESS == rc) {
        rc = collio_map_make(file);
    }
    if (OMPI_SUCCESS == rc) {
        rc = collio_queue_open(file);
    }
    if (OMPI_SUCCESS == rc) {
        rc = collio_agreement_set_rule(file->context->agreement, &collio_agree_rule);
    }
    return rc;
}

/* For a file whose processes have no set. Creates the context before the agreement of the open,
 * which also distributes the key of the page for calls. Returns NULL if the context or its
 * communicator of all ranks cannot be created. */
static collio_file_t *make_first(collio_file_t *file)
{
    collio_set_t *set;
    int64_t all[FIELDS];
    int rc = collio_context_connect(file);

    if (NULL == file->context) {
        free(file);
        return NULL;
    }
    set = collio_set_prepare(file);
    file->refused = attach_agree(file, prepare_first(file, rc), NULL == set, all);
    if (OMPI_SUCCESS != file->refused) { /* the record stays, for its error class */
        collio_shm_unlink(&file->context->agreement->segment);
        collio_set_drop(set);
        return file;
    }
    (void) collio_agreement_share(file, file->context->agreement, &all[PAGE]);
    if (file->settings.keep && 0 == all[UNKEPT]) {
        collio_set_enter(set, file);
    } else {
        collio_set_drop(set);
    }
    return file;
}

/* Creates the memory of exchanges for a file whose context has none. Collective. Returns 0 or an
 * error class, the same on all ranks unless the file handle has failed. */
static int agree_on_kept(collio_file_t *file)
{
    int rc = collio_context_keep_open(file);
    int64_t mine = OMPI_SUCCESS == rc ? MPI_SUCCESS : MPI_ERR_NO_MEM, all;

    if (OMPI_SUCCESS != rc) {
        collio_context_keep_close(file);
    }
    if (0 != collio_agreement_wait(file, COLLIO_SCOPE_FILE, &mine, &all, 1)) {
        return file->lost;
    }
    return (int) all;
}

/* For a later file of a set. Opens with the agreement of the set, then takes a kept context or
 * creates a new one. */
static collio_file_t *make_next(collio_file_t *file)
{
    int64_t all[FIELDS];

    collio_set_lend(file->set, file);
    file->refused = attach_agree(file, collio_queue_open(file), false, all);
    if (OMPI_SUCCESS != file->refused) {
        return file;
    }
    if (file->settings.keep && collio_set_take(file->set, &all[ENTRIES], file)) {
        collio_file_count(file, COLLIO_STAT_FILES_REUSED, 1);
        file->refused = NULL == file->context->kept ? agree_on_kept(file) : OMPI_SUCCESS;
    } else {
        file->refused = collio_context_new(file);
    }
    if (OMPI_SUCCESS == file->refused) {
        collio_set_costs(file->set, file);
    }
    return file;
}

static collio_file_t *file_make(collio_handle_t *handle, collio_component_t *component)
{
    collio_file_t *file = collio_file_take();
    ompio_file_t *fh = handle->fh;

    if (NULL == file) {
        return NULL;
    }
    file->fh = fh;
    file->handle = handle;
    file->component = component;
    file->rank = ompi_comm_rank(fh->f_comm);
    file->size = ompi_comm_size(fh->f_comm);
    file->set = collio_set_find(fh->f_comm);
    return NULL == file->set ? make_first(file) : make_next(file);
}

/* Sets the hints of MPI_File_get_info. On Lustre the fs component publishes the stripes. */
static void attach_publish(collio_file_t *file)
{
    ompio_file_t *fh = file->fh;
    collio_stripes_t none = COLLIO_STRIPES_NONE;
    collio_stripes_t has = {.count = fh->f_stripe_count, .bytes = (int64_t) fh->f_stripe_size};

    collio_settings_publish(file->component, &file->settings, fh, file->derived.aggregator_count,
                            file->derived.buffer_bytes);
    if (file->derived.striped && LUSTRE != fh->f_fstype) {
        collio_striping_publish(fh->f_info, &has, &none);
    }
}

collio_file_t *collio_file_attach(ompio_file_t *fh, collio_component_t *component)
{
    collio_file_t *file = collio_file_find(fh);
    collio_handle_t *handle;
    collio_hook_t *hook;

    if (NULL != file) {
        return file;
    }
    handle = collio_handle_take(fh);
    file = NULL == handle ? NULL : file_make(handle, component);
    if (NULL == file) {
        collio_handle_clear(fh, COLLIO_PLACE_FCOLL);
        return NULL;
    }
    collio_file_enter(file);
    if (OMPI_SUCCESS == file->refused) {
        attach_publish(file);
    }
    if (0 == file->rank && COLLIO_VERBOSE(fcoll, SELECT)) {
        collio_open_show(file);
    }
    collio_hang_attach(file);
    hook = collio_hook_get(fh);
    if (NULL != hook) {
        collio_hook_on_close(hook, collio_file_detach);
    }
    return file;
}

/* Programs may read a file without MPI after MPI_File_close. On a file system whose caches are not
 * coherent, each node drops its pages after all ranks have flushed theirs. The condition has agreed
 * values only, so all ranks wait, or none. */
static void drop_caches(collio_file_t *file)
{
    if (0 != file->lost) {
        return;
    }
    switch (collio_coherence_choose(file->access.file_system, 1 < file->nodes.nodes)) {
    case COLLIO_COHERENT:
    case COLLIO_COHERENCE_SIZE:
        return;
    case COLLIO_COHERENCE_LOCK:
    case COLLIO_COHERENCE_FLUSH:
        break;
    }
    (void) collio_access_flush(file->access.fd);
    if (0 == collio_agreement_wait(file, COLLIO_SCOPE_FILE, NULL, NULL, 0)) {
        (void) collio_access_refresh(file->access.fd);
    }
}

void collio_file_detach(ompio_file_t *fh)
{
    collio_file_t *file = collio_file_find(fh);

    if (NULL == file) {
        return;
    }
    if (OMPI_SUCCESS == file->refused) {
        collio_op_wait_all(file);       /* ends calls that the program has not waited for */
        collio_file_poll_notices(file); /* the report is collective: skip it after a failure */
        collio_report(file);
        drop_caches(file);
    }
    collio_file_leave(file);
    collio_hang_detach(file);
    file_free(file);
}
