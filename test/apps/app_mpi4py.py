# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""mpi4py's File: a two-dimensional block distribution, blocking, nonblocking and split calls, counts
in the status. Usage: app_mpi4py.py FILE"""
import sys

from mpi4py import MPI
import numpy

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
ROWS, COLUMNS, STEPS = 64, 48, 3
grid = MPI.Compute_dims(size, 2)


def block(who):
    """Where the block of rank `who` begins, and its shape."""
    place = (who // grid[1], who % grid[1])
    begin = [n * p // g for n, p, g in zip((ROWS, COLUMNS), place, grid)]
    end = [n * (p + 1) // g for n, p, g in zip((ROWS, COLUMNS), place, grid)]
    return begin, [e - b for b, e in zip(begin, end)]


def content(who, step):
    begin, shape = block(who)
    rows, columns = numpy.indices(shape)
    return (10000 * step + 100 * (rows + begin[0]) + columns + begin[1]).astype('i4')


def view_of(file, who, step):
    begin, shape = block(who)
    kind = MPI.INT.Create_subarray((ROWS, COLUMNS), shape, begin).Commit()
    file.Set_view(4 * ROWS * COLUMNS * step, MPI.INT, kind)
    kind.Free()


wrong = 0
file = MPI.File.Open(comm, sys.argv[1], MPI.MODE_CREATE | MPI.MODE_RDWR)
for step in range(STEPS):
    view_of(file, rank, step)
    data, status = content(rank, step), MPI.Status()
    if step == 0:
        file.Write_all(data, status)
    elif step == 1:
        file.Iwrite_all(data).Wait(status)
    else:
        file.Write_all_begin(data)
        file.Write_all_end(data, status)
    wrong += status.Get_count(MPI.INT) != data.size
file.Sync()
for step in range(STEPS):
    other = size - 1 - rank
    want, status = content(other, step), MPI.Status()
    data = numpy.full_like(want, -1)
    view_of(file, other, step)
    file.Read_at_all(0, data, status)
    wrong += status.Get_count(MPI.INT) != want.size or not numpy.array_equal(data, want)
file.Close()
if rank == 0:
    whole = numpy.fromfile(sys.argv[1], 'i4').reshape(STEPS, ROWS, COLUMNS)
    steps, rows, columns = numpy.indices(whole.shape)
    wrong += not numpy.array_equal(whole, 10000 * steps + 100 * rows + columns)
sys.exit(1 if comm.allreduce(wrong) else 0)
