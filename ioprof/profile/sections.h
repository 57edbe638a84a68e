/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* The sections of the file format, ioprof/format.md: each is described once, by a function
 * that writes or reads it. */
#ifndef IOPROF_PROFILE_SECTIONS_H
#define IOPROF_PROFILE_SECTIONS_H

#include "profile/profile.h"

/** One direction of the format. */
struct ioprof_codec {
    struct ioprof_buffer *out; /* NULL: the codec reads */
    struct ioprof_cursor
        in; /* payload of the section; `bad` if it does not hold what it announces */
    struct ioprof_profile *p; /* not changed if the codec writes */
};

/** EVNT, the last one, is read only: its payload stays encoded. */
enum { IOPROF_SECTIONS = 11, IOPROF_SECTION_EVENTS = IOPROF_SECTIONS - 1 };
extern const struct ioprof_section {
    char tag[5];
    void (*code)(struct ioprof_codec *codec);
} ioprof_sections[IOPROF_SECTIONS];

#endif /* IOPROF_PROFILE_SECTIONS_H */
