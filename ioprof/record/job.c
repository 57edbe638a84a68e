/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Init, MPI_Finalize, MPI_Abort: the job's profile is reduced in a binomial tree. */
#include "record/mpi.h"

#include "collio_config.h"
#include "profile/output.h"
#include "profile/printable.h"
#include "report/report.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK (1 << 30) /* bytes of a message */
#define TAG   1

static char output[IOPROF_OUTPUT_BYTES]; /* of the profile, the same on all ranks */
static int rank, ranks;

/** Whether this rank is in a list as 0,20-40. */
static bool in_list(const char *list, int number)
{
    for (;;) {
        char *end;
        long low = strtol(list, &end, 10), high = low;

        if ('-' == *end) {
            high = strtol(end + 1, &end, 10);
        }
        if (number >= low && number <= high) {
            return true;
        }
        if (',' != *end) {
            return false;
        }
        list = end + 1;
    }
}

/** The command line with blanks between its words; the program's name without folders. */
static void read_command(char *command, size_t bytes, char *program, size_t program_bytes)
{
    FILE *stream = fopen("/proc/self/cmdline", "r");
    size_t n = NULL == stream ? 0 : fread(command, 1, bytes - 1, stream);
    const char *slash;

    if (NULL != stream) {
        fclose(stream);
    }
    command[n] = '\0';
    slash = strrchr(command, '/');
    snprintf(program, program_bytes, "%.*s", (int) program_bytes - 1,
             NULL == slash ? command : slash + 1);
    for (size_t i = 0; i + 1 < n; i++) {
        if ('\0' == command[i]) {
            command[i] = ' ';
        }
    }
}

static const char *job_name(char *number, size_t bytes)
{
    static const char *const variables[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID",
                                            "COBALT_JOBID"};

    for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
        const char *value = getenv(variables[i]);

        if (NULL != value && '\0' != *value && NULL == strchr(value, '/')) {
            return value;
        }
    }
    snprintf(number, bytes, "%d", (int) getpid());
    return number;
}

/** Replaces what a file name should not have: control bytes, blanks. */
static void make_file_name(char *text)
{
    for (; '\0' != *text; text++) {
        *text = (unsigned char) *text > ' ' && 0x7f != *text ? *text : '_';
    }
}

/** Rank 0 chooses a name that is free, if none was given; everybody needs it for its part. */
static void choose_output(const char *program, const char *job)
{
    char folder[PATH_MAX] = "", name[512];
    MPI_Comm parent = MPI_COMM_NULL;
    struct stat st;

    if (NULL == ioprof_settings.output || '/' != ioprof_settings.output[0]) {
        if (NULL == getcwd(folder, sizeof(folder) - 2)) {
            folder[0] = '\0';
        }
        strcat(folder, "/");
    }
    if (NULL != ioprof_settings.output) {
        PMPI_Comm_get_parent(&parent);
        if (MPI_COMM_NULL == parent) {
            snprintf(output, sizeof(output), "%s%s", folder, ioprof_settings.output);
        } else { /* a job of MPI_Comm_spawn must not write over its parent's profile */
            snprintf(output, sizeof(output), "%s%s.spawned-%d", folder, ioprof_settings.output,
                     (int) getpid());
        }
        return;
    }
    snprintf(name, sizeof(name), "%s.%s", program, job);
    make_file_name(name);
    snprintf(output, sizeof(output), "%sioprof.%s.iop", folder, name);
    for (int i = 2; i < 1000 && 0 == lstat(output, &st); i++) {
        snprintf(output, sizeof(output), "%sioprof.%s-%d.iop", folder, name, i);
    }
}

static void set_facts(const char *program, const char *command, const char *job)
{
    static const char *const levels[] = {"totals", "files", "events"};
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "", number[24];
    int length;

    PMPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    for (char *tab = library; NULL != (tab = strchr(tab, '\t'));) {
        *tab = ' ';
    }
    snprintf(number, sizeof(number), "%d", ranks);
    ioprof_set_fact("ioprof", COLLIO_VERSION);
    ioprof_set_fact("program", program);
    ioprof_set_fact("command", command);
    ioprof_set_fact("job", job);
    ioprof_set_fact("ranks", number);
    ioprof_set_fact("mpi", library);
    ioprof_set_fact("level", levels[ioprof_settings.level]);
    ioprof_set_fact("excluded", ioprof_settings.exclude);
}

/** The first rank of each host samples the host's counters. */
static void start_node(void)
{
    MPI_Comm host;
    int local;

    PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    PMPI_Comm_rank(host, &local);
    PMPI_Comm_free(&host);
    if (0 == local) {
        ioprof_node_start();
    }
}

/** Called when MPI is there, with in_library set: nothing here is counted. */
static void job_begin(void)
{
    char command[4096], program[256], number[24], host[MPI_MAX_PROCESSOR_NAME] = "";
    const char *job = job_name(number, sizeof(number));
    int length;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    PMPI_Get_processor_name(host, &length);
    ioprof_me.host = strdup(host);
    read_command(command, sizeof(command), program, sizeof(program));
    if (0 == rank) {
        choose_output(program, job);
    }
    PMPI_Bcast(output, sizeof(output), MPI_CHAR, 0, MPI_COMM_WORLD);
    set_facts(program, command, job);
    if (IOPROF_LEVEL_EVENTS == ioprof_settings.level && in_list(ioprof_settings.ranks, rank)) {
        ioprof_events_start();
    }
    if (ioprof_settings.node) {
        start_node();
    }
    ioprof_end_init(rank, output);
}

static void send_bytes(const struct ioprof_buffer *data, int to, MPI_Comm comm)
{
    uint64_t bytes = data->failed ? 0 : data->bytes;

    PMPI_Send(&bytes, 1, MPI_UINT64_T, to, TAG, comm);
    for (uint64_t at = 0; at < bytes; at += CHUNK) {
        int n = bytes - at < CHUNK ? (int) (bytes - at) : CHUNK;

        PMPI_Send(data->data + at, n, MPI_BYTE, to, TAG, comm);
    }
}

/** The profile of a rank and those below it; NULL if it cannot be had: their records are lost. */
static struct ioprof_profile *receive(int from, MPI_Comm comm)
{
    struct ioprof_profile *profile = NULL;
    uint64_t bytes = 0;
    char why[256] = "it had no memory", *data;

    PMPI_Recv(&bytes, 1, MPI_UINT64_T, from, TAG, comm, MPI_STATUS_IGNORE);
    data = malloc(bytes + 1);
    if (NULL == data) {
        fprintf(stderr, "ioprof: rank %d has no memory for the profile of others\n", rank);
        PMPI_Abort(MPI_COMM_WORLD, 1);
        return NULL;
    }
    for (uint64_t at = 0; at < bytes; at += CHUNK) {
        int n = bytes - at < CHUNK ? (int) (bytes - at) : CHUNK;

        PMPI_Recv(data + at, n, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE);
    }
    if (0 == bytes) {
        free(data);
    }
    if (0 == bytes || ioprof_decode_own(data, bytes, &profile, why, sizeof(why)) < 0) {
        fprintf(stderr, "ioprof: no profile from rank %d: %s\n", from, why);
    }
    return profile;
}

/** The profile of this rank alone, encoded and decoded as those of others are. */
static struct ioprof_profile *own_profile(void)
{
    struct ioprof_buffer out = {0};
    struct ioprof_profile *profile = NULL;
    char why[256] = "no memory";

    if (ioprof_encode_rank(&out, IOPROF_FINALIZED, 0) < 0
        || ioprof_decode(out.data, out.bytes, &profile, why, sizeof(why)) < 0) {
        fprintf(stderr, "ioprof: no profile from rank %d: %s\n", rank, why);
        profile = calloc(1, sizeof(*profile));
    }
    ioprof_buffer_free(&out);
    if (NULL != profile) {
        ioprof_pvars_add(profile);
    }
    return profile;
}

/** Merges pairs of ranks, of pairs, and so on; rank 0 has all in the end, the others NULL. */
static struct ioprof_profile *reduce(struct ioprof_profile *mine, MPI_Comm comm)
{
    char why[256];

    for (int step = 1; step < ranks; step *= 2) {
        if (0 != (rank & step)) {
            struct ioprof_buffer out = {0};

            out.failed |= NULL == mine || ioprof_encode(mine, &out) < 0;
            send_bytes(&out, rank - step, comm);
            ioprof_buffer_free(&out);
            ioprof_free(mine);
            return NULL;
        }
        if (rank + step < ranks) {
            struct ioprof_profile *other = receive(rank + step, comm);

            if (NULL != other && NULL == mine) {
                mine = other;
            } else if (NULL != other && ioprof_merge(mine, other, why, sizeof(why)) < 0) {
                fprintf(stderr, "ioprof: %s\n", why);
            }
        }
    }
    return mine;
}

static void add_fact(struct ioprof_profile *profile, char *key, char *value)
{
    struct ioprof_fact *facts = calloc(profile->nfacts + 1, sizeof(*facts));

    if (NULL != facts) {
        memcpy(facts, profile->facts, profile->nfacts * sizeof(*facts));
        facts[profile->nfacts++] = (struct ioprof_fact){key, value};
        profile->facts = facts; /* the process is about to end: not freed */
    }
}

/** A line on stderr, with the name of a file at its end. */
static void print_line(const char *text, const char *path, const char *cause)
{
    char *shown = ioprof_printable_copy(path);

    fprintf(stderr, "ioprof: %s %s%s%s\n", text, NULL == shown ? "?" : shown,
            NULL == cause ? "" : ": ", NULL == cause ? "" : cause);
    free(shown);
}

/** If its place is taken by something that is no file, the profile gets the name of a part. */
static void write_profile(struct ioprof_profile *profile)
{
    struct ioprof_buffer out = {0};
    const char *path = output;
    int rc = ioprof_encode(profile, &out);

    if (rc < 0) {
        fprintf(stderr, "ioprof: no memory for the profile\n");
        return;
    }
    rc = ioprof_write_file(path, out.data, out.bytes);
    if (rc < 0) {
        print_line("cannot write", path, ioprof_output_error(errno));
        path = ioprof_part_path();
        rc = ioprof_write_file(path, out.data, out.bytes);
    }
    if (0 == rc && (path != output || 0 != strcmp(ioprof_settings.text, "none"))) {
        print_line("the profile is in", path, NULL);
    }
    ioprof_buffer_free(&out);
}

/** Makes the profile printable. */
static void write_text(struct ioprof_profile *profile)
{
    const char *where = ioprof_settings.text;
    char *text = NULL;
    size_t bytes = 0;
    FILE *stream;
    int rc = -1;

    if (0 == strcmp(where, "none")) {
        return;
    }
    if (0 == strcmp(where, "-")) {
        (void) ioprof_report_text(profile, stderr);
        return;
    }
    stream = open_memstream(&text, &bytes);
    if (NULL != stream) {
        rc = ioprof_report_text(profile, stream);
        rc |= fclose(stream);
    }
    if (0 != rc || ioprof_write_file(where, text, bytes) < 0) {
        print_line("cannot write the report to", where, ioprof_output_error(errno));
    }
    free(text);
}

static void job_end(void)
{
    static char reduce_ns[24];
    struct ioprof_profile *profile = own_profile();
    uint64_t begin = ioprof_now();
    MPI_Comm comm;

    ioprof_forget();
    PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    profile = reduce(profile, comm);
    PMPI_Comm_free(&comm);
    if (0 == rank && NULL != profile) {
        snprintf(reduce_ns, sizeof(reduce_ns), "%llu", (unsigned long long) (ioprof_now() - begin));
        add_fact(profile, (char *) "reduce_ns", reduce_ns);
        write_profile(profile);
        write_text(profile);
    }
    ioprof_free(profile);
}

#define INIT(name, PARAMS, ARGS)                                                   \
    IOPROF_WRAP(name, PARAMS, ARGS, {                                              \
        int rc;                                                                    \
                                                                                   \
        ioprof_thread.in_library++;                                                \
        rc = real ARGS;                                                            \
        if (MPI_SUCCESS == rc && ioprof_active && 1 == ioprof_thread.in_library) { \
            job_begin();                                                           \
        }                                                                          \
        ioprof_thread.in_library--;                                                \
        return rc;                                                                 \
    })
INIT(Init, (int *argc, char ***argv), (argc, argv))
INIT(Init_thread, (int *argc, char ***argv, int required, int *provided),
     (argc, argv, required, provided))

static int Finalize_body(int (*real)(void))
{
    int rc;

    ioprof_thread.in_library++;
    if (ioprof_active && 1 == ioprof_thread.in_library) {
        job_end();
    }
    rc = real();
    ioprof_thread.in_library--;
    return rc;
}

IOPROF_EXPORT int MPI_Finalize(void)
{
    return Finalize_body((int (*)(void)) dlsym(RTLD_NEXT, "MPI_Finalize"));
}

IOPROF_EXPORT int PMPI_Finalize(void)
{
    return Finalize_body((int (*)(void)) dlsym(RTLD_NEXT, "PMPI_Finalize"));
}

IOPROF_WRAP(Abort, (MPI_Comm comm, int code), (comm, code), {
    ioprof_write_part(IOPROF_ABORTED, (uint64_t) code);
    return real(comm, code);
})
