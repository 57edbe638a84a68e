# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""What docs/python.md advises, one line at a time.

    advice_python.py FILE [collective|default|strided]

collective, default: h5py with and without `with d.collective`; strided: mpi4py refuses an array
that is not contiguous, which is printed as "refused 1".
"""
import sys

import numpy
from mpi4py import MPI

ROWS, COLUMNS = 64, 256
comm = MPI.COMM_WORLD
path, word = sys.argv[1:3]

if word == 'strided':
    file = MPI.File.Open(comm, path, MPI.MODE_CREATE | MPI.MODE_WRONLY)
    try:
        file.Write_all(numpy.zeros((4, 4))[:, ::2])
        refused = 0
    except (ValueError, BufferError):
        refused = 1
    file.Close()
    if comm.rank == 0:
        print('refused', refused)
else:
    import h5py
    if not h5py.get_config().mpi:
        sys.exit(77)
    with h5py.File(path, 'w', driver='mpio', comm=comm) as f:
        d = f.create_dataset('x', (comm.size * ROWS, COLUMNS), dtype='f8')
        mine = slice(comm.rank, None, comm.size)
        if word == 'collective':
            with d.collective:
                d[mine, :] = numpy.ones((ROWS, COLUMNS))
        else:
            d[mine, :] = numpy.ones((ROWS, COLUMNS))
