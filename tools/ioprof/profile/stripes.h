/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* How Lustre describes the stripes of a file. */
#ifndef IOPROF_PROFILE_STRIPES_H
#define IOPROF_PROFILE_STRIPES_H

#include <stddef.h>
#include <stdint.h>

struct ioprof_stripes {
    uint64_t bytes; /* size of a stripe; 0: not known */
    uint64_t count;
};

/** Reads the extended attribute lustre.lov. Of a file with several components it is the last one
 *  that exists: the one that holds the end of the file. */
struct ioprof_stripes ioprof_lustre_stripes(const unsigned char *data, size_t bytes);

#endif /* IOPROF_PROFILE_STRIPES_H */
