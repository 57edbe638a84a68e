# shellcheck shell=bash
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# Part `vcluster` of test/cluster/run: the tool itself. Read by run.
# shellcheck disable=SC2154,SC2317 # vc, work, bin: variables of run; functions are called by their names

# Processes on the host that hold the namespaces of this run's clusters: by the script's name, and the
# state directory in their environment, because another suite may have clusters, too.
processes_of() {
    local pid
    for pid in $(pgrep -f -- "$vc _"); do
        tr '\0' '\n' <"/proc/$pid/environ" 2>/dev/null | grep -q -x -F "VCLUSTER_STATE=$VCLUSTER_STATE" &&
            echo "$pid"
    done | wc -l
}

gone() { # gone TEXT: within 10 s no process has it in its command line
    local i
    for ((i = 0; i < 100; i++)); do
        pgrep -f -- "$1" >/dev/null || return 0
        sleep 0.1
    done
    return 1
}

part_vcluster() {
    cluster 2
    check 'vcluster: a second "up" is refused' refuses 1 "already" "$vc" up 2
    check 'vcluster: unknown nodes are refused' refuses 1 "no 'node7'" "$vc" exec 7 true
    check 'vcluster: wrong rates are refused' refuses 1 "rate 'fast'" "$vc" rate fast
    check 'vcluster: host names' test "$("$vc" exec 1 hostname)" = node1
    check 'vcluster: exit status of a command' refuses 42 '' "$vc" exec 0 sh -c 'exit 42'
    check 'vcluster: nothing of the host network inside' own_network
    check 'vcluster: a link limit is set and taken off' rate_roundtrip
    check 'vcluster: a command ends with its caller' ends_with_caller
    check 'vcluster: clusters by name do not touch each other' two_clusters
    check 'vcluster: an interrupted "up" leaves nothing' interrupted_up
    check 'vcluster: a cluster ends at its time' ends_at_ttl
    check 'vcluster: exit 77 where namespaces are forbidden' forbidden
    if VCLUSTER_NAME=user "$vc" up 2 --userns >"$work/log" 2>&1; then
        VCLUSTER_NAME=user mpi_test 'vcluster: with a user namespace' 120 2,2 slot \
            -x T_DIR="$work" "$bin/t_nodes" 2,2
        VCLUSTER_NAME=user "$vc" down >/dev/null
    else
        skip "vcluster: with a user namespace # $(tail -n 1 "$work/log")"
    fi
}

refuses() { # refuses STATUS TEXT CMD...: it ends with that status and says TEXT
    local status=$1 text=$2 rc
    shift 2
    "$@" >"$work/said" 2>&1
    rc=$?
    cat "$work/said"
    [[ $rc == "$status" ]] && { [[ -z $text ]] || grep -q -F -- "$text" "$work/said"; }
}

own_network() {
    "$vc" exec 0 sh -c 'ls /sys/class/net' | sort | tr '\n' ' ' | grep -x 'ctl0 eth0 lo '
}

rate_roundtrip() {
    "$vc" rate 100mbit && "$vc" exec 0 tc qdisc show dev eth0 | grep 'tbf.*100Mbit' &&
        "$vc" rate off && ! "$vc" exec 0 tc qdisc show dev eth0 | grep tbf
}

ends_with_caller() {
    local pid
    "$vc" exec 1 sleep 54321 &
    pid=$!
    sleep 1
    pgrep -f 'sleep 54321' && kill -TERM "$pid" && gone 'sleep 54321'
}

two_clusters() {
    local pid other
    "$vc" exec 0 sleep 54322 &
    pid=$!
    VCLUSTER_NAME=other "$vc" up 1 && other=$(VCLUSTER_NAME=other "$vc" exec 0 ps ax) &&
        VCLUSTER_NAME=other "$vc" down || return
    printf '%s\n' "$other"
    kill -0 "$pid" && ! grep -q 54322 <<<"$other" && kill "$pid" && gone 'sleep 54322'
}

interrupted_up() {
    local pid before
    before=$(processes_of)
    VCLUSTER_NAME=early "$vc" up 8 &
    pid=$!
    sleep 0.15
    kill -TERM "$pid"
    wait "$pid"
    [[ ! -e $VCLUSTER_STATE/early ]] && [[ $(processes_of) == "$before" ]]
}

ends_at_ttl() {
    local i
    VCLUSTER_NAME=brief "$vc" up 1 --ttl 1 || return
    for ((i = 0; i < 100; i++)); do
        VCLUSTER_NAME=brief "$vc" status >/dev/null || break
        sleep 0.1
    done
    ((i < 100)) && VCLUSTER_NAME=brief "$vc" down
}

# A user namespace in which no further one is allowed, entered without any capability.
forbidden() {
    unshare --user --map-root-user true || return 0
    # shellcheck disable=SC2016
    VCLUSTER_NAME=none unshare --user --map-root-user sh -c '
        echo 0 >/proc/sys/user/max_user_namespaces &&
        exec setpriv --bounding-set -all "$0" up 2' "$vc" >"$work/said" 2>&1
    [[ $? == 77 ]] && cat "$work/said" && grep 'vcluster: skipped: ' "$work/said"
}
