/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Names of files are bytes that anybody may have chosen: in a report they must neither reach a
 * terminal as an escape sequence nor look like a line of the report. */
#ifndef IOPROF_PROFILE_PRINTABLE_H
#define IOPROF_PROFILE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>

struct ioprof_profile;

/** Number of bytes of the UTF-8 character at `at`, which goes to *code; 0 if there is none. */
int ioprof_character(const unsigned char *at, uint32_t *code);
/** Whether a character changes a line instead of being seen in it: control characters, separators
 *  of lines, marks of direction. */
int ioprof_is_control(uint32_t code);

/** The text with control characters, bytes that are no UTF-8, and backslashes as escapes: \n, \\,
 *  \x1b, as in C. `keep` is a byte that stays as it is, or 0. The result goes to `out`, which may
 *  be NULL; the length without the final 0 is returned. */
size_t ioprof_printable(const char *text, char keep, char *out);

/** The same in memory from malloc, with no byte kept; NULL if there is none. */
char *ioprof_printable_copy(const char *text);

/** Makes every string of a profile printable; line ends between hints stay. Reports for people
 *  begin with it. 0, or -1 if there is no memory. */
int ioprof_make_printable(struct ioprof_profile *profile);

#endif /* IOPROF_PROFILE_PRINTABLE_H */
