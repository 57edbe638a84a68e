# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""Each rank writes its rows of an array, with mpi4py and with h5py. docs/python.md explains it.

    OMPI_MCA_io=ompio OMPI_MCA_fcoll=overlap mpirun -np 4 python3 rows.py
"""
from mpi4py import MPI
import h5py, numpy as np

comm = MPI.COMM_WORLD
n, rows = 1024, 1024 // comm.size
data = np.full((rows, n), comm.rank, dtype="f8")
info = MPI.Info.Create()
info.Set("cb_nodes", "2")
info.Set("collio_report", "lines")

file = MPI.File.Open(comm, "out.dat", MPI.MODE_CREATE | MPI.MODE_WRONLY, info)
view = MPI.DOUBLE.Create_subarray([n, n], [rows, n], [comm.rank * rows, 0]).Commit()
file.Set_view(0, MPI.DOUBLE, view)
file.Write_all(data)                                   # data: a contiguous numpy array
file.Close()

with h5py.File("out.h5", "w", driver="mpio", comm=comm, info=info) as f:
    d = f.create_dataset("x", (n, n), dtype="f8")
    with d.collective:                                 # without this line: independent
        d[comm.rank * rows:(comm.rank + 1) * rows, :] = data
