# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
#
# --help of a runner in bash: the comment at its top. (Runners in Python: their first string, see
# test/mpi/lib/launch.py.)
case ${1:-} in
-h | --help)
    awk 'NR > 3 && !/^#/ {exit} NR > 3 && !/shellcheck/ {sub(/^# ?/, ""); print}' "$0"
    exit 0
    ;;
esac
