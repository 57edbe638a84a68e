# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash disable=SC2034 # suites use the variables
#
# What the suites in bash share. A suite's run begins with: . "$(dirname "$0")/../suite.sh"
#
#   here, src, build, mode    the directory of the suite, of the source, of the build; COLLIO_TEST_MODE
#   scratch                   a directory that is removed at the end
#   failed                    1 after a test that failed: the suite ends with it
#
# A suite's --help prints the comment at its top (test/help.sh).
set -uo pipefail
. "$(dirname "${BASH_SOURCE[0]}")/help.sh"

here=$(cd "$(dirname "$0")" && pwd)
export COLLIO_SRC=${COLLIO_SRC:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
export COLLIO_BUILD=${COLLIO_BUILD:-$COLLIO_SRC/build}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
src=$COLLIO_SRC build=$COLLIO_BUILD mode=${COLLIO_TEST_MODE:-pairwise} failed=0
scratch=$(mktemp -d "${TMPDIR:-/tmp}/collio-test.XXXXXX") || exit 1
trap 'rm -rf -- "$scratch"' EXIT

# Builds the programs of test/SUITE, and puts the components of the build in front of Open MPI's.
programs() { # SUITE
    (
        unset MAKEFLAGS MFLAGS MAKELEVEL
        make -s --no-print-directory -C "$build/test/$1" check TESTS=
    ) || exit 1
    eval "$("$build/ompi-env")"
}

ok() { printf 'ok %s\n' "$*"; }
skip() { printf 'skip %s\n' "$*"; } # NAME # REASON
not_ok() { # NAME [LOG]
    failed=1
    [ -z "${2:-}" ] || grep -v -e '^---' -e 'setpgid' "$2" | tail -n 200 | sed 's/^/    /'
    printf 'not ok %s\n' "$1"
}

# One test: a command that returns 0. What it prints is shown when it does not.
check() { # NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$scratch/check.log" 2>&1; then ok "$name"; else not_ok "$name" "$scratch/check.log"; fi
}

# The same for a command that may be impossible here: it returns 77, and its last line is the reason.
check_or_skip() { # NAME COMMAND...
    local name=$1 rc
    shift
    "$@" >"$scratch/check.log" 2>&1
    rc=$?
    case $rc in
    0) ok "$name" ;;
    77) skip "$name # $(tail -n 1 "$scratch/check.log")" ;;
    *) not_ok "$name" "$scratch/check.log" ;;
    esac
}
