# shellcheck shell=bash disable=SC2034 # who reads this uses the variable
# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
#
# A collective and an individual write and read of a file with gaps, byte-checked: cases of the matrix of
# test/mpi, whose program is built by itself for any Open MPI. Read by inside, dropin-inside and test/fs/run.

smoke_build() { # SOURCE PROGRAM: with the first mpicc of PATH
    local mpi=$1/test/mpi
    mpicc -std=gnu11 -Wall -Wextra -Werror -O1 -D_GNU_SOURCE -I"$mpi" -o "$2" "$mpi"/t_matrix*.c \
        "$mpi"/lib/t_{call,file,image,list,mem,pattern,pattern_grid,pattern_lists,pattern_regular,util}.c
}

smoke_cases=()
for how in write/at/contig/filled read/at/contig/whole write/one_at/vector/filled read/one_at/vector/whole; do
    smoke_cases+=(--only "holes/$how/rdwr/agg-all/default/-")
done
