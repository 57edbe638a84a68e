/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/* MPI_File_*: handles, and the wrappers that move no data. */
#include "record/mpi.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_OPEN 8192

/* Handles are few, and looked up once per call: a table with a lock of its own is enough. MPI
 * functions are not called from signal handlers. */
struct ioprof_mpi_file {
    MPI_File fh;
    bool used, leader;
    int file;
    struct ioprof_mpi split;
};
static struct ioprof_mpi_file handles[MAX_OPEN];
static int high;
static bool locked;

static struct ioprof_mpi_file *handle_find(MPI_File fh)
{
    struct ioprof_mpi_file *found = NULL;

    ioprof_lock(&locked);
    for (int i = 0; i < high && NULL == found; i++) {
        found = NULL;
        if (handles[i].used && handles[i].fh == fh) {
            found = &handles[i];
        }
    }
    ioprof_unlock(&locked);
    return found;
}

static struct ioprof_mpi_file *handle_add(MPI_File fh)
{
    struct ioprof_mpi_file *found = NULL;

    ioprof_lock(&locked);
    for (int i = 0; i < MAX_OPEN && NULL == found; i++) {
        if (!handles[i].used) {
            found = &handles[i];
            if (i >= high) {
                high = i + 1;
            }
            *found = (struct ioprof_mpi_file){.fh = fh, .used = true, .file = IOPROF_NO_FILE};
        }
    }
    ioprof_unlock(&locked);
    return found;
}

static void handle_remove(struct ioprof_mpi_file *handle)
{
    ioprof_lock(&locked);
    handle->used = false;
    ioprof_unlock(&locked);
}

bool ioprof_mpi_begin(struct ioprof_mpi *c, enum ioprof_id id, MPI_File fh)
{
    if (!ioprof_active || ioprof_thread.in_mpi_file > 0 || ioprof_thread.in_library > 0) {
        return false;
    }
    c->id = id;
    c->handle = handle_find(fh);
    c->file = NULL == c->handle ? IOPROF_NO_FILE : c->handle->file;
    c->offset = IOPROF_UNSET;
    ioprof_thread.in_mpi_file++;
    c->begin = ioprof_now();
    c->memory = 0;
    /* Opens and closes take and release memory; others are sampled now and then. */
    if (ioprof_sample_due(c->begin) || IOPROF_ID_File_open == id || IOPROF_ID_File_close == id) {
        c->memory = ioprof_sample(c->begin);
        c->begin = ioprof_now();
    }
    return true;
}

static void sample_after(const struct ioprof_mpi *c, uint64_t bytes)
{
    if (0 != c->memory) {
        uint64_t after = ioprof_sample(ioprof_now());
        bool read = IOPROF_READ == ioprof_function(c->id, 0)->kind;

        ioprof_memory_changed(c->memory, 0 == after ? c->memory : after, read ? bytes : 0);
    }
}

/** Only events have offsets: they take a walk through the view's datatype. */
void ioprof_mpi_place(struct ioprof_mpi *c, MPI_File fh, MPI_Offset offset)
{
    MPI_Offset bytes;

    if (!ioprof_events_on || IOPROF_MPI_SHARED == offset) {
        return;
    }
    if (IOPROF_MPI_POINTER == offset && MPI_SUCCESS != PMPI_File_get_position(fh, &offset)) {
        return;
    }
    if (MPI_SUCCESS == PMPI_File_get_byte_offset(fh, offset, &bytes)) {
        c->offset = (uint64_t) bytes;
    }
    c->begin = ioprof_now();
}

void ioprof_split_begin(const struct ioprof_mpi *c, int rc)
{
    ioprof_thread.in_mpi_file--;
    ioprof_record_start(c->id, c->file, c->begin, ioprof_now(), MPI_SUCCESS != rc);
    if (NULL != c->handle) {
        c->handle->split = *c;
    }
}

void ioprof_split_end(const struct ioprof_mpi *c, int rc, const MPI_Status *status)
{
    if (NULL != c->handle && NULL != c->handle->split.handle) {
        ioprof_mpi_complete(&c->handle->split, MPI_SUCCESS != rc,
                            MPI_SUCCESS == rc ? ioprof_mpi_bytes(status) : 0);
        c->handle->split.handle = NULL;
    }
    ioprof_mpi_end(c, rc);
}

static void finish(const struct ioprof_mpi *c, int rc, uint64_t bytes)
{
    struct ioprof_call call = {.id = c->id,
                               .file = c->file,
                               .failed = MPI_SUCCESS != rc,
                               .begin = c->begin,
                               .end = ioprof_now(),
                               .offset = c->offset,
                               .bytes = bytes};
    int saved = errno;

    sample_after(c, bytes);
    ioprof_thread.in_mpi_file--;
    ioprof_record(&call);
    errno = saved;
}

void ioprof_mpi_end(const struct ioprof_mpi *c, int rc)
{
    finish(c, rc, 0);
}

void ioprof_mpi_end_data(const struct ioprof_mpi *c, int rc, const MPI_Status *status)
{
    finish(c, rc, MPI_SUCCESS == rc ? ioprof_mpi_bytes(status) : 0);
}

/* MPI-4 has new names for these, and deprecates the old ones. */
#if MPI_VERSION >= 4
#    define get_elements PMPI_Get_elements_c
#    define type_size    PMPI_Type_size_c
static void info_get(MPI_Info info, const char *key, int room, char *value, int *there)
{
    PMPI_Info_get_string(info, key, &room, value, there);
}
#else
#    define get_elements PMPI_Get_elements_x
#    define type_size    PMPI_Type_size_x
static void info_get(MPI_Info info, const char *key, int room, char *value, int *there)
{
    PMPI_Info_get(info, key, room - 1, value, there);
}
#endif

uint64_t ioprof_mpi_bytes(const MPI_Status *status)
{
    MPI_Count bytes = 0;

    if (MPI_SUCCESS != get_elements(status, MPI_BYTE, &bytes) || bytes < 0) {
        return 0;
    }
    return (uint64_t) bytes;
}

uint64_t ioprof_mpi_type_bytes(MPI_Datatype type, MPI_Count count)
{
    MPI_Count size = 0;

    if (MPI_SUCCESS != type_size(type, &size) || size < 0 || count < 0) {
        return 0;
    }
    return (uint64_t) size * (uint64_t) count;
}

/** The path as POSIX calls will have it. "ufs:" and the like name a file system driver. */
static int file_of(const char *name)
{
    const char *colon = strchr(name, ':'), *slash = strchr(name, '/');
    char path[PATH_MAX], whole[IOPROF_PATH_BYTES];

    if (NULL != colon && colon - name > 1 && (NULL == slash || colon < slash)
        && 0 != access(name, F_OK)) {
        name = colon + 1;
    }
    return ioprof_file_get(NULL == realpath(name, path) ? ioprof_whole_path(name, whole) : path);
}

/** Hints as the library reports them, once after the open and once more before the close. */
static void read_hints(struct ioprof_mpi_file *handle, MPI_File fh)
{
    struct ioprof_file *record = ioprof_file_record(handle->file);
    char text[8192], key[MPI_MAX_INFO_KEY + 1], value[1024];
    MPI_Info info;
    size_t used = 0;
    int n = 0, there;

    if (NULL == record || !handle->leader || MPI_SUCCESS != PMPI_File_get_info(fh, &info)
        || MPI_INFO_NULL == info) {
        return;
    }
    PMPI_Info_get_nkeys(info, &n);
    for (int i = 0; i < n; i++) {
        size_t length;

        PMPI_Info_get_nthkey(info, i, key);
        info_get(info, key, sizeof(value), value, &there);
        length = strlen(key) + strlen(value) + 2;
        if (there && used + length < sizeof(text)) {
            strcpy(stpcpy(stpcpy(stpcpy(text + used, key), "="), value), "\n");
            used += length;
        }
    }
    PMPI_Info_free(&info);
    if (used > 0 && (NULL == record->hints || 0 != strcmp(record->hints, text))) {
        char *kept = ioprof_keep_string(text);

        if (NULL != kept) {
            record->hints = kept;
        }
    }
}

/** What is known of a file that was just opened. */
static void opened(struct ioprof_mpi *c, MPI_Comm comm, const char *name, MPI_File fh)
{
    struct ioprof_file *record;
    int rank = 0, size = 0;

    c->file = file_of(name);
    c->handle = handle_add(fh);
    record = ioprof_file_record(c->file);
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    if (NULL != record) {
        ioprof_to_most(&record->comm_size, (uint64_t) size);
    }
    if (NULL != c->handle) {
        c->handle->file = c->file;
        c->handle->leader = 0 == rank;
        read_hints(c->handle, fh);
    }
}

IOPROF_WRAP(File_open, (MPI_Comm comm, const char *name, int amode, MPI_Info info, MPI_File *fh),
            (comm, name, amode, info, fh), {
                struct ioprof_mpi c;
                struct ioprof_call call;
                int rc;

                if (!ioprof_mpi_begin(&c, IOPROF_ID_File_open, MPI_FILE_NULL)) {
                    return real(comm, name, amode, info, fh);
                }
                rc = real(comm, name, amode, info, fh);
                call = (struct ioprof_call){.id = c.id,
                                            .failed = MPI_SUCCESS != rc,
                                            .begin = c.begin,
                                            .end = ioprof_now(),
                                            .offset = IOPROF_UNSET};
                if (MPI_SUCCESS == rc) {
                    opened(&c, comm, name, *fh);
                    ioprof_pvars_watch();
                }
                sample_after(&c, 0);
                ioprof_thread.in_mpi_file--;
                call.file = c.file;
                ioprof_record(&call);
                return rc;
            })

static void closing(struct ioprof_mpi *c, MPI_File fh)
{
    if (NULL != c->handle) {
        read_hints(c->handle, fh);
        handle_remove(c->handle);
        c->handle = NULL;
        c->begin = ioprof_now();
    }
}

IOPROF_CALL(File_close, File_close, (MPI_File * fh), (fh), *fh, closing(&c, *fh),
            ioprof_mpi_end(&c, rc))

/* Calls that move no data. */
#define PLAIN(name, PARAMS, ARGS, fh) \
    IOPROF_CALL(name, name, PARAMS, ARGS, fh, , ioprof_mpi_end(&c, rc))

PLAIN(File_delete, (const char *name, MPI_Info info), (name, info), MPI_FILE_NULL)
PLAIN(File_set_size, (MPI_File fh, MPI_Offset size), (fh, size), fh)
PLAIN(File_preallocate, (MPI_File fh, MPI_Offset size), (fh, size), fh)
PLAIN(File_get_size, (MPI_File fh, MPI_Offset *size), (fh, size), fh)
PLAIN(File_get_group, (MPI_File fh, MPI_Group *group), (fh, group), fh)
PLAIN(File_get_amode, (MPI_File fh, int *amode), (fh, amode), fh)
PLAIN(File_set_info, (MPI_File fh, MPI_Info info), (fh, info), fh)
PLAIN(File_get_info, (MPI_File fh, MPI_Info *info), (fh, info), fh)
PLAIN(File_get_view,
      (MPI_File fh, MPI_Offset *disp, MPI_Datatype *etype, MPI_Datatype *type, char *datarep),
      (fh, disp, etype, type, datarep), fh)
PLAIN(File_get_type_extent, (MPI_File fh, MPI_Datatype type, MPI_Aint *extent), (fh, type, extent),
      fh)
PLAIN(File_set_atomicity, (MPI_File fh, int flag), (fh, flag), fh)
PLAIN(File_get_atomicity, (MPI_File fh, int *flag), (fh, flag), fh)
PLAIN(File_set_errhandler, (MPI_File fh, MPI_Errhandler handler), (fh, handler), fh)
PLAIN(File_get_errhandler, (MPI_File fh, MPI_Errhandler *handler), (fh, handler), fh)
PLAIN(File_call_errhandler, (MPI_File fh, int code), (fh, code), fh)
PLAIN(File_sync, (MPI_File fh), (fh), fh)
PLAIN(File_seek, (MPI_File fh, MPI_Offset offset, int whence), (fh, offset, whence), fh)
PLAIN(File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence), (fh, offset, whence), fh)
PLAIN(File_get_position, (MPI_File fh, MPI_Offset *offset), (fh, offset), fh)
PLAIN(File_get_position_shared, (MPI_File fh, MPI_Offset *offset), (fh, offset), fh)
PLAIN(File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset *bytes),
      (fh, offset, bytes), fh)

static void end_set_view(const struct ioprof_mpi *c, int rc)
{
    struct ioprof_file *record = ioprof_file_record(c->file);

    if (NULL != record) {
        IOPROF_ADD(record->views, 1);
    }
    ioprof_mpi_end(c, rc);
}

IOPROF_CALL(File_set_view, File_set_view,
            (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype type,
             const char *datarep, MPI_Info info),
            (fh, disp, etype, type, datarep, info), fh, , end_set_view(&c, rc))
