/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Output files. Names of profiles are easy to guess, and folders may be shared: a file is written
 * under another name, created new, and renamed when it is whole. What somebody else has put there,
 * a link, a pipe or a file, is never written to.
 *
 * System calls only: usable in a signal handler, and below the wrappers of libioprof.so. */
#ifndef IOPROF_PROFILE_OUTPUT_H
#define IOPROF_PROFILE_OUTPUT_H

struct ioprof_output {
    const char *path;
    const char *unfinished; /* name until the file is whole; NULL: a device, written in place */
};

/** A descriptor to write to, or -1 with errno. Both names stay the caller's. */
int ioprof_output_open(struct ioprof_output *output, const char *path, const char *unfinished);
/** After the descriptor was closed: gives the file its name if it is whole, else removes it. 0, or
 *  -1 with errno. */
int ioprof_output_end(const struct ioprof_output *output, int whole);
/** A message for an errno of these functions. */
const char *ioprof_output_error(int error);

#endif /* IOPROF_PROFILE_OUTPUT_H */
