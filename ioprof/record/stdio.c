/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* stdio: what the program asks of a stream, counted for the file behind its descriptor. The reads
 * and writes with which libc fills and empties its buffers are inside libc and not seen. */
#include "record/posix.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int flags_of(const char *mode)
{
    if (NULL != mode && 'a' == mode[0]) {
        return O_APPEND;
    }
    return 0;
}

/** The descriptor of a stream, or -1. */
static int number_of(FILE *stream)
{
    return NULL == stream ? -1 : fileno(stream);
}

/** Bytes of a line that was read, of a text that was written, and of what getline has returned. */
static ssize_t line_bytes(const char *line)
{
    return NULL == line ? 0 : (ssize_t) strlen(line);
}

static ssize_t put_bytes(int result, const char *text)
{
    return result < 0 ? -1 : (ssize_t) strlen(text);
}

static ssize_t got_bytes(ssize_t result)
{
    return result < 0 ? 0 : result;
}

/** Where a stream that appends puts its bytes is known only when it is flushed. */
static void end_stream(const struct ioprof_posix *p, enum ioprof_id id, ssize_t n)
{
    if (p->fd->append && n >= 0) {
        ioprof_end_other(p, id, (uint64_t) n, false);
    } else {
        ioprof_end_data(p, id, -1, IOPROF_POSITION, n);
    }
}

#define FOPEN(name)                                                                             \
    IOPROF_EXPORT FILE *name(const char *path, const char *mode)                                \
    {                                                                                           \
        struct ioprof_posix p;                                                                  \
        bool counted = ioprof_begin_path(&p);                                                   \
        FILE *stream = IOPROF_NEXT(name)(path, mode);                                           \
                                                                                                \
        ioprof_end_open(&p, counted, IOPROF_ID_fopen, path, number_of(stream), flags_of(mode)); \
        return stream;                                                                          \
    }
FOPEN(fopen)
FOPEN(fopen64)

static void end_fdopen(const struct ioprof_posix *p, const FILE *stream, const char *mode)
{
    p->fd->append |= NULL != stream && 0 != flags_of(mode);
    ioprof_end_other(p, IOPROF_ID_fdopen, 0, NULL == stream);
}

IOPROF_POSIX(FILE *, fdopen, (int fd, const char *mode), (fd, mode), ioprof_begin(&p, fd),
             end_fdopen(&p, result, mode))

#define FREOPEN(name)                                                                             \
    IOPROF_EXPORT FILE *name(const char *path, const char *mode, FILE *stream)                    \
    {                                                                                             \
        struct ioprof_posix p;                                                                    \
        bool counted = ioprof_begin_path(&p);                                                     \
        FILE *result;                                                                             \
                                                                                                  \
        ioprof_fd_closed(fileno(stream));                                                         \
        result = IOPROF_NEXT(name)(path, mode, stream);                                           \
        ioprof_end_open(&p, counted, IOPROF_ID_freopen, path, number_of(result), flags_of(mode)); \
        return result;                                                                            \
    }
FREOPEN(freopen)
FREOPEN(freopen64)

IOPROF_EXPORT int fclose(FILE *stream)
{
    struct ioprof_posix p;
    int fd = fileno(stream), rc;
    bool counted = ioprof_begin(&p, fd);
    struct ioprof_fd gone = {.file = counted ? p.fd->file : IOPROF_NO_FILE};

    ioprof_fd_closed(fd);
    rc = IOPROF_NEXT(fclose)(stream);
    if (counted) {
        p.fd = &gone;
        ioprof_end_other(&p, IOPROF_ID_fclose, 0, 0 != rc);
    }
    return rc;
}

/* stdio.h may have macros of these names */
#undef fread_unlocked
#undef fwrite_unlocked
#undef getc
#undef putc

/* Checked variants of glibc's headers; they have no prototypes. */
size_t __fread_chk(void *buf, size_t room, size_t size, size_t n, FILE *stream);
size_t __fread_unlocked_chk(void *buf, size_t room, size_t size, size_t n, FILE *stream);
char *__fgets_chk(char *buf, size_t room, int n, FILE *stream);
int __fprintf_chk(FILE *stream, int flag, const char *format, ...);
int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list args);

#define STREAM(TYPE, name, id, PARAMS, ARGS, bytes)                          \
    IOPROF_POSIX(TYPE, name, PARAMS, ARGS, ioprof_begin(&p, fileno(stream)), \
                 end_stream(&p, IOPROF_ID_##id, (ssize_t) (bytes)))

STREAM(size_t, fread, fread, (void *buf, size_t size, size_t n, FILE *stream),
       (buf, size, n, stream), result *size)
STREAM(size_t, fread_unlocked, fread, (void *buf, size_t size, size_t n, FILE *stream),
       (buf, size, n, stream), result *size)
STREAM(size_t, __fread_chk, fread, (void *buf, size_t room, size_t size, size_t n, FILE *stream),
       (buf, room, size, n, stream), result *size)
STREAM(size_t, __fread_unlocked_chk, fread,
       (void *buf, size_t room, size_t size, size_t n, FILE *stream), (buf, room, size, n, stream),
       result *size)
STREAM(size_t, fwrite, fwrite, (const void *buf, size_t size, size_t n, FILE *stream),
       (buf, size, n, stream), result *size)
STREAM(size_t, fwrite_unlocked, fwrite, (const void *buf, size_t size, size_t n, FILE *stream),
       (buf, size, n, stream), result *size)
STREAM(char *, fgets, fgets, (char *buf, int n, FILE *stream), (buf, n, stream), line_bytes(result))
STREAM(char *, fgets_unlocked, fgets, (char *buf, int n, FILE *stream), (buf, n, stream),
       line_bytes(result))
STREAM(char *, __fgets_chk, fgets, (char *buf, size_t room, int n, FILE *stream),
       (buf, room, n, stream), line_bytes(result))
STREAM(int, fputs, fputs, (const char *text, FILE *stream), (text, stream), put_bytes(result, text))
STREAM(int, fputs_unlocked, fputs, (const char *text, FILE *stream), (text, stream),
       put_bytes(result, text))
STREAM(ssize_t, getline, getline, (char **line, size_t *room, FILE *stream), (line, room, stream),
       got_bytes(result))
STREAM(ssize_t, getdelim, getline, (char **line, size_t *room, int end, FILE *stream),
       (line, room, end, stream), got_bytes(result))
STREAM(ssize_t, __getdelim, getline, (char **line, size_t *room, int end, FILE *stream),
       (line, room, end, stream), got_bytes(result))
STREAM(int, vfprintf, fprintf, (FILE * stream, const char *format, va_list args),
       (stream, format, args), result)
STREAM(int, __vfprintf_chk, fprintf, (FILE * stream, int flag, const char *format, va_list args),
       (stream, flag, format, args), result)

#define FORMATTED(name, through, PARAMS, last, ARGS) \
    IOPROF_EXPORT int name PARAMS                    \
    {                                                \
        va_list args;                                \
        int result;                                  \
                                                     \
        va_start(args, last);                        \
        result = through ARGS;                       \
        va_end(args);                                \
        return result;                               \
    }
FORMATTED(fprintf, vfprintf, (FILE * stream, const char *format, ...), format,
          (stream, format, args))
FORMATTED(__fprintf_chk, __vfprintf_chk, (FILE * stream, int flag, const char *format, ...), format,
          (stream, flag, format, args))

typedef int scan_type(FILE *stream, const char *format, va_list args);

/** Bytes of a scanf: how far the stream's position went. */
static int scan(scan_type *next, FILE *stream, const char *format, va_list args)
{
    struct ioprof_posix p;
    off64_t before, after;
    int result;

    if (!ioprof_begin(&p, fileno(stream))) {
        return next(stream, format, args);
    }
    before = ftello64(stream);
    result = next(stream, format, args);
    after = ftello64(stream);
    end_stream(&p, IOPROF_ID_fscanf, after > before ? (ssize_t) (after - before) : 0);
    return result;
}

/* scanf has a symbol for each C standard, to which headers map the plain name: so these functions
 * are defined by symbol. */
#define SCANF(symbol, number)                                                                      \
    int scanf_##number(FILE *stream, const char *format, ...) __asm__(symbol "fscanf");            \
    int vscanf_##number(FILE *stream, const char *format, va_list args) __asm__(symbol "vfscanf"); \
    IOPROF_EXPORT int vscanf_##number(FILE *stream, const char *format, va_list args)              \
    {                                                                                              \
        static scan_type *next;                                                                    \
                                                                                                   \
        next = NULL == next ? (scan_type *) dlsym(RTLD_NEXT, symbol "vfscanf") : next;             \
        return scan(next, stream, format, args);                                                   \
    }                                                                                              \
    FORMATTED(scanf_##number, vscanf_##number, (FILE * stream, const char *format, ...), format,   \
              (stream, format, args))
SCANF("", 0)
SCANF("__isoc99_", 1)
SCANF("__isoc23_", 2)

/* Single characters take less time than a look at the clock. */
#define CHARACTER(name, id, PARAMS, ARGS)                                \
    IOPROF_EXPORT int name PARAMS                                        \
    {                                                                    \
        struct ioprof_fd *fd = ioprof_fd_get(fileno(stream));            \
        int result = IOPROF_NEXT(name) ARGS;                             \
        bool inside;                                                     \
                                                                         \
        if (NULL != fd && ioprof_counts(fd, &inside) && EOF != result) { \
            IOPROF_ADD(fd->position, 1);                                 \
            ioprof_record_untimed(IOPROF_ID_##id, fd->file, inside, 1);  \
        }                                                                \
        return result;                                                   \
    }
CHARACTER(fgetc, fgetc, (FILE * stream), (stream))
CHARACTER(getc, fgetc, (FILE * stream), (stream))
CHARACTER(fputc, fputc, (int c, FILE *stream), (c, stream))
CHARACTER(putc, fputc, (int c, FILE *stream), (c, stream))

IOPROF_POSIX(int, fflush, (FILE * stream), (stream),
             NULL != stream && ioprof_begin(&p, fileno(stream)),
             ioprof_end_other(&p, IOPROF_ID_fflush, 0, 0 != result))

static void moved(struct ioprof_posix *p, FILE *stream, bool failed)
{
    int saved = errno;

    p->fd->position = ftello64(stream);
    errno = saved;
    ioprof_end_other(p, IOPROF_ID_fseek, 0, failed);
}

#define FSEEK(name, TYPE)                                                                       \
    IOPROF_POSIX(int, name, (FILE * stream, TYPE offset, int whence), (stream, offset, whence), \
                 ioprof_begin(&p, fileno(stream)), moved(&p, stream, 0 != result))
FSEEK(fseek, long)
FSEEK(fseeko, off_t)
FSEEK(fseeko64, off64_t)

IOPROF_EXPORT void rewind(FILE *stream)
{
    struct ioprof_posix p;

    if (!ioprof_begin(&p, fileno(stream))) {
        IOPROF_NEXT(rewind)(stream);
        return;
    }
    IOPROF_NEXT(rewind)(stream);
    moved(&p, stream, false);
}
