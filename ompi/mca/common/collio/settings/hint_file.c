/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Applies a hint file. See hint_file.h.
 *
 *   rank 0     reads the file and selects the hints for the name that it opens
 *   all ranks  one broadcast of their length, and one of the hints if there are any
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

static char *parameter;
static _Atomic(const void *) applier;

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

    *hints = '\0';
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

/* Sets the hints that the program has not set, if their values are allowed. */
static void set_hints(opal_info_t *info, const char *hints)
{
    char key[COLLIO_HINT_KEY_MAX + 1], value[COLLIO_HINT_VALUE_MAX + 1];
    char present[MPI_MAX_INFO_VAL + 1];

    while (collio_hint_file_next(&hints, key, value)) {
        if (!collio_hint_get(info, key, present, sizeof(present))) {
            collio_hint_set(info, key, value);
            (void) collio_hint_check(info, key);
        }
    }
}

void collio_hint_file_apply(const void *caller, ompio_file_t *fh)
{
    const void *none = NULL;
    char hints[COLLIO_HINT_TEXT_BYTES] = "";
    int bytes = 0;

    if (NULL == parameter || '\0' == *parameter || MPI_COMM_NULL == fh->f_comm) {
        return;
    }
    if (!atomic_compare_exchange_strong(&applier, &none, caller) && caller != none) {
        return;
    }
    if (OMPIO_ROOT == fh->f_rank) {
        select_hints(fh->f_filename, hints);
        bytes = (int) strlen(hints);
    }
    if (OMPI_SUCCESS != collio_bcast(&bytes, 1, MPI_INT, fh->f_comm) || 0 == bytes
        || OMPI_SUCCESS != collio_bcast(hints, bytes, MPI_CHAR, fh->f_comm)) {
        return;
    }
    hints[bytes] = '\0';
    set_hints(fh->f_info, hints);
}
