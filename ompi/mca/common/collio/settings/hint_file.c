/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Applies a hint file. See hint_file.h.
 *
 *   rank 0     reads the file and selects the hints for the name that it opens
 *   all ranks  the length of the hints, in the next agreement of the open
 *              one broadcast of the hints, if there are any
 */
#include "settings/hint_file.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/hint_file.h"

#include "help/help.h"
#include "settings/hints.h"

#include "opal/mca/base/mca_base_var.h"

enum { FILE_BYTES_MAX = 1 << 20 };

enum { NO_PARAMETER = 0, USELESS_PARAMETER, PARAMETER }; /* PARAMETER + bytes of hints: rank 0 */

static char *parameter;
static _Atomic(const void *) applier;

/* Rank 0: the file that this thread opens, and its hints until the other ranks have them. */
static _Thread_local const ompio_file_t *opened;
static _Thread_local char *pending;

void collio_hint_file_register(void)
{
    (void) mca_base_var_register(
        "ompi", "common", "collio", "hints",
        "A file with hints: lines KEY VALUE, below lines [PATTERN] that match the names of files. "
        "Hints that the program sets win (docs/settings.md)",
        MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_3, MCA_BASE_VAR_SCOPE_READONLY,
        &parameter);
}

/* Returns the content of the file, which the caller frees; NULL and a reason if there is none. */
static char *read_file(const char **why_not)
{
    FILE *file = fopen(parameter, "r");
    char *text = NULL == file ? NULL : malloc(FILE_BYTES_MAX + 1);
    size_t bytes;

    *why_not = strerror(errno);
    if (NULL != text) {
        errno = 0;
        bytes = fread(text, 1, FILE_BYTES_MAX + 1, file);
        if (0 != ferror(file) || FILE_BYTES_MAX < bytes) {
            *why_not = 0 != ferror(file) ? strerror(errno) : "it is larger than 1 MiB";
            free(text);
            text = NULL;
        } else {
            text[bytes] = '\0';
        }
    }
    if (NULL != file) {
        (void) fclose(file);
    }
    return text;
}

/* Rank 0: selects the hints of a file. */
static void select_hints(const char *name, char hints[COLLIO_HINT_TEXT_BYTES])
{
    collio_hint_file_wrong_t wrong;
    const char *why_not;
    char line[81];
    char *text = read_file(&why_not);

    if (NULL == text) {
        collio_help("collio", NULL, COLLIO_HELP_HINT_FILE, parameter, why_not);
        return;
    }
    collio_hint_file_select(text, name, hints, &wrong);
    if (0 < wrong.lines) {
        (void) snprintf(line, sizeof(line), "%.*s", wrong.length, wrong.text);
        collio_help("collio", NULL, COLLIO_HELP_HINT_FILE_LINE, wrong.first, parameter, line,
                    wrong.lines);
    }
    free(text);
}

/* Sets the hints that begin with `prefix` and that the program has not set, if their values are
 * allowed. */
static void set_hints(opal_info_t *info, const char *hints, const char *prefix)
{
    char key[COLLIO_HINT_KEY_MAX + 1], value[COLLIO_HINT_VALUE_MAX + 1];
    char present[MPI_MAX_INFO_VAL + 1];

    while (collio_hint_file_next(&hints, key, value)) {
        if (0 == strncmp(key, prefix, strlen(prefix))
            && !collio_hint_get(info, key, present, sizeof(present))) {
            collio_hint_set(info, key, value);
            (void) collio_hint_check(info, key);
        }
    }
}

/* Sets or clears the hints that wait for the agreement. */
static void keep_pending(const ompio_file_t *fh, char *hints)
{
    free(pending);
    pending = hints;
    opened = fh;
}

/* True if a user has set the parameter. */
static bool named(void)
{
    return NULL != parameter && '\0' != *parameter;
}

void collio_hint_file_read(const void *caller, ompio_file_t *fh)
{
    const void *none = NULL;
    char *hints;

    if (!named() || MPI_COMM_NULL == fh->f_comm || OMPIO_ROOT != fh->f_rank) {
        return;
    }
    if (!atomic_compare_exchange_strong(&applier, &none, caller) && caller != none) {
        return;
    }
    hints = calloc(1, COLLIO_HINT_TEXT_BYTES);
    if (NULL != hints) {
        select_hints(fh->f_filename, hints);
        set_hints(fh->f_info, hints, "strip");
    }
    keep_pending(fh, hints);
}

int64_t collio_hint_file_offer(const ompio_file_t *fh)
{
    if (!named()) {
        return NO_PARAMETER;
    }
    if (OMPIO_ROOT != fh->f_rank) {
        return USELESS_PARAMETER;
    }
    return PARAMETER + (opened == fh && NULL != pending ? (int64_t) strlen(pending) : 0);
}

/* Rank 0 broadcasts its hints, which have this many bytes. */
static void share_hints(ompio_file_t *fh, int bytes)
{
    char hints[COLLIO_HINT_TEXT_BYTES] = "";

    if (OMPIO_ROOT == fh->f_rank) {
        memcpy(hints, pending, (size_t) bytes);
        keep_pending(NULL, NULL);
    }
    if (OMPI_SUCCESS == collio_bcast(hints, bytes, MPI_CHAR, fh->f_comm)) {
        set_hints(fh->f_info, hints, "");
    }
}

bool collio_hint_file_settle(ompio_file_t *fh, int64_t highest)
{
    if (USELESS_PARAMETER == highest && OMPIO_ROOT == fh->f_rank) {
        collio_help("collio", NULL, COLLIO_HELP_HINT_FILE_RANK);
    }
    if (PARAMETER < highest) {
        share_hints(fh, (int) (highest - PARAMETER));
    }
    return PARAMETER < highest;
}
