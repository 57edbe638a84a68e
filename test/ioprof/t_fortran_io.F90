! Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
!
! Fortran with the mpi module, or with mpi_f08 (-DF08): known calls and bytes; `run` has the table.
program t_fortran_io
#ifdef F08
    use mpi_f08
    implicit none
    type(MPI_File) :: file
    type(MPI_Request) :: request
    type(MPI_Status) :: status
#else
    use mpi
    implicit none
    integer :: file, request, status(MPI_STATUS_SIZE)
#endif
    integer, parameter :: n = 250
    integer :: rank, ierr, a(n), unit
    integer(kind=MPI_OFFSET_KIND) :: at
    character(len=1000) :: dir
    character(len=10) :: number

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call get_environment_variable('T_DIR', dir)
    a = rank
    call MPI_File_open(MPI_COMM_WORLD, trim(dir)//'/fortran.dat', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                       MPI_INFO_NULL, file, ierr)
    at = rank * 4 * n
    call MPI_File_write_at_all(file, at, a, n, MPI_INTEGER, status, ierr)
    call MPI_File_read_at(file, at, a, n, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call MPI_File_iwrite_at(file, at, a, n, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    call MPI_File_write_at_all_begin(file, at, a, n, MPI_INTEGER, ierr)
    call MPI_File_write_at_all_end(file, a, status, ierr)
    call MPI_File_close(file, ierr)

    write (number, '(i0)') rank
    open (newunit=unit, file=trim(dir)//'/unit.'//trim(number), access='stream', &
          form='unformatted', status='replace')
    write (unit) a
    close (unit)
    call MPI_Finalize(ierr)
end program t_fortran_io
