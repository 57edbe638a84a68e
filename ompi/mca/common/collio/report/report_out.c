/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Counts files, prints reports and keeps totals.
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

enum {
    TABLES = 8, /* files with a table in mode on */
    VALUES = 2 * COLLIO_COUNTERS_MAX,
    HELD_WORDS = sizeof(collio_held_totals_t) / sizeof(uint64_t)
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static collio_counters_t *keepers; /* components with totals that this process keeps */

/* Adds the values of a file to a variable. */
static void add_values(const collio_counters_t *counters, int i, const uint64_t *values,
                       uint64_t *to)
{
    const collio_counter_t *counter = &counters->list[i];

    for (int table = 0; table < counters->tables; ++table) {
        uint64_t value = __atomic_load_n(&values[table * counters->count + (int) counter->place],
                                         __ATOMIC_RELAXED);

        if (COLLIO_UNIT_HIGH != counter->unit) {
            *to += value;
        } else if (value > *to) {
            *to = value;
        }
    }
}

static int report_get_value(const mca_base_pvar_t *pvar, void *value, void *object)
{
    const collio_variable_t *variable = pvar->ctx;
    const collio_counters_t *counters = variable->owner;
    uint64_t total;

    (void) object;
    pthread_mutex_lock(&lock);
    total = variable->closed;
    for (const collio_tally_t *tally = counters->open; NULL != tally; tally = tally->next) {
        add_values(counters, (int) (variable - counters->variable), tally->values, &total);
    }
    pthread_mutex_unlock(&lock);
    *(unsigned long long *) value = total;
    return OPAL_SUCCESS;
}

void collio_counters_register(collio_counters_t *counters, const mca_base_component_t *mca,
                              bool two_layers)
{
    static const int classes[COLLIO_UNITS] = {
        MCA_BASE_PVAR_CLASS_TIMER, MCA_BASE_PVAR_CLASS_COUNTER, MCA_BASE_PVAR_CLASS_COUNTER,
        MCA_BASE_PVAR_CLASS_HIGHWATERMARK};

    COLLIO_ASSERT(counters->count <= COLLIO_COUNTERS_MAX);
    for (int i = 0; i < counters->count; ++i) {
        const collio_counter_t *counter = &counters->list[i];

        counters->variable[i].owner = counters;
        if (two_layers || !counter->two_layers) {
            (void) mca_base_component_pvar_register(
                mca, counter->name, counter->help, OPAL_INFO_LVL_4, classes[counter->unit],
                MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
                MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, report_get_value, NULL,
                NULL, &counters->variable[i]);
        }
    }
}

void collio_counters_enter(collio_counters_t *counters, collio_tally_t *tally,
                           const uint64_t *values)
{
    tally->values = values;
    pthread_mutex_lock(&lock);
    tally->next = counters->open;
    counters->open = tally;
    pthread_mutex_unlock(&lock);
}

void collio_counters_leave(collio_counters_t *counters, collio_tally_t *tally)
{
    collio_tally_t **link = &counters->open;

    pthread_mutex_lock(&lock);
    while (*link != tally) {
        link = &(*link)->next;
    }
    *link = tally->next;
    for (int i = 0; i < counters->count; ++i) {
        add_values(counters, i, tally->values, &counters->variable[i].closed);
    }
    pthread_mutex_unlock(&lock);
}

static void add_held(collio_held_totals_t *to, const collio_held_totals_t *more)
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

static void out_put(const collio_counters_t *total, const collio_text_t *text)
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

/* Returns a record with what all reports of the component have. */
static collio_record_t record_of(const collio_counters_t *counters)
{
    collio_record_t record = {.component = counters->component, .no_rate = counters->no_rate};

    memcpy(record.traffic_name, counters->traffic_name, sizeof(record.traffic_name));
    return record;
}

static void print_total(collio_counters_t *total)
{
    collio_record_t record = record_of(total);
    collio_text_t text = {0};
    unsigned rank = (unsigned) OMPI_PROC_MY_NAME->vpid;
    char name[96];

    memcpy(record.traffic, total->held.traffic, sizeof(record.traffic));
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
    for (collio_counters_t *total = keepers; NULL != total; total = total->next) {
        if (total->held.files > 0) {
            print_total(total);
            memset(&total->held, 0, sizeof(total->held));
        }
    }
    pthread_mutex_unlock(&lock);
}

/* Adds totals to those of this process, which it prints at MPI_Finalize. */
static void keep(collio_counters_t *counters, const collio_report_t *report,
                 const collio_held_totals_t *more)
{
    static bool called_at_finalize;

    pthread_mutex_lock(&lock);
    if (!counters->keeps) {
        counters->keeps = true;
        counters->next = keepers;
        keepers = counters;
    }
    counters->mode = report->mode;
    snprintf(counters->path, sizeof(counters->path), "%s", report->path);
    add_held(&counters->held, more);
    if (!called_at_finalize) {
        called_at_finalize = MPI_SUCCESS == collio_call_at_finalize(print_totals);
    }
    pthread_mutex_unlock(&lock);
}

/* Reduces the values of a file, and moves the totals to rank 0. False: communication failed. */
static bool counters_reduce(collio_counters_t *counters, const collio_report_t *report,
                            collio_counted_t *all)
{
    uint64_t mine[VALUES] = {0}, least[VALUES], most[VALUES], sum[VALUES];
    int rows = counters->count, count = counters->tables * rows;
    ompi_communicator_t *comm = report->comm;
    collio_held_totals_t held, total;
    bool done;

    for (int i = 0; NULL != report->values && i < count; ++i) {
        mine[i] = report->values[i - i % rows + (int) counters->list[i % rows].place];
    }
    pthread_mutex_lock(&lock);
    held = counters->held;
    memset(&counters->held, 0, sizeof(held));
    pthread_mutex_unlock(&lock);
    done = OMPI_SUCCESS == collio_allreduce(mine, least, count, MPI_UINT64_T, MPI_MIN, comm)
           && OMPI_SUCCESS == collio_allreduce(mine, most, count, MPI_UINT64_T, MPI_MAX, comm)
           && OMPI_SUCCESS == collio_allreduce(mine, sum, count, MPI_UINT64_T, MPI_SUM, comm)
           && OMPI_SUCCESS
                  == collio_allreduce(&held, &total, HELD_WORDS, MPI_UINT64_T, MPI_SUM, comm);
    if (!done || 0 == report->fh->f_rank) {
        keep(counters, report, done ? &total : &held);
    }
    for (int i = 0; done && i < count; ++i) {
        const collio_counter_t *counter = &counters->list[i % rows];

        all[i] = (collio_counted_t){counter->name, counter->unit, least[i], most[i], sum[i]};
    }
    return done;
}

static void print_file(collio_counters_t *total, const collio_record_t *record)
{
    collio_text_t text = {0};

    if (COLLIO_REPORT_JSON == total->mode) {
        collio_format_json(&text, record, 0);
    } else if (COLLIO_REPORT_TABLE == total->mode
               || (COLLIO_REPORT_ON == total->mode && total->printed < TABLES)) {
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

/* Prints the record of a file, and adds it to the totals of this process. */
static void report_print(collio_counters_t *total, const collio_record_t *record)
{
    collio_held_totals_t mine = {.files = 1};

    memcpy(mine.traffic, record->traffic, sizeof(mine.traffic));
    pthread_mutex_lock(&lock);
    print_file(total, record);
    ++total->printed;
    add_held(&total->held, &mine);
    pthread_mutex_unlock(&lock);
}

/* Picks the counters of a table without high-water marks, or, with `high`, these only. */
static collio_table_t pick(const char *name, const collio_counted_t *table, int count, bool high,
                           collio_counted_t *picked)
{
    collio_table_t section = {name, picked, 0};

    for (int i = 0; i < count; ++i) {
        if (high == (COLLIO_UNIT_HIGH == table[i].unit)) {
            picked[section.count++] = table[i];
        }
    }
    return section;
}

void collio_counters_report(collio_counters_t *counters, const collio_report_t *report)
{
    collio_record_t record = record_of(counters);
    collio_counted_t all[VALUES], picked[3][COLLIO_COUNTERS_MAX];
    collio_table_t section[3];
    int rows = counters->count;

    if (!counters_reduce(counters, report, all) || 0 != report->fh->f_rank) {
        return;
    }
    for (int i = 0; i < counters->tables; ++i) {
        int table = counters->tables - 1 - i;

        section[i] = pick(counters->table_name[table], all + table * rows, rows, false, picked[i]);
    }
    section[2] = pick("file", all, rows, true, picked[2]);
    record.path = report->fh->f_filename;
    record.ranks = report->fh->f_size;
    record.section = section;
    record.sections = counters->tables + (counters->tables > 1);
    if (report->describe(&record, report->owner, all)) {
        report_print(counters, &record);
    }
    collio_text_fini(&record.about);
    collio_text_fini(&record.json);
}
