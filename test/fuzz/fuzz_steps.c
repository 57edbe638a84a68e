/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* A whole sequence: open, steps, checks, close. */
#include "fuzz_run.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_fail(fuzz_run *run, const char *format, ...)
{
    char text[512];
    va_list args;

    if (3 < ++run->failures) {
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    printf("# seed %llu size %d step %d rank %d: %s\n", (unsigned long long) run->plan->seed,
           run->plan->size, run->step, run->rank, text);
}

bool fuzz_ok(fuzz_run *run, int rc, const char *what)
{
    if (MPI_SUCCESS != rc) {
        fuzz_fail(run, "%s failed: %s", what, t_class_name(t_class(rc)));
    }
    return MPI_SUCCESS == rc;
}

void fuzz_show(const fuzz_run *run, const char *format, ...)
{
    va_list args;

    if (run->show && 0 == run->rank) {
        va_start(args, format);
        vprintf(format, args);
        va_end(args);
        printf("\n");
    }
}

/** Compares size and bytes with the model, by plain POSIX calls. */
static void check_file(fuzz_run *run)
{
    int64_t far = run->plan->far, bytes = run->size - far;
    unsigned char *have;
    struct statx status = {0};

    if (0 != statx(run->fd, "", AT_EMPTY_PATH | AT_STATX_FORCE_SYNC, STATX_SIZE, &status)
        || (int64_t) status.stx_size != run->size) {
        fuzz_fail(run, "the file has %lld bytes, not %lld", (long long) status.stx_size,
                  (long long) run->size);
        return;
    }
    if (0 >= bytes) {
        return;
    }
    have = t_alloc((size_t) bytes);
    if (bytes != pread(run->fd, have, (size_t) bytes, (off_t) far)) {
        fuzz_fail(run, "the file cannot be read");
    } else if (0 != memcmp(have, run->bytes, (size_t) bytes)) {
        int64_t first = 0, wrong = 0;

        for (int64_t i = bytes - 1; i >= 0; i--) {
            if (have[i] != run->bytes[i]) {
                first = i;
                wrong++;
            }
        }
        fuzz_fail(run, "the file is wrong in %lld bytes, first at %lld: %02x, not %02x",
                  (long long) wrong, (long long) (far + first), have[first], run->bytes[first]);
    }
    free(have);
}

static void check_handles(fuzz_run *run)
{
    for (int h = 0; h < FUZZ_HANDLES; h++) {
        fuzz_handle *handle = &run->handle[h];
        MPI_Offset position = -1, size = -1;

        if (MPI_FILE_NULL == handle->file) {
            continue;
        }
        fuzz_ok(run, MPI_File_get_position(handle->file, &position), "get_position");
        if (position != handle->pointer[run->rank]) {
            fuzz_fail(run, "handle %d: the file pointer is at %lld, not %lld", h,
                      (long long) position, (long long) handle->pointer[run->rank]);
        }
        fuzz_ok(run, MPI_File_get_size(handle->file, &size), "get_size");
        if (size != run->size) {
            fuzz_fail(run, "handle %d: the size is said to be %lld, not %lld", h, (long long) size,
                      (long long) run->size);
        }
    }
}

/** What one rank wrote is visible to all, where nodes keep caches of their own. */
static void sync_all(fuzz_run *run)
{
    for (int turn = 0; turn < 2; turn++) {
        for (int h = 0; h < FUZZ_HANDLES; h++) {
            const fuzz_handle *handle = &run->handle[h];

            if (MPI_FILE_NULL != handle->file && !(MPI_MODE_RDONLY & handle->mode)) {
                fuzz_ok(run, MPI_File_sync(handle->file), "sync");
            }
        }
        MPI_Barrier(run->comm);
    }
}

/** After a step. True when all is well on all ranks. */
static bool check(fuzz_run *run, bool everything)
{
    int wrong, all = 0;

    MPI_Barrier(run->comm); /* now everybody has done its part */
    if (run->weak) {
        sync_all(run);
    }
    if (!everything) {
        return true;
    }
    check_handles(run);
    if (0 == run->rank) {
        check_file(run);
    }
    wrong = run->failures;
    MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, run->comm);
    return 0 == all;
}

static void make_views(fuzz_run *run, int h, const fuzz_views *views)
{
    fuzz_handle *handle = &run->handle[h];

    for (int a = 0; a < run->ranks; a++) {
        fuzz_view_free(&handle->view[a]);
        fuzz_view_make(views, run->who[a], run->plan->size, &handle->view[a]);
        handle->view[a].displacement += run->plan->far;
        handle->pointer[a] = 0;
    }
    handle->shared = 0;
}

static void show_views(const fuzz_run *run, int h, const fuzz_views *views)
{
    char text[1024];

    for (int a = 0; run->show && a < run->ranks; a++) {
        const fuzz_view *view = &run->handle[h].view[a];

        fuzz_type_tell(view->type, text, sizeof(text));
        fuzz_show(run, "      rank %d: displacement %lld, etype %lld bytes, %s%s", a,
                  (long long) view->displacement, (long long) fuzz_leaf_size(views->etype), text,
                  view->external ? ", external32" : "");
    }
}

MPI_Info fuzz_info_make(const fuzz_run *run, int h)
{
    MPI_Info info = MPI_INFO_NULL;

    for (int i = 0; i < run->plan->hints; i++) {
        if (FUZZ_HAS(run->features, HINTS) && h != run->plan->plain_handle
            && 0 != (run->hints >> i & 1)) {
            if (MPI_INFO_NULL == info) {
                MPI_Info_create(&info);
            }
            MPI_Info_set(info, run->plan->hint[i].name, run->plan->hint[i].value);
            fuzz_show(run, "    hint %d: %s=%s", i, run->plan->hint[i].name,
                      run->plan->hint[i].value);
        }
    }
    return info;
}

static void set_view(fuzz_run *run, int h, const fuzz_views *wanted, bool hints)
{
    fuzz_views views = *wanted;
    const fuzz_view *view = &run->handle[h].view[run->rank];
    MPI_Datatype type;
    MPI_Info info;

    views.external &= FUZZ_HAS(run->features, EXTERNAL);
    views.etype = FUZZ_HAS(run->features, ETYPE) ? views.etype : FUZZ_BYTE;
    views.bound = FUZZ_HAS(run->features, BOUND) ? views.bound : 0;
    make_views(run, h, &views);
    fuzz_show(run, "    set_view on handle %d", h);
    show_views(run, h, &views);
    type = fuzz_type_make(view->type);
    info = hints && FUZZ_HAS(run->features, VIEW_HINTS) ? fuzz_info_make(run, h) : MPI_INFO_NULL;
    fuzz_ok(run,
            MPI_File_set_view(run->handle[h].file, view->displacement, fuzz_leaf_type(view->etype),
                              type, view->external ? "external32" : "native", info),
            "set_view");
    MPI_Type_free(&type);
    if (MPI_INFO_NULL != info) {
        MPI_Info_free(&info);
    }
}

static void open_handle(fuzz_run *run, int h)
{
    static const fuzz_views plain = {.family = FUZZ_PLAIN};
    fuzz_handle *handle = &run->handle[h];
    MPI_Info info = fuzz_info_make(run, h);

    handle->mode = FUZZ_HAS(run->features, MODES) ? run->plan->mode[h]
                                                  : MPI_MODE_RDWR | MPI_MODE_CREATE;
    handle->atomic = false;
    handle->comm = 1 == h && run->plan->reversed && FUZZ_HAS(run->features, REVERSED)
                       ? run->opposite
                       : run->comm;
    fuzz_show(run, "    open handle %d%s%s%s%s", h, handle->comm == run->comm ? "" : ", reversed",
              MPI_MODE_WRONLY & handle->mode ? ", write only" : "",
              MPI_MODE_RDONLY & handle->mode ? ", read only" : "",
              MPI_MODE_APPEND & handle->mode ? ", append" : "");
    if (!fuzz_ok(run, MPI_File_open(handle->comm, run->path, handle->mode, info, &handle->file),
                 "open")) {
        handle->file = MPI_FILE_NULL;
    }
    if (MPI_INFO_NULL != info) {
        MPI_Info_free(&info);
    }
    make_views(run, h, &plain);
    if (0 != run->plan->far && MPI_FILE_NULL != handle->file) {
        set_view(run, h, &plain, false);
    } else if (MPI_MODE_APPEND & handle->mode) {
        for (int a = 0; a < run->ranks; a++) {
            handle->pointer[a] = run->size;
        }
        handle->shared = run->size;
    }
}

static void close_handle(fuzz_run *run, int h)
{
    if (MPI_FILE_NULL != run->handle[h].file) {
        fuzz_show(run, "    close handle %d", h);
        fuzz_ok(run, MPI_File_close(&run->handle[h].file), "close");
    }
}

/** Sets the model's size: what lies past it is gone. */
static void resize(fuzz_run *run, int64_t size)
{
    int64_t keep = size - run->plan->far;

    keep = 0 > keep ? 0 : keep;
    if (size < run->size) {
        memset(run->bytes + keep, 0, (size_t) (FUZZ_MODEL - keep));
    }
    run->size = size;
}

/** What preallocated space holds is not defined: rank 0 clears it, so that the model knows. */
static void preallocate(fuzz_run *run, fuzz_handle *handle, int64_t size)
{
    int64_t more = size - run->size;

    fuzz_show(run, "    preallocate %lld (was %lld)", (long long) size, (long long) run->size);
    fuzz_ok(run, MPI_File_preallocate(handle->file, size), "preallocate");
    if (0 >= more) {
        return;
    }
    MPI_Barrier(run->comm);
    if (0 == run->rank) {
        void *zeros = calloc(1, (size_t) more);

        if (NULL == zeros || more != pwrite(run->fd, zeros, (size_t) more, (off_t) run->size)) {
            fuzz_fail(run, "the file cannot be cleared");
        }
        free(zeros);
    }
    MPI_Barrier(run->comm);
    resize(run, size);
}

static void set_size(fuzz_run *run, fuzz_handle *handle, const fuzz_step *step)
{
    int64_t size = run->plan->far + step->value;

    if (MPI_MODE_RDONLY & handle->mode) {
        return;
    }
    if (FUZZ_SET_SIZE == step->kind && FUZZ_HAS(run->features, SET_SIZE)) {
        fuzz_show(run, "    set_size %lld (was %lld)", (long long) size, (long long) run->size);
        fuzz_ok(run, MPI_File_set_size(handle->file, size), "set_size");
        resize(run, size);
    } else if (FUZZ_PREALLOCATE == step->kind && FUZZ_HAS(run->features, PREALLOCATE)
               && 0 == run->plan->far) {
        preallocate(run, handle, size);
    }
}

/** Pointers of all ranks move, each elsewhere. The end of the file only where it has one meaning:
 *  in a view without holes. */
static void seek(fuzz_run *run, fuzz_handle *handle, const fuzz_step *step)
{
    static const int whences[] = {MPI_SEEK_SET, MPI_SEEK_CUR, MPI_SEEK_END};
    MPI_Offset by = 0;

    for (int a = 0; a < run->ranks; a++) {
        const fuzz_view *view = &handle->view[a];
        int64_t from = 0, move = step->value % 300 + (step->seed & 1 ? run->who[a] * 7 : 0);
        int64_t element = fuzz_leaf_size(view->etype);
        bool dense = FUZZ_HAS(run->features, SEEK_END) && 1 == view->flat.count
                     && view->flat.size == view->flat.ub - view->flat.lb && 0 == view->flat.lb
                     && 0 == view->flat.segment[0].at && run->size >= view->displacement
                     && 0 == (run->size - view->displacement) % element;

        if (MPI_SEEK_CUR == whences[step->whence]) {
            from = handle->pointer[a];
            move = step->seed & 2 && move <= from ? -move : move;
        } else if (MPI_SEEK_END == whences[step->whence]) {
            from = dense ? (run->size - view->displacement) / element : 0;
            move = step->seed & 2 && move <= from ? -move : move;
        }
        if (MPI_SEEK_END == whences[step->whence] && !dense) {
            if (a == run->rank) {
                fuzz_ok(run, MPI_File_seek(handle->file, move, MPI_SEEK_SET), "seek");
            }
            handle->pointer[a] = move;
            continue;
        }
        by = move;
        if (a == run->rank) {
            fuzz_ok(run, MPI_File_seek(handle->file, by, whences[step->whence]), "seek");
        }
        handle->pointer[a] = from + move;
    }
    fuzz_show(run, "    seek: rank 0 is at %lld now", (long long) handle->pointer[0]);
}

static void set_atomicity(fuzz_run *run, fuzz_handle *handle, bool atomic)
{
    int flag = -1;

    if (!FUZZ_HAS(run->features, ATOMIC)) {
        return;
    }
    fuzz_show(run, "    set_atomicity %d", atomic);
    fuzz_ok(run, MPI_File_set_atomicity(handle->file, atomic), "set_atomicity");
    fuzz_ok(run, MPI_File_get_atomicity(handle->file, &flag), "get_atomicity");
    if (flag != (int) atomic) {
        fuzz_fail(run, "get_atomicity says %d after set_atomicity(%d)", flag, atomic);
    }
    handle->atomic = atomic;
}

static void do_step(fuzz_run *run, const fuzz_step *step)
{
    int h = FUZZ_HAS(run->features, SECOND) ? step->handle : 0;
    fuzz_handle *handle = &run->handle[h];

    switch (step->kind) {
    case FUZZ_DATA:
    case FUZZ_MANY:
        fuzz_data(run, step);
        break;
    case FUZZ_SET_VIEW:
        set_view(run, h, &step->views, step->hints);
        break;
    case FUZZ_SET_SIZE:
    case FUZZ_PREALLOCATE:
        set_size(run, handle, step);
        break;
    case FUZZ_SYNC:
        if (FUZZ_HAS(run->features, SYNC) && !(MPI_MODE_RDONLY & handle->mode)) {
            fuzz_show(run, "    sync");
            fuzz_ok(run, MPI_File_sync(handle->file), "sync");
        }
        break;
    case FUZZ_ATOMICITY:
        set_atomicity(run, handle, step->value & 1);
        break;
    case FUZZ_SEEK:
        if (FUZZ_HAS(run->features, SEEK)) {
            seek(run, handle, step);
        }
        break;
    case FUZZ_OTHER:
        fuzz_other(run, step);
        break;
    case FUZZ_OVERLAP:
        fuzz_overlap(run, step);
        break;
    case FUZZ_ORDERED:
        fuzz_ordered(run, step);
        break;
    case FUZZ_IN_TURN:
        fuzz_in_turn(run, step);
        break;
    case FUZZ_SEEK_SHARED:
        fuzz_seek_shared(run, step);
        break;
    default:
        if (FUZZ_HAS(run->features, REOPEN)) {
            close_handle(run, h);
            open_handle(run, h);
        }
    }
}

/** The file as it is before the first open: rank 0 makes it. */
static void prepare_file(fuzz_run *run)
{
    int64_t prefill = FUZZ_HAS(run->features, PREFILL) ? run->plan->prefill : -1;

    memset(run->bytes, 0, FUZZ_MODEL);
    for (int64_t i = 0; i < prefill; i++) {
        run->bytes[i] = (unsigned char) (2 * (1 + (i * 31 + (int64_t) run->plan->seed) % 120));
    }
    run->size = 0 < prefill ? run->plan->far + prefill : 0;
    if (0 == run->rank) {
        unlink(run->path);
        run->fd = open(run->path, O_RDWR | O_CREAT | (run->weak ? O_DIRECT : 0), 0600);
        if (0 > run->fd
            || (0 < prefill
                && prefill
                       != pwrite(run->fd, run->bytes, (size_t) prefill, (off_t) run->plan->far))) {
            fuzz_fail(run, "%s cannot be made", run->path);
        }
    }
    MPI_Barrier(run->comm);
}

/** A test of the test: a byte that nobody wrote. */
static void damage(fuzz_run *run)
{
    unsigned char byte = (unsigned char) ~run->bytes[0];

    MPI_Barrier(run->comm);
    if (0 == run->rank && 1 != pwrite(run->fd, &byte, 1, (off_t) run->plan->far)) {
        fuzz_fail(run, "the file cannot be damaged");
    }
}

static bool steps(fuzz_run *run)
{
    for (int i = 0; i < run->plan->steps; i++) {
        if (0 == (run->steps >> i & 1)) {
            continue;
        }
        run->step = i;
        fuzz_show(run, "  step %d", i);
        do_step(run, &run->plan->step[i]);
        if (run->damage == i) {
            damage(run);
        }
        if (!check(run, run->check_all || run->plan->step[i].check)) {
            return false;
        }
    }
    return true;
}

static void close_all(fuzz_run *run, int handles)
{
    for (int h = handles - 1; h >= 0; h--) {
        close_handle(run, h);
    }
    for (int i = 0; i < FUZZ_OTHERS; i++) {
        fuzz_other_close(run, (i + (int) (run->plan->seed & 3)) % FUZZ_OTHERS);
    }
}

bool fuzz_sequence(fuzz_run *run)
{
    int handles = FUZZ_HAS(run->features, SECOND) ? run->plan->handles : 1;
    bool good;

    run->failures = 0;
    run->step = -1;
    run->touched_low = 0;
    run->touched_high = FUZZ_MODEL;
    run->handle[0].file = run->handle[1].file = MPI_FILE_NULL;
    for (int i = 0; i < FUZZ_OTHERS; i++) {
        run->other[i] = MPI_FILE_NULL;
    }
    prepare_file(run);
    for (int h = 0; h < handles; h++) {
        open_handle(run, h);
    }
    good = check(run, true) && steps(run);
    run->step = good ? FUZZ_STEPS : run->step;
    close_all(run, handles);
    good &= check(run, true); /* all closed: sees bytes that came late */
    for (int h = 0; h < FUZZ_HANDLES; h++) {
        for (int a = 0; a < FUZZ_RANKS; a++) {
            fuzz_view_free(&run->handle[h].view[a]);
        }
    }
    if (0 == run->rank) {
        close(run->fd);
        unlink(run->path);
    }
    return good;
}
