/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Prints reports and keeps totals.
 *
 * Problem: a job total needs counters of processes that may have no file, and no communicator, in
 * common; a reduction over MPI_COMM_WORLD would wait for ranks that never opened a file.
 * Method: the reductions for the report of a file also move the totals of earlier files to rank 0
 * of the file. A process that holds a total at MPI_Finalize prints it.
 */
#include "report/report_out.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "core/debug_assert.h"
#include "help/help.h"

enum { COMPONENTS = 8, TABLES = 8, NAME_BYTES = 32, PATH_BYTES = 2048 };

/* Totals of closed files. All members are uint64_t, because a reduction sums them. */
typedef struct held_t {
    uint64_t files;                            /* number of files */
    collio_traffic_t traffic[COLLIO_TRAFFICS]; /* calls of these files */
} held_t;
enum { HELD_WORDS = sizeof(held_t) / sizeof(uint64_t) };

/* The total of a component. */
typedef struct total_t {
    char component[NAME_BYTES];                /* "fcoll/overlap"; empty: the entry is unused */
    char path[PATH_BYTES];                     /* setting report_file of the last file */
    const char *traffic_name[COLLIO_TRAFFICS]; /* kinds of calls */
    int mode;                                  /* setting report of the last file */
    bool no_rate;                              /* calls move no data */
    int printed;                               /* number of files that were printed */
    bool headed;                               /* the heading of lines was printed */
    held_t held;                               /* counters that this process keeps */
} total_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static total_t totals[COMPONENTS];

static total_t *total_of(const char *component)
{
    total_t *total = totals;

    while (total < totals + COMPONENTS - 1 && '\0' != total->component[0]
           && 0 != strcmp(total->component, component)) {
        ++total;
    }
    snprintf(total->component, sizeof(total->component), "%s", component);
    return total;
}

static void add_held(held_t *to, const held_t *more)
{
    uint64_t *words = (uint64_t *) to;

    for (int i = 0; i < HELD_WORDS; ++i) {
        /* the whole of it is set: NOLINTNEXTLINE(clang-analyzer-core.*) */
        words[i] += ((const uint64_t *) more)[i];
    }
}

/* Appends a text to a file by one unbuffered write, so that lines of other processes do not come
 * between. Returns 0 or an errno. */
static int append_to(const char *path, const collio_text_t *text)
{
    FILE *file = fopen(path, "ae");
    size_t written;

    if (NULL == file) {
        return errno;
    }
    setvbuf(file, NULL, _IONBF, 0);
    written = fwrite(text->at, 1, text->used, file);
    if (0 != fclose(file) || written < text->used) {
        return 0 == errno ? EIO : errno;
    }
    return 0;
}

static void out_put(const total_t *total, const collio_text_t *text)
{
    int error;

    if ('\0' == total->path[0]) {
        fputs(collio_text_string(text), stderr);
        return;
    }
    error = append_to(total->path, text);
    if (0 != error) {
        collio_help(total->component, NULL, COLLIO_HELP_REPORT_FILE, total->path, strerror(error));
        fputs(collio_text_string(text), stderr);
    }
}

static void print_total(total_t *total)
{
    collio_record_t record = {.component = total->component, .no_rate = total->no_rate};
    collio_text_t text = {0};
    unsigned rank = (unsigned) OMPI_PROC_MY_NAME->vpid;
    char name[96];

    memcpy(record.traffic, total->held.traffic, sizeof(record.traffic));
    memcpy(record.traffic_name, total->traffic_name, sizeof(record.traffic_name));
    snprintf(name, sizeof(name), "total of %llu files, counted by rank %u",
             (unsigned long long) total->held.files, rank);
    if (COLLIO_REPORT_JSON == total->mode) {
        collio_text_add(&record.json, ",\"kept_by\":%u", rank);
        collio_format_json(&text, &record, total->held.files);
    } else if (total->held.files > 1) {
        if (!total->headed) {
            collio_format_heading(&text, &record);
        }
        collio_format_line(&text, &record, name);
    }
    if (text.used > 0) {
        out_put(total, &text);
    }
    collio_text_fini(&record.json);
    collio_text_fini(&text);
}

static void print_totals(void)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < COMPONENTS; ++i) {
        if (totals[i].held.files > 0) {
            print_total(&totals[i]);
            memset(&totals[i].held, 0, sizeof(totals[i].held));
        }
    }
    pthread_mutex_unlock(&lock);
}

void collio_counter_register(const collio_counter_t *counter, mca_base_get_value_fn_t get,
                             void *context, const mca_base_component_t *mca)
{
    static const int classes[COLLIO_UNITS] = {
        MCA_BASE_PVAR_CLASS_TIMER, MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_PVAR_CLASS_COUNTER,
        MCA_BASE_PVAR_CLASS_HIGHWATERMARK};

    (void) mca_base_component_pvar_register(
        mca, counter->name, counter->help, OPAL_INFO_LVL_4, classes[counter->unit],
        MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, get, NULL, NULL, context);
}

bool collio_report_reduce(ompi_communicator_t *comm, const char *component,
                          const collio_counter_t *list, int rows, const uint64_t *mine, int count,
                          collio_counted_t *counted)
{
    uint64_t least[COLLIO_COUNTERS_MAX], most[COLLIO_COUNTERS_MAX], sum[COLLIO_COUNTERS_MAX];
    held_t held, all;
    bool done;

    COLLIO_ASSERT(count <= COLLIO_COUNTERS_MAX);
    pthread_mutex_lock(&lock);
    held = total_of(component)->held;
    memset(&total_of(component)->held, 0, sizeof(held));
    pthread_mutex_unlock(&lock);
    done = OMPI_SUCCESS == collio_allreduce(mine, least, count, MPI_UINT64_T, MPI_MIN, comm)
           && OMPI_SUCCESS == collio_allreduce(mine, most, count, MPI_UINT64_T, MPI_MAX, comm)
           && OMPI_SUCCESS == collio_allreduce(mine, sum, count, MPI_UINT64_T, MPI_SUM, comm)
           && OMPI_SUCCESS
                  == collio_allreduce(&held, &all, HELD_WORDS, MPI_UINT64_T, MPI_SUM, comm);
    pthread_mutex_lock(&lock);
    if (!done || 0 == ompi_comm_rank(comm)) {
        add_held(&total_of(component)->held, done ? &all : &held);
    }
    pthread_mutex_unlock(&lock);
    for (int i = 0; done && i < count; ++i) {
        const collio_counter_t *counter = &list[i % rows];

        counted[i] = (collio_counted_t){counter->name, counter->unit, least[i], most[i], sum[i]};
    }
    return done;
}

static void print_file(total_t *total, const collio_record_t *record, int mode)
{
    collio_text_t text = {0};

    if (COLLIO_REPORT_JSON == mode) {
        collio_format_json(&text, record, 0);
    } else if (COLLIO_REPORT_TABLE == mode
               || (COLLIO_REPORT_ON == mode && total->printed < TABLES)) {
        collio_format_table(&text, record);
    } else {
        if (!total->headed) {
            collio_format_heading(&text, record);
        }
        total->headed = true;
        collio_format_line(&text, record, record->path);
    }
    out_put(total, &text);
    collio_text_fini(&text);
}

void collio_report_print(const collio_record_t *record, int mode, const char *path)
{
    static bool called_at_finalize;
    held_t mine = {.files = 1};
    total_t *total;

    memcpy(mine.traffic, record->traffic, sizeof(mine.traffic));
    pthread_mutex_lock(&lock);
    total = total_of(record->component);
    total->mode = mode;
    total->no_rate = record->no_rate;
    snprintf(total->path, sizeof(total->path), "%s", path);
    memcpy(total->traffic_name, record->traffic_name, sizeof(total->traffic_name));
    print_file(total, record, mode);
    ++total->printed;
    add_held(&total->held, &mine);
    if (!called_at_finalize) {
        called_at_finalize = MPI_SUCCESS == collio_call_at_finalize(print_totals);
    }
    pthread_mutex_unlock(&lock);
}
