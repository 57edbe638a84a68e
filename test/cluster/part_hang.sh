# shellcheck shell=bash
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# The part "hang" of the cluster suite: a job on several nodes hangs on purpose (test/fault/t_hang), SIGUSR1 of
# mpirun reaches the ranks of all nodes, and collio-hang names the ranks that the others wait for. Read by run.
# shellcheck disable=SC2154 # work, ranks, vc: variables of run

# Sends the signal until collio-hang prints what is expected. A signal before all ranks have opened their records
# would end a rank.
ask_ranks() { # PATTERN...
    local tries pattern
    for ((tries = 0; tries < 60; tries++)); do
        sleep 1
        (("$(find "$work/records" -type f | wc -l)" == ranks)) || continue
        "$vc" exec head kill -USR1 "$(<"$work/mpirun.pid")"
        sleep 1
        "$COLLIO_SRC/tools/info/collio-hang" "$work/records" >"$work/hang.log" 2>&1
        for pattern; do grep -q -E "$pattern" "$work/hang.log" || continue 2; done
        return 0
    done
    cat "$work/log" >>"$work/hang.log"
    return 1
}

hang_case() { # FCOLL LAYOUT MAPPING PLAN PATTERN...
    local fcoll=$1 layout=$2 map=$3 plan=$4 job
    shift 4
    cluster "$(tr -cd , <<<"$layout," | wc -c)"
    hosts "$layout"
    rm -rf "$work/records" "$work/mpirun.pid"
    mkdir "$work/records"
    VCLUSTER_MPIRUN=$work/mpirun "$vc" mpirun --hostfile "$work/hosts" -np "$ranks" --map-by "$map" \
        --mca fcoll "$fcoll" --mca common_collio_hang "$work/records" -x T_DIR="$work" \
        "$COLLIO_BUILD/test/fault/t_hang" "$plan" >"$work/log" 2>&1 </dev/null &
    job=$!
    if ask_ranks "$@"; then
        ok "hang: $fcoll, $layout by $map, $plan"
    else
        not_ok "hang: $fcoll, $layout by $map, $plan" "$work/hang.log"
    fi
    "$vc" exec head kill -TERM "$(<"$work/mpirun.pid")" 2>/dev/null
    wait "$job" 2>/dev/null
}

hang_of() {
    hang_case "$1" 2,2 slot never 'call 1 \(write\): ranks 0-2 in phase agree' \
        'rank 3 did not arrive \(world rank 3, node1, process [0-9]+\): it is not in a collective call'
    hang_case "$1" 2,1,2 node cross \
        'rank 4 did not arrive \(world rank 4, node2, process [0-9]+\): it is in call 1 \(write\) of .*second' \
        'these ranks wait for each other' 'world rank 4 is in call 1 .*second'
}

part_hang() {
    if ! make -s -C "$COLLIO_BUILD/test/fault" check TESTS= >"$work/log" 2>&1; then
        not_ok 'hang: the programs of test/fault do not build' "$work/log"
        return
    fi
    # shellcheck disable=SC2016 # the shell on the head expands it
    printf '#!/bin/sh\necho $$ >%q\nexec mpirun "$@"\n' "$work/mpirun.pid" >"$work/mpirun"
    chmod +x "$work/mpirun"
    each_fcoll hang hang_of
}
