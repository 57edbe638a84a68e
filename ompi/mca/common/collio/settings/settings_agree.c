/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Settings and facts that must be the same on all ranks of a file.
 *
 *   all     hash of settings and facts, does a text wait?       one small reduction
 *   differ: rank 0's settings and facts                         broadcast
 *           lowest rank that differed                           reduction; that rank prints
 */
#include "settings/hints.h"

#include <stdio.h>
#include <string.h>

#include "help/help.h"
#include "settings/hint_file.h"

#include "core/hash.h"

enum { PACKAGE_TEXT = 8 * COLLIO_TEXT_BYTES, FACTS_MAX = 16 };

/* Settings and facts of rank 0, for the broadcast. */
typedef struct package_t {
    char text[PACKAGE_TEXT];  /* AGREED settings, as lines "name=value" */
    int64_t facts[FACTS_MAX]; /* values of the facts */
} package_t;

static bool settings_agreed(const collio_settings_set_t *set, size_t index)
{
    return 0 != (set->rows[index].flags & COLLIO_SETTING_AGREED);
}

static void settings_pack(const collio_settings_set_t *set, const void *values,
                          const collio_fact_t *facts, int count, package_t *package)
{
    char value[COLLIO_TEXT_BYTES];
    size_t used = 0;

    memset(package, 0, sizeof(*package));
    for (size_t i = 0; i < set->count; ++i) {
        if (settings_agreed(set, i) && used < sizeof(package->text)) {
            collio_setting_format(&set->rows[i], values, value, sizeof(value));
            used += (size_t) snprintf(package->text + used, sizeof(package->text) - used, "%s=%s\n",
                                      set->rows[i].name, value);
        }
    }
    for (int i = 0; i < count; ++i) {
        package->facts[i] = facts[i].value;
    }
}

/* Returns a hash of the content of a package, without making one: every open needs the hash, few
 * opens the package. Positive, so that a reduction can use the negated hash. */
static int64_t settings_hash_of(const collio_settings_set_t *set, const void *values,
                                const collio_fact_t *facts, int count)
{
    uint64_t hash = COLLIO_HASH_BASIS;

    for (size_t i = 0; i < set->count; ++i) {
        if (settings_agreed(set, i)) {
            hash = collio_setting_hash(&set->rows[i], values, hash);
        }
    }
    for (int i = 0; i < count; ++i) {
        hash = collio_hash(hash, &facts[i].value, sizeof(facts[i].value));
    }
    return collio_hash_positive(hash);
}

/* Adds a value of this rank that differs to the text of the message. `hint`: name of a hint for it,
 * or "". */
static void note(char *text, size_t size, const char *name, const char *hint, const char *mine,
                 const char *root)
{
    size_t used = strlen(text);

    if (0 != strcmp(mine, root)) {
        snprintf(text + used, size - used, "%s%s=%s%s%s%s where rank 0 has %s",
                 0 == used ? "" : ", ", name, '\0' == *mine ? "\"\"" : mine,
                 '\0' == *hint ? "" : " (hint ", hint, '\0' == *hint ? "" : ")",
                 '\0' == *root ? "\"\"" : root);
    }
}

/* Writes the name of a hint that users know for a row: the first of its other names, or else its
 * own; "" if the row has none. */
static void name_hint(const collio_setting_t *row, char *name, size_t size)
{
    if (NULL != row->hints) {
        snprintf(name, size, "%.*s", (int) strcspn(row->hints, ","), row->hints);
    } else if (0 == (row->flags & COLLIO_SETTING_NO_HINT)) {
        snprintf(name, size, "collio_%s", row->name);
    } else {
        *name = '\0';
    }
}

/* Takes the settings of rank 0, line by line. */
static void apply_settings(const collio_settings_set_t *set, char *text, opal_info_t *info,
                           void *values, char *difference, size_t size)
{
    char mine[COLLIO_TEXT_BYTES], hint[MPI_MAX_INFO_KEY], *save = NULL;

    for (char *line = strtok_r(text, "\n", &save); NULL != line;
         line = strtok_r(NULL, "\n", &save)) {
        char *value = strchr(line, '=');

        for (size_t i = 0; NULL != value && i < set->count; ++i) {
            const collio_setting_t *row = &set->rows[i];

            if (!settings_agreed(set, i) || strlen(row->name) != (size_t) (value - line)
                || 0 != strncmp(row->name, line, strlen(row->name))) {
                continue;
            }
            collio_setting_format(row, values, mine, sizeof(mine));
            name_hint(row, hint, sizeof(hint));
            note(difference, size, row->name, hint, mine, value + 1);
            (void) collio_setting_parse(row, value + 1, 0, values);
            if (0 != strcmp(mine, value + 1) && collio_settings_set_has(set, row)
                && 0 == (row->flags & COLLIO_SETTING_NO_HINT)
                && strlen(value + 1) < MPI_MAX_INFO_VAL) {
                snprintf(hint, sizeof(hint), "collio_%s", row->name);
                collio_hint_set(info, hint, value + 1);
            }
        }
    }
}

static void apply_facts(collio_fact_t *facts, int count, const int64_t *root, char *difference,
                        size_t size)
{
    char mine[32], other[32];

    for (int i = 0; i < count; ++i) {
        snprintf(mine, sizeof(mine), "%lld", (long long) facts[i].value);
        snprintf(other, sizeof(other), "%lld", (long long) root[i]);
        note(difference, size, facts[i].name, "", mine, other);
        facts[i].value = root[i];
    }
}

/* The lowest rank whose values differed from rank 0 prints the difference. Collective. */
static int print_difference(ompi_communicator_t *comm, const char *difference)
{
    int rank = ompi_comm_rank(comm), size = ompi_comm_size(comm);
    int mine = '\0' == difference[0] ? size : rank, first = size;
    int rc = collio_allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm);

    if (OMPI_SUCCESS == rc && rank == first) {
        collio_help("collio", NULL, COLLIO_HELP_RANKS_DIFFER, rank, difference);
    }
    return rc;
}

enum { HASH, MINUS_HASH, WAITING };

int64_t collio_settings_set_offer(const collio_settings_set_t *set, ompi_communicator_t *comm,
                                  const void *values, const collio_fact_t *facts, int fact_count,
                                  int64_t mine[COLLIO_SETTINGS_FIELDS])
{
    mine[HASH] = settings_hash_of(set, values, facts, fact_count);
    mine[MINUS_HASH] = -mine[HASH];
    mine[WAITING] = collio_help_waiting(comm);
    return mine[HASH];
}

bool collio_settings_set_differ(const int64_t all[COLLIO_SETTINGS_FIELDS])
{
    return all[HASH] != -all[MINUS_HASH];
}

int collio_settings_set_settle(const collio_settings_set_t *set, ompi_communicator_t *comm,
                               opal_info_t *info, void *values, collio_fact_t *facts,
                               int fact_count, const int64_t all[COLLIO_SETTINGS_FIELDS])
{
    char difference[512] = "";
    package_t package;
    int rc;

    collio_help_agreed(comm, all[WAITING]);
    if (!collio_settings_set_differ(all)) {
        return OMPI_SUCCESS;
    }
    settings_pack(set, values, facts, fact_count, &package);
    rc = collio_bcast(&package, (int) sizeof(package), MPI_BYTE, comm);
    if (OMPI_SUCCESS != rc) {
        return rc;
    }
    package.text[sizeof(package.text) - 1] = '\0';
    apply_settings(set, package.text, info, values, difference, sizeof(difference));
    apply_facts(facts, fact_count, package.facts, difference, sizeof(difference));
    return print_difference(comm, difference);
}

int collio_settings_set_agree(const collio_settings_set_t *set, ompio_file_t *fh, void *values)
{
    enum { HINTS = COLLIO_SETTINGS_FIELDS, FIELDS };
    int64_t mine[FIELDS], all[FIELDS];
    int rc;

    do {
        collio_settings_set_resolve(set, fh->f_info, values);
        if (ompi_comm_size(fh->f_comm) < 2) {
            collio_help_flush();
            return OMPI_SUCCESS;
        }
        (void) collio_settings_set_offer(set, fh->f_comm, values, NULL, 0, mine);
        mine[HINTS] = collio_hint_file_offer(fh);
        rc = collio_allreduce(mine, all, FIELDS, MPI_INT64_T, MPI_MAX, fh->f_comm);
    } while (OMPI_SUCCESS == rc && collio_hint_file_settle(fh, all[HINTS]));
    return OMPI_SUCCESS != rc
               ? rc
               : collio_settings_set_settle(set, fh->f_comm, fh->f_info, values, NULL, 0, all);
}
