# shellcheck shell=bash disable=SC2034,SC2154 # variables are those of run
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# Parts of the cluster suite, read by run: contract and hang (programs of test/fault where not all ranks
# share memory), pointer, fuzz (random sequences), lost (a node that is killed) silent (a link that is
# cut) and starve (a rank that runs out of memory).

contract_of() {
    local fcoll=$1 layout map layouts="2,2 1,1,1 4,1,3" fbtl=posix program
    [[ $fcoll == overlap || $mode == full ]] || return 0 # the same code
    [[ $mode != full ]] || layouts+=" 1,2 2,5,1,3 8,8,8,8"
    for layout in $layouts; do
        cluster_for "$layout"
        [[ ${map:-node} == slot ]] && map=node || map=slot
        [[ $fbtl == posix ]] && fbtl=mtpwrite || fbtl=posix
        for program in t_contract t_outstanding; do
            mpi_cases "contract: $fcoll, $layout by $map" "$COLLIO_BUILD/test/fault/$program" 240 \
                "$layout" "$map" --mca fcoll "$fcoll" --mca fbtl "$fbtl" -x COLLIO_FCOLL="$fcoll" \
                -x T_DIR="$work" -x LD_PRELOAD="$COLLIO_BUILD/test/fault/.libs/libfault.so"
        done
    done
}
part_contract() { programs_of fault contract && each_fcoll contract contract_of; }

# Shared file pointers, which are then kept in a file beside the data.
part_pointer() {
    local layout map=node
    programs_of mpi pointer || return
    for layout in 2,1 3,1,2; do
        cluster_for "$layout"
        [[ $map == slot ]] && map=node || map=slot
        mkdir -p "$work/pointer"
        mpi_cases "pointer: $layout by $map" "$COLLIO_BUILD/test/mpi/t_pointer" 240 "$layout" "$map" \
            --mca fcoll overlap -x T_DIR="$work/pointer"
        check "pointer: $layout leaves nothing" test -z "$(ls -A "$work/pointer")"
    done
}

# A path that only node0 has: an error on all ranks, and a line that names the other nodes. The stock fcoll
# hangs in the first open; then collio-hang names the ranks, if any component of collio is loaded.
part_private() {
    local node
    programs_of fault private || return
    cluster_for 2,1,2
    mkdir -p "$work/private"
    for node in node1 node2; do "$vc" exec "$node" mount -t tmpfs none "$work/private" || return; done
    mpi_test "private: 2,1,2" 120 2,1,2 slot --mca fcoll overlap \
        "$COLLIO_BUILD/test/fault/t_private" "$work/private/file" "$work/all"
    check "private: the nodes are named" grep -q 'cannot be opened on node1, node2, while' "$work/log"
    hang_case "private: fcoll vulcan hangs" 2,1,2 slot {"0 .node0","4 .node2"}', .* is in MPI_File_open$' \
        -- --mca fcoll vulcan "$COLLIO_BUILD/test/fault/t_private" "$work/all" "$work/private/stock"
    for node in node1 node2; do "$vc" exec "$node" umount "$work/private"; done
}

# A job hangs on purpose (t_hang): SIGUSR1 of mpirun reaches the ranks of all nodes, and collio-hang names
# the ranks that the others wait for.
# Sends the signal until collio-hang prints what is expected. A signal before all ranks have opened their records
# would end a rank.
ask_ranks() { # PATTERN...
    local tries pattern
    for ((tries = 0; tries < 60; tries++)); do
        sleep 1
        (("$(find "$work/records" -type f | wc -l)" == ranks)) || continue
        "$vc" exec head kill -USR1 "$(<"$work/mpirun.pid")"
        sleep 1
        "$COLLIO_SRC/info/collio-hang" "$work/records" >"$work/hang.log" 2>&1
        for pattern; do grep -q -E "$pattern" "$work/hang.log" || continue 2; done
        return 0
    done
    cat "$work/log" >>"$work/hang.log"
    return 1
}

hang_case() { # NAME LAYOUT MAPPING PATTERN... -- MPIRUN-ARGS... PROGRAM ARGS...
    local name=$1 layout=$2 map=$3 patterns=() job
    shift 3
    while [[ $1 != -- ]]; do patterns+=("$1") && shift; done
    shift
    cluster_for "$layout"
    hosts "$layout"
    rm -rf "$work/records" "$work/mpirun.pid"
    mkdir "$work/records"
    # shellcheck disable=SC2016 # the shell on the head expands it
    printf '#!/bin/sh\necho $$ >%q\nexec mpirun "$@"\n' "$work/mpirun.pid" >"$work/mpirun"
    chmod +x "$work/mpirun"
    VCLUSTER_MPIRUN=$work/mpirun "$vc" mpirun --hostfile "$work/hosts" -np "$ranks" --map-by "$map" \
        --mca common_collio_hang "$work/records" -x T_DIR="$work" "$@" >"$work/log" 2>&1 </dev/null &
    job=$!
    if ask_ranks "${patterns[@]}"; then
        ok "$name"
    else
        not_ok "$name" "$work/hang.log"
    fi
    "$vc" exec head kill -TERM "$(<"$work/mpirun.pid")" 2>/dev/null
    wait "$job" 2>/dev/null
}

hang_of() {
    local args=(--mca fcoll "$1" --mca fcoll_tam_exchange on "$COLLIO_BUILD/test/fault/t_hang")
    hang_case "hang: $1, 2,2 by slot, never" 2,2 slot 'call 1 \(write\): ranks 0-2 in phase agree' \
        'rank 3 did not arrive \(world rank 3, node1, process [0-9]+\): it is not in a collective call' \
        -- "${args[@]}" never
    hang_case "hang: $1, 2,1,2 by node, cross" 2,1,2 node \
        'rank 4 did not arrive \(world rank 4, node2, process [0-9]+\): it is in call 1 \(write\) of .*second' \
        'these ranks wait for each other' 'world rank 4 is in call 1 .*second' -- "${args[@]}" cross
}

part_hang() {
    programs_of fault hang || return
    each_fcoll hang hang_of
}

# Random sequences on several nodes, as test/fuzz runs them on one: the same ones every time. The
# words left out are those of KNOWN in test/fuzz/lib/shrink.py.
fuzz_of() {
    local rounds=6 map seed=7
    [[ $mode != full ]] || rounds=200
    cluster 3
    for map in node slot; do
        mpi_test "fuzz: $1, 2,1,2 by $map" 240 2,1,2 "$map" --mca fcoll "$1" --mca fbtl mtpwrite \
            -x T_DIR="$work" "$COLLIO_BUILD/test/fuzz/t_fuzz" --seed "$seed" --count "$rounds" \
            --progress "$work/progress" --without seek_end,shared,preallocate
        seed=1007
    done
}
part_fuzz() { programs_of fuzz fuzz && each_fcoll fuzz fuzz_of; }

# A node goes away in the middle: its ranks and its daemon are killed at once. The launcher must end
# the job, in bounded time, and the other node keeps no segment.
# shellcheck disable=SC2016 # expanded on the node
kill_node='me=$(readlink /proc/self/ns/uts)
for p in /proc/[0-9]*; do
    case $(cat "$p/comm" 2>/dev/null) in
    t_load | orted | prted) [ "$(readlink "$p/ns/uts")" != "$me" ] || kill -9 "${p#/proc/}" ;;
    esac
done'
lost_of() {
    local rc killer
    cluster 2
    (
        for ((i = 0; i < 600; i++)); do # until its ranks work
            ! ls "$work"/load.calls.0 >/dev/null 2>&1 || break
            sleep 0.1
        done
        sleep 1
        "$vc" exec 1 sh -c "$kill_node"
    ) &
    killer=$!
    mpi 180 2,2 slot --mca fcoll "$1" --mca fbtl mtpwrite -x T_DIR="$work" \
        "$COLLIO_BUILD/test/load/t_load" calls 100000000
    rc=$?
    wait "$killer"
    rm -f "$work"/load.*
    check "lost: $1, a killed node ends the job ($rc)" test "$rc" != 0 -a "$rc" != 124
    check "lost: $1, nothing is left in /dev/shm" nothing_left
}

part_lost() { programs_of load lost && each_fcoll lost lost_of; }

# A link goes silent in the middle: what node 1 sends to node 0 goes to an address that nobody has.
# Nothing tells the ranks, and only `timeout` ends their calls, on both sides.
left_calls() { # all of the N ranks have left their call, with an error
    (($(cat "$work"/silent.* 2>/dev/null | grep -cvx 0) == $1))
}

silent_of() {
    local cutter node0
    cluster 2
    node0=$("$vc" exec 0 ip -o -4 addr show dev eth0 | sed -E 's/.*inet ([0-9.]+).*/\1/')
    rm -f "$work"/silent.* "$work/lost"
    (
        for ((i = 0; i < 600; i++)); do # until its ranks work
            [[ ! -s $work/lost ]] || break
            sleep 0.1
        done
        sleep 1
        "$vc" exec 1 ip neigh replace "$node0" lladdr 02:00:00:00:00:99 dev eth0 nud permanent
    ) &
    cutter=$!
    mpi 60 2,2 slot --mca fcoll "$1" --mca fbtl mtpwrite -x T_DIR="$work" \
        -x T_HINTS=exchange=on,timeout=3 "$COLLIO_BUILD/test/fault/t_lost" 0 silent
    wait "$cutter"
    check "silent: $1, all ranks leave their call with an error" left_calls 4
    rm -f "$work"/silent.* "$work/lost"
    "$vc" exec 1 ip neigh del "$node0" dev eth0
}

part_silent() { programs_of fault silent && each_fcoll silent silent_of; }

# ---- starve --------------------------------------------------------------------------------------

# One rank cannot have one allocation, each of them in turn: the same error everywhere, no hang.
starve() { # FCOLL NAME VICTIM HINTS
    local step=9 fault=$COLLIO_BUILD/test/fault
    [[ $mode != full ]] || step=1
    mpi_test "starve: $1, $2, rank $3" 600 3,2 slot --mca fcoll "$1" -x T_DIR="$work" \
        -x T_HINTS="exchange=on,plan_reuse=false,buffer_bytes=65536,$4" \
        -x LD_PRELOAD="$fault/.libs/libfault.so" "$fault/t_nth" memory "$3" "$step" calls
}
starve_of() {
    local fcoll=$1 victim transport layers='' transports="isend shm put_lock"
    [[ $fcoll != tam ]] || layers=,local_aggregators_per_node=1
    cluster 2
    for transport in $transports; do
        [[ $transport == shm ]] && victim=3 || victim=0
        starve "$fcoll" "$transport" "$victim" "transport=$transport$layers"
    done
    starve "$fcoll" 'partition memory' 3 "transport=isend,partition=memory$layers"
}
part_starve() { programs_of fault starve && each_fcoll starve starve_of; }
