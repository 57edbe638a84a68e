/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
#ifndef COLLIO_CORES_H
#define COLLIO_CORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * The cores on which the threads of a rank run. mpirun binds a rank to a core or a socket, and
 * threads inherit that: four threads of a rank that is bound to one core are no faster than one.
 */
enum { COLLIO_CORES_MAX = 8192 }; /* CPUs that the kernel supports */

/** A set of logical CPUs, with the layout of the kernel's masks on 64-bit machines. */
typedef struct collio_cores_t {
    uint64_t word[COLLIO_CORES_MAX / 64]; /* CPU i is bit i % 64 of word i / 64 */
} collio_cores_t;

static inline void collio_cores_add(collio_cores_t *cores, int cpu)
{
    cores->word[cpu / 64] |= UINT64_C(1) << cpu % 64;
}

/** Returns the number of CPUs. */
int collio_cores_count(const collio_cores_t *cores);

/** True if each CPU of `part` is in `whole`. */
bool collio_cores_within(const collio_cores_t *part, const collio_cores_t *whole);

/** Extends `own`, to which a rank is bound, by the CPUs of `job` that no other rank is bound to.
 *  A rank whose set is not a proper part of `job` is not bound and occupies no CPU. Leaves `own` as
 *  it is if it has CPUs that are not in `job`: then another program than mpirun has set it. */
void collio_cores_extend(collio_cores_t *own, const collio_cores_t *job,
                         const collio_cores_t *others, size_t count);

/** Writes the set as the kernel does ("0-3,8"). Returns the length; a list that is too long ends
 *  with "...". */
size_t collio_cores_format(const collio_cores_t *cores, char *text, size_t bytes);

#endif /* COLLIO_CORES_H */
