/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* For preloaded libraries, which define functions of libc under their own names. libc's headers
 * must not define them inline, check their buffers, or give them other names, whatever flags the
 * user, the distribution or the compiler's default adds: flags of a Makefile come before the user's
 * and lose. So this file is included before any header of libc. */
#ifndef IOPROF_RECORD_PLAIN_LIBC_H
#define IOPROF_RECORD_PLAIN_LIBC_H

#ifdef _FEATURES_H
#    error "plain_libc.h, or the header that includes it, comes before all headers of libc"
#endif

#undef _FORTIFY_SOURCE
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#ifndef __NO_INLINE__
#    define __NO_INLINE__ 1
#endif

#endif
