# shellcheck shell=bash
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# The part "contract" of the cluster suite: every call returns the same on all ranks, where not all
# ranks share memory. The programs are those of test/fault. And the part
# "pointer". Read by run.
# shellcheck disable=SC2154 # work, mode: variables of run

contract_of() {
    local fcoll=$1 layout map layouts="2,2 1,1,1 4,1,3" fbtl=posix program status what
    [[ $fcoll == overlap || $mode == full ]] || return 0 # the same code
    [[ $mode != full ]] || layouts+=" 1,2 2,5,1,3 8,8,8,8"
    for layout in $layouts; do
        cluster "$(tr -cd , <<<"$layout," | wc -c)"
        [[ ${map:-node} == slot ]] && map=node || map=slot
        [[ $fbtl == posix ]] && fbtl=mtpwrite || fbtl=posix
        for program in t_contract t_outstanding t_turns; do
            mpi 240 "$layout" "$map" --mca fcoll "$fcoll" --mca fbtl "$fbtl" -x COLLIO_FCOLL="$fcoll" \
                -x T_DIR="$work" -x LD_PRELOAD="$COLLIO_BUILD/test/fault/.libs/libfault.so" \
                "$COLLIO_BUILD/test/fault/$program" && status=0 || status=$?
            while read -r what; do ok "contract: $fcoll, $layout by $map, $what"; done \
                < <(sed -n 's/^ok //p' "$work/log")
            ((status == 0)) || not_ok "contract: $program, $fcoll, $layout by $map" "$work/log"
        done
    done
}

part_contract() {
    if ! make -s -C "$COLLIO_BUILD/test/fault" check TESTS= >"$work/log" 2>&1; then
        not_ok 'contract: the programs of test/fault do not build' "$work/log"
        return
    fi
    each_fcoll contract contract_of
}

# Shared file pointers, which are then kept in a file beside the data.
part_pointer() {
    local layout map=node status what
    programs_of_mpi pointer || return
    for layout in 2,1 3,1,2; do
        cluster "$(tr -cd , <<<"$layout," | wc -c)"
        [[ $map == slot ]] && map=node || map=slot
        mkdir -p "$work/pointer"
        mpi 240 "$layout" "$map" --mca fcoll overlap -x T_DIR="$work/pointer" \
            "$COLLIO_BUILD/test/mpi/t_pointer" && status=0 || status=$?
        while read -r what; do ok "pointer: $layout by $map, $what"; done \
            < <(sed -n 's/^ok //p' "$work/log")
        ((status == 0)) || not_ok "pointer: $layout by $map" "$work/log"
        check "pointer: $layout leaves nothing" test -z "$(ls -A "$work/pointer")"
    done
}
