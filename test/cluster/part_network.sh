# shellcheck shell=bash
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# The part "network" of the cluster suite: nodes that share no page cache. Read by run.
# shellcheck disable=SC2154 # vc, work, bin, here, mode: variables of run

network_up() { # network_up KIND: 0, or 77 with the reason in $work/log
    ((nodes_up == 0)) || "$vc" down >/dev/null
    nodes_up=0
    "$vc" up 2 --slots 8 --ttl 1800 --network-fs "$1" >"$work/log" 2>&1 || return
    nodes_up=2
    net=$("$vc" netdir)
}

network_down() {
    "$vc" down >/dev/null
    nodes_up=0
}

# Written on one node, read on the other, and really sent: the server's link has seen it twice.
crosses_the_network() {
    "$vc" traffic --reset
    "$vc" exec 0 sh -c "head -c 3000001 /dev/urandom >$net/one && cksum <$net/one >$work/sum0"
    "$vc" exec 1 sh -c "cksum <$net/one >$work/sum1"
    "$vc" traffic
    cmp "$work/sum0" "$work/sum1" &&
        "$vc" traffic | awk '$1 == "store" { exit !($4 > 3000000 && $2 > 3000000) }'
}

hidden_from_host() { [[ -d $net && -z $(ls -A "$net") ]] && ! grep " $net " /proc/mounts; }

# Files that jobs have left are read from the server's own disk, past every cache of the clients.
server_has() { # server_has FILE SUM
    "$vc" exec store sh -c "cksum <$net/../brick/$1" | tee "$work/sum1" | cmp - "$2"
}

network_cases() { # network_cases FCOLL: those that make sense with any file system
    grep -E '^all: (schedule=(none|write_comm2),transport=|exchange=)' "$here/modes.table" |
        sed -n 's/^all: *//p' >"$work/modes"
    mpi 300 3,2 node --mca fcoll "$1" --mca mpi_param_check 0 "$COLLIO_BUILD/test/mpi/t_matrix" \
        --modes "$work/modes" --np-list 5,4,3,8,11,6 --dir "$net" --progress "$work/progress"
    matrix_result "network: $1 on GlusterFS, 3,2 by node" $?
}

# GlusterFS reports blocks of 128 KiB through FUSE.
block_in_report() {
    mpi 120 2,2 slot --mca fcoll overlap --mca fcoll_overlap_report 1 --mca fcoll_overlap_exchange on \
        -x T_DIR="$net" "$bin/t_nodes" 2,2
    cat "$work/log"
    grep 'alignment  *131072 bytes, the file system.s block' "$work/log"
}

# Each node sees the others' uses of a shared file pointer through the server only.
shared_pointers() {
    mpi 120 2,1 slot --mca fcoll overlap -x T_DIR="$net" "$COLLIO_BUILD/test/mpi/t_pointer"
    cat "$work/log"
    [[ $(grep -c '^ok' "$work/log") == 6 ]]
}

# A completion of io_uring interrupts a call that waits for a lock, and GlusterFS never answers some of them.
no_interrupts() {
    mpi 120 1 slot --mca io ompio --mca fbtl mtpwrite --mca fbtl_mtpwrite_engine io_uring \
        "$COLLIO_BUILD/test/mtpwrite/t_figures" "$net/figures"
    cat "$work/log"
    grep -q '^fbtl_mtpwrite_submitted_threads [1-9]' "$work/log" &&
        ! grep -q '^fbtl_mtpwrite_submitted_io_uring [1-9]' "$work/log"
}

# fadvise leaves a page that something holds, such as the fadvise of another process: it is repeated.
drops_pages() { "$vc" exec 0 "$bin/t_client" drop "$net/pages"; }

# Two processes on each of two nodes add to one shared number.
counts_all() {
    local i
    for i in 0 1 0 1; do
        timeout 120 "$vc" exec "$i" "$bin/t_client" count "$net/number" 500 &
    done >"$work/log"
    wait
    cat "$work/log"
    [[ $(sort -n "$work/log" | tail -n 1) == 2000 ]]
}

# What ranks of two nodes do to one file, where each node caches pages and does not send all that it
# has written at once.
caching_clients() { # FCOLL WRITES READS: with exchange (enable, disable, automatic)
    printf 'romio_cb_write %s\nromio_cb_read %s\n' "$2" "$3" >"$work/hints"
    mpi 300 2,2 node --mca io ompio --mca fcoll "$1" --mca fbtl mtpwrite \
        --mca common_collio_hints "$work/hints" "$COLLIO_BUILD/test/kernel/t_clients" --seconds 60 "$net"
    local rc=$?
    cat "$work/log"
    ((rc == 0)) && grep -q '^ok collective_turns$' "$work/log"
}
caching_cases() { # FCOLL
    check "network: $1, nodes that cache pages, direct access" caching_clients "$1" disable disable
    check "network: $1, nodes that cache pages, reads alone are direct" caching_clients "$1" enable disable
    check "network: $1, nodes that cache pages, choices of auto" caching_clients "$1" automatic automatic
}

nothing_serves() { gone "$VCLUSTER_STATE/$VCLUSTER_NAME/.*[.]vol"; }

part_network() {
    local status net
    check 'network: an unknown file system is refused' refuses 1 "want gluster" "$vc" up 2 \
        --network-fs floppy
    network_up gluster
    status=$?
    if ((status == 77)); then
        skip "network # $(sed 's/^vcluster: skipped: //' "$work/log")"
        return
    elif ((status != 0)); then
        not_ok 'network: a cluster with GlusterFS' "$work/log"
        return
    fi
    make -s -C "$COLLIO_BUILD/test/mpi" check TESTS= >"$work/log" 2>&1
    check 'network: what a node writes crosses the network' crosses_the_network
    check 'network: the host does not see it' hidden_from_host
    check 'network: the server has the bytes' server_has one "$work/sum0"
    each_fcoll network network_cases
    ! built overlap || check 'network: the report names the block' block_in_report
    ! built overlap || check 'network: shared file pointers' shared_pointers
    programs_of mtpwrite network && check 'network: no transfer interrupts locks' no_interrupts
    make -s -C "$COLLIO_BUILD/test/kernel" check TESTS= >"$work/log" 2>&1
    network_up gluster-cached
    check 'network: pages are dropped that were held for a moment' drops_pages
    check 'network: a shared number on nodes that cache writes' counts_all
    each_fcoll network caching_cases
    network_down
    check 'network: servers end with the cluster' nothing_serves
}
