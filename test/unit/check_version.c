/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */

/* Which Open MPI a build may run in. */
#include "version.h"

#include "unit.h"

static bool fits(const char *built, const char *running)
{
    collio_version_t a, b;

    ck_assert(collio_version_parse(built, &a));
    ck_assert(collio_version_parse(running, &b));
    return collio_version_fits(&a, &b);
}

UNIT_TEST(version_is_found_in_the_text)
{
    collio_version_t version;

    ck_assert(collio_version_parse("Open MPI v4.1.4, package: Debian, ident: 4.1.4", &version));
    ck_assert(4 == version.major && 1 == version.minor && 4 == version.release);
    ck_assert(collio_version_parse("Open MPI v6.0.0rc2", &version));
    ck_assert(6 == version.major && 0 == version.minor && 0 == version.release);
    ck_assert(collio_version_parse("5.0", &version));
    ck_assert(5 == version.major && 0 == version.minor && 0 == version.release);
    ck_assert(!collio_version_parse("MPICH", &version));
    ck_assert(!collio_version_parse("", &version));
}

UNIT_TEST(version_41_lacked_a_member_before_413)
{
    ck_assert(fits("4.1.4", "4.1.4"));
    ck_assert(fits("4.1.3", "4.1.8"));
    ck_assert(fits("4.1.8", "4.1.3"));
    ck_assert(!fits("4.1.4", "4.1.0"));
    ck_assert(!fits("4.1.2", "4.1.3"));
    ck_assert(fits("4.1.0", "4.1.2"));
}

UNIT_TEST(version_507_moved_a_member)
{
    ck_assert(fits("5.0.0", "5.0.6"));
    ck_assert(fits("5.0.10", "5.0.7"));
    ck_assert(!fits("5.0.6", "5.0.7"));
    ck_assert(!fits("5.0.7", "5.0.6"));
}

UNIT_TEST(version_unknown_ones_fit_themselves_only)
{
    ck_assert(fits("6.0.0", "6.0.0"));
    ck_assert(!fits("6.0.0", "6.0.1"));
    ck_assert(fits("4.1.9", "4.1.9"));
    ck_assert(!fits("4.1.8", "4.1.9"));
    ck_assert(!fits("4.1.9", "4.1.8"));
    ck_assert(!fits("5.0.10", "5.0.11"));
    ck_assert(!fits("4.1.4", "4.0.4"));
    ck_assert(!fits("4.1.4", "5.1.4"));
    ck_assert(!fits("5.0.7", "5.1.7"));
}

UNIT_TEST(version_candidates_fit_themselves_only)
{
    ck_assert(fits("6.0.0rc2", "Open MPI v6.0.0rc2, package: Debian"));
    ck_assert(!fits("6.0.0rc2", "6.0.0"));
    ck_assert(!fits("6.0.0", "6.0.0rc2"));
    ck_assert(!fits("6.0.0rc2", "Open MPI v6.0.0rc3, package: Debian"));
    ck_assert(!fits("6.1.0a1", "6.1.0"));
    /* where every release of a range is alike, so are its candidates */
    ck_assert(fits("4.1.7a1", "4.1.7"));
    ck_assert(fits("4.1.5rc2", "4.1.6"));
}

UNIT_TEST(version_long_suffix_is_cut)
{
    ck_assert(fits("6.1.0a1-of-a-branch-with-a-long-name", "6.1.0a1-of-a-branch-with-a-long-name"));
    ck_assert(
        !fits("6.1.0a1-of-a-branch-with-a-long-name", "6.1.0a2-of-a-branch-with-a-long-name"));
}
