# shellcheck shell=bash
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# vcluster up --network-fs: GlusterFS in a cluster. One more node, "store", has no ranks; it runs
# the server and keeps all files in its memory. Every other node, and the head, has a FUSE mount of
# its own, and with it caches of its own, as the nodes of a real cluster have.
#
#   node0  ranks -> $STATE/net (FUSE) -> glusterfs --\
#   node1  ranks -> $STATE/net (FUSE) -> glusterfs ---+-- eth0 -- store: glusterfsd -> tmpfs
#
# Server and clients read hand-written volume files: glusterd is not needed, nothing is written
# outside $STATE, and the server listens in the cluster's own network only.

readonly GLUSTER_PORT=24007

gluster_kind() { [[ $1 == gluster || $1 == gluster-cached ]]; }

# Called before a cluster is made: ends with "skipped" where there is no GlusterFS or no FUSE.
gluster_check() { # gluster_check USERNS
    local tool
    for tool in glusterfsd:glusterfs-server glusterfs:glusterfs-client; do
        command -v "${tool%:*}" >/dev/null || skip "no '${tool%:*}' here (package ${tool#*:})"
    done
    [[ -c /dev/fuse ]] || skip "no /dev/fuse here: GlusterFS is mounted through FUSE"
    [[ $1 == 0 ]] || skip "GlusterFS needs root: its server stores trusted attributes"
    mkdir -p "$STATE/probe"
    # shellcheck disable=SC2016 # the inner shell's words
    unshare --mount -- sh -c 'mount --make-rprivate / && exec 9<>/dev/fuse &&
        exec mount -i -t fuse -o fd=9,rootmode=40000,user_id=0,group_id=0 probe "$0"' \
        "$STATE/probe" 2>/dev/null || skip "this kernel or container does not mount FUSE"
}

volume() { # volume NAME TYPE [OPTION VALUE]... [-- SUBVOLUME]
    printf 'volume %s\n    type %s\n' "$1" "$2"
    shift 2
    while (($# > 1)) && [[ $1 != -- ]]; do
        printf '    option %s %s\n' "$1" "$2"
        shift 2
    done
    [[ ${1:-} != -- ]] || printf '    subvolumes %s\n' "$2"
    printf 'end-volume\n\n'
}

# What a brick of a volume with default options has, without what a single brick does not use.
gluster_server_volume() {
    volume files storage/posix directory "$STATE/brick"
    volume access features/access-control -- files
    volume locks features/locks -- access
    volume upcall features/upcall cache-invalidation off -- locks
    volume threads performance/io-threads -- upcall
    volume brick debug/io-stats log-level WARNING -- threads
    volume server protocol/server transport-type tcp transport.address-family inet \
        transport.socket.bind-address "$1" transport.socket.listen-port "$GLUSTER_PORT" \
        auth.addr.brick.allow '*' auth-path brick -- brick
}

# gluster-cached has the caches that GlusterFS 10 gives a new volume; gluster has none.
gluster_client_volume() { # gluster_client_volume ADDRESS KIND
    local below=utime cache
    volume remote protocol/client transport-type tcp transport.address-family inet \
        remote-host "$1" remote-port "$GLUSTER_PORT" remote-subvolume brick ping-timeout 42
    volume utime features/utime noatime on -- remote
    if [[ $2 == gluster-cached ]]; then
        for cache in write-behind open-behind quick-read md-cache; do
            volume "$cache" "performance/$cache" -- "$below"
            below=$cache
        done
    fi
    volume threads performance/io-threads -- "$below"
    volume net debug/io-stats log-level WARNING -- threads
}

gluster_write_files() { # in the state directory, before the cluster starts
    mkdir -p "$STATE/net" "$STATE/brick"
    gluster_server_volume "$(address $DATA_NET "$STORE")" >"$STATE/server.vol"
    gluster_client_volume "$(address $DATA_NET "$STORE")" "$1" >"$STATE/client.vol"
}

# ---- inside --------------------------------------------------------------------------------------

gluster_daemon() { # gluster_daemon NODE PROGRAM OPTION...: ends with the node, and the cluster with it
    local node=$1 program=$2
    shift 2
    (hop "$node" / "$program" --no-daemon --log-level=WARNING \
        --log-file="$STATE/$program.$node.log" "$@") &
    keepers+=("$!")
}

gluster_await() { # gluster_await WHAT CMD...
    local what=$1 tries
    shift
    for ((tries = 0; tries < 750; tries++)); do
        ! "$@" 2>/dev/null || return 0
        sleep 0.04
    done
    echo "GlusterFS: $what; see $STATE/glusterfs*.log: $(tail -qn 1 "$STATE"/glusterfs*.log)" >&2
    return 1
}

gluster_listens() {
    nsenter -t "$(<"$STATE/pid.store")" -n -- bash -c \
        "exec 3<>/dev/tcp/$(address $DATA_NET "$STORE")/$GLUSTER_PORT"
}

gluster_mounted() { # gluster_mounted NODE: a look into the folder, through the mount
    grep -q " $STATE/net fuse.glusterfs " "/proc/$(<"$STATE/pid.$1")/mounts" &&
        (hop "$1" / ls "$STATE/net") >/dev/null
}

gluster_start() { # gluster_start KIND NODE...
    local node options=()
    [[ $1 == gluster-cached ]] ||
        options=(--direct-io-mode=enable --attribute-timeout=0 --entry-timeout=0)
    shift
    nsenter -t "$(<"$STATE/pid.store")" -m -- mount -t tmpfs -o size=50% tmpfs "$STATE/brick"
    gluster_daemon store glusterfsd --volfile="$STATE/server.vol"
    gluster_await "the server does not answer" gluster_listens
    for node; do
        gluster_daemon "$node" glusterfs --volfile="$STATE/client.vol" "${options[@]}" "$STATE/net"
    done
    for node; do gluster_await "$node has no mount" gluster_mounted "$node"; done
    nsenter -t "$(<"$STATE/pid.$1")" -m -- chmod 1777 "$STATE/net"
}
