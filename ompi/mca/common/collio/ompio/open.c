/* Copyright (c) 2026 The collio authors. SPDX-License-Identifier: BSD-3-Clause */
/**
 * Opens and closes the library.
 */
#include "ompio/open.h"

#include "core/version.h"

#include "call/op.h"
#include "file/file.h"
#include "help/help.h"
#include "hook/handle.h"
#include "open/set.h"

static int users;

/* Does the running Open MPI fit the build? The help text names no component, because the result is
 * the same for all. */
static bool release_fits(void)
{
    collio_version_t built, running;
    bool known = collio_version_parse(opal_version_string, &running);

    (void) collio_version_parse(COLLIO_OPENMPI_VERSION, &built);
    if (known && collio_version_fits(&built, &running)) {
        return true;
    }
    collio_help_later(COLLIO_HELP_OPENMPI_VERSION, COLLIO_OPENMPI_VERSION, running.major,
                      running.minor, running.release, running.suffix);
    return false;
}

#define A_CLASS(type)                        \
    {                                        \
#        type, sizeof(type), OBJ_CLASS(type) \
    }

/* Do Open MPI's structs have the sizes of the build? Two builds of one release can differ:
 * --enable-debug makes every object larger. Open MPI's libraries contain the size of each of their
 * classes. ompio_file_t and the io table are not classes, and the class of ompi_file_t is hidden,
 * so only the release number covers them. */
static bool structs_fit(void)
{
    static const struct {
        const char *name;            /* name of the struct */
        size_t built;                /* bytes in the headers of the build */
        const opal_class_t *running; /* class in the loaded libraries */
    } classes[] = {
        A_CLASS(opal_object_t),       A_CLASS(opal_info_t),    A_CLASS(opal_convertor_t),
        A_CLASS(ompi_datatype_t),     A_CLASS(ompi_request_t), A_CLASS(ompi_group_t),
        A_CLASS(ompi_communicator_t), A_CLASS(ompi_win_t),
    };

    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); ++i) {
        if (classes[i].built != classes[i].running->cls_sizeof) {
            collio_help_later(COLLIO_HELP_OPENMPI_STRUCTS, COLLIO_OPENMPI_VERSION, classes[i].name,
                              classes[i].running->cls_sizeof, classes[i].built);
            return false;
        }
    }
    return true;
}

int collio_fits(const char *name, const char *version, uint64_t abi)
{
    bool fits = release_fits() && structs_fit();

    if (fits && abi != collio_abi()) {
        collio_help_later(COLLIO_HELP_TWO_BUILDS, name, version, COLLIO_VERSION,
                          COLLIO_OPENMPI_VERSION);
        fits = false;
    }
    if (fits) {
        collio_hang_register();
    } else {
        collio_help_flush(); /* ranks will not synchronize in an open */
    }
    return fits ? OMPI_SUCCESS : OMPI_ERR_NOT_AVAILABLE;
}

int collio_open(void)
{
    ++users;
    collio_spare_fill();
    return OMPI_SUCCESS;
}

int collio_close(void)
{
    if (users > 0 && 0 == --users) {
        collio_set_free_all();
        collio_mpi_request_finalize();
        collio_access_finalize();
        collio_flat_finalize();
        collio_spare_drop();
        collio_hang_fini();
        collio_help_fini();
    }
    return OMPI_SUCCESS;
}

int collio_init_query(bool progress_threads, bool mpi_threads)
{
    (void) progress_threads;
    (void) mpi_threads;
    return OMPI_SUCCESS;
}

int collio_file_unquery(ompio_file_t *fh)
{
    (void) fh;
    return OMPI_SUCCESS;
}
