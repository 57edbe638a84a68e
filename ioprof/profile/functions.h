/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* Every function that is wrapped: P(name, kind) POSIX and stdio; M(name, kind, class) MPI, without
 * its prefix. 64-bit twins, old and checked names of glibc, and the _c variants of MPI-4 count as
 * the plain name. */
#ifndef IOPROF_PROFILE_FUNCTIONS_H
#define IOPROF_PROFILE_FUNCTIONS_H

#define IOPROF_POSIX_FUNCTIONS(P) \
    P(open, OPEN)                 \
    P(openat, OPEN)               \
    P(creat, OPEN)                \
    P(fopen, OPEN)                \
    P(fdopen, OPEN)               \
    P(freopen, OPEN)              \
    P(close, CLOSE)               \
    P(fclose, CLOSE)              \
    P(read, READ)                 \
    P(pread, READ)                \
    P(readv, READ)                \
    P(preadv, READ)               \
    P(preadv2, READ)              \
    P(fread, READ)                \
    P(fgets, READ)                \
    P(fgetc, READ)                \
    P(getline, READ)              \
    P(fscanf, READ)               \
    P(write, WRITE)               \
    P(pwrite, WRITE)              \
    P(writev, WRITE)              \
    P(pwritev, WRITE)             \
    P(pwritev2, WRITE)            \
    P(fwrite, WRITE)              \
    P(fputs, WRITE)               \
    P(fputc, WRITE)               \
    P(fprintf, WRITE)             \
    P(sendfile, WRITE)            \
    P(copy_file_range, WRITE)     \
    P(aio_read, READ)             \
    P(aio_write, WRITE)           \
    P(libaio_read, READ)          \
    P(libaio_write, WRITE)        \
    P(io_submit, WAIT)            \
    P(io_getevents, WAIT)         \
    P(io_uring_read, READ)        \
    P(io_uring_write, WRITE)      \
    P(io_uring_submit, WAIT)      \
    P(lseek, SEEK)                \
    P(fseek, SEEK)                \
    P(fsync, SYNC)                \
    P(fdatasync, SYNC)            \
    P(aio_fsync, SYNC)            \
    P(fflush, SYNC)               \
    P(truncate, META)             \
    P(ftruncate, META)            \
    P(fallocate, META)            \
    P(posix_fallocate, META)      \
    P(stat, META)                 \
    P(lstat, META)                \
    P(fstat, META)                \
    P(fstatat, META)              \
    P(statx, META)                \
    P(unlink, META)               \
    P(unlinkat, META)             \
    P(remove, META)               \
    P(rename, META)               \
    P(renameat, META)             \
    P(renameat2, META)            \
    P(mmap, META)

#define IOPROF_MPI_FUNCTIONS(M)                    \
    M(File_open, OPEN, COLLECTIVE)                 \
    M(File_close, CLOSE, COLLECTIVE)               \
    M(File_delete, META, INDEPENDENT)              \
    M(File_set_size, META, COLLECTIVE)             \
    M(File_preallocate, META, COLLECTIVE)          \
    M(File_get_size, META, INDEPENDENT)            \
    M(File_get_group, META, INDEPENDENT)           \
    M(File_get_amode, META, INDEPENDENT)           \
    M(File_set_info, META, COLLECTIVE)             \
    M(File_get_info, META, INDEPENDENT)            \
    M(File_set_view, META, COLLECTIVE)             \
    M(File_get_view, META, INDEPENDENT)            \
    M(File_get_type_extent, META, INDEPENDENT)     \
    M(File_set_atomicity, META, COLLECTIVE)        \
    M(File_get_atomicity, META, INDEPENDENT)       \
    M(File_set_errhandler, META, INDEPENDENT)      \
    M(File_get_errhandler, META, INDEPENDENT)      \
    M(File_call_errhandler, META, INDEPENDENT)     \
    M(File_sync, SYNC, COLLECTIVE)                 \
    M(File_seek, SEEK, INDEPENDENT)                \
    M(File_seek_shared, SEEK, COLLECTIVE)          \
    M(File_get_position, SEEK, INDEPENDENT)        \
    M(File_get_position_shared, SEEK, INDEPENDENT) \
    M(File_get_byte_offset, SEEK, INDEPENDENT)     \
    M(File_read_at, READ, INDEPENDENT)             \
    M(File_read_at_all, READ, COLLECTIVE)          \
    M(File_read, READ, INDEPENDENT)                \
    M(File_read_all, READ, COLLECTIVE)             \
    M(File_read_shared, READ, INDEPENDENT)         \
    M(File_read_ordered, READ, COLLECTIVE)         \
    M(File_write_at, WRITE, INDEPENDENT)           \
    M(File_write_at_all, WRITE, COLLECTIVE)        \
    M(File_write, WRITE, INDEPENDENT)              \
    M(File_write_all, WRITE, COLLECTIVE)           \
    M(File_write_shared, WRITE, INDEPENDENT)       \
    M(File_write_ordered, WRITE, COLLECTIVE)       \
    M(File_iread_at, READ, INDEPENDENT)            \
    M(File_iread_at_all, READ, COLLECTIVE)         \
    M(File_iread, READ, INDEPENDENT)               \
    M(File_iread_all, READ, COLLECTIVE)            \
    M(File_iread_shared, READ, INDEPENDENT)        \
    M(File_iwrite_at, WRITE, INDEPENDENT)          \
    M(File_iwrite_at_all, WRITE, COLLECTIVE)       \
    M(File_iwrite, WRITE, INDEPENDENT)             \
    M(File_iwrite_all, WRITE, COLLECTIVE)          \
    M(File_iwrite_shared, WRITE, INDEPENDENT)      \
    M(File_read_at_all_begin, READ, COLLECTIVE)    \
    M(File_read_all_begin, READ, COLLECTIVE)       \
    M(File_read_ordered_begin, READ, COLLECTIVE)   \
    M(File_write_at_all_begin, WRITE, COLLECTIVE)  \
    M(File_write_all_begin, WRITE, COLLECTIVE)     \
    M(File_write_ordered_begin, WRITE, COLLECTIVE) \
    M(File_read_at_all_end, WAIT, COLLECTIVE)      \
    M(File_read_all_end, WAIT, COLLECTIVE)         \
    M(File_read_ordered_end, WAIT, COLLECTIVE)     \
    M(File_write_at_all_end, WAIT, COLLECTIVE)     \
    M(File_write_all_end, WAIT, COLLECTIVE)        \
    M(File_write_ordered_end, WAIT, COLLECTIVE)    \
    M(Wait, WAIT, COMPLETION)                      \
    M(Waitall, WAIT, COMPLETION)                   \
    M(Waitany, WAIT, COMPLETION)                   \
    M(Waitsome, WAIT, COMPLETION)                  \
    M(Test, WAIT, COMPLETION)                      \
    M(Testall, WAIT, COMPLETION)                   \
    M(Testany, WAIT, COMPLETION)                   \
    M(Testsome, WAIT, COMPLETION)                  \
    M(Request_free, WAIT, COMPLETION)

#define IOPROF_POSIX_ID(name, kind)      IOPROF_ID_##name,
#define IOPROF_MPI_ID(name, kind, class) IOPROF_ID_##name,

enum ioprof_id {
    IOPROF_POSIX_FUNCTIONS(IOPROF_POSIX_ID) IOPROF_POSIX_IDS,
    IOPROF_MPI_FIRST = IOPROF_POSIX_IDS - 1,
    IOPROF_MPI_FUNCTIONS(IOPROF_MPI_ID) IOPROF_IDS
};

#endif /* IOPROF_PROFILE_FUNCTIONS_H */
