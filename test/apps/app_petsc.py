# Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
"""PETSc's binary viewer through MPI-IO: a distributed vector and a sparse matrix are saved and loaded
into another distribution. Usage: app_petsc.py FILE -viewer_binary_mpiio"""
import sys

import petsc4py
petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

ROWS = 1000
path = sys.argv[1]
vector = PETSc.Vec().createMPI(ROWS)
low, high = vector.getOwnershipRange()
vector.setValues(range(low, high), [0.5 * i for i in range(low, high)])
vector.assemble()
matrix = PETSc.Mat().createAIJ((ROWS, ROWS), nnz=3)
for row in range(*matrix.getOwnershipRange()):
    for column in (row - 1, row, row + 1):
        if 0 <= column < ROWS:
            matrix.setValue(row, column, 10.0 * row + column)
matrix.assemble()

viewer = PETSc.Viewer().createBinary(path, 'w')
if not viewer.getUseMPIIO() if hasattr(viewer, 'getUseMPIIO') else False:
    sys.exit(77)
vector.view(viewer)
matrix.view(viewer)
viewer.destroy()

viewer = PETSc.Viewer().createBinary(path, 'r')
rank, size = PETSc.COMM_WORLD.getRank(), PETSc.COMM_WORLD.getSize()
local = 1 if rank + 1 < size else ROWS - size + 1  # nearly everything on the last rank
loaded = PETSc.Vec().create()
loaded.setSizes((local, ROWS))
loaded.setFromOptions()
loaded.load(viewer)
again = PETSc.Mat().create()
again.setSizes(((local, ROWS), (local, ROWS)))
again.setFromOptions()
again.load(viewer)
low, high = loaded.getOwnershipRange()
wrong = any(loaded.getValue(i) != 0.5 * i for i in range(low, high))
wrong = wrong or any(again.getValue(i, i) != 11.0 * i for i in range(low, high))
sys.exit(1 if wrong else 0)
