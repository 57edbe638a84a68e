# shellcheck shell=bash disable=SC2154,SC2034 # variables of test/cluster/run
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# The part "budget" of test/cluster/run, which reads this file: nodes with uneven memory.

# Nodes of one machine have its memory in common; what each has is said by memory_available, and by
# limits on the address space of the processes of all nodes but one.
budget_of() {
    cluster 3
    mpi_test "budget: $1, three nodes, one with memory" 240 3,2,3 slot --mca fcoll "$1" \
        -x COLLIO_FCOLL="$1" -x T_DIR="$work" "$COLLIO_BUILD/test/mpi/t_memory" nodes
}

# Kernel limits: the second node may have so much that its ranks and their data fit, but not the
# buffers that are asked for. The plain policy is killed there; without the limit it completes.
cgroups_of() {
    local fcoll=$1 status=0 run=(--mca fcoll "$1" -x COLLIO_FCOLL="$1" -x T_DIR="$work"
        "$COLLIO_BUILD/test/mpi/t_memory" cgroups)
    cluster 3
    mpi_test "budget: $fcoll, no limit, partition even completes" 240 3,2,3 slot "${run[@]}" even
    "$vc" memory 56m node1 >"$work/log" 2>&1 || status=$?
    if ((status != 0)); then
        skip "budget: $fcoll, nodes in cgroups # $(sed 's/^vcluster: skipped: //' "$work/log")"
        return
    fi
    if mpi 240 3,2,3 slot "${run[@]}" even || ! grep -q 'signal 9' "$work/log"; then
        not_ok "budget: $fcoll, 56 MiB on a node, partition even is killed" "$work/log"
    else
        ok "budget: $fcoll, 56 MiB on a node, partition even is killed"
    fi
    mpi_test "budget: $fcoll, 56 MiB on a node, partition memory completes" 240 3,2,3 slot \
        "${run[@]}" memory
    mpi_test "budget: $fcoll, 56 MiB on a node, partition auto completes" 240 3,2,3 slot \
        "${run[@]}" auto
    "$vc" down >/dev/null # the limit goes with it
    nodes_up=0
}

part_budget() {
    programs_of_mpi budget || return
    each_fcoll budget budget_of
    each_fcoll cgroups cgroups_of
}
