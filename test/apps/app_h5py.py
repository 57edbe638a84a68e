# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""h5py on HDF5 with MPI: collective writes of a plain, a chunked and a compressed dataset, read back
by other ranks. Usage: app_h5py.py FILE"""
import sys

from mpi4py import MPI
import h5py
import numpy

comm = MPI.COMM_WORLD
rank, size = comm.rank, comm.size
if not h5py.get_config().mpi:
    sys.exit(77)
ROWS, COLUMNS = 60, 50
want = 1000 * numpy.arange(ROWS)[:, None] + numpy.arange(COLUMNS)[None, :]
want = want.astype('i4')  # a conversion would end collective access


def mine(who):
    return slice(COLUMNS * who // size, COLUMNS * (who + 1) // size)


with h5py.File(sys.argv[1], 'w', driver='mpio', comm=comm) as file:
    for name, how in (('plain', {}), ('chunked', {'chunks': (10, 10)}),
                      ('packed', {'chunks': (20, 25), 'compression': 'gzip', 'shuffle': True})):
        dataset = file.create_dataset(name, (ROWS, COLUMNS), 'i4', track_times=False, **how)
        with dataset.collective:
            dataset[:, mine(rank)] = want[:, mine(rank)]

wrong = 0
with h5py.File(sys.argv[1], 'r', driver='mpio', comm=comm) as file:
    for name in ('plain', 'chunked', 'packed'):
        with file[name].collective:
            part = file[name][:, mine(size - 1 - rank)]
        wrong += not numpy.array_equal(part, want[:, mine(size - 1 - rank)])
sys.exit(1 if comm.allreduce(wrong) else 0)
