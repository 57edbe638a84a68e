! Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause
!
! A Fortran program: a block-block distributed array of integers, column-major, written and read
! collectively; the file is compared through a Fortran stream, which knows nothing of MPI.
program t_fortran
    use mpi
    implicit none
    integer, parameter :: nx = 24, ny = 30
    integer :: rank, nranks, ierr, filetype, file, px, py, i, j, unit, value, count, wrong, all_wrong
    integer :: sizes(2), sub(2), starts(2), dims(2), status(MPI_STATUS_SIZE)
    integer(kind=MPI_OFFSET_KIND) :: disp
    integer, allocatable :: a(:, :), b(:, :)
    character(len=400) :: dir

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, nranks, ierr)
    call get_environment_variable('T_DIR', dir)
    if (len_trim(dir) == 0) dir = '/tmp'
    dims = 0
    call MPI_Dims_create(nranks, 2, dims, ierr)
    px = mod(rank, dims(1))
    py = rank / dims(1)
    sizes = [nx, ny]
    starts = [px * nx / dims(1), py * ny / dims(2)]
    sub = [(px + 1) * nx / dims(1) - starts(1), (py + 1) * ny / dims(2) - starts(2)]
    allocate (a(sub(1), sub(2)), b(sub(1), sub(2)))
    do j = 1, sub(2)
        do i = 1, sub(1)
            a(i, j) = (starts(1) + i) * 1000 + starts(2) + j
        end do
    end do
    b = 0
    wrong = 0

    call MPI_Type_create_subarray(2, sizes, sub, starts, MPI_ORDER_FORTRAN, MPI_INTEGER, filetype, &
                                  ierr)
    call MPI_Type_commit(filetype, ierr)
    call MPI_File_open(MPI_COMM_WORLD, trim(dir)//'/fortran', MPI_MODE_CREATE + MPI_MODE_RDWR, &
                       MPI_INFO_NULL, file, ierr)
    if (ierr /= MPI_SUCCESS) wrong = wrong + 1
    disp = 16
    call MPI_File_set_view(file, disp, MPI_INTEGER, filetype, 'native', MPI_INFO_NULL, ierr)
    call MPI_File_write_all(file, a, size(a), MPI_INTEGER, status, ierr)
    if (ierr /= MPI_SUCCESS) wrong = wrong + 1
    call MPI_Get_count(status, MPI_INTEGER, count, ierr)
    if (count /= size(a)) wrong = wrong + 1
    disp = 0
    call MPI_File_read_at_all(file, disp, b, size(b), MPI_INTEGER, status, ierr)
    if (ierr /= MPI_SUCCESS) wrong = wrong + 1
    if (any(a /= b)) wrong = wrong + 1
    call MPI_File_close(file, ierr)
    call MPI_Type_free(filetype, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)

    if (rank == 0) then
        open (newunit=unit, file=trim(dir)//'/fortran', access='stream', form='unformatted', &
              status='old', action='read')
        do j = 1, ny
            do i = 1, nx
                read (unit, pos=17 + 4 * ((j - 1) * nx + i - 1)) value
                if (value /= i * 1000 + j) wrong = wrong + 1
            end do
        end do
        close (unit, status='keep')
    end if
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
        if (all_wrong == 0) then
            print '(a)', 'ok fortran_array'
        else
            print '(a,i0,a)', '# ', all_wrong, ' things were wrong'
            print '(a)', 'not ok fortran_array'
        end if
    end if
    call MPI_Finalize(ierr)
    if (all_wrong /= 0) stop 1
end program t_fortran
