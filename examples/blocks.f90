! Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
!
! A Fortran program with collective MPI-IO: each rank owns a block of an array of nx x ny doubles, which is
! one file in column-major order; the columns of a block are pieces of the file.
!
!   mpifort blocks.f90 -o blocks
!   mpirun -np 4 --mca io ompio --mca fcoll overlap ./blocks out.dat
program blocks
    use mpi
    implicit none
    integer, parameter :: nx = 400, ny = 300
    integer :: rank, ranks, info, file, filetype, i, j, ierr
    integer :: dims(2), place(2), sizes(2), starts(2), counts(2), status(MPI_STATUS_SIZE)
    integer(kind=MPI_OFFSET_KIND), parameter :: beginning = 0
    double precision, allocatable :: block(:, :)
    character(len=400) :: path

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    call get_command_argument(1, path)
    if (len_trim(path) == 0) path = 'out.dat'

    dims = 0
    call MPI_Dims_create(ranks, 2, dims, ierr)
    place = [mod(rank, dims(1)), rank / dims(1)]
    sizes = [nx, ny]
    starts = place * sizes / dims
    counts = (place + 1) * sizes / dims - starts
    allocate (block(counts(1), counts(2)))
    do j = 1, counts(2)
        do i = 1, counts(1)
            block(i, j) = 1000 * (starts(1) + i) + starts(2) + j
        end do
    end do

    call MPI_Type_create_subarray(2, sizes, counts, starts, MPI_ORDER_FORTRAN, &
                                  MPI_DOUBLE_PRECISION, filetype, ierr)
    call MPI_Type_commit(filetype, ierr)
    call MPI_Info_create(info, ierr)
    call MPI_Info_set(info, 'cb_nodes', '2', ierr)          ! hints are optional
    call MPI_File_open(MPI_COMM_WORLD, trim(path), MPI_MODE_CREATE + MPI_MODE_WRONLY, info, file, ierr)
    ! Errors of files return by default; a program that does not look at ierr makes them fatal.
    call MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL, ierr)
    call MPI_File_set_view(file, beginning, MPI_DOUBLE_PRECISION, filetype, 'native', info, ierr)
    call MPI_File_write_all(file, block, size(block), MPI_DOUBLE_PRECISION, status, ierr)
    call MPI_File_close(file, ierr)
    call MPI_Info_free(info, ierr)
    call MPI_Type_free(filetype, ierr)
    call MPI_Finalize(ierr)
end program blocks
