/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Agreements of ranks, by a page of shared memory on each node or by messages. See agreement.h.
 *
 * A rank can be at most one agreement ahead of the slowest rank: it enters agreement n + 1 only
 * after it has read the result of n. Therefore lines and results have two places, used in turn.
 */
#include "node/agreement.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "file/file.h"
#include "node/process.h"

#include "core/wait.h"

#include "opal/runtime/opal_progress.h"

enum {
    LINE = 64,   /* bytes of a cache line */
    YIELDS = 16, /* yields between two checks for messages */
    FIELDS = COLLIO_AGREEMENT_FIELDS
};

typedef struct seat_t {
    _Alignas(LINE) int64_t line[2][FIELDS]; /* contributions of this rank, used in turn */
    collio_process_t process; /* process of this rank; zeros until the rank has the page */
} seat_t;

typedef struct collio_agreement_page_t {
    _Alignas(LINE) _Atomic uint32_t arrived;  /* arrivals in all agreements, modulo 2^32 */
    _Alignas(LINE) _Atomic uint32_t reduced;  /* number of agreements whose lines are reduced */
    _Alignas(LINE) _Atomic uint32_t gate;     /* number of agreements whose result is valid */
    _Atomic int error;                        /* error class of a failure between nodes, or 0 */
    int64_t first[2];                         /* first field of each result, in the gate's line */
    _Alignas(LINE) _Atomic uint32_t sleepers; /* number of ranks in, or close to, FUTEX_WAIT */
    _Alignas(LINE) int64_t result[2][FIELDS]; /* results, used in turn */
    _Alignas(LINE) seat_t seat[];             /* one for each rank of the node */
} page_t;

/* Values that are read from the kernel once, because reading them takes several system calls. */
static struct {
    collio_process_t process; /* identity of this process, for liveness checks by other ranks */
    long cores;               /* cores of the node, at least 1 */
} self;

static void find_self(void)
{
    self.process = collio_process_self();
    self.cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (self.cores < 1) {
        self.cores = 1;
    }
}

void collio_agreement_init(const collio_file_t *file, collio_agreement_t *agreement)
{
    static pthread_once_t found = PTHREAD_ONCE_INIT;

    (void) pthread_once(&found, find_self);
    agreement->leaders = MPI_COMM_NULL;
    agreement->several_nodes = file->context->comm != file->context->node_comm;
    if (MPI_COMM_NULL != file->context->node_comm) {
        agreement->me = ompi_comm_rank(file->context->node_comm);
        agreement->ranks = ompi_comm_size(file->context->node_comm);
        agreement->ranks_per_core = (int) ((agreement->ranks + self.cores - 1) / self.cores);
    }
}

int collio_agreement_set_rule(collio_agreement_t *agreement, const collio_agreement_rule_t *rule)
{
    int rc = ompi_datatype_create_contiguous(COLLIO_AGREEMENT_CALL, MPI_INT64_T, &agreement->type);

    agreement->rule = rule;
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    rc = ompi_datatype_commit(&agreement->type);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    return collio_op_create(rule->nodes, &agreement->op);
}

static void disconnect(collio_agreement_t *agreement)
{
    collio_shm_fini(&agreement->segment);
    agreement->page = NULL;
    if (MPI_COMM_NULL != agreement->leaders) {
        ompi_comm_free(&agreement->leaders);
    }
    agreement->leaders = MPI_COMM_NULL;
}

void collio_agreement_fini(collio_agreement_t *agreement)
{
    disconnect(agreement);
    if (NULL != agreement->op) {
        collio_op_free(&agreement->op);
    }
    if (NULL != agreement->type) {
        ompi_datatype_destroy(&agreement->type);
    }
}

bool collio_agreement_shared(const collio_file_t *file, const collio_agreement_t *agreement)
{
    return 1 == file->size || NULL != agreement->page;
}

static void take_maximum(const int64_t *from, int64_t *to, int fields)
{
    for (int i = 0; i < fields; ++i) {
        to[i] = collio_max(from[i], to[i]);
    }
}

static void reduce_lines(const collio_agreement_t *agreement)
{
    int turn = (int) (agreement->round & 1);
    page_t *page = agreement->page;
    const int64_t *line = page->seat[0].line[turn];
    int64_t *to = page->result[turn];

    if (COLLIO_SCOPE_CALL == agreement->scope) {
        agreement->rule->node(line, sizeof(seat_t) / sizeof(*line), agreement->ranks, to);
    } else {
        memcpy(to, line, sizeof(*to) * (size_t) agreement->fields);
        for (int i = 1; i < agreement->ranks; ++i) {
            take_maximum(page->seat[i].line[turn], to, agreement->fields);
        }
    }
    page->first[turn] = to[0];
}

/* Stores the number of the current agreement in `word` and wakes ranks that sleep on it. */
static void announce(const collio_agreement_t *agreement, _Atomic uint32_t *word)
{
    atomic_store(word, agreement->round + 1);
    if (0 != atomic_load(&agreement->page->sleepers)) {
        (void) syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    }
}

static int reduce_by_messages(collio_agreement_t *agreement, ompi_communicator_t *comm)
{
    int rc;

    if (COLLIO_SCOPE_CALL == agreement->scope) {
        rc = collio_iallreduce(agreement->mine, agreement->all, 1, agreement->type, agreement->op,
                               comm, &agreement->request);
    } else {
        rc = collio_iallreduce(agreement->mine, agreement->all, agreement->fields, MPI_INT64_T,
                               MPI_MAX, comm, &agreement->request);
    }
    if (OMPI_SUCCESS != rc) {
        agreement->request = NULL;
    }
    return rc;
}

static int start_by_messages(collio_file_t *file, const int64_t *mine)
{
    collio_agreement_t *agreement = file->context->agreement;
    int rc;

    if (COLLIO_SCOPE_CALL == agreement->scope) {
        agreement->rule->node(mine, 0, 1, agreement->mine);
    } else {
        memcpy(agreement->mine, mine, sizeof(*mine) * (size_t) agreement->fields);
    }
    rc = reduce_by_messages(agreement, COLLIO_SCOPE_NODE == agreement->scope
                                           ? file->context->node_comm
                                           : file->context->comm);
    if (OMPI_SUCCESS != rc) {
        agreement->under_way = false;
        collio_file_lose(file, rc);
    }
    return rc;
}

/* True if only ranks of this node take part in the current agreement. */
static bool on_node(const collio_agreement_t *agreement)
{
    return !agreement->several_nodes || COLLIO_SCOPE_NODE == agreement->scope;
}

static void start_on_page(collio_agreement_t *agreement, const int64_t *mine)
{
    page_t *page = agreement->page;
    int fields = COLLIO_SCOPE_CALL == agreement->scope ? COLLIO_AGREEMENT_LINE : agreement->fields;

    memcpy(page->seat[agreement->me].line[agreement->round & 1], mine,
           sizeof(*mine) * (size_t) fields);
    if (atomic_fetch_add(&page->arrived, 1) + 1
        == (agreement->round + 1) * (uint32_t) agreement->ranks) {
        reduce_lines(agreement);
        announce(agreement, on_node(agreement) ? &page->gate : &page->reduced);
    }
}

/* `to` may be NULL if there are no fields. */
static void copy_fields(int64_t *to, const int64_t *from, int fields)
{
    for (int i = 0; i < fields; ++i) {
        to[i] = from[i];
    }
}

int collio_agreement_start(collio_file_t *file, collio_scope_t scope, const int64_t *mine,
                           int64_t *result, int fields)
{
    static const int64_t nothing;
    collio_agreement_t *agreement = file->context->agreement;

    if (0 != agreement->failed) {
        (void) collio_file_set_lost(file, agreement->failed);
        return OMPI_ERROR;
    }
    if (1 == file->size && COLLIO_SCOPE_CALL == scope) {
        agreement->rule->node(mine, 0, 1, result);
        return OMPI_SUCCESS;
    }
    if (1 == file->size) {
        copy_fields(result, mine, fields);
        return OMPI_SUCCESS;
    }
    agreement->scope = scope;
    agreement->wanted = fields;
    agreement->fields = COLLIO_SCOPE_CALL == scope ? COLLIO_AGREEMENT_CALL : fields;
    if (0 == fields) { /* MPI may complete an empty reduction before all ranks have arrived */
        agreement->fields = 1;
        mine = &nothing;
    }
    agreement->result = result;
    agreement->under_way = true;
    if (agreement->ranks_per_core > 1) { /* otherwise no rank sleeps, and the time is not used */
        agreement->begun_ns = collio_now();
    }
    if (NULL == agreement->page) {
        return start_by_messages(file, mine);
    }
    start_on_page(agreement, mine);
    return OMPI_SUCCESS;
}

/* On the first rank of a node, with several nodes: reduces over the nodes and opens the gate. After
 * a failure it also opens the gate; the other ranks of the node find the error in page->error. */
static void lead(collio_file_t *file)
{
    collio_agreement_t *agreement = file->context->agreement;
    page_t *page = agreement->page;
    int64_t *node = page->result[agreement->round & 1];
    int rc;

    if (NULL == agreement->request) {
        if (atomic_load(&page->reduced) != agreement->round + 1
            || atomic_load(&page->gate) == agreement->round + 1) {
            return;
        }
        memcpy(agreement->mine, node, sizeof(*node) * (size_t) agreement->fields);
        rc = reduce_by_messages(agreement, agreement->leaders);
        if (OMPI_SUCCESS != rc) {
            collio_file_lose(file, rc);
        }
    }
    if (NULL != agreement->request && !collio_request_done(file, &agreement->request, NULL)) {
        return;
    }
    agreement->request = NULL;
    memcpy(node, agreement->all, sizeof(*node) * (size_t) agreement->fields);
    page->first[agreement->round & 1] = node[0];
    atomic_store(&page->error, file->lost);
    announce(agreement, &page->gate);
}

/* True if this rank reduces over the nodes in the current agreement. */
static bool leads(const collio_agreement_t *agreement)
{
    return MPI_COMM_NULL != agreement->leaders && !on_node(agreement);
}

/* Returns the result, or NULL if it is not valid yet. */
static const int64_t *poll_page(collio_file_t *file)
{
    collio_agreement_t *agreement = file->context->agreement;
    const page_t *page = agreement->page;
    int turn = (int) (agreement->round & 1);

    if (leads(agreement)) {
        lead(file);
    }
    if (atomic_load(&page->gate) != agreement->round + 1) {
        return NULL;
    }
    if (!on_node(agreement) && 0 != atomic_load(&page->error)) {
        (void) collio_file_set_lost(file, atomic_load(&page->error));
        return NULL;
    }
    return 1 == agreement->wanted ? &page->first[turn] : page->result[turn];
}

static const int64_t *poll_messages(collio_file_t *file)
{
    collio_agreement_t *agreement = file->context->agreement;

    if (NULL != agreement->request && !collio_request_done(file, &agreement->request, NULL)) {
        return NULL;
    }
    agreement->request = NULL;
    return 0 == file->lost ? agreement->all : NULL;
}

/* False for agreements in which ranks must serve messages until all ranks have arrived. */
static bool may_rest(const collio_agreement_t *agreement)
{
    return agreement->ranks_per_core > 1 && COLLIO_SCOPE_NODE != agreement->scope
           && 0 < agreement->wanted;
}

bool collio_agreement_poll(collio_file_t *file)
{
    collio_agreement_t *agreement = file->context->agreement;
    const int64_t *all;

    if (!agreement->under_way) {
        return true;
    }
    all = NULL == agreement->page ? poll_messages(file) : poll_page(file);
    if (NULL == all) {
        return false;
    }
    copy_fields(agreement->result, all, agreement->wanted);
    if (may_rest(agreement)) {
        agreement->waited_ns[agreement->scope] = (int64_t) (collio_now() - agreement->begun_ns);
    }
    agreement->under_way = false;
    ++agreement->round;
    return true;
}

static void sleep_at(page_t *page, _Atomic uint32_t *word, uint32_t seen, int64_t nanoseconds)
{
    struct timespec moment = {.tv_nsec = nanoseconds};

    atomic_fetch_add(&page->sleepers, 1);
    (void) syscall(SYS_futex, word, FUTEX_WAIT, seen, &moment, NULL, 0);
    atomic_fetch_sub(&page->sleepers, 1);
}

bool collio_agreement_rest(collio_file_t *file)
{
    collio_agreement_t *agreement = file->context->agreement;
    int64_t last = agreement->waited_ns[agreement->scope];
    bool background = collio_background;
    _Atomic uint32_t *word;

    if (!agreement->under_way || NULL == agreement->page || !may_rest(agreement)
        || NULL != agreement->request) {
        return false;
    }
    word = leads(agreement) ? &agreement->page->reduced : &agreement->page->gate;
    for (int i = 0; i < YIELDS; ++i) {
        /* read before the sleep: FUTEX_WAIT returns at once if the word has changed since */
        uint32_t seen = atomic_load(word);
        int64_t sleep;

        if (collio_wait_reached(seen, agreement->round)) {
            return true;
        }
        /* read the clock after every yield, because one yield can take long */
        sleep = collio_wait_sleep((int64_t) (collio_now() - agreement->begun_ns), last,
                                  agreement->ranks_per_core, background);
        if (0 != sleep) {
            sleep_at(agreement->page, word, seen, sleep);
            break;
        }
        sched_yield();
    }
    return collio_wait_reached(atomic_load(word), agreement->round);
}

/* True if a process of this node has ended. */
static bool peer_ended(const collio_agreement_t *agreement)
{
    for (int i = 1; NULL != agreement->page && i < agreement->ranks; ++i) {
        int other = (agreement->me + i) % agreement->ranks;

        if (collio_process_ended(&agreement->page->seat[other].process, &self.process)) {
            return true;
        }
    }
    return false;
}

uint64_t collio_agreement_check_ns(const collio_file_t *file)
{
    enum { CHECK_MS = 1000, STAGGER_MS = 16, STAGGERED = 64 };

    return UINT64_C(1000000)
           * (uint64_t) (CHECK_MS + STAGGER_MS * (file->context->agreement->me % STAGGERED));
}

void collio_agreement_check(collio_file_t *file)
{
    collio_file_poll_notices(file);
    if (0 == file->lost && peer_ended(file->context->agreement)) {
        collio_file_lose(file, COLLIO_ERR_PROCESS);
    }
}

void collio_agreement_check_due(collio_file_t *file, uint64_t *checked_ns)
{
    uint64_t now = collio_now();

    if (now - *checked_ns >= collio_agreement_check_ns(file)) {
        *checked_ns = now;
        collio_agreement_check(file);
    }
}

int collio_agreement_wait(collio_file_t *file, collio_scope_t scope, const int64_t *mine,
                          int64_t *result, int fields)
{
    uint64_t checked_ns = collio_now();

    if (OMPI_SUCCESS != collio_agreement_start(file, scope, mine, result, fields)) {
        return file->lost;
    }
    while (!collio_agreement_poll(file)) {
        collio_agreement_check_due(file, &checked_ns);
        if (0 != file->lost) { /* the iallreduce may still receive: the agreement is not freed */
            file->context->agreement->failed = file->lost;
            return file->lost;
        }
        opal_progress();
        sched_yield();
    }
    return 0;
}

static size_t page_bytes(const collio_agreement_t *agreement)
{
    return sizeof(page_t) + sizeof(seat_t) * (size_t) agreement->ranks;
}

/* If `wanted`, the node's first rank creates the page. The key is zero on all other ranks. */
static void make_page(collio_agreement_t *agreement, bool wanted, int64_t key[COLLIO_SHM_KEY])
{
    memset(key, 0, sizeof(*key) * COLLIO_SHM_KEY);
    if (wanted && 0 == agreement->me) {
        (void) collio_shm_make(&agreement->segment, page_bytes(agreement), key);
    }
}

void collio_agreement_offer(collio_file_t *file, int64_t key[COLLIO_SHM_KEY])
{
    make_page(file->context->agreement, 1 < file->size && !file->context->agreement->several_nodes,
              key);
}

int collio_agreement_attach(collio_file_t *file, collio_shm_t *segment, size_t bytes,
                            const int64_t key[COLLIO_SHM_KEY], bool reduce, bool *shared)
{
    int64_t node[COLLIO_SHM_KEY], missing, any;

    if (reduce) {
        if (0 != collio_agreement_wait(file, COLLIO_SCOPE_NODE, key, node, COLLIO_SHM_KEY)) {
            goto unlink;
        }
        key = node;
    }
    missing = 0 != collio_shm_attach(segment, bytes, key);
    if (0 == collio_agreement_wait(file, COLLIO_SCOPE_FILE, &missing, &any, 1)) {
        *shared = 0 == any;
    }
unlink: /* without a name, a killed job leaves no memory */
    collio_shm_unlink(segment);
    return file->lost;
}

int collio_agreement_connect(collio_file_t *file)
{
    collio_agreement_t *agreement = file->context->agreement;

    if (!agreement->several_nodes) {
        return OMPI_SUCCESS;
    }
    return ompi_comm_split(file->context->comm, 0 == agreement->me ? 0 : MPI_UNDEFINED, 0,
                           &agreement->leaders, false);
}

/* Gives the agreement of a set the same leaders as the agreement of its first file. */
static int copy_leaders(const collio_file_t *file, collio_agreement_t *agreement)
{
    if (agreement == file->context->agreement
        || MPI_COMM_NULL == file->context->agreement->leaders) {
        return OMPI_SUCCESS;
    }
    return ompi_comm_dup(file->context->agreement->leaders, &agreement->leaders);
}

static int share(collio_file_t *file, collio_agreement_t *agreement, const int64_t *key)
{
    bool reduce = NULL == key || agreement->several_nodes, shared = false;
    int64_t mine[COLLIO_SHM_KEY];
    int rc = copy_leaders(file, agreement);

    if (OMPI_SUCCESS != rc) {
        collio_file_lose(file, rc);
        return file->lost;
    }
    if (reduce) {
        make_page(agreement, true, mine);
        key = mine;
    }
    rc = collio_agreement_attach(file, &agreement->segment, page_bytes(agreement), key, reduce,
                                 &shared);
    if (0 != rc) {
        return rc;
    }
    if (!shared) {
        disconnect(agreement);
        return 0;
    }
    agreement->page = agreement->segment.at;
    agreement->page->seat[agreement->me].process = self.process;
    agreement->round = 0; /* the counters of a new page are 0 */
    return 0;
}

int collio_agreement_share(collio_file_t *file, collio_agreement_t *agreement, const int64_t *key)
{
    int rc = 1 < file->size ? share(file, agreement, key) : 0;

    if (0 != rc) {
        agreement->leaders = MPI_COMM_NULL; /* not freed, because that would communicate */
    }
    return rc;
}
