/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_GUARD_H
#define COLLIO_GUARD_H

#include "access/access.h"
#include "compat/compat.h"

/**
 * Data sieving of writes, per file handle. It puts bytes back that were read before, so it is right
 * only if every writer of the handle takes locks: the fcoll's collective calls and everything that
 * goes through the fbtl. Hence the rule: it is done if on ALL ranks somebody asked for it,
 * fbtl/mtpwrite serves the handle, and the file system gave a lock. The ranks agree on that when
 * fcoll/overlap or fcoll/tam attaches to the handle; with another fcoll there is no agreement, and
 * only a handle of a single process can sieve writes.
 */

typedef struct collio_guard_t {
    bool asked;             /* a parameter or hint asks for sieved writes */
    bool settled;           /* it is decided whether writes are sieved */
    bool on;                /* the decision: writes are sieved */
    uint64_t flushed;       /* bytes of individual writes when guard_written() was called last */
    collio_tuning_t tuning; /* settings of the fbtl */
    const collio_access_t *individual; /* access of the fbtl; NULL before its first transfer */
} collio_guard_t;

/** From fbtl/mtpwrite when it is chosen for a handle. asked: a parameter or hint asks for sieved
 *  writes. tuning: its settings, which every access struct of the handle takes over, that of
 *  direct collective calls too. 0 or -ENOMEM. Local. */
int collio_guard_offer(ompio_file_t *fh, bool asked, const collio_tuning_t *tuning);
/** Does fbtl/mtpwrite serve the handle on this rank? Local. */
bool collio_guard_offered(const ompio_file_t *fh);
/** What guard_offer() got; zeros without fbtl/mtpwrite. Local. */
collio_tuning_t collio_guard_tuning(const ompio_file_t *fh);
/** The handle is closed. */
void collio_guard_end(ompio_file_t *fh);

enum { COLLIO_GUARD_FIELDS = 2 };
/** What a rank contributes to an agreement; each field's maximum over the ranks counts. */
void collio_guard_ask(ompio_file_t *fh, collio_access_t *access,
                      int64_t fields[COLLIO_GUARD_FIELDS]);
/** The result, with the maxima: sets access->sieve_writes. Collective over fh->f_comm. NULL, or why
 *  it is not done although somebody asked for it. */
const char *collio_guard_settle(ompio_file_t *fh, collio_access_t *access,
                                const int64_t fields[COLLIO_GUARD_FIELDS]);

/** May there be individual writes since this function was called last? Local. */
bool collio_guard_written(ompio_file_t *fh);

/** With the maxima: does fbtl/mtpwrite serve the handle on all ranks? */
bool collio_guard_serves_all(const int64_t fields[COLLIO_GUARD_FIELDS]);

/** For the fbtl's own access, from the first transfer on: sets access->sieve_writes by what was
 *  settled. NULL, or why writes are not sieved although this rank asked for it; once. */
const char *collio_guard_use(ompio_file_t *fh, collio_access_t *access);

#endif /* COLLIO_GUARD_H */
