/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/*
 * One case, from the prepared file to the compared one:
 *
 *     rank 0: POSIX writes the file as it must be before      (prefill, or the data to read)
 *     all:    open with hints, set_view, the call(s), close   (the component under test)
 *     all:    status, file pointer, buffer and guards checked
 *     rank 0: POSIX compares the file with the computed image (a write), size and gaps included
 */
#include "t_matrix.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/t_file.h"

enum { MAX_CALLS = 3, PAD = 5000 };

typedef struct run {
    const t_space *space;
    const t_case *c;
    const t_run_options *options;
    const t_pattern *pattern;
    char path[512];
    t_shape shape; /* of this rank */
    int64_t from;  /* request in the view's stream: [from, to) */
    int64_t to;
    t_list *all;   /* rank 0: every rank's pieces */
    t_image image; /* rank 0: the file that must come out */
    int64_t eof;   /* end of the file before a read */
    MPI_File file;
    bool writing;
} run;

/** One call of the case: its part of the stream, its buffer. */
typedef struct call {
    int64_t from, to;
    t_list pieces;
    t_mem mem;
    MPI_Status status;
} call;

static bool mutated(const run *r, const char *kind)
{
    return NULL != r->options->mutate && 0 == strcmp(r->options->mutate, kind);
}

/** What a rank asks for; explicit-offset and seek cases leave out the first few etypes. */
static void request(const run *r, int rank, t_shape *shape, int64_t *from, int64_t *to)
{
    int how = r->c->v[D_HOW];
    int64_t bytes;

    t_pattern_shape(r->pattern, rank, t_size, shape);
    *from = shape->start;
    *to = t_list_bytes(&shape->list);
    bytes = *to - *from;
    if (0 < bytes && (HOW_SEEK == how || t_hows[how].at)) {
        int64_t skip = (1 + rank % 3) * shape->etype;

        *from += skip < bytes ? skip : 0;
    }
    if (HOW_MULTI == how && 3 * shape->etype < bytes && 1 == rank % 2) {
        *to -= bytes / 3 / shape->etype * shape->etype; /* ranks end at different places */
    }
}

/** Rank 0: what all ranks touch, and the file before the call. */
static int prepare(run *r)
{
    t_list touched = {0};
    int rc = 0;

    unlink(r->path);
    r->all = t_alloc((size_t) t_size * sizeof(*r->all));
    memset(r->all, 0, (size_t) t_size * sizeof(*r->all));
    for (int rank = 0; rank < t_size; rank++) {
        t_shape shape;
        int64_t from, to;

        request(r, rank, &shape, &from, &to);
        t_list_slice(&shape.list, from, to, &r->all[rank]);
        for (size_t i = 0; i < r->all[rank].n; i++) {
            t_list_add(&touched, r->all[rank].v[i].off, r->all[rank].v[i].len);
        }
        t_shape_free(&shape);
    }
    if (0 == touched.n) {
        t_list_add(&touched, 0, 1000); /* nobody touches anything: look at the beginning */
    }
    t_image_make(&r->image, &touched, PAD);
    if (0 != (r->pattern->flags & T_APPEND)) {
        t_image_prefill(&r->image, T_APPEND_BASE);
    } else if (r->writing) {
        t_image_prefill(&r->image, 1 == r->c->v[D_FILL] ? INT64_MAX : 0);
    } else {
        int64_t end = t_list_end(&touched);
        int64_t first = touched.v[0].off;

        t_image_prefill(&r->image,
                        1 == r->c->v[D_FILL] ? first + (end - first) * 2 / 3 : INT64_MAX);
    }
    r->eof = r->image.size;
    if (!r->writing || 0 < r->image.size) {
        rc = t_image_store(&r->image, r->path);
    }
    t_list_free(&touched);
    return rc;
}

static MPI_Info make_info(const run *r)
{
    int aggregators = 2 == r->c->v[D_AGG] ? t_size : r->c->v[D_AGG] + 1;
    MPI_Info info = t_info(r->space->modes[r->c->v[D_MODE]]);
    char hint[64];

    snprintf(hint, sizeof(hint), "aggregators=%d", aggregators < t_size ? aggregators : t_size);
    t_info_add(info, hint);
    if (0 == r->c->v[D_BUF]) {
        snprintf(hint, sizeof(hint), "buffer_bytes=%d", r->options->tiny_bytes);
        t_info_add(info, hint);
    }
    return info;
}

/** Open MPI itself may refuse external32, and (with mpi_param_check) views that go back. */
static bool refusable(const run *r, int rc)
{
    return (0 != (r->pattern->flags & T_SWAP) && MPI_ERR_UNSUPPORTED_DATAREP == t_class(rc))
           || (0 != (r->pattern->flags & T_REFUSABLE) && MPI_ERR_TYPE == t_class(rc));
}

static bool open_file(run *r, char *why, size_t why_bytes)
{
    MPI_Info info = make_info(r);
    t_view view;
    int amode = r->writing ? MPI_MODE_CREATE : 0, rc;

    amode |= 0 == r->c->v[D_OPEN] ? MPI_MODE_RDWR : r->writing ? MPI_MODE_WRONLY : MPI_MODE_RDONLY;
    amode |= 0 != (r->pattern->flags & T_APPEND) ? MPI_MODE_APPEND : 0;
    rc = MPI_File_open(MPI_COMM_WORLD, r->path, amode, info, &r->file);
    MPI_Info_free(&info);
    if (!t_ok(rc, "MPI_File_open")) {
        return false;
    }
    t_pattern_view(r->pattern, t_rank, t_size, &view);
    if (view.set) {
        rc = MPI_File_set_view(r->file, view.disp, view.etype, view.filetype, view.datarep,
                               MPI_INFO_NULL);
        if (MPI_SUCCESS != rc && refusable(r, rc)) {
            snprintf(why, why_bytes, "MPI_File_set_view refuses it: %s", t_class_name(t_class(rc)));
            rc = MPI_SUCCESS;
        }
    }
    t_view_free(&view);
    if (t_ok(rc, "MPI_File_set_view")
        && (r->options->atomic || 0 != (r->pattern->flags & T_ATOMIC))) {
        rc = MPI_File_set_atomicity(r->file, 1);
        t_ok(rc, "MPI_File_set_atomicity");
    }
    return MPI_SUCCESS == rc && '\0' == *why;
}

/** Cuts the request into the calls of this case and makes their buffers. */
static int make_calls(run *r, call calls[MAX_CALLS])
{
    int how = r->c->v[D_HOW];
    int n = HOW_MULTI == how || HOW_ONE <= how ? MAX_CALLS : 1;
    int64_t etypes = (r->to - r->from) / r->shape.etype;

    memset(calls, 0, MAX_CALLS * sizeof(*calls));
    for (int i = 0; i < n; i++) {
        call *k = &calls[i];

        k->from = r->from + etypes * i / n * r->shape.etype;
        k->to = r->from + etypes * (i + 1) / n * r->shape.etype;
        t_list_slice(&r->shape.list, k->from, k->to, &k->pieces);
        t_mem_make(&k->mem, (t_mem_kind) r->c->v[D_MEM], k->to - k->from, r->shape.unit);
        if (r->writing) {
            unsigned char *stream = t_list_data(&k->pieces, t_rank);

            t_mem_put(&k->mem, stream, 0 != (r->pattern->flags & T_SWAP));
            free(stream);
        }
    }
    return n;
}

/** The MPI call itself. */
static int transfer(run *r, call *k)
{
    t_call made = t_hows[r->c->v[D_HOW]];

    made.write = r->writing;
    return t_call_make(r->file, &made, (MPI_Offset) (k->from / r->shape.etype), k->mem.addr,
                       k->mem.count, k->mem.type, &k->status);
}

/** Bytes of the call, in the order of the view, before the first one that the file did not have. */
static int64_t bytes_there(const run *r, const call *k)
{
    int64_t bytes = 0;

    if (r->writing) {
        return k->to - k->from;
    }
    for (size_t p = 0; p < k->pieces.n; p++) {
        int64_t left = r->eof - k->pieces.v[p].off;

        if (left < k->pieces.v[p].len) {
            return bytes + (left < 0 ? 0 : left);
        }
        bytes += k->pieces.v[p].len;
    }
    return bytes;
}

static void check_status(const run *r, call *k)
{
    int64_t want = bytes_there(r, k) - (mutated(r, "count") ? 1 : 0);
    int count = -1;
    MPI_Count elements = t_elements(&k->status, MPI_BYTE);

    if ((int64_t) elements != want) {
        t_fail("status: %lld bytes, expected %lld of %lld", (long long) elements, (long long) want,
               (long long) (k->to - k->from));
        return;
    }
    if (want == k->to - k->from && 0 < want) {
        MPI_Get_count(&k->status, k->mem.type, &count);
        t_fail_if(count != k->mem.count, "MPI_Get_count: %d, expected %d", count, k->mem.count);
        elements = t_elements(&k->status, t_unit_type(r->shape.unit));
        t_fail_if((int64_t) elements * r->shape.unit != want, "elements: %lld, expected %lld",
                  (long long) elements, (long long) (want / r->shape.unit));
    }
}

static void check_pointer(const run *r, int64_t bytes, const char *when)
{
    MPI_Offset at = -1;

    MPI_File_get_position(r->file, &at);
    t_fail_if((int64_t) at != bytes / r->shape.etype, "file pointer %s: %lld etypes, expected %lld",
              when, (long long) at, (long long) (bytes / r->shape.etype));
}

static bool uses_pointer(const run *r)
{
    return !t_hows[r->c->v[D_HOW]].at;
}

/** All calls, with status and file pointer looked at after each. */
static void transfer_all(run *r, call calls[], int n)
{
    bool pointer = uses_pointer(r);
    int64_t begin = 0 != (r->pattern->flags & T_APPEND) ? T_APPEND_BASE : 0;

    check_pointer(r, begin, "after open");
    if (pointer && r->from != begin) {
        int whence = 0 != (r->pattern->flags & T_APPEND) ? MPI_SEEK_CUR : MPI_SEEK_SET;
        int64_t by = r->from - (MPI_SEEK_CUR == whence ? begin : 0);

        t_ok(MPI_File_seek(r->file, (MPI_Offset) (by / r->shape.etype), whence), "MPI_File_seek");
    }
    for (int i = 0; i < n; i++) {
        int rc = transfer(r, &calls[i]);

        if (t_ok(rc, r->writing ? "write" : "read")) {
            check_status(r, &calls[i]);
            check_pointer(r, pointer ? calls[i].to : begin, "after the call");
        }
    }
}

/** The buffer: a read must have brought the file's bytes, a write must have left it alone. */
static void check_buffer(run *r, call *k)
{
    int64_t bytes = k->to - k->from, there = bytes_there(r, k), at = 0;
    unsigned char *stream = t_alloc((size_t) bytes);

    if (0 < bytes && mutated(r, "buffer")) {
        k->mem.all[k->mem.map.v[0].off] ^= 0x10;
    }
    t_mem_get(&k->mem, stream, 0 != (r->pattern->flags & T_SWAP));
    for (size_t p = 0; p < k->pieces.n; p++) {
        for (int64_t b = 0; b < k->pieces.v[p].len; b++, at++) {
            int64_t offset = k->pieces.v[p].off + b;
            unsigned char want = r->writing ? t_val(offset, t_rank) : t_pre(offset);

            if (stream[at] != want && at < there) {
                t_fail("buffer byte %lld (file offset %lld): got 0x%02x, expected 0x%02x",
                       (long long) at, (long long) offset, stream[at], want);
                free(stream);
                return;
            }
        }
    }
    free(stream);
    t_mem_check_guards(&k->mem, r->writing ? "write" : "read");
}

/** Deliberate damage to the file, which the comparison must find. */
static void damage(const run *r)
{
    bool gap = mutated(r, "gap"), data = mutated(r, "byte");
    int fd = gap || data || mutated(r, "size") ? open(r->path, O_RDWR) : -1;
    unsigned char byte = 0;
    struct stat st;

    if (0 > fd) {
        return;
    }
    if (mutated(r, "size") && 0 == fstat(fd, &st) && 0 != ftruncate(fd, st.st_size + 1)) {
        perror("ftruncate");
    }
    for (size_t i = 0; i < r->image.regions.n && (gap || data); i++) {
        for (int64_t k = 0; k < r->image.regions.v[i].len; k++) {
            int64_t offset = r->image.regions.v[i].off + k;

            if (offset < r->image.size && (r->image.bytes[i][k] % 2 == (data ? 1 : 0))) {
                byte = r->image.bytes[i][k] ^ 0x10;
                if (1 != pwrite(fd, &byte, 1, offset)) {
                    perror("pwrite");
                }
                gap = data = false;
                break;
            }
        }
    }
    close(fd);
}

static void check_file(run *r)
{
    if (r->writing && 0 == (r->pattern->flags & T_ATOMIC)) {
        for (int rank = 0; rank < t_size; rank++) {
            t_image_write(&r->image, &r->all[rank], rank);
        }
    } else if (r->writing) {
        for (int rank = 0; rank < t_size; rank++) {
            int64_t end = t_list_end(&r->all[rank]);

            r->image.size = end > r->image.size ? end : r->image.size;
        }
    }
    damage(r);
    if (0 != (r->pattern->flags & T_ATOMIC)) {
        t_image_check_atomic(&r->image, r->path, r->all, t_size);
    } else {
        t_image_check(&r->image, r->path);
    }
}

static void clean_up(run *r)
{
    if (0 == t_rank) {
        for (int rank = 0; rank < t_size; rank++) {
            t_list_free(&r->all[rank]);
        }
        free(r->all);
        t_image_free(&r->image);
        unlink(r->path);
    }
    t_shape_free(&r->shape);
}

int t_case_run(const t_space *space, const t_case *c, const t_run_options *options, char *why,
               size_t why_bytes)
{
    run r = {.space = space, .c = c, .options = options};
    call calls[MAX_CALLS];
    int64_t shared[2] = {0, 0};
    static int number; /* nodes with caches of their own may know a file of the same name */
    int mine, all;

    *why = '\0';
    r.pattern = &t_patterns[c->v[D_PATTERN]];
    r.writing = OP_WRITE == c->v[D_OP];
    snprintf(r.path, sizeof(r.path), "%s/matrix.%d.dat", options->dir, number++);
    request(&r, t_rank, &r.shape, &r.from, &r.to);
    if (0 == t_rank) {
        shared[0] = prepare(&r);
        shared[1] = r.eof;
    }
    MPI_Bcast(shared, 2, MPI_INT64_T, 0, MPI_COMM_WORLD);
    r.eof = shared[1];
    if (0 != shared[0]) {
        snprintf(why, why_bytes, "cannot make the file: %s", strerror((int) shared[0]));
    } else if (open_file(&r, why, why_bytes)) {
        int n = make_calls(&r, calls);

        transfer_all(&r, calls, n);
        t_ok(MPI_File_close(&r.file), "MPI_File_close");
        for (int i = 0; i < n; i++) {
            check_buffer(&r, &calls[i]);
            t_list_free(&calls[i].pieces);
            t_mem_free(&calls[i].mem);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (0 == t_rank) {
            check_file(&r);
        }
    } else if (MPI_FILE_NULL != r.file && NULL != r.file) {
        MPI_File_close(&r.file);
    }
    clean_up(&r);
    mine = 0 < t_failures() ? CASE_FAILED : CASE_OK;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    t_failures_reset();
    return CASE_FAILED == all ? CASE_FAILED : '\0' != *why ? CASE_SKIPPED : CASE_OK;
}
